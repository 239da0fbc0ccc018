"""Blocks -> lines for a terminal, with colour and without, at any width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bytepair.render.blocks import (
    Block,
    Blocks,
    Cell,
    Chart,
    Heading,
    Line,
    Paragraph,
    Slides,
    Span,
    Spans,
    Strip,
    Table,
    Tree,
)
from bytepair.render.clip import clipped
from bytepair.render.screen import Screen
from bytepair.render.strip import patch, seen_strip
from bytepair.render.visible import printable, visible
from bytepair.render.wrapped import wrapped

_GAP: Final = "  "
_NARROWEST: Final = 8
_BAR_COLUMNS: Final = 24
_BOLD, _RESET = "\x1b[1m", "\x1b[0m"


def terminal(blocks: Blocks, screen: Screen) -> str:
    r"""Draw blocks one below the other.

    Args:
        blocks: what to draw.
        screen: whether it takes colour, and its columns.

    Returns:
        Lines joined by `\n`, without one at the end.

    Example:
        >>> from bytepair.render.blocks import Heading, Table
        >>> print(
        ...     terminal([Heading("Counts"), Table(("pair", "count"), (("e s", 9),), right=(1,))], Screen(False, None))
        ... )
        Counts
        <BLANKLINE>
        pair  count
        e s       9
    """
    return "\n\n".join(drawn for block in blocks if (drawn := _block(block, screen)))


def _block(block: Block, screen: Screen) -> str:
    if isinstance(block, Heading):
        return _bold(_sentences(block.text, screen), screen)
    if isinstance(block, Paragraph):
        return _sentences(block.text, screen)
    if isinstance(block, Strip):
        return seen_strip(map(_keyed, block.spans), colour=screen.colour, width=screen.width)
    if isinstance(block, Table):
        return _table(block, screen)
    if isinstance(block, Tree):
        return "\n".join(_tree(block, screen.width))
    if isinstance(block, Chart):
        return _chart(block, screen)
    assert isinstance(block, Slides)
    return "\n\n".join(terminal([Heading(title, 3), *inner], screen) for title, inner in block.slides)


def _sentences(text: str, screen: Screen) -> str:
    return wrapped(printable(text), screen.width, whole_words=False)


def _bold(text: str, screen: Screen) -> str:
    return f"{_BOLD}{text}{_RESET}" if screen.colour else text


def _keyed(span: Span) -> tuple[str, int]:
    text, key = _seen(span)
    return text, key or 0


# Tables


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A cell: parts as they are seen, each with a key for its colour, and what stands between them."""

    parts: tuple[tuple[str, int | None], ...]
    gap: str = " "

    @property
    def text(self) -> str:
        return self.gap.join(text for text, _ in self.parts)


def _drawn(cell: Cell) -> _Drawn:
    if isinstance(cell, Spans):
        return _Drawn(tuple(map(_seen, cell.spans)))
    if isinstance(cell, Span):
        return _Drawn((_seen(cell),))
    return _Drawn(((printable(cell_text(cell)), None),))


def cell_text(cell: str | int | float | None) -> str:
    """A number as people read it: thousands separators, two decimals."""
    if cell is None:
        return ""
    if isinstance(cell, bool | str):
        return str(cell)
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.2f}"


def _seen(span: Span) -> tuple[str, int | None]:
    text, more = clipped(span.text)
    return visible(text) + more, span.key


def _table(block: Table, screen: Screen) -> str:
    body = [[_drawn(cell) for cell in row] for row in block.rows]
    top, widths = _laid_out(block, body, screen.width)
    lines = []
    for number, row in enumerate([*top, *body]):
        cells = [_padded(cell, widths[i], i in block.right, screen.colour) for i, cell in enumerate(row)]
        line = _GAP.join(cells).rstrip()
        lines.append(_bold(line, screen) if number < len(top) else line)
    if block.marked:
        lines = [_marked(line, number - len(top) in block.marked) for number, line in enumerate(lines)]
    if block.note:
        lines += wrapped(printable(block.note), screen.width).split("\n")
    return "\n".join(_cut(line, screen.width) if "\x1b" not in line else line for line in lines)


def _laid_out(block: Table, body: list[list[_Drawn]], width: int | None) -> tuple[list[list[_Drawn]], list[int]]:
    """The rows of names, and how wide each column is: names are broken before texts are cut, and numbers never are."""
    from rich.cells import cell_len

    names = [[printable(name)] for name in block.header]
    needed = [max([0, *(cell_len(row[i].text) for row in body)]) for i in range(len(names))]
    if _n_over([max(most, cell_len(name)) for most, (name,) in zip(needed, names, strict=True)], width) > 0:
        names = [wrapped(name, most).split("\n") for most, (name,) in zip(needed, names, strict=True)]
    widths = [max(most, *map(cell_len, lines)) for most, lines in zip(needed, names, strict=True)]
    least = [max(most, _NARROWEST) if i in block.right else _NARROWEST for i, most in enumerate(needed)]
    return _under_each_other(names), _fitted(widths, least, width)


