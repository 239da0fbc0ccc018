"""Data sets of Ray -> shards: tasks that can be run again anywhere, and give the same each time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from bytepair.arguments import Special
from bytepair.cluster.blocks import Span, batch_of, measured
from bytepair.cluster.connecting import ray_module, refuse_others
from bytepair.corpus import FIELD, BadRecords, Errors
from bytepair.errors import CorpusError
from bytepair.pack import FormatName, Pack, ShardRecord, formats, writing
from bytepair.pack.batches import Place
from bytepair.pack.encoded import Encoder
from bytepair.pack.filling import Shard, cuts
from bytepair.pack.folder import all_whole, alone, finished, opened, path_of, refuse_other_kind, remove_shards
from bytepair.pack.inputs import REMEDY, PassedOver
from bytepair.pack.options import SHARD_BYTES, Plan
from bytepair.pack.options import checked as checked_plan
from bytepair.pack.records import MANIFEST, Manifest, write_json
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.progress import checked as checked_progress
from bytepair.tokenizer import Tokenizer


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
    `bytepair.pack` makes of the same documents in the same order. A run that was stopped goes on; the documents of the
    shards that are there are held against their hashes, wherever they were read from.

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
        CorpusError: the documents are not those that finished shards were made of.
        BytepairError: as in `bytepair.pack`; what a task raises comes inside an error of Ray's.
    """
    refuse_others(dataset)
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
    if plan.format == "parquet":
        formats.parquet_module()
    with watching(checked_progress(progress)) as watch:
        return _Packing(ray_module(), tok, dataset, path_of(folder).absolute(), plan).whole(watch)


class _Packing:
    """One call of `pack`."""

    def __init__(self, ray: Any, tok: Tokenizer, dataset: Any, folder: Path, plan: Plan) -> None:
        self.ray, self.tok, self.folder, self.plan = ray, tok, folder, plan
        dataset.context.execution_options.preserve_order = True
        self.blocks = dataset.to_arrow_refs()
        self.n_bad = self.n_written = 0

    def whole(self, watch: Watch) -> Pack:
        with alone(self.folder):
            return self._packed(watch)

    def _packed(self, watch: Watch) -> Pack:
        start = time.perf_counter()
        manifest = opened(self.folder, self.tok, self.plan)
        found = finished(self.folder)
        refuse_other_kind(self.folder, manifest, found, of_files=False)
        is_right = all_whole(self.folder, found, 1, watch)
        there = {each.index: each for each, is_there in zip(found, is_right, strict=True) if is_there}
        watch.begin("packing")
        records = list(self._records(there, watch))
        _refuse_other_shards(found, len(records), complete=manifest.complete)
        remove_shards(self.folder, len(records))
        done = Manifest(manifest.tokenizer, manifest.n_ids, manifest.options, True, tuple(records), self.n_bad)
        write_json(self.folder / MANIFEST, done.to_json())
        return Pack(self.folder, done, self.n_written, time.perf_counter() - start)

    def _records(self, there: dict[int, ShardRecord], watch: Watch) -> Iterator[ShardRecord]:
        """The records of all shards in their order; a few are under way at a time."""
        write = self.ray.remote(_write).options(max_retries=-1)
        check = self.ray.remote(_checked).options(max_retries=-1)
        tok, under_way = self.ray.put(self.tok), []
        most = 2 * max(int(self.ray.cluster_resources().get("CPU", 1)), 1)
        watch.n_documents = watch.n_tokens = 0
        n_bytes = 0
        for index, (first, parts) in enumerate(self._shards()):
            spans, blocks = [span for span, _ in parts], [block for _, block in parts]
            if index in there:
                under_way.append(check.remote(self.plan, there[index], spans, *blocks))
            else:
                self.n_written += 1
                under_way.append(write.remote(tok, self.plan, self.folder, index, first, spans, *blocks))
            if len(under_way) > most:
                yield (record := self.ray.get(under_way.pop(0)))
                n_bytes = self._told(watch, record, n_bytes)
        for each in under_way:
            yield (record := self.ray.get(each))
            n_bytes = self._told(watch, record, n_bytes)
        watch.bytes_read(n_bytes, n_bytes, last=True)

    @staticmethod
    def _told(watch: Watch, record: ShardRecord, n_bytes: int) -> int:
        watch.n_documents = (watch.n_documents or 0) + record.n_documents
        watch.n_tokens = (watch.n_tokens or 0) + sum(side.n_tokens for side in record.splits.values())
        watch.bytes_read(n_bytes + record.n_bytes, None)
        return n_bytes + record.n_bytes

    def _shards(self) -> Iterator[tuple[int, list[tuple[Span, Any]]]]:
        """For each shard the number of its first document, and its parts of blocks."""
        measure = self.ray.remote(measured).options(max_retries=-1)
        sizes_of_blocks = [measure.remote(block, self.plan.reading) for block in self.blocks]
        parts: list[tuple[Span, Any]] = []
        first = n_documents = n_records = 0
        room = self.plan.shard_bytes
        for block, found in zip(self.blocks, sizes_of_blocks, strict=True):
            sizes, n_rows, n_bad = self.ray.get(found)
            begin = 0
            for end in cuts(sizes, room, self.plan.shard_bytes):
                yield first, [*parts, (Span(begin, end, n_records), block)]
                parts, begin, first, room = [], end, n_documents + end, self.plan.shard_bytes
            if begin < len(sizes):
                parts.append((Span(begin, len(sizes), n_records), block))
                room -= int(sizes[begin:].sum())
            n_documents, n_records = n_documents + len(sizes), n_records + n_rows
            self.n_bad += n_bad
        if parts:
            yield first, parts


def _write(
    tok: Tokenizer, plan: Plan, folder: Path, index: int, first: int, spans: Sequence[Span], *blocks: Any
) -> ShardRecord:
    """Encode and write one shard."""
    encoder, start = Encoder(tok, plan, 1), Place(0, first)
    shard = Shard(index, first, start, start)
    for span, block in zip(spans, blocks, strict=True):
        batch = batch_of(block, span, plan.reading, first + shard.n_documents)
        shard.add(batch, encoder.encode(batch), 0, batch.n_documents)
    return writing.write(folder, shard, plan, {})


def _checked(plan: Plan, record: ShardRecord, spans: Sequence[Span], *blocks: Any) -> ShardRecord:
    """The record of a finished shard, if it was made of these documents."""
    n_documents = sum(span.end - span.start for span in spans)
    if n_documents != record.n_documents:
        raise CorpusError(
            f"shard {record.index} was made of {record.n_documents:,} documents, and the source has {n_documents:,} "
            f"there now; {REMEDY}"
        )
    passed, n_before = PassedOver([record]), record.first
    for span, block in zip(spans, blocks, strict=True):
        batch = batch_of(block, span, plan.reading, n_before)
        passed.take(batch, batch.n_documents)
        n_before += batch.n_documents
    return record


def _refuse_other_shards(before: Sequence[ShardRecord], n_shards: int, *, complete: bool) -> None:
    if n_shards < len(before) or (complete and n_shards > len(before)):
        raise CorpusError(
            f"the documents of the source make {n_shards:,} shards now, and {len(before):,} were made of it; {REMEDY}"
        )
