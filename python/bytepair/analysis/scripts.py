"""The script that a character is written in, as its Unicode name says it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_NAMED_OTHERWISE: Final = {
    "CJK": "Han",
    "IDEOGRAPHIC": "Han",
    "KANGXI": "Han",
    "HALFWIDTH": "Katakana",
    "FULLWIDTH": "Latin",
    "MATHEMATICAL": "Latin",
    "MASCULINE": "Latin",
    "FEMININE": "Latin",
    "MICRO": "Greek",
    "OHM": "Greek",
    "KELVIN": "Latin",
    "ANGSTROM": "Latin",
    "DOUBLE-STRUCK": "Latin",
    "SCRIPT": "Latin",
    "BLACK-LETTER": "Latin",
    "MODIFIER": "modifier letters",
}
NO_LETTERS: Final = ("white space", "digits", "symbols", "parts of characters")


@lru_cache(maxsize=200_000)
def script_of(character: str) -> str | None:
    """The script of a letter; None for what is no letter.

    The standard library knows names and no scripts, so the first word of the name stands for it: LATIN SMALL LETTER A
    is Latin, HIRAGANA LETTER KA is Hiragana. Marks, digits and punctuation have none.

    >>> [script_of(each) for each in "aж漢か1"]
    ['Latin', 'Cyrillic', 'Han', 'Hiragana', None]
    """
    if not character.isalpha():
        return None
    name = unicodedata.name(character, "")
    first = name.split(" ", 1)[0].split("-", 1)[0] if name else ""
    return _NAMED_OTHERWISE.get(first, first.capitalize() or "unnamed letters")


def scripts_of(text: str) -> frozenset[str]:
    """All scripts of the letters of a text."""
    return frozenset(script for character in text if (script := script_of(character)) is not None)


def writing(spelling: bytes) -> str:
    r"""What a token is written in: a script, several, or a word for what has no letters.

    >>> [writing(each.encode()) for each in [" the", "42", "  ", "!=", "東京へ"]], writing(b"\xe6\xbc")
    (['Latin', 'digits', 'white space', 'symbols', 'Han + Hiragana'], 'parts of characters')
    """
    try:
        text = spelling.decode()
    except UnicodeDecodeError:
        return NO_LETTERS[3]
    found = scripts_of(text)
    if found:
        return " + ".join(sorted(found))
    if text.isspace():
        return NO_LETTERS[0]
    return NO_LETTERS[1] if text.strip().isnumeric() else NO_LETTERS[2]
