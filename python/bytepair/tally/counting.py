"""One pass over a corpus: documents -> tally."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bytepair import arguments
from bytepair._native import PieceCounter, Splitter
from bytepair.arguments import Special
from bytepair.corpus import (
    FIELD,
    BadRecords,
    Corpus,
    Document,
    Errors,
    File,
    Reading,
    Source,
    Stream,
    Texts,
    checked_reading,
    in_order,
    open_corpus,
)
from bytepair.corpus.unpacking import Member
from bytepair.errors import ArgumentError, EncodingError, SpecialTokenError
from bytepair.patterns import Pattern, resolve
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.progress import checked as checked_progress
from bytepair.tally import sample as drawing
from bytepair.tally.about import About
from bytepair.tally.sample import Blocks, Drawing, Sample
from bytepair.tally.spilled import Counts, RunFolder, SpilledCounts
from bytepair.tally.value import Tally, labels_checked

# Less than this would be files of a few pieces.
MIN_MEMORY: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Rules:
    """How documents are cut and counted.

    Args:
        pattern: the split pattern.
        borders: texts of special tokens that cut; they are not counted.
        refuse_borders: whether a border in the text is an error.
        add_prefix_space: whether a space goes in front of text that does not begin with one.
        reading: how files become documents; its `errors` is for lone surrogates, too.
        only_utf8: whether documents given as bytes must be UTF-8.
        threads: how many to use.
        sample: the part of the corpus that is read; None: all of it.
        max_memory: bytes that the counts may take before they go to files; None: as many as there are.
    """

    pattern: Pattern
    borders: tuple[str, ...] = ()
    refuse_borders: bool = False
    add_prefix_space: bool = False
    reading: Reading = field(default_factory=Reading)
    only_utf8: bool = False
    threads: int = 1
    sample: Sample | None = None
    max_memory: int | None = None


def tally(
    corpus: Source,
    /,
    *,
    pattern: str | None = None,
    source: str | None = None,
    shard: str | None = None,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    sample: float | None = None,
    seed: int = 0,
    max_memory: int | str | None = None,
    threads: int | None = None,
    progress: ProgressOption = None,
) -> Tally:
    """Count the pieces of a corpus, to learn from it more than once.

    Args:
        corpus: a path, a folder, a glob, or an iterable of documents (str, bytes) and paths (`pathlib.Path`).
        pattern: how documents are cut: a name or a regular expression. It must be given, since every tally that is to
            go with this one needs the same; "cl100k" is what `train` takes by default.
        source: a label for the counts, such as "web", that `Tally.weighted` can name.
        shard: what you call this part of the corpus. Tallies that both hold a shard do not merge, so that none is
            counted twice.
        special_tokens: texts of special tokens, to be given to `train` as well.
        special: which of them are borders that are not counted: "all", "text" (none), a set of them, or "raise" (none
            may be there).
        add_prefix_space: put a space before each document that does not begin with one.
        document: what one document is: a "file", each "line" of it (with its line end), what stands between its blank
            lines ("blank-line"), or a "record". JSON Lines, CSV, Parquet and Arrow hold records, of each of which the
            text is a document; "record" reads files of other names as JSON Lines.
        field: the key or column that holds the text of a record.
        errors: files that are not UTF-8, and lone surrogates in a str: "raise", "replace" (U+FFFD) or "skip".
        bad_records: records without a text: "raise", "skip" (left out and counted) or "replace" (an empty document).
        sample: the part of the corpus to read, above 0 and at most 1, from everywhere in it; None: all of it. Files are
            read in blocks of about 16 KB, each a document of its own.
        seed: what the sample is drawn by, 0 or more. The same seed and order of documents and files, the same sample.
        max_memory: bytes that the counts may take, such as "200MB"; None: as many as there are. Counts beyond it go
            sorted to the folder for temporary files (TMPDIR names another) and are merged there. The tally is the same,
            but for the order of first appearance, which is lost; it can be saved in as little memory.
        threads: how many to use, at least 1; None: the CPUs of this process. The result is the same.
        progress: True or "auto": show how far it is, where the program runs; "log": in lines on stderr; or a function
            that is called with a `Progress`, at most 10 times a second and at the end.

    Returns:
        The tally, in the order of first appearance. Memory grows with distinct pieces only.

    Raises:
        BytepairError: an argument is wrong, or the corpus cannot be read; see `train`.

    >>> tally(["low lower low"], pattern="whitespace").items()
    [(b'low', 2), (b'lower', 1)]
    """
    names = arguments.special_tokens(special_tokens)
    policy = arguments.special_policy(special, names)
    progress = checked_progress(progress)
    rules = Rules(
        pattern=resolve(pattern),
        borders=names if policy is None else policy,
        refuse_borders=policy is None,
        add_prefix_space=arguments.flag("add_prefix_space", add_prefix_space),
        reading=checked_reading(document, field, errors, bad_records),
        threads=arguments.threads(threads),
        sample=drawing.checked(sample, seed),
        max_memory=None if max_memory is None else max(arguments.size("max_memory", max_memory), MIN_MEMORY),
    )
    labels = labels_checked(source, shard)
    with watching(progress) as watch:
        return count(corpus, rules, watch)._labelled(*labels)


def count(source: object, rules: Rules, watch: Watch) -> Tally:
    """Count the pieces of a source by rules that were checked; see `tally`."""
    splitter = Splitter(rules.pattern.name, rules.pattern.regex)
    if rules.sample is not None and not in_order(source):
        raise ArgumentError(
            "sample draws by the order of the documents, and this source has none (a set); pass a list, sorted"
        )
    corpus = open_corpus(source, rules.reading)
    folder = None if rules.max_memory is None else RunFolder()
    counter = PieceCounter(
        splitter,
        borders=rules.borders,
        refuse_borders=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
        threads=rules.threads,
        spill=None if folder is None else (str(folder.path), rules.max_memory or 0),
    )
    run = _Run(counter, rules, watch, corpus)
    run.add_all()
    runs = counter.finish_runs()
    counts: Counts = counter.finish() if runs is None or folder is None else SpilledCounts(folder, runs)
    watch.n_pieces = counts.n_pieces
    run.tell(last=True)
    about = About(
        pattern=rules.pattern,
        documents=run.documents,
        n_bytes=run.n_bytes,
        borders=frozenset(rules.borders),
        refused=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
        samples=frozenset() if rules.sample is None else frozenset([rules.sample]),
        n_bytes_in_all=None if run.drawing is None else run.drawing.n_bytes,
        bad_records=corpus.bad.n_records,
    )
    return Tally._of({None: counts}, about, ordered=corpus.ordered and runs is None)


class _Run:
    """One pass over a corpus."""

    def __init__(self, counter: PieceCounter, rules: Rules, watch: Watch, corpus: Corpus) -> None:
        self.counter = counter
        self.rules = rules
        self.watch = watch
        self.corpus = corpus
        self.drawing = None if rules.sample is None else Drawing(rules.sample, rules.reading)
        self.documents = 0
        self.n_bytes = 0

    def add_all(self) -> None:
        parts = self.corpus.parts if self.drawing is None else self.drawing.parts(self.corpus.parts)
        for part in parts:
            if isinstance(part, File):
                self._add_file(part)
            elif isinstance(part, Stream):
                self._add_stream(part)
            elif part.texts:
                self._add_texts(part)
            self.watch.n_documents = self.documents
            self.tell()

    def tell(self, n_bytes_more: int = 0, *, last: bool = False) -> None:
        """Of files count the bytes that were gone through, as they lie there, read or not."""
        done = self.n_bytes if self.corpus.n_bytes is None else self.corpus.meter.done
        if self.drawing is not None:
            done = self.drawing.n_bytes
        self.watch.bytes_read(done + n_bytes_more, self.corpus.n_bytes, last=last)

    def _add_file(self, file: File) -> None:
        reading = self.rules.reading
        # No callback where nobody listens: it costs a look at the clock.
        listener = (lambda done, _: self.tell(done)) if self.watch.listens else None
        try:
            found = self.counter.add_file(file.path, by_line=reading.by_line, errors=reading.errors, progress=listener)
        except SpecialTokenError as error:
            raise _special_in_file(file, self.rules.borders, error) from None
        self.documents += found[0]
        self.n_bytes += found[1]
        self.corpus.meter.done += file.n_bytes

    def _add_stream(self, stream: Stream) -> None:
        reading = self.rules.reading
        listener = (lambda _, __: self.tell()) if self.watch.listens else None
        try:
            with Member(stream.name, "", stream.bytes, b"").blamed():
                found = self.counter.add_stream(
                    stream.bytes.read, stream.name, by_line=reading.by_line, errors=reading.errors, progress=listener
                )
        except SpecialTokenError as error:
            # What was read is gone, and with it the place.
            raise SpecialTokenError(
                f'{stream.name!r} holds a special token, and special="raise" forbids it; take it out, or pass '
                'special="all" (a border that is not counted) or special="text"'
            ) from error
        self.documents += found[0]
        self.n_bytes += found[1]

    def _add_texts(self, group: Texts | Blocks) -> None:
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
        self.n_bytes += group.n_bytes if isinstance(group, Blocks) else n_bytes

    def _mended(self, group: Texts | Blocks) -> Iterator[str | bytes]:
        for index, text in enumerate(group.texts):
            if isinstance(text, bytes):
                yield text
            else:
                yield arguments.without_surrogates(text, self.rules.reading.errors, group.place(index)[0])


def _refuse_other_bytes(group: Texts | Blocks) -> None:
    for index, text in enumerate(group.texts):
        if isinstance(text, bytes):
            try:
                text.decode()
            except UnicodeDecodeError as error:
                where, offset = group.place(index, error.start)
                raise EncodingError(
                    f'{where} is not UTF-8 at byte {offset}, and alphabet="chars" needs '
                    'characters; decode it first, or use alphabet="bytes"'
                ) from None


def _special_in_texts(group: Texts | Blocks, borders: tuple[str, ...], error: SpecialTokenError) -> SpecialTokenError:
    for index, text in enumerate(group.texts):
        # bytes.find, so that a str with surrogates needs no care
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        found = _first(data.find, borders)
        if found is not None:
            name, offset = found
            where, offset = group.place(index, offset)
            return _special_found(where, name, offset)
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
