"""The tokens of a model as a graph: what each is merged from, and what is merged from it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from bytepair.analysis.merging import Merging
from bytepair.extension import engine_for_merges
from bytepair.model import Model


class Vocabulary:
    """What is asked about tokens again and again, worked out once.

    Args:
        model: the model.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> Vocabulary(model).split(257), list(Vocabulary(model).parents(256))
    ((1, 256, 119), [(256, 119, 257)])
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.merging = Merging(model)
        self._prefix = ((model.frame.subword_prefix if model.frame else None) or "").encode()
        self._splits: dict[int, tuple[int, int, int] | None] = {}
        self._special_ids = frozenset(model.specials.values())

    @cached_property
    def ids(self) -> list[int]:
        """The ids of all tokens but special ones, ascending."""
        spelled = enumerate(self.model.spellings())
        return [number for number, token in spelled if token is not None and number not in self._special_ids]

    @cached_property
    def added(self) -> frozenset[int]:
        """The ids of tokens that a frame finds before all else, and that are no special ones."""
        frame = self.model.frame
        return frozenset(each.id for each in frame.added if not each.special) if frame else frozenset()

    @cached_property
    def merged(self) -> list[int]:
        """The ids of ordinary tokens that are no symbols, and found by no rule of a frame, ascending."""
        return [number for number in self.ids if number not in self.added and not self.is_symbol(number)]

    @cached_property
    def other(self) -> int | None:
        """Some token that a text may begin with; a letter, where one is a token."""
        letters = (self.merging.id_of(letter) for letter in (b"a", b"e", b"i", b"o", b"0"))
        known = next((number for number in letters if number is not None), None)
        return next(filter(self.is_symbol, self.ids), None) if known is None else known

    @cached_property
    def ranks_of(self) -> dict[int, list[int]]:
        """Id -> ranks of the merges that make it, ascending. Empty for a model of ranks."""
        made: dict[int, list[int]] = {}
        for rank, pair in enumerate(self.model.merges):
            made.setdefault(self._made(pair), []).append(rank)
        return made

    def _made(self, pair: tuple[int, int]) -> int:
        found = self.merging.merge(*pair)
        assert found is not None  # every merge spells a token
        return found[1]

    def is_special(self, number: int) -> bool:
        """Whether the id is of a special token."""
        return number in self._special_ids

    def is_symbol(self, number: int) -> bool:
        """Whether the token is there before any merge."""
        tokens = self.model.tokens
        token = tokens[number] if number < len(tokens) else None
        return token is not None and not self.is_special(number) and self.model.is_symbol(token)

    def spelling(self, number: int) -> bytes:
        """The bytes of a token."""
        return self.merging.symbol(number).spelling

    def split(self, number: int) -> tuple[int, int, int] | None:
        """(rank, left, right) of the last merge of a token's own spelling.

        None for a symbol, a special, and a token that its own spelling does not become: no text holds that one.
        """
        if number not in self._splits:
            self._splits[number] = self._last_merge(number)
        return self._splits[number]

    def settle(self) -> None:
        """Find the splits of most tokens at once: the engine says which spellings become their one merge."""
        once = [number for number in self.merged if len(self.ranks_of.get(number, ())) == 1]
        found = engine_for_merges(self.model).encode_batch([self.spelling(number) for number in once], None, 1)
        for number, ids in zip(once, found, strict=True):
            if ids == [number]:
                rank = self.ranks_of[number][0]
                self._splits[number] = (rank, *self.model.merges[rank])

    def split_of_reached(self, number: int) -> tuple[int, int, int] | None:
        """As `split`, for a token that a text is known to hold: where one merge makes it, that is it."""
        ranks = self.ranks_of.get(number, ())
        if len(ranks) == 1 and number not in self._splits:
            self._splits[number] = (ranks[0], *self.model.merges[ranks[0]])
        return self.split(number)

    def _last_merge(self, number: int) -> tuple[int, int, int] | None:
        if self.is_special(number) or self.is_symbol(number):
            return None
        steps, tokens = self.merging.run(self.symbols(number))
        if tokens != [number] or not steps:
            return None
        last = steps[-1]
        return last.rank, last.left.id, last.right.id

    def symbols(self, number: int) -> list[int]:
        """The ids of the symbols that spell a token; a marker that it ends with is one of them, or in the last."""
        spelling, follows = self.spelling(number), False
        if self._prefix and spelling.startswith(self._prefix):
            spelling, follows = spelling.removeprefix(self._prefix), True
        marker = (self.model.end_of_word or "").encode()
        if marker and spelling.endswith(marker) and self._may_end(spelling, marker):
            return self.merging.symbols(spelling.removesuffix(marker), follows=follows)
        return (self._unmarked if marker else self.merging).symbols(spelling, follows=follows)

    @cached_property
    def _unmarked(self) -> Merging:
        """The same merges without the marker."""
        return Merging(self.model, marker=False)

    def _may_end(self, spelling: bytes, marker: bytes) -> bool:
        """A token spelled as the marker is it where the marker is a symbol, and text where it is glued on."""
        return self.model.end_of_word_style == "symbol" or spelling != marker

    def parents(self, number: int) -> Iterator[tuple[int, int, int]]:
        """(left, right, what they make) of the merges that use a token, by rank."""
        if self.model.kind == "merges":
            for left, right in self.model.merges:
                if number in (left, right):
                    yield left, right, self._made((left, right))
            return
        spelling = self.spelling(number)
        for made in self.ids:
            if spelling in self.spelling(made) and (split := self.split(made)) and number in split[1:]:
                yield split[1], split[2], made

    @cached_property
    def by_length(self) -> list[int]:
        """The ids of ordinary tokens, shorter spellings first: parts come before what is made of them."""
        return sorted(self.ids, key=lambda number: (len(self.spelling(number)), number))
