"""The folder of shards: whose it is, what is finished in it, and whether the corpus is still the one it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path

from bytepair import whole_file
from bytepair.arguments import kind, shown
from bytepair.corpus import Corpus, Hashed, unreadable
from bytepair.errors import (
    ArgumentError,
    ArgumentTypeError,
    BytepairError,
    CorpusError,
    FormatError,
    MissingFileError,
    UnreadableFileError,
)
from bytepair.pack.checking import all_of
from bytepair.pack.options import Plan
from bytepair.pack.records import (
    MANIFEST,
    SHARD_FILE,
    TOKENIZER,
    Manifest,
    ShardRecord,
    inputs_from_json,
    inputs_name,
    read_json,
    record_name,
    write_json,
)
from bytepair.pack.value import check_file
from bytepair.progress import Watch
from bytepair.tokenizer import Tokenizer

if sys.platform != "win32":
    import fcntl


def path_of(folder: object) -> Path:
    """The path that a call was given."""
    if not isinstance(folder, str | PathLike):
        raise ArgumentTypeError(f"folder is {shown(folder)} ({kind(folder)}); it must be a str or a path")
    return Path(folder)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """A folder that no other run writes to meanwhile; made if need be. The system forgets a run that is gone.

    Raises:
        ArgumentError: another run is at work, or it is no folder.
        MissingFileError, UnreadableFileError: it cannot be made, or read.
    """
    _make(folder)
    if sys.platform == "win32":
        yield
        return
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise unreadable(str(folder), error) from error
    try:
        _lock(folder, number)
        yield
    finally:
        # A process that was forked meanwhile has the folder open, too: closing it here would not free it.
        fcntl.flock(number, fcntl.LOCK_UN)
        os.close(number)


def _lock(folder: Path, number: int) -> None:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ArgumentError(
            f"another run packs into '{folder}' at this moment; wait until it ends, or name another folder"
        ) from error
    except OSError:
        # A file system without locks.
        return


def opened(folder: Path, tok: Tokenizer, plan: Plan) -> Manifest:
    """The manifest of a folder that is there; made where there is none.

    Raises:
        ArgumentError: the folder holds something else, or shards of another tokenizer or other options.
        MissingFileError, UnreadableFileError: it cannot be written to.
    """
    wanted = Manifest(tok._model.fingerprint, plan.n_ids, plan.deciding())
    if (folder / MANIFEST).exists():
        found: Manifest = read_json(folder / MANIFEST, Manifest.from_json)
        whole_file.remove_leftovers(folder)
        if not found.shards and not any(folder.glob("shard-*.json")):
            # Nothing was finished, so nothing is lost.
            remove_shards(folder, 0)
            return _begun(folder, tok, wanted)
        _refuse_differences(folder, found, wanted)
        return found
    others = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    if others and others != [TOKENIZER]:
        raise ArgumentError(
            f"the folder '{folder}' holds {others[0]!r} and no {MANIFEST}, so it was not made by pack; name a new one"
        )
    return _begun(folder, tok, wanted)


def _begun(folder: Path, tok: Tokenizer, wanted: Manifest) -> Manifest:
    if (folder / TOKENIZER).is_symlink():
        (folder / TOKENIZER).unlink()
    tok.save(folder / TOKENIZER)
    write_json(folder / MANIFEST, wanted.to_json())
    return wanted


def remove_shards(folder: Path, first: int) -> None:
    """Delete the files of shards from a number on: what an attempt left that finished none, or of a longer source."""
    for path in folder.iterdir():
        found = SHARD_FILE.fullmatch(path.name)
        if found and int(found[1]) >= first and (path.is_symlink() or path.is_file()):
            path.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise ArgumentError(f"'{folder}' is a file; name a folder for the shards") from error
    except OSError as error:
        raise whole_file.unwritable(folder, error) from error
    except ValueError as error:
        raise UnreadableFileError(f"{str(folder)!r} cannot be made: {error}; no folder can be named so") from error


def _refuse_differences(folder: Path, found: Manifest, wanted: Manifest) -> None:
    todo = "name another folder, or delete this one to pack anew"
    if found.tokenizer != wanted.tokenizer:
        raise ArgumentError(
            f"the shards in '{folder}' were made with another tokenizer (fingerprint {found.tokenizer}, this one has "
            f"{wanted.tokenizer}); {todo}"
        )
    for name, value in wanted.options.items():
        before = found.options.get(name)
        if before != value:
            raise ArgumentError(f"the shards in '{folder}' were made with {name}={before!r}, not {value!r}; {todo}")


def finished(folder: Path) -> list[ShardRecord]:
    """The records of earlier runs, up to the first that is missing or broken."""
    found: list[ShardRecord] = []
    while (path := folder / record_name(len(found))).exists():
        try:
            found.append(read_json(path, ShardRecord.from_json))
        except FormatError:
            break
    return found


def read_so_far(folder: Path, records: list[ShardRecord]) -> tuple[list[ShardRecord], list[Hashed]]:
    """The finished shards of a run that was stopped, and the files that they were made of, as far as they were read.

    A shard of which that is not known counts for nothing, and so do those behind it.
    """
    inputs: dict[int, Hashed] = {}
    for place, record in enumerate(records):
        try:
            more = read_json(folder / inputs_name(record.index), inputs_from_json)
        except (FormatError, MissingFileError):
            return records[:place], list(inputs.values())
        numbers = sorted(more)
        # The files of a shard follow one another, and those before it are known.
        if numbers and (numbers[0] > len(inputs) or numbers[-1] - numbers[0] != len(numbers) - 1):
            return records[:place], list(inputs.values())
        inputs.update(sorted(more.items()))
    return records, list(inputs.values())


def remove_inputs(folder: Path) -> None:
    """Delete what the manifest of a complete folder says itself."""
    for path in folder.glob("inputs-*.json"):
        path.unlink(missing_ok=True)


def all_whole(folder: Path, records: list[ShardRecord], threads: int, watch: Watch) -> list[bool]:
    """Of each shard whether all its files are what was written."""
    if not records:
        return []
    n_bytes = sum(file.n_bytes for record in records for file in record.files)
    return all_of([partial(_is_whole, folder, record) for record in records], threads, watch, n_bytes)


def _is_whole(folder: Path, record: ShardRecord, tell: Callable[[int], None]) -> bool:
    try:
        for file in record.files:
            check_file(folder, file, tell)
    except BytepairError:
        return False
    return True


def refuse_other_kind(folder: Path, manifest: Manifest, records: list[ShardRecord], of_files: bool) -> None:
    """Refuse files where shards were made of documents given as such, and the other way round: neither knows the other.

    Raises:
        ArgumentError: so it is.
    """
    was_files = manifest.inputs is not None or any(not record.texts for record in records)
    if was_files != of_files and (records or manifest.shards):
        kinds = ("documents that are no files", "files")
        raise ArgumentError(
            f"the shards in '{folder}' were made of {kinds[was_files]}, and the source is {kinds[of_files]} now, which "
            "cannot be held against them; pass what was passed before, or name another folder"
        )


def check_inputs(corpus: Corpus, records: list[ShardRecord]) -> dict[str, int]:
    """The bytes of the files of a corpus; those that shards were made of must be what they were.

    Raises:
        CorpusError: one is gone, or has another size.
    """
    sizes = {file.path: file.n_bytes for file in corpus.files or ()}
    for record in records:
        for path, n_bytes in record.inputs:
            if n_bytes is not None and sizes.get(path) != n_bytes:
                now = f"has {sizes[path]:,} bytes now" if path in sizes else "is not in the corpus now"
                raise CorpusError(
                    f"shard {record.index} was made of {path!r} with {n_bytes:,} bytes, and it {now}; put the corpus "
                    "back as it was, or pack into another folder"
                )
    return sizes
