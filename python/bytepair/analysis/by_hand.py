"""Learning as it is done on paper: every pair counted, the best one taken, and all who tied with it noted.

The fast engine learns the same merges; the tests hold the two to each other in every mode.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from bytepair.frozen import FrozenDict
from bytepair.model import GPT2_BYTES
from bytepair.parts import TIES, Alphabet, ByteOrder, Style, Ties

Pair: TypeAlias = "tuple[bytes, bytes]"
Reason: TypeAlias = Literal["target", "no-pairs", "min-count"]

_MOST_TIED: Final = 50


class CountedPair(NamedTuple):
    """A pair of neighbours, and how often it stands in the corpus."""

    left: bytes
    right: bytes
    times: int


class PassedOver(NamedTuple):
    """A pair that would have been merged but for a rule of its own."""

    left: bytes
    right: bytes
    times: int
    why: Literal["special", "too long", "spelled already"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was merged at a step, and against what.

    Args:
        pair: what was merged.
        count: how often it stood there.
        table: the pairs that there were, best first by count and rule, at most as many as were asked for.
        n_pairs: how many there were.
        tied: all with the highest count, in the order of the rule, the chosen one first; at most 50.
        n_tied: how many they were.
        others: what each other tie rule would have taken; only where there is a tie.
        passed_over: better pairs that may not be merged.
        changed: the pieces that held the pair, by their places.
    """

    pair: Pair
    count: int
    table: tuple[CountedPair, ...]
    n_pairs: int
    tied: tuple[Pair, ...]
    n_tied: int
    others: Mapping[str, Pair]
    passed_over: tuple[PassedOver, ...]
    changed: tuple[int, ...]


