"""Every reader, on files of strangers: an error of the family, or a value that can be used; nothing else happens.

What may not happen is watched by a hook of Python's own: a socket, another program, an object out of a pickle, a file
that is written outside the folder at hand.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import random
import sys
import tarfile
import tempfile
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow
import pyarrow.parquet
import zstandard
from small_files import files

import bytepair as bp

TEXT: Final = "abc low é <s> 漢字 lowest\n"
DOCUMENTS: Final = ["low lower lowest", "newest é\n", ""]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader under test.

    Args:
        name: what the file is called.
        seed: a file that is right.
        use: reads the file and uses what comes.
        inner: what of the file is changed, and how the rest is made again: of packed files their contents.
    """

    name: str
    seed: Callable[[], bytes]
    use: Callable[[Path], object]
    inner: tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]] = (bytes, bytes)


def read(reader: Reader, data: bytes) -> bool:
    """Read a file of these contents; whether it was read. All but an error of the family, or of memory, comes out."""
    with tempfile.TemporaryDirectory(prefix="bytepair-fuzz-") as folder, watched(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, reader.name)
        path.write_bytes(data)
        try:
            reader.use(path)
        except bp.BytepairError as error:
            check_message(str(error))
            return False
        except MemoryError:
            return False
    return True


def check_message(message: str) -> None:
    """Most of it is ours, however large the file, and it can be shown."""
    assert 10 < len(message) < 2_000, f"a message of {len(message)} characters: {message[:200]}"
    message.encode()


