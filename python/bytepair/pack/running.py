"""One pass over a corpus: documents -> shards in a folder; what is there already is checked and passed over."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from pathlib import Path

from bytepair import arguments
from bytepair.arguments import Special
from bytepair.corpus import FIELD, BadRecords, Corpus, Document, Errors, Hashed, Source, in_order, open_corpus
from bytepair.corpus.parts import size_of
from bytepair.errors import ArgumentError, CorpusError
from bytepair.pack import formats, writing
from bytepair.pack.batches import Place, ahead, batches
from bytepair.pack.encoded import Encoder
from bytepair.pack.filling import Shard, cuts
from bytepair.pack.folder import (
    all_whole,
    alone,
    check_inputs,
    finished,
    opened,
    path_of,
    read_so_far,
    refuse_other_kind,
    remove_inputs,
    remove_shards,
)
from bytepair.pack.inputs import Inputs, PassedOver
from bytepair.pack.options import SHARD_BYTES, FormatName, Plan, checked
from bytepair.pack.records import MANIFEST, Manifest, ShardRecord, write_json
from bytepair.pack.value import Pack
from bytepair.progress import ProgressOption, Watch, watching
from bytepair.progress import checked as checked_progress
from bytepair.tokenizer import Tokenizer


def pack(
    tok: Tokenizer,
    source: Source,
    folder: str | PathLike[str],
    *,
    format: FormatName = "npy",
    bos: str | int | None = None,
    eos: str | int | None = None,
    sequence: int | None = None,
    pad: str | int | None = None,
    shuffle: int | None = None,
    validation: float = 0.0,
    shard_bytes: int | str = SHARD_BYTES,
    special: Special = "text",
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    threads: int | None = None,
    progress: ProgressOption = None,
) -> Pack:
    """Encode a corpus into files that training reads: shards of ids in a folder.

    A run that was stopped, in whatever way, goes on where it was when the same call is made again; so does one whose
    shards were damaged. The shards are the same as without the stop, and on any number of threads. Memory holds about
    two shards, as ids. Needs NumPy: `pip install 'bytepair[numpy]'`.

    Args:
        tok: the tokenizer.
        source: as in `tally`; in an order that is the same in every run.
        folder: where the shards go. It is made if need be, and holds nothing else.
        format: "npy" (NumPy arrays), "bin" (the bare ids, and what they are beside them), "megatron" (.bin and .idx) or
            "parquet" (a list a row).
        bos: the special token, or the id of a token, that is put before each document; None: nothing.
        eos: the one that is put behind each document.
        sequence: cut the ids of a shard into sequences of so many, across the borders of documents; the document of
            each token is written beside them. None: the documents stay as they are.
        pad: what fills the last sequence of a shard; None: the tokens that do not fill it are left out, and counted.
        shuffle: a seed, 0 or more, by which the documents are shuffled within each shard; which of them a shard holds
            stays. For an order over the whole corpus, give the source in it. None: they keep their order.
        validation: the part of the documents, 0 to 1, that goes to files of its own. The hash of a document's text
            decides, so the same text is always on the same side.
        shard_bytes: bytes of text after which a shard ends, at the end of a document; an int, or such as "100MB".
        special: what to do with the text of special tokens in documents, as in `Tokenizer.encode`.
        document: what one document is in a file, as in `tally`.
        field: the key or column that holds the text of a record.
        errors: text that is not UTF-8, as in `tally`.
        bad_records: records without a text, as in `tally`.
        threads: how many to use for encoding, at least 1; None: the CPUs of this process.
        progress: as in `train`.

    Returns:
        The shards: `documents()` reads them again, `verify()` checks them.

    Raises:
        ArgumentError: an argument is wrong; or the folder holds shards of another tokenizer or other options.
        CorpusError, UnreadableFileError: the corpus cannot be read, or has changed since a shard was written; or a file
            cannot be written. The finished shards are whole, and the message says how to go on.
    """
    plan = checked(
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
        document=document,
        field=field,
        errors=errors,
        bad_records=bad_records,
    )
    n_threads, progress = arguments.threads(threads), checked_progress(progress)
    if plan.format == "parquet":
        formats.parquet_module()
    if not in_order(source):
        raise ArgumentError("the source is a set, whose order is another in every run; pass a list, sorted")
    run = _Run(tok, source, path_of(folder), plan, n_threads)
    with watching(progress) as watch:
        return run.whole(watch)


class _Run:
    """One call of `pack`."""

    def __init__(self, tok: Tokenizer, source: Source, folder: Path, plan: Plan, threads: int) -> None:
        self.tok, self.source, self.folder, self.plan = tok, source, folder, plan
        self.encoder = Encoder(tok, plan, threads)
        self.threads = threads
        self.inputs: Inputs | None = None
        self.passed: PassedOver | None = None
        self.opened: Corpus | None = None
        self.n_written = self.n_documents = self.n_tokens = self.bad = 0

    def whole(self, watch: Watch) -> Pack:
        """All that is left to do."""
        start = time.perf_counter()
        corpus = self._corpus()
        with alone(self.folder):
            return self._packed(corpus, start, watch)

    def _packed(self, corpus: Corpus, start: float, watch: Watch) -> Pack:
        manifest = opened(self.folder, self.tok, self.plan)
        records = self._held(corpus, manifest, watch)
        is_right = all_whole(self.folder, records, self.threads, watch)
        if manifest.complete and all(is_right):
            if self.inputs is None:
                self._hold(corpus, records, watch)
            remove_inputs(self.folder)
            return Pack(self.folder, manifest, 0, time.perf_counter() - start)
        if self.inputs is None:
            # What is no files may be readable once only: all from the first damaged shard on is made in one pass.
            records = records[: (*is_right, False).index(False)]
            self.passed, self.opened = PassedOver(records), corpus
        records = self._mended(records, is_right, watch)
        last = records[-1] if records else None
        where = (
            len(records),
            Place() if last is None else last.end,
            0 if last is None else last.first + last.n_documents,
        )
        for record in self._shards(*where, records, watch):
            records.append(record)
        return self._completed(manifest, records, start)

    def _held(self, corpus: Corpus, manifest: Manifest, watch: Watch) -> list[ShardRecord]:
        """The shards that are there, once the files of the corpus are held against those that they were made of."""
        records = list(manifest.shards) if manifest.complete else finished(self.folder)
        if not records and not manifest.complete:
            self.inputs = None if corpus.files is None else Inputs(corpus.files)
            return records
        refuse_other_kind(self.folder, manifest, records, corpus.files is not None)
        if corpus.files is None:
            return records
        self.inputs, before = Inputs(corpus.files), list(manifest.inputs or ())
        if not manifest.complete:
            records, before = read_so_far(self.folder, records)
        if before or manifest.complete:
            self.inputs.hold(before, complete=manifest.complete, threads=self.threads, watch=watch)
        return records

    def _completed(self, manifest: Manifest, records: list[ShardRecord], start: float) -> Pack:
        files = None
        if self.inputs is not None:
            self.inputs.refuse_changes()
            files = self.inputs.whole
        done = Manifest(manifest.tokenizer, manifest.n_ids, manifest.options, True, tuple(records), self.bad, files)
        remove_shards(self.folder, len(records))
        write_json(self.folder / MANIFEST, done.to_json())
        remove_inputs(self.folder)
        return Pack(self.folder, done, self.n_written, time.perf_counter() - start)

    def _corpus(self) -> Corpus:
        """The corpus without what this folder holds; a source of files becomes a list of them."""
        corpus = open_corpus(self.source, self.plan.reading, outside=str(self.folder))
        if corpus.files is not None:
            if not corpus.files and self.source != []:
                raise CorpusError(f"the corpus is nothing but the folder '{self.folder}' itself; name the text, or -o")
            # From here on these and no others, whatever appears in a folder meanwhile.
            self.source = [Path(file.path) for file in corpus.files]
        return corpus

    def _hold(self, corpus: Corpus, records: Sequence[ShardRecord], watch: Watch) -> None:
        """Documents that are in shards, against the hashes of those."""
        passed, done = PassedOver(records), 0
        watch.begin("checking")
        for batch in ahead(batches(corpus, self.plan.reading)):
            passed.take(batch, batch.n_documents)
            done += size_of(batch.texts)
            watch.bytes_read(done, None)
        passed.end()

    def _mended(self, records: list[ShardRecord], is_right: Sequence[bool], watch: Watch) -> list[ShardRecord]:
        """The same shards; what is not what was written is made again."""
        for place, record in enumerate(records):
            if not is_right[place]:
                records[place] = next(self._shards(record.index, record.start, record.first, records[:place], watch))
            else:
                self.n_documents += record.n_documents
                self.n_tokens += sum(side.n_tokens for side in record.splits.values())
        return records

    def _shards(
        self, index: int, start: Place, first: int, before: list[ShardRecord], watch: Watch
    ) -> Iterator[ShardRecord]:
        """The shards from a place of the corpus on; one is written while the next one is gathered."""
        corpus = self.opened or open_corpus(self.source, self.plan.reading, start.n_files)
        sizes = check_inputs(corpus, before)
        if self.inputs is not None and not before:
            corpus.meter.hashing = self.inputs.hashing
        watch.begin("packing", corpus.meter.done)
        with ThreadPoolExecutor(1, thread_name_prefix="bytepair-writing") as thread:
            under_way = None
            for shard in self._gathered(corpus, self._shard(index, first, start), watch):
                inputs = None if self.inputs is None else self._inputs_of(self.inputs, shard)
                if under_way is not None:
                    yield under_way.result()
                under_way = thread.submit(writing.write, self.folder, shard, self.plan, sizes, inputs)
                self.n_written += 1
            if under_way is not None:
                yield under_way.result()
        self.bad = start.n_bad + corpus.bad.n_records
        self._tell(watch, 0, 0, corpus.meter.done, corpus, last=True)

    @staticmethod
    def _inputs_of(inputs: Inputs, shard: Shard) -> dict[int, Hashed]:
        """The files that were read for a shard, which are still those that were read."""
        inputs.refuse_changes(shard.files)
        n_files = shard.end.n_files + bool(shard.end.n_documents)
        return {index: inputs.of(index) for index in range(shard.start.n_files, n_files)}

    def _shard(self, index: int, first: int, start: Place) -> Shard:
        shard = Shard(index, first, start, start)
        if self.inputs is not None:
            shard.texts = None
        return shard

    def _gathered(self, corpus: Corpus, shard: Shard, watch: Watch) -> Iterator[Shard]:
        """The documents of a corpus from the start of a shard on, shard by shard."""
        n_over = shard.first if corpus.files is None else shard.start.n_documents
        for batch in ahead(batches(corpus, self.plan.reading, shard.start.n_bad)):
            n_here = min(n_over, batch.n_documents)
            n_over -= n_here
            if n_here and self.passed is not None:
                self.passed.take(batch, n_here)
            if n_here == batch.n_documents:
                continue
            left = batch.behind(n_here)
            encoded, begin = self.encoder.encode(left), 0
            for end in cuts(encoded.n_bytes, self.plan.shard_bytes - shard.n_bytes, self.plan.shard_bytes):
                shard.add(left, encoded, begin, end)
                yield shard
                shard, begin = self._shard(shard.index + 1, shard.first + shard.n_documents, shard.end), end
            if begin < left.n_documents:
                shard.add(left, encoded, begin, left.n_documents)
            self._tell(watch, left.n_documents, len(encoded.ids), batch.done, corpus)
        if self.passed is not None:
            self.passed.end()
        if shard.n_documents:
            yield shard

    def _tell(
        self, watch: Watch, n_documents: int, n_tokens: int, done: int, corpus: Corpus, *, last: bool = False
    ) -> None:
        self.n_documents += n_documents
        self.n_tokens += n_tokens
        watch.n_documents, watch.n_tokens = self.n_documents, self.n_tokens
        watch.bytes_read(done, corpus.n_bytes, last=last)
