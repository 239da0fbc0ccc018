"""Parquet files, Arrow files and tables in memory -> the texts in one column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bytepair.corpus.parts import BadRecordLog, Meter, Reading, record_of
from bytepair.corpus.paths import unreadable
from bytepair.corpus.records import checked_text, column_of
from bytepair.corpus.unpacking import broken
from bytepair.errors import ArgumentTypeError, BytepairError, CorpusError, MissingPackageError

# A batch of rows is held as a whole.
_ROWS = 4096
# What Arrow raises for a file that asks for what is not there.
_BROKEN = (ValueError, ArithmeticError, LookupError, TypeError, MemoryError, SystemError, RuntimeError)

Numbered = Iterator["tuple[int, str | bytes | None]"]


def is_table(source: object) -> bool:
    """Whether it is a table or column of Arrow, of whatever package."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def rows_of_file(path: str, form: str, n_bytes: int, reading: Reading, bad: BadRecordLog, meter: Meter) -> Numbered:
    """The text of each row of a file, with its number; None where it holds none.

    Args:
        path: the file.
        form: "parquet", "arrow" (a file) or "arrow-stream".
        n_bytes: of the file.
        reading: which column, and what to do about bytes that are not UTF-8.
        bad: told of rows without a text.
        meter: told how far it is.
    """
    arrow = _pyarrow(path)
    before = meter.done
    try:
        n_rows, batches = _parquet(arrow, path, reading) if form == "parquet" else _ipc(arrow, path, form, reading)
        done = 0
        for batch in batches:
            yield from _texts(arrow, _valid(arrow, batch, done, path), done, path, reading, bad)
            done += len(batch)
            meter.done = before + n_bytes * done // max(n_rows or done, 1)
    except BytepairError:
        raise
    except OSError as error:
        # Arrow's own class for what is wrong inside a file is this one, too.
        raise (unreadable(path, error) if error.errno else broken(path, error)) from error
    except (arrow.ArrowException, *_BROKEN) as error:
        raise broken(path, error) from error
    meter.done = before + n_bytes


def _valid(arrow: Any, column: Any, first: int, path: str) -> Any:
    """A column of a file in which no offset leads out of it: Arrow itself trusts them, and reads what is not there."""
    try:
        column.validate()
        _unread(arrow, column).validate(full=True)
    except (arrow.ArrowException, *_BROKEN) as error:
        last = first + max(len(column), 1) - 1
        raise broken(f"records {first} to {last} (from 0) of {path}", error) from error
    return column


def _unread(arrow: Any, column: Any) -> Any:
    """The same column with bytes for its strings: whether they are UTF-8 is seen later, text by text."""
    types = arrow.types
    if types.is_dictionary(column.type):
        return arrow.DictionaryArray.from_arrays(column.indices, _unread(arrow, column.dictionary), safe=False)
    if types.is_string(column.type):
        return column.view(arrow.binary())
    if types.is_large_string(column.type):
        return column.view(arrow.large_binary())
    if hasattr(types, "is_string_view") and types.is_string_view(column.type):
        return column.view(arrow.binary_view())
    return column


def _parquet(arrow: Any, path: str, reading: Reading) -> tuple[int, Iterator[Any]]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(path, pre_buffer=False)
    column_of(file.schema_arrow.names, path, reading)
    batches = file.iter_batches(batch_size=_ROWS, columns=[reading.field])
    return file.metadata.num_rows, (batch.column(0) for batch in batches)


def _ipc(arrow: Any, path: str, form: str, reading: Reading) -> tuple[int | None, Iterator[Any]]:
    import pyarrow.ipc

    source = arrow.memory_map(path)
    if form == "arrow-stream":
        stream = pyarrow.ipc.open_stream(source)
        place = column_of(stream.schema.names, path, reading)
        return None, (batch.column(place) for batch in stream)
    file = pyarrow.ipc.open_file(source)
    place = column_of(file.schema.names, path, reading)
    return None, (file.get_batch(number).column(place) for number in range(file.num_record_batches))


def rows_of_table(source: Any, reading: Reading, bad: BadRecordLog, first: int = 0) -> Numbered:
    """The text of each row of a table, or value of a column, numbered from `first`; None where it holds none."""
    arrow = _pyarrow("the source")
    done = first
    for column in _columns(arrow, source, reading):
        for start in range(0, len(column), _ROWS):
            yield from _texts(arrow, column.slice(start, _ROWS), done + start, None, reading, bad)
        done += len(column)


def _columns(arrow: Any, source: Any, reading: Reading) -> Iterator[Any]:
    try:
        if hasattr(source, "__arrow_c_stream__") and not isinstance(source, arrow.ChunkedArray):
            try:
                batches = arrow.RecordBatchReader.from_stream(source)
            except (arrow.ArrowException, TypeError):
                yield from arrow.chunked_array(source).chunks
                return
            place = column_of(batches.schema.names, "the source", reading)
            yield from (batch.column(place) for batch in batches)
        elif isinstance(source, arrow.ChunkedArray):
            yield from source.chunks
        else:
            array = arrow.array(source)
            if arrow.types.is_struct(array.type):
                array = array.field(column_of([each.name for each in array.type], "the source", reading))
            yield array
    except (arrow.ArrowException, TypeError) as error:
        raise ArgumentTypeError(f"the source is a {type(source).__name__} that Arrow cannot read: {error}") from error


def _texts(arrow: Any, column: Any, first: int, file: str | None, reading: Reading, bad: BadRecordLog) -> Numbered:
    for index, value in enumerate(_values(arrow, column, first, file), start=first):
        if isinstance(value, str):
            yield index, value
        else:
            where = f"record {index} (from 0) of the source" if file is None else record_of(file, index)
            yield index, checked_text(value, where, reading, bad)


def _values(arrow: Any, column: Any, first: int, file: str | None) -> list[Any]:
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError:
        # A column of strings promises UTF-8, and nobody makes sure of it.
        return column.cast(arrow.large_binary()).to_pylist()  # type: ignore[no-any-return]
    except (arrow.ArrowException, *_BROKEN) as error:
        # A date of the year 300,000, say, which Python has no value for.
        place = next((place for place in range(len(column)) if not _has_value(arrow, column[place])), 0)
        where = "the source" if file is None else repr(file)
        raise CorpusError(
            f"record {first + place} (from 0) of {where} holds a value that cannot be read "
            f"({str(error) or type(error).__name__}); mend it, or leave it out"
        ) from error


def _has_value(arrow: Any, scalar: Any) -> bool:
    try:
        scalar.as_py()
    except (arrow.ArrowException, *_BROKEN):
        return False
    return True


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPackageError(
            f"{name!r} is a table, and the package pyarrow, which reads it, cannot be imported ({error}); install it: "
            "pip install 'bytepair[corpora]'",
            name="pyarrow",
        ) from error
    return pyarrow
