"""Data sets of Ray -> a tally, or shards: tasks that can be run again anywhere, and give the same each time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Final

from bytepair import arguments
from bytepair._native import is_utf8
from bytepair.arguments import Special, kind, shown
from bytepair.cluster.batches import arrow_module, counted, rules_of, summed, to_batch
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Reading, Source, checked_reading, open_corpus
from bytepair.corpus.parts import BadRecordLog
from bytepair.corpus.tables import rows_of_table
from bytepair.encoding.arrays import numpy_module
from bytepair.errors import ArgumentError, ArgumentTypeError, MissingPackageError
from bytepair.pack import FormatName, Pack, ShardRecord, writing
from bytepair.pack.batches import Batch, Place, Run, batches
from bytepair.pack.encoded import Encoder, sizes_of
from bytepair.pack.filling import Shard, cuts, numbers_of
from bytepair.pack.folder import finished, is_whole, opened
from bytepair.pack.options import SHARD_BYTES, Plan
from bytepair.pack.options import checked as checked_plan
from bytepair.pack.records import MANIFEST, Manifest, write_json
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.progress import checked as checked_progress
from bytepair.tally import Rules, Tally
from bytepair.tally.value import labels_checked
from bytepair.tokenizer import Tokenizer

# Tables of counts that one task adds up.
_FAN_IN: Final = 8
# Where `dataset_of` says where a document comes from.
FILE: Final = "bytepair_file"
RECORD: Final = "bytepair_record"


def connect(address: str | None = None) -> Any:
    """The module `ray`, connected: to the cluster at an address, or to this machine where nothing runs yet.

    Args:
        address: as `ray.init` takes it, such as "auto"; None: what is connected already, else this machine alone.

    Raises:
        MissingPackageError: Ray is not installed.
    """
    ray = _ray()
    if not ray.is_initialized():
        # Ray reports its use to its makers unless it is told not to; who wants that sets the variable.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address is None:
            n_threads = arguments.threads(None)
            ray.init(num_cpus=n_threads, include_dashboard=False, log_to_driver=False, configure_logging=False)
        else:
            ray.init(address=address, log_to_driver=False)
    return ray


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingPackageError(
            f"bytepair.cluster runs on Ray, which cannot be imported ({error}); install it: pip install "
            "'bytepair[ray]'",
            name="ray",
        ) from error
    return ray


def _refuse_others(dataset: object) -> None:
    if not hasattr(dataset, "map_batches") or not hasattr(dataset, "to_arrow_refs"):
        raise ArgumentTypeError(
            f"the data set is {shown(dataset)} ({kind(dataset)}); it must be one of Ray: ray.data.read_parquet(...), "
            "or dataset_of(source) for files as bytepair reads them"
        )


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


def tally(
    dataset: Any,
    *,
    pattern: str,
    field: str = FIELD,
    source: str | None = None,
    shard: str | None = None,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
) -> Tally:
    """Count the pieces of a data set of Ray, each row a document: as `bytepair.tally`, on many machines.

    Blocks are counted where they are read, and only counts travel; tasks add them up eight by eight. A task whose
    worker dies is run again, and gives the same.

    Args:
        dataset: a data set with a column of texts.
        pattern: as in `bytepair.tally`.
        field: the column.
        source: as in `bytepair.tally`.
        shard: as in `bytepair.tally`.
        special_tokens: as in `bytepair.tally`.
        special: as in `bytepair.tally`.
        add_prefix_space: as in `bytepair.tally`.
        errors: as in `bytepair.tally`.
        bad_records: as in `bytepair.tally`.

    Returns:
        The same tally as of one machine, without the order of first appearance.

    Raises:
        MissingPackageError: Ray is not installed.
        BytepairError: as in `bytepair.tally`; what a task raises comes inside an error of Ray's.
    """
    ray = _ray()
    _refuse_others(dataset)
    rules = rules_of(pattern, field, special_tokens, special, add_prefix_space, errors, bad_records, 1)
    labels = labels_checked(source, shard)
    counts = dataset.map_batches(_counted, fn_kwargs={"rules": rules}, batch_size=None, batch_format="pyarrow")
    add = ray.remote(_added).options(max_retries=-1)
    left = counts.to_arrow_refs()
    while len(left) > 1:
        left = [add.remote(rules, *left[start : start + _FAN_IN]) for start in range(0, len(left), _FAN_IN)]
    return summed([ray.get(each) for each in left], rules)._labelled(*labels)


def _counted(block: Any, rules: Rules) -> Any:
    return arrow_module().Table.from_batches([counted(block, rules)])


def _added(rules: Rules, *tables: Any) -> Any:
    return arrow_module().Table.from_batches([to_batch(summed(tables, rules))])


def pack(
    tok: Tokenizer,
    dataset: Any,
    folder: str | PathLike[str],
    *,
    field: str = FIELD,
    format: FormatName = "npy",
    bos: str | int | None = None,
    eos: str | int | None = None,
    sequence: int | None = None,
    pad: str | int | None = None,
    shuffle: int | None = None,
    validation: float = 0.0,
    shard_bytes: int = SHARD_BYTES,
    special: Special = "text",
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    progress: ProgressOption = None,
) -> Pack:
    """Encode a data set of Ray into shards, each row a document: as `bytepair.pack`, on many machines.

    A task writes each shard, whole or not at all, so that a worker that dies changes nothing. The shards are those that
    `bytepair.pack` makes of the same documents in the same order, and a run that was stopped goes on.

    Args:
        tok: the tokenizer; each worker gets it once.
        dataset: a data set with a column of texts, in an order that is the same in every run.
        folder: where the shards go, which every machine of the cluster sees by this name.
        field: the column.
        format: as in `bytepair.pack`.
        bos: as in `bytepair.pack`.
        eos: as in `bytepair.pack`.
        sequence: as in `bytepair.pack`.
        pad: as in `bytepair.pack`.
        shuffle: as in `bytepair.pack`.
        validation: as in `bytepair.pack`.
        shard_bytes: as in `bytepair.pack`; a task holds about as much.
        special: as in `bytepair.pack`.
        errors: as in `bytepair.pack`.
        bad_records: as in `bytepair.pack`.
        progress: as in `bytepair.pack`.

    Returns:
        The shards.

    Raises:
        MissingPackageError: Ray is not installed.
        BytepairError: as in `bytepair.pack`; what a task raises comes inside an error of Ray's.
    """
    _refuse_others(dataset)
    plan = checked_plan(
        tok,
        format=format,
        bos=bos,
        eos=eos,
        sequence=sequence,
        pad=pad,
        shuffle=shuffle,
        validation=validation,
        shard_bytes=shard_bytes,
        special=special,
        document="record",
        field=field,
        errors=errors,
        bad_records=bad_records,
    )
    with watching(checked_progress(progress)) as watch:
        return _Packing(_ray(), tok, dataset, Path(folder).absolute(), plan).whole(watch)


@dataclass(frozen=True, slots=True)
class _Span:
    """Neighbouring documents of a block: from which to which, and the number of the block's first record."""

    start: int
    end: int
    first_record: int


