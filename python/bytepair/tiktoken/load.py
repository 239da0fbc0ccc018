"""Files of ranks: found by path, or in the folder where tiktoken keeps what it has fetched; never on a network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from bytepair import whole_file
from bytepair.arguments import shown
from bytepair.errors import FormatError, MissingFileError, UnreadableFileError
from bytepair.formats import tiktoken_ranks
from bytepair.model import gpt2_characters

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


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str | PathLike[str],
    encoder_json_file: str | PathLike[str],
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Read the two files that GPT-2 came in, and hold one against the other.

    Args:
        vocab_bpe_file: its merges, `vocab.bpe`; a path or an address, as in `load_tiktoken_bpe`.
        encoder_json_file: its tokens and ids, `encoder.json`.
        vocab_bpe_hash: the SHA-256 of the first, 64 hex digits; None: not checked.
        encoder_json_hash: that of the second.
        clobber_one_byte_tokens: whether the single bytes have the ids of the second file, not those of GPT-2's order.

    Returns:
        ranks: token -> rank.

    Raises:
        MissingFileError, UnreadableFileError: a file cannot be read.
        FormatError: a file is broken or not the expected one, or the two do not agree; names a token.
    """
    ranks = ranks_of_merges(read_file_cached(vocab_bpe_file, vocab_bpe_hash), repr(os.fspath(vocab_bpe_file)))
    there = _encoder_json(read_file_cached(encoder_json_file, encoder_json_hash), repr(os.fspath(encoder_json_file)))
    if clobber_one_byte_tokens:
        ranks |= {token: rank for token, rank in there.items() if len(token) == 1}
    wrong = next((token for token in [*ranks, *there] if ranks.get(token) != there.get(token)), None)
    if wrong is not None:
        raise FormatError(
            f"{os.fspath(encoder_json_file)!r} says that {wrong!r} has the id {there.get(wrong)}, and the merges of "
            f"{os.fspath(vocab_bpe_file)!r} say {ranks.get(wrong)}: the two must be of one model"
        )
    return ranks


def read_file(blobpath: str | PathLike[str]) -> bytes:
    """What a file holds.

    Args:
        blobpath: its path, or an address, as in `load_tiktoken_bpe`.

    Returns:
        Its bytes.

    Raises:
        MissingFileError, UnreadableFileError: it cannot be read, or the address is not in the cache folder.
    """
    return contents(_located(blobpath))


def read_file_cached(blobpath: str | PathLike[str], expected_hash: str | None = None) -> bytes:
    """What a file holds, which must be what is expected.

    Args:
        blobpath: its path, or an address, as in `load_tiktoken_bpe`.
        expected_hash: its SHA-256, 64 hex digits; None: not checked.

    Returns:
        Its bytes.

    Raises:
        MissingFileError, UnreadableFileError: as in `read_file`.
        FormatError: its SHA-256 is another; names both.
    """
    return contents(_located(blobpath), expected_hash)


def check_hash(data: bytes, expected_hash: str) -> bool:
    """Whether data has this SHA-256, 64 hex digits.

    >>> check_hash(b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    True
    """
    return hashlib.sha256(data).hexdigest() == expected_hash


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


def ranks_of_merges(data: bytes, source: str) -> dict[bytes, int]:
    """The ranks of GPT-2's file of merges: first the bytes in its order, then what each line joins.

    Raises:
        FormatError: a line is no merge; names it.
    """
    spelled = gpt2_characters()
    byte_of = {character: byte for byte, character in spelled.items()}
    ranks = {bytes([byte]): rank for rank, byte in enumerate(spelled)}
    lines = data.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines[1:], 2):
        joint = line.replace(" ", "", 1)
        if " " in joint or len(joint) == len(line) or not byte_of.keys() >= set(joint):
            raise FormatError(f"{source}, line {number}: {shown(line)} is no merge of two tokens as GPT-2 spells them")
        ranks[bytes(byte_of[character] for character in joint)] = len(ranks)
    return ranks


def _encoder_json(data: bytes, source: str) -> dict[bytes, int]:
    """Token -> id of GPT-2's other file, without its special tokens."""
    try:
        spelled = json.loads(data)
        byte_of = {character: byte for byte, character in gpt2_characters().items()}
        ids = {
            bytes(byte_of[character] for character in token): number
            for token, number in spelled.items()
            if token not in ("<|endoftext|>", "<|startoftext|>")
        }
    except (ValueError, AttributeError, RecursionError) as error:
        raise FormatError(f"{source} is no JSON object of tokens and ids: {error}") from error
    except KeyError as error:
        raise FormatError(f"{source}: a token holds {error}, which GPT-2 does not spell a byte by") from error
    return ids


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
