"""Documents -> distinct pieces and how often each occurs."""

from __future__ import annotations

import mmap
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final, Literal, TypeAlias, final

from bytepair import arguments
from bytepair._native import PieceCounter, PieceCounts, Splitter
from bytepair.arguments import kind, shown
from bytepair.corpus import Corpus, File, Source, Texts, open_corpus
from bytepair.errors import ArgumentError, ArgumentTypeError, CountOverflowError, EncodingError, SpecialTokenError
from bytepair.patterns import Pattern, resolve

Progress: TypeAlias = Callable[[int, int], object]
Piece: TypeAlias = "str | bytes"

DOCUMENTS: Final[tuple[Literal["file", "line"], ...]] = ("file", "line")
ERRORS: Final[tuple[Literal["raise", "replace", "skip"], ...]] = ("raise", "replace", "skip")

_SECONDS_BETWEEN_REPORTS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Rules:
    """How documents are cut and counted.

    Args:
        pattern: the split pattern.
        borders: texts of special tokens that cut; they are not counted.
        refuse_borders: whether a border in the text is an error.
        add_prefix_space: whether a space goes in front of text that does not begin with one.
        by_line: whether each line of a file is a document.
        errors: what to do about bytes of a file that are not UTF-8, and about lone surrogates.
        only_utf8: whether documents given as bytes must be UTF-8.
        threads: how many to use.
    """

    pattern: Pattern
    borders: tuple[str, ...] = ()
    refuse_borders: bool = False
    add_prefix_space: bool = False
    by_line: bool = False
    errors: Literal["raise", "replace", "skip"] = "raise"
    only_utf8: bool = False
    threads: int = 1


@final
class Tally:
    """Distinct pieces and how often each occurs: all that learning needs to know about a corpus.

    Made by `tally` from documents or by `Tally.from_counts`. It never changes.

    >>> counted = Tally.from_counts({"low": 5, "lower": 2}, pattern="whitespace")
    >>> counted.n_pieces, counted.n_occurrences, counted.n_bytes
    (2, 7, 25)
    """

    __slots__ = (
        "_add_prefix_space",
        "_borders",
        "_counts",
        "_documents",
        "_n_bytes",
        "_ordered",
        "_pattern",
        "_refused",
    )

    _counts: PieceCounts
    _pattern: Pattern
    _documents: int | None
    _n_bytes: int
    _ordered: bool
    _borders: frozenset[str] | None
    _refused: bool
    _add_prefix_space: bool | None

    def __init__(self) -> None:
        raise TypeError(
            "a Tally is made by bytepair.tally(source, pattern=...) or Tally.from_counts(counts, pattern=...)"
        )

    @classmethod
    def _of(
        cls,
        counts: PieceCounts,
        pattern: Pattern,
        *,
        documents: int | None,
        n_bytes: int,
        ordered: bool,
        borders: frozenset[str] | None,
        refused: bool,
        add_prefix_space: bool | None,
    ) -> Tally:
        made = object.__new__(cls)
        made._counts, made._pattern, made._documents, made._n_bytes = counts, pattern, documents, n_bytes
        made._ordered, made._borders, made._refused, made._add_prefix_space = (
            ordered,
            borders,
            refused,
            add_prefix_space,
        )
        return made

    @classmethod
    def from_counts(cls, counts: Mapping[Piece, int] | Iterable[tuple[Piece, int]], *, pattern: str) -> Tally:
        """Take pieces that somebody counted already.

        Args:
            counts: pieces (str or bytes) and how often each occurs, at least 0. Pairs of an iterable add up; empty
                pieces and counts of 0 are left out. The pieces are not cut again.
            pattern: the pattern that cut them: a name or a regular expression.

        Returns:
            A tally that keeps the order of the pieces, unless they come from a set.

        Raises:
            ArgumentTypeError: a piece is no text, or a count is no int.
            ArgumentError: a count is below 0.
            CountOverflowError: a count, or the sum for one piece, passes 2**63 - 1.

        >>> Tally.from_counts([("a", 1), ("b", 2), ("a", 3)], pattern="none").items()
        [(b'a', 4), (b'b', 2)]
        """
        resolved = resolve(pattern)
        Splitter(resolved.name, resolved.regex)
        pieces, numbers = _checked_counts(counts)
        n_bytes = sum(len(piece) * number for piece, number in zip(pieces, numbers, strict=True))
        return cls._of(
            PieceCounts.from_items(pieces, numbers),
            resolved,
            documents=None,
            n_bytes=n_bytes,
            ordered=not isinstance(counts, set | frozenset),
            borders=None,
            refused=False,
            add_prefix_space=None,
        )

    @property
    def pattern(self) -> str:
        """The split pattern: its name, or the regular expression of a custom one."""
        return self._pattern.text

    @property
    def documents(self) -> int | None:
        """How many documents were read; None where the pieces were given counted."""
        return self._documents

    @property
    def n_bytes(self) -> int:
        """Bytes of all documents; of all pieces where they were given counted."""
        return self._n_bytes

    @property
    def n_pieces(self) -> int:
        """How many distinct pieces there are."""
        return self._counts.n_pieces

    @property
    def n_occurrences(self) -> int:
        """How many pieces there are, each as often as it occurs."""
        return self._counts.n_occurrences

    @property
    def fingerprint(self) -> str:
        """32 hex digits that depend on the pieces and their counts, not on their order."""
        return self._counts.fingerprint()

    @property
    def ordered(self) -> bool:
        """Whether the pieces are in the order of their first appearance, which `ties="first-seen"` needs."""
        return self._ordered

    @property
    def borders(self) -> frozenset[str] | None:
        """The special tokens whose text cut the documents; None where the pieces were given counted."""
        return self._borders

    @property
    def add_prefix_space(self) -> bool | None:
        """Whether documents were given a space in front; None where the pieces were given counted."""
        return self._add_prefix_space

    def items(self) -> list[tuple[bytes, int]]:
        """The distinct pieces, each with its count.

        >>> Tally.from_counts({"low": 5}, pattern="whitespace").items()
        [(b'low', 5)]
        """
        return list(zip(*self._counts.items(), strict=True))

    def __repr__(self) -> str:
        return f"Tally({self.n_pieces:,} pieces, {self.n_bytes:,} bytes, pattern={shown(self.pattern)})"


