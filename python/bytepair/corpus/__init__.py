"""Sources -> documents: files of text, records and tables, compressed or in archives; texts in a list; streams."""

from __future__ import annotations

from bytepair.corpus.cutting import documents as cut_stream
from bytepair.corpus.hashing import Hashed, Hashing
from bytepair.corpus.parts import (
    BAD_RECORDS,
    DOCUMENTS,
    ERRORS,
    FIELD,
    BadRecords,
    Corpus,
    Document,
    Errors,
    File,
    Group,
    Part,
    Reading,
    Source,
    Stream,
    Texts,
    checked_reading,
    utf8,
)
from bytepair.corpus.paths import files, refuse_marks, unreadable
from bytepair.corpus.sources import in_order, open_corpus

__all__ = [
    "BAD_RECORDS",
    "DOCUMENTS",
    "ERRORS",
    "FIELD",
    "BadRecords",
    "Corpus",
    "Document",
    "Errors",
    "File",
    "Group",
    "Hashed",
    "Hashing",
    "Part",
    "Reading",
    "Source",
    "Stream",
    "Texts",
    "checked_reading",
    "cut_stream",
    "files",
    "in_order",
    "open_corpus",
    "refuse_marks",
    "unreadable",
    "utf8",
]
