"""Files of records as text, JSON Lines and CSV -> the texts in them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

from bytepair.arguments import kind, shown
from bytepair.corpus.parts import BadRecordLog, Reading, record_of, utf8
from bytepair.errors import BytepairError, CorpusError

# A record is held as a whole, and a line without an end would take all memory.
MAX_RECORD: Final = 1 << 30


def json_lines(name: str, stream: BinaryIO, reading: Reading, bad: BadRecordLog) -> Iterator[tuple[int, str | None]]:
    """The text of each line of JSON that is not blank, with the number of the line; None where it holds none."""
    number = offset = 0
    while line := stream.readline(MAX_RECORD):
        if len(line) == MAX_RECORD:
            raise too_long(record_of(name, number))
        if not line.isspace():
            yield number, _text_of_line(line, record_of(name, number), offset, reading, bad)
        number, offset = number + 1, offset + len(line)


def too_long(where: str) -> CorpusError:
    """What to raise where a record or document is so long that nobody meant it."""
    return CorpusError(f"{where} has more than {MAX_RECORD:,} bytes, which are held at once; leave it out")


def _text_of_line(line: bytes, where: str, offset: int, reading: Reading, bad: BadRecordLog) -> str | None:
    try:
        record = json.loads(utf8(line, reading.errors, where, offset).removeprefix(b"\xef\xbb\xbf"))
    except BytepairError:
        raise
    except (ValueError, RecursionError) as error:
        bad.add(where, f"is no JSON ({error})")
        return None
    if not isinstance(record, Mapping):
        bad.add(where, f"is {shown(record)}, no object with a key {reading.field!r}")
        return None
    return text_of(record, where, reading, bad)  # type: ignore[return-value]  # JSON has no bytes


def text_of(record: Mapping[str, Any], where: str, reading: Reading, bad: BadRecordLog) -> str | bytes | None:
    """The text of a record; None where it holds none."""
    try:
        value = record[reading.field]
    except KeyError:
        bad.add(where, f"has no {reading.field!r} among its keys {shown(list(record), 200)}; field=... names another")
        return None
    return checked_text(value, where, reading, bad)


def checked_text(value: object, where: str, reading: Reading, bad: BadRecordLog) -> str | bytes | None:
    """The value if it is a text; None where it is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return utf8(value, reading.errors, where)
    bad.add(where, f"has {shown(value)} ({kind(value)}) as its {reading.field!r}, which is no text")
    return None


def csv_rows(name: str, stream: BinaryIO, reading: Reading, bad: BadRecordLog) -> Iterator[tuple[int, str | None]]:
    """The text of each row of CSV with a header, with its number; None where it holds none."""
    rows = csv.reader(_decoded(name, stream, reading), strict=True)
    before = csv.field_size_limit(MAX_RECORD)
    try:
        header = next(rows, None)
        if header is None:
            return
        place = column_of(header, name, reading)
        for number, row in enumerate(rows):
            if row:
                yield number, _text_of_row(row, place, record_of(name, number), len(header), bad)
    except csv.Error as error:
        raise CorpusError(f"{name!r} is no CSV at line {rows.line_num}: {error}; mend it, or leave it out") from error
    finally:
        csv.field_size_limit(before)


def _decoded(name: str, stream: BinaryIO, reading: Reading) -> Iterator[str]:
    """Lines as text, with their ends; a mark at the beginning is none of it."""
    number = offset = 0
    while line := stream.readline(MAX_RECORD):
        number += 1
        if len(line) == MAX_RECORD:
            raise too_long(f"line {number} of {name!r}")
        text = utf8(line, reading.errors, repr(name), offset).decode()
        yield text.removeprefix("\ufeff") if offset == 0 else text
        offset += len(line)


def _text_of_row(row: list[str], place: int, where: str, n_columns: int, bad: BadRecordLog) -> str | None:
    if len(row) == n_columns:
        return row[place]
    bad.add(where, f"has {len(row)} columns where the header has {n_columns}")
    return None


def column_of(names: list[str], where: str, reading: Reading) -> int:
    """The place of the column that holds the text.

    Raises:
        CorpusError: there is none, or more than one.
    """
    if names.count(reading.field) != 1:
        found = "more than one" if reading.field in names else "no"
        raise CorpusError(
            f"{where!r} has {found} column {reading.field!r} among {shown(names, 200)}; field=... names the one that "
            "holds the text"
        )
    return names.index(reading.field)