def tally(
    source: Source,
    *,
    pattern: str,
    special_tokens: Iterable[str] = (),
    special: str | Iterable[str] = "all",
    add_prefix_space: bool = False,
    document: Literal["file", "line"] = "file",
    errors: Literal["raise", "replace", "skip"] = "raise",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Count the pieces of a corpus, to learn from it more than once.

    Args:
        source: a path, a folder, a glob, or an iterable of documents (str, bytes) and paths (`pathlib.Path`).
        pattern: how documents are cut: a name or a regular expression.
        special_tokens: texts of special tokens, to be given to `train` as well.
        special: which of them are borders that are not counted: "all", "text" (none), a set of them, or "raise" (none
            may be there).
        add_prefix_space: put a space before each document that does not begin with one.
        document: whether a file is one document, or each of its lines (with its line end).
        errors: files that are not UTF-8, and lone surrogates in a str: "raise", "replace" (U+FFFD) or "skip".
        threads: how many to use, at least 1; None: the CPUs of this process. The result is the same.
        progress: called as progress(bytes done, bytes in all), at most 20 times a second; 0 in all if not known.

    Returns:
        The tally, in the order of first appearance. Memory grows with distinct pieces only.

    Raises:
        BytepairError: an argument is wrong, or the source cannot be read; see `train`.

    >>> tally(["low lower low"], pattern="whitespace").items()
    [(b'low', 2), (b'lower', 1)]
    """
    names = arguments.special_tokens(special_tokens)
    policy = arguments.special_policy(special, names)
    arguments.callback("progress", progress)
    rules = Rules(
        pattern=resolve(pattern),
        borders=names if policy is None else policy,
        refuse_borders=policy is None,
        add_prefix_space=arguments.flag("add_prefix_space", add_prefix_space),
        by_line=arguments.choice("document", document, DOCUMENTS) == "line",
        errors=arguments.choice("errors", errors, ERRORS),
        threads=arguments.threads(threads),
    )
    return count(source, rules, progress)


def count(source: object, rules: Rules, progress: Progress | None = None) -> Tally:
    """Count the pieces of a source by rules that were checked; see `tally`."""
    splitter = Splitter(rules.pattern.name, rules.pattern.regex)
    corpus = open_corpus(source)
    counter = PieceCounter(
        splitter,
        borders=rules.borders,
        refuse_borders=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
        threads=rules.threads,
    )
    run = _Run(counter, rules, _Reports(progress, corpus.n_bytes or 0))
    run.add(corpus)
    return Tally._of(
        counter.finish(),
        rules.pattern,
        documents=run.documents,
        n_bytes=run.n_bytes,
        ordered=corpus.ordered,
        borders=frozenset(rules.borders),
        refused=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
    )


class _Reports:
    """Calls `progress` at most 20 times a second, whoever has news."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress = progress
        self.total = total
        self.last = time.monotonic()

    def at(self, done: int) -> None:
        if self.progress is not None and time.monotonic() - self.last >= _SECONDS_BETWEEN_REPORTS:
            self.progress(done, self.total)
            self.last = time.monotonic()

    def end(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.total)


class _Run:
    """One pass over a corpus."""

    def __init__(self, counter: PieceCounter, rules: Rules, reports: _Reports) -> None:
        self.counter = counter
        self.rules = rules
        self.reports = reports
        self.documents = 0
        self.n_bytes = 0

    def add(self, corpus: Corpus) -> None:
        for part in corpus.parts:
            if isinstance(part, File):
                self._add_file(part)
            else:
                self._add_texts(part)
            self.reports.at(self.n_bytes)
        self.reports.end(self.n_bytes)

    def _add_file(self, file: File) -> None:
        before = self.n_bytes

        def report(done: int, *_: int) -> None:
            self.reports.at(before + done)

        rules = self.rules
        # No callback where nobody listens: it costs a look at the clock.
        listener = report if self.reports.progress is not None else None
        try:
            found = self.counter.add_file(file.path, by_line=rules.by_line, errors=rules.errors, progress=listener)
        except SpecialTokenError as error:
            raise _special_in_file(file, rules.borders, error) from None
        self.documents += found[0]
        self.n_bytes += found[1]

    def _add_texts(self, group: Texts) -> None:
        if self.rules.only_utf8:
            _refuse_other_bytes(group)
        try:
            try:
                n_bytes = self.counter.add_documents(group.texts)
            except UnicodeEncodeError:
                n_bytes = self.counter.add_documents(list(self._mended(group)))
        except SpecialTokenError as error:
            raise _special_in_texts(group, self.rules.borders, error) from None
        self.documents += len(group.texts)
        self.n_bytes += n_bytes

    def _mended(self, group: Texts) -> Iterator[str | bytes]:
        for index, text in enumerate(group.texts, start=group.start):
            if isinstance(text, bytes):
                yield text
            else:
                yield arguments.without_surrogates(text, self.rules.errors, f"document {index} of the source")


def _refuse_other_bytes(group: Texts) -> None:
    for index, text in enumerate(group.texts, start=group.start):
        if isinstance(text, bytes):
            try:
                text.decode()
            except UnicodeDecodeError as error:
                raise EncodingError(
                    f'document {index} of the source is not UTF-8 at byte {error.start}, and alphabet="chars" needs '
                    'characters; decode it first, or use alphabet="bytes"'
                ) from None


def _special_in_texts(group: Texts, borders: tuple[str, ...], error: SpecialTokenError) -> SpecialTokenError:
    for index, text in enumerate(group.texts, start=group.start):
        # bytes.find, so that a str with surrogates needs no care
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        found = _first(data.find, borders)
        if found is not None:
            return _special_found(f"document {index} of the source", *found)
    return error


def _special_in_file(file: File, borders: tuple[str, ...], error: SpecialTokenError) -> SpecialTokenError:
    with Path(file.path).open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = _first(data.find, borders)
    return error if found is None else _special_found(repr(file.path), *found)


def _first(find: Callable[[bytes], int], borders: tuple[str, ...]) -> tuple[str, int] | None:
    """The leftmost special, and where it is."""
    places = [(place, name) for name in borders if (place := find(name.encode())) >= 0]
    return min(places)[::-1] if places else None


def _special_found(where: str, name: str, offset: int) -> SpecialTokenError:
    return SpecialTokenError(
        f'{where} holds the special token {name!r} at byte {offset}, and special="raise" forbids it; take it out, '
        "or pass "
        'special="all" (a border that is not counted) or special="text"'
    )


def _checked_counts(
    counts: Mapping[Piece, int] | Iterable[tuple[Piece, int]],
) -> tuple[list[bytes], list[int]]:
    if isinstance(counts, str | bytes | PathLike) or not isinstance(counts, Iterable):
        raise ArgumentTypeError(
            f"counts is {shown(counts)} ({kind(counts)}); it must map pieces to counts, or hold (piece, count) pairs"
        )
    pieces: list[bytes] = []
    numbers: list[int] = []
    for index, pair in enumerate(counts.items() if isinstance(counts, Mapping) else counts):
        piece, number = _checked_pair(index, pair)
        if piece and number:
            pieces.append(piece)
            numbers.append(number)
    return pieces, numbers


def _checked_pair(index: int, pair: object) -> tuple[bytes, int]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ArgumentTypeError(f"item {index} of counts is {shown(pair)}; it must be a pair (piece, count)")
    piece, number = pair
    if isinstance(piece, str):
        piece = arguments.without_surrogates(piece, "raise", f"piece {index} of counts").encode()
    if not isinstance(piece, bytes):
        raise ArgumentTypeError(f"piece {index} of counts is {shown(piece)} ({kind(piece)}); it must be str or bytes")
    if isinstance(number, bool) or not hasattr(type(number), "__index__"):
        raise ArgumentTypeError(f"the count of {shown(piece)} is {shown(number)} ({kind(number)}); it must be an int")
    value = operator.index(number)
    if value < 0:
        raise ArgumentError(f"the count of {shown(piece)} is {value}; it must be 0 or more")
    if value > arguments.MAX_COUNT:
        raise CountOverflowError(
            f"the count of {shown(piece)} is {value}, past 2**63 - 1; divide all counts by a factor"
        )
    return piece, value
