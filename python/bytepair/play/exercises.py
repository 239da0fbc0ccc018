"""Homework: the next pair, the count of a pair, the tokens of a word; the engine knows the answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from bytepair.analysis.trace import Trace
from bytepair.errors import ArgumentError
from bytepair.play.lessons import Lesson
from bytepair.render import number_of, visible


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question about a lesson, with its answer.

    Args:
        question: a sentence.
        step: the number of merges after which it is asked.
        answer: the symbols, or the number, as visible text.
        why: a sentence.
    """

    question: str
    step: int
    answer: tuple[str, ...]
    why: str

    def asked(self) -> dict[str, Any]:
        """The question without its answer, as JSON can hold it."""
        return {"question": self.question, "step": self.step, "n_parts": len(self.answer)}

    def checked(self, given: str) -> dict[str, Any]:
        """Whether an answer is right, and why the right one is."""
        return {"right": parts_of(given) == self.answer, "answer": list(self.answer), "why": self.why}


def parts_of(given: str) -> tuple[str, ...]:
    """What somebody typed, part by part: separated by white space, or as books write a pair.

    >>> parts_of("(e, s)"), parts_of(" low est</w> "), parts_of("1,024")
    (('e', 's'), ('low', 'est</w>'), ('1024',))
    """
    plain = given.strip()
    if plain.startswith("(") and plain.endswith(")") and ", " in plain:
        plain = plain[1:-1].replace(", ", " ", 1)
    if plain.replace(",", "").isdigit():
        plain = plain.replace(",", "")
    return tuple(plain.split())


def exercise(lesson: Lesson, kind: str, number: int) -> Exercise:
    """The exercise of a kind and a number: the same again for the same lesson.

    Args:
        lesson: what is learned.
        kind: "next", "count" or "encode".
        number: which one, from 0.

    Raises:
        ArgumentError: the kind is unknown, or nothing is learned from the text.
    """
    if kind not in _KINDS:
        raise ArgumentError(f"there are no exercises of the kind {kind!r}; there are {', '.join(_KINDS)}")
    whole = lesson.trace()
    if not whole.steps:
        raise ArgumentError("no pair is merged in this text; take a longer one, and at least one merge")
    return _KINDS[kind](lesson, whole, random.Random(f"{kind} {number}"))


def _next(lesson: Lesson, whole: Trace, chance: random.Random) -> Exercise:
    step = chance.randrange(len(whole.steps))
    question = f'{_after(step)}: which pair is merged next by the rule "{lesson.ties}"?'
    return Exercise(question, step, tuple(map(visible, whole.steps[step].pair)), whole.sentence(step))


def _count(lesson: Lesson, whole: Trace, chance: random.Random) -> Exercise:
    step = chance.randrange(len(whole.steps))
    left, right, times = chance.choice(whole.steps[step].table)
    pair = f"({visible(left)}, {visible(right)})"
    question = f"{_after(step)}: how many times does the pair {pair} stand in the text?"
    places = [
        number_of(piece.count, "time")
        for piece, row in zip(whole.pieces, whole.symbols(step), strict=True)
        if (left, right) in pairwise(row)
    ]
    more = " and others" if len(places) > 6 else ""
    why = f"It stands in {number_of(len(places), 'distinct piece')}, which occur {', '.join(places[:6])}{more}."
    return Exercise(question, step, (str(times),), why)


def _encode(lesson: Lesson, whole: Trace, chance: random.Random) -> Exercise:
    step = chance.randint(1, len(whole.steps))
    word = _word(whole, chance)
    explained = lesson.tokenizer(step).explain(word)
    merges = [
        f"({visible(each.left.spelling)}, {visible(each.right.spelling)})"
        for piece in explained.pieces
        for each in piece.steps
    ]
    question = f"{_after(step)}: how is `{visible(word)}` encoded? Apply the merges in the order they were learned."
    why = f"The merges that apply, in their order: {', '.join(merges) or 'none'}."
    return Exercise(question, step, tuple(map(visible, explained.tokens)), why)


def _word(whole: Trace, chance: random.Random) -> str:
    """A piece, or the beginning of one and the end of another; of at most 12 characters, all of them seen."""
    first, second = (chance.choice(whole.pieces).piece.decode("utf-8", "ignore")[:12] for _ in range(2))
    if chance.random() < 0.5 or len(first) < 3 or len(second) < 3:
        return first
    return first[: len(first) // 2 + 1] + second[len(second) // 2 :]


def _after(step: int) -> str:
    return f"After the first {number_of(step, 'merge')}" if step else "Before any merge"


_KINDS: Final[Mapping[str, Callable[[Lesson, Trace, random.Random], Exercise]]] = {
    "next": _next,
    "count": _count,
    "encode": _encode,
}
