r"""Counted pieces as text, a line each: piece, tab, count.

In a piece a tab is written `\t`, a line feed `\n`, a carriage return `\r`, a backslash `\\`, and any byte `\xHH`.

>>> read(b"low\t5\n\\n\\xff\t2\n", "'a.tsv'")
([b'low', b'\n\xff'], [5, 2])
"""

from __future__ import annotations

import re
from typing import Final

from bytepair.arguments import MAX_COUNT, shown
from bytepair.errors import CountOverflowError, FormatError

_ESCAPE: Final = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.?))", re.DOTALL)
_ESCAPED: Final = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}


def read(data: bytes, where: str) -> tuple[list[bytes], list[int]]:
    """The pieces and their counts, in the order of the lines.

    Args:
        data: the contents of the file. Lines end in a line feed, after a carriage return or not.
        where: what to call the file in messages.

    Raises:
        FormatError: naming the line and what is wrong in it.
        CountOverflowError: a count passes 2**63 - 1.
    """
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    pieces, counts = [], []
    for index, line in enumerate(lines, start=1):
        piece, tab, count = line.partition(b"\t")
        if not tab:
            raise FormatError(f"{where}: line {index}, {_quoted(line)}, has no tab; a line is a piece, a tab, a count")
        counts.append(_count(count.removesuffix(b"\r"), f"{where}: line {index}"))
        pieces.append(_unescaped(piece, f"{where}: line {index}") if b"\\" in piece else piece)
    return pieces, counts


def _count(text: bytes, where: str) -> int:
    if not re.fullmatch(rb"[0-9]+", text):
        hint = r"; a tab in a piece is written \t" if b"\t" in text else ""
        raise FormatError(f"{where}: the count is {_quoted(text)}; it must be a whole number, 0 or more{hint}")
    # Past some thousand digits int() refuses on its own.
    number = int(text.lstrip(b"0")[:20] or b"0")
    if number > MAX_COUNT:
        raise CountOverflowError(
            f"{where}: the count is {_quoted(text)}, past 2**63 - 1; divide all counts by a factor"
        )
    return number


def _unescaped(piece: bytes, where: str) -> bytes:
    def character(found: re.Match[bytes]) -> bytes:
        if found[1]:
            return bytes.fromhex(found[1].decode())
        if found[2] not in _ESCAPED:
            raise FormatError(
                rf"{where}: the piece {_quoted(piece)} holds {_quoted(found[0])}, which is no escape; those are \t, "
                r"\n, \r, \\ and \xHH (two hexadecimal digits), and a backslash itself is \\"
            )
        return _ESCAPED[found[2]]

    return _ESCAPE.sub(character, piece)


def _quoted(text: bytes) -> str:
    r"""The text between quotes as it stands in the file: no doubled backslashes."""
    return shown(text)[1:].replace("\\\\", "\\")
