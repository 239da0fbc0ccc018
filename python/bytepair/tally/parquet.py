"""Counted pieces as Parquet: columns `piece`, `count` and maybe `source`, sorted, with what the tally says beside.

The same content gives the same bytes with the same release of pyarrow.
"""

from __future__ import annotations

import heapq
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from os import PathLike
from typing import Any, BinaryIO, Final, TypeAlias

from bytepair.arguments import MAX_COUNT, shown
from bytepair.errors import BytepairError, CountOverflowError, FormatError, MissingPackageError
from bytepair.tally.spilled import Counts, SpilledCounts

Column: TypeAlias = "tuple[list[bytes], list[int]]"

MAGIC: Final = b"PAR1"
KEY: Final = b"bytepair"

# A group of rows is held in memory as a whole, by writers and readers.
_ROWS: Final = 1 << 20
# Sorting cannot be interrupted, so it goes by ranges that take a part of a second.
_RUN: Final = 1 << 18

_OPTIONS: Final = {
    "version": "2.6",
    "compression": "zstd",
    "compression_level": 3,
    "data_page_size": 1 << 20,
    "data_page_version": "1.0",
    "write_batch_size": 1024,
    "write_statistics": True,
    "write_page_checksum": True,
    "store_schema": False,
    "use_dictionary": ["source"],
    # Sorted pieces begin alike: half the size of plain ones (measured on Shakespeare's words, after zstd).
    "column_encoding": {"piece": "DELTA_BYTE_ARRAY", "count": "DELTA_BINARY_PACKED"},
}


def written(parts: Mapping[str | None, Column], about: str, with_sources: bool) -> bytes:
    """The contents of a tally file.

    Args:
        parts: for each source (None: no label) its distinct pieces and their counts.
        about: what stands beside, as JSON.
        with_sources: whether there is a column of sources.
    """
    pa = _pyarrow()
    schema = _schema(with_sources)
    rows = _sorted(pa.concat_tables(_table(part, source, schema) for source, part in parts.items()))
    file = io.BytesIO()
    # In one chunk each, because chunks show in the file.
    groups = (rows.slice(first, _ROWS).combine_chunks() for first in range(0, len(rows), _ROWS))
    _write(file, groups, about, schema)
    return file.getvalue()


def check_installed() -> None:
    """Raise MissingPackageError where there is no pyarrow."""
    _pyarrow()


def write_sorted(file: BinaryIO, parts: Mapping[str | None, Counts], about: str, with_sources: bool) -> None:
    """Write the same as `written`, in little memory: by way of sorted runs."""
    schema = _schema(with_sources)
    only = next(iter(parts.items()))
    groups = _runs(*only, schema) if len(parts) == 1 else _mixed(parts, schema)
    _write(file, groups, about, schema)


