"""Rows, spans and progress -> terminal, notebook and log. The only place that knows colour; it knows no BPE."""

from bytepair.render.number import number_of
from bytepair.render.progress import display
from bytepair.render.screen import Screen
from bytepair.render.strip import strip
from bytepair.render.table import table
from bytepair.render.visible import visible
from bytepair.render.wrapped import wrapped

__all__ = ["Screen", "display", "number_of", "strip", "table", "visible", "wrapped"]
