"""Encoded documents -> shards: where one ends, which part of it is for validation, and in which order it is written.

A shard is a run of neighbouring documents with at least `shard_bytes` of text, the last one excepted. So it depends on
the corpus and the options alone, and can be made again by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from bytepair.encoding.arrays import numpy_module
from bytepair.pack.batches import Batch, Place
from bytepair.pack.encoded import Encoded
from bytepair.pack.inputs import TextHash

SPLITS: Final = ("train", "validation")
# Tokens gathered at a time: each takes some eight bytes more for a moment.
_GATHERED: Final = 1 << 20


class Column:
    """Numbers to which more are added, held once.

    >>> import numpy
    >>> column = Column()
    >>> column.add(numpy.array([1, 2])), column.add(numpy.array([3])), column.whole().tolist()
    (None, None, [1, 2, 3])
    """

    __slots__ = ("_data", "_dtype")

    def __init__(self) -> None:
        # It grows in place, where arrays in a list would be copied into another as large in the end.
        self._data, self._dtype = bytearray(), "uint8"

    def add(self, numbers: Any) -> None:
        """Put numbers behind those that are there, all of one type."""
        self._dtype = numbers.dtype
        if len(numbers):
            self._data += memoryview(numpy_module().ascontiguousarray(numbers)).cast("B")

    def whole(self) -> Any:
        """All of them as an array; none may be added from then on."""
        return numpy_module().frombuffer(self._data, self._dtype)


@dataclass(slots=True)
class Split:
    """The documents of a shard on one side of the split.

    Args:
        ids: of all in a row.
        counts: of tokens, of each.
        files: the number of the file of each document among those of the shard.
        records: the number of each in its file or in the source.
        documents: the number of each in the corpus.
    """

    ids: Column = field(default_factory=Column)
    counts: Column = field(default_factory=Column)
    files: Column = field(default_factory=Column)
    records: Column = field(default_factory=Column)
    documents: Column = field(default_factory=Column)


@dataclass(slots=True)
class Shard:
    """What was gathered for a shard.

    Args:
        index: its number, from 0.
        first: the number of its first document in the corpus.
        start: where reading begins for it.
        end: where it goes on behind it.
        n_documents: how many it has.
        n_bytes: of their text.
        files: the files that they come from, in their order.
        splits: by name.
        texts: the hash of the documents; None where their files are hashed.
    """

    index: int
    first: int
    start: Place
    end: Place
    n_documents: int = 0
    n_bytes: int = 0
    files: dict[str, int] = field(default_factory=dict)
    splits: dict[str, Split] = field(default_factory=lambda: {name: Split() for name in SPLITS})
    texts: TextHash | None = field(default_factory=TextHash)

    def add(self, batch: Batch, encoded: Encoded, start: int, end: int) -> None:
        """Take some neighbouring documents of a batch."""
        numpy = numpy_module()
        bounds = numpy.concatenate([[0], numpy.cumsum(encoded.counts)])
        ids, counts = encoded.ids[bounds[start] : bounds[end]], encoded.counts[start:end]
        runs = list(batch.within(start, end))
        if self.texts is not None and batch.large is None:
            self.texts.add(batch.texts[start:end], encoded.n_bytes[start:end])
        numbers = [self.files.setdefault(run.file, len(self.files)) for run in runs]
        sizes = [len(run.records) for run in runs]
        columns = (
            numpy.repeat(numpy.array(numbers, dtype="int32"), sizes),
            numpy.concatenate([numbers_of(run.records) for run in runs]),
            numpy.arange(self.first + self.n_documents, self.first + self.n_documents + end - start),
        )
        for name, chosen in self._sides(encoded, start, end):
            self._put(self.splits[name], ids, counts, columns, chosen)
        self.n_documents += end - start
        self.n_bytes += int(encoded.n_bytes[start:end].sum())
        last = runs[-1]
        self.end = replace(last.before, n_documents=last.before.n_documents + len(last.records))

    @staticmethod
    def _sides(encoded: Encoded, start: int, end: int) -> Iterator[tuple[str, Any]]:
        """The splits, and which of the documents go there; None: all."""
        if encoded.validates is None:
            yield "train", None
        else:
            yield "train", ~encoded.validates[start:end]
            yield "validation", encoded.validates[start:end]

    @staticmethod
    def _put(split: Split, ids: Any, counts: Any, columns: Sequence[Any], chosen: Any) -> None:
        if chosen is not None:
            ids = ids[numpy_module().repeat(chosen, counts)]
            counts, *columns = (each[chosen] for each in (counts, *columns))
        split.ids.add(ids)
        split.counts.add(counts)
        for target, column in zip((split.files, split.records, split.documents), columns, strict=True):
            target.add(column)


def numbers_of(records: Sequence[int]) -> Any:
    """Numbers as an array, most often a range."""
    numpy = numpy_module()
    if isinstance(records, range):
        return numpy.arange(records.start, records.stop, records.step)
    return numpy.array(records, dtype="int64")


def cuts(n_bytes: Any, room: int, shard_bytes: int) -> list[int]:
    """Behind which of some documents a shard ends, by their bytes, where the shard under way lacks `room` bytes.

    >>> import numpy as np
    >>> cuts(np.array([5, 5, 20, 1]), 7, 10)
    [2, 3]
    """
    numpy = numpy_module()
    done = numpy.cumsum(n_bytes)
    ends, wanted = [], room
    while (place := int(numpy.searchsorted(done, wanted))) < len(done):
        ends.append(place + 1)
        wanted = int(done[place]) + shard_bytes
    return ends


@dataclass(frozen=True, slots=True)
class Table:
    """The documents of one side of a shard, in the order in which they are written.

    Args:
        ids: of all documents in a row.
        counts: int64, of each document.
        files: int32, the file of each among those of the shard.
        records: int64, its number there.
        documents: int64, its number in the corpus.
    """

    ids: Any
    counts: Any
    files: Any
    records: Any
    documents: Any


def table_of(split: Split, seed: int | None) -> Table | None:
    """A split as one table, shuffled if there is a seed; None where it has no documents."""
    numpy = numpy_module()
    ids, counts, files, records, documents = (
        column.whole() for column in (split.ids, split.counts, split.files, split.records, split.documents)
    )
    if not len(counts):
        return None
    if seed is None:
        return Table(ids, counts, files, records, documents)
    order = numpy.argsort(_drawn(documents, seed), kind="stable")
    gathered = _gathered(ids, counts, order)
    return Table(gathered, counts[order], files[order], records[order], documents[order])


def _drawn(documents: Any, seed: int) -> Any:
    """A number for each document that looks random and will be the same in every version: splitmix64's.

    Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014.
    """
    numpy = numpy_module()
    with numpy.errstate(over="ignore"):
        state = (documents.astype("uint64") + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        for factor, shift in ((0, 0), (0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
            state = (state ^ (state >> numpy.uint64(shift))) * numpy.uint64(factor) if factor else state + _mixed(seed)
        return state ^ (state >> numpy.uint64(31))


def _mixed(seed: int) -> Any:
    return numpy_module().uint64(seed * 0xD1342543DE82EF95 % 2**64)


def _gathered(ids: Any, counts: Any, order: Any) -> Any:
    """The ids of the documents in another order."""
    numpy = numpy_module()
    starts = numpy.cumsum(counts) - counts
    ends = numpy.cumsum(counts[order])
    gathered = numpy.empty_like(ids)
    marks = numpy.arange(0, len(ids) + _GATHERED, _GATHERED)
    bounds = sorted({0, len(order), *numpy.searchsorted(ends, marks).tolist()})
    for first, last in pairwise(bounds):
        some = order[first:last]
        sizes = counts[some]
        begin, end = int(ends[first] - sizes[0]), int(ends[last - 1])
        places = numpy.repeat(starts[some] - (numpy.cumsum(sizes) - sizes), sizes)
        places += numpy.arange(end - begin)
        gathered[begin:end] = ids[places]
    return gathered
