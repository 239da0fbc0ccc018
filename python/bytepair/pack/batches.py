"""A corpus -> documents in batches, each with where it comes from; read ahead of those who encode them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from bytepair.corpus import Corpus, Group, Part, Reading, Stream, Texts, cut_stream, utf8
from bytepair.corpus.parts import size_of
from bytepair.corpus.unpacking import Member, members, rejoined

# A file that is one document and larger than this is encoded in parts.
LARGE: Final = 1 << 26
_GROUP_BYTES: Final = 4_000_000
_GROUP_DOCUMENTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """Where reading can go on: behind so many files, and so many documents of the next one.

    Args:
        n_files: files that were gone through.
        n_documents: of the next file.
        n_bad: records without a text in the files that were gone through.
    """

    n_files: int = 0
    n_documents: int = 0
    n_bad: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring documents of one file, or of the source.

    Args:
        file: the file; "" for documents that were given as such.
        records: the number of each, from 0: in its file, or in the source.
        before: where reading goes on before the first of them.
    """

    file: str
    records: Sequence[int]
    before: Place


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents in the order of the corpus.

    Args:
        texts: the documents; none where `large` is one.
        runs: where they come from, in the same order.
        done: bytes of the files that were gone through when it was read.
        large: a document that is too large to be held, to be read before the next batch is asked for.
    """

    texts: Group
    runs: list[Run]
    done: int
    large: BinaryIO | None = None

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return 1 if self.large is not None else len(self.texts)

    def within(self, start: int, end: int) -> Iterator[Run]:
        """Where the documents `start` to `end` come from."""
        first = 0
        for run in self.runs:
            low, high = max(start - first, 0), min(end - first, len(run.records))
            if low < high:
                before = replace(run.before, n_documents=run.before.n_documents + low)
                yield Run(run.file, run.records[low:high], before)
            first += len(run.records)

    def place(self, index: int) -> str:
        """What messages call a document."""
        run = next(self.within(index, index + 1))
        number = run.records[0]
        return f"document {number} (from 0) of {run.file!r}" if run.file else f"document {number} of the source"

    def behind(self, first: int) -> Batch:
        """The same without its first documents."""
        return (
            replace(self, texts=self.texts[first:], runs=list(self.within(first, self.n_documents))) if first else self
        )


def batches(corpus: Corpus, reading: Reading, n_bad_before: int = 0) -> Iterator[Batch]:
    """The documents of a corpus; small files together. `n_bad_before`: in the files that are passed over."""
    texts: Group = []
    runs: list[Run] = []
    size = 0
    place = Place(-1)
    for part in corpus.parts:
        if corpus.meter.n_files != place.n_files:
            place = Place(corpus.meter.n_files, 0, n_bad_before + corpus.meter.n_bad)
        for group in _read(part, corpus, reading):
            is_large = isinstance(group, Stream)
            if texts and (is_large or size >= _GROUP_BYTES or len(texts) >= _GROUP_DOCUMENTS):
                yield Batch(texts, runs, corpus.meter.done)
                texts, runs, size = [], [], 0
            if isinstance(group, Stream):
                yield Batch([], [Run(group.name, [0], place)], corpus.meter.done, group.bytes)
                place = replace(place, n_documents=place.n_documents + 1)
            else:
                runs.append(Run(group.file or "", group.indices, place))
                place = replace(place, n_documents=place.n_documents + len(group.texts))
                # Most groups are large enough by themselves, and need no copy.
                texts = [*texts, *group.texts] if texts else group.texts
                size += size_of(group.texts)
    if texts:
        yield Batch(texts, runs, corpus.meter.done)


def _read(part: Part, corpus: Corpus, reading: Reading) -> Iterator[Texts | Stream]:
    """A part as texts; a large document as a stream."""
    if isinstance(part, Texts):
        yield part
        return
    opened = [Member(part.name, "", part.bytes, b"")] if isinstance(part, Stream) else members(part.path, corpus.meter)
    for member in opened:
        with member.blamed():
            if reading.by_line:
                yield from cut_stream(member.name, member.stream, reading)
                continue
            text = member.stream.read(LARGE)
            if len(text) == LARGE:
                yield Stream(member.name, rejoined(member.name, text, member.stream))
            else:
                yield Texts([0], [utf8(text, reading.errors, repr(member.name))], member.name)


def ahead(items: Iterator[Batch]) -> Iterator[Batch]:
    """The same batches; the next one is made in a thread of its own while this one is worked on."""
    with ThreadPoolExecutor(1, thread_name_prefix="bytepair-reading") as thread:
        coming = thread.submit(next, items, None)
        while (batch := coming.result()) is not None:
            if batch.large is None:
                coming = thread.submit(next, items, None)
                yield batch
            else:
                yield batch
                coming = thread.submit(next, items, None)
