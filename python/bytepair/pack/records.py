"""What stands beside the shards: a record for each, and the manifest of all; the same bytes for the same run."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bytepair import whole_file
from bytepair.arguments import shown
from bytepair.corpus import Hashed, unreadable
from bytepair.errors import FormatError
from bytepair.pack.batches import Place

VERSION: Final = 1
MANIFEST: Final = "manifest.json"
TOKENIZER: Final = "tokenizer.json"
# The names that the files of shards have; no other is read, or deleted.
SHARD_FILE: Final = re.compile(r"(?:train|validation|shard|inputs)-([0-9]{5,9})(?:\.[a-z]+)+")
_FORMATS: Final = ("npy", "bin", "megatron", "parquet")


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file of a shard: its name in the folder, its bytes, and their SHA-256."""

    name: str
    n_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SplitRecord:
    """One side of a shard.

    Args:
        n_documents: how many documents are on it.
        n_tokens: how many ids, BOS, EOS and padding among them.
        n_sequences: how many sequences; None where there are none.
        n_left_out: ids at the end that filled no sequence, and were not padded.
    """

    n_documents: int
    n_tokens: int
    n_sequences: int | None = None
    n_left_out: int = 0


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A finished shard.

    Args:
        index: its number, from 0.
        first: the number of its first document in the corpus.
        n_documents: how many it holds.
        n_bytes: of their text.
        start: where reading began for it.
        end: where it goes on behind it.
        inputs: the files that its documents come from, with their bytes (None where they lie in another file).
        files: what was written.
        splits: its sides by name; one without documents is not there.
        texts: the hash of its documents; "" where that of their files is in the manifest.
    """

    index: int
    first: int
    n_documents: int
    n_bytes: int
    start: Place
    end: Place
    inputs: tuple[tuple[str, int | None], ...]
    files: tuple[FileRecord, ...]
    splits: Mapping[str, SplitRecord]
    texts: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ShardRecord:
        """What `to_json` made."""
        return cls(
            index=value["index"],
            first=value["first"],
            n_documents=value["n_documents"],
            n_bytes=value["n_bytes"],
            start=Place(**value["start"]),
            end=Place(**value["end"]),
            inputs=tuple((path, size) for path, size in value["inputs"]),
            files=tuple(FileRecord(**each) for each in value["files"]),
            splits={name: SplitRecord(**each) for name, each in value["splits"].items()},
            texts=value.get("texts", ""),
        )._checked()

    def _checked(self) -> ShardRecord:
        """Itself, if every value is of its type."""
        _numbers(self.index, self.first, self.n_documents, self.n_bytes)
        for place in (self.start, self.end):
            _numbers(place.n_files, place.n_documents, place.n_bad)
        for path, size in self.inputs:
            _is(path, str)
            _numbers(0 if size is None else size)
        for file in self.files:
            _is(file.name, str)
            _is(file.sha256, str)
            _numbers(file.n_bytes)
            if not SHARD_FILE.fullmatch(file.name):
                raise ValueError(f"{shown(file.name)} names no file of a shard")
        for name, side in self.splits.items():
            if name not in ("train", "validation"):
                raise ValueError(f"{shown(name)} is no side of a shard")
            _numbers(side.n_documents, side.n_tokens, side.n_left_out, side.n_sequences or 0)
        _is(self.texts, str)
        return self


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder of shards holds.

    Args:
        tokenizer: the fingerprint of the tokenizer.
        n_ids: one more than its largest id.
        options: those that decide the bytes of the shards.
        complete: whether the whole corpus was packed.
        shards: the finished ones; empty until all are.
        bad_records: how many records held no text.
        inputs: the files of the corpus; None where it was no files.
    """

    tokenizer: str
    n_ids: int
    options: Mapping[str, Any]
    complete: bool = False
    shards: tuple[ShardRecord, ...] = ()
    bad_records: int = 0
    inputs: tuple[Hashed, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "bytepair_pack": VERSION,
            "complete": self.complete,
            "tokenizer": {"fingerprint": self.tokenizer, "n_ids": self.n_ids},
            "options": dict(self.options),
            "n_documents": sum(each.n_documents for each in self.shards),
            "n_tokens": sum(side.n_tokens for each in self.shards for side in each.splits.values()),
            "n_bytes": sum(each.n_bytes for each in self.shards),
            "bad_records": self.bad_records,
            "inputs": None if self.inputs is None else [asdict(each) for each in self.inputs],
            "shards": [each.to_json() for each in self.shards],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Manifest:
        """What `to_json` made."""
        return cls(
            tokenizer=value["tokenizer"]["fingerprint"],
            n_ids=value["tokenizer"]["n_ids"],
            options=value["options"],
            complete=value["complete"],
            shards=tuple(map(ShardRecord.from_json, value["shards"])),
            bad_records=value["bad_records"],
            inputs=None if value.get("inputs") is None else tuple(Hashed(**each) for each in value["inputs"]),
        )._checked()

    def _checked(self) -> Manifest:
        """Itself, if every value is of its type."""
        _is(self.tokenizer, str)
        _is(self.complete, bool)
        _is(self.options, dict)
        _numbers(self.n_ids, self.bad_records)
        if self.options["format"] not in _FORMATS or self.options["dtype"] not in ("uint16", "uint32", "int32"):
            raise ValueError("its format or dtype is none that pack writes")
        for index, each in enumerate(self.shards):
            if each.index != index:
                raise ValueError(f"shard {each.index} stands where shard {index} belongs")
        for file in self.inputs or ():
            _check_hashed(file)
        return self


def _check_hashed(file: Hashed) -> None:
    _is(file.path, str)
    _is(file.sha256, str)
    _numbers(file.n_bytes)


def _is(value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{shown(value)} stands where a {kind.__name__} belongs")


def _numbers(*values: object) -> None:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
            raise TypeError(f"{shown(value)} stands where a number from 0 on belongs")


def record_name(index: int) -> str:
    """The file of a shard's record."""
    return f"shard-{index:05d}.json"


def inputs_name(index: int) -> str:
    """The file that says, until all shards are finished, what a shard and those before it were made of."""
    return f"inputs-{index:05d}.json"


def inputs_to_json(inputs: Mapping[int, Hashed]) -> dict[str, Any]:
    """The files that were read since the shard before, by their numbers in the corpus; the last one so far."""
    return {"version": VERSION, "inputs": {str(index): asdict(each) for index, each in inputs.items()}}


def inputs_from_json(value: Mapping[str, Any]) -> dict[int, Hashed]:
    """What `inputs_to_json` took."""
    found = {int(index): Hashed(**each) for index, each in value["inputs"].items()}
    for each in found.values():
        _check_hashed(each)
    return found


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all."""
    whole_file.write(
        path,
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape"),
        follow=False,
    )


def read_json(path: Path, made: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Read a record.

    Raises:
        UnreadableFileError, MissingFileError: it cannot be read, or is not there.
        FormatError: it is no such record.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FormatError(f"{str(path)!r} is no regular file; delete it, and pack again")
        value = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        if not isinstance(value, dict):
            raise TypeError(f"{shown(value)} stands where an object belongs")
        version = value.get("bytepair_pack", value.get("version"))
        if version != VERSION:
            raise FormatError(
                f"{str(path)!r} is of version {shown(version)}, and this bytepair reads version {VERSION}; "
                "update bytepair"
            )
        return made(value)
    except OSError as error:
        raise unreadable(str(path), error) from error
    except FormatError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise FormatError(
            f"{str(path)!r} is no record of packed shards ({error}); delete it, and pack again"
        ) from error
