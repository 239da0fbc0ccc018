"""Blocks -> HTML: a fragment for notebooks, or one file that needs nothing else. All text is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from html import escape
from typing import Any, Final

from bytepair.render.blocks import (
    Block,
    Blocks,
    Cell,
    Chart,
    Heading,
    Paragraph,
    Slides,
    Span,
    Spans,
    Strip,
    Table,
    Tree,
)
from bytepair.render.chart import chart_svg
from bytepair.render.clip import clipped
from bytepair.render.page import SCRIPT, STYLE
from bytepair.render.terminal import cell_text
from bytepair.render.visible import printable, visible

_N_COLOURS: Final = 8
_QUOTED: Final = re.compile(r"`([^`]+)`")


def fragment(blocks: Blocks) -> str:
    """Draw blocks as a part of a page, without any script.

    Args:
        blocks: what to draw.

    Returns:
        HTML that brings its own style.

    Example:
        >>> from bytepair.render.blocks import Paragraph
        >>> fragment([Paragraph("<b>")]).endswith("<p>&lt;b&gt;</p></div>")
        True
    """
    return f'<style>{STYLE}</style><div class="bytepair">{"".join(map(_block, blocks))}</div>'


def page(title: str, blocks: Blocks) -> str:
    """Draw blocks as a page of its own: one file that works from disk and loads nothing.

    Args:
        title: for the window.
        blocks: what to draw. Of `Slides` one at a time is shown, with buttons and keys to step and play.

    Returns:
        A whole HTML document. It forbids every script but its own, whatever the text may hold.

    Example:
        >>> from bytepair.render.blocks import Paragraph
        >>> page("T", [Paragraph("p")]).startswith("<!doctype html>")
        True
    """
    has_slides = any(isinstance(block, Slides) for block in blocks)
    script = f"<script>{SCRIPT}</script>" if has_slides else ""
    allowed = f"'sha256-{_digest(SCRIPT)}'" if has_slides else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; base-uri 'none'; form-action 'none'"
    body = "".join(_player(block) if isinstance(block, Slides) else _block(block) for block in blocks)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE}</style></head>"
        f'<body class="bytepair bytepair-page"><main>{body}</main>{script}</body></html>\n'
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _block(block: Block) -> str:
    draw: Callable[[Any], str] = _DRAWERS[type(block)]
    return draw(block)


def _text(text: str) -> str:
    """Escaped, and without characters that are not seen."""
    return escape(printable(text))


def _sentence(text: str) -> str:
    """Escaped, with what stands between backticks as code."""
    return _QUOTED.sub(r'<code class="bp-t">\1</code>', _text(text))


def _heading(block: Heading) -> str:
    return f"<h{block.level}>{_sentence(block.text)}</h{block.level}>"


def _paragraph(block: Paragraph) -> str:
    return "".join(f"<p>{_sentence(line)}</p>" for line in block.text.split("\n"))


def _span(span: Span) -> str:
    text, more = clipped(span.text)
    colour = "" if span.key is None else f" bp-{span.key % _N_COLOURS}"
    note = f' title="{_text(span.note)}"' if span.note else ""
    # An element of its own direction: right-to-left letters do not reorder what stands around them.
    return f'<bdi class="bp-t{colour}"{note}>{escape(visible(text) + more)}</bdi>'


def _strip(block: Strip) -> str:
    drawn = []
    for span in block.spans:
        last = span.text[-1:]
        drawn.append(_span(span) + ("<br>" if last in ("\n", b"\n") else "<wbr>"))
    return f'<p class="bp-strip">{"".join(drawn)}</p>'


def _cell(cell: Cell) -> str:
    if isinstance(cell, Spans):
        return " ".join(map(_span, cell.spans))
    return _span(cell) if isinstance(cell, Span) else _text(cell_text(cell))


def _table(block: Table) -> str:
    def row(cells: tuple[Cell, ...], tag: str, kind: str = "") -> str:
        classes = [' class="bp-right"' if i in block.right else "" for i in range(len(cells))]
        drawn = (f"<{tag}{which}>{_cell(cell)}</{tag}>" for which, cell in zip(classes, cells, strict=True))
        return f"<tr{kind}>{''.join(drawn)}</tr>"

    body = "".join(
        row(cells, "td", ' class="bp-marked"' if number in block.marked else "")
        for number, cells in enumerate(block.rows)
    )
    note = f"<p>{_text(block.note)}</p>" if block.note else ""
    table = f"<table><thead>{row(block.header, 'th')}</thead><tbody>{body}</tbody></table>"
    return f'<div class="bp-wide">{table}</div>{note}'


def _tree(block: Tree) -> str:
    def node(tree: Tree) -> str:
        label = f" <small>{_text(tree.label)}</small>" if tree.label else ""
        children = "".join(map(node, tree.children))
        return f"<li>{_span(tree.span)}{label}{f'<ul>{children}</ul>' if children else ''}</li>"

    return f'<ul class="bp-tree">{node(block)}</ul>'


def _chart(block: Chart) -> str:
    return f'<div class="bp-wide">{chart_svg(block)}</div>'


def _slides(block: Slides) -> str:
    drawn = []
    for number, (title, inner) in enumerate(block.slides):
        is_open = " open" if number == 0 else ""
        drawn.append(f"<details{is_open}><summary>{_text(title)}</summary>{''.join(map(_block, inner))}</details>")
    return "".join(drawn)


def _player(block: Slides) -> str:
    last = max(len(block.slides) - 1, 0)
    buttons = "".join(
        f'<button type="button" data-do="{action}" title="{name} ({key})">{sign}</button>'
        for action, sign, name, key in _BUTTONS
    )
    controls = (
        f'<div class="bp-controls" hidden>{buttons}'
        f'<input type="range" min="0" max="{last}" value="0" aria-label="Step"><output></output>'
        "<small>keys: ← → step, space plays, Home and End</small></div>"
    )
    slides = "".join(
        f'<section class="bp-slide"><h2>{_sentence(title)}</h2>{"".join(map(_block, inner))}</section>'
        for title, inner in block.slides
    )
    return f'<div class="bp-player">{controls}<div aria-live="polite">{slides}</div></div>'


_BUTTONS: Final = (
    ("first", "|◀", "First step", "Home"),
    ("back", "◀", "Step back", "←"),
    ("play", "play", "Play or pause", "space"),
    ("next", "▶", "Step", "→"),
    ("last", "▶|", "Last step", "End"),
)

_DRAWERS: Final[dict[type[Any], Callable[[Any], str]]] = {
    Heading: _heading,
    Paragraph: _paragraph,
    Strip: _strip,
    Table: _table,
    Tree: _tree,
    Chart: _chart,
    Slides: _slides,
}
