"""Training by hand: at each step the pieces, the pair table, who tied, which rule chose, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bytepair import arguments
from bytepair.analysis.by_hand import Choice, Pair, Paper, Reason, alphabet_of, merged, symbols_of
from bytepair.analysis.words import MOST_IN_A_ROW, pair_text, readable
from bytepair.arguments import Special
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.frozen import FrozenDict
from bytepair.parts import Alphabet, ByteOrder, SpecialIds, Style, Ties
from bytepair.progress import ProgressOption, watching
from bytepair.render import Block, Drawn, Heading, Paragraph, Screen, Slides, Span, Spans, Table, number_of, terminal
from bytepair.tally import Tally
from bytepair.training import Options, Plan, counted_source, refuse_specials_spelled_like

_MOST_PIECES: Final = 20
# More steps than these are a summary in a terminal; the page has them all.
_MOST_IN_FULL: Final = 12

_RULES: Final[dict[str, str]] = {
    "lexicographic": "takes the smallest one, compared byte by byte, the left part first",
    "first-seen": "takes the one that is seen first, pieces from top to bottom, each from left to right",
    "largest": "takes the greatest one, compared byte by byte, the left part first",
    "lowest-id": "takes the one of the smallest ids, the left part first",
    "shortest": "takes the one with the shortest joint spelling, of these the smallest",
}
_REASONS: Final[dict[Reason, str]] = {
    "target": "that is what was asked",
    "no-pairs": "no pair of neighbours is left to merge",
    "min-count": "every pair left is rarer than min_count",
}
_WHY: Final = {
    "special": "spells a special token",
    "too long": "is longer than max_token_bytes",
    "spelled already": "spells a token that there is",
}


@dataclass(frozen=True, slots=True)
class TracedPiece:
    """A distinct piece of the corpus.

    Args:
        piece: its bytes, without a marker.
        count: how often it occurs.
        symbols: before any merge, a marker among them.
    """

    piece: bytes
    count: int
    symbols: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Drawn):
    """A training by hand. It prints, shows itself in a notebook, and its `html()` is a page to step through.

    Args:
        pieces: the distinct pieces, in the order in which they were counted.
        steps: a choice for each merge: the pair table, who tied, what changed.
        ties: the rule.
        requested: how many merges were asked for.
        reason: why it stopped: "target", "no-pairs" or "min-count".
        ids: the id of each symbol that there was or came to be, specials left out.

    >>> counted = trace(["low low lower"], 2)
    >>> counted.merges
    [(b'l', b'o'), (b'lo', b'w')]
    >>> counted.sentence(1)
    '(lo, w) stands 3 times, more often than any other pair that may be merged.'
    """

    pieces: tuple[TracedPiece, ...]
    steps: tuple[Choice, ...]
    ties: Ties
    requested: int
    reason: Reason
    ids: Mapping[bytes, int]

    @property
    def merges(self) -> list[Pair]:
        """The merged pairs by rank, as `Tokenizer.merges` has them."""
        return [step.pair for step in self.steps]

    @property
    def merge_counts(self) -> list[int]:
        """How often each merged pair stood in the corpus, by rank."""
        return [step.count for step in self.steps]

    def symbols(self, n_merges: int) -> list[tuple[bytes, ...]]:
        """The symbols of each piece after so many merges, 0 to `len(steps)`."""
        wanted = arguments.integer("n_merges", n_merges, 0, len(self.steps))
        rows = [piece.symbols for piece in self.pieces]
        for step in self.steps[:wanted]:
            for place in step.changed:
                rows[place] = merged(rows[place], step.pair)
        return rows

    def sentence(self, rank: int) -> str:
        """Why the merge of this rank was the choice, in words."""
        step = self.steps[rank]
        often = number_of(step.count, "time")
        if step.n_tied == 1:
            return f"{_pair(step.pair)} stands {often}, more often than any other pair that may be merged."
        names = _all_of(step)
        rule = f'The rule "{self.ties}" {_RULES[self.ties]}: {_pair(step.pair)}.'
        return " ".join([f"{names} stand {often}. {rule}", *_other_rules(step)])

    def __repr__(self) -> str:
        return (
            f"Trace({number_of(len(self.pieces), 'piece')}, {number_of(len(self.steps), 'merge')}, ties={self.ties!r})"
        )

    def blocks(self) -> list[Block]:
        """Each step by itself, then all merges in a table."""
        found: list[Block] = [Heading(f"Training by hand: {number_of(len(self.steps), 'merge')}", 1)]
        found.append(Paragraph(self._facts()))
        if not self.pieces:
            return [*found, Paragraph("There is no text to learn from.")]
        found.append(Slides(tuple(self._slides())))
        return [*found, Heading("All merges"), self._summary()] if self.steps else found

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """As lines for a terminal: all steps where they are few, else the table of merges."""
        blocks: list[Block] = self.blocks()
        if len(self.steps) > _MOST_IN_FULL:
            remark = "There are too many steps to show each: html() is a page of them all, draw_steps([1]) shows one."
            blocks = [Paragraph(remark) if isinstance(block, Slides) else block for block in blocks]
        return terminal(blocks, Screen(colour=colour, width=width))

    def draw_steps(self, numbers: Iterable[int], *, colour: bool = False, width: int | None = None) -> str:
        """Some steps as lines for a terminal; 0 is what there is before any merge."""
        wanted = [arguments.integer("step", each, 0, len(self.steps)) for each in numbers]
        slides = list(self._slides())
        return terminal([Slides(tuple(slides[number] for number in wanted))], Screen(colour=colour, width=width))

    def _facts(self) -> str:
        n_all = sum(piece.count for piece in self.pieces)
        corpus = f"{number_of(len(self.pieces), 'distinct piece')}, {n_all:,} in all"
        asked = f"asked for {number_of(self.requested, 'merge')}, made {len(self.steps):,}: {_REASONS[self.reason]}"
        return f'{corpus}; ties by the rule "{self.ties}"; {asked}.'

    def _summary(self) -> Table:
        rows = []
        for rank, step in enumerate(self.steps):
            tied = f"{step.n_tied:,}" if step.n_tied > 1 else ""
            rows.append(
                (rank + 1, self._spans(step.pair), self._spans([step.pair[0] + step.pair[1]]), step.count, tied)
            )
        return Table(("step", "pair", "makes", "count", "tied"), tuple(rows), right=(0, 3, 4))

    def _slides(self) -> Iterator[tuple[str, tuple[Block, ...]]]:
        rows = [piece.symbols for piece in self.pieces]
        yield "Before any merge", (self._all_pieces(rows),)
        for rank, step in enumerate(self.steps):
            before = {place: rows[place] for place in step.changed}
            for place in step.changed:
                rows[place] = merged(rows[place], step.pair)
            title = f"Step {rank + 1}: merge {_pair(step.pair)}"
            yield title, tuple(self._step(rank, step, before, rows))

    def _step(
        self, rank: int, step: Choice, before: dict[int, tuple[bytes, ...]], rows: list[tuple[bytes, ...]]
    ) -> Iterator[Block]:
        yield Paragraph(self.sentence(rank))
        for pair in step.passed_over:
            yield Paragraph(f"Passed over: {_pair(pair[:2])}, {number_of(pair.times, 'time')}; it {_WHY[pair.why]}.")
        yield self._pair_table(step)
        changed = tuple(
            (self.pieces[place].count, self._spans(old), self._spans(rows[place]))
            for place, old in list(before.items())[:_MOST_PIECES]
        )
        note = _not_shown(len(before) - len(changed), "changed piece")
        yield Table(("count", "before", "after"), changed, right=(0,), note=note)
        if len(self.pieces) <= _MOST_PIECES and len(self.pieces) > len(before):
            yield self._all_pieces(rows)

    def _pair_table(self, step: Choice) -> Table:
        tied = set(step.tied)
        rows = tuple(
            (
                self._spans(pair[:2]),
                pair.times,
                "merged" if pair[:2] == step.pair else "tied" if pair[:2] in tied else "",
            )
            for pair in step.table
        )
        chosen = frozenset(number for number, pair in enumerate(step.table) if pair[:2] == step.pair)
        note = _not_shown(step.n_pairs - len(rows), "rarer pair")
        return Table(("pair", "count", ""), rows, right=(1,), marked=chosen, note=note)

    def _all_pieces(self, rows: list[tuple[bytes, ...]]) -> Table:
        shown = tuple((piece.count, self._spans(row)) for piece, row in zip(self.pieces, rows, strict=True))
        note = _not_shown(len(shown) - _MOST_PIECES, "piece")
        return Table(("count", "symbols"), shown[:_MOST_PIECES], right=(0,), note=note)

    def _spans(self, symbols: Iterable[bytes]) -> Spans:
        spans = tuple(Span(symbol, self.ids.get(symbol)) for symbol in symbols)
        n_more = len(spans) - MOST_IN_A_ROW
        return Spans((*spans[:MOST_IN_A_ROW], Span(f"… {n_more:,} more")) if n_more > 0 else spans)

    def to_dict(self) -> dict[str, Any]:
        """Pieces and steps as JSON can hold them."""
        return {
            "ties": self.ties,
            "requested": self.requested,
            "reason": self.reason,
            "pieces": [
                {"piece": readable(each.piece), "count": each.count, "symbols": list(map(readable, each.symbols))}
                for each in self.pieces
            ],
            "steps": [self._record(rank, step) for rank, step in enumerate(self.steps)],
        }

    def _record(self, rank: int, step: Choice) -> dict[str, Any]:
        return {
            "rank": rank,
            "pair": list(map(readable, step.pair)),
            "count": step.count,
            "tied": [list(map(readable, pair)) for pair in step.tied],
            "n_tied": step.n_tied,
            "why": self.sentence(rank),
            "other_rules": {rule: list(map(readable, pair)) for rule, pair in step.others.items()},
            "pairs": [[readable(pair.left), readable(pair.right), pair.times] for pair in step.table],
            "n_pairs": step.n_pairs,
            "passed_over": [
                [readable(pair.left), readable(pair.right), pair.times, pair.why] for pair in step.passed_over
            ],
            "changed": list(step.changed),
        }


def _pair(pair: Iterable[bytes]) -> str:
    return pair_text(*pair)


def _all_of(step: Choice) -> str:
    if step.n_tied == 2:
        return f"{_pair(step.tied[0])} and {_pair(step.tied[1])} both"
    some = list(map(_pair, step.tied))
    if step.n_tied <= 6:
        return f"{', '.join(some[:-1])} and {some[-1]} all"
    return f"{', '.join(some[:5])} and {step.n_tied - 5:,} more all"


def _other_rules(step: Choice) -> list[str]:
    """Where other rules part from this one, a sentence for each pair that they would take."""
    by_pair: dict[Pair, list[str]] = {}
    for rule, pair in step.others.items():
        if pair != step.pair:
            by_pair.setdefault(pair, []).append(f'"{rule}"')
    return [f"By {' or '.join(rules)} it would be {_pair(pair)}." for pair, rules in by_pair.items()]


def _not_shown(n_more: int, noun: str) -> str:
    return f"{number_of(n_more, noun)} not shown" if n_more > 0 else ""


def trace(
    source: Source | Tally,
    num_merges: int,
    *,
    pattern: str | None = None,
    ties: Ties = "lexicographic",
    alphabet: Alphabet = "bytes",
    byte_order: ByteOrder = "value",
    end_of_word: str | None = None,
    end_of_word_style: Style = "symbol",
    unk_token: str | None = None,
    add_prefix_space: bool = False,
    special_tokens: Iterable[str] = (),
    special_ids: SpecialIds = "last",
    special: Special = "all",
    min_count: int = 1,
    max_token_bytes: int | None = None,
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    sample: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: ProgressOption = None,
    n_shown: int = 20,
) -> Trace:
    """Learn as on paper, and keep what there was to see at each step.

    Args:
        source: as in `train`.
        num_merges: merges to make, 0 or more.
        pattern: as in `train`; so are the other options but the last.
        ties: which of the most frequent pairs is merged.
        alphabet: "bytes" or "chars".
        byte_order: how bytes are numbered, for `ties="lowest-id"`.
        end_of_word: a marker behind each piece, or None.
        end_of_word_style: "symbol" or "suffix".
        unk_token: a special token for characters not seen.
        add_prefix_space: put a space before text that does not begin with one.
        special_tokens: control tokens; no merge may spell one.
        special_ids: where specials are numbered; merges do not depend on it.
        special: what their text is in the corpus.
        min_count: stop when the best pair is rarer.
        max_token_bytes: merge nothing longer, in bytes.
        document: what one document is in a file.
        field: the key or column that holds the text of a record.
        errors: what to do with text that is not UTF-8.
        bad_records: what to do with records that hold no text.
        sample: the part of the corpus to read.
        seed: what the sample is drawn by.
        threads: for counting the pieces.
        progress: as in `train`, while counting.
        n_shown: rows of each pair table, at least 1.

    Returns:
        The training, whose merges are those that `train` learns with the same options.

    Raises:
        BytepairError: as `train` does.

    Made to be looked at: it is written in Python, and takes a second for some hundred merges of a book.

    Source: the algorithm of Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units"
    (2016), as textbooks work it out by hand.

    >>> steps = trace(["low low low lower"], 1, pattern="whitespace", end_of_word="</w>").steps
    >>> steps[0].count, steps[0].n_tied, [tuple(row)[2] for row in steps[0].table]
    (4, 2, [4, 4, 3, 1, 1, 1])
    """
    rows = arguments.integer("n_shown", n_shown, 1)
    plan = Options(
        num_merges=num_merges,
        pattern=pattern,
        ties=ties,
        alphabet=alphabet,
        byte_order=byte_order,
        end_of_word=end_of_word,
        end_of_word_style=end_of_word_style,
        unk_token=unk_token,
        add_prefix_space=add_prefix_space,
        special_tokens=special_tokens,
        special_ids=special_ids,
        special=special,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        document=document,
        field=field,
        errors=errors,
        bad_records=bad_records,
        sample=sample,
        seed=seed,
        threads=threads,
        progress=progress,
    ).checked()
    with watching(plan.progress) as watch:
        counted = counted_source(source, plan, watch)
    return _traced(counted.items(), plan, rows)


def _traced(items: list[tuple[bytes, int]], plan: Plan, n_shown: int) -> Trace:
    assert plan.num_merges is not None  # for mypy; `trace` always gives it
    marker = (plan.end_of_word or "").encode()
    pieces = tuple(
        TracedPiece(piece, count, symbols_of(piece, plan.alphabet, marker, plan.end_of_word_style))
        for piece, count in items
    )
    first = alphabet_of((piece for piece, _ in items), plan.alphabet, plan.byte_order, marker, plan.end_of_word_style)
    refuse_specials_spelled_like(first, plan)
    paper = Paper(
        rows=[piece.symbols for piece in pieces],
        counts=[piece.count for piece in pieces],
        ids={symbol: number for number, symbol in enumerate(first)},
        forbidden=frozenset(text.encode() for text in plan.specials),
        ties=plan.ties,
        max_token_bytes=plan.max_token_bytes,
    )
    steps: list[Choice] = []
    reason: Reason = "target"
    while len(steps) < plan.num_merges:
        choice, reason = paper.choose(plan.min_count, n_shown)
        if choice is None:
            break
        paper.merge(choice)
        steps.append(choice)
    return Trace(pieces, tuple(steps), plan.ties, plan.num_merges, reason, FrozenDict(paper.ids))
