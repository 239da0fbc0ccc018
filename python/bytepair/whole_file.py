"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final

from bytepair.errors import BytepairError, MissingFileError, PermissionDeniedError, UnreadableFileError

# What `_beside` names a file that is not finished: the process, and four random bytes.
_LEFTOVER: Final = re.compile(r"\..+\.([1-9][0-9]{0,9})\.[0-9a-f]{8}\.tmp", re.DOTALL)


def write(path: str | PathLike[str], data: bytes, *, follow: bool = True) -> None:
    """Write a file, so that readers see the old contents or the new ones, never a part.

    Args:
        path: the file; one that is there is replaced. Where it is a link, the file that it leads to.
        data: what it will hold.
        follow: whether a link stays, and the file that it leads to is written; else the link itself is replaced.

    Raises:
        MissingFileError: its folder is not there.
        UnreadableFileError: it cannot be written.
    """
    with replacing(path, follow=follow) as file:
        file.write(data)


@contextmanager
def replacing(path: str | PathLike[str], *, follow: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of another, or is there at all, when all of it is written.

    Args:
        path: as in `write`.
        follow: as in `write`.

    Raises:
        MissingFileError, UnreadableFileError: as in `write`.
    """
    try:
        target = Path(os.path.realpath(path) if follow else os.path.abspath(path))  # noqa: PTH100  # links stay
        os.fsencode(target)
    except ValueError as error:
        raise UnreadableFileError(f"{path!r} cannot be written: {error}; no file can be named so") from error
    try:
        with _beside(target) as file:
            yield file
    except OSError as error:
        if isinstance(error, BytepairError):
            raise
        raise unwritable(Path(path), error) from error


def remove_leftovers(folder: Path) -> None:
    """Delete what processes left half written that are gone."""
    for path in folder.glob(".*.tmp"):
        found = _LEFTOVER.fullmatch(path.name)
        if found is None or path.is_symlink() or not path.is_file() or _is_running(int(found[1])):
            continue
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _is_running(n_process: int) -> bool:
    try:
        os.kill(n_process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def refuse_special_file(path: Path) -> None:
    """Refuse a pipe or a device before it is read: reading one may never end.

    Raises:
        UnreadableFileError: it is there, and neither a regular file nor a folder.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        # It is not there, or has no name that could be: whoever opens it says which.
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UnreadableFileError(f"{str(path)!r} cannot be read: it is no regular file; copy its contents to one")


@contextmanager
def _beside(target: Path) -> Iterator[BinaryIO]:
    if target.is_dir():
        raise IsADirectoryError(21, "it is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise OSError(22, "it is there and no regular file (a pipe or a device); name another")
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    beside = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> BytepairError:
    """What to raise where a file or folder cannot be written."""
    reason = error.strerror or str(error)
    if isinstance(error, FileNotFoundError):
        return MissingFileError(
            f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}; make it first"
        )
    if isinstance(error, PermissionError):
        return PermissionDeniedError(f"{str(path)!r} cannot be written: {reason}; change the permissions of its folder")
    hint = "; name a place on a disk that can be written to" if error.errno == errno.EROFS else ""
    return UnreadableFileError(f"{str(path)!r} cannot be written: {reason}{hint}")
