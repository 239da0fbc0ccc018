"""Blocks of a data set of Ray -> documents: their sizes, and some of them with where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bytepair._native import is_utf8
from bytepair.cluster.batches import arrow_module
from bytepair.cluster.datasets import FILE, RECORD
from bytepair.corpus import Reading
from bytepair.corpus.parts import BadRecordLog
from bytepair.corpus.tables import rows_of_table
from bytepair.encoding.arrays import numpy_module
from bytepair.pack.batches import Batch, Place, Run
from bytepair.pack.encoded import sizes_of
from bytepair.pack.filling import numbers_of


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring documents of a block: from which to which, and the number of the block's first record."""

    start: int
    end: int
    first_record: int


def measured(block: Any, reading: Reading) -> tuple[Any, int, int]:
    """The bytes of the documents of a block, its rows, and how many of them hold no text."""
    column = _column_of_texts(block, reading)
    if column is not None:
        lengths = arrow_module().compute.binary_length(column)
        return lengths.to_numpy().astype("int64"), len(block), 0
    # The task that encodes them knows their numbers, and raises where that is wanted.
    bad = BadRecordLog("skip")
    texts = [text for _, text in _rows(block, reading, bad, 0)]
    return sizes_of(texts), len(block), bad.n_records


def _column_of_texts(block: Any, reading: Reading) -> Any:
    """The column of the texts, if each row is a document as it is; else None."""
    arrow = arrow_module()
    # Text that is mended may have another size.
    if block.schema.names.count(reading.field) != 1 or reading.errors != "raise":
        return None
    column = block.column(reading.field)
    kinds = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
    return column if column.type in kinds and not column.null_count else None


def _rows(block: Any, reading: Reading, bad: BadRecordLog, first: int) -> Iterator[tuple[int, str | bytes]]:
    for number, text in rows_of_table(block, reading, bad, first):
        if text is not None:
            yield number, text
        elif reading.bad_records == "replace":
            yield number, ""


def batch_of(block: Any, span: Span, reading: Reading, n_before: int) -> Batch:
    """Documents of a block, behind so many of their shard and those before it."""
    first = span.first_record
    column = _column_of_texts(block, reading)
    texts: list[str | bytes] = [] if column is None else column.slice(span.start, span.end - span.start).to_pylist()
    if column is not None and all(type(text) is str or is_utf8(text) for text in texts):  # type: ignore[arg-type]
        rows: Any = range(span.start, span.end)
    else:
        bad = BadRecordLog(reading.bad_records)
        found = list(_rows(block, reading, bad, first))[span.start : span.end]
        texts, rows = [text for _, text in found], [number - first for number, _ in found]
    names = block.schema.names
    if FILE not in names or RECORD not in names:
        return Batch(texts, [Run("", numbers_of(rows) + first, Place(0, n_before))], 0)
    places = numbers_of(rows)
    return Batch(texts, list(_runs(block.column(FILE).take(places), block.column(RECORD).take(places), n_before)), 0)


def _runs(files: Any, records: Any, n_before: int) -> Iterator[Run]:
    """Neighbours of one file together."""
    numpy = numpy_module()
    encoded = files.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if hasattr(encoded, "chunks") else encoded
    indices, numbers = encoded.indices.to_numpy(), records.to_numpy()
    bounds = [0, *(numpy.flatnonzero(numpy.diff(indices)) + 1).tolist(), len(indices)]
    for start, end in pairwise(bounds):
        if start < end:
            yield Run(encoded.dictionary[int(indices[start])].as_py(), numbers[start:end], Place(0, n_before + start))
