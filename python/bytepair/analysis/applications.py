"""What each merge does in a text, and from which size of the vocabulary on: worked out from the tokens of the whole.

A token that comes of a text is made by a tree of merges. Encoding takes the lowest rank first, so with only the first k
merges a text stops at the last state that needs none of the others: a part of the tree is there from the size on at
which its own merge and all below it are. What is around the token does not matter, since no merge crossed its borders.
"""

from __future__ import annotations

from typing import TypeAlias

from bytepair.analysis.usage import Usage
from bytepair.analysis.vocabulary import Vocabulary

# For each merge by rank, what happens from then on: (parts, what they become, how often).
Applications: TypeAlias = "list[list[tuple[tuple[int, ...], int, int]]]"


def applications(vocabulary: Vocabulary, made: list[int], used: Usage) -> Applications:
    """What happens in a text by merges, each as often as it does, under the size from which on it happens.

    Args:
        vocabulary: of the model.
        made: what each merge makes, by rank; in a model of ranks its merged tokens, by id.
        used: the tokens of the text.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> counts = [0] * 258
    >>> counts[257] = 7
    >>> applications(Vocabulary(model), [256, 257], Usage(counts, counts, 21, 7, 1))
    [[((108, 111), 256, 7)], [((256, 119), 257, 7)]]
    """
    return _Text(vocabulary, made, used).applied()


class _Text:
    """The tokens of a text while merges are undone, the last first."""

    def __init__(self, vocabulary: Vocabulary, made: list[int], used: Usage) -> None:
        self._vocabulary, self._used = vocabulary, used
        self._is_ranks = vocabulary.model.kind == "ranks"
        # The size from which on a token is there, counted in merges; the last are put in first.
        self._step = {number: step for step, number in reversed(list(enumerate(made)))}
        self._found: Applications = [[] for _ in made]
        self._counts = list(used.counts)
        self._whole = self._parts_of_whole_pieces()
        self._levels = self._all_levels()

    def applied(self) -> Applications:
        for number, parts in self._whole.items():
            self._undo_whole_piece(number, parts)
        # Longer ones first: what they are made of occurs as often as they do, beside what is there by itself.
        for number in reversed(self._levels):
            times = self._counts[number]
            if times:
                _, left, right = self._split(number)
                self._undo((left, right), number, times, self._levels[number])
        return self._found

    def _undo(self, parts: tuple[int, ...], number: int, times: int, level: int) -> None:
        self._found[level].append((parts, number, times))
        self._counts[number] -= times
        for part in parts:
            self._counts[part] += times

    def _split(self, number: int) -> tuple[int, int, int]:
        found = self._vocabulary.split_of_reached(number)
        assert found is not None  # tokens that are made, and the parts that they are made of
        rank, left, right = found
        return (self._step[rank] if self._is_ranks else rank), left, right

    def _parts_of_whole_pieces(self) -> dict[int, tuple[int, ...]]:
        """Tokens that pieces became at once, and what those are as long as the token is not there."""
        vocabulary = self._vocabulary
        if not vocabulary.merging.is_whole_first:
            return {}
        found: dict[int, tuple[int, ...]] = {}
        for number, times in enumerate(self._used.alone):
            if times and number in self._step:
                below = number if self._is_ranks else self._step[number]
                _, parts = vocabulary.merging.run(vocabulary.symbols(number), below=below)
                found[number] = tuple(parts)
        return found

    def _undo_whole_piece(self, number: int, parts: tuple[int, ...]) -> None:
        """A whole piece is its token as soon as there is one, whatever merges would make of it."""
        self._undo(parts, number, self._used.alone[number], self._step[number])

    def _all_levels(self) -> dict[int, int]:
        """The size from which on each merged token is made by merges; shorter ones first."""
        vocabulary = self._vocabulary
        needed: set[int] = set()
        waiting = [number for number, times in enumerate(self._used.counts) if times]
        waiting += [part for parts in self._whole.values() for part in parts]
        while waiting:
            number = waiting.pop()
            if number not in needed and (split := vocabulary.split_of_reached(number)) is not None:
                needed.add(number)
                waiting += split[1:]
        levels: dict[int, int] = {}
        for number in sorted(needed, key=lambda each: (len(vocabulary.spelling(each)), each)):
            step, left, right = self._split(number)
            levels[number] = max(step, levels.get(left, -1), levels.get(right, -1))
        return levels
