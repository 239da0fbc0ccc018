"""Rows, spans and progress -> terminal, notebook, HTML, SVG and log. The only place that knows colour; no BPE here."""

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
from bytepair.render.chart import chart_svg
from bytepair.render.drawn import Drawn
from bytepair.render.number import number_of
from bytepair.render.picture import picture
from bytepair.render.progress import display
from bytepair.render.screen import Screen
from bytepair.render.strip import strip
from bytepair.render.terminal import terminal
from bytepair.render.visible import visible
from bytepair.render.wrapped import wrapped

__all__ = [
    "Block",
    "Blocks",
    "Cell",
    "Chart",
    "Drawn",
    "Heading",
    "Line",
    "Paragraph",
    "Screen",
    "Slides",
    "Span",
    "Spans",
    "Strip",
    "Table",
    "Tree",
    "chart_svg",
    "display",
    "number_of",
    "picture",
    "strip",
    "terminal",
    "visible",
    "wrapped",
]
