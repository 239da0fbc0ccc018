"""What stands beside the shards: a record for each, and the manifest of all; the same bytes for the same run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bytepair import whole_file
from bytepair.arguments import shown
from bytepair.corpus import unreadable
from bytepair.errors import FormatError
from bytepair.pack.batches import Place

VERSION: Final = 1
MANIFEST: Final = "manifest.json"
TOKENIZER: Final = "tokenizer.json"


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
        )


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
    """

    tokenizer: str
    n_ids: int
    options: Mapping[str, Any]
    complete: bool = False
    shards: tuple[ShardRecord, ...] = ()
    bad_records: int = 0

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
        )


def record_name(index: int) -> str:
    """The file of a shard's record."""
    return f"shard-{index:05d}.json"


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all."""
    whole_file.write(
        path, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogateescape")
    )


def read_json(path: Path, made: Callable[[Mapping[str, Any]], Any]) -> Any:
    """Read a record.

    Raises:
        UnreadableFileError, MissingFileError: it cannot be read, or is not there.
        FormatError: it is no such record.
    """
    try:
        value = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
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
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            f"{str(path)!r} is no record of packed shards ({error}); delete it, and pack again"
        ) from error
