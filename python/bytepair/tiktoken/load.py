"""Files of ranks: found by path, or in the folder where tiktoken keeps what it has fetched; never on a network."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from bytepair import whole_file
from bytepair.arguments import shown
from bytepair.errors import FormatError, MissingFileError, UnreadableFileError
from bytepair.formats import tiktoken_ranks

_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def load_tiktoken_bpe(tiktoken_bpe_file: str | PathLike[str], expected_hash: str | None = None) -> dict[bytes, int]:
    """Read a `.tiktoken` file.

    Args:
        tiktoken_bpe_file: its path; or the address that tiktoken fetched it from, which finds it in the cache folder.
        expected_hash: the SHA-256 of its contents, 64 hex digits; None: not checked.

    Returns:
        ranks: token -> rank.

    Raises:
        MissingFileError, UnreadableFileError: the file cannot be read, or an address is not in the cache folder.
        FormatError: the file is broken, lacks one of the 256 bytes, or is not the expected one.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "toy.tiktoken")
    >>> dump_tiktoken_bpe({bytes([byte]): byte for byte in range(256)} | {b"ab": 256}, path)
    >>> load_tiktoken_bpe(path)[b"ab"]
    256
    """
    path = _located(tiktoken_bpe_file)
    # The reader wants a pattern; the ranks do not depend on it.
    tokens = tiktoken_ranks.read(contents(path, expected_hash), repr(str(path)), "none", None).tokens
    return {token: rank for rank, token in enumerate(tokens) if token is not None}


def dump_tiktoken_bpe(bpe_ranks: Mapping[bytes, int], tiktoken_bpe_file: str | PathLike[str]) -> None:
    """Write ranks to a `.tiktoken` file, in their order, whole or not at all.

    Args:
        bpe_ranks: token -> rank.
        tiktoken_bpe_file: its path; a file that is there is replaced.

    Raises:
        MissingFileError, UnreadableFileError: it cannot be written.
    """
    by_rank = sorted(bpe_ranks.items(), key=lambda item: item[1])
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in by_rank)
    whole_file.write(tiktoken_bpe_file, b"".join(lines))


def contents(path: Path, expected_hash: str | None = None) -> bytes:
    """What a file holds, which must be what is expected.

    Raises:
        MissingFileError, UnreadableFileError: it cannot be read.
        FormatError: its SHA-256 is another; names both.
    """
    whole_file.refuse_special_file(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(f"there is no file {str(path)!r}; check the path") from error
    except OSError as error:
        raise UnreadableFileError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    found = hashlib.sha256(data).hexdigest()
    if expected_hash is not None and found != expected_hash:
        raise FormatError(
            f"{str(path)!r} has the SHA-256 {found}, and {expected_hash} was expected: it is cut off or another file; "
            "get it again"
        )
    return data


def cache_folder() -> tuple[str, str]:
    """Where tiktoken keeps its files, and what says so; the folder is '' where it is told to keep none."""
    for variable in _VARIABLES:
        if variable in os.environ:
            return os.environ[variable], variable
    return str(Path(tempfile.gettempdir(), "data-gym-cache")), "the default"


def _located(file: str | PathLike[str]) -> Path:
    """The path of a file that is named by its path or by an address."""
    name = os.fspath(file)
    if "://" not in name:
        return Path(name)
    folder, reason = cache_folder()
    key = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
    if folder and (path := Path(folder, key)).is_file():
        return path
    raise MissingFileError(
        f"{shown(name, 200)} is an address, and nothing is fetched from a network; tiktoken would keep it as {key} in "
        f"{folder!r} ({reason}), where it is not: put it there, or pass the path of the file"
    )
