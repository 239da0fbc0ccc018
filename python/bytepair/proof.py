"""Merges replayed on their corpus: each was the true choice, or the first that was not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bytepair import _native
from bytepair._native import Learned
from bytepair.arguments import Special
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.errors import ArgumentError, ModelError
from bytepair.extension import plan_of
from bytepair.frozen import FrozenDict
from bytepair.model import Model
from bytepair.parts import Ties
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.render import number_of
from bytepair.tally import Tally
from bytepair.training import Plan, counted_source, run


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether each merge was the choice of the rule at its place. True where it holds, False where not.

    Args:
        holds: whether every merge was.
        n_merges: how many merges it is about.
        ties: the rule.
        rank: the first merge that was not the choice; None if it holds.
        given: that merge as (left, right), spelled in bytes.
        count: how often its pair stood in the corpus there.
        choice: the pair that the rule chooses there; None where no pair was left that may be merged.
        choice_count: how often that one stood there.
        same_corpus: whether the corpus is the one that the model was learned from; None where the model does not say.
        receipt: what was proved of what, as JSON can hold it.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=3))
    >>> print(prove(model, ["low low lower"]))
    proved: each of 3 merges is the most frequent pair at its place, ties "lexicographic"; the corpus is the model's own
    """

    holds: bool
    n_merges: int
    ties: str
    rank: int | None
    given: tuple[bytes, bytes] | None
    count: int | None
    choice: tuple[bytes, bytes] | None
    choice_count: int | None
    same_corpus: bool | None
    receipt: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        own = {True: "the model's own", False: "not the model's own", None: "perhaps not the model's: it names none"}
        corpus = f"the corpus is {own[self.same_corpus]}"
        if self.holds:
            return (
                f"proved: each of {number_of(self.n_merges, 'merge')} is the most frequent pair at its place, ties "
                f'"{self.ties}"; {corpus}'
            )
        return f"broken at merge {self.rank} of {self.n_merges:,}: {self._difference()}; {corpus}"

    def _difference(self) -> str:
        assert self.given is not None  # a broken proof has all of it
        assert self.count is not None
        given = f"{_pair(self.given)} stands there {_times(self.count)}"
        if self.choice is None or self.choice_count is None:
            return f"{given}, and no pair that is frequent enough is left"
        if self.choice_count == self.count:
            return f'{given}, as {_pair(self.choice)} does, and ties "{self.ties}" takes the second'
        return f"{given}, and {_pair(self.choice)} {_times(self.choice_count)}"


def _pair(pair: tuple[bytes, bytes]) -> str:
    return "({!r}, {!r})".format(*(part.decode("utf-8", "backslashreplace") for part in pair))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def prove(
    model: Model,
    source: Source | Tally,
    *,
    ties: Ties | None = None,
    special: Special | None = None,
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    threads: int | None = None,
    progress: ProgressOption = None,
) -> Proof:
    """Replay the merges of a model on a corpus; see `Tokenizer.prove`."""
    if model.kind == "ranks":
        raise ModelError(
            "this tokenizer holds ranks, and a proof is about merges; load it from a file that has them, such as a "
            "tokenizer.json"
        )
    counting = plan_of(
        model,
        num_merges=len(model.merges),
        special=_borders(source, model) if special is None else special,
        **({} if ties is None else {"ties": ties}),
        document=document,
        field=field,
        errors=errors,
        bad_records=bad_records,
        threads=threads,
        progress=progress,
    )
    with watching(counting.progress) as watch:
        return _replayed(model, source, ties, counting, watch)


def _replayed(model: Model, source: Source | Tally, ties: Ties | None, counting: Plan, watch: Watch) -> Proof:
    counted = counted_source(source, counting, watch)
    stage = _stage(model, counted.fingerprint)
    rule = ties or stage.ties
    if rule is None:
        raise ArgumentError(
            'the file does not say by which rule ties were decided; pass it, as in ties="lowest-id" (tokenizers, '
            'rustbpe), "first-seen" (minbpe) or "largest" (subword-nmt)'
        )
    plan = plan_of(model, num_merges=stage.end, ties=rule, threads=counting.threads)
    merges = model.spelled_merges()[: stage.end]
    learned = run(counted, plan, watch, first_symbols=stage.symbols, given=merges, check_from=stage.start)
    return _proof(model, stage, learned, merges, counted, plan)


@dataclass(frozen=True, slots=True)
class _Stage:
    """The merges of one training: of the first, or of an extension.

    Args:
        start: the rank of its first merge.
        end: one past its last.
        symbols: what there was before it, in the order of ids.
        ties: its rule, where it is known.
        corpus: the fingerprint of its corpus, where it is known.
    """

    start: int
    end: int
    symbols: list[bytes]
    ties: str | None
    corpus: str | None


def _stage(model: Model, corpus: str) -> _Stage:
    """The training that this corpus was used for; the last one where it is no known corpus."""
    stages = list(_stages(model))
    return next((stage for stage in stages if stage.corpus == corpus), stages[-1])


def _stages(model: Model) -> Iterable[_Stage]:
    starts = [0, *(each.first_merge for each in model.extensions)]
    ends = [*starts[1:], len(model.merges)]
    symbols = [token for token in model.tokens if token is not None and model.is_symbol(token)]
    yield _Stage(0, ends[0], symbols, model.ties, model.corpus_fingerprint)
    for each, start, end in zip(model.extensions, starts[1:], ends[1:], strict=True):
        symbols = [token for token in model.tokens[: each.first_id] if token is not None]
        yield _Stage(start, end, symbols, each.ties, each.corpus_fingerprint)


def _borders(source: Source | Tally, model: Model) -> str | list[str]:
    """Which specials cut the corpus: where a tally says it, those."""
    if not isinstance(source, Tally) or source.borders is None:
        return "all"
    return [text for text in model.specials if text in source.borders]


def _proof(
    model: Model, stage: _Stage, learned: Learned, merges: list[tuple[bytes, bytes]], counted: Tally, plan: Plan
) -> Proof:
    rank, count, chosen = learned.broken or (None, None, None)
    return Proof(
        holds=rank is None,
        n_merges=stage.end - stage.start,
        ties=plan.ties,
        rank=rank,
        given=None if rank is None else merges[rank],
        count=count,
        choice=None if chosen is None else chosen[:2],
        choice_count=None if chosen is None else chosen[2],
        same_corpus=None if stage.corpus is None else stage.corpus == counted.fingerprint,
        receipt=FrozenDict(_receipt(model, stage, rank, counted, plan)),
    )


def _receipt(model: Model, stage: _Stage, rank: int | None, counted: Tally, plan: Plan) -> dict[str, Any]:
    options = plan.deciding(model.pattern)
    # A proof has no size to reach, and where specials stand does not matter to merges.
    for name in ("vocab_size", "num_merges", "special_ids"):
        del options[name]
    return {
        "version": _native.__version__,
        "model_fingerprint": model.fingerprint,
        "corpus_fingerprint": counted.fingerprint,
        "corpus_bytes": counted.n_bytes,
        "corpus_fingerprint_of_model": stage.corpus,
        "first_merge": stage.start,
        "n_merges": stage.end - stage.start,
        "holds": rank is None,
        "broken_at": rank,
        "options": FrozenDict({**options, "special": sorted(counted.borders or ())}),
    }
