"""Model <-> file. One registry; a format is recognised by its contents, never by its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Final, cast

from bytepair import arguments, whole_file
from bytepair.arguments import kind, shown
from bytepair.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MissingFileError,
    PermissionDeniedError,
    UnreadableFileError,
)
from bytepair.formats import tiktoken_ranks, tokenizer_json
from bytepair.model import Model


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of tokenizer file.

    Args:
        name: what `load(format=...)` calls it.
        recognise: whether a file's contents look like it.
        read: (contents, where they come from, pattern, special tokens) -> model.
    """

    name: str
    recognise: Callable[[bytes], bool]
    read: Callable[[bytes, str, str | None, Mapping[str, int] | None], Model]


FORMATS: Final = (
    Format("tokenizer.json", tokenizer_json.recognise, tokenizer_json.read),
    Format("tiktoken", tiktoken_ranks.recognise, tiktoken_ranks.read),
)
NAMES: Final = tuple(each.name for each in FORMATS)


def read(
    source: object,
    format: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Model:
    """Read a model; see `bytepair.load`."""
    name = None if format is None else arguments.choice("format", format, NAMES)
    data, where = _contents(source)
    chosen = [each for each in FORMATS if (each.name == name if name else each.recognise(data))]
    if not chosen:
        raise FormatError(
            f"{where}: its contents ({shown(data[:20])}) are of no known format; the formats are {', '.join(NAMES)}; "
            "format=... forces one"
        )
    return chosen[0].read(data, where, pattern, special_tokens)


def write(model: Model, path: str | PathLike[str]) -> None:
    """Write a model to a tokenizer.json file, whole or not at all; see `Tokenizer.save`."""
    if not isinstance(path, str | PathLike):
        raise ArgumentTypeError(f"path is {shown(path)} ({kind(path)}); it must be a str or a path")
    refuse_name(path)
    whole_file.write(path, tokenizer_json.write(model))


def refuse_name(path: str | PathLike[str]) -> None:
    """Refuse to write a tokenizer.json under a name that promises ranks: other programs go by it.

    Raises:
        ArgumentError: it ends in .tiktoken.
    """
    name = os.fsdecode(path)
    if name.lower().endswith(".tiktoken"):
        raise ArgumentError(
            f"{shown(name, 200)} is named as a file of ranks, and a tokenizer is saved as tokenizer.json, which holds "
            "all of it; use a name that ends in .json"
        )


def _contents(source: object) -> tuple[bytes, str]:
    """The bytes of a file, and what to call it in messages."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "the bytes given"
    if isinstance(source, str | PathLike):
        return _file_contents(Path(source)), repr(os.fspath(source))
    if hasattr(source, "read"):
        return _stream_contents(cast("IO[bytes]", source))
    raise ArgumentTypeError(
        f"path is {shown(source)} ({kind(source)}); it must be a path, the contents as bytes, or an open binary file"
    )


def _stream_contents(stream: IO[bytes]) -> tuple[bytes, str]:
    data = stream.read()
    if not isinstance(data, bytes):
        raise ArgumentTypeError(f"the file gives {kind(data)}; open it in binary mode: open(path, 'rb')")
    return data, repr(getattr(stream, "name", "the file given"))


def _file_contents(path: Path) -> bytes:
    whole_file.refuse_special_file(path)
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise MissingFileError(f"there is no file {shown(str(path), 200)}; check the path") from error
    except PermissionError as error:
        raise PermissionDeniedError(
            f"{str(path)!r} cannot be read: {error.strerror}; change its permissions"
        ) from error
    except IsADirectoryError as error:
        raise UnreadableFileError(f"{str(path)!r} is a folder; name the tokenizer file in it") from error
    except OSError as error:
        raise UnreadableFileError(f"{shown(str(path), 200)} cannot be read: {error.strerror}") from error
