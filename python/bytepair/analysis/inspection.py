"""A doctor for vocabularies: what is in one, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bytepair import arguments
from bytepair.analysis.merging import Symbol
from bytepair.analysis.reach import merges_reach, not_in, reach
from bytepair.analysis.scripts import writing
from bytepair.analysis.usage import Usage
from bytepair.analysis.vocabulary import Vocabulary
from bytepair.analysis.words import readable, share, span
from bytepair.errors import ArgumentError
from bytepair.extension import engine_for_pieces
from bytepair.frozen import FrozenDict
from bytepair.prepared import Prepared
from bytepair.render import Block, Cell, Drawn, Heading, Spans, Table, number_of

_MOST_SHOWN: Final = 10
_IN_A_ROW: Final = 12


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A token that no text comes to hold.

    Args:
        token: its id and spelling.
        becomes: the tokens that its own spelling becomes.
    """

    token: Symbol
    becomes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Inspection(Drawn):
    """What is in a vocabulary, and what is wrong with it. Lists of tokens are in the order of their ids.

    Args:
        n_tokens: all of them, specials among them.
        n_special: special ones.
        n_symbols: those that are there before any merge.
        n_added: those that a loaded file has found before all else, special ones and symbols left out.
        longest: ordinary tokens with the most bytes, the longest first.
        scripts: what tokens are written in -> how many, the most first.
        partial: merged tokens that hold a part of a character.
        unreachable: tokens that no text comes to hold.
        unsure: tokens that the split pattern cuts, and no text was found around them that helps.
        leftovers: merged tokens that stand nowhere by themselves, only inside tokens that are made of them: in the
            corpus, or where none was given, in the training corpus by its counts; None where neither is known.
        near_duplicates: ordinary tokens that differ only by case or a leading space, in groups of at least two.
        under_used: with a corpus: merged tokens that stand in it fewer than `rare_below` times; else None.
        n_corpus_tokens: with a corpus: its tokens; else None.
        rare_below: see there.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=3))
    >>> found = inspect(Prepared(model))
    >>> found.n_tokens, found.unreachable, [token.spelling for token in found.leftovers]
    (259, (), [b'lo'])
    """

    n_tokens: int
    n_special: int
    n_symbols: int
    n_added: int
    longest: tuple[Symbol, ...]
    scripts: Mapping[str, int]
    partial: tuple[Symbol, ...]
    unreachable: tuple[Unreachable, ...]
    unsure: tuple[Symbol, ...]
    leftovers: tuple[Symbol, ...] | None
    near_duplicates: tuple[tuple[Symbol, ...], ...]
    under_used: tuple[Symbol, ...] | None
    n_corpus_tokens: int | None
    rare_below: int

    @property
    def n_merged(self) -> int:
        """Ordinary tokens that are no symbols, and that no rule of a loaded file finds before all else."""
        return self.n_tokens - self.n_special - self.n_symbols - self.n_added

    def problems(self, *, max_unreachable: int = 0, max_under_used: float = 1.0) -> tuple[str, ...]:
        """What a check should stop at, a sentence each; empty when all is well.

        Args:
            max_unreachable: how many unreachable tokens are allowed.
            max_under_used: the part of the merged tokens, 0 to 1, that may be under-used in the corpus.

        Raises:
            ArgumentError: a limit is out of range, or `max_under_used` is given and there was no corpus.
        """
        most = arguments.integer("max_unreachable", max_unreachable, 0)
        return tuple(self._problems(most, self._checked_part(max_under_used)))

    def _checked_part(self, part: float) -> float:
        if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part <= 1:
            raise ArgumentError(f"max_under_used is {part!r}; it must be a number from 0 to 1")
        if part < 1 and self.under_used is None:
            raise ArgumentError(
                f"max_under_used is {part:g}, and nothing was counted; inspect(source) counts the tokens of a corpus"
            )
        return part

    def _problems(self, most: int, part: float) -> Iterator[str]:
        if len(self.unreachable) > most:
            allowed = f"; {most:,} allowed" if most else ""
            yield f"{number_of(len(self.unreachable), 'token')} that no text can reach{allowed}"
        if self.under_used is not None and self.n_merged and len(self.under_used) / self.n_merged > part:
            yield (
                f"{share(len(self.under_used), self.n_merged)} of the merged tokens stand in the corpus fewer than "
                f"{number_of(self.rare_below, 'time')}; {part:.1%} allowed"
            )

    def __repr__(self) -> str:
        return f"Inspection({number_of(self.n_tokens, 'token')}, {len(self.unreachable):,} unreachable)"

    def blocks(self) -> list[Block]:
        """The findings as a table, then each with examples."""
        found: list[Block] = [Heading(f"A vocabulary of {number_of(self.n_tokens, 'token')}", 1), self._findings()]
        found += [Heading("What tokens are written in"), self._scripts()]
        found += [Heading("The longest tokens"), self._longest()]
        if self.unreachable:
            found += [Heading("No text can reach these"), self._unreachable()]
        for title, tokens in (
            ("The split pattern cuts these, and no text was found that reaches them", self.unsure),
            ("Only inside other tokens", self.leftovers or ()),
            (f"Fewer than {number_of(self.rare_below, 'time')} in the corpus", self.under_used or ()),
            ("Parts of characters", self.partial),
        ):
            if tokens:
                found += [Heading(title), _some(tokens)]
        if self.near_duplicates:
            found += [Heading("Alike but for case or a leading space"), self._duplicates()]
        return found

    def _findings(self) -> Table:
        merged = self.n_merged
        rows: list[tuple[Cell, ...]] = [
            ("special", self.n_special, ""),
            ("symbols", self.n_symbols, ""),
            *([("found before all else", self.n_added, "")] if self.n_added else []),
            ("merged", merged, ""),
            ("unreachable", len(self.unreachable), share(len(self.unreachable), merged)),
            ("parts of characters", len(self.partial), share(len(self.partial), merged)),
        ]
        if self.unsure:
            rows.append(("cut by the pattern", len(self.unsure), share(len(self.unsure), merged)))
        if self.leftovers is not None:
            rows.append(("only inside others", len(self.leftovers), share(len(self.leftovers), merged)))
        n_alike = sum(map(len, self.near_duplicates))
        rows.append(("alike but for case or space", n_alike, share(n_alike, merged)))
        if self.under_used is not None:
            rows.append(
                (f"fewer than {self.rare_below} in corpus", len(self.under_used), share(len(self.under_used), merged))
            )
        note = "Shares are of the merged tokens."
        return Table(("tokens", "number", "share"), tuple(rows), right=(1, 2), note=note)

    def _scripts(self) -> Table:
        shown = list(self.scripts.items())[:_MOST_SHOWN]
        rows: list[tuple[Cell, ...]] = [
            (name, count, share(count, self.n_tokens - self.n_special)) for name, count in shown
        ]
        n_more = len(self.scripts) - len(shown)
        note = f"{number_of(n_more, 'more row')} not shown" if n_more > 0 else ""
        return Table(("written in", "tokens", "share"), tuple(rows), right=(1, 2), note=note)

    def _longest(self) -> Table:
        rows = tuple((token.id, len(token.spelling), span(token)) for token in self.longest)
        return Table(("id", "bytes", "token"), rows, right=(0, 1))

    def _unreachable(self) -> Table:
        rows = tuple(
            (each.token.id, span(each.token), Spans.of(*each.becomes)) for each in self.unreachable[:_MOST_SHOWN]
        )
        n_more = len(self.unreachable) - len(rows)
        note = f"{number_of(n_more, 'more token')} not shown" if n_more > 0 else ""
        return Table(("id", "token", "becomes"), rows, right=(0,), note=note)

    def _duplicates(self) -> Table:
        largest = sorted(self.near_duplicates, key=lambda group: (-len(group), group[0].id))[:_MOST_SHOWN]
        rows = tuple((len(group), Spans(tuple(map(span, group[:_IN_A_ROW])))) for group in largest)
        n_more = len(self.near_duplicates) - len(rows)
        note = f"{number_of(n_more, 'more group')} not shown" if n_more > 0 else ""
        return Table(("tokens", "alike"), rows, right=(0,), note=note)

    def to_dict(self) -> dict[str, Any]:
        """All findings as JSON can hold them: tokens as ids, unreachable ones with what they become."""
        return {
            "n_tokens": self.n_tokens,
            "n_special": self.n_special,
            "n_symbols": self.n_symbols,
            "n_added": self.n_added,
            "n_merged": self.n_merged,
            "scripts": dict(self.scripts),
            "longest": _records(self.longest),
            "unreachable": [
                {**_record(each.token), "becomes": list(map(readable, each.becomes))} for each in self.unreachable
            ],
            "unsure": _records(self.unsure),
            "partial": _records(self.partial),
            "leftovers": None if self.leftovers is None else _records(self.leftovers),
            "near_duplicates": [[token.id for token in group] for group in self.near_duplicates],
            "under_used": None if self.under_used is None else _records(self.under_used),
            "rare_below": self.rare_below,
            "n_corpus_tokens": self.n_corpus_tokens,
        }


