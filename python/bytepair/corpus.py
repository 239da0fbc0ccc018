"""Sources -> documents: files, folders, globs, texts in a list, and streams of either.

A `str` or path alone names a file, a folder (its files, sorted, hidden ones left out) or a glob. In a list or another
iterable a path names files and a `str` or `bytes` is a document.
"""

from __future__ import annotations

import functools
import glob
import io
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import (
    ArgumentTypeError,
    BytepairError,
    CorpusError,
    EncodingError,
    MissingFileError,
    PermissionDeniedError,
    UnreadableFileError,
)

Source: TypeAlias = "str | PathLike[str] | Iterable[str | bytes | PathLike[str]]"

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32 (little-endian)"),
    (b"\x00\x00\xfe\xff", "UTF-32 (big-endian)"),
    (b"\xff\xfe", "UTF-16 (little-endian)"),
    (b"\xfe\xff", "UTF-16 (big-endian)"),
)
_LONGEST_PATH: Final = 4096
# Enough to keep every thread busy, little enough that memory stays flat and Ctrl-C is quick.
_GROUP_DOCUMENTS: Final = 10_000
_GROUP_CHARACTERS: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class File:
    """A file that was there, could be read, and does not begin as UTF-16 or UTF-32."""

    path: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents given as such, and their places in the source."""

    indices: Sequence[int]
    texts: list[str | bytes]

    def place(self, index: int, offset: int = 0) -> tuple[str, int]:
        """The name of a document, and the offset in it."""
        return f"document {self.indices[index]} of the source", offset


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a source holds, in order, to be read once.

    Args:
        parts: files, and texts in groups.
        n_bytes: bytes of all files where the source holds nothing else and all are known, else None.
        ordered: whether the order is the same in every run.
    """

    parts: Iterator[File | Texts]
    n_bytes: int | None
    ordered: bool


def open_corpus(source: object) -> Corpus:
    """Check a source as far as it can be seen without being used up, and hand out its parts.

    Args:
        source: as the module's docstring says.

    Returns:
        The corpus. Items of a list were all checked; those of another iterable are checked as they come.

    Raises:
        ArgumentTypeError: the source, or an item of it, has a type that is no source.
        MissingFileError: a path names nothing.
        UnreadableFileError: a file cannot be read (PermissionDeniedError where permissions forbid it).
        CorpusError: a folder holds no file, or strings that name files stand where documents are expected.
        EncodingError: a file begins as UTF-16 or UTF-32.

    >>> [part.texts for part in open_corpus(["one", b"two"]).parts]
    [['one', b'two']]
    """
    if isinstance(source, str | PathLike):
        found = [_opened(path) for path in files(source)]
        return Corpus(iter(found), sum(file.n_bytes for file in found), ordered=True)
    _refuse_other_types(source)
    assert isinstance(source, Iterable)  # for mypy; the line above raised otherwise
    if isinstance(source, Sequence):
        return _corpus_of_sequence(source)
    return Corpus(_parts(_watched(source), None), None, ordered=in_order(source))


def in_order(source: object) -> bool:
    """Whether a source has the same order in every run; it is not touched."""
    return not isinstance(source, set | frozenset)


def files(source: str | PathLike[str]) -> list[Path]:
    """The files that a path, a folder or a glob names.

    Args:
        source: one name. In a folder hidden files and folders are left out, and links that lead back are not followed.

    Returns:
        At least one file; those of a folder or a glob are sorted by path, each once. A folder that a glob matches
        stands for its files.

    Raises:
        MissingFileError: nothing is there, or all that a glob matches are folders without files.
        CorpusError: a folder without files, or a text that was meant as a document.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ["b.txt", "a.txt", ".hidden"]:
    ...     _ = (folder / name).write_text("text")
    >>> [path.name for path in files(folder)]
    ['a.txt', 'b.txt']
    """
    name = os.fspath(source)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    if os.path.exists(name):  # noqa: PTH110  # Path.exists raises where the name is too long for a path
        return _files_at(Path(name))
    found = _glob(name)
    if not found:
        raise _nothing_there(name, is_path=not isinstance(source, str))
    return found


