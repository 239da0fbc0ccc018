"""What a terminal shows -> SVG: a picture of real output that needs no font file."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_CELL, _LINE, _MARGIN = 8.4, 19, 14
_SEQUENCE: Final = re.compile(r"\x1b\[([0-9;]*)m")
# The 256 colours of terminals: a cube of 6 steps a channel behind the first 16, then greys.
_STEPS: Final = (0, 95, 135, 175, 215, 255)
_PAPER, _INK = "#ffffff", "#1b1f24"


def picture(text: str, title: str = "") -> str:
    r"""Draw the output of a command.

    Args:
        text: lines with ANSI escapes for colour and bold; other escapes are left out.
        title: stands above, such as the command that was typed.

    Returns:
        An SVG document.

    Example:
        >>> "bold" in picture("\x1b[1mtoken\x1b[0m")
        True
    """
    from rich.cells import cell_len

    plain = [_SEQUENCE.sub("", line) for line in text.split("\n")]
    n_columns = max([40, *(cell_len(line) for line in plain), cell_len(title)])
    shift = 2 if title else 0
    width = n_columns * _CELL + 2 * _MARGIN
    height = (len(plain) + shift) * _LINE + 2 * _MARGIN
    drawn = [_words(title, 0, 0, _Style(ink="#59636e"))] if title else []
    for number, line in enumerate(text.split("\n")):
        drawn += _line(line, number + shift)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">'
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="{_PAPER}" stroke="#d5dae0"/>'
        f"{''.join(drawn)}</svg>\n"
    )


class _Style:
    """How the next characters look."""

    def __init__(self, ink: str = _INK, paper: str = "", bold: bool = False) -> None:
        self.ink, self.paper, self.bold = ink, paper, bold

    def after(self, codes: str) -> _Style:
        """The style behind an escape."""
        numbers = [int(code or 0) for code in codes.split(";")]
        style = _Style(self.ink, self.paper, self.bold)
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                style = _Style()
            elif number == 1:
                style.bold = True
            elif number in (38, 48) and numbers[:1] == [5]:
                colour = _colour(numbers[1])
                del numbers[:2]
                style.ink, style.paper = (colour, style.paper) if number == 38 else (style.ink, colour)
        return style


def _colour(number: int) -> str:
    if number == 16:
        return _INK
    if number < 16 or number > 231:
        level = 8 + 10 * (number - 232) if number > 231 else 128
        return f"#{level:02x}{level:02x}{level:02x}"
    red, rest = divmod(number - 16, 36)
    green, blue = divmod(rest, 6)
    return f"#{_STEPS[red]:02x}{_STEPS[green]:02x}{_STEPS[blue]:02x}"


def _line(line: str, row: int) -> list[str]:
    from rich.cells import cell_len

    drawn, column, style = [], 0, _Style()
    parts = _SEQUENCE.split(line)
    for number, part in enumerate(parts):
        if number % 2:
            style = style.after(part)
        elif part:
            drawn.append(_words(part, column, row, style))
            column += cell_len(part)
    return drawn


def _words(text: str, column: int, row: int, style: _Style) -> str:
    from rich.cells import cell_len

    x, y, width = _MARGIN + column * _CELL, _MARGIN + row * _LINE, cell_len(text) * _CELL
    paper = f'<rect x="{x:.1f}" y="{y + 1}" width="{width:.1f}" height="{_LINE - 2}" rx="2" fill="{style.paper}"/>'
    if not text.strip():
        return paper if style.paper else ""
    bold = ' font-weight="bold"' if style.bold else ""
    lead = len(text) - len(text.lstrip(" "))
    shown = escape(text.strip(" ")).replace("  ", "\u00a0\u00a0")
    at, length = x + lead * _CELL, cell_len(text.strip(" ")) * _CELL
    # The length keeps columns aligned whatever font is there.
    words = f'<text x="{at:.1f}" y="{y + 14}" textLength="{length:.1f}" fill="{style.ink}"{bold}>{shown}</text>'
    return (paper if style.paper else "") + words
