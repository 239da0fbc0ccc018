"""Source or tally, and options -> the model and a report of how it was learned."""

from __future__ import annotations

import builtins
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bytepair import _native, arguments
from bytepair._native import Learned, Splitter
from bytepair.arguments import shown
from bytepair.corpus import Source
from bytepair.errors import ArgumentError, SpecialTokenError
from bytepair.model import Alphabet, Model
from bytepair.patterns import DEFAULT, Pattern, resolve
from bytepair.tally import DOCUMENTS, ERRORS, Progress, Rules, Tally, count

Ties: TypeAlias = Literal["lexicographic", "first-seen", "largest", "lowest-id"]
ByteOrder: TypeAlias = Literal["value", "gpt2"]
SpecialIds: TypeAlias = Literal["last", "first"]

TIES: Final[tuple[Ties, ...]] = ("lexicographic", "first-seen", "largest", "lowest-id")
ALPHABETS: Final[tuple[Alphabet, ...]] = ("bytes", "chars")
BYTE_ORDERS: Final[tuple[ByteOrder, ...]] = ("value", "gpt2")
STYLES: Final[tuple[Literal["symbol"], ...]] = ("symbol",)
SPECIAL_IDS: Final[tuple[SpecialIds, ...]] = ("last", "first")

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

    def __str__(self) -> str:
        asked = "token" if self.unit == "vocab_size" else "merge"
        read = "counted pieces" if self.documents is None else _number(self.documents, "document")
        lines = [
            f"asked for {_number(self.requested, asked)}, reached {self.reached:,}: {_REASONS[self.reason]}",
            f"{_number(len(self.merge_counts), 'merge')} from {read} ({_number(self.bytes, 'byte')}, "
            f"{_number(self.pieces, 'distinct piece')}) in {self.seconds:.2f} s",
        ]
        if self.passed_over:
            spellings = ", ".join(repr(each.decode("utf-8", "backslashreplace")) for each in self.passed_over)
            lines.append(f"passed over, because special tokens are spelled so: {spellings}")
        return "\n".join(lines)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


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
    end_of_word_style: Literal["symbol"] = "symbol"
    unk_token: str | None = None
    add_prefix_space: bool = False
    special_tokens: Iterable[str] = ()
    special_ids: SpecialIds = "last"
    special: str | Iterable[str] = "all"
    min_count: int = 1
    max_token_bytes: int | None = None
    document: Literal["file", "line"] = "file"
    errors: Literal["raise", "replace", "skip"] = "raise"
    threads: int | None = None
    progress: Progress | None = None

    def checked(self) -> Plan:
        """Every value checked, before any work is done.

        Raises:
            ArgumentError, ArgumentTypeError, PatternError, SpecialTokenError: naming the option, its value, and what it
                may be.
        """
        alphabet = arguments.choice("alphabet", self.alphabet, ALPHABETS)
        specials = _specials(self.special_tokens, self.unk_token, alphabet)
        arguments.choice("end_of_word_style", self.end_of_word_style, STYLES)
        arguments.callback("progress", self.progress)
        plan = Plan(
            alphabet=alphabet,
            byte_order=arguments.choice("byte_order", self.byte_order, BYTE_ORDERS),
            ties=arguments.choice("ties", self.ties, TIES),
            end_of_word=None if self.end_of_word is None else arguments.words("end_of_word", self.end_of_word),
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
            by_line=arguments.choice("document", self.document, DOCUMENTS) == "line",
            errors=arguments.choice("errors", self.errors, ERRORS),
            threads=arguments.threads(self.threads),
            progress=self.progress,
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
    by_line: bool
    errors: Literal["raise", "replace", "skip"]
    threads: int
    progress: Progress | None

    def check_together(self) -> None:
        """What no option shows alone."""
        if (self.vocab_size is None) == (self.num_merges is None):
            given = "neither" if self.vocab_size is None else "both"
            raise ArgumentError(f"{given} of vocab_size and num_merges was given; give exactly one")
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
        marker = 1 if self.end_of_word is not None and not self.marker_is_a_byte else 0
        least = n_symbols + marker + len(self.specials)
        if self.vocab_size is not None and self.vocab_size < least:
            what = "byte" if self.alphabet == "bytes" else "different character"
            needs = ((n_symbols, what), (marker, "end-of-word marker"), (len(self.specials), "special token"))
            parts = [_number(count, noun) for count, noun in needs if count]
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
            by_line=self.by_line,
            errors=self.errors,
            only_utf8=self.alphabet == "chars",
            threads=self.threads,
        )


