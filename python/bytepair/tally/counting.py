"""One pass over a corpus: documents -> tally."""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bytepair import arguments
from bytepair._native import PieceCounter, Splitter
from bytepair.arguments import Special
from bytepair.corpus import Corpus, File, Source, Texts, open_corpus
from bytepair.errors import EncodingError, SpecialTokenError
from bytepair.patterns import Pattern, resolve
from bytepair.tally.about import About
from bytepair.tally.value import Tally, labels_checked

Progress: TypeAlias = Callable[[int, int], object]

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


def tally(
    corpus: Source,
    /,
    *,
    pattern: str,
    source: str | None = None,
    shard: str | None = None,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
    document: Literal["file", "line"] = "file",
    errors: Literal["raise", "replace", "skip"] = "raise",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tally:
    """Count the pieces of a corpus, to learn from it more than once.

    Args:
        corpus: a path, a folder, a glob, or an iterable of documents (str, bytes) and paths (`pathlib.Path`).
        pattern: how documents are cut: a name or a regular expression.
        source: a label for the counts, such as "web", that `Tally.weighted` can name.
        shard: what you call this part of the corpus. Tallies that both hold a shard do not merge, so that none is
            counted twice.
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
        BytepairError: an argument is wrong, or the corpus cannot be read; see `train`.

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
    labels = labels_checked(source, shard)
    return count(corpus, rules, progress)._labelled(*labels)


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
    about = About(
        pattern=rules.pattern,
        documents=run.documents,
        n_bytes=run.n_bytes,
        borders=frozenset(rules.borders),
        refused=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
    )
    return Tally._of({None: counter.finish()}, about, ordered=corpus.ordered)


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
