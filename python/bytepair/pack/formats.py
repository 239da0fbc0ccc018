"""The documents of a shard -> files, and back: .npy, raw .bin, Megatron's .bin and .idx, Parquet.

Source of the index: Megatron-LM's `megatron/core/datasets/indexed_dataset.py`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from bytepair.encoding.arrays import numpy_module
from bytepair.errors import FormatError, MissingPackageError
from bytepair.pack.filling import Table
from bytepair.pack.options import FormatName

# Writes the contents of a file.
Writer: TypeAlias = Callable[[BinaryIO], object]

MEGATRON: Final = b"MMIDIDX\x00\x00"
_MEGATRON_TYPES: Final = {"uint16": 8, "int32": 4}
_ROWS_TOKENS: Final = 1 << 20
NO_DOCUMENT: Final = -1


@dataclass(frozen=True, slots=True)
class Written:
    """What is written of one side of a shard.

    Args:
        table: its documents.
        ids: all ids in a row; of whole sequences where there are such.
        sequence: tokens of a sequence; None: there are none.
        owners: int32, the row of the document of each token, -1 for padding; None where there are no sequences.
        n_left_out: tokens at the end that fill no sequence.
    """

    table: Table
    ids: Any
    sequence: int | None = None
    owners: Any = None
    n_left_out: int = 0

    @property
    def rows(self) -> Any:
        """How many tokens stand in each sequence, or in each document."""
        if self.sequence is None:
            return self.table.counts
        return numpy_module().full(len(self.ids) // self.sequence, self.sequence, dtype="int64")


def written(table: Table, sequence: int | None, pad: int | None) -> Written:
    """Cut the ids into sequences, if that is asked for; the last is filled up with `pad`, or left out without."""
    numpy = numpy_module()
    if sequence is None:
        return Written(table, table.ids)
    owners = numpy.repeat(numpy.arange(len(table.counts), dtype="int32"), table.counts)
    n_over = len(table.ids) % sequence
    if not n_over:
        return Written(table, table.ids, sequence, owners)
    if pad is None:
        n_kept = len(table.ids) - n_over
        return Written(table, table.ids[:n_kept], sequence, owners[:n_kept], n_over)
    n_more = sequence - n_over
    ids = numpy.concatenate([table.ids, numpy.full(n_more, pad, dtype=table.ids.dtype)])
    return Written(table, ids, sequence, numpy.concatenate([owners, numpy.full(n_more, NO_DOCUMENT, "int32")]))


def files_of(format: FormatName, name: str, shard: Written) -> Iterator[tuple[str, Writer]]:
    """The files of one side of a shard: (name, what writes it), the side tables last."""
    yield from _WRITERS[format](name, shard)
    if shard.owners is not None and format != "parquet":
        yield f"{name}.owners.npy", lambda file: _write_npy(file, shard.owners.reshape(-1, shard.sequence))
    yield f"{name}.documents.npy", lambda file: _write_npy(file, documents_of(shard.table))


def documents_of(table: Table) -> Any:
    """The side table: where each document is in the row of ids, and where it comes from."""
    numpy = numpy_module()
    fields = [("start", "<i8"), ("n_tokens", "<i8"), ("document", "<i8"), ("file", "<i4"), ("record", "<i8")]
    rows = numpy.empty(len(table.counts), dtype=fields)
    rows["start"] = numpy.cumsum(table.counts) - table.counts
    rows["n_tokens"], rows["document"] = table.counts, table.documents
    rows["file"], rows["record"] = table.files, table.records
    return rows


def _npy(name: str, shard: Written) -> Iterator[tuple[str, Writer]]:
    ids = shard.ids if shard.sequence is None else shard.ids.reshape(-1, shard.sequence)
    yield f"{name}.npy", lambda file: _write_npy(file, ids)


def _write_npy(file: BinaryIO, array: Any) -> None:
    numpy = numpy_module()
    array = numpy.ascontiguousarray(_little(array))
    header = {"descr": numpy.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape}
    numpy.lib.format.write_array_header_1_0(file, header)
    file.write(array.data)


def _little(array: Any) -> Any:
    return array if array.dtype.names else array.astype(array.dtype.newbyteorder("<"), copy=False)


def _raw(name: str, shard: Written) -> Iterator[tuple[str, Writer]]:
    yield f"{name}.bin", lambda file: file.write(_little(shard.ids).data)
    shape = [len(shard.ids)] if shard.sequence is None else [len(shard.rows), shard.sequence]
    about = {"dtype": str(shard.ids.dtype), "byte_order": "little", "shape": shape}
    yield f"{name}.bin.json", lambda file: file.write(json.dumps(about).encode())


def _megatron(name: str, shard: Written) -> Iterator[tuple[str, Writer]]:
    yield f"{name}.bin", lambda file: file.write(_little(shard.ids).data)
    yield f"{name}.idx", lambda file: _write_index(file, shard)


def _write_index(file: BinaryIO, shard: Written) -> None:
    """Sizes and places of the sequences (documents, where there are none); each is a document for Megatron."""
    numpy, rows = numpy_module(), shard.rows
    file.write(MEGATRON)
    file.write(struct.pack("<QBQQ", 1, _MEGATRON_TYPES[str(shard.ids.dtype)], len(rows), len(rows) + 1))
    file.write(rows.astype("<i4").data)
    file.write(((numpy.cumsum(rows) - rows) * shard.ids.dtype.itemsize).astype("<i8").data)
    file.write(numpy.arange(len(rows) + 1, dtype="<i8").data)


def _parquet(name: str, shard: Written) -> Iterator[tuple[str, Writer]]:
    yield f"{name}.parquet", lambda file: _write_parquet(file, shard)


def _write_parquet(file: BinaryIO, shard: Written) -> None:
    """A row for each sequence, with the documents of its tokens, or for each document, with where it comes from."""
    arrow, numpy = parquet_module(), numpy_module()
    ends = numpy.cumsum(shard.rows)
    table = shard.table
    bounds = numpy.unique(numpy.searchsorted(ends, numpy.arange(0, len(shard.ids) + _ROWS_TOKENS, _ROWS_TOKENS)))
    bounds = [0, *(each for each in bounds.tolist() if 0 < each < len(ends)), len(ends)]
    writer = None
    for first, last in pairwise(bounds):
        begin = int(ends[first] - shard.rows[first]) if last else 0
        end = int(ends[last - 1]) if last else 0
        offsets = arrow.array(numpy.concatenate([[0], ends[first:last] - begin]), arrow.int64())
        lists = {"ids": arrow.LargeListArray.from_arrays(offsets, arrow.array(shard.ids[begin:end]))}
        if shard.owners is not None:
            lists["documents"] = arrow.LargeListArray.from_arrays(offsets, arrow.array(shard.owners[begin:end]))
        else:
            for column in ("documents", "files", "records"):
                lists[column.removesuffix("s")] = arrow.array(getattr(table, column)[first:last])
        batch = arrow.table(lists)
        writer = writer or arrow.parquet.ParquetWriter(
            file, batch.schema, compression="zstd", store_schema=True, use_dictionary=False, write_page_checksum=True
        )
        writer.write_table(batch, row_group_size=max(len(batch), 1))
    if writer is not None:
        writer.close()


_WRITERS: Final[dict[str, Callable[[str, Written], Iterator[tuple[str, Writer]]]]] = {
    "npy": _npy,
    "bin": _raw,
    "megatron": _megatron,
    "parquet": _parquet,
}


def ids_in(folder: Path, format: FormatName, name: str, dtype: str) -> Any:
    """All ids of one side of a shard in a row, mapped from the file where that can be done."""
    numpy = numpy_module()
    if format == "npy":
        return numpy.load(folder / f"{name}.npy", mmap_mode="r").reshape(-1)
    if format == "parquet":
        column = parquet_module().parquet.read_table(folder / f"{name}.parquet", columns=["ids"])["ids"]
        return numpy.concatenate([chunk.flatten().to_numpy() for chunk in column.chunks])
    path = folder / f"{name}.bin"
    if not path.stat().st_size:
        return numpy.empty(0, dtype)
    return numpy.memmap(path, dtype=numpy.dtype(dtype).newbyteorder("<"), mode="r")


def documents_in(folder: Path, name: str) -> Any:
    """The side table of one side of a shard."""
    return numpy_module().load(folder / f"{name}.documents.npy")


def check_index(folder: Path, name: str, n_tokens: int, dtype: str) -> None:
    """Whether Megatron's index says what the ids are.

    Raises:
        FormatError: it does not.
    """
    data = (folder / f"{name}.idx").read_bytes()
    version, code, n_rows, n_documents = struct.unpack_from("<QBQQ", data, len(MEGATRON))
    sizes = numpy_module().frombuffer(data, "<i4", n_rows, len(MEGATRON) + 25)
    if (
        not data.startswith(MEGATRON)
        or (version, code, n_documents) != (1, _MEGATRON_TYPES[dtype], n_rows + 1)
        or sizes.sum() != n_tokens
    ):
        raise FormatError(f"'{folder / name}.idx' is no index of the ids beside it; delete it and pack again")


def parquet_module() -> Any:
    """PyArrow with Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingPackageError(
            f'format="parquet" needs pyarrow, which cannot be imported ({error}); install it: pip install '
            "'bytepair[corpora]', or choose another format",
            name="pyarrow",
        ) from error
    return pyarrow
