"""What every report can do: print, show itself in a notebook, and give itself as HTML, SVG and JSON."""

from __future__ import annotations

from typing import Any

from bytepair.render.blocks import Blocks, Heading
from bytepair.render.html import fragment, page
from bytepair.render.picture import picture
from bytepair.render.screen import Screen
from bytepair.render.terminal import terminal


class Drawn:
    """A report that draws itself from blocks. Subclasses say which, and what JSON can hold of them.

    >>> class Hello(Drawn):
    ...     def blocks(self):
    ...         return [Heading("Hello")]
    >>> print(Hello())
    Hello
    """

    __slots__ = ()

    def blocks(self) -> Blocks:
        """What there is to draw; the first one is the heading."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON can hold it."""
        raise NotImplementedError

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """The report as lines for a terminal.

        Args:
            colour: whether to draw with colours (ANSI escapes).
            width: columns of the screen; None: lines of any width.
        """
        return terminal(self.blocks(), Screen(colour=colour, width=width))

    def html(self) -> str:
        """The report as one HTML file that needs nothing else."""
        blocks = self.blocks()
        title = next((block.text for block in blocks if isinstance(block, Heading)), type(self).__name__)
        return page(title, blocks)

    def svg(self, width: int = 90) -> str:
        """The report as a picture, as a terminal of so many columns shows it."""
        return picture(self.draw(colour=True, width=width))

    def _repr_html_(self) -> str:
        return fragment(self.blocks())

    def __str__(self) -> str:
        return self.draw()