def _record(token: Symbol) -> dict[str, Any]:
    return {"id": token.id, "token": readable(token.spelling)}


def _records(tokens: Iterable[Symbol]) -> list[dict[str, Any]]:
    return list(map(_record, tokens))


def _some(tokens: tuple[Symbol, ...]) -> Block:
    rows = tuple((token.id, span(token)) for token in tokens[:_MOST_SHOWN])
    n_more = len(tokens) - len(rows)
    note = f"{number_of(n_more, 'more token')} not shown" if n_more > 0 else ""
    return Table(("id", "token"), rows, right=(0,), note=note)


def inspect(prepared: Prepared, used: Usage | None = None, rare_below: int = 1) -> Inspection:
    """Look through a vocabulary; see `Tokenizer.inspect`."""
    model = prepared.model
    vocabulary = Vocabulary(model)
    merged = vocabulary.merged
    unreachable, unsure = _reachless(prepared, vocabulary, merged)
    lost = {each.token.id for each in unreachable}
    return Inspection(
        n_tokens=len(vocabulary.ids) + len(model.specials),
        n_special=len(model.specials),
        n_symbols=sum(map(vocabulary.is_symbol, vocabulary.ids)),
        n_added=sum(not vocabulary.is_symbol(number) for number in vocabulary.added),
        longest=_as_symbols(vocabulary, _longest(vocabulary)),
        scripts=FrozenDict(Counter(writing(vocabulary.spelling(number)) for number in vocabulary.ids).most_common()),
        partial=_as_symbols(vocabulary, (number for number in merged if _is_partial(vocabulary.spelling(number)))),
        unreachable=tuple(unreachable),
        unsure=_as_symbols(vocabulary, unsure),
        leftovers=_leftovers(vocabulary, used, [number for number in merged if number not in lost]),
        near_duplicates=tuple(_alike(vocabulary)),
        under_used=None if used is None else _as_symbols(vocabulary, _rare(used, merged, rare_below)),
        n_corpus_tokens=None if used is None else used.n_tokens,
        rare_below=rare_below,
    )


