"""How often each token of a model stands in a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from bytepair.arguments import Special
from bytepair.corpus import Source
from bytepair.extension import engine_for_pieces, plan_of
from bytepair.model import Model
from bytepair.progress import ProgressOption, watching
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
        n_pieces: in all.
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


def counted_for(
    model: Model,
    source: Source | Tally,
    *,
    special: Special = "all",
    document: Literal["file", "line"] = "file",
    errors: Literal["raise", "replace", "skip"] = "raise",
    threads: int | None = None,
    progress: ProgressOption = None,
) -> tuple[Tally, Plan]:
    """A corpus cut into pieces as the model cuts it; a tally must have been cut so."""
    plan = plan_of(
        model,
        num_merges=len(model.merges),
        # A rule that needs an order would refuse a tally without one, and nothing is learned here.
        ties="lexicographic",
        special=_borders(source, model) if special == "all" else special,
        document=document,
        errors=errors,
        threads=threads,
        progress=progress,
    )
    with watching(plan.progress) as watch:
        return counted_source(source, plan, watch), plan


def _borders(source: Source | Tally, model: Model) -> Special:
    """Which specials cut the corpus: where a tally says it, those."""
    if not isinstance(source, Tally) or source.borders is None:
        return "all"
    return [text for text in model.specials if text in source.borders]


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
