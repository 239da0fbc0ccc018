"""What is named on the command line -> texts, one at a time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bytepair.cli.refusal import Refusal
from bytepair.corpus import files as files_of
from bytepair.errors import UnreadableFileError

STDIN = "-"


def sources(arguments: tuple[str, ...], document: str) -> list[Path | bytes]:
    """Turn arguments into a source of the library: paths as they are; standard input and pipes as their documents."""
    found: list[Path | bytes] = []
    for argument in arguments:
        if argument == STDIN or Path(argument).is_fifo():
            found.extend(text for _, data in _read(argument) for text in _documents(data, document))
        else:
            found.append(Path(argument))
    return found


def named_texts(files: tuple[str, ...], given: tuple[str, ...], document: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, text) of everything named: --text first, then files in order, else standard input.

    Args:
        files: Files, folders, globs, or `-`.
        given: The texts themselves.
        document: "file" or "line".

    Yields:
        The name of the file, `-` for standard input, `--text` for a text; and the bytes of one document.
    """
    # The bytes that the shell passed, whatever they were.
    yield from (("--text", os.fsencode(text)) for text in given)
    if not files and not given and sys.stdin.isatty():
        raise Refusal("nothing to work on: name files, folders or globs, give --text, or pipe a text in")
    for argument in files or (() if given else (STDIN,)):
        for name, data in _read(argument):
            for text in _documents(data, document):
                yield name, text


def _read(argument: str) -> Iterator[tuple[str, bytes]]:
    if argument == STDIN:
        yield STDIN, sys.stdin.buffer.read()
        return
    for path in files_of(Path(argument)):
        try:
            yield str(path), path.read_bytes()
        except OSError as error:
            raise UnreadableFileError(f"{str(path)!r} cannot be read: {error.strerror}") from error


def _documents(data: bytes, document: str) -> list[bytes]:
    # Not splitlines, which would also cut at a lone carriage return.
    return [data] if document == "file" else re.findall(rb"[^\n]*\n|[^\n]+", data)
