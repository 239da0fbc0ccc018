"""Sentences broken to the width of a screen."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int | None) -> str:
    r"""Break lines at spaces.

    Args:
        text: One or more lines.
        width: Columns of the screen; None: nothing is broken.

    Returns:
        The lines, none wider than the screen unless a word is.

    Example:
        >>> wrapped("to be or not to be", 8)
        'to be or\nnot to\nbe'
    """
    if width is None:
        return text
    lines = (textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join("\n".join(parts) for parts in lines)
