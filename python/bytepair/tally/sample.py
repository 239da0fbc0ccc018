"""A part of a corpus, drawn so that it comes from everywhere in it and is the same in every run.

Each item of the source, document or file, draws a number from a generator that begins with the seed. A file is cut into
blocks of about 16 KB, at line ends; of these, every so many-th is read, and the number says which is the first. A
document is a file of one block.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Final

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.corpus import File, Part, Reading, Stream, Texts, cut_stream, unreadable, utf8
from bytepair.errors import ArgumentError, ArgumentTypeError
from bytepair.render import number_of

BLOCK: Final = 1 << 14
# As many bytes as keep every thread busy.
_GROUP: Final = 1 << 22
_BITS: Final = 64


@dataclass(frozen=True, slots=True, order=True)
class Sample:
    """What was asked for: the part of the corpus, above 0 and below 1, and the seed of the numbers that choose it."""

    fraction: float
    seed: int

    def __str__(self) -> str:
        return f"{self.fraction:.6g} of it (seed {self.seed})"


@dataclass(frozen=True, slots=True)
class Blocks:
    """Parts of one file, each a document or its lines documents.

    Args:
        file: its path.
        offsets: where in the file each document begins.
        texts: the documents.
        n_bytes: what was read of the file for them.
    """

    file: str
    offsets: list[int]
    texts: list[bytes]
    n_bytes: int

    def place(self, index: int, offset: int = 0) -> tuple[str, int]:
        """The name of what holds a document, and where in it the offset in the document is."""
        return repr(self.file), self.offsets[index] + offset


def described(samples: Iterable[Sample], n_bytes: int, n_bytes_in_all: int | None) -> str:
    """In words: what was asked for, and what came of it.

    >>> described([Sample(0.1, 7)], 1_050, 10_000)
    'a sample of the corpus: 0.1 of it (seed 7); read 1,050 of 10,000 bytes (10.50%)'
    """
    asked = f"a sample of the corpus: {', '.join(map(str, sorted(samples)))}"
    if n_bytes_in_all is None:
        return asked
    share = f" ({n_bytes / n_bytes_in_all:.2%})" if n_bytes_in_all else ""
    return f"{asked}; read {n_bytes:,} of {number_of(n_bytes_in_all, 'byte')}{share}"


def checked(sample: object, seed: object) -> Sample | None:
    """The values of the arguments `sample` and `seed`; None where the whole corpus is asked for."""
    number = arguments.integer("seed", seed, 0)
    if sample is None:
        if number:
            raise ArgumentError(f"seed is {number}, and no sample is drawn; pass sample=..., or leave seed out")
        return None
    if isinstance(sample, bool) or not isinstance(sample, Real):
        raise ArgumentTypeError(
            f"sample is {shown(sample)} ({kind(sample)}); it must be a number above 0 and at most 1, the part of the "
            "corpus to read"
        )
    fraction = float(sample)
    if not 0 < fraction <= 1 or _threshold(fraction) == 0:
        hint = f"; {fraction:g} % is sample={fraction / 100:g}" if 1 < fraction <= 100 else ""
        raise ArgumentError(f"sample is {shown(sample)}; it must be above 0 and at most 1{hint}")
    return None if fraction == 1 else Sample(fraction, number)


class Drawing:
    """Reads the sample of a corpus.

    Args:
        sample: how much, and the seed.
        reading: whether each line of a file is a document, or a block; what to do about bytes that are not UTF-8.
    """

    def __init__(self, sample: Sample, reading: Reading) -> None:
        self._step = _threshold(sample.fraction)
        self._numbers = random.Random(sample.seed)
        self._reading = reading
        # Bytes of all that was gone through, read or not.
        self.n_bytes = 0

    def parts(self, parts: Iterable[Part]) -> Iterator[Texts | Blocks]:
        """What is in the sample, in the order of the corpus."""
        for part in parts:
            if isinstance(part, File):
                yield from self._file(part)
            elif isinstance(part, Stream):
                yield from map(self._texts, self._lines(part))
            else:
                yield self._texts(part)

    def _lines(self, stream: Stream) -> Iterator[Texts]:
        """Of what is compressed nothing can be passed over, so it is drawn from line by line."""
        if not self._reading.by_line:
            raise ArgumentError(
                f"sample reads files in blocks, and {stream.name!r} is compressed or in an archive, where no block can "
                'be found; unpack it, or make each line a document: document="line"'
            )
        yield from cut_stream(stream.name, stream.bytes, self._reading)

    def _texts(self, group: Texts) -> Texts:
        kept = [place for place in range(len(group.texts)) if self._is_chosen(0, self._numbers.getrandbits(_BITS))]
        self.n_bytes += sum(_n_bytes(text) for text in group.texts)
        return Texts([group.indices[place] for place in kept], [group.texts[place] for place in kept], group.file)

    def _file(self, file: File) -> Iterator[Blocks]:
        before, start = self.n_bytes, self._numbers.getrandbits(_BITS)
        blocks: list[tuple[int, bytes]] = []
        size = 0
        try:
            with Path(file.path).open("rb", buffering=0) as stream:
                for index in self._chosen(math.ceil(file.n_bytes / BLOCK), start):
                    blocks.append(_block(stream, index, file.n_bytes))
                    size += len(blocks[-1][1])
                    if size >= _GROUP:
                        self.n_bytes = before + (index + 1) * BLOCK
                        yield self._documents(file, blocks)
                        blocks, size = [], 0
        except OSError as error:
            raise unreadable(file.path, error) from error
        self.n_bytes = before + file.n_bytes
        yield self._documents(file, blocks)

    def _is_chosen(self, index: int, start: int) -> bool:
        """Whether a multiple of 2^64 is passed between a block and the next, in steps that add up to the fraction."""
        return (start + index * self._step) >> _BITS != (start + (index + 1) * self._step) >> _BITS

    def _chosen(self, n_blocks: int, start: int) -> Iterator[int]:
        return (index for index in range(n_blocks) if self._is_chosen(index, start))

    def _documents(self, file: File, blocks: list[tuple[int, bytes]]) -> Blocks:
        offsets: list[int] = []
        texts: list[bytes] = []
        for offset, block in blocks:
            text = utf8(block, self._reading.errors, file.path, offset)
            for line in io.BytesIO(text) if self._reading.by_line else [text] if text else []:
                offsets.append(offset)
                texts.append(line)
                offset += len(line)
        return Blocks(file.path, offsets, texts, sum(len(block) for _, block in blocks))


def _threshold(fraction: float) -> int:
    return int(fraction * 2.0**_BITS)


def _n_bytes(text: str | bytes) -> int:
    return len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _block(stream: io.RawIOBase, index: int, n_bytes: int) -> tuple[int, bytes]:
    """Where a block begins, and its bytes; there are none where a longer line covers it."""
    start, end = (_border(stream, each, n_bytes) for each in (index, index + 1))
    return start, _read(stream, start, end - start)


def _border(stream: io.RawIOBase, index: int, n_bytes: int) -> int:
    """Where a block begins: at the first line end from its place on, or in longer lines at a space or a character."""
    at = index * BLOCK
    if at == 0 or at >= n_bytes:
        return min(at, n_bytes)
    # The byte before says whether a line begins just here.
    data = _read(stream, at - 1, BLOCK + 1)
    if (place := data.find(b"\n")) >= 0:
        return at + place
    if len(data) <= BLOCK:
        return n_bytes
    if (place := data.find(b" ", 1)) >= 0:
        return at - 1 + place
    return at + next((place for place in range(4) if data[1 + place] & 0xC0 != 0x80), 0)


def _read(stream: io.RawIOBase, start: int, n_bytes: int) -> bytes:
    stream.seek(start)
    return stream.read(n_bytes) or b""
