"""What shards were made of: the hash of every file of a corpus, or of the documents; what has changed is named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from bytepair._native import CutTexts
from bytepair.corpus import File, Group, Hashed, Hashing, unreadable
from bytepair.corpus.hashing import update
from bytepair.errors import CorpusError
from bytepair.pack.checking import all_of
from bytepair.pack.encoded import sizes_of
from bytepair.progress import Watch

if TYPE_CHECKING:
    from bytepair.pack.batches import Batch
    from bytepair.pack.records import ShardRecord

REMEDY: Final = "put the corpus back as it was, or pack into another folder"


class Inputs:
    """The files of a corpus, as they are in this run.

    Args:
        files: in their order.

    Raises:
        UnreadableFileError, MissingFileError: one cannot be read.
    """

    def __init__(self, files: Sequence[File]) -> None:
        self._paths = [file.path for file in files]
        # Size and time of change say whether a file changed while it was read.
        self._seen = {path: _seen(path) for path in self._paths}
        self._whole: tuple[Hashed, ...] | None = None
        # Takes the place of a pass of its own: of a corpus of which nothing is packed, hashes are made on the way.
        self.hashing = Hashing()

    @property
    def whole(self) -> tuple[Hashed, ...]:
        """All files, after they were gone through."""
        return self.hashing.whole if self._whole is None else self._whole

    def of(self, index: int) -> Hashed:
        """What shards were made of so far: the first bytes of a file, or all of them."""
        return self.hashing.of(index) if self._whole is None else self._whole[index]

    def hold(self, before: Sequence[Hashed], *, complete: bool, threads: int, watch: Watch) -> None:
        """Hash all files, and hold them against those that shards were made of.

        Args:
            before: the first files, each as far as it was read, or all of it.
            complete: whether these were all files, so that there must be no others.
            threads: how many files are read at a time.
            watch: told how far it is.

        Raises:
            CorpusError: names the first that is another, is gone, or is new.
            UnreadableFileError, MissingFileError: one cannot be read.
        """
        ends = [each.n_bytes for each in before] + [0] * max(len(self._paths) - len(before), 0)
        jobs = [partial(_hashed, path, end) for path, end in zip(self._paths, ends, strict=False)]
        found = all_of(jobs, threads, watch, sum(n_bytes for n_bytes, _ in self._seen.values()))
        now = [whole if complete else first for first, whole in found]
        refuse_other_files(before, now, self._paths, complete)
        self._whole = tuple(whole for _, whole in found)

    def refuse_changes(self, paths: Iterable[str] | None = None) -> None:
        """Refuse files that changed since this run began; None: any of them.

        Raises:
            CorpusError: one did.
        """
        for path in self._seen if paths is None else paths:
            if path in self._seen and _seen(path) != self._seen[path]:
                raise CorpusError(
                    f"{path!r} changed while it was packed; the finished shards are whole: wait until nothing writes "
                    "to it, then run the same again"
                )


def _seen(path: str) -> tuple[int, int]:
    try:
        about = os.stat(path)  # noqa: PTH116  # once for every file of every shard
    except OSError as error:
        raise unreadable(path, error) from error
    return about.st_size, about.st_mtime_ns


def _hashed(path: str, end: int, tell: Callable[[int], None]) -> tuple[Hashed, Hashed]:
    """The first bytes of a file, and all of them."""
    digest = hashlib.sha256()
    n_first = update(digest, path, 0, tell, end)
    first = Hashed(path, n_first, digest.hexdigest())
    return first, Hashed(path, update(digest, path, n_first, tell), digest.hexdigest())


def refuse_other_files(before: Sequence[Hashed], now: Sequence[Hashed], paths: Sequence[str], complete: bool) -> None:
    """Refuse a corpus whose files are not those that shards were made of.

    Args:
        before: the first files, as far as they were read.
        now: as many bytes of the files that are in their places.
        paths: all files that there are.
        complete: whether there must be no others.

    Raises:
        CorpusError: names the first that is another, is gone, or is new.
    """
    there, known = set(paths), {each.path for each in before}
    for each in before:
        if each.path not in there:
            raise CorpusError(
                f"shards were made of {each.path!r}, and it is not in the corpus now, or not there; {REMEDY}"
            )
    for path in paths if complete else paths[: len(before)]:
        if path not in known:
            raise CorpusError(f"{path!r} is new in the corpus since the shards were made; {REMEDY}")
    if [each.path for each in before] != list(paths[: len(before)]):
        raise CorpusError(f"the files of the corpus come in another order than when the shards were made; {REMEDY}")
    for old, new in zip(before, now, strict=False):
        if new.n_bytes != old.n_bytes:
            raise CorpusError(
                f"shards were made of {old.path!r} with {old.n_bytes:,} bytes, and it has {new.n_bytes:,} bytes now; "
                f"{REMEDY}"
            )
        if new.sha256 != old.sha256:
            raise CorpusError(
                f"shards were made of {old.path!r}, and its contents are others now, in as many bytes; {REMEDY}"
            )


class TextHash:
    """The hash of documents in a row, however they are grouped."""

    def __init__(self) -> None:
        self._texts, self._sizes = hashlib.sha256(), hashlib.sha256()

    def add(self, texts: Group, sizes: Any) -> None:
        """Take documents, and how many bytes each has."""
        self._sizes.update(sizes.astype("<i8").tobytes())
        if isinstance(texts, CutTexts):
            self._texts.update(texts.joined())
            return
        kinds = set(map(type, texts))
        if kinds == {str}:
            self._texts.update("".join(texts).encode("utf-8", "surrogatepass"))  # type: ignore[arg-type]
        else:
            self._texts.update(b"".join(map(_bytes, texts)))

    def value(self) -> str:
        """The hash so far, in hexadecimal digits."""
        return hashlib.sha256(self._sizes.digest() + self._texts.digest()).hexdigest()


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
                    f"the source has more documents than the {n_known:,} that the shards were made of; {REMEDY}"
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
                f"{record.first + record.n_documents - 1} (from 0) of the source; {REMEDY}"
            )

    def end(self) -> None:
        """The source has no more.

        Raises:
            CorpusError: the shards were made of more.
        """
        if self._place < len(self._records):
            n_known = sum(each.n_documents for each in self._records)
            n_now = sum(each.n_documents for each in self._records[: self._place]) + self._n
            raise CorpusError(f"the shards were made of {n_known:,} documents, and the source has {n_now:,}; {REMEDY}")
