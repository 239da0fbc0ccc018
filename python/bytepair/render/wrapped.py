"""Sentences broken to the width of a screen."""

from __future__ import annotations

from collections.abc import Iterator


def wrapped(text: str, width: int | None, *, whole_words: bool = True) -> str:
    r"""Break lines at spaces.

    Args:
        text: One or more lines.
        width: Columns of the screen; None: nothing is broken.
        whole_words: Whether a word that is wider than the screen, such as a path, stays whole.

    Returns:
        The lines, none wider than the screen unless a word is. Wide letters take two columns, marks none.

    Example:
        >>> wrapped("to be or not to be", 8)
        'to be or\nnot to\nbe'
        >>> wrapped("a 漢字漢字", 5, whole_words=False)
        'a\n漢字\n漢字'
    """
    if width is None:
        return text
    return "\n".join("\n".join(_lines(line, width, whole_words)) for line in text.split("\n"))


def _lines(text: str, width: int, whole_words: bool) -> Iterator[str]:
    from rich.cells import cell_len

    line = ""
    for number, word in enumerate(text.split(" ")):
        longer = f"{line} {word}" if number else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line.strip():
            yield line.rstrip()
        *before, line = [word] if whole_words else parts_of(word, width)
        yield from before
    yield line.rstrip()


def parts_of(text: str, width: int) -> list[str]:
    """A text in parts of at most so many columns, at least one of them; a mark stays with its letter.

    >>> parts_of("abcde", 2), parts_of("", 2)
    (['ab', 'cd', 'e'], [''])
    """
    from rich.cells import cell_len

    parts = [""]
    for character in text:
        if parts[-1] and cell_len(parts[-1] + character) > width:
            parts.append("")
        parts[-1] += character
    return parts
