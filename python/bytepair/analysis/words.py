"""Spans and sentences that several reports share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from bytepair.analysis.merging import Symbol
from bytepair.render import Span, Spans, visible

MOST_IN_A_ROW: Final = 60


def readable(spelling: bytes) -> str:
    """A spelling as JSON can hold it: bytes that are not UTF-8 by their number."""
    return spelling.decode("utf-8", "backslashreplace")


def quoted(spelling: bytes | str, limit: int = 40) -> str:
    """A spelling in a sentence, cut where it is long."""
    text = spelling if isinstance(spelling, str) else readable(spelling)
    return f"`{visible(text[:limit])}{'…' if len(text) > limit else ''}`"


def pair_text(left: bytes, right: bytes) -> str:
    """A pair as books write it."""
    return f"({visible(left)}, {visible(right)})"


def span(symbol: Symbol) -> Span:
    """A symbol in the colour of its id."""
    return Span(symbol.spelling, symbol.id, f"id {symbol.id}")


def row(symbols: Sequence[Symbol]) -> Spans:
    """Symbols side by side; the middle of a long row is left out."""
    if len(symbols) <= MOST_IN_A_ROW:
        return Spans(tuple(map(span, symbols)))
    half = MOST_IN_A_ROW // 2
    hidden = Span(f"… {len(symbols) - 2 * half:,} more …")
    return Spans((*map(span, symbols[:half]), hidden, *map(span, symbols[-half:])))


def share(part: float, whole: float) -> str:
    """A part in percent."""
    return f"{part / whole:.1%}" if whole else "-"


def listed(names: Iterable[str], most: int = 6) -> str:
    """Names in a sentence; of many, the first ones and how many there are besides."""
    given = list(names)
    more = f" and {len(given) - most:,} more" if len(given) > most else ""
    return ", ".join(given[:most]) + more
