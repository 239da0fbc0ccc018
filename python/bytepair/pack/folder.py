"""The folder of shards: whose it is, what is finished in it, and whether the corpus is still the one it was."""

from __future__ import annotations

from pathlib import Path

from bytepair import whole_file
from bytepair.corpus import Corpus
from bytepair.errors import ArgumentError, BytepairError, CorpusError, FormatError
from bytepair.pack.options import Plan
from bytepair.pack.records import MANIFEST, TOKENIZER, Manifest, ShardRecord, read_json, record_name, write_json
from bytepair.pack.value import check_file
from bytepair.tokenizer import Tokenizer


def opened(folder: Path, tok: Tokenizer, plan: Plan) -> Manifest:
    """The manifest of a folder; made, with the folder, where there is none.

    Raises:
        ArgumentError: the folder holds something else, or shards of another tokenizer or other options.
        MissingFileError, UnreadableFileError: it cannot be written to.
    """
    wanted = Manifest(tok._model.fingerprint, plan.n_ids, plan.deciding())
    _make(folder)
    if (folder / MANIFEST).exists():
        found: Manifest = read_json(folder / MANIFEST, Manifest.from_json)
        _refuse_differences(folder, found, wanted)
        whole_file.remove_leftovers(folder)
        return found
    others = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    if others and others != [TOKENIZER]:
        raise ArgumentError(
            f"the folder '{folder}' holds {others[0]!r} and no {MANIFEST}, so it was not made by pack; name a new one"
        )
    tok.save(folder / TOKENIZER)
    write_json(folder / MANIFEST, wanted.to_json())
    return wanted


def _make(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise ArgumentError(f"'{folder}' is a file; name a folder for the shards") from error
    except OSError as error:
        raise whole_file.unwritable(folder, error) from error


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


def is_whole(folder: Path, record: ShardRecord) -> bool:
    """Whether all files of a shard are what was written."""
    try:
        for file in record.files:
            check_file(folder, file)
    except BytepairError:
        return False
    return True


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
