"""One file of a corpus -> its documents. What a file is shows in its first bytes, and for text in its name."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from bytepair.arguments import shown
from bytepair.corpus import cutting, records, tables
from bytepair.corpus.grouping import Groups
from bytepair.corpus.parts import BadRecordLog, File, Meter, Part, Reading, Stream, Texts
from bytepair.corpus.paths import refuse_marks, unreadable
from bytepair.corpus.unpacking import HEAD, Member, members, packing_of
from bytepair.errors import CorpusError

Form: TypeAlias = Literal["text", "jsonl", "csv", "parquet", "arrow", "arrow-stream"]

_NAMES: Final[dict[str, Form]] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonlines": "jsonl", ".csv": "csv"}
# Even without a text in them, files of these kinds have some bytes.
_NEVER_EMPTY: Final = frozenset(
    (".parquet", ".arrow", ".gz", ".gzip", ".tgz", ".zst", ".zstd", ".xz", ".bz2", ".zip", ".tar")
)
# A stream of Arrow begins with no word of its own, only with this and the size of what follows.
_CONTINUES: Final = b"\xff\xff\xff\xff"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was there and could be read.

    Args:
        path: the file.
        n_bytes: as it lies there.
        packing: how it is compressed, or which archive it is; None where it lies open.
        form: what it is where it lies open.
    """

    path: str
    n_bytes: int
    packing: str | None
    form: Form


def look_at(path: Path, reading: Reading) -> Found:
    """Look at a file's first bytes, so that what cannot be read is found before any work is done.

    Raises:
        UnreadableFileError, CorpusError, EncodingError: it cannot be read, is no regular file, or is UTF-16 or UTF-32.
    """
    name = str(path)
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise CorpusError(f"{name!r} is no regular file; read it yourself and pass its text in a list")
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise unreadable(name, error) from error
    packing, form = packing_of(head, name), form_of(head, name, reading)
    _refuse_what_is_not_there(head, path, packing, form)
    if packing is None and form in ("text", "jsonl", "csv"):
        refuse_marks(head, repr(name))
    return Found(name, about.st_size, packing, form)


def _refuse_what_is_not_there(head: bytes, path: Path, packing: str | None, form: Form) -> None:
    """Refuse what a failed download leaves: nothing, or a page, under the name of a table or an archive."""
    suffix = path.suffix.lower()
    is_missing = (not head and suffix in _NEVER_EMPTY) or (suffix == ".parquet" and form != "parquet")
    if is_missing and packing is None:
        what = "empty" if not head else f"no Parquet: it begins with {shown(head[:8])}"
        raise CorpusError(
            f"{str(path)!r} is {what}, where its name ends in {suffix!r}; get the file again, or leave it out"
        )


def form_of(head: bytes, name: str, reading: Reading) -> Form:
    """What a file that lies open is.

    >>> form_of(b"PAR1", "a", Reading()), form_of(b"{}", "a.jsonl", Reading()), form_of(b"{}", "a", Reading())
    ('parquet', 'jsonl', 'text')
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "arrow"
    if head.startswith(_CONTINUES):
        return "arrow-stream"
    # Where records are asked for, that is what text is: standard input has no name.
    return _NAMES.get(Path(name).suffix.lower(), "jsonl" if reading.document == "record" else "text")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads files, one after the other.

    Args:
        reading: how files become documents.
        meter: told how far it is.
        bad: told of records that hold no text.
    """

    reading: Reading
    meter: Meter = field(default_factory=Meter)
    bad: BadRecordLog = field(default_factory=lambda: BadRecordLog("raise"))

    def parts(self, found: Found) -> Iterator[Part]:
        """What is in a file."""
        if found.packing is None and found.form == "text" and self.reading.document in ("file", "line"):
            yield File(found.path, found.n_bytes)
        elif found.packing is None and found.form in ("parquet", "arrow", "arrow-stream"):
            if self.meter.hashing is not None:
                self.meter.hashing.jump()
            rows = tables.rows_of_file(found.path, found.form, found.n_bytes, self.reading, self.bad, self.meter)
            yield from self.texts(found.path, rows)
        else:
            for member in members(found.path, self.meter):
                yield from self._member(member)

    def _member(self, member: Member) -> Iterator[Part]:
        form = form_of(member.head, member.plain_name, self.reading)
        if form in ("parquet", "arrow", "arrow-stream"):
            raise CorpusError(f"{member.name!r} is a table in another file, where it cannot be read; unpack it first")
        refuse_marks(member.head, repr(member.name))
        if form == "text" and self.reading.document != "blank-line":
            yield Stream(member.name, member.stream)
            return
        with member.blamed():
            yield from self._documents_in(member, form)

    def _documents_in(self, member: Member, form: Form) -> Iterator[Texts]:
        if form == "jsonl":
            lines = records.json_lines(member.name, member.stream, self.reading, self.bad)
            yield from self.texts(member.name, lines)
        elif form == "csv":
            yield from self.texts(member.name, records.csv_rows(member.name, member.stream, self.reading, self.bad))
        else:
            yield from cutting.documents(member.name, member.stream, self.reading)

    def texts(self, file: str | None, rows: Iterable[tuple[int, str | bytes | None]]) -> Iterator[Texts]:
        """Records -> documents in groups."""
        groups = Groups(file)
        for number, text in rows:
            for document in self.documents(text):
                full = groups.add(number, document)
                if full:
                    yield full
        yield from groups.rest()

    def documents(self, text: str | bytes | None) -> Sequence[str | bytes]:
        """The documents in the text of a record; None: it holds none, which the log knows already."""
        if text is None:
            return ("",) if self.reading.bad_records == "replace" else ()
        if self.reading.document in ("line", "blank-line"):
            return cutting.cut(text if isinstance(text, str) else text.decode(), self.reading.document)
        return (text,)
