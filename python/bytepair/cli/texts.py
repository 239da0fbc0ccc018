"""What is named on the command line -> texts, one at a time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from bytepair.cli.refusal import Refusal
from bytepair.corpus import as_utf8, refuse_marks, unreadable
from bytepair.corpus import files as files_of

STDIN = "-"


def sources(
    arguments: tuple[str, ...], document: str, errors: Literal["raise", "replace", "skip"]
) -> list[Path | bytes]:
    """Turn arguments into a source of the library: paths as they are; standard input and pipes as their documents.

    Args:
        arguments: Files, folders, globs, or `-`.
        document: "file" or "line".
        errors: What to do about bytes that are not UTF-8, here as in files.
    """
    found: list[Path | bytes] = []
    for argument in arguments:
        if argument == STDIN or Path(argument).is_fifo():
            for name, data in _read(argument):
                found.extend(_documents(as_utf8(data, errors, _shown(name)), document))
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
        yield STDIN, _checked(STDIN, sys.stdin.buffer.read)
        return
    for path in files_of(Path(argument)):
        yield str(path), _checked(str(path), path.read_bytes)


def _checked(name: str, read: Callable[[], bytes]) -> bytes:
    """Bytes of any kind, but not those of another encoding: their ids would be those of no text."""
    try:
        data = read()
    except OSError as error:
        raise unreadable("standard input" if name == STDIN else name, error) from error
    refuse_marks(data, _shown(name))
    return data


def _shown(name: str) -> str:
    return "standard input" if name == STDIN else repr(name)


def _documents(data: bytes, document: str) -> list[bytes]:
    # Not splitlines, which would also cut at a lone carriage return.
    return [data] if document == "file" else re.findall(rb"[^\n]*\n|[^\n]+", data)