@dataclass
class Paper:
    """The pieces with their symbols and counts, and the pairs in them, kept up to date merge by merge.

    Args:
        rows: the symbols of each piece.
        counts: how often each piece occurs.
        ids: symbol -> id, for the rule "lowest-id".
        forbidden: spellings of special tokens.
        ties: the rule.
        max_token_bytes: nothing longer is merged; None: any.
    """

    rows: list[tuple[bytes, ...]]
    counts: list[int]
    ids: dict[bytes, int]
    forbidden: frozenset[bytes]
    ties: Ties
    max_token_bytes: int | None = None
    _pairs: dict[Pair, int] = field(default_factory=dict)
    _places: dict[Pair, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place in range(len(self.rows)):
            self._count(place, 1)

    def _count(self, place: int, sign: Literal[1, -1]) -> None:
        """Count the pairs of one piece, or take them away."""
        for pair in pairwise(self.rows[place]):
            left = self._pairs.get(pair, 0) + sign * self.counts[place]
            if left:
                self._pairs[pair] = left
                self._places.setdefault(pair, set()).add(place)
            else:
                del self._pairs[pair], self._places[pair]
        if sign < 0:
            for pair in pairwise(self.rows[place]):
                if pair in self._places:
                    self._places[pair].discard(place)

    def choose(self, min_count: int, n_shown: int) -> tuple[Choice | None, Reason]:
        """The best pair that may be merged; None where none is left, or all are rarer than `min_count`."""
        passed_over = []
        barred = self._all_barred()
        best = max((count for pair, count in self._pairs.items() if pair not in barred), default=0)
        for pair, why in barred.items():
            if why != "spelled already" and self._pairs[pair] >= max(best, min_count):
                passed_over.append(PassedOver(*pair, self._pairs[pair], why))
        if best < min_count:
            return None, "min-count" if self._is_rare_only(barred, min_count) else "no-pairs"
        tied = [pair for pair, count in self._pairs.items() if count == best and pair not in barred]
        first = heapq.nsmallest(_MOST_TIED, tied, key=self._key(self.ties))
        choice = Choice(
            pair=first[0],
            count=best,
            table=self._table(n_shown),
            n_pairs=len(self._pairs),
            tied=tuple(first),
            n_tied=len(tied),
            others=FrozenDict(self._others(best, first[0]) if len(tied) > 1 else {}),
            passed_over=tuple(sorted(passed_over)),
            changed=tuple(sorted(self._places[first[0]])),
        )
        return choice, "target"

    def _is_rare_only(self, barred: Mapping[Pair, str], min_count: int) -> bool:
        """Whether a pair is left that is only too rare."""
        return any(count < min_count and barred.get(pair) != "too long" for pair, count in self._pairs.items())

    def _all_barred(self) -> dict[Pair, Literal["special", "too long", "spelled already"]]:
        """The pairs that may not be merged, and why; mostly there is nothing to look for."""
        if not self.forbidden and self.max_token_bytes is None and self.ties != "shortest":
            return {}
        return {pair: why for pair in self._pairs if (why := self._barred(pair)) is not None}

    def _barred(self, pair: Pair) -> Literal["special", "too long", "spelled already"] | None:
        joint = pair[0] + pair[1]
        if self.max_token_bytes is not None and len(joint) > self.max_token_bytes:
            return "too long"
        if joint in self.forbidden:
            return "special"
        return "spelled already" if self.ties == "shortest" and joint in self.ids else None

    def _others(self, best: int, chosen: Pair) -> dict[str, Pair]:
        tied = [pair for pair, count in self._pairs.items() if count == best and self._barred(pair) is None]
        return {rule: min(tied, key=self._key(rule), default=chosen) for rule in TIES if rule != self.ties}

    def _table(self, n_shown: int) -> tuple[CountedPair, ...]:
        counts = heapq.nlargest(n_shown, self._pairs.values())
        least = counts[-1] if counts else 0
        candidates = [pair for pair, count in self._pairs.items() if count >= least]
        key = self._key(self.ties)
        best = heapq.nsmallest(n_shown, candidates, key=lambda pair: (-self._pairs[pair], key(pair)))
        return tuple(CountedPair(*pair, self._pairs[pair]) for pair in best)

    def _key(self, rule: str) -> Callable[[Pair], Any]:
        keys: dict[str, Callable[[Pair], Any]] = {
            "lexicographic": lambda pair: pair,
            "first-seen": self._first_place,
            "largest": lambda pair: (_Reversed(pair[0]), _Reversed(pair[1])),
            "lowest-id": lambda pair: (self.ids[pair[0]], self.ids[pair[1]]),
            "shortest": lambda pair: (n_chars(pair[0] + pair[1]), pair[0] + pair[1], pair),
        }
        return keys[rule]

    def _first_place(self, pair: Pair) -> tuple[int, int]:
        place = min(self._places[pair])
        return place, list(pairwise(self.rows[place])).index(pair)

    def merge(self, choice: Choice) -> None:
        """Join the pair everywhere."""
        joint = choice.pair[0] + choice.pair[1]
        self.ids.setdefault(joint, len(self.ids))
        for place in choice.changed:
            self._count(place, -1)
            self.rows[place] = merged(self.rows[place], choice.pair)
            self._count(place, 1)


class _Reversed(bytes):
    """Bytes that sort the other way round."""

    def __lt__(self, other: bytes) -> bool:
        return bytes.__gt__(self, other)


def merged(symbols: Sequence[bytes], pair: Pair) -> tuple[bytes, ...]:
    """The symbols with every occurrence of the pair joined, from left to right without overlap.

    >>> merged([b"a", b"a", b"a"], (b"a", b"a"))
    (b'aa', b'a')
    """
    made: list[bytes] = []
    place = 0
    while place < len(symbols):
        is_pair = tuple(symbols[place : place + 2]) == pair
        made.append(pair[0] + pair[1] if is_pair else symbols[place])
        place += 2 if is_pair else 1
    return tuple(made)


def n_chars(spelling: bytes) -> int:
    """Characters, counted by the bytes that begin one."""
    return sum(byte & 0xC0 != 0x80 for byte in spelling)


def symbols_of(piece: bytes, alphabet: Alphabet, marker: bytes, style: Style) -> tuple[bytes, ...]:
    """The symbols of a piece before any merge.

    >>> symbols_of(b"low", "bytes", b"</w>", "suffix")
    (b'l', b'o', b'w</w>')
    """
    if alphabet == "bytes":
        symbols = [piece[i : i + 1] for i in range(len(piece))]
    else:
        symbols = [character.encode() for character in piece.decode()]
    if marker and style == "suffix" and symbols:
        return (*symbols[:-1], symbols[-1] + marker)
    return (*symbols, marker) if marker and style == "symbol" else tuple(symbols)


def alphabet_of(
    pieces: Iterable[bytes], alphabet: Alphabet, byte_order: ByteOrder, marker: bytes, style: Style
) -> list[bytes]:
    """The symbols before any merge in the order of their ids.

    >>> alphabet_of([b"ba"], "chars", "value", b"</w>", "symbol")
    [b'a', b'b', b'</w>']
    """
    if alphabet == "chars":
        tokens = [character.encode() for character in sorted({each for piece in pieces for each in piece.decode()})]
    else:
        tokens = [bytes([byte]) for byte in (GPT2_BYTES if byte_order == "gpt2" else range(256))]
    if marker and style == "suffix":
        return tokens + [token + marker for token in tokens]
    return [*tokens, marker] if marker and marker not in tokens else tokens