def _as_symbols(vocabulary: Vocabulary, numbers: Iterable[int]) -> tuple[Symbol, ...]:
    return tuple(map(vocabulary.merging.symbol, numbers))


def _longest(vocabulary: Vocabulary) -> list[int]:
    return sorted(vocabulary.ids, key=lambda number: (-len(vocabulary.spelling(number)), number))[:_MOST_SHOWN]


def _is_partial(spelling: bytes) -> bool:
    try:
        spelling.decode()
    except UnicodeDecodeError:
        return True
    return False


def _rare(used: Usage, merged: list[int], rare_below: int) -> list[int]:
    return [number for number in merged if used.counts[number] < rare_below]


def _reachless(prepared: Prepared, vocabulary: Vocabulary, merged: list[int]) -> tuple[list[Unreachable], list[int]]:
    """Tokens that no text can hold, and those of which it is not known."""
    unreachable, unsure = [], []
    for number in _not_alone(prepared, vocabulary, merged):
        found = reach(prepared, vocabulary, number)
        if found.reachable is False:
            unreachable.append(Unreachable(vocabulary.merging.symbol(number), found.becomes))
        elif found.reachable is None:
            unsure.append(number)
    return unreachable, unsure


def _not_alone(prepared: Prepared, vocabulary: Vocabulary, merged: list[int]) -> list[int]:
    """Tokens that their own spelling does not become as a text: the few that need a closer look."""
    model = vocabulary.model
    if model.end_of_word is not None:
        # Where a piece ends in a marker, a token without one stands only inside longer pieces.
        return [number for number in merged if not merges_reach(vocabulary, number)]
    spellings = [vocabulary.spelling(number) for number in merged]
    alone = prepared.engine.encode_batch(spellings, None, 1)
    rest = [number for number, ids in zip(merged, alone, strict=True) if ids != [number]]
    if model.frame is not None:
        return not_in(prepared, vocabulary, rest)
    if not model.add_prefix_space:
        return rest
    as_pieces = engine_for_pieces(model).encode_batch([vocabulary.spelling(number) for number in rest], None, 1)
    return [number for number, ids in zip(rest, as_pieces, strict=True) if ids != [number]]


