"""A chart as SVG: lines over an axis of sizes, each place that is pointed out with its name."""

from __future__ import annotations

import math
from html import escape
from typing import Final

from bytepair.render.blocks import Chart, Line

_WIDTH, _HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 34, 48
_COLOURS: Final = ("#1f6feb", "#b35900", "#1a7f37", "#8250df", "#bf3989", "#0a7ea4")
_MOST_POINTS: Final = 400


def chart_svg(chart: Chart) -> str:
    """Draw a chart.

    Args:
        chart: lines with at least one point each.

    Returns:
        An `<svg>` element; the horizontal axis is linear, or by powers of two where all places are above 0.

    Example:
        >>> drawing = chart_svg(Chart((Line("b", ((256, 1.0), (512, 2.0))),), "size", "bytes"))
        >>> drawing.startswith("<svg"), "polyline" in drawing
        (True, True)
    """
    scale = _Scale(chart)
    marks = sorted({(x, name) for x, name in chart.marks})
    drawn = [
        *(_grid(scale.y(value), _short(value)) for value in scale.steps),
        *(_tick(scale.x(value), _short(value)) for value in scale.places),
        *(_polyline(line, scale, _COLOURS[i % len(_COLOURS)]) for i, line in enumerate(chart.lines)),
        *(_mark(scale.x(x), name, row) for row, (x, name) in enumerate(marks)),
        *(_legend(line.name, i) for i, line in enumerate(chart.lines)),
        _label(_WIDTH / 2, _HEIGHT - 8, chart.x, "middle"),
        f'<text transform="translate(16 {_HEIGHT / 2:g}) rotate(-90)" text-anchor="middle">{escape(chart.y)}</text>',
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" font-family="system-ui,sans-serif" font-size="13" fill="#59636e">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>{"".join(drawn)}</svg>'
    )


class _Scale:
    """From values to places on the paper."""

    def __init__(self, chart: Chart) -> None:
        xs = [x for line in chart.lines for x, _ in line.points] + [x for x, _ in chart.marks]
        ys = [y for line in chart.lines for _, y in line.points]
        self.by_powers = min(xs) > 0 and max(xs) / min(xs) >= 4
        self.low, self.high = self._place(min(xs)), self._place(max(xs))
        self.steps = _steps(min(0.0, *ys) if len(ys) > 1 else min(0.0, ys[0]), max(ys))
        self.bottom, self.top = self.steps[0], self.steps[-1]
        self.places = self._places(min(xs), max(xs))

    def _place(self, x: float) -> float:
        return math.log2(x) if self.by_powers else x

    def _places(self, low: float, high: float) -> list[float]:
        if not self.by_powers:
            return [value for value in _steps(low, high) if low <= value <= high]
        powers = [2.0**power for power in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
        # At most nine, so that their names do not touch.
        return powers[:: -(-len(powers) // 9)]

    def x(self, value: float) -> float:
        share = (self._place(value) - self.low) / ((self.high - self.low) or 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.bottom) / ((self.top - self.bottom) or 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _steps(low: float, high: float) -> list[float]:
    """Round values from below the lowest to above the highest, about five."""
    rough = (high - low or 1) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.floor(low / step)
    return [number * step for number in range(first, math.ceil(high / step) + (high <= low) + 1)]


def _short(value: float) -> str:
    if value >= 10_000 and value == int(value):
        return f"{value / 1000:.0f}k"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}".rstrip("0")


def _label(x: float, y: float, text: str, anchor: str, fill: str = "#59636e") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def _grid(y: float, name: str) -> str:
    line = f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#d5dae0" stroke-width="1"/>'
    return line + _label(_LEFT - 6, y + 4, name, "end")


def _tick(x: float, name: str) -> str:
    return _label(x, _HEIGHT - _BOTTOM + 18, name, "middle")


def _polyline(line: Line, scale: _Scale, colour: str) -> str:
    every = -(-len(line.points) // _MOST_POINTS)
    some = [*line.points[::every], line.points[-1]]
    if len(some) == 2 and some[0] == some[1]:
        return f'<circle cx="{scale.x(some[0][0]):.1f}" cy="{scale.y(some[0][1]):.1f}" r="3" fill="{colour}"/>'
    points = " ".join(f"{scale.x(x):.1f},{scale.y(y):.1f}" for x, y in some)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _mark(x: float, name: str, row: int) -> str:
    line = f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#8250df" stroke-dasharray="4 3"/>'
    anchor, shift = ("end", -6) if x > _WIDTH / 2 else ("start", 6)
    return line + _label(x + shift, _HEIGHT - _BOTTOM - 10 - 16 * row, name, anchor, "#8250df")


def _legend(name: str, number: int) -> str:
    x = _LEFT + 180 * number
    colour = _COLOURS[number % len(_COLOURS)]
    return f'<rect x="{x}" y="12" width="12" height="12" fill="{colour}"/>' + _label(x + 18, 22, name, "start")
