"""Strings that are hard for patterns and for every reader of text, generated: the same for the same vocabulary."""

from __future__ import annotations

import functools
import os
import random
import unicodedata
from collections.abc import Callable, Iterable, Sequence

FULL = os.environ.get("BYTEPAIR_EXACT") == "full"


@functools.cache
def characters() -> list[str]:
    """All that are assigned; private ones, which are all alike, only some."""
    codes = (chr(code) for code in range(0x110000))
    kinds = ((character, unicodedata.category(character)) for character in codes)
    return [
        character
        for character, category in kinds
        if category not in ("Cn", "Cs") and (FULL or category != "Co" or ord(character) % 64 == 0)
    ]


WHITE = [character for character in map(chr, range(0x10000)) if character.isspace()]
APOSTROPHES = ["'", "\u2019", "\uff07", "''"]
CONTRACTED = ["s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "Ve", "vE", "M", "LL", "lL", "D"]
CONTRACTED += ["\u017f", "re\u017f", "\u212a", "\u017fs", "l\u017f", "tS", "dd", "lll", "v", "r"]
MARKS = ["\u0301", "\u0308", "\u093f", "\u0903", "\u20dd", "\u05b0", "\u0e31", "\U0001d165", "\ufe0f", "\u200d"]
EMOJI = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇩", "1️⃣", "❤️", "🙂", "\U000e0067"]
HARD_ONES = ["\x00", "\ufeff", "\ufffd", "\u200b", "\xad", "\x1c", "\x1f", "\x7f", "\x85", "\u180e", "\U0010ffff"]
LETTERS = [
    "a",
    "Z",
    "word",
    "Word",
    "WORD",
    "é",
    "É",
    "ß",
    "ſ",
    "K",
    "ǅ",
    "ʰ",
    "ª",
    "漢字",
    "かな",
    "한국",
    "ไทย",
    "अ",
    "ﬁ",
]
NUMBERS = ["1", "12", "123", "1234567", "١٢", "½", "Ⅷ", "²", "𝟘", "〇", "一"]
OTHERS = [".", "..", "!?", "-", "_", "/", "//", "<|", "|>", "(", "$", "€", "+", "=", "…", "«"]
SURROGATES = ["\ud83d", "\ude42", "\ud83d\ude42", "\udfff\ud800"]
BREAKS = ["\r\n", "\n", "\r", "\n\n", "\r\r\n", "\n\r", "\r\n\r\n", " \n", "\n ", "\t\n", "\u2028", "\x0b", "\x0c"]


def strings(tokens: Sequence[bytes], specials: Iterable[str], n_strings: int) -> list[str]:
    """Each of up to 14 parts: of one sort each, so that all sorts meet all others."""
    chance = random.Random(len(tokens))
    some = [token.decode("utf-8", "replace") for token in chance.sample(tokens, 2_000)]

    def white() -> str:
        if chance.random() < 0.5:
            return chance.choice([" ", "\t", "\n", "\u3000", " "]) * chance.randrange(1, 9)
        return "".join(chance.choices(WHITE, k=chance.randrange(1, 5)))

    sorts: list[Callable[[], str]] = [
        white,
        white,
        lambda: chance.choice(LETTERS) + chance.choice(APOSTROPHES) + chance.choice(CONTRACTED),
        lambda: chance.choice(APOSTROPHES) + chance.choice(CONTRACTED),
        lambda: "".join(chance.choices(BREAKS, k=chance.randrange(1, 4))),
        lambda: chance.choice(LETTERS) + "".join(chance.choices(MARKS, k=chance.randrange(1, 4))),
        lambda: chance.choice(MARKS),
        lambda: chance.choice(EMOJI),
        lambda: chance.choice(HARD_ONES),
        lambda: chance.choice(LETTERS),
        lambda: chance.choice(LETTERS),
        lambda: chance.choice(NUMBERS),
        lambda: chance.choice(OTHERS) * chance.randrange(1, 4),
        lambda: chance.choice(SURROGATES),
        lambda: chance.choice(characters()),
        lambda: chance.choice(some),
        lambda: chance.choice([*specials, "<|endoftext", "endoftext|>"]),
        lambda: chance.choice("aA1. \n'^_漢") * chance.randrange(1, 40),
    ]
    return ["".join(sort() for sort in chance.choices(sorts, k=chance.randrange(1, 15))) for _ in range(n_strings)]


def whole(text: str) -> str:
    """Pairs of surrogates as their character, lone ones as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