def _under_each_other(header: list[list[str]]) -> list[list[_Drawn]]:
    """Names that were broken, as rows: the last line of each stands over its column."""
    height = max(map(len, header), default=0)
    padded = ([""] * (height - len(names)) + names for names in header)
    return [[_Drawn(((name, None),)) for name in row] for row in zip(*padded, strict=True)]


def _marked(line: str, is_marked: bool) -> str:
    return f"> {line}" if is_marked else f"  {line}".rstrip()


def _fitted(widths: list[int], least: list[int], width: int | None) -> list[int]:
    """Columns made narrower, the widest first, until the row fits or none can give more."""
    widths = list(widths)
    for _ in range(max(_n_over(widths, width), 0)):
        wide = [i for i in range(len(widths)) if widths[i] > least[i]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _n_over(widths: Sequence[int], width: int | None) -> int:
    """By how many columns a row is too wide; two are for the sign of a marked one."""
    return 0 if width is None else sum(widths) + len(_GAP) * (len(widths) - 1) + 2 - width


def _padded(cell: _Drawn, width: int, right: bool, colour: bool) -> str:
    from rich.cells import cell_len

    parts = list(_shortened(cell, width))
    used = cell_len(cell.gap.join(text for text, _ in parts))
    text = cell.gap.join(patch(text, key) if colour and key is not None else text for text, key in parts)
    space = " " * (width - used)
    return space + text if right else text + space


def _shortened(cell: _Drawn, width: int) -> Iterator[tuple[str, int | None]]:
    """The parts that fit; the last one ends in `…` where something is left out."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(cell.text) <= width:
        yield from cell.parts
        return
    left = width - 1
    for text, key in cell.parts:
        if cell_len(text) > left:
            yield (set_cell_size(text, max(left, 0)) + "…", key)
            return
        yield text, key
        left -= cell_len(text) + len(cell.gap)
        if left < 0:
            return


def _cut(line: str, width: int | None) -> str:
    from rich.cells import cell_len, set_cell_size

    return line if width is None or cell_len(line) <= width else set_cell_size(line, width - 1) + "…"


# Trees and charts


def _tree(tree: Tree, width: int | None, first: str = "", rest: str = "") -> Iterator[str]:
    label = f"  {printable(tree.label)}" if tree.label else ""
    # What is said of a long span is not pushed off the screen by it.
    left = None if width is None else max(width - len(first) - len(label), _NARROWEST)
    yield _cut(f"{first}{_cut(_seen(tree.span)[0], left)}{label}", width)
    for number, child in enumerate(tree.children):
        is_last = number == len(tree.children) - 1
        yield from _tree(child, width, rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "))


def _chart(chart: Chart, screen: Screen) -> str:
    """A bar a point, of at most so many points."""
    drawn = []
    for line in chart.lines:
        highest = max(y for _, y in line.points) or 1.0
        points = [(x_text(x), y, _name_at(chart, x, line)) for x, y in _some(line.points, 16)]
        longest = _bar_columns((chart.x, line.name), points, screen.width)
        rows = tuple((x, y, "█" * max(1 if y else 0, round(longest * y / highest)), name) for x, y, name in points)
        drawn.append(terminal([Table((chart.x, line.name, "", ""), rows, right=(0, 1))], screen))
    return "\n\n".join(drawn)


def _bar_columns(names: tuple[str, str], points: Sequence[tuple[str, float, str]], width: int | None) -> int:
    """What is left for bars beside the other columns."""
    columns = zip(*((x, cell_text(y), name) for x, y, name in points), strict=True)
    widths = [max(map(len, column)) for column in columns]
    widths = [max(widest, len(name)) for widest, name in zip(widths, (*names, ""), strict=True)]
    return max(_NARROWEST, min(_BAR_COLUMNS, -_n_over([*widths, 0], width))) if width else _BAR_COLUMNS


def _name_at(chart: Chart, x: float, line: Line) -> str:
    shown = [at for at, _ in _some(line.points, 16)]
    return ", ".join(name for at, name in chart.marks if min(shown, key=lambda each: abs(each - at)) == x)


def _some(points: Sequence[tuple[float, float]], n_points: int) -> list[tuple[float, float]]:
    """The first, the last, and some between whose places grow by about the same factor."""
    first, last = points[0][0], points[-1][0]
    if len(points) <= n_points or first <= 0:
        return list(points[:: -(-len(points) // n_points)])
    wanted = [first * (last / first) ** (number / (n_points - 1)) for number in range(n_points)]
    return sorted({min(points, key=lambda point: abs(point[0] - place)) for place in wanted})


def x_text(x: float) -> str:
    """A place on the axis in words."""
    return f"{x:,.0f}" if x == int(x) else f"{x:,.2f}"
