"""A folder of shards, to be read and checked."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, final

from bytepair import arguments, whole_file
from bytepair.arguments import kind, shown
from bytepair.corpus import unreadable
from bytepair.corpus.hashing import update
from bytepair.errors import (
    ArgumentError,
    ArgumentTypeError,
    BytepairError,
    FormatError,
    MissingFileError,
    UnreadableFileError,
)
from bytepair.pack import formats
from bytepair.pack.checking import all_of
from bytepair.pack.filling import SPLITS
from bytepair.pack.records import MANIFEST, TOKENIZER, FileRecord, Manifest, ShardRecord, read_json
from bytepair.pack.writing import side_name
from bytepair.progress import ProgressOption, watching
from bytepair.progress import checked as checked_progress
from bytepair.render import number_of
from bytepair.tokenizer import Tokenizer, load


class PackedDocument(NamedTuple):
    """A document in shards.

    Args:
        ids: its ids as a NumPy array, BOS and EOS among them.
        number: its number in the corpus, from 0.
        file: the file that it comes from; "" where it was given as such.
        record: its number in the file, or in the source, from 0.
    """

    ids: Any
    number: int
    file: str
    record: int


@final
@dataclass(frozen=True, slots=True)
class Pack:
    """Training data in a folder, made by `pack` or opened by `load_pack`.

    Args:
        folder: where it is.
        manifest: what it says of itself.
        n_written: shards that this run wrote; the others were there already.
        seconds: that the run took; 0 where the folder was only opened.

    >>> import tempfile
    >>> from bytepair import pack, train
    >>> folder = tempfile.mkdtemp()
    >>> made = pack(train(["low lower"], num_merges=3), ["low", "lower low"], folder + "/packed")
    >>> made.n_documents, made.n_tokens, [document.ids.tolist() for document in made.documents()]
    (2, 5, [[257], [257, 101, 114, 258]])
    """

    folder: Path
    manifest: Manifest
    n_written: int = 0
    seconds: float = 0.0

    @property
    def shards(self) -> tuple[ShardRecord, ...]:
        """What is known of each shard."""
        return self.manifest.shards

    @property
    def n_documents(self) -> int:
        """Documents in all shards."""
        return sum(shard.n_documents for shard in self.shards)

    @property
    def n_tokens(self) -> int:
        """Ids in all shards, BOS, EOS and padding among them."""
        return sum(side.n_tokens for shard in self.shards for side in shard.splits.values())

    @property
    def n_bytes(self) -> int:
        """Bytes of the text of all documents."""
        return sum(shard.n_bytes for shard in self.shards)

    @property
    def bad_records(self) -> int:
        """Records without a text that were left out, or replaced by empty documents."""
        return self.manifest.bad_records

    @property
    def splits(self) -> tuple[str, ...]:
        """The sides that have documents: "train", "validation"."""
        return tuple(name for name in SPLITS if any(name in shard.splits for shard in self.shards))

    def tokenizer(self) -> Tokenizer:
        """The tokenizer that made the ids."""
        return load(self.folder / TOKENIZER)

    def ids(self, split: str, index: int) -> Any:
        """All ids of one side of a shard in a row, as a NumPy array that lies in the file where the format allows it.

        Args:
            split: "train" or "validation".
            index: the number of the shard.
        """
        arguments.choice("split", split, SPLITS)
        shard = self.shards[arguments.integer("index", index, 0, len(self.shards) - 1)]
        if split not in shard.splits:
            raise ArgumentError(f"shard {index} has no documents in {split!r}; it has {', '.join(shard.splits)}")
        options = self.manifest.options
        name = side_name(split, index)
        self._refuse_special_files(shard)
        try:
            return formats.ids_in(self.folder, options["format"], name, options["dtype"])
        except (OSError, ValueError, EOFError, KeyError, TypeError) as error:
            raise self._broken(name, error) from error

    def _refuse_special_files(self, shard: ShardRecord) -> None:
        for file in shard.files:
            whole_file.refuse_special_file(self.folder / file.name)

    def _broken(self, name: str, error: Exception) -> BytepairError:
        if isinstance(error, BytepairError):
            return error
        return FormatError(f"the files of '{self.folder / name}' are not what pack writes ({error}); pack again")

    def documents(self, split: str | None = None) -> Iterator[PackedDocument]:
        """The documents, shard by shard in the order in which they were written.

        Args:
            split: "train" or "validation"; None: both, of each shard train first.

        Yields:
            The ids of each, with where it comes from. Where sequences left tokens out, the last documents of a shard
            lack some.
        """
        sides = SPLITS if split is None else (arguments.choice("split", split, SPLITS),)
        for shard in self.shards:
            for side in sides:
                if side in shard.splits:
                    yield from self._documents(shard, side)

    def _documents(self, shard: ShardRecord, side: str) -> Iterator[PackedDocument]:
        ids = self.ids(side, shard.index)
        name = side_name(side, shard.index)
        try:
            rows = formats.documents_in(self.folder, name).tolist()
            if not all(len(row) == 5 and 0 <= row[3] < len(shard.inputs) for row in rows):
                raise ValueError("a document is of a file that its record does not name")
        except (OSError, ValueError, EOFError, TypeError) as error:
            raise self._broken(name, error) from error
        for start, n_tokens, number, file, record in rows:
            yield PackedDocument(ids[start : start + n_tokens], number, shard.inputs[file][0], record)

    def verify(self, progress: ProgressOption = None) -> Pack:
        """Read every file again and hold it against its hash and the counts.

        Args:
            progress: as in `pack`.

        Returns:
            Itself.

        Raises:
            FormatError: files are not what was written, or are not there; names all of them and says what to do.
            UnreadableFileError: the only thing wrong is that one file cannot be read.
        """
        if not self.manifest.complete:
            raise FormatError(f"'{self.folder}' was not packed to the end; run the same `pack` again, and it goes on")
        found: list[BytepairError] = []
        with watching(checked_progress(progress)) as watch:
            n_bytes = sum(file.n_bytes for shard in self.shards for file in shard.files)
            for wrong in all_of([partial(self._wrong, shard) for shard in self.shards], 1, watch, n_bytes):
                found += wrong
        if len(found) == 1:
            raise found[0]
        if found:
            lines = "".join(f"\n- {error}" for error in found)
            raise FormatError(f"{len(found):,} things are wrong with the shards in '{self.folder}':{lines}")
        return self

    def _wrong(self, shard: ShardRecord, tell: Callable[[int], None]) -> list[BytepairError]:
        """What is wrong with a shard: its files, or else what is in them."""
        found: list[BytepairError] = []
        for file in shard.files:
            try:
                check_file(self.folder, file, tell)
            except BytepairError as error:
                found.append(error)
        try:
            if not found:
                self._check_counts(shard)
        except BytepairError as error:
            found.append(error)
        return found

    def _check_counts(self, shard: ShardRecord) -> None:
        options = self.manifest.options
        for side, record in shard.splits.items():
            ids, name = self.ids(side, shard.index), side_name(side, shard.index)
            if len(ids) != record.n_tokens or (len(ids) and int(ids.max()) >= self.manifest.n_ids):
                raise FormatError(f"'{self.folder / name}' holds other ids than its record says; pack again")
            if options["format"] == "megatron":
                try:
                    formats.check_index(self.folder, name, record.n_tokens, options["dtype"])
                except (OSError, ValueError, KeyError, struct.error) as error:
                    raise self._broken(name, error) from error

    def to_record(self) -> dict[str, Any]:
        """What JSON can hold of it."""
        record = self.manifest.to_json()
        sides = {
            name: {
                "documents": sum(shard.splits[name].n_documents for shard in self.shards if name in shard.splits),
                "tokens": sum(shard.splits[name].n_tokens for shard in self.shards if name in shard.splits),
                "left_out": sum(shard.splits[name].n_left_out for shard in self.shards if name in shard.splits),
            }
            for name in self.splits
        }
        return {
            "folder": str(self.folder),
            "documents": self.n_documents,
            "tokens": self.n_tokens,
            "bytes": self.n_bytes,
            "bad_records": self.bad_records,
            "splits": sides,
            "shards": len(self.shards),
            "shards_written": self.n_written,
            "seconds": self.seconds,
            "complete": self.manifest.complete,
            "tokenizer": record["tokenizer"],
            "options": record["options"],
        }

    def __str__(self) -> str:
        lines = [
            f"{number_of(self.n_tokens, 'token')} of {number_of(self.n_documents, 'document')} "
            f"({number_of(self.n_bytes, 'byte')}) in {number_of(len(self.shards), 'shard')}"
        ]
        if self.n_written < len(self.shards) and self.seconds:
            lines.append(f"{len(self.shards) - self.n_written:,} of them were there already, and are whole")
        if self.bad_records:
            lines.append(f"{number_of(self.bad_records, 'record')} without a text")
        n_left_out = sum(side.n_left_out for shard in self.shards for side in shard.splits.values())
        if n_left_out:
            lines.append(f"{number_of(n_left_out, 'token')} at the ends of shards filled no sequence and were left out")
        return "\n".join(lines)


def load_pack(folder: str | PathLike[str]) -> Pack:
    """Open a folder of shards that `pack` wrote.

    Args:
        folder: where they are.

    Raises:
        MissingFileError, UnreadableFileError: it is not there, or cannot be read.
        FormatError: it holds no shards of ours.
    """
    if not isinstance(folder, str | PathLike):
        raise ArgumentTypeError(f"folder is {shown(folder)} ({kind(folder)}); it must be a str or a path")
    path = Path(folder)
    try:
        is_there = (path / MANIFEST).exists()
        os.fsencode(path / MANIFEST)
    except OSError as error:
        raise unreadable(str(folder), error) from error
    except ValueError as error:
        raise UnreadableFileError(f"{str(folder)!r} cannot be read: {error}; no folder can be named so") from error
    if not is_there:
        raise MissingFileError(f"there is no {MANIFEST} in '{path}'; name a folder that `pack` wrote")
    return Pack(path, read_json(path / MANIFEST, Manifest.from_json))


def check_file(folder: Path, file: FileRecord, tell: Callable[[int], None]) -> None:
    """Whether a file holds what was written.

    Args:
        folder: where it is.
        file: what was written.
        tell: told of the bytes that are read.

    Raises:
        FormatError: it does not, or is not there; says what to do.
        UnreadableFileError: it cannot be read.
    """
    path, digest = folder / file.name, hashlib.sha256()
    todo = "run the same `pack` again, and it makes this shard anew"
    whole_file.refuse_special_file(path)
    try:
        n_bytes = update(digest, str(path), 0, tell)
    except MissingFileError:
        raise FormatError(f"'{path}' is gone; {todo}") from None
    if digest.hexdigest() != file.sha256:
        raise FormatError(
            f"'{path}' is not what was written ({n_bytes:,} bytes, {file.n_bytes:,} were written); {todo}"
        )
