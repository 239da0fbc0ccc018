"""What a report is made of: paragraphs, tables, strips of tokens, trees, charts. Plain data that every output draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, drawn with its white space visible.

    Args:
        text: str, or bytes that may be cut inside a character.
        key: equal keys get the same colour; None: no colour.
        note: what a pointer that rests on it shows, where there is one.
    """

    text: str | bytes
    key: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spans:
    """Several spans in one cell, set apart by spaces."""

    spans: tuple[Span, ...]

    @classmethod
    def of(cls, *texts: str | bytes) -> Spans:
        """Spans without colour."""
        return cls(tuple(Span(text) for text in texts))


Cell: TypeAlias = "str | int | float | Span | Spans | None"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that begins a part; `level` 1 is the report's own."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A text cut into spans, one after the other."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header.

    Args:
        header: names of the columns.
        rows: cells, as many as names; None is an empty one.
        right: columns, from 0, that are flush right.
        marked: rows, from 0, that stand out.
        note: a sentence below, such as how many rows were left out.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: tuple[int, ...] = ()
    marked: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A span and what it is made of."""

    span: Span
    label: str = ""
    children: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: points from left to right."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over an axis.

    Args:
        lines: at least one, with at least one point each.
        x: what the horizontal axis is.
        y: what the vertical axis is.
        marks: (x, name) of places that are pointed out.
    """

    lines: tuple[Line, ...]
    x: str
    y: str
    marks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Slides:
    """Blocks that are shown one set after the other, each with a title."""

    slides: tuple[tuple[str, tuple[Block, ...]], ...] = field(default=())


Block: TypeAlias = "Heading | Paragraph | Strip | Table | Tree | Chart | Slides"
Blocks: TypeAlias = Sequence[Block]
