"""Batches of documents -> their ids in a row, with BOS and EOS, and on which side of the split each document is."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from bytepair import arguments
from bytepair._native import CutTexts
from bytepair.corpus import Group, utf8
from bytepair.corpus.unpacking import Member
from bytepair.encoding.arrays import numpy_module
from bytepair.encoding.files import parts_of_stream
from bytepair.errors import UnknownCharacterError
from bytepair.pack.batches import Batch
from bytepair.pack.options import Plan
from bytepair.tokenizer import Tokenizer

_PART: Final = 1 << 24
_NAMED: Final = re.compile(r"text (\d+)\b")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Documents as ids.

    Args:
        ids: of all documents in a row, BOS and EOS among them.
        counts: int64, how many each has.
        n_bytes: of the text of each.
        validates: bool, whether each is kept for validation; None where none is.
    """

    ids: Any
    counts: Any
    n_bytes: Any
    validates: Any


class Encoder:
    """Encodes batches.

    Args:
        tok: by which.
        plan: BOS, EOS, the type of the ids, the share for validation.
        threads: how many to use.
    """

    def __init__(self, tok: Tokenizer, plan: Plan, threads: int) -> None:
        self._tok, self._plan, self._threads = tok, plan, threads
        self._width = 2 if plan.dtype == "uint16" else 4
        self._ids = tok._prepared.special_ids(plan.special, "replace", False)

    def encode(self, batch: Batch) -> Encoded:
        """The ids of a batch."""
        numpy = numpy_module()
        if batch.large is not None:
            return self._large(batch)
        data, starts = self._ragged(batch)
        ids, counts = numpy.frombuffer(data, self._plan.dtype), numpy.diff(numpy.frombuffer(starts, numpy.int64))
        return Encoded(ids, counts, sizes_of(batch.texts), self._validates(batch.texts))

    def _ragged(self, batch: Batch) -> tuple[bytearray, bytearray]:
        # The engine itself: each text of a batch is one, which a call of the tokenizer would make sure of.
        engine, texts = self._tok._prepared.engine, batch.texts
        options = (self._ids, self._threads, self._width, self._plan.bos, self._plan.eos)
        if self._ids is None:
            for index, text in enumerate(texts):
                self._tok._prepared.refuse_special(text, "replace", batch.place(index))
        try:
            try:
                return engine.encode_ragged(texts, *options)
            except UnicodeEncodeError:
                mended = [self._mended(text, batch, index) for index, text in enumerate(texts)]
                return engine.encode_ragged(mended, *options)
        except UnknownCharacterError as error:
            named = _NAMED.sub(lambda found: batch.place(int(found[1])), str(error), count=1)
            raise UnknownCharacterError(named) from None

    def _mended(self, text: str | bytes, batch: Batch, index: int) -> str | bytes:
        errors = self._plan.reading.errors
        return text if isinstance(text, bytes) else arguments.without_surrogates(text, errors, batch.place(index))

    def _validates(self, texts: Iterable[str | bytes]) -> Any:
        return self._chosen(map(_digest, texts)) if self._plan.validation else None

    def _chosen(self, digests: Iterable[bytes]) -> Any:
        numpy = numpy_module()
        numbers = numpy.frombuffer(b"".join(digests), dtype="<u8")
        return numbers < numpy.uint64(int(self._plan.validation * 2.0**64))

    def _large(self, batch: Batch) -> Encoded:
        """One document, encoded part by part."""
        numpy, prepared, where = numpy_module(), self._tok._prepared, batch.place(0)
        assert batch.large is not None  # `encode` looked
        digest, n_bytes, bos, eos = _hash(), 0, *map(self._alone, (self._plan.bos, self._plan.eos))
        ids = bytearray(bos)
        known = prepared.all_special_ids if self._ids is None else self._ids
        with Member(where, "", batch.large, b"").blamed():
            for start, part in parts_of_stream(prepared, batch.large, known, _PART):
                text = utf8(part, self._plan.reading.errors, where, start)
                if self._ids is None:
                    prepared.refuse_special(text, "replace", where, start)
                ids += prepared.engine.encode_array(text, self._ids, self._width, self._threads)
                digest.update(text)
                n_bytes += len(text)
        ids += eos
        found = numpy.frombuffer(ids, self._plan.dtype)
        counts = numpy.array([len(found)], numpy.int64)
        validates = self._chosen([digest.digest()]) if self._plan.validation else None
        return Encoded(found, counts, numpy.array([n_bytes], dtype=numpy.int64), validates)

    def _alone(self, number: int | None) -> bytes:
        """The bytes of an id between documents, or none."""
        return b"" if number is None else number.to_bytes(self._width, sys.byteorder)


def sizes_of(texts: Group) -> Any:
    """The bytes of each text."""
    numpy = numpy_module()
    if isinstance(texts, CutTexts):
        return numpy.frombuffer(texts.sizes(), numpy.int64)
    only_bytes = str not in set(map(type, texts))
    return numpy.fromiter(map(len if only_bytes else _n_bytes, texts), numpy.int64, len(texts))


def _n_bytes(text: str | bytes) -> int:
    return len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode("utf-8", "replace"))


def _hash() -> Any:
    return hashlib.blake2b(digest_size=8)


def _digest(text: str | bytes) -> bytes:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.blake2b(data, digest_size=8).digest()
