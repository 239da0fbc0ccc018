"""What shards were made of: the hash of every file of a corpus, or of the documents; what has changed is named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bytepair.corpus import Corpus, unreadable
from bytepair.errors import CorpusError
from bytepair.pack.encoded import sizes_of

if TYPE_CHECKING:
    from bytepair.pack.batches import Batch
    from bytepair.pack.records import ShardRecord

_TODO: Final = "put the corpus back as it was, or pack into another folder"
_SIZE: Final = 16


@dataclass(frozen=True, slots=True)
class InputRecord:
    """A file of the corpus: its path, its bytes, and their BLAKE2b."""

    path: str
    n_bytes: int
    blake2b: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files of a corpus as they were when they were hashed.

    Args:
        records: what is kept of each.
        seen: size and time of change of each by path, which say whether it changed while it was read.
    """

    records: tuple[InputRecord, ...]
    seen: dict[str, tuple[int, int]]

    def refuse_changes(self, paths: Iterable[str] | None = None) -> None:
        """Refuse files that changed since they were hashed; None: any of them.

        Raises:
            CorpusError: one did.
        """
        for path in self.seen if paths is None else paths:
            if path in self.seen and _seen(path) != self.seen[path]:
                raise CorpusError(
                    f"{path!r} changed while it was packed; the finished shards are whole: wait until nothing writes "
                    "to it, then run the same again"
                )


def hashed(corpus: Corpus, threads: int) -> Inputs | None:
    """The files of a corpus with their hashes; None where it holds anything else.

    Raises:
        UnreadableFileError, MissingFileError: one cannot be read.
    """
    if corpus.files is None:
        return None
    paths = [file.path for file in corpus.files]
    seen = {path: _seen(path) for path in paths}
    with ThreadPoolExecutor(threads, thread_name_prefix="bytepair-hashing") as pool:
        return Inputs(tuple(pool.map(_record, paths)), seen)


def _seen(path: str) -> tuple[int, int]:
    try:
        about = os.stat(path)  # noqa: PTH116  # once for every file of every shard
    except OSError as error:
        raise unreadable(path, error) from error
    return about.st_size, about.st_mtime_ns


def _record(path: str) -> InputRecord:
    try:
        with Path(path).open("rb") as stream:
            digest = hashlib.file_digest(stream, _blake2b)
            return InputRecord(path, stream.tell(), digest.hexdigest())
    except OSError as error:
        raise unreadable(path, error) from error


def _blake2b() -> Any:
    return hashlib.blake2b(digest_size=_SIZE)


def refuse_other_files(before: Sequence[InputRecord], now: Sequence[InputRecord], n_used: int | None) -> None:
    """Refuse a corpus whose files are not those that shards were made of.

    Args:
        before: the files that were packed.
        now: those that there are.
        n_used: how many of the first the finished shards read; None: all, and there must be no others.

    Raises:
        CorpusError: names the first that is another, is gone, or is new.
    """
    there = {each.path: each for each in now}
    before, now = before[:n_used], now[:n_used]
    known = {each.path: each for each in before}
    for path, each in known.items():
        found = there.get(path)
        if found is None:
            raise CorpusError(f"shards were made of {path!r}, and it is not in the corpus now, or not there; {_TODO}")
        if found.n_bytes != each.n_bytes:
            raise CorpusError(
                f"shards were made of {path!r} with {each.n_bytes:,} bytes, and it has {found.n_bytes:,} bytes now; "
                f"{_TODO}"
            )
        if found.blake2b != each.blake2b:
            raise CorpusError(
                f"shards were made of {path!r}, and its contents are others now, in as many bytes; {_TODO}"
            )
    for each in now:
        if each.path not in known:
            raise CorpusError(f"{each.path!r} is new in the corpus since the shards were made; {_TODO}")
    if [each.path for each in before] != [each.path for each in now]:
        raise CorpusError(f"the files of the corpus come in another order than when the shards were made; {_TODO}")


class TextHash:
    """The hash of documents in a row, however they are grouped."""

    def __init__(self) -> None:
        self._texts, self._sizes = _blake2b(), _blake2b()

    def add(self, texts: Sequence[str | bytes], sizes: Any) -> None:
        """Take documents, and how many bytes each has."""
        self._sizes.update(sizes.astype("<i8").tobytes())
        kinds = set(map(type, texts))
        if kinds == {str}:
            self._texts.update("".join(texts).encode("utf-8", "surrogatepass"))  # type: ignore[arg-type]
        else:
            self._texts.update(b"".join(map(_bytes, texts)))

    def value(self) -> str:
        """The hash so far, in hexadecimal digits."""
        return hashlib.blake2b(self._sizes.digest() + self._texts.digest(), digest_size=_SIZE).hexdigest()


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


class PassedOver:
    """Documents that are in shards already, held against the hashes of those."""

    def __init__(self, records: Sequence[ShardRecord]) -> None:
        self._records, self._place, self._n, self._hash = tuple(records), 0, 0, TextHash()

    def take(self, batch: Batch, end: int) -> None:
        """The first documents of a batch.

        Raises:
            CorpusError: a shard was made of others, or there are more than the shards hold.
        """
        begin = 0
        while begin < end:
            if self._place == len(self._records):
                n_known = sum(each.n_documents for each in self._records)
                raise CorpusError(
                    f"the source has more documents than the {n_known:,} that the shards were made of; {_TODO}"
                )
            record = self._records[self._place]
            n_taken = min(end - begin, record.n_documents - self._n)
            if batch.large is None:
                texts = batch.texts[begin : begin + n_taken]
                self._hash.add(texts, sizes_of(texts))
            begin, self._n = begin + n_taken, self._n + n_taken
            if self._n == record.n_documents:
                self._refuse_others(record)
                self._place, self._n, self._hash = self._place + 1, 0, TextHash()

    def _refuse_others(self, record: ShardRecord) -> None:
        if record.texts and record.texts != self._hash.value():
            raise CorpusError(
                f"shard {record.index} was made of other documents than {record.first} to "
                f"{record.first + record.n_documents - 1} (from 0) of the source; {_TODO}"
            )

    def end(self) -> None:
        """The source has no more.

        Raises:
            CorpusError: the shards were made of more.
        """
        if self._place < len(self._records):
            n_known = sum(each.n_documents for each in self._records)
            n_now = sum(each.n_documents for each in self._records[: self._place]) + self._n
            raise CorpusError(f"the shards were made of {n_known:,} documents, and the source has {n_now:,}; {_TODO}")
