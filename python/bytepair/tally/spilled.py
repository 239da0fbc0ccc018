"""Counts that were too many for memory: one sorted run in a file of its own, with the face of counts in memory."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias, final

from bytepair._native import PieceCounts, RunReader, merge_runs
from bytepair.errors import CountOverflowError

# Rows as Arrow's columns: (how many, offsets as int64, pieces in a row, counts as int64).
Columns: TypeAlias = "tuple[int, bytearray, bytearray, bytearray]"

# Files that are open at once while runs are merged.
_AT_ONCE: Final = 128
_ROWS: Final = 1 << 16


@final
class RunFolder:
    """A new folder in the one for temporary files, which goes with what is in it when this does."""

    __slots__ = ("__weakref__", "path")

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bytepair-tally-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@final
class SpilledCounts:
    """Distinct pieces and how often each occurs, sorted by piece, in a file that goes when this does.

    >>> one = PieceCounts.from_items([b"b", b"a"], [1, 2])
    >>> spilled = SpilledCounts.of([one, PieceCounts.from_items([b"b"], [3])])
    >>> spilled.n_pieces, spilled.n_occurrences, spilled.items()
    (2, 6, ([b'a', b'b'], [2, 4]))
    """

    __slots__ = ("_fingerprint", "_folder", "_n_occurrences", "n_pieces")

    n_pieces: int

    def __init__(self, folder: RunFolder, runs: Sequence[Path]) -> None:
        """Merge runs.

        Args:
            folder: where they are; it is this object's from now on.
            runs: they are deleted when they are merged.
        """
        self._folder = folder
        self.n_pieces, self._n_occurrences, self._fingerprint = _merged(runs, self._path)

    @classmethod
    def of(cls, counts: Sequence[PieceCounts | SpilledCounts]) -> SpilledCounts:
        """The sum of counts, wherever they are."""
        folder = RunFolder()
        runs = []
        for number, each in enumerate(counts):
            path = folder.path / f"part-{number}"
            if isinstance(each, SpilledCounts):
                path.hardlink_to(each._path)
            else:
                each.write_run(path)
            runs.append(path)
        return cls(folder, runs)

    @property
    def _path(self) -> Path:
        return self._folder.path / "whole"

    @property
    def n_occurrences(self) -> int:
        """All pieces, each as often as it occurs."""
        if self._n_occurrences is None:
            raise CountOverflowError("the sum of all counts passes 2^64 - 1")
        return self._n_occurrences

    def fingerprint(self) -> str:
        """32 hex digits, blind to order."""
        return self._fingerprint

    def columns(self, max_rows: int = _ROWS) -> Iterator[Columns]:
        """The rows, some at a time."""
        run = RunReader(self._path)
        while (columns := run.read(max_rows))[0]:
            yield columns

    def items(self) -> tuple[list[bytes], list[int]]:
        """All pieces and their counts, in memory."""
        return self.loaded().items()

    def loaded(self) -> PieceCounts:
        """The same in memory, as learning needs it."""
        return PieceCounts.from_run(self._path)


Counts: TypeAlias = "PieceCounts | SpilledCounts"


def added(one: Counts, other: Counts) -> Counts:
    """Both; equal pieces add up. In a file where one of them is."""
    if isinstance(one, PieceCounts) and isinstance(other, PieceCounts):
        return one.merged(other)
    return SpilledCounts.of([one, other])


def _merged(runs: Sequence[Path], into: Path) -> tuple[int, int | None, str]:
    """Merge runs, in several steps where they are many."""
    left, step = list(runs), 0
    while len(left) > _AT_ONCE:
        some, step = left[:_AT_ONCE], step + 1
        merged = into.with_name(f"step-{step}")
        merge_runs(some, merged)
        for path in some:
            path.unlink()
        left = [*left[_AT_ONCE:], merged]
    found = merge_runs(left, into)
    for path in left:
        path.unlink()
    return found