class _Packing:
    """One call of `pack`."""

    def __init__(self, ray: Any, tok: Tokenizer, dataset: Any, folder: Path, plan: Plan) -> None:
        self.ray, self.tok, self.folder, self.plan = ray, tok, folder, plan
        dataset.context.execution_options.preserve_order = True
        self.blocks = dataset.to_arrow_refs()
        self.n_bad = self.n_written = 0

    def whole(self, watch: Watch) -> Pack:
        start = time.perf_counter()
        manifest = opened(self.folder, self.tok, self.plan)
        there = {each.index: each for each in finished(self.folder) if is_whole(self.folder, each)}
        watch.begin("packing")
        records = list(self._records(there, watch))
        done = Manifest(manifest.tokenizer, manifest.n_ids, manifest.options, True, tuple(records), self.n_bad)
        write_json(self.folder / MANIFEST, done.to_json())
        return Pack(self.folder, done, self.n_written, time.perf_counter() - start)

    def _records(self, there: dict[int, ShardRecord], watch: Watch) -> Iterator[ShardRecord]:
        """The records of all shards in their order; a few are under way at a time."""
        write = self.ray.remote(_write).options(max_retries=-1)
        tok, under_way = self.ray.put(self.tok), []
        most = 2 * max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        watch.n_documents = watch.n_tokens = 0
        n_bytes = 0
        for index, (first, parts) in enumerate(self._shards()):
            known = there.get(index)
            if known is None:
                spans, blocks = [span for span, _ in parts], [block for _, block in parts]
                self.n_written += 1
                known = write.remote(tok, self.plan, self.folder, index, first, spans, *blocks)
            under_way.append(known)
            if len(under_way) > most:
                yield (record := self._record(under_way.pop(0)))
                n_bytes = self._told(watch, record, n_bytes)
        for each in under_way:
            yield (record := self._record(each))
            n_bytes = self._told(watch, record, n_bytes)
        watch.bytes_read(n_bytes, n_bytes, last=True)

    def _record(self, one: Any) -> ShardRecord:
        record: ShardRecord = one if isinstance(one, ShardRecord) else self.ray.get(one)
        return record

    @staticmethod
    def _told(watch: Watch, record: ShardRecord, n_bytes: int) -> int:
        watch.n_documents = (watch.n_documents or 0) + record.n_documents
        watch.n_tokens = (watch.n_tokens or 0) + sum(side.n_tokens for side in record.splits.values())
        watch.bytes_read(n_bytes + record.n_bytes, None)
        return n_bytes + record.n_bytes

    def _shards(self) -> Iterator[tuple[int, list[tuple[_Span, Any]]]]:
        """For each shard the number of its first document, and its parts of blocks."""
        measure = self.ray.remote(_measured).options(max_retries=-1)
        sizes_of_blocks = [measure.remote(block, self.plan.reading) for block in self.blocks]
        parts: list[tuple[_Span, Any]] = []
        first = n_documents = n_records = 0
        room = self.plan.shard_bytes
        for block, measured in zip(self.blocks, sizes_of_blocks, strict=True):
            sizes, n_rows, n_bad = self.ray.get(measured)
            begin = 0
            for end in cuts(sizes, room, self.plan.shard_bytes):
                yield first, [*parts, (_Span(begin, end, n_records), block)]
                parts, begin, first, room = [], end, n_documents + end, self.plan.shard_bytes
            if begin < len(sizes):
                parts.append((_Span(begin, len(sizes), n_records), block))
                room -= int(sizes[begin:].sum())
            n_documents, n_records = n_documents + len(sizes), n_records + n_rows
            self.n_bad += n_bad
        if parts:
            yield first, parts


def _measured(block: Any, reading: Reading) -> tuple[Any, int, int]:
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


def _write(
    tok: Tokenizer, plan: Plan, folder: Path, index: int, first: int, spans: Sequence[_Span], *blocks: Any
) -> ShardRecord:
    """Encode and write one shard."""
    encoder, start = Encoder(tok, plan, 1), Place(0, first)
    shard = Shard(index, first, start, start)
    for span, block in zip(spans, blocks, strict=True):
        batch = _batch(block, span, plan.reading, first + shard.n_documents)
        shard.add(batch, encoder.encode(batch), 0, batch.n_documents)
    return writing.write(folder, shard, plan, {})


def _batch(block: Any, span: _Span, reading: Reading, n_before: int) -> Batch:
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
