"""A shard -> its files, each whole or not at all, and last its record, which says that the shard is there."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from bytepair import whole_file
from bytepair.corpus import Hashed
from bytepair.errors import UnreadableFileError
from bytepair.pack.filling import Shard, table_of
from bytepair.pack.formats import Writer, Written, files_of, written
from bytepair.pack.options import Plan
from bytepair.pack.records import (
    FileRecord,
    ShardRecord,
    SplitRecord,
    inputs_name,
    inputs_to_json,
    record_name,
    write_json,
)


def write(
    folder: Path, shard: Shard, plan: Plan, sizes: Mapping[str, int], inputs: Mapping[int, Hashed] | None = None
) -> ShardRecord:
    """Write a shard.

    Args:
        folder: where to.
        shard: what was gathered.
        plan: the format, sequences, shuffling.
        sizes: the bytes of each file of the corpus by its path, where it is known.
        inputs: the files that were read for it, by their numbers in the corpus; None: it is not made of files.

    Raises:
        UnreadableFileError: it cannot be written; says what to do next.
    """
    files: list[FileRecord] = []
    splits: dict[str, SplitRecord] = {}
    try:
        for name, split in shard.splits.items():
            seed = None if plan.shuffle is None else plan.shuffle
            table = table_of(split, seed)
            if table is not None:
                made = written(table, plan.sequence, plan.pad)
                files += [_file(folder, *each) for each in files_of(plan.format, side_name(name, shard.index), made)]
                splits[name] = _described(made)
        record = ShardRecord(
            index=shard.index,
            first=shard.first,
            n_documents=shard.n_documents,
            n_bytes=shard.n_bytes,
            start=shard.start,
            end=shard.end,
            inputs=tuple((path, sizes.get(path)) for path in shard.files),
            files=tuple(files),
            splits=splits,
            texts="" if shard.texts is None else shard.texts.value(),
        )
        if inputs is not None:
            write_json(folder / inputs_name(shard.index), inputs_to_json(inputs))
        write_json(folder / record_name(shard.index), record.to_json())
    except UnreadableFileError as error:
        raise _stopped(error, shard.index) from error
    return record


def side_name(split: str, index: int) -> str:
    """What the files of one side of a shard begin with."""
    return f"{split}-{index:05d}"


def _described(made: Written) -> SplitRecord:
    return SplitRecord(
        n_documents=len(made.table.counts),
        n_tokens=len(made.ids),
        n_sequences=None if made.sequence is None else len(made.rows),
        n_left_out=made.n_left_out,
    )


class _Hashing:
    """A file that knows the hash of what was written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.n_bytes = 0
        self.closed = False

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B") if len(data) else memoryview(b"")
        self.hash.update(view)
        self.n_bytes += len(view)
        self._file.write(view)
        return len(view)

    def flush(self) -> None:
        self._file.flush()


def _file(folder: Path, name: str, write: Writer) -> FileRecord:
    with whole_file.replacing(folder / name, follow=False) as file:
        hashing = _Hashing(file)
        write(hashing)  # type: ignore[arg-type]  # all that writers ask for
    return FileRecord(name, hashing.n_bytes, hashing.hash.hexdigest())


def _stopped(error: UnreadableFileError, n_finished: int) -> UnreadableFileError:
    """The error, with what to do next."""
    cause = error.__cause__
    full = isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    todo = "make room on the disk" if full else "make the folder writable"
    stopped = type(error)(
        f"{error}; {n_finished:,} finished shards are whole: {todo}, then run the same again to go on"
    )
    stopped.filename = error.filename
    return stopped
