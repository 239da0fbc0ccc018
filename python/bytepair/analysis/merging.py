"""One piece, merge by merge: the same choices as the engine, with every one of them noted."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, cast

from bytepair.errors import ModelError
from bytepair.frame import Frame
from bytepair.model import Model


class Symbol(NamedTuple):
    """A part of a piece, with the id that it has as a token."""

    id: int
    spelling: bytes


class Step(NamedTuple):
    """A merge that was applied.

    Args:
        rank: its place in the list; in a model of ranks, the id of what it makes.
        left: the left symbol of the pair.
        right: the right one.
        made: what they became.
        n_places: in how many places, one after the other from the left, before another merge came.
    """

    rank: int
    left: Symbol
    right: Symbol
    made: Symbol
    n_places: int


class UnfollowedError(Exception):
    """A symbol that is no token: whoever encodes it has a rule beyond merges."""


def refuse_scores(model: Model) -> None:
    """Refuse what follows a list of merges where a model has none.

    Raises:
        ModelError: it merges by score.
    """
    if model.frame is not None and model.frame.scores:
        raise ModelError(
            "this tokenizer merges by score, as SentencePiece models do whose pieces have equal scores, are unused, or "
            "hold characters that are no pieces; there is no list of merges to follow. encode, decode, count and "
            "compare take it as it is"
        )


class Merging:
    """How a model joins the symbols of a piece.

    Args:
        model: the model.
        marker: whether its end-of-word marker is put behind the piece.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> merging = Merging(model)
    >>> steps, tokens = merging.run(merging.symbols(b"slow"))
    >>> [(step.rank, step.made.spelling) for step in steps], tokens
    ([(0, b'lo'), (1, b'low')], [115, 257])
    """

    def __init__(self, model: Model, *, marker: bool = True) -> None:
        refuse_scores(model)
        self.model = model
        self._marker = (model.end_of_word or "").encode() if marker else b""
        self._prefix = ((model.frame.subword_prefix if model.frame else None) or "").encode()
        self._is_glued = model.end_of_word_style == "suffix"
        self._spelled = model.spellings()
        self._ids = {token: number for number, token in enumerate(model.tokens) if token is not None}
        self._ranks: dict[tuple[int, int], int] = {}
        for rank, pair in enumerate(model.merges):
            self._ranks.setdefault(pair, rank)
        self._leftmost = frozenset(model.frame.leftmost if model.frame else ())

    def symbol(self, number: int) -> Symbol:
        """The symbol of an id."""
        return Symbol(number, self._spelled[number] or b"")

    def id_of(self, spelling: bytes) -> int | None:
        """The id of an ordinary token; None where none is spelled so."""
        return self._ids.get(spelling)

    def symbols(self, piece: bytes, *, follows: bool = False) -> list[int]:
        """The ids of the symbols before any merge.

        Args:
            piece: what they spell.
            follows: whether others come before it in its piece; only where a frame tells those apart.
        """
        if self.model.alphabet == "bytes":
            parts = [piece[i : i + 1] for i in range(len(piece))]
        elif self.model.frame is not None:
            ids = self._framed(piece.decode("utf-8", "replace"), follows)
            return [*ids, self._ids[self._marker]] if self._marker and not self._is_glued else ids
        else:
            # As in the engine, a byte that is no UTF-8 is a character of its own.
            parts = [each.encode("utf-8", "surrogateescape") for each in piece.decode("utf-8", "surrogateescape")]
        if self._marker and not self._is_glued:
            parts.append(self._marker)
        elif self._marker and parts:
            parts[-1] += self._marker
        return [self._id(part) for part in parts]

    def _id(self, part: bytes) -> int:
        found = self._ids.get(part)
        if found is None and self.model.unk_token is not None:
            return self.model.specials[self.model.unk_token]
        if found is None:
            # The engine refuses such a piece first, unless it has a rule for it that is none of merges.
            raise UnfollowedError(part)
        return found

    def _framed(self, piece: str, follows: bool) -> list[int]:
        """As a frame spells characters: with its prefix and suffix, and bytes or one token for what is unknown."""
        frame = cast("Frame", self.model.frame)
        found: list[int] = []
        waiting: list[int] = []
        for place, character in enumerate(piece):
            before = self._prefix if follows or place else b""
            after = self._marker if self._is_glued and place == len(piece) - 1 else b""
            spelling = before + character.encode() + after
            own = self._ids.get(spelling)
            if own is not None:
                found += [*waiting, own]
                waiting = []
            elif by_bytes := self._of_bytes(spelling):
                # As in tokenizers, an unknown token is put down when the next known character comes.
                found += by_bytes
            else:
                found += [] if frame.fuse_unk else waiting
                waiting = self._unknown()
        return found + waiting

    def _of_bytes(self, spelling: bytes) -> list[int]:
        """The ids of the tokens of its bytes, if all are there."""
        if not cast("Frame", self.model.frame).byte_fallback:
            return []
        ids = [self._ids.get(b"<0x%02X>" % byte) for byte in spelling]
        return [] if None in ids else cast("list[int]", ids)

    def _unknown(self) -> list[int]:
        number = self.model.unk_id
        return [] if number is None else [number]

    @property
    def is_whole_first(self) -> bool:
        """Whether a piece that is a token becomes it at once."""
        frame = self.model.frame
        return self.model.kind == "ranks" or (frame is not None and frame.ignore_merges)

    def whole(self, piece: bytes) -> int | None:
        """The id of a piece that is a token at once, in a model of ranks or where merges are ignored for those."""
        return self._ids.get(piece) if self.is_whole_first else None

    def merge(self, left: int, right: int) -> tuple[int, int] | None:
        """(rank, id of what it makes) of a pair that may be merged."""
        if self.model.kind == "merges":
            rank = self._ranks.get((left, right))
            return None if rank is None else (rank, self.joint(left, right))
        # A special may spell what would be a part.
        joint = self._ids.get((self._spelled[left] or b"") + (self._spelled[right] or b""))
        return None if joint is None else (joint, joint)

    def joint(self, left: int, right: int) -> int:
        """The id of what a pair spells."""
        tokens = self.model.tokens
        return self._ids[(tokens[left] or b"") + (tokens[right] or b"").removeprefix(self._prefix)]

    def run(self, symbols: Sequence[int], below: int | None = None) -> tuple[list[Step], list[int]]:
        """The merges of a piece in the order in which they are applied: the lowest rank first, there the leftmost.

        Args:
            symbols: ids, as `symbols` gives them.
            below: only merges of a lower rank than this are there; None: all.

        Returns:
            The merges, those of one pair that follow each other as one step; and the ids after the last. O(n log n).
        """
        ids = list(symbols)
        gone = bytearray(len(ids))
        steps: list[Step] = []
        last = () if below is not None else self._applied_last(ids, gone)
        for rank, left, right, made in chain(self._applied(ids, gone, below), last):
            before = steps[-1] if steps else None
            if before is not None and (before.rank, before.left.id, before.right.id) == (rank, left, right):
                steps[-1] = before._replace(n_places=before.n_places + 1)
            else:
                steps.append(Step(rank, self.symbol(left), self.symbol(right), self.symbol(made), 1))
        return steps, [number for number, is_gone in zip(ids, gone, strict=True) if not is_gone]

    def _below(self, left: int, right: int, below: int | None) -> tuple[int, int] | None:
        found = self.merge(left, right)
        return found if found is None or below is None or found[0] < below else None

    def _applied(self, ids: list[int], gone: bytearray, below: int | None) -> Iterator[tuple[int, int, int, int]]:
        """(rank, left, right, what they make) of each merge; afterwards `ids` holds the tokens where none is `gone`."""
        end = len(ids)
        after, before = list(range(1, end + 1)), list(range(-1, end - 1))
        waiting = [
            (found[0], place)
            for place, pair in enumerate(pairwise(ids))
            if (found := self._below(*pair, below)) is not None
        ]
        heapq.heapify(waiting)
        while waiting:
            rank, place = heapq.heappop(waiting)
            following = after[place]
            if gone[place] or following == end:
                continue
            found = self.merge(ids[place], ids[following])
            # The pair that waited here may have lost a part to another merge.
            if found is None or found[0] != rank:
                continue
            yield rank, ids[place], ids[following], found[1]
            ids[place], after[place], gone[following] = found[1], after[following], 1
            if after[place] < end:
                before[after[place]] = place
            for start in (before[place], place):
                if start >= 0 and after[start] < end and (new := self._below(ids[start], ids[after[start]], below)):
                    heapq.heappush(waiting, (new[0], start))

    def _applied_last(self, ids: list[int], gone: bytearray) -> Iterator[tuple[int, int, int, int]]:
        """Merges that come when no others can any more, from left to right; they share the rank behind all others."""
        if not self._leftmost:
            return
        kept: list[int] = []
        for place in range(len(ids)):
            if gone[place]:
                continue
            kept.append(place)
            while len(kept) > 1 and (ids[kept[-2]], ids[kept[-1]]) in self._leftmost:
                right = kept.pop()
                pair = ids[kept[-1]], ids[right]
                ids[kept[-1]], gone[right] = self.joint(*pair), 1
                yield len(self.model.merges), *pair, ids[kept[-1]]


def states(symbols: Sequence[Symbol], steps: Sequence[Step]) -> Iterator[list[Symbol]]:
    """The symbols of a piece after each step.

    >>> a, aa = Symbol(97, b"a"), Symbol(256, b"aa")
    >>> [[each.spelling for each in state] for state in states([a, a, a], [Step(0, a, a, aa, 1)])]
    [[b'aa', b'a']]
    """
    current = list(symbols)
    for step in steps:
        current = joined(current, step)
        yield current


def joined(symbols: Sequence[Symbol], step: Step) -> list[Symbol]:
    """The symbols after one step: as many places from the left as it says."""
    made: list[Symbol] = []
    place, n_left = 0, step.n_places
    while place < len(symbols):
        if n_left and tuple(symbols[place : place + 2]) == (step.left, step.right):
            made.append(step.made)
            place, n_left = place + 2, n_left - 1
        else:
            made.append(symbols[place])
            place += 1
    return made
