"""Pieces that a caller counted already, checked."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypeAlias

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, CountOverflowError

Piece: TypeAlias = "str | bytes"


def checked(counts: Mapping[Piece, int] | Iterable[tuple[Piece, int]]) -> tuple[list[bytes], list[int]]:
    """The pieces and their counts; empty pieces and counts of 0 are left out.

    Raises:
        ArgumentTypeError, ArgumentError, CountOverflowError, SurrogateError: naming the item.

    >>> checked({"a": 2, "": 1, b"b": 0})
    ([b'a'], [2])
    """
    if isinstance(counts, str | bytes | PathLike) or not isinstance(counts, Iterable):
        raise ArgumentTypeError(
            f"counts is {shown(counts)} ({kind(counts)}); it must map pieces to counts, or hold (piece, count) pairs"
        )
    pieces: list[bytes] = []
    numbers: list[int] = []
    for index, pair in enumerate(counts.items() if isinstance(counts, Mapping) else counts):
        piece, number = _checked_pair(index, pair)
        if piece and number:
            pieces.append(piece)
            numbers.append(number)
    return pieces, numbers


def _checked_pair(index: int, pair: object) -> tuple[bytes, int]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ArgumentTypeError(f"item {index} of counts is {shown(pair)}; it must be a pair (piece, count)")
    piece, number = pair
    if isinstance(piece, str):
        piece = arguments.without_surrogates(piece, "raise", f"piece {index} of counts").encode()
    if not isinstance(piece, bytes):
        raise ArgumentTypeError(f"piece {index} of counts is {shown(piece)} ({kind(piece)}); it must be str or bytes")
    if isinstance(number, bool) or not hasattr(type(number), "__index__"):
        raise ArgumentTypeError(f"the count of {shown(piece)} is {shown(number)} ({kind(number)}); it must be an int")
    value = operator.index(number)
    if value < 0:
        raise ArgumentError(f"the count of {shown(piece)} is {value}; it must be 0 or more")
    if value > arguments.MAX_COUNT:
        raise CountOverflowError(
            f"the count of {shown(piece)} is {value}, past 2**63 - 1; divide all counts by a factor"
        )
    return piece, value
