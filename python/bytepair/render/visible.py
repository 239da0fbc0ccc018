"""Text as it can be seen: white space and control characters get a sign, bytes that are no text their number."""

from __future__ import annotations

import codecs
import unicodedata

# Stands for the letter that a mark would sit on.
_CARRIER = "◌"
_MARKS = ("Mn", "Me", "Mc")
_SIGNS = {" ": "·", "\n": "⏎", "\t": "→", "\r": "␍"}


def visible(text: str | bytes) -> str:
    r"""Return the text with everything invisible made visible.

    Args:
        text: A str, or bytes that may be cut inside a character.

    Returns:
        The text with `·` for a space, `⏎` for a line feed, `→` for a tab, `␍` for a carriage return, and `\x..`
        for other control characters and for bytes that are not UTF-8. A mark at the beginning sits on a `◌`, not on
        what stands before the text. For people: it cannot be turned back.

    Example:
        >>> visible(" to be\n")
        '·to·be⏎'
        >>> visible("漢".encode()[:2])
        '\\xe6\\xbc'
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    carrier = _CARRIER if text and unicodedata.category(text[0]) in _MARKS else ""
    return carrier + "".join(map(_sign, text))


def _sign(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    if character.isprintable():
        return character
    return codecs.encode(character, "unicode_escape").decode("ascii")


def printable(text: str) -> str:
    r"""The text of a sentence with control characters, and those that turn the direction of writing, by their number.

    A mark that has no letter before it sits on a `◌`.

    Example:
        >>> printable("a b\n\x1b")
        'a b\n\\x1b'
        >>> printable("\u0301 \u0301")
        '◌\u0301 ◌\u0301'
    """
    if text.isascii() and text.isprintable():
        return text
    pairs = zip(" " + text, text, strict=False)
    return "".join(_CARRIER * _lacks_letter(before, each) + _shown(each) for before, each in pairs)


def _lacks_letter(before: str, character: str) -> bool:
    return before.isspace() and unicodedata.category(character) in _MARKS


def _shown(character: str) -> str:
    return character if character.isprintable() or character == "\n" else _sign(character)
