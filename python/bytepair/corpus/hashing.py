"""The hashes of the files of a corpus, made of what is read of them anyway, so that no byte is read twice."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final

from bytepair.corpus.paths import unreadable

_BLOCK: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Hashed:
    """The first bytes of a file, or all of them.

    Args:
        path: the file.
        n_bytes: how many.
        sha256: their hash, in hexadecimal digits.
    """

    path: str
    n_bytes: int
    sha256: str


class Hashing:
    """Hashes files while one thread reads them; others may ask how far it is."""

    def __init__(self) -> None:
        self._whole: list[Hashed] = []
        self._lock = Lock()
        self._path = ""
        self._hash: Any = None
        self._n_hashed = self._n_read = 0

    @property
    def whole(self) -> tuple[Hashed, ...]:
        """The files that were gone through."""
        return tuple(self._whole)

    def begin(self, path: str) -> None:
        """The next file."""
        with self._lock:
            self._path, self._hash, self._n_hashed, self._n_read = path, hashlib.sha256(), 0, 0

    def read(self, offset: int, data: memoryview) -> None:
        """What was read of it, in most files front to back."""
        with self._lock:
            self._n_read = max(self._n_read, offset + len(data))
            if offset == self._n_hashed:
                self._hash.update(data)
                self._n_hashed += len(data)

    def jump(self) -> None:
        """It is read in another order, by others."""
        with self._lock:
            self._n_read = sys.maxsize

    def end(self) -> None:
        """The file was gone through."""
        with self._lock:
            self._hash_rest()
            self._whole.append(self._now())

    def of(self, index: int) -> Hashed:
        """What was read so far of a file, at least."""
        with self._lock:
            if index < len(self._whole):
                return self._whole[index]
            if self._n_read > self._n_hashed:
                self._hash_rest()
            return self._now()

    def _now(self) -> Hashed:
        return Hashed(self._path, self._n_hashed, self._hash.hexdigest())

    def _hash_rest(self) -> None:
        """What nobody read, and what was passed over."""
        self._n_hashed = update(self._hash, self._path, self._n_hashed, lambda _: None)
        self._n_read = self._n_hashed


def update(digest: Any, path: str, start: int, tell: Callable[[int], None], end: int | None = None) -> int:
    """Add the bytes of a file from a place on; give the place behind them.

    Args:
        digest: a hash of hashlib.
        path: the file.
        start: the first byte.
        tell: told of the bytes of each block.
        end: behind the last byte; None: that of the file.

    Raises:
        MissingFileError, UnreadableFileError: it cannot be read.
    """
    try:
        with Path(path).open("rb", buffering=0) as file:
            file.seek(start)
            while block := file.read(_BLOCK if end is None else min(_BLOCK, end - start)):
                digest.update(block)
                start += len(block)
                tell(len(block))
    except OSError as error:
        raise unreadable(path, error) from error
    return start
