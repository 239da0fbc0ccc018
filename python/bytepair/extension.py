"""Training that goes on: old merges and ids stay as they are, new ones come behind them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from bytepair import _native, arguments
from bytepair._native import Engine, Learned
from bytepair.arguments import Special
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.errors import ArgumentError, ModelError
from bytepair.model import Extension, Model
from bytepair.patterns import resolve
from bytepair.progress import ProgressOption, watching
from bytepair.render import number_of
from bytepair.tally import Tally
from bytepair.training import (
    Options,
    Plan,
    TrainingReport,
    counted_source,
    refuse_specials_spelled_like,
    report,
    run,
)

# Pieces that are encoded at once to see what changed: their ids are Python lists for a moment.
_PIECES_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class ExtensionReport:
    """What an extension added, and which old outputs it can change.

    A text encodes as before unless it holds the spelling of one of `can_change`.

    Args:
        n_old_tokens: tokens before, specials among them.
        new_tokens: (id, spelling) of each new token, by id: first the characters that were unknown, with a marker and
            without where it is glued on.
        n_new_symbols: how many of them are such symbols.
        new_merges: the new merges as (left, right), spelled in bytes, by rank.
        can_change: what the new merges spell that can stand in a text which could be encoded before.
        n_pieces: pieces of the new corpus, each as often as it occurs.
        n_changed: how many of them encode differently now.
        n_unknown: how many could not be encoded before, and are not among those.

    >>> from bytepair.training import learn, Options
    >>> old, _ = learn(["low low"], Options(num_merges=2))
    >>> new, _, report = extend(old, ["slow slow"], 260)
    >>> report.new_tokens, report.can_change
    (((258, b'slow'), (259, b' slow')), (b'slow', b' slow'))
    """

    n_old_tokens: int
    new_tokens: tuple[tuple[int, bytes], ...]
    n_new_symbols: int
    new_merges: tuple[tuple[bytes, bytes], ...]
    can_change: tuple[bytes, ...]
    n_pieces: int
    n_changed: int
    n_unknown: int

    @property
    def changed_share(self) -> float:
        """The part of the corpus's pieces that encode differently now: 0 to 1."""
        return self.n_changed / self.n_pieces if self.n_pieces else 0.0

    def __str__(self) -> str:
        lines = [self._added(), self._changed()]
        if self.can_change:
            some = ", ".join(repr(each.decode("utf-8", "backslashreplace")) for each in self.can_change[:8])
            more = f" and {len(self.can_change) - 8:,} more" if len(self.can_change) > 8 else ""
            lines.append(f"a text encodes as before unless it holds one of {some}{more}")
        return "\n".join(lines)

    def _added(self) -> str:
        new = [spelling.decode() for _, spelling in self.new_tokens[: self.n_new_symbols]]
        symbols = f"{_number_of_new(new)}, " if new else ""
        tokens = f"{number_of(len(self.new_tokens), 'token')} behind {self.n_old_tokens:,}"
        return f"{tokens}: {symbols}{number_of(len(self.new_merges), 'merge')}; old ids and merges are as they were"

    def _changed(self) -> str:
        verb = "encodes" if self.n_changed == 1 else "encode"
        unknown = f"; {self.n_unknown:,} could not be encoded before" if self.n_unknown else ""
        changed = f"{self.n_changed:,} of {number_of(self.n_pieces, 'piece')}"
        return f"{changed} of this corpus ({self.changed_share:.2%}) {verb} differently now{unknown}"


