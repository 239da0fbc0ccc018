"""A text cut into tokens, each token a patch of colour; bars between them where there is no colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bytepair.render.visible import visible
from bytepair.render.wrapped import parts_of

# Black on light, 256-colour codes: told apart on dark and on light screens, and by most colour-blind eyes.
_BACKGROUNDS = (153, 222, 157, 218, 195, 223, 183, 229)
_RESET = "\x1b[0m"
_BAR = "|"


def strip(spans: Iterable[tuple[str | bytes, int]], *, colour: bool, width: int | None = None) -> str:
    r"""Draw spans of a text one after the other.

    Args:
        spans: (text, key) pairs in order. Equal keys get the same colour, unless two neighbours would look like one.
        colour: Whether to draw with colours (ANSI escapes); otherwise a bar stands between spans.
        width: Columns to fill before a new line begins; None: no limit. Only a span that is wider than that is broken.
            A line feed at the end of a span begins a new line as well.

    Returns:
        Lines joined by `\n`, without one at the end.

    Example:
        >>> print(strip([("to", 7), (" be", 8), ("\n", 1), ("or", 2)], colour=False))
        to|·be|⏎
        or
    """
    return seen_strip([(visible(text), key) for text, key in spans], colour=colour, width=width)


def seen_strip(spans: Iterable[tuple[str, int]], *, colour: bool, width: int | None) -> str:
    """As `strip`, of spans as they are seen."""
    lines = _lines(spans, width, gap=0 if colour else 1)
    return "\n".join(_coloured(line) if colour else _BAR.join(text for text, _ in line) for line in lines)


def _lines(spans: Iterable[tuple[str, int]], width: int | None, gap: int) -> Iterator[list[tuple[str, int]]]:
    from rich.cells import cell_len

    line: list[tuple[str, int]] = []
    used = 0
    for text, key in spans:
        cells = cell_len(text) + gap
        if line and width is not None and used + cells > width + gap:
            yield line
            line, used = [], 0
        if width is not None and cells > width + gap:
            *whole, text = parts_of(text, width)
            yield from ([(part, key)] for part in whole)
            cells = cell_len(text) + gap
        line.append((text, key))
        used += cells
        if text.endswith("⏎"):
            yield line
            line, used = [], 0
    if line:
        yield line


def _coloured(line: Iterable[tuple[str, int]]) -> str:
    drawn = []
    previous = -1
    for text, key in line:
        choice = key % len(_BACKGROUNDS)
        if choice == previous:
            choice = (choice + 1) % len(_BACKGROUNDS)
        drawn.append(_patch(text, choice))
        previous = choice
    return "".join(drawn) + _RESET


def patch(text: str, key: int) -> str:
    """A text in the colour of its key, and nothing after it."""
    return _patch(text, key % len(_BACKGROUNDS)) + _RESET


def _patch(text: str, choice: int) -> str:
    return f"\x1b[38;5;16;48;5;{_BACKGROUNDS[choice]}m{text}"
