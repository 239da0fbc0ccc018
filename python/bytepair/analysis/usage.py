"""How often each token of a model stands in a corpus."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from bytepair import arguments
from bytepair.arguments import Special
from bytepair.corpus import Source
from bytepair.errors import ModelError
from bytepair.extension import engine_for_pieces, plan_of
from bytepair.model import Model
from bytepair.progress import watching
from bytepair.tally import Tally
from bytepair.training import Plan, counted_source

# Their ids are in memory for a moment.
_PIECES_AT_ONCE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Usage:
    """A corpus encoded by a model, as counts.

    Args:
        counts: how often each token stands in it, by id; as long as the model has ids.
        alone: how often each is a whole piece.
        n_bytes: of its pieces.
        n_pieces: in all; of a model with a frame, documents.
        n_distinct: distinct ones.
    """

    counts: list[int]
    alone: list[int]
    n_bytes: int
    n_pieces: int
    n_distinct: int

    @property
    def n_tokens(self) -> int:
        """Tokens in all."""
        return sum(self.counts)


def used_in(model: Model, source: Source | Tally, *, special: Special = "all", **reading: Any) -> Usage:
    """How often each token stands in a corpus, which a tally may be of; special ones are not counted.

    Args:
        model: the model.
        source: the corpus.
        special: which specials are no text.
        reading: how the corpus is read, as `train` takes it: `document`, `errors`, `threads` and the like.

    Raises:
        ModelError: a tally was given, and the model changes text before it cuts it.
    """
    frame = model.frame
    if frame is None:
        borders = _borders(source, model) if special == "all" else special
        counted, plan = _counted(model, source, special=borders, **reading)
        return usage(model, counted, plan.threads)
    if isinstance(source, Tally) and not (model.pattern.name == "none" and source.pattern == "none"):
        raise ModelError(
            "this tokenizer was loaded with rules beyond its pattern, and a tally holds pieces that only a pattern "
            "cut; give the corpus itself"
        )
    matched = arguments.special_policy(special, model.specials)
    cut = {"pattern": "none", "special": "raise" if matched is None else "text", "add_prefix_space": False}
    documents, plan = _counted(model, source, **cut, **_UNFRAMED, **reading)
    return _used_in_documents(model, documents, [model.specials[name] for name in matched or ()], plan.threads)


def used_where_given(model: Model, source: Source | Tally | None, **reading: Any) -> Usage | None:
    """As `used_in`; None without a corpus."""
    return None if source is None else used_in(model, source, **reading)


# What reading a corpus needs to know nothing of.
_UNFRAMED: Final = {"unk_token": None, "end_of_word": None, "end_of_word_style": "symbol", "alphabet": "bytes"}


def _counted(model: Model, source: Source | Tally, **options: object) -> tuple[Tally, Plan]:
    """A corpus cut into pieces as the model cuts it; a tally must have been cut so."""
    # A rule that needs an order would refuse a tally without one, and nothing is learned here.
    plan = plan_of(model, num_merges=len(model.merges), ties="lexicographic", **options)
    with watching(plan.progress) as watch:
        return counted_source(source, plan, watch), plan


def _borders(source: Source | Tally, model: Model) -> Special:
    """Which specials cut the corpus: where a tally says it, those."""
    if not isinstance(source, Tally) or source.borders is None:
        return "all"
    return [text for text in model.specials if text in source.borders]


def _used_in_documents(model: Model, documents: Tally, matched: list[int], threads: int) -> Usage:
    """Whole documents, since rules of a frame may look at all of one."""
    engine, counts, alone = model.engine(), [0] * model.n_ids, [0] * model.n_ids
    whole = _whole_pieces(model)
    items = documents.items()
    n_bytes = sum(len(each) * times for each, times in items)
    for text, times in items:
        for number, n_there in Counter(engine.encode(text, matched, threads)).items():
            counts[number] += n_there * times
        for piece in engine.pieces(text, matched) if whole else ():
            if (found := whole.get(piece)) is not None:
                alone[found] += times
    for name, number in model.specials.items():
        n_bytes -= counts[number] * len(name.encode())
        counts[number] = 0
    return Usage(counts, alone, n_bytes, sum(times for _, times in items), len(items))


def _whole_pieces(model: Model) -> dict[bytes, int]:
    """Tokens that a piece becomes at once where it is spelled so, in a model that looks for those."""
    frame = model.frame
    if frame is None or not (frame.ignore_merges or model.kind == "ranks"):
        return {}
    added = {each.id for each in frame.added}
    return {token: number for number, token in enumerate(model.tokens) if token is not None and number not in added}


def usage(model: Model, counted: Tally, threads: int = 1) -> Usage:
    """Encode each distinct piece once, and count its tokens as often as it occurs.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> found = usage(model, Tally.from_counts({"low": 5, "slow": 2}, pattern="cl100k"))
    >>> found.counts[257], found.n_tokens, found.n_bytes
    (7, 9, 23)
    """
    engine = engine_for_pieces(model)
    counts, alone = [0] * model.n_ids, [0] * model.n_ids
    items = counted.items()
    for start in range(0, len(items), _PIECES_AT_ONCE):
        some = items[start : start + _PIECES_AT_ONCE]
        ids, starts = engine.encode_ragged([piece for piece, _ in some], None, threads, 4)
        numbers, bounds = memoryview(ids).cast("I"), memoryview(starts).cast("q")
        for (first, end), (_, times) in zip(pairwise(bounds), some, strict=True):
            for number in numbers[first:end]:
                counts[number] += times
            if end == first + 1:
                alone[numbers[first]] += times
    n_bytes = sum(len(piece) * times for piece, times in items)
    return Usage(counts, alone, n_bytes, sum(times for _, times in items), len(items))