def learn(source: Source | Tally, options: Options) -> tuple[Model, TrainingReport]:
    """Learn merges from a corpus.

    Args:
        source: as `train` takes it.
        options: as `train` takes them.

    Returns:
        The model, and the report of the run.

    Raises:
        BytepairError: an option is wrong (before any work is done) or the source cannot be read.

    >>> model, report = learn(["low low low lower"], Options(num_merges=2))
    >>> [(model.tokens[left], model.tokens[right]) for left, right in model.merges]
    [(b'l', b'o'), (b'lo', b'w')]
    """
    plan = options.checked()
    start = time.perf_counter()
    if isinstance(source, Tally):
        check_tally(source, plan)
        counted = source
    else:
        counted = count(source, plan.rules(), plan.progress)
        _refuse_unordered(counted, plan)
    learned = _learned(counted, plan)
    _refuse_specials_spelled_like_symbols(learned, plan)
    model = _model(learned, counted, plan)
    return model, _report(learned, counted, plan, time.perf_counter() - start)


def check_tally(counted: Tally, plan: Plan) -> None:
    """Whether the tally was made as this training asks.

    Raises:
        ArgumentError: naming what differs and how to make a tally that fits.
    """
    _refuse_unordered(counted, plan)
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
        raise SpecialTokenError(
            f"the tally was cut at the special tokens {sorted(borders)}, and this training cuts at "
            f"{sorted(wanted)}; make "
            'the tally with the same special_tokens and special, or train with special="text" or a set of them'
        )


def _refuse_unordered(counted: Tally, plan: Plan) -> None:
    if plan.ties == "first-seen" and not counted.ordered:
        raise ArgumentError(
            'ties="first-seen" needs the order in which pieces first appear, and this source has none (a set, or '
            "a tally "
            "made from one); pass a list or a dict, or use another tie rule"
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


def _spelled_like_a_symbol(text: str) -> str:
    return (
        f"the special token {text!r} is spelled like a symbol of the alphabet, so its id would be ambiguous; "
        "use a longer text such as '<|name|>'"
    )


def _learned(counted: Tally, plan: Plan) -> Learned:
    max_tokens = None if plan.vocab_size is None else plan.vocab_size - len(plan.specials)
    try:
        return _native.learn(
            counted._counts,
            alphabet=plan.alphabet,
            byte_order=plan.byte_order,
            ties=plan.ties,
            end_of_word=None if plan.end_of_word is None else plan.end_of_word.encode(),
            max_merges=plan.num_merges,
            max_tokens=max_tokens,
            min_count=plan.min_count,
            max_token_bytes=plan.max_token_bytes,
            forbidden=[text.encode() for text in plan.specials],
            progress=plan.progress,
        )
    except ArgumentError:
        if plan.alphabet == "chars":
            # The core knows nothing of specials, so its minimum is too small.
            _refuse_small_vocabulary(counted, plan)
        raise


def _refuse_small_vocabulary(counted: Tally, plan: Plan) -> None:
    characters = {character for piece, _ in counted.items() for character in piece.decode()}
    plan.check_room(len(characters - {plan.end_of_word}))


def _refuse_specials_spelled_like_symbols(learned: Learned, plan: Plan) -> None:
    symbols = set(learned.tokens[: learned.n_alphabet])
    for text in plan.specials:
        if text.encode() in symbols:
            raise SpecialTokenError(_spelled_like_a_symbol(text))


def _model(learned: Learned, counted: Tally, plan: Plan) -> Model:
    first = len(plan.specials) if plan.special_ids == "first" else 0
    n_ordinary = len(learned.tokens)
    specials = {text: index + (n_ordinary if first == 0 else 0) for index, text in enumerate(plan.specials)}
    return Model(
        kind="merges",
        alphabet=plan.alphabet,
        tokens=(*[None] * first, *learned.tokens),
        merges=tuple((left + first, right + first) for left, right in learned.merges),
        specials=specials,
        pattern=counted._pattern,
        end_of_word=plan.end_of_word,
        unk_token=plan.unk_token,
        add_prefix_space=plan.add_prefix_space,
        byte_order=plan.byte_order if plan.alphabet == "bytes" else None,
        ties=plan.ties,
        special_ids=plan.special_ids,
        min_count=plan.min_count,
        max_token_bytes=plan.max_token_bytes,
        corpus_fingerprint=counted.fingerprint,
        merge_counts=tuple(learned.merge_counts),
        version=_native.__version__,
    )


def _report(learned: Learned, counted: Tally, plan: Plan, seconds: float) -> TrainingReport:
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
        merge_counts=tuple(learned.merge_counts),
        passed_over=tuple(learned.passed_over),
    )
