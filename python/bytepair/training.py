"""Source or tally, and options -> the model and a report of how it was learned."""

from __future__ import annotations

import builtins
import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

from bytepair import _native, arguments, checkpoint
from bytepair._native import Learned, Splitter
from bytepair.arguments import Special, kind, shown
from bytepair.checkpoint import Checkpoint
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Reading, Source, checked_reading, in_order
from bytepair.errors import ArgumentError, ArgumentTypeError, EncodingError, SpecialTokenError
from bytepair.model import Model, trusted
from bytepair.parts import (
    ALPHABETS,
    BYTE_ORDERS,
    SPECIAL_IDS,
    STYLES,
    TIES,
    Alphabet,
    ByteOrder,
    SpecialIds,
    Style,
    Ties,
)
from bytepair.patterns import DEFAULT, Pattern, resolve
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.progress import checked as checked_progress
from bytepair.render import number_of
from bytepair.tally import Rules, Sample, Tally, count
from bytepair.tally.sample import checked as checked_sample
from bytepair.tally.sample import described

_REASONS: Final = {
    "target": "that is what was asked",
    "no-pairs": "no pair of neighbours is left to merge",
    "min-count": "every pair left is rarer than min_count",
}


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What was asked of a training run, what it reached and why it stopped.

    Args:
        requested: the number asked for, in `unit`.
        unit: "vocab_size" or "num_merges".
        reached: what it came to, in `unit`.
        reason: "target", "no-pairs" or "min-count".
        documents: how many were read; None where the pieces were given counted.
        bytes: in all documents.
        pieces: distinct ones.
        seconds: for counting (0 where a tally was given) and learning together.
        merge_counts: the count of each merged pair at its merge, by rank.
        passed_over: spellings of special tokens that a merge would have made.
        resumed_merges: how many of the merges an earlier run had left in the checkpoint.
        samples: what was asked for, a `fraction` and a `seed` each, where a part of the corpus was read; else empty.
        bytes_in_all: in the corpus that `bytes` are a sample of; None where it was read as a whole, or is not known.
        bad_records: how many records without a text were left out, or replaced by empty documents.

    >>> from bytepair.training import learn, Options
    >>> model, report = learn(["low low lower"], Options(num_merges=50))
    >>> report.requested, report.reached, report.reason
    (50, 5, 'no-pairs')
    """

    requested: int
    unit: Literal["vocab_size", "num_merges"]
    reached: int
    reason: Literal["target", "no-pairs", "min-count"]
    documents: int | None
    bytes: int
    pieces: int
    seconds: float
    merge_counts: tuple[int, ...]
    passed_over: tuple[builtins.bytes, ...] = ()
    resumed_merges: int = 0
    samples: tuple[Sample, ...] = ()
    bytes_in_all: int | None = None
    bad_records: int = 0

    def __str__(self) -> str:
        asked = "token" if self.unit == "vocab_size" else "merge"
        read = "counted pieces" if self.documents is None else number_of(self.documents, "document")
        lines = [
            f"asked for {number_of(self.requested, asked)}, reached {self.reached:,}: {_REASONS[self.reason]}",
            f"{number_of(len(self.merge_counts), 'merge')} from {read} ({number_of(self.bytes, 'byte')}, "
            f"{number_of(self.pieces, 'distinct piece')}) in {self.seconds:.2f} s",
        ]
        if self.samples:
            lines.append(f"from {described(self.samples, self.bytes, self.bytes_in_all)}")
        if self.bad_records:
            lines.append(f"{number_of(self.bad_records, 'record')} without a text")
        if self.resumed_merges:
            were = "was" if self.resumed_merges == 1 else "were"
            lines.append(f"{self.resumed_merges:,} of them {were} in the checkpoint")
        if self.passed_over:
            spellings = ", ".join(repr(each.decode("utf-8", "backslashreplace")) for each in self.passed_over)
            lines.append(f"passed over, because special tokens are spelled so: {spellings}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `train` takes beside its source; see there. `checked` makes sure of every value."""

    vocab_size: int | None = None
    num_merges: int | None = None
    pattern: str | None = None
    ties: Ties = "lexicographic"
    alphabet: Alphabet = "bytes"
    byte_order: ByteOrder = "value"
    end_of_word: str | None = None
    end_of_word_style: Style = "symbol"
    unk_token: str | None = None
    add_prefix_space: bool = False
    special_tokens: Iterable[str] = ()
    special_ids: SpecialIds = "last"
    special: Special = "all"
    min_count: int = 1
    max_token_bytes: int | None = None
    document: Document = "file"
    field: str = FIELD
    errors: Errors = "raise"
    bad_records: BadRecords = "raise"
    sample: float | None = None
    seed: int = 0
    threads: int | None = None
    progress: ProgressOption = None
    checkpoint: str | PathLike[str] | None = None

    def checked(self) -> Plan:
        """Every value checked, before any work is done.

        Raises:
            ArgumentError, ArgumentTypeError, PatternError, SpecialTokenError: naming the option, its value, and what it
                may be.
        """
        alphabet = arguments.choice("alphabet", self.alphabet, ALPHABETS)
        specials = _specials(self.special_tokens, self.unk_token, alphabet)
        plan = Plan(
            alphabet=alphabet,
            byte_order=arguments.choice("byte_order", self.byte_order, BYTE_ORDERS),
            ties=arguments.choice("ties", self.ties, TIES),
            end_of_word=None if self.end_of_word is None else arguments.words("end_of_word", self.end_of_word),
            end_of_word_style=arguments.choice("end_of_word_style", self.end_of_word_style, STYLES),
            unk_token=self.unk_token,
            specials=specials,
            borders=arguments.special_policy(self.special, specials),
            special_ids=arguments.choice("special_ids", self.special_ids, SPECIAL_IDS),
            add_prefix_space=arguments.flag("add_prefix_space", self.add_prefix_space),
            min_count=arguments.integer("min_count", self.min_count, 1),
            max_token_bytes=_optional("max_token_bytes", self.max_token_bytes, 1, arguments.MAX_COUNT),
            vocab_size=_optional("vocab_size", self.vocab_size, 0, arguments.MAX_TOKENS),
            num_merges=_optional("num_merges", self.num_merges, 0, arguments.MAX_TOKENS),
            pattern=None if self.pattern is None else resolve(self.pattern),
            reading=checked_reading(self.document, self.field, self.errors, self.bad_records),
            sample=checked_sample(self.sample, self.seed),
            threads=arguments.threads(self.threads),
            progress=checked_progress(self.progress),
            checkpoint=_path("checkpoint", self.checkpoint),
        )
        plan.check_together()
        return plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options that were checked."""

    alphabet: Alphabet
    byte_order: ByteOrder
    ties: Ties
    end_of_word: str | None
    end_of_word_style: Style
    unk_token: str | None
    specials: tuple[str, ...]
    borders: tuple[str, ...] | None
    special_ids: SpecialIds
    add_prefix_space: bool
    min_count: int
    max_token_bytes: int | None
    vocab_size: int | None
    num_merges: int | None
    pattern: Pattern | None
    reading: Reading
    sample: Sample | None
    threads: int
    progress: ProgressOption
    checkpoint: Path | None = None

    def check_together(self) -> None:
        """What no option shows alone."""
        if (self.vocab_size is None) == (self.num_merges is None):
            given, verb = ("neither", "was") if self.vocab_size is None else ("both", "were")
            raise ArgumentError(f"{given} of vocab_size and num_merges {verb} given; give exactly one")
        if self.end_of_word is None and self.end_of_word_style == "suffix":
            raise ArgumentError(
                "end_of_word_style is 'suffix', and no end_of_word was given; name the marker, as in "
                'end_of_word="</w>"'
            )
        if self.pattern is not None:
            Splitter(self.pattern.name, self.pattern.regex)
        for text in self.specials:
            if text == self.end_of_word:
                raise SpecialTokenError(f"{text!r} is both the end-of-word marker and a special token; change one")
            if self.alphabet == "bytes" and len(text.encode()) == 1:
                raise SpecialTokenError(_spelled_like_a_symbol(text))
        self.check_room(256 if self.alphabet == "bytes" else 0)

    def check_room(self, n_symbols: int) -> None:
        """Whether `vocab_size` can hold the symbols, the marker and the specials."""
        is_suffix = self.end_of_word_style == "suffix"
        marker = 1 if self.end_of_word is not None and not is_suffix and not self.marker_is_a_byte else 0
        n_marked = n_symbols if is_suffix else 0
        least = n_symbols + n_marked + marker + len(self.specials)
        if self.vocab_size is not None and self.vocab_size < least:
            what = "byte" if self.alphabet == "bytes" else "different character"
            needs = (
                (n_symbols, what),
                (n_marked, "marked byte" if self.alphabet == "bytes" else "marked character"),
                (marker, "end-of-word marker"),
                (len(self.specials), "special token"),
            )
            parts = [number_of(count, noun) for count, noun in needs if count]
            raise ArgumentError(f"vocab_size is {self.vocab_size}; it must be at least {least}: {', '.join(parts)}")

    @property
    def marker_is_a_byte(self) -> bool:
        """Whether the marker is spelled like a symbol that is there anyway."""
        return self.alphabet == "bytes" and self.end_of_word is not None and len(self.end_of_word.encode()) == 1

    def rules(self) -> Rules:
        """How to count a source."""
        return Rules(
            pattern=self.pattern or resolve(DEFAULT),
            borders=self.specials if self.borders is None else self.borders,
            refuse_borders=self.borders is None,
            add_prefix_space=self.add_prefix_space,
            reading=self.reading,
            only_utf8=self.alphabet == "chars",
            threads=self.threads,
            sample=self.sample,
        )

    def deciding(self, pattern: Pattern) -> dict[str, Any]:
        """What decides the merges beside the corpus, in the words of `train`."""
        return {
            "vocab_size": self.vocab_size,
            "num_merges": self.num_merges,
            "pattern": pattern.text,
            "ties": self.ties,
            "alphabet": self.alphabet,
            "byte_order": self.byte_order,
            "end_of_word": self.end_of_word,
            "end_of_word_style": self.end_of_word_style,
            "unk_token": self.unk_token,
            "special_tokens": list(self.specials),
            "special_ids": self.special_ids,
            "special": None if self.borders is None else sorted(self.borders),
            "add_prefix_space": self.add_prefix_space,
            "min_count": self.min_count,
            "max_token_bytes": self.max_token_bytes,
        }


def learn(source: Source | Tally, options: Options) -> tuple[Model, TrainingReport]:
    """Learn merges from a corpus.

    Args:
        source: as `train` takes it.
        options: as `train` takes them.

    Returns:
        The model, and the report of the run. A checkpoint is left to the caller, who deletes it when all is done.

    Raises:
        BytepairError: an option is wrong (before any work is done) or the source cannot be read.

    >>> model, report = learn(["low low low lower"], Options(num_merges=2))
    >>> [(model.tokens[left], model.tokens[right]) for left, right in model.merges]
    [(b'l', b'o'), (b'lo', b'w')]
    """
    plan = options.checked()
    start = time.perf_counter()
    kept = _checkpoint(source, plan)
    with watching(plan.progress) as watch:
        counted = counted_source(source, plan, watch)
        if kept is not None:
            kept.match(_identity(counted, plan))
        learned = run(counted, plan, watch, kept=kept)
    refuse_specials_spelled_like(learned.tokens[: learned.n_alphabet], plan)
    model = _model(learned, counted, plan)
    return model, report(learned, counted, plan, time.perf_counter() - start, kept)


def counted_source(source: Source | Tally, plan: Plan, watch: Watch) -> Tally:
    """The source as a tally that this training can use.

    Raises:
        BytepairError: it cannot be read, or was counted otherwise.
    """
    if isinstance(source, Tally):
        check_tally(source, plan)
        return source
    _refuse_unordered(in_order(source), plan)
    return count(source, plan.rules(), watch)


def _checkpoint(source: Source | Tally, plan: Plan) -> Checkpoint | None:
    """Opened before any work, so that a file of another training is refused at once."""
    if plan.checkpoint is None:
        return None
    own = resolve(source.pattern) if isinstance(source, Tally) else resolve(DEFAULT)
    samples = source.samples if isinstance(source, Tally) else () if plan.sample is None else (plan.sample,)
    sampled = {"sample": [[each.fraction, each.seed] for each in sorted(samples)]}
    return Checkpoint(plan.checkpoint, {**plan.deciding(plan.pattern or own), **sampled})


def _identity(counted: Tally, plan: Plan) -> dict[str, Any]:
    """What tells corpora apart; the order of the pieces too where the rule looks at it."""
    found: dict[str, Any] = {"corpus fingerprint": counted.fingerprint}
    if plan.ties == "first-seen":
        digest = hashlib.sha256()
        for piece, _ in counted.items():
            digest.update(len(piece).to_bytes(8, "little") + piece)
        found["order of pieces"] = digest.hexdigest()
    return found


def check_tally(counted: Tally, plan: Plan) -> None:
    """Whether the tally was made as this training asks.

    Raises:
        ArgumentError: naming what differs and how to make a tally that fits.
    """
    _refuse_unordered(counted.ordered, plan)
    if plan.sample is not None:
        raise ArgumentError(
            f"sample is {plan.sample.fraction:g}, and the source is a tally, whose text was read already; give sample "
            "to the call that counts"
        )
    if plan.pattern is not None and plan.pattern.fingerprint != counted._pattern.fingerprint:
        raise ArgumentError(
            f"pattern is {shown(plan.pattern.text)}, and the tally was cut by {shown(counted.pattern)}; leave "
            "pattern out, "
            "or make the tally with that pattern"
        )
    if counted.add_prefix_space is not None and counted.add_prefix_space != plan.add_prefix_space:
        raise ArgumentError(
            f"add_prefix_space is {plan.add_prefix_space}, and the tally was made with {counted.add_prefix_space}; "
            "say the same to both"
        )
    if counted.borders is not None:
        _check_borders(counted, counted.borders, plan)


def _check_borders(counted: Tally, borders: frozenset[str], plan: Plan) -> None:
    if plan.borders is None and not counted._refused:
        raise SpecialTokenError('special="raise" looks at the text, and this is a tally; make it with special="raise"')
    wanted = frozenset(plan.specials if plan.borders is None else plan.borders)
    if wanted != borders:
        mend = "make the tally with the same special_tokens and special, or train with special="
        mend = (
            f"pass special_tokens={sorted(borders)} here too" if borders > wanted else f'{mend}"text" or a set of them'
        )
        raise SpecialTokenError(
            f"the tally was cut at the special tokens {sorted(borders)}, and this training cuts at "
            f"{sorted(wanted)}; {mend}"
        )


def _refuse_unordered(ordered: bool, plan: Plan) -> None:
    if plan.ties == "first-seen" and not ordered:
        raise ArgumentError(
            'ties="first-seen" needs the order in which pieces first appear, and this source has none (a set, or '
            "a tally that was saved, merged or made from one); pass a list or a dict, or use another tie rule"
        )


def _specials(special_tokens: object, unk_token: object, alphabet: Alphabet) -> tuple[str, ...]:
    """All special tokens in the order of their ids."""
    names = arguments.special_tokens(special_tokens)
    if unk_token is None:
        return names
    unknown = arguments.words("unk_token", unk_token)
    if alphabet == "bytes":
        raise ArgumentError(
            f'unk_token is {unknown!r}, and alphabet="bytes" knows every byte: leave unk_token out, or use '
            'alphabet="chars"'
        )
    return names if unknown in names else (unknown, *names)


def _optional(name: str, value: object, low: int, high: int) -> int | None:
    return None if value is None else arguments.integer(name, value, low, high)


def _path(name: str, value: object) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | PathLike):
        raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be a str or a path, or None")
    return Path(os.fspath(value))


def _spelled_like_a_symbol(text: str) -> str:
    return (
        f"the special token {text!r} is spelled like a symbol of the alphabet, so its id would be ambiguous; "
        "use a longer text such as '<|name|>'"
    )


def run(
    counted: Tally,
    plan: Plan,
    watch: Watch,
    *,
    first_symbols: Sequence[bytes] = (),
    given: Sequence[tuple[bytes, bytes]] = (),
    check_from: int | None = None,
    kept: Checkpoint | None = None,
) -> Learned:
    """Learn from a tally.

    Args:
        counted: the tally.
        plan: the options.
        watch: is told how far it is.
        first_symbols: symbols that come first, in this order.
        given: merges that are made before any is chosen.
        check_from: given merges of this rank and later must be the choices of the rule.
        kept: holds the merges of earlier runs, and is told those of this one.

    Raises:
        ArgumentError: `vocab_size` is too small for this corpus.
        CountOverflowError: a sum of counts passes 2**63 - 1.
    """
    max_tokens = None if plan.vocab_size is None else plan.vocab_size - len(plan.specials)
    watch.counted(counted.documents, counted.n_pieces, "learning" if check_from is None else "proving")
    try:
        learned = _native.learn(
            counted._counts,
            alphabet=plan.alphabet,
            byte_order=plan.byte_order,
            ties=plan.ties,
            end_of_word=None if plan.end_of_word is None else plan.end_of_word.encode(),
            end_of_word_style=plan.end_of_word_style,
            max_merges=plan.num_merges,
            max_tokens=max_tokens,
            min_count=plan.min_count,
            max_token_bytes=plan.max_token_bytes,
            forbidden=[text.encode() for text in plan.specials],
            first_symbols=first_symbols,
            given=given if kept is None else list(kept.merges),
            check_from=check_from,
            progress=watch.merged if watch.listens else None,
            journal=None if kept is None else kept.add,
            journal_seconds=checkpoint.SECONDS_BETWEEN_WRITES,
        )
    except EncodingError:
        _refuse_other_bytes(counted)
        raise
    except ArgumentError:
        if plan.alphabet == "chars":
            # The core knows nothing of specials, so its minimum is too small.
            _refuse_small_vocabulary(counted, plan)
        raise
    if watch.listens:
        n_merges = len(learned.merges)
        try:
            watch.merged(n_merges, n_merges, _last_merge(learned), learned.bytes_per_token, last=True)
        except BaseException:
            # The merges are all made; who stops it now finds them, too.
            if kept is not None:
                kept.add(_merges_from(learned, len(kept.merges)), list(learned.passed_over))
            raise
    return learned


def _merges_from(learned: Learned, rank: int) -> list[tuple[bytes, bytes, int]]:
    tokens = learned.tokens
    merges = zip(learned.merges[rank:], learned.merge_counts[rank:], strict=True)
    return [(tokens[left], tokens[right], count) for (left, right), count in merges]


def _last_merge(learned: Learned) -> tuple[bytes, bytes, int] | None:
    if not learned.merges:
        return None
    left, right = learned.merges[-1]
    return learned.tokens[left], learned.tokens[right], learned.merge_counts[-1]


def _refuse_other_bytes(counted: Tally) -> None:
    for piece, _ in counted.items():
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            raise EncodingError(
                f"the piece {shown(piece)} of the tally is not UTF-8: byte {piece[error.start]:#04x} at {error.start}, "
                'and alphabet="chars" needs characters; count text that is UTF-8, or use alphabet="bytes"'
            ) from None


def _refuse_small_vocabulary(counted: Tally, plan: Plan) -> None:
    characters = {character for piece, _ in counted.items() for character in piece.decode()}
    # A marker that is a symbol of its own may be one of them; glued on, it is none.
    marker = plan.end_of_word if plan.end_of_word_style == "symbol" else None
    plan.check_room(len(characters - {marker}))


def refuse_specials_spelled_like(symbols: Sequence[bytes], plan: Plan) -> None:
    """Raise SpecialTokenError where a special token is spelled like one of the symbols."""
    known = set(symbols)
    for text in plan.specials:
        if text.encode() in known:
            raise SpecialTokenError(_spelled_like_a_symbol(text))


def _model(learned: Learned, counted: Tally, plan: Plan) -> Model:
    first = len(plan.specials) if plan.special_ids == "first" else 0
    n_ordinary = len(learned.tokens)
    specials = {text: index + (n_ordinary if first == 0 else 0) for index, text in enumerate(plan.specials)}
    return trusted(
        kind="merges",
        alphabet=plan.alphabet,
        tokens=(*[None] * first, *learned.tokens),
        merges=tuple((left + first, right + first) for left, right in learned.merges) if first else learned.merges,
        specials=specials,
        pattern=counted._pattern,
        end_of_word=plan.end_of_word,
        end_of_word_style=plan.end_of_word_style,
        unk_token=plan.unk_token,
        add_prefix_space=plan.add_prefix_space,
        byte_order=plan.byte_order if plan.alphabet == "bytes" else None,
        ties=plan.ties,
        special_ids=plan.special_ids,
        min_count=plan.min_count,
        max_token_bytes=plan.max_token_bytes,
        corpus_fingerprint=counted.fingerprint,
        merge_counts=learned.merge_counts,
        version=_native.__version__,
    )


def report(
    learned: Learned,
    counted: Tally,
    plan: Plan,
    seconds: float,
    kept: Checkpoint | None = None,
    first_merge: int = 0,
) -> TrainingReport:
    """What a run came to; `first_merge` is the rank of the first merge that was not given by another training."""
    by_size = plan.vocab_size is not None
    requested = plan.vocab_size if by_size else plan.num_merges
    assert requested is not None  # for mypy; check_together made sure of it
    return TrainingReport(
        requested=requested,
        unit="vocab_size" if by_size else "num_merges",
        reached=len(learned.tokens) + len(plan.specials) if by_size else len(learned.merges),
        reason=learned.reason,
        documents=counted.documents,
        bytes=counted.n_bytes,
        pieces=counted.n_pieces,
        seconds=seconds,
        merge_counts=learned.merge_counts[first_merge:],
        passed_over=tuple(kept.with_passed_over(learned.passed_over) if kept else learned.passed_over),
        resumed_merges=kept.resumed if kept else 0,
        samples=tuple(sorted(counted.samples)),
        bytes_in_all=counted.n_bytes_in_all,
        bad_records=counted.bad_records,
    )