def _leftovers(vocabulary: Vocabulary, used: Usage | None, merged: list[int]) -> tuple[Symbol, ...] | None:
    """Tokens that stand nowhere by themselves, and inside others do."""
    model = vocabulary.model
    if used is not None:
        inside = _inside(vocabulary, used)
        return _as_symbols(vocabulary, (n for n in merged if used.counts[n] == 0 and inside[n]))
    if model.merge_counts is None:
        return None
    left = [0] * model.n_ids
    # A pair of a token with itself counts where it overlaps, so it does not tell how many are left.
    twice = {pair[0] for pair in model.merges if pair[0] == pair[1]}
    made = [joined[1] for pair in model.merges if (joined := vocabulary.merging.merge(*pair))]
    for (a, b), number, count in zip(model.merges, made, model.merge_counts, strict=True):
        left[a] -= count
        left[b] -= count
        left[number] += count
    is_part = {part for pair in model.merges for part in pair}
    twice |= {number for pair, number in zip(model.merges, made, strict=True) if pair[0] == pair[1]}
    return _as_symbols(vocabulary, (n for n in merged if n in is_part and n not in twice and left[n] <= 0))


def _inside(vocabulary: Vocabulary, used: Usage) -> list[int]:
    """How often each token stands inside a longer one that is made of it."""
    whole = list(used.counts)
    for number in reversed(vocabulary.by_length):
        split = vocabulary.split_of_reached(number) if whole[number] else None
        for part in split[1:] if split else ():
            whole[part] += whole[number]
    return [times - alone for times, alone in zip(whole, used.counts, strict=True)]


def _alike(vocabulary: Vocabulary) -> Iterator[tuple[Symbol, ...]]:
    groups: dict[str, list[int]] = {}
    # Files that spell text otherwise before they merge it write a space so.
    spaces = " " if vocabulary.model.frame is None else " \u2581\u0120"
    for number in vocabulary.ids:
        spelling = vocabulary.spelling(number)
        if not _is_partial(spelling):
            groups.setdefault(spelling.decode().lstrip(spaces).casefold(), []).append(number)
    for key, numbers in groups.items():
        # Runs of white space are not alike: a leading space is all that they are.
        if key.strip() and len(numbers) > 1:
            yield _as_symbols(vocabulary, numbers)