def _files_at(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = list(_walk(path, set()))
    if not found:
        raise CorpusError(f"the folder {str(path)!r} holds no file that is not hidden; name one that does")
    return found


def _walk(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """Files below a folder by sorted name; `seen` holds the folders on the way down, so that loops of links end."""
    try:
        about = folder.stat()
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise unreadable(str(folder), error) from error
    here = (about.st_dev, about.st_ino)
    if here in seen:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _walk(entry, seen | {here})
        elif entry.is_file():
            yield entry


def _glob(name: str) -> list[Path]:
    """Files that a glob matches, and those of the folders that it matches, each once and sorted."""
    if not glob.has_magic(name) or len(name) > _LONGEST_PATH or "\0" in name:
        return []
    n_fixed = next(index for index, part in enumerate(Path(name).parts) if glob.has_magic(part))
    way_to = functools.cache(lambda folder: _way(folder, n_fixed))
    files: set[Path] = set()
    for path in map(Path, glob.glob(name, recursive=True)):  # noqa: PTH207  # absolute globs too
        way = way_to(path.parent)
        if way is not None:
            files.update(_walk(path, way) if path.is_dir() else [path])
    return sorted(files)


def _way(folder: Path, n_fixed: int) -> set[tuple[int, int]] | None:
    """The folders on the way, from the one that the first `n_fixed` parts name; None where one stands there twice."""
    if ".." in folder.parts[n_fixed:]:
        return set()
    way = [each.stat() for each in (folder, *folder.parents) if len(each.parts) >= n_fixed]
    places = {(about.st_dev, about.st_ino) for about in way}
    return places if len(places) == len(way) else None


def _nothing_there(name: str, is_path: bool) -> BytepairError:
    if not is_path and (not name or any(character.isspace() for character in name)):
        return CorpusError(f"{shown(name)} names no file; if it is a text, put it in a list: [text]")
    if glob.has_magic(name):
        return _about(MissingFileError(f"no file matches {shown(name, 200)}; check the pattern and the folder"), name)
    hint = "" if is_path else "; a text goes into a list: [text]"
    return _about(MissingFileError(f"there is no file or folder {shown(name, 200)}; check the path{hint}"), name)


def _about(error: OSError, name: str) -> BytepairError:
    error.filename = name
    assert isinstance(error, BytepairError)  # for mypy
    return error


def unreadable(name: str, error: OSError) -> BytepairError:
    """What to raise where a file cannot be read."""
    reason = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return _about(PermissionDeniedError(f"{name!r} cannot be read: {reason}; change its permissions"), name)
    if isinstance(error, FileNotFoundError):
        return _about(MissingFileError(f"there is no file or folder {name!r}; check the path"), name)
    return _about(UnreadableFileError(f"{name!r} cannot be read: {reason}"), name)


def _opened(path: Path) -> File:
    """Look at a file's first bytes, so that what cannot be read is found before any work is done."""
    name = str(path)
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise CorpusError(f"{name!r} is no regular file; read it yourself and pass its text in a list")
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise unreadable(name, error) from error
    refuse_marks(start, repr(name))
    return File(name, about.st_size)


def refuse_marks(data: bytes, where: str) -> None:
    """Refuse what begins as UTF-16 or UTF-32; `where` is its name in the message."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise EncodingError(f"{where} begins with the mark of {encoding}; convert it to UTF-8 (iconv -t UTF-8)")


def _refuse_other_types(source: object) -> None:
    if isinstance(source, bytes | bytearray | memoryview):
        raise ArgumentTypeError(f"the source is {kind(source)}; put the text in a list: [{shown(source)}]")
    if isinstance(source, Mapping):
        raise ArgumentTypeError(
            f"the source is a {kind(source)}; for pieces and counts say Tally.from_counts(counts, pattern=...)"
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


def _corpus_of_sequence(source: Sequence[object]) -> Corpus:
    """Every item is looked at before the first is used; the texts stay where they are."""
    _refuse_names_of_files(source)
    opened = {
        index: _files_of_item(index, item)
        for index, item in enumerate(source)
        if not isinstance(item, str) and not isinstance(item, bytes)
    }
    only_files = len(opened) == len(source)
    n_bytes = sum(file.n_bytes for found in opened.values() for file in found) if only_files else None
    return Corpus(_parts(source, opened), n_bytes, ordered=True)


def _refuse_names_of_files(items: Sequence[object]) -> None:
    """Strings that all name files were meant as paths: reading them as texts would learn the names."""
    if items and all(isinstance(item, str) and os.path.isfile(item) for item in items):  # noqa: PTH113  # long texts
        raise CorpusError(
            f"all {len(items)} strings of the source name files, {shown(items[0])} among them, and in a list a "
            "str is a "
            "document; to read the files pass pathlib.Path objects"
        )


def _parts(items: Iterable[object], opened: Mapping[int, list[File]] | None) -> Iterator[File | Texts]:
    """Texts in groups, files one by one; `opened` holds the files of items that were looked at before, by index."""
    texts: list[str | bytes] = []
    size = 0
    for index, item in enumerate(items):
        # Two plain checks are faster than one of a union, and this runs once a document.
        if isinstance(item, str) or isinstance(item, bytes):  # noqa: SIM101
            texts.append(item)
            size += len(item)
            if size >= _GROUP_CHARACTERS or len(texts) >= _GROUP_DOCUMENTS:
                yield Texts(range(index + 1 - len(texts), index + 1), texts)
                texts, size = [], 0
        else:
            if texts:
                yield Texts(range(index - len(texts), index), texts)
            texts, size = [], 0
            yield from _files_of_item(index, item) if opened is None else opened[index]
    if texts:
        # The source ended with a text, or `texts` would be empty.
        yield Texts(range(index + 1 - len(texts), index + 1), texts)


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


def _files_of_item(index: int, item: object) -> list[File]:
    if isinstance(item, PathLike):
        return [_opened(path) for path in files(item)]
    raise ArgumentTypeError(
        f"item {index} of the source is {shown(item)} ({kind(item)}); items are documents (str, bytes) "
        "and paths (pathlib.Path)"
    )
