"""Documents of a file -> groups that are handed on at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bytepair.corpus.parts import Texts

# Enough to keep every thread busy, little enough that memory stays flat and Ctrl-C is quick.
GROUP_DOCUMENTS: Final = 10_000
GROUP_BYTES: Final = 4_000_000


class Groups:
    """Collects documents and gives a group when it is large enough.

    Args:
        file: where they come from; None: they were given as such.

    >>> groups = Groups("a.txt")
    >>> groups.add(0, "one"), groups.add(1, "two"), *groups.rest()
    (None, None, Texts(indices=[0, 1], texts=['one', 'two'], file='a.txt'))
    """

    def __init__(self, file: str | None) -> None:
        self._file = file
        self._indices: list[int] = []
        self._texts: list[str | bytes] = []
        self._size = 0

    def add(self, index: int, text: str | bytes) -> Texts | None:
        """Take a document; give a group if it is the last of one."""
        self._indices.append(index)
        self._texts.append(text)
        self._size += len(text)
        if self._size >= GROUP_BYTES or len(self._texts) >= GROUP_DOCUMENTS:
            return self._taken()
        return None

    def rest(self) -> Iterator[Texts]:
        """What was not given yet, if there is anything."""
        if self._texts:
            yield self._taken()

    def _taken(self) -> Texts:
        group = Texts(self._indices, self._texts, self._file)
        self._indices, self._texts, self._size = [], [], 0
        return group
