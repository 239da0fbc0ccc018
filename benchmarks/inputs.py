"""Hard inputs, made anew by seeded code: long pieces, and pieces that never come again."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import shakespeare

SEED = 3
CHUNK = 100_000
# Two letters of a word of eight; the multiplier goes through all of them once, in no visible order.
LETTERS = string.ascii_lowercase
SYLLABLES = [one + other for one in LETTERS for other in LETTERS]
N_WORDS = len(SYLLABLES) ** 4
MULTIPLIER = 98_765_432_121

Maker = Callable[[int], Iterator[str]]


@dataclass(frozen=True)
class Input:
    """A text of `size` letters or words, and the vocabulary to learn. `whole`: one piece, whatever it holds."""

    name: str
    size: int
    vocab_size: int
    make: Maker
    whole: bool = False
    doubles: bool = True

    def write(self, folder: Path, times: int = 1) -> Path:
        """The input of `times` its size as a file."""
        path = folder / f"{self.name}-{self.size}-{times}.txt".replace(" ", "-")
        if not path.exists():
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(self.make(self.size * times))
        return path


def inputs(*, full: bool) -> list[Input]:
    """All inputs; with `full` ten times as many distinct words."""
    plays = shakespeare()
    n_words = 10_000_000 if full else 1_000_000
    found = [
        Input("a", 100_000, 300, one_letter, doubles=False),
        Input("a", 1_000_000, 300, one_letter),
        Input("random letters", 1_000_000, 2_000, random_letters),
        Input("ACGT", 2_000_000, 1_000, nucleotides),
        Input("CJK", 5_000_000, 8_000, cjk),
        Input("base64", 1_000_000, 2_000, in_base64),
        Input("distinct words", n_words, 32_000, distinct_words),
    ]
    if plays:
        text = plays.read_text("utf-8")
        one_piece = Input("shakespeare as one piece", len(text), 2_000, lambda _: iter([text]), True, doubles=False)
        found.insert(2, one_piece)
    return found


def one_letter(n_letters: int) -> Iterator[str]:
    yield "a" * n_letters


def random_letters(n_letters: int) -> Iterator[str]:
    yield "".join(random.Random(SEED).choices(LETTERS, k=n_letters))


def nucleotides(n_letters: int) -> Iterator[str]:
    yield "".join(random.Random(SEED).choices("ACGT", k=n_letters))


def cjk(n_bytes: int) -> Iterator[str]:
    """Three thousand characters, of which the n-th is n times as rare as the first; no space, no line end."""
    characters = [chr(0x4E00 + number) for number in range(3_000)]
    weights = [1 / rank for rank in range(1, len(characters) + 1)]
    yield "".join(random.Random(SEED).choices(characters, weights, k=n_bytes // 3))


def in_base64(n_letters: int) -> Iterator[str]:
    yield base64.b64encode(random.Random(SEED).randbytes(n_letters * 3 // 4)).decode()


def distinct_words(n_words: int) -> Iterator[str]:
    """Words of eight letters, ten to a line, none of them twice."""
    for first in range(0, n_words, CHUNK):
        numbers = range(first, min(first + CHUNK, n_words))
        yield "".join(f"{_word(number)}{' ' if (number + 1) % 10 else chr(10)}" for number in numbers)


def _word(number: int) -> str:
    left = number * MULTIPLIER % N_WORDS
    spelled = ""
    for _ in range(4):
        left, syllable = divmod(left, len(SYLLABLES))
        spelled += SYLLABLES[syllable]
    return spelled
