"""What is named on the command line -> texts, one at a time."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final

from bytepair.cli.mistaken import refuse_texts, refuse_tokenizers
from bytepair.cli.refusal import Refusal
from bytepair.corpus import files as files_of
from bytepair.corpus import refuse_marks, unreadable
from bytepair.corpus.parts import Meter
from bytepair.corpus.records import MAX_RECORD
from bytepair.corpus.unpacking import HEAD, Member, members, packing_of
from bytepair.errors import BytepairError, MissingFileError

STDIN = "-"
_UNPACKERS: Final = {
    "gz": "gzip -dc",
    "zst": "zstd -dc",
    "xz": "xz -dc",
    "bz2": "bzip2 -dc",
    "tar": "tar -xO",
    "zip": "funzip",
}


@contextlib.contextmanager
def sources(arguments: tuple[str, ...]) -> Iterator[list[Path]]:
    """Turn arguments into files for the library to read, all by the same rules.

    Paths stay as they are. Standard input and pipes are copied to a temporary folder, gone at the end.
    """
    refuse_tokenizers(argument for argument in arguments if not is_stream(argument))
    refuse_texts(arguments)
    if not any(map(is_stream, arguments)):
        yield [*map(Path, arguments)]
        return
    with tempfile.TemporaryDirectory(prefix="bytepair-") as folder:
        try:
            yield [_kept(argument, Path(folder, str(index))) for index, argument in enumerate(arguments)]
        except BytepairError as error:
            raise Refusal(re.sub(rf"{re.escape(folder + os.sep)}\d+{re.escape(os.sep)}", "", str(error))) from error


def is_stream(argument: str) -> bool:
    """Whether it can be read once only: standard input, or a pipe."""
    return argument == STDIN or Path(argument).is_fifo()


def _kept(argument: str, folder: Path) -> Path:
    if not is_stream(argument):
        return Path(argument)
    folder.mkdir()
    copy = folder / ("standard input" if argument == STDIN else Path(argument).name)
    try:
        with contextlib.ExitStack() as opened:
            stream = standard_input() if argument == STDIN else opened.enter_context(Path(argument).open("rb"))
            shutil.copyfileobj(stream, opened.enter_context(copy.open("wb")))
    except OSError as error:
        raise Refusal(
            f"{copy.name!r} cannot be copied to {str(folder.parent)!r}: {error.strerror}; the environment variable "
            "TMPDIR can name a folder with room for it"
        ) from error
    return copy


def standard_input() -> IO[bytes]:
    """Standard input, unless it is closed."""
    # None where the process was started without one.
    if sys.stdin is None:
        raise Refusal("standard input is closed; pipe a text in, or name files")
    return sys.stdin.buffer


def named_texts(files: tuple[str, ...], given: tuple[str, ...], document: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, text) of everything named: --text first, then files in order, else standard input.

    Args:
        files: Files, folders, globs, or `-`.
        given: The texts themselves.
        document: "file" or "line".

    Yields:
        The name of the file, `-` for standard input, `--text` for a text (numbered if there are several); and the bytes
        of one document.
    """
    # The bytes that the shell passed, whatever they were.
    names = ["--text"] if len(given) == 1 else [f"--text {number}" for number in range(1, len(given) + 1)]
    yield from ((name, os.fsencode(text)) for name, text in zip(names, given, strict=True))
    if not files and not given and sys.stdin is not None and sys.stdin.isatty():
        raise Refusal("nothing to work on: name files, folders or globs, give --text, or pipe a text in")
    for argument in files or (() if given else (STDIN,)):
        for name, data in _read(argument):
            for text in _documents(data, document):
                yield name, text


def _read(argument: str) -> Iterator[tuple[str, bytes]]:
    if argument == STDIN:
        yield STDIN, _checked("standard input", _read_standard_input)
        return
    try:
        paths = files_of(Path(argument))
    except MissingFileError as error:
        raise Refusal(f"{error}; if it is a text, say --text {shlex.quote(argument)}") from error
    for path in paths:
        yield from _texts_in(path)


def _texts_in(path: Path) -> Iterator[tuple[str, bytes]]:
    """The text of a file, or of what is compressed or in an archive there."""
    if not path.is_file() or _packing(path) is None:
        yield str(path), _checked(str(path), path.read_bytes)
        return
    for member in members(str(path), Meter()):
        yield member.name, _checked(member.name, partial(_whole, member))


def _packing(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return packing_of(file.read(HEAD), str(path))
    except OSError as error:
        raise unreadable(str(path), error) from error


def _whole(member: Member) -> bytes:
    text = member.stream.read(MAX_RECORD)
    if len(text) == MAX_RECORD:
        raise Refusal(
            f"{member.name!r} holds {MAX_RECORD:,} bytes or more, which are held at once here; cut it into files, or "
            "use tally, train and pack, which read any size"
        )
    return text


def _checked(name: str, read: Callable[[], bytes]) -> bytes:
    """Bytes of any kind, but not those of another encoding, or packed: their ids would be those of no text."""
    try:
        data = read()
    except OSError as error:
        if isinstance(error, BytepairError):
            raise
        raise unreadable(name, error) from error
    refuse_marks(data, repr(name))
    return data


def _read_standard_input() -> bytes:
    data = standard_input().read()
    if (packing := packing_of(data[:HEAD], STDIN)) is not None:
        raise Refusal(
            f"standard input is {packing}, packed; unpack it on the way ({_UNPACKERS[packing]}), or name the file"
        )
    return data


def _documents(data: bytes, document: str) -> list[bytes]:
    # Not splitlines, which would also cut at a lone carriage return.
    return [data] if document == "file" else re.findall(rb"[^\n]*\n|[^\n]+", data)
