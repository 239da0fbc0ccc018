"""Encodings by name: OpenAI's, whose files must be at hand, and those that a program registers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, MissingFileError
from bytepair.tiktoken.core import Encoding
from bytepair.tiktoken.load import cache_folder, contents, load_tiktoken_bpe, ranks_of_merges
from bytepair.tiktoken.published import PUBLISHED, VOCAB_BPE, File

Parts: TypeAlias = "dict[str, Any]"
Constructor: TypeAlias = "Callable[[], Mapping[str, Any]]"


_lock = threading.RLock()
_made: dict[str, Encoding] = {}
_registered: dict[str, Constructor] = {}


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of a name; made when it is first asked for, and then kept.

    Args:
        encoding_name: one of `list_encoding_names()`.

    Returns:
        The encoding. For OpenAI's the file is looked for in the folder that TIKTOKEN_CACHE_DIR names (else
        DATA_GYM_CACHE_DIR, else `data-gym-cache` in the folder for temporary files), under the name that tiktoken gives
        it there or its plain one, such as `cl100k_base.tiktoken`.

    Raises:
        ArgumentError: there is no such encoding; a `ValueError`, for what is no str too.
        MissingFileError: its file is not there; says where it was looked for, and what to do.
        FormatError: the file is not the published one.

    >>> get_encoding("cl200k")
    Traceback (most recent call last):
        ...
    bytepair.errors.ArgumentError: there is no encoding 'cl200k'; the names are gpt2, r50k_base, ...
    """
    if not isinstance(encoding_name, str):
        raise ArgumentError(f"encoding_name is {shown(encoding_name)} ({kind(encoding_name)}); it must be a str")
    with _lock:
        if encoding_name not in _made:
            _made[encoding_name] = Encoding(**_constructor(encoding_name)())
        return _made[encoding_name]


def list_encoding_names() -> list[str]:
    """The names that `get_encoding` knows: OpenAI's, whether or not their files are at hand, then the registered ones.

    >>> list_encoding_names()[:3]
    ['gpt2', 'r50k_base', 'p50k_base']
    """
    with _lock:
        return list(dict.fromkeys([*PUBLISHED, *_registered]))


def register(
    name: str,
    source: str | PathLike[str] | Constructor,
    *,
    pat_str: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> None:
    r"""Give a name to an encoding of your own, or say where the file of one of OpenAI's lies.

    Args:
        name: what `get_encoding` will find it by; one that is taken now stands for this.
        source: a `.tiktoken` file; or a function without arguments that gives the arguments of `Encoding` as a mapping,
            as the constructors of tiktoken's plugins do. Either is used when the encoding is first asked for.
        pat_str: the split pattern that goes with a file. None: that of OpenAI's encoding of this name, whose special
            tokens are then taken too, and whose file it must be.
        special_tokens: text -> id, with a file and a `pat_str`; None: there are none.

    Raises:
        ArgumentError: a file without a `pat_str` and a name that is not OpenAI's; or a function with one.
        ArgumentTypeError: an argument has the wrong type.

    >>> ranks = {bytes([byte]): byte for byte in range(256)}
    >>> parts = {"name": "bytes", "pat_str": r"(?s:.)+", "mergeable_ranks": ranks, "special_tokens": {}}
    >>> register("bytes", lambda: parts)
    >>> get_encoding("bytes").encode("ab")
    [97, 98]
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"name is {shown(name)} ({kind(name)}); it must be a str")
    constructor = _constructor_of(name, source, pat_str, special_tokens)
    with _lock:
        _registered[name] = constructor
        _made.pop(name, None)


def _constructor(name: str) -> Constructor:
    if name in _registered:
        return _registered[name]
    if name in PUBLISHED:
        return lambda: _published_parts(name, *_cached_file(name))
    raise ArgumentError(
        f"there is no encoding {shown(name)}; the names are {', '.join(list_encoding_names())}; register(name, file) "
        "adds one"
    )


def _constructor_of(
    name: str, source: object, pat_str: str | None, special_tokens: Mapping[str, int] | None
) -> Constructor:
    alone = pat_str is None and special_tokens is None
    if callable(source):
        if not alone:
            raise ArgumentError("a function gives pat_str and special_tokens itself; leave them out here")
        return source
    if not isinstance(source, str | PathLike):
        raise ArgumentTypeError(f"source is {shown(source)} ({kind(source)}); it must be a path or a function")
    path = Path(source)
    if alone and name in PUBLISHED:
        return lambda: _published_parts(name, path, PUBLISHED[name].files[-1])
    if pat_str is None:
        raise ArgumentError(
            f"a .tiktoken file holds no split pattern, and {shown(name)} is none of OpenAI's encodings "
            f"({', '.join(PUBLISHED)}) as they are; pass pat_str=..., and special_tokens=... where there are some"
        )
    return lambda: {
        "name": name,
        "pat_str": pat_str,
        "mergeable_ranks": load_tiktoken_bpe(path),
        "special_tokens": special_tokens or {},
    }


def _published_parts(name: str, path: Path, file: File) -> Parts:
    published = PUBLISHED[name]
    if file is VOCAB_BPE:
        ranks = ranks_of_merges(contents(path, file.sha256), repr(str(path)))
    else:
        ranks = load_tiktoken_bpe(path, file.sha256)
    return {
        "name": name,
        "pat_str": published.pat_str,
        "mergeable_ranks": ranks,
        "special_tokens": published.special_tokens,
        "explicit_n_vocab": published.n_vocab,
    }


def _cached_file(name: str) -> tuple[Path, File]:
    folder, reason = cache_folder()
    files = PUBLISHED[name].files
    for file in files:
        for path in (Path(folder, file.key), Path(folder, file.name)):
            if folder and path.is_file():
                return path, file
    wanted = " nor ".join(f"{file.key} ({file.name})" for file in files)
    looked = f"there is no {wanted} in {folder!r} ({reason})" if folder else f"{reason} is '', which means no folder"
    raise MissingFileError(
        f"{name!r}: {looked}, and nothing is fetched from a network. Set TIKTOKEN_CACHE_DIR to the folder where "
        f"tiktoken keeps its files or where you put {files[-1].name}, or say where it lies: "
        f"bytepair.tiktoken.register({name!r}, 'path/to/{files[-1].name}')"
    )
