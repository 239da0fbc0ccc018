"""What a corpus is handed out as: files that lie open, streams, texts in groups; and how its files are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, BinaryIO, Final, Literal, TypeAlias

from bytepair import arguments
from bytepair._native import CutTexts, is_utf8
from bytepair.corpus.hashing import Hashing
from bytepair.errors import CorpusError, EncodingError

Source: TypeAlias = "str | PathLike[str] | Iterable[str | bytes | PathLike[str] | Mapping[str, Any]]"
# Texts in a list, or as they lie in a block of a file.
Group: TypeAlias = "list[str | bytes] | CutTexts"
Document: TypeAlias = Literal["file", "line", "blank-line", "record"]
Errors: TypeAlias = Literal["raise", "replace", "skip"]
BadRecords: TypeAlias = Literal["raise", "skip", "replace"]

DOCUMENTS: Final[tuple[Document, ...]] = ("file", "line", "blank-line", "record")
ERRORS: Final[tuple[Errors, ...]] = ("raise", "replace", "skip")
BAD_RECORDS: Final[tuple[BadRecords, ...]] = ("raise", "skip", "replace")
FIELD: Final = "text"


@dataclass(slots=True)
class Meter:
    """How far a corpus is read.

    Args:
        done: bytes of the files that were gone through, as they lie on the disk.
        n_files: files that were gone through.
        n_bad: records without a text in them.
        hashing: told of what is read, where hashes are wanted.
    """

    done: int = 0
    n_files: int = 0
    n_bad: int = 0
    hashing: Hashing | None = None


@dataclass(slots=True)
class BadRecordLog:
    """What became of records that hold no text.

    Args:
        policy: what to do about them.
        n_records: how many there were.
        first: where the first of them is and what is wrong with it; None where there is none.
    """

    policy: BadRecords
    n_records: int = 0
    first: str | None = None

    def add(self, where: str, why: str) -> None:
        """Count one.

        Raises:
            CorpusError: the policy is "raise"; names the record.
        """
        if self.policy == "raise":
            raise CorpusError(
                f'{where} {why}; mend it, or pass bad_records="skip" (leave such records out) or bad_records="replace" '
                "(an empty document for each)"
            )
        self.n_records += 1
        self.first = self.first or f"{where} {why}"


@dataclass(frozen=True, slots=True)
class Reading:
    """How files become documents.

    Args:
        document: what one document is: "file", a "line" (with its end), what stands between blank lines ("blank-line",
            with its end and the blank lines behind it), or a "record" of JSON Lines, CSV, Parquet or Arrow.
        field: the key or column that holds the text of a record.
        errors: what to do about bytes that are not UTF-8.
        bad_records: what to do about records that hold no text.

    >>> Reading().document, Reading().field
    ('file', 'text')
    """

    document: Document = "file"
    field: str = FIELD
    errors: Errors = "raise"
    bad_records: BadRecords = "raise"

    @property
    def by_line(self) -> bool:
        """Whether each line is a document."""
        return self.document == "line"


def checked_reading(document: object, field: object, errors: object, bad_records: object) -> Reading:
    """The values of the four arguments, or an error that names the wrong one."""
    return Reading(
        document=arguments.choice("document", document, DOCUMENTS),
        field=arguments.words("field", field),
        errors=arguments.choice("errors", errors, ERRORS),
        bad_records=arguments.choice("bad_records", bad_records, BAD_RECORDS),
    )


@dataclass(frozen=True, slots=True)
class File:
    """A file of plain text that was there and could be read; each line of it a document, or all of it."""

    path: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Stream:
    """Plain text that lies compressed or in an archive; each line of it a document, or all of it.

    Args:
        name: the file and what in it, for messages.
        bytes: the text, to be read once.
    """

    name: str
    bytes: BinaryIO


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents, and their places in the source or in one file of it.

    Args:
        indices: the number of each, from 0: of documents in the source, of records in a file.
        texts: the documents.
        file: the file that they come from; None where they were given as such.
    """

    indices: Sequence[int]
    texts: Group
    file: str | None = None

    def place(self, index: int, offset: int = 0) -> tuple[str, int]:
        """The name of a document, and the offset in it."""
        number = self.indices[index]
        return (f"document {number} of the source" if self.file is None else record_of(self.file, number)), offset


Part: TypeAlias = File | Stream | Texts


def size_of(texts: Group) -> int:
    """About how much text there is: bytes, of each str characters."""
    return texts.n_bytes if isinstance(texts, CutTexts) else sum(map(len, texts))


def record_of(file: str, number: int) -> str:
    """What messages call a record."""
    return f"record {number} (from 0) of {file!r}"


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a source holds, in order, to be read once.

    Args:
        parts: files, streams, and texts in groups.
        n_bytes: bytes of all files where the source holds nothing else and all are known, else None.
        ordered: whether the order is the same in every run.
        meter: how far it is; who reads a `File` adds its bytes.
        files: the files in their order, with their bytes; None where the source holds anything else.
        bad: the records that hold no text, so far.
    """

    parts: Iterator[Part]
    n_bytes: int | None
    ordered: bool
    meter: Meter = field(default_factory=Meter)
    bad: BadRecordLog = field(default_factory=lambda: BadRecordLog("raise"))
    files: tuple[File, ...] | None = None


def utf8(data: bytes, errors: Errors, where: str, offset: int = 0) -> bytes:
    r"""The same bytes if they are UTF-8; else mended, or an error.

    Raises:
        EncodingError: they are not, and `errors` is "raise"; names the byte, counted from `offset`.

    >>> utf8(b"caf\xe9", "replace", "the text").decode()
    'caf\ufffd'
    """
    if is_utf8(data):
        return data
    try:
        return data.decode().encode()
    except UnicodeDecodeError as error:
        if errors == "raise":
            raise EncodingError(
                f"{where} is not UTF-8: byte {data[error.start]:#04x} at offset {offset + error.start}; convert it "
                'to UTF-8, or say errors="replace" (U+FFFD) or errors="skip" (leave out)'
            ) from None
        return data.decode(errors="replace" if errors == "replace" else "ignore").encode()
