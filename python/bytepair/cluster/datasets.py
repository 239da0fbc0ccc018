"""Files -> a data set of Ray, each read by a task, with where each document comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bytepair import arguments
from bytepair.cluster.batches import arrow_module
from bytepair.cluster.connecting import connect
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Reading, Source, checked_reading, open_corpus
from bytepair.encoding.arrays import numpy_module
from bytepair.errors import ArgumentError
from bytepair.pack.batches import Batch, Run, batches
from bytepair.pack.filling import numbers_of

# Where `dataset_of` says where a document comes from.
FILE: Final = "bytepair_file"
RECORD: Final = "bytepair_record"


def dataset_of(
    source: Source,
    *,
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
) -> Any:
    """A data set of Ray of the documents in files, read as `bytepair.tally` reads them, each file by a task.

    Args:
        source: a path, a folder, a glob, or a list of paths, which every machine of the cluster sees.
        document: as in `bytepair.tally`.
        field: as in `bytepair.tally`.
        errors: as in `bytepair.tally`.
        bad_records: as in `bytepair.tally`; those that are left out are not counted.

    Returns:
        A data set with the columns `text` (large binary), `bytepair_file` and `bytepair_record`.
    """
    ray, reading = connect(), checked_reading(document, field, errors, bad_records)
    files = open_corpus(source, reading).files
    if files is None:
        raise ArgumentError("the source holds texts, and a cluster reads files; name files, or use ray.data.from_items")
    paths = ray.data.from_items([{"path": file.path} for file in files], override_num_blocks=len(files))
    return paths.map_batches(_documents_of, fn_kwargs={"reading": reading}, batch_size=1, batch_format="pyarrow")


def _documents_of(paths: Any, reading: Reading) -> Iterator[Any]:
    """The documents of files as tables."""
    arrow = arrow_module()
    for path in paths["path"].to_pylist():
        for batch in batches(open_corpus(Path(path), reading), reading):
            texts = [batch.large.read()] if batch.large is not None else batch.texts
            data = [_bytes(text, reading, batch, index) for index, text in enumerate(texts)]
            yield arrow.table(
                [arrow.array(data, arrow.large_binary()), *_places(batch.runs)], names=[FIELD, FILE, RECORD]
            )


def _places(runs: Sequence[Run]) -> tuple[Any, Any]:
    """The columns that say where documents come from; a file's name is held once for all of them."""
    arrow, numpy = arrow_module(), numpy_module()
    indices = numpy.repeat(numpy.arange(len(runs), dtype="int32"), [len(run.records) for run in runs])
    names = arrow.DictionaryArray.from_arrays(indices, arrow.array([run.file for run in runs], arrow.string()))
    return names, arrow.array(numpy.concatenate([numbers_of(run.records) for run in runs]))


def _bytes(text: str | bytes, reading: Reading, batch: Batch, index: int) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return arguments.without_surrogates(text, reading.errors, batch.place(index)).encode()
