"""Texts to measure on: what is on this computer, or a folder of larger ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bytepair.cli.stdlib import standard_library

SLICE = 10_000_000
N_SLICES = 10


@dataclass(frozen=True)
class Corpus:
    """A text file and the vocabulary to learn from it."""

    name: str
    path: Path
    vocab_size: int

    def slices(self) -> list[str]:
        """The text in ten parts, cut at line ends."""
        lines = self.path.read_bytes().decode().split("\n")
        size = -(-len(lines) // N_SLICES)
        return ["\n".join(lines[at : at + size]) + "\n" for at in range(0, len(lines), size)]


def corpora(folder: Path, *, full: bool) -> list[Corpus]:
    """Write the corpora that are to be had into `folder`.

    Shakespeare from BYTEPAIR_TEST_DATA, else the standard library's text; and en.txt, multi.txt and code.txt from
    BYTEPAIR_BENCH_CORPORA, the first 10 MB of each or all of it.
    """
    found = [_small(folder)]
    larger = os.environ.get("BYTEPAIR_BENCH_CORPORA")
    for name in ("en", "multi", "code") if larger else ():
        path = Path(str(larger), f"{name}.txt")
        if path.exists():
            found.append(Corpus(name, path if full else _head(path, folder), 32_000))
    return found


def _small(folder: Path) -> Corpus:
    data = os.environ.get("BYTEPAIR_TEST_DATA")
    shakespeare = Path(data or ".", "corpora", "tinyshakespeare.txt")
    if data and shakespeare.exists():
        return Corpus("shakespeare", shakespeare, 2_000)
    path = folder / "stdlib.txt"
    path.write_bytes(b"".join(file.read_bytes() for file in standard_library()).decode("utf-8", "replace").encode())
    return Corpus("stdlib", path, 8_000)


def _head(path: Path, folder: Path) -> Path:
    with path.open("rb") as file:
        data = file.read(SLICE)
    target = folder / path.name
    # Whole lines, so whole characters too.
    target.write_bytes(data[: data.rfind(b"\n") + 1])
    return target