_FORBIDDEN: Final = (
    *("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "pickle.find_class"),
    *("shutil.", "os.symlink", "os.chown", "webbrowser.", "urllib.", "ftplib.", "http.", "ctypes.dlopen"),
)
_folder: str | None = None
_seen: list[str] = []


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if _folder is None:
        return
    if event.startswith(_FORBIDDEN) and event != "shutil.rmtree":
        _seen.append(f"{event} {given!r:.200}")
    elif event == "open" and isinstance(given[0], str | bytes):
        path, mode, flags = given
        writes = any(each in mode for each in "wxa+") if mode else bool((flags or 0) & 3)
        if writes and not str(path).startswith((_folder, "/dev/null")):
            _seen.append(f"{path!r} was opened to be written")


sys.addaudithook(_hook)


@contextmanager
def watched(folder: str) -> Any:
    """Notes what may not happen, and fails at the end where it did."""
    global _folder
    # The readers are compiled by now, so no cache of theirs is written any more.
    _seen.clear()
    _folder = folder
    try:
        yield
    finally:
        _folder = None
    assert not _seen, _seen


def use_tokenizer(tok: bp.Tokenizer, path: Path) -> None:
    """What is loaded encodes by every call alike, and comes back from a file."""
    try:
        ids = tok.encode(TEXT, special="all")
        assert tok.count(TEXT, special="all") == len(ids)
        assert tok.encode_batch([TEXT], special="all") == [ids]
        tok.decode(ids)
    except bp.UnknownCharacterError:
        pass
    assert repr(tok)
    saved = path.with_name("saved.json")
    tok.save(saved)
    again = bp.load(saved)
    assert again == tok, "a tokenizer that was read, saved and loaded is another one"


def loads(**options: Any) -> Callable[[Path], object]:
    return lambda path: use_tokenizer(bp.load(path, **options), path)


def beside(name: str, seed: str, **options: Any) -> Callable[[Path], object]:
    """With the other of two files."""

    def use(path: Path) -> None:
        path.with_name(name).write_bytes(files()[seed])
        use_tokenizer(bp.load(path, **options), path)

    return use


def _counts() -> bp.Tally:
    return bp.Tally.from_counts({"low": 5, "lower\t": 2, "é": 3}, pattern="whitespace")


def _saved(save: Callable[[Path], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        save(path)
        return path.read_bytes()


def use_tally(path: Path) -> None:
    tally = bp.load_tally(path, pattern="whitespace")
    bp.train(tally, num_merges=3)
    tally.save(path.with_name("again.parquet"))
    assert bp.load_tally(path.with_name("again.parquet")) == tally


def use_checkpoint(path: Path) -> None:
    bp.train(DOCUMENTS * 3, num_merges=5, checkpoint=path)


class StopError(Exception):
    """Raised in the middle of a training."""


def _checkpoint() -> bytes:
    """What such a training leaves when it is stopped."""

    def stop(step: bp.Progress) -> None:
        if step.stage == "learning" and step.done:
            raise StopError

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x")
        try:
            bp.train(DOCUMENTS * 3, num_merges=5, checkpoint=path, progress=stop)
        except StopError:
            return path.read_bytes()
    raise AssertionError("a training that was stopped left no checkpoint")


def use_pack(name: str) -> Callable[[Path], object]:
    """A folder of shards in which one record is this file."""

    def use(path: Path) -> None:
        folder = path.with_name("pack")
        tok = bp.train([], num_merges=0)
        bp.pack(tok, DOCUMENTS, folder, eos=10)
        data = path.read_bytes()
        (folder / name).write_bytes(data)
        pack = bp.load_pack(folder)
        pack.verify()
        list(pack.documents())

    return use


def _record(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        bp.pack(bp.train([], num_merges=0), DOCUMENTS, Path(folder, "pack"), eos=10)
        return Path(folder, "pack", name).read_bytes()


def use_corpus(path: Path) -> None:
    bp.train(path, num_merges=5)
    bp.tally(path, pattern="gpt2", errors="replace", bad_records="skip")


def _json_lines() -> bytes:
    return b"".join(json.dumps({"text": text, "n": 1}).encode() + b"\n" for text in DOCUMENTS)


def _csv() -> bytes:
    rows = io.StringIO()
    csv.writer(rows).writerows([["text", "n"], *([text, 1] for text in DOCUMENTS)])
    return rows.getvalue().encode()


def _tar() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for number, text in enumerate(DOCUMENTS):
            member = tarfile.TarInfo(f"{number}.txt")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def _table(write: Callable[[Any, Any], object]) -> Callable[[], bytes]:
    def made() -> bytes:
        sink = io.BytesIO()
        write(pyarrow.table({"text": DOCUMENTS, "n": [1, 2, 3]}), sink)
        return sink.getvalue()

    return made


def _unpacked(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return data


GZIP: Final = (_unpacked, lambda data: gzip.compress(data, 1, mtime=0))
GPT2: Final = {"pattern": "gpt2"}


def _model(format: str) -> Callable[[], bytes]:
    return lambda: files()[format]


READERS: Final[Mapping[str, Reader]] = {
    "tokenizer_json": Reader("tokenizer.json", _model("tokenizer.json"), loads()),
    "framed_tokenizer_json": Reader("tokenizer.json", _model("framed tokenizer.json"), loads()),
    "tiktoken": Reader("x.tiktoken", _model("tiktoken"), loads(**GPT2)),
    "tekken": Reader("tekken.json", _model("tekken"), loads()),
    "merges": Reader("merges.txt", _model("vocab+merges"), beside("vocab.json", "vocab.json", **GPT2)),
    "vocab": Reader("vocab.json", _model("vocab.json"), beside("merges.txt", "vocab+merges", **GPT2)),
    "sentencepiece": Reader("tokenizer.model", _model("sentencepiece"), loads()),
    "clip": Reader("bpe.txt.gz", _model("clip"), loads(), GZIP),
    "subword_nmt": Reader("codes", _model("subword-nmt"), loads()),
    "minbpe": Reader("x.model", _model("minbpe"), loads()),
    "tally_parquet": Reader("x.parquet", lambda: _saved(_counts().save, "x.parquet"), use_tally),
    "tally_tsv": Reader("x.tsv", lambda: b"low\t5\nlow\\t\\xc3\\xa9\t2\n", use_tally),
    "checkpoint": Reader("x.checkpoint", _checkpoint, use_checkpoint),
    "pack_manifest": Reader("record", lambda: _record("manifest.json"), use_pack("manifest.json")),
    "pack_shard": Reader("record", lambda: _record("shard-00000.json"), use_pack("shard-00000.json")),
    "corpus_json_lines": Reader("x.jsonl", _json_lines, use_corpus),
    "corpus_csv": Reader("x.csv", _csv, use_corpus),
    "corpus_gzip": Reader("x.jsonl.gz", lambda: gzip.compress(_json_lines(), mtime=0), use_corpus),
    "corpus_zstd": Reader("x.zst", lambda: zstandard.compress(b"low lower\n"), use_corpus),
    "corpus_tar": Reader("x.tar", _tar, use_corpus),
    "corpus_parquet": Reader("x.parquet", _table(pyarrow.parquet.write_table), use_corpus),
}


def changed(reader: Reader, data: bytes, chance: random.Random, change: Callable[[bytes], bytes]) -> bytes:
    """The file with its contents changed, as JSON where they are; packed files now and then as they lie."""
    unpack, repack = reader.inner
    if reader.inner is GZIP and chance.random() < 0.2:
        return change(data)
    contents = unpack(data)
    try:
        value = json.loads(contents) if chance.random() < 0.6 and contents[:1] in (b"{", b"[") else None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        return repack(change(contents))
    for _ in range(chance.choice([1, 1, 2, 4])):
        value = change_value(value, chance)
    return repack(json.dumps(value).encode())


WRONG: Final[list[Any]] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        255,
        256,
        2**31,
        2**32,
        2**63,
        2**64,
        10**400,
        1.5,
        1e308,
        float("nan"),
        float("inf"),
    ),
    *("", " ", "a", "\ud800", "\0", "é", "Ġ", "▁", "<s>", "</w>", "x" * 3_000, "(", "a b", "(?:a|a)*b", "\\p{L}+"),
    *([], [[]], {}, {"type": "No"}, {"String": "a"}, {"Regex": "("}, ["a", "b"], ["ab", "c"], ["c", "ab"]),
]


def change_value(value: Any, chance: random.Random) -> Any:
    """One value somewhere in it becomes another, goes, comes again, or takes the place of a third."""
    places = list(_places(value))
    place = chance.choice(places)
    kind = chance.randrange(5)
    if not place:
        return copy.deepcopy(chance.choice(WRONG)) if chance.random() < 0.05 else value
    holder = _at(value, place[:-1])
    key = place[-1]
    if kind == 0:
        # A copy: later changes reach into it.
        holder[key] = copy.deepcopy(chance.choice(WRONG))
    elif kind == 1:
        del holder[key]
    elif kind == 2:
        holder[key] = json.loads(json.dumps(_at(value, chance.choice(places))))
    elif isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), json.loads(json.dumps(holder[key])))
    elif kind == 3:
        holder[chance.choice([each for each in WRONG if isinstance(each, str)] or [key])] = holder.pop(key)
    else:
        holder[key] = chance.choice([holder[key], [holder[key]], str(holder[key]), {"type": holder[key]}])
    return value


def _places(value: Any) -> Any:
    """The way to every value; of tables the first few."""
    waiting: list[tuple[Any, tuple[Any, ...]]] = [(value, ())]
    while waiting:
        value, place = waiting.pop()
        yield place
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [(each, (*place, key)) for index, (key, each) in enumerate(items) if index < 20]


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value
