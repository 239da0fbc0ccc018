"""Text -> documents: lines, or what stands between blank lines. Joined, the documents are the text again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO, Final

from bytepair._native import lines as lines_of
from bytepair._native import paragraphs as paragraphs_of
from bytepair.corpus import records
from bytepair.corpus.grouping import GROUP_BYTES
from bytepair.corpus.parts import Document, Group, Reading, Texts, record_of, utf8

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_BLANK: Final = re.compile(r"\n(?:[ \t\r]*\n)+")
_SPACE: Final = b" \t\r\n"


def cut(text: str, document: Document) -> list[str]:
    r"""The documents in the text of a record.

    >>> cut("one\ntwo\n\nthree", "line")
    ['one\n', 'two\n', '\n', 'three']
    >>> cut("one\ntwo\n\nthree", "blank-line")
    ['one\ntwo\n\n', 'three']
    """
    if document == "line":
        return _LINE.findall(text)
    if document == "blank-line":
        first, last = len(text) - len(text.lstrip(_SPACE.decode())), len(text.rstrip(_SPACE.decode()))
        ends = [found.end() for found in _BLANK.finditer(text, first, last)]
        return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if start < end]
    return [text]


def documents(name: str, stream: BinaryIO, reading: Reading) -> Iterator[Texts]:
    """The lines of a stream, or what stands between its blank lines; each with its number."""
    n_before = offset = 0
    for text, block in _lines(stream) if reading.document == "line" else _paragraphs(name, stream):
        if utf8(text, reading.errors, repr(name), offset) is not text:
            block = [utf8(each, reading.errors, repr(name)) for each in block if isinstance(each, bytes)]
        yield Texts(range(n_before, n_before + len(block)), block, name)
        n_before, offset = n_before + len(block), offset + len(text)


def _lines(stream: BinaryIO) -> Iterator[tuple[bytes, Group]]:
    """Blocks of text, and the lines in each."""
    held: list[bytes] = []
    while block := stream.read(GROUP_BYTES):
        end = block.rfind(b"\n") + 1
        if end:
            text = b"".join([*held, block[:end]])
            yield text, lines_of(text)
            held = []
        held.append(block[end:])
    if text := b"".join(held):
        yield text, lines_of(text)


def _paragraphs(name: str, stream: BinaryIO) -> Iterator[tuple[bytes, Group]]:
    """Blocks of text, and what stands between the blank lines of each."""
    held, seen, has_text, number = b"", 0, False, 0
    while block := stream.read(max(GROUP_BYTES, len(held))):
        held += block
        # Blank lines at the end may go on in what comes.
        safe = len(held.rstrip(_SPACE))
        if not has_text and safe:
            # Blank lines before all text belong to the first document.
            has_text, seen = True, len(held) - len(held.lstrip(_SPACE))
        paragraphs = paragraphs_of(held, seen, safe)
        if paragraphs:
            yield held[: paragraphs.n_bytes], paragraphs
            held, seen, number = held[paragraphs.n_bytes :], 0, number + len(paragraphs)
        else:
            seen = max(safe, seen)
        if len(held) >= records.MAX_RECORD:
            raise records.too_long(record_of(name, number))
    if held:
        yield held, [held]