def _runs(source: str | None, counts: Counts, schema: Any) -> Iterator[Any]:
    """Groups of rows of one source, as they lie in its run."""
    pa = _pyarrow()
    spilled = counts if isinstance(counts, SpilledCounts) else SpilledCounts.of([counts])
    for n_rows, offsets, data, numbers in spilled.columns(_ROWS):
        pieces = pa.Array.from_buffers(pa.large_binary(), n_rows, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
        columns = [pieces, pa.Array.from_buffers(pa.int64(), n_rows, [None, pa.py_buffer(numbers)])]
        columns += [pa.repeat(pa.scalar(source, pa.string()), n_rows)] * (len(schema) - 2)
        yield pa.Table.from_arrays(columns, schema=schema)


def _mixed(parts: Mapping[str | None, Counts], schema: Any) -> Iterator[Any]:
    """Groups of rows of several sources, sorted by piece, then source, none first."""
    pa = _pyarrow()
    rows = heapq.merge(*(_rows(source or "", counts) for source, counts in parts.items()))
    while group := list(islice(rows, _ROWS)):
        pieces, sources, numbers = zip(*group, strict=True)
        columns = [pieces, numbers, [source or None for source in sources]]
        arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
        yield pa.Table.from_arrays(arrays, schema=schema)


def _rows(source: str, counts: Counts) -> Iterator[tuple[bytes, str, int]]:
    spilled = counts if isinstance(counts, SpilledCounts) else SpilledCounts.of([counts])
    for _, offsets, data, numbers in spilled.columns():
        bounds = memoryview(offsets).cast("q").tolist()
        for (start, end), number in zip(pairwise(bounds), memoryview(numbers).cast("q"), strict=True):
            yield bytes(data[start:end]), source, number


def _schema(with_sources: bool) -> Any:
    pa = _pyarrow()
    columns = [("piece", pa.large_binary(), False), ("count", pa.int64(), False), ("source", pa.string(), True)]
    return pa.schema([pa.field(*column) for column in columns[: 3 if with_sources else 2]])


def _write(file: BinaryIO, groups: Iterable[Any], about: str, schema: Any) -> None:
    """Groups of sorted rows; in each but the last there are `_ROWS`."""
    options = _OPTIONS if "source" in schema.names else _OPTIONS | {"use_dictionary": False}
    with _pyarrow().parquet.ParquetWriter(file, schema, **options) as writer:
        writer.add_key_value_metadata({KEY.decode(): about})
        for group in groups:
            writer.write_table(group, row_group_size=_ROWS)


def _table(part: Column, source: str | None, schema: Any) -> Any:
    pa = _pyarrow()
    # No source is "" until the rows are sorted: how nulls are sorted is said in other words in each pyarrow.
    values = [*part, pa.repeat(pa.scalar(source or "", pa.string()), len(part[0]))][: len(schema)]
    arrays = [pa.array(column, each.type) for column, each in zip(values, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _sorted(table: Any) -> Any:
    """Rows by piece, then source, none first, where it becomes null."""
    pa = _pyarrow()
    keys = [(name, "ascending") for name in table.schema.names if name != "count"]
    ranges = []
    for low, high in pairwise([None, *_bounds(table), None]):
        rows = table
        if low is not None:
            rows = rows.filter(pa.compute.greater_equal(rows["piece"], low))
        if high is not None:
            rows = rows.filter(pa.compute.less(rows["piece"], high))
        ranges.append(rows.take(pa.compute.sort_indices(rows, keys)))
    whole = pa.concat_tables(ranges)
    if "source" not in table.schema.names:
        return whole
    sources = pa.compute.if_else(pa.compute.equal(whole["source"], ""), pa.scalar(None, pa.string()), whole["source"])
    return whole.set_column(2, table.schema.field("source"), sources)


def _bounds(table: Any) -> list[Any]:
    """Pieces between which there are about `_RUN` rows each."""
    pa = _pyarrow()
    if len(table) <= _RUN:
        return []
    sample = sorted(table["piece"].take(pa.array(range(0, len(table), _RUN // 64))).to_pylist())
    return [pa.scalar(piece, pa.large_binary()) for piece in sample[64::64]]


def has_counts(path: str | PathLike[str]) -> bool:
    """Whether a Parquet file has a column of pieces or counts, or is broken, of which `read` says more."""
    pa = _pyarrow()
    try:
        names = pa.parquet.read_schema(path).names
    except (pa.ArrowException, OSError, ValueError):
        return True
    return "piece" in names or "count" in names


def read(
    path: str | PathLike[str],
    where: str,
    max_rows: int | None = None,
    take: Callable[[dict[str | None, Column]], object] | None = None,
) -> tuple[dict[str | None, Column], bytes | None]:
    """Read counted pieces.

    Args:
        path: a file that begins with `MAGIC`.
        where: what to call it in messages.
        max_rows: how many may be held; None: all.
        take: takes those that are held when they are so many, and need not be returned.

    Returns:
        For each source (None: no label) its pieces and counts, in the order of the rows; and what stands beside as
        JSON, None where nothing does.

    Raises:
        MissingPackageError: there is no pyarrow.
        FormatError: the file is broken, a column is missing or of a wrong type, or a row is wrong; named.
        CountOverflowError: a count passes 2**63 - 1.
    """
    pa = _pyarrow()
    try:
        with pa.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            names = _checked_names(file.schema_arrow, where)
            parts: dict[str | None, Column] = {}
            first = 0
            for batch in file.iter_batches(batch_size=1 << 16, columns=names):
                _add(parts, [batch.column(name) for name in names], first, where)
                first += batch.num_rows
                if (
                    take is not None
                    and max_rows is not None
                    and sum(len(part[0]) for part in parts.values()) >= max_rows
                ):
                    take(parts)
                    parts = {}
            return parts, (file.metadata.metadata or {}).get(KEY)
    except BytepairError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = shown(str(error).strip().split("\n")[0], 200)
        raise FormatError(f"{where}: the Parquet file is broken or cut short, get it again: {reason}") from error


def _checked_names(schema: Any, where: str) -> list[str]:
    pa = _pyarrow()
    binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_string, pa.types.is_large_string)
    texts = (pa.types.is_string, pa.types.is_large_string)
    expected = {"piece": ("binary", binary), "count": ("int64", (pa.types.is_integer,)), "source": ("string", texts)}
    names = [name for name in expected if name != "source" or name in schema.names]
    for name in names:
        wanted, checks = expected[name]
        if schema.names.count(name) != 1:
            found = "no" if name not in schema.names else "more than one"
            raise FormatError(
                f"{where}: it has {found} column {name!r} among {shown(schema.names, 200)}; a tally has piece "
                "(binary), count (int64) and maybe source (string)"
            )
        found = schema.field(name).type
        if not any(check(found) for check in checks):
            raise FormatError(f"{where}: the column {name!r} is of type {found}; it must be {wanted}")
    return names


def _add(parts: dict[str | None, Column], columns: list[Any], first: int, where: str) -> None:
    """Sort the rows of a batch, the first of which has the number `first`, to their sources."""
    pa = _pyarrow()
    pieces: list[bytes] = columns[0].cast(pa.large_binary()).to_pylist()
    counts: list[int] = columns[1].to_pylist()
    _check_rows(pieces, counts, columns, first, where)
    if len(columns) == 2 or columns[2].null_count == len(pieces):
        _extend(parts, None, pieces, counts)
        return
    by_source: dict[str | None, Column] = {}
    for piece, count, source in zip(pieces, counts, columns[2].to_pylist(), strict=True):
        mine = by_source.setdefault(source or None, ([], []))
        mine[0].append(piece)
        mine[1].append(count)
    for source, mine in by_source.items():
        _extend(parts, source, *mine)


def _extend(parts: dict[str | None, Column], source: str | None, pieces: list[bytes], counts: list[int]) -> None:
    mine = parts.setdefault(source, ([], []))
    mine[0].extend(pieces)
    mine[1].extend(counts)


def _check_rows(pieces: list[bytes], counts: list[int], columns: list[Any], first: int, where: str) -> None:
    for name, column in zip(("piece", "count"), columns, strict=False):
        if column.null_count:
            row = first + column.to_pylist().index(None)
            raise FormatError(f"{where}: row {row} (from 0) has no {name}; every row must have one")
    if counts and min(counts) < 0:
        row = _first_row(count < 0 for count in counts)
        raise FormatError(
            f"{where}: row {first + row} (from 0), {shown(pieces[row])}, has the count {counts[row]}; it must be 0 or "
            "more"
        )
    if counts and max(counts) > MAX_COUNT:
        row = _first_row(count > MAX_COUNT for count in counts)
        raise CountOverflowError(
            f"{where}: row {first + row} (from 0), {shown(pieces[row])}, has the count {counts[row]}, past 2**63 - 1; "
            "divide all counts by a factor"
        )


def _first_row(wrong: Iterable[bool]) -> int:
    return next(row for row, each in enumerate(wrong) if each)


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise MissingPackageError(
            "tally files are Parquet, and pyarrow, which reads and writes it, cannot be imported "
            f"({error}); install it: pip install 'bytepair[parquet]'",
            name="pyarrow",
        ) from error
    return pyarrow
