"""Which files a name stands for: a file, a folder (its files, sorted, hidden ones left out) or a glob."""

from __future__ import annotations

import functools
import glob
import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Final

from bytepair.arguments import shown
from bytepair.errors import (
    BytepairError,
    CorpusError,
    EncodingError,
    MissingFileError,
    PermissionDeniedError,
    UnreadableFileError,
)

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32 (little-endian)"),
    (b"\x00\x00\xfe\xff", "UTF-32 (big-endian)"),
    (b"\xff\xfe", "UTF-16 (little-endian)"),
    (b"\xfe\xff", "UTF-16 (big-endian)"),
)
_LONGEST_PATH: Final = 4096


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


def refuse_marks(data: bytes, where: str) -> None:
    """Refuse what begins as UTF-16 or UTF-32; `where` is its name in the message."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise EncodingError(f"{where} begins with the mark of {encoding}; convert it to UTF-8 (iconv -t UTF-8)")