def extend(
    model: Model,
    source: Source | Tally,
    vocab_size: int,
    *,
    special: Special = "all",
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    sample: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: ProgressOption = None,
) -> tuple[Model, TrainingReport, ExtensionReport]:
    """Learn more merges behind those of a model; see `Tokenizer.extend`."""
    if model.kind == "ranks":
        raise ModelError(
            "this tokenizer holds ranks, and extending goes on from a list of merges; load it from a file that has "
            "them, such as a tokenizer.json"
        )
    frame = model.frame
    if frame is not None and (frame.changes_text or frame.cutting is not None):
        raise ModelError(
            "this tokenizer was loaded with rules that change or cut text before its pattern does, and extend learns "
            "from text as it is; train a new tokenizer on text after those rules: `tok.normalized(text)` gives it"
        )
    size = arguments.integer("vocab_size", vocab_size, 0, arguments.MAX_TOKENS)
    _check_room(model, size)
    plan = plan_of(
        model,
        vocab_size=size,
        special=special,
        document=document,
        field=field,
        errors=errors,
        bad_records=bad_records,
        sample=sample,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    start = time.perf_counter()
    old = [token for token in model.tokens if token is not None]
    given = model.spelled_merges()
    with watching(plan.progress) as watch:
        counted = counted_source(source, plan, watch)
        _check_room(model, size, _new_symbols(model, counted))
        learned = run(counted, plan, watch, first_symbols=old, given=given)
    refuse_specials_spelled_like(learned.tokens[len(old) : learned.n_alphabet], plan)
    extended = _extended(model, learned, counted, plan)
    found = _report(model, extended, learned.n_alphabet - len(old), counted, plan)
    return extended, report(learned, counted, plan, time.perf_counter() - start, first_merge=len(given)), found


def plan_of(model: Model, **options: object) -> Plan:
    """The options that a model was learned with, and others; the rule is the first one where it is not known."""
    own: dict[str, object] = {
        "pattern": model.pattern.text,
        "ties": model.ties or "lexicographic",
        "alphabet": model.alphabet,
        "byte_order": model.byte_order or "value",
        "end_of_word": model.end_of_word,
        "end_of_word_style": model.end_of_word_style,
        "unk_token": model.unk_token,
        "add_prefix_space": model.add_prefix_space,
        "special_tokens": sorted(model.specials, key=model.specials.__getitem__),
        "min_count": model.min_count or 1,
        "max_token_bytes": model.max_token_bytes,
    }
    return Options(**{**own, **options}).checked()  # type: ignore[arg-type]  # `checked` looks at every value


def _check_room(model: Model, vocab_size: int, new_symbols: Collection[str] = ()) -> None:
    n_new = len(new_symbols)
    n_old = sum(token is not None for token in model.tokens) + len(model.specials)
    if vocab_size < n_old + n_new:
        symbols = f" and {_number_of_new(new_symbols)} of this corpus" if new_symbols else ""
        raise ArgumentError(
            f"vocab_size is {vocab_size}; it must be at least {n_old + n_new}: the {n_old:,} tokens there are{symbols}"
        )


def _number_of_new(symbols: Collection[str]) -> str:
    """A glued marker makes two symbols of a character."""
    return number_of(len(symbols), "new character" if max(map(len, symbols)) == 1 else "new symbol")


def _new_symbols(model: Model, counted: Tally) -> set[str]:
    """Characters that the model does not know, with a marker and without where it is glued on."""
    if model.alphabet == "bytes":
        return set()
    known = set(model.tokens)
    found: set[str] = set()
    for piece, _ in counted.items():
        found.update(piece.decode("utf-8", "ignore"))
    marks = ["", model.end_of_word or ""] if model.end_of_word_style == "suffix" else [""]
    symbols = {character + mark for character in found for mark in marks}
    return {symbol for symbol in symbols if symbol.encode() not in known}


def _extended(model: Model, learned: Learned, counted: Tally, plan: Plan) -> Model:
    old_ids = [number for number, token in enumerate(model.tokens) if token is not None]
    new = learned.tokens[len(old_ids) :]
    n_given = len(model.merges)
    merges = learned.merges[n_given:]
    if not new and not merges:
        return model
    ids = [*old_ids, *range(model.n_ids, model.n_ids + len(new))]
    gap = [None] * (model.n_ids - len(model.tokens)) if new else []
    extension = Extension(model.n_ids, n_given, plan.ties, counted.fingerprint, _native.__version__)
    counts = model.merge_counts
    return dataclasses.replace(
        model,
        tokens=(*model.tokens, *gap, *new),
        merges=(*model.merges, *((ids[left], ids[right]) for left, right in merges)),
        merge_counts=None if counts is None else (*counts, *learned.merge_counts[n_given:]),
        extensions=(*model.extensions, extension),
    )


def _report(old: Model, new: Model, n_new_symbols: int, counted: Tally, plan: Plan) -> ExtensionReport:
    merges = new.spelled_merges()[len(old.merges) :]
    tokens = [(number, token) for number, token in enumerate(new.tokens) if number >= old.n_ids and token is not None]
    unknown = frozenset(token.decode() for _, token in tokens[:n_new_symbols])
    joints = [left + right for left, right in merges]
    if old.unk_token is None:
        could_stand = [joint for joint in joints if not _holds(joint, unknown)]
    else:
        could_stand = [*(token for _, token in tokens[:n_new_symbols]), *joints]
    changes = _changes(old, new, unknown, counted, plan.threads) if new is not old else (0, 0)
    return ExtensionReport(
        n_old_tokens=sum(token is not None for token in old.spellings()),
        new_tokens=tuple(tokens),
        n_new_symbols=n_new_symbols,
        new_merges=tuple(merges),
        can_change=tuple(dict.fromkeys(could_stand)),
        n_pieces=counted.n_occurrences,
        n_changed=changes[0],
        n_unknown=changes[1],
    )


def _holds(spelling: bytes, symbols: frozenset[str]) -> bool:
    """Whether one of the symbols is in it; one of several characters ends with a marker, so it can only be the last."""
    if not symbols:
        return False
    text = spelling.decode()
    return not symbols.isdisjoint(text) or text.endswith(tuple(each for each in symbols if len(each) > 1))


def _changes(old: Model, new: Model, unknown: frozenset[str], counted: Tally, threads: int) -> tuple[int, int]:
    """How many pieces encode differently, and how many could not be encoded."""
    before, after = engine_for_pieces(old), engine_for_pieces(new)
    mark = (old.end_of_word or "").encode() if old.end_of_word_style == "suffix" else b""
    n_changed = n_unknown = 0
    for pairs in _batches(counted.items()):
        known = pairs if old.unk_token is not None else [pair for pair in pairs if not _holds(pair[0] + mark, unknown)]
        n_unknown += sum(number for _, number in pairs) - sum(number for _, number in known)
        pieces = [piece for piece, _ in known]
        then, now = (engine.encode_batch(pieces, None, threads) for engine in (before, after))
        n_changed += sum(number for (_, number), old_ids, ids in zip(known, then, now, strict=True) if old_ids != ids)
    return n_changed, n_unknown


def engine_for_pieces(model: Model) -> Engine:
    """It takes a piece as it is: cut already, its prefix space before it."""
    return dataclasses.replace(model, pattern=resolve("none"), add_prefix_space=False).engine()


def engine_for_merges(model: Model) -> Engine:
    """It takes a piece as it is, and only merges it, whatever a frame would do."""
    frame = model.frame
    if frame is not None:
        frame = dataclasses.replace(frame, normalizer=(), cutting=(), added=(), ignore_merges=False)
    return engine_for_pieces(dataclasses.replace(model, frame=frame))


def _batches(pairs: list[tuple[bytes, int]]) -> Iterator[list[tuple[bytes, int]]]:
    for start in range(0, len(pairs), _PIECES_AT_ONCE):
        yield pairs[start : start + _PIECES_AT_ONCE]
