"""The wire format of protocol buffers, read strictly: field by field, within the bytes that are there.

A kept library would be Google's `protobuf`: ten times this package, and it needs the classes of the message generated.
A SentencePiece model holds four kinds of fields in messages of three levels.

Source: protobuf.dev, "Encoding".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NoReturn

from bytepair.errors import FormatError


def fields(data: bytes, where: str, start: int = 0) -> Iterator[tuple[int, int | float | bytes, int]]:
    """The fields of a message, in order.

    Args:
        data: the message.
        where: the file, for messages.
        start: the byte of the file at which the message begins.

    Yields:
        Number, value (an int, a float of 32 bits, or bytes), and the byte of the file at which the value begins.

    Raises:
        FormatError: a field passes the end, or is of a kind that is not used here; names the byte.
    """
    at = 0
    while at < len(data):
        key, at = _number(data, at, where, start)
        number, kind = key >> 3, key & 7
        if number == 0:
            _fail(where, start + at, "a field has the number 0")
        if kind == 0:
            value, after = _number(data, at, where, start)
            yield number, value, start + at
        elif kind == 2:
            n_bytes, at = _number(data, at, where, start)
            after = at + n_bytes
            if after > len(data):
                _fail(where, start + at, f"a field claims {n_bytes} bytes, and {len(data) - at} are left")
            yield number, data[at:after], start + at
        elif kind in (1, 5):
            after = at + (8 if kind == 1 else 4)
            if after > len(data):
                _fail(where, start + at, "a number is cut short")
            yield number, struct.unpack("<d" if kind == 1 else "<f", data[at:after])[0], start + at
        else:
            _fail(where, start + at, f"a field is of kind {kind}, which these files do not have")
        at = after


def _number(data: bytes, at: int, where: str, start: int) -> tuple[int, int]:
    value = shift = 0
    for index in range(10):
        if at + index >= len(data):
            break
        byte = data[at + index]
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at + index + 1
    return _fail(where, start + at, "a number has no end")


def _fail(where: str, at: int, reason: str) -> NoReturn:
    raise FormatError(f"{where}: byte {at}: {reason}; expected a protocol buffer: get the file again")
