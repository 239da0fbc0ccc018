"""Texts to measure on: what is on this computer, or a folder of larger ones."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bytepair.cli.stdlib import standard_library

SLICE = 10_000_000
N_SLICES = 10
NAMES = ("small", "en", "multi", "code", "big")


@dataclass(frozen=True)
class Corpus:
    """A text file and the vocabularies to learn from it."""

    name: str
    path: Path
    vocab_sizes: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        return self.path.stat().st_size

    @property
    def megabytes(self) -> int:
        return round(self.n_bytes / 1e6)

    def slices(self) -> list[str]:
        """The text in ten parts, cut at line ends."""
        lines = self.path.read_bytes().decode().split("\n")
        size = -(-len(lines) // N_SLICES)
        return ["\n".join(lines[at : at + size]) + "\n" for at in range(0, len(lines), size)]


def corpora(folder: Path, *, full: bool, names: Collection[str] = NAMES) -> list[Corpus]:
    """Write the corpora that are to be had into `folder`.

    small: Shakespeare from BYTEPAIR_TEST_DATA, else the standard library's text; en, multi and code from
    BYTEPAIR_BENCH_CORPORA, the first 10 MB of each or all of it; with `full` its big.txt as well.
    """
    found = [_small(folder)] if "small" in names else []
    larger = os.environ.get("BYTEPAIR_BENCH_CORPORA")
    for name in ("en", "multi", "code") if larger else ():
        path = Path(str(larger), f"{name}.txt")
        if name in names and path.exists():
            sizes = (32_000, 100_000) if full else (32_000,)
            found.append(Corpus(name, path if full else _head(path, folder), sizes))
    big = Path(larger or ".", "big.txt")
    if larger and full and "big" in names and big.exists():
        found.append(Corpus("big", big, (32_000,)))
    return found


def shakespeare() -> Path | None:
    """A megabyte of plays, if the test data is there."""
    data = os.environ.get("BYTEPAIR_TEST_DATA")
    path = Path(data or ".", "corpora", "tinyshakespeare.txt")
    return path if data and path.exists() else None


def _small(folder: Path) -> Corpus:
    plays = shakespeare()
    if plays:
        return Corpus("shakespeare", plays, (2_000,))
    path = folder / "stdlib.txt"
    path.write_bytes(b"".join(file.read_bytes() for file in standard_library()).decode("utf-8", "replace").encode())
    return Corpus("stdlib", path, (8_000,))


def _head(path: Path, folder: Path) -> Path:
    with path.open("rb") as file:
        data = file.read(SLICE)
    target = folder / path.name
    # Whole lines, so whole characters too.
    target.write_bytes(data[: data.rfind(b"\n") + 1])
    return target
