"""Sources -> a corpus: files, folders, globs, texts in a list, tables, data sets, and streams of any of them.

A `str` or path alone names a file, a folder (its files, sorted, hidden ones left out) or a glob. In a list or another
iterable a path names files, a `str` or `bytes` is a document, and a mapping is a record.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike

from bytepair.arguments import kind, shown
from bytepair.corpus import records, tables
from bytepair.corpus.grouping import Groups
from bytepair.corpus.parts import BadRecordLog, Corpus, File, Part, Reading
from bytepair.corpus.paths import files
from bytepair.corpus.reading import Found, Reader, look_at
from bytepair.errors import ArgumentTypeError, CorpusError


def open_corpus(source: object, reading: Reading | None = None, first: int = 0, outside: str | None = None) -> Corpus:
    """Check a source as far as it can be seen without being used up, and hand out its parts.

    Args:
        source: as the module's docstring says.
        reading: how files and records become documents.
        first: how many files are passed over, where the source holds nothing but files.
        outside: a folder whose files are left out, whatever names them.

    Returns:
        The corpus. Items of a list were all checked; those of another iterable are checked as they come.

    Raises:
        ArgumentTypeError: the source, or an item of it, has a type that is no source.
        MissingFileError: a path names nothing.
        UnreadableFileError: a file cannot be read (PermissionDeniedError where permissions forbid it).
        CorpusError: a folder holds no file, strings that name files stand where documents are expected, or a file is
            broken or a record has no text.
        EncodingError: a file begins as UTF-16 or UTF-32.

    >>> [part.texts for part in open_corpus(["one", b"two"]).parts]
    [['one', b'two']]
    """
    reading = reading or Reading()
    reader = Reader(reading, bad=BadRecordLog(reading.bad_records))
    if isinstance(source, str | PathLike):
        return _corpus_of_files(_found(source, reading, outside), reader, first)
    if tables.is_table(source):
        return _corpus(
            reader, reader.texts(None, tables.rows_of_table(source, reading, reader.bad)), None, ordered=True
        )
    _refuse_other_types(source)
    assert isinstance(source, Iterable)  # for mypy; the line above raised otherwise
    if isinstance(source, Sequence):
        return _corpus_of_sequence(source, reader, first, outside)
    return _corpus(reader, _parts(_watched(source), reader, None, outside), None, ordered=in_order(source))


def _corpus_of_files(found: list[Found], reader: Reader, first: int) -> Corpus:
    reader.meter.n_files, reader.meter.done = first, sum(file.n_bytes for file in found[:first])
    return Corpus(
        _files(reader, found[first:]),
        sum(file.n_bytes for file in found),
        ordered=True,
        meter=reader.meter,
        bad=reader.bad,
        files=tuple(File(file.path, file.n_bytes) for file in found),
    )


def _corpus(reader: Reader, parts: Iterator[Part], n_bytes: int | None, *, ordered: bool) -> Corpus:
    return Corpus(parts, n_bytes, ordered, reader.meter, reader.bad)


def in_order(source: object) -> bool:
    """Whether a source has the same order in every run; it is not touched."""
    return not isinstance(source, set | frozenset)


def _files(reader: Reader, found: Iterable[Found]) -> Iterator[Part]:
    hashing = reader.meter.hashing
    for each in found:
        if hashing is not None:
            hashing.begin(each.path)
        yield from reader.parts(each)
        if hashing is not None:
            hashing.end()
        reader.meter.n_files += 1
        reader.meter.n_bad = reader.bad.n_records


def _refuse_other_types(source: object) -> None:
    if isinstance(source, bytes | bytearray | memoryview):
        raise ArgumentTypeError(f"the source is {kind(source)}; put the text in a list: [{shown(source)}]")
    if isinstance(source, Mapping):
        raise ArgumentTypeError(
            f"the source is a {kind(source)}; for pieces and counts say Tally.from_counts(counts, pattern=...), and "
            "of several data sets name one by its key"
        )
    if isinstance(source, io.IOBase):
        # It would be read line by line, each a document, where its path is one document.
        raise ArgumentTypeError(
            f"the source is an open file ({kind(source)}); pass its path, or its text: [file.read()]"
        )
    if not isinstance(source, Iterable):
        raise ArgumentTypeError(
            f"the source is {shown(source)} ({kind(source)}); it must be a path, a list or other iterable of documents "
            "(str, bytes) and paths (pathlib.Path), or a Tally"
        )


def _corpus_of_sequence(source: Sequence[object], reader: Reader, first: int, outside: str | None) -> Corpus:
    """Every item is looked at before the first is used; the texts stay where they are."""
    _refuse_names_of_files(source)
    opened = {
        index: _files_of_item(index, item, reader.reading, outside)
        for index, item in enumerate(source)
        if not isinstance(item, str | bytes | Mapping)
    }
    if len(opened) == len(source):
        return _corpus_of_files([file for found in opened.values() for file in found], reader, first)
    return _corpus(reader, _parts(source, reader, opened, outside), None, ordered=True)


def _refuse_names_of_files(items: Sequence[object]) -> None:
    """Strings that all name files were meant as paths: reading them as texts would learn the names."""
    if items and all(isinstance(item, str) and os.path.isfile(item) for item in items):  # noqa: PTH113  # long texts
        raise CorpusError(
            f"all {len(items)} strings of the source name files, {shown(items[0])} among them, and in a list a "
            "str is a "
            "document; to read the files pass pathlib.Path objects"
        )


def _parts(
    items: Iterable[object], reader: Reader, opened: Mapping[int, list[Found]] | None, outside: str | None
) -> Iterator[Part]:
    """Texts in groups, files one by one; `opened` holds the files of items that were looked at before, by index."""
    groups = Groups(None)
    for index, item in enumerate(items):
        # Two plain checks are faster than one of a union, and this runs once a document.
        if isinstance(item, str) or isinstance(item, bytes):  # noqa: SIM101
            full = groups.add(index, item)
            if full:
                yield full
        elif isinstance(item, Mapping):
            for text in reader.documents(_text_of_item(index, item, reader)):
                full = groups.add(index, text)
                if full:
                    yield full
        else:
            yield from groups.rest()
            yield from _files(
                reader, _files_of_item(index, item, reader.reading, outside) if opened is None else opened[index]
            )
    yield from groups.rest()


def _text_of_item(index: int, item: Mapping[str, object], reader: Reader) -> str | bytes | None:
    return records.text_of(item, f"record {index} (from 0) of the source", reader.reading, reader.bad)


def _watched(source: Iterable[object]) -> Iterator[object]:
    """The items of a stream; what it raises goes through with a note of where."""
    index = 0
    try:
        for item in source:
            yield item
            index += 1
    except Exception as error:
        error.add_note(f"raised by the source of documents at item {index}")
        raise


def _found(name: str | PathLike[str], reading: Reading, outside: str | None) -> list[Found]:
    """The files that a name stands for, each looked at."""
    paths = files(name)
    if outside is not None:
        own = os.path.realpath(outside) + os.sep
        paths = [path for path in paths if not os.path.realpath(path).startswith(own)]
    return [look_at(path, reading) for path in paths]


def _files_of_item(index: int, item: object, reading: Reading, outside: str | None) -> list[Found]:
    if isinstance(item, PathLike):
        return _found(item, reading, outside)
    raise ArgumentTypeError(
        f"item {index} of the source is {shown(item)} ({kind(item)}); items are documents (str, bytes), paths "
        "(pathlib.Path) and records (mappings with a text)"
    )
