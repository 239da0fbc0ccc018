"""Rows and spans -> terminal. The only place that knows colour; it knows no BPE."""

from bytepair.render.progress import progress
from bytepair.render.screen import Screen
from bytepair.render.strip import strip
from bytepair.render.table import table
from bytepair.render.visible import visible
from bytepair.render.wrapped import wrapped

__all__ = ["Screen", "progress", "strip", "table", "visible", "wrapped"]
