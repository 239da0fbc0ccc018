"""Rows -> aligned columns of plain text."""

from __future__ import annotations

from collections.abc import Sequence

_GAP = "  "


def table(
    rows: Sequence[Sequence[object]], *, header: Sequence[str] = (), right: Sequence[int] = (), width: int | None = None
) -> str:
    r"""Align rows in columns.

    Args:
        rows: The cells; `int` gets thousands separators, `float` two decimals, everything else `str()`.
        header: Names of the columns, or nothing.
        right: Columns, from 0, that are flush right.
        width: Columns of the screen; a longer line ends in `…`. None: no limit.

    Returns:
        Lines joined by `\n`, without white space at the end of a line.

    Example:
        >>> print(table([["a.txt", 1234], ["total", 1234567]], header=["file", "tokens"], right=[1]))
        file      tokens
        a.txt      1,234
        total  1,234,567
    """
    from rich.cells import cell_len, set_cell_size

    cells = [list(header)] if header else []
    cells += [[_cell(value) for value in row] for row in rows]
    if not cells:
        return ""
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [_pad(text, widths[i] - cell_len(text), i in right) for i, text in enumerate(row)]
        line = _GAP.join(padded).rstrip()
        lines.append(line if width is None or cell_len(line) <= width else set_cell_size(line, width - 1) + "…")
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.2f}" if isinstance(value, float) else str(value)


def _pad(text: str, missing: int, right: bool) -> str:
    return " " * missing + text if right else text + " " * missing
