"""Shards of ids: every format, read by others; stopped at any moment and resumed; what has changed is refused."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.cli import cli

np = pytest.importorskip("numpy")
pq = pytest.importorskip("pyarrow.parquet")

SPECIALS = ["<|begin|>", "<|end|>", "<|pad|>"]
DOCUMENTS = [
    f"document {number} of some: " + "low lower lowest newest widest “ä” 👍\n" * (number % 7) for number in range(200)
]
FORMATS = ["npy", "bin", "megatron", "parquet"]


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(DOCUMENTS, vocab_size=400, special_tokens=SPECIALS)


@pytest.fixture(scope="module")
def large() -> bp.Tokenizer:
    """One whose ids need more than 16 bits."""
    return bp.train(DOCUMENTS, num_merges=50, special_tokens=[f"<|{number}|>" for number in range(1 << 16)])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(4):
        lines = (json.dumps({"text": text}) + "\n" for text in DOCUMENTS[number * 50 : number * 50 + 50])
        (folder / f"{number}.jsonl").write_text("".join(lines))
    return folder


def contents(folder: Path, *, without: tuple[str, ...] = ()) -> dict[str, str]:
    """The hash of every file in a folder of shards."""
    names = sorted(path for path in folder.iterdir() if path.name not in without)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in names}


def stop_behind(n_shards: int, tok: bp.Tokenizer, source: Any, folder: Path, **options: Any) -> None:
    """Pack, and stop when so many shards are there, before the last."""

    def stop(progress: bp.Progress) -> None:
        if len(list(folder.glob("shard-*.json"))) >= n_shards:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        bp.pack(tok, source, folder, progress=stop, **options)


def texts_of(made: bp.Pack, tok: bp.Tokenizer, specials: int = 0) -> list[str]:
    """The documents in the order of the corpus, without so many specials at each end."""
    found = sorted(made.documents(), key=lambda document: document.number)
    assert [document.number for document in found] == list(range(len(found)))
    return [tok.decode(each.ids[specials : len(each.ids) - specials].tolist()) for each in found]


# What is written


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("options", [{}, {"shuffle": 7}, {"validation": 0.3}, {"shuffle": 0, "validation": 0.3}])
def test_the_shards_decode_to_the_corpus(
    format: Any, options: dict[str, Any], tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    made = bp.pack(
        tok, corpus, tmp_path / "p", format=format, bos=SPECIALS[0], eos=SPECIALS[1], shard_bytes=5000, **options
    )
    assert texts_of(made, tok, 1) == DOCUMENTS
    assert made.n_documents == 200
    assert made.n_tokens == sum(len(tok.encode(text)) + 2 for text in DOCUMENTS)
    assert made.n_bytes == sum(len(text.encode()) for text in DOCUMENTS)
    assert len(made.shards) > 2
    assert made.verify() == made
    places = {(Path(each.file).name, each.record): each.number for each in made.documents()}
    assert places == {(f"{number // 50}.jsonl", number % 50): number for number in range(200)}
    assert made.splits == (("train", "validation") if "validation" in options else ("train",))
    for each in made.documents():
        assert (each.ids[0], each.ids[-1]) == (tok.special_tokens[SPECIALS[0]], tok.special_tokens[SPECIALS[1]])
    assert bp.load_pack(tmp_path / "p").manifest == made.manifest
    assert made.tokenizer() == tok


@pytest.mark.parametrize("format", FORMATS)
def test_any_form_of_the_corpus_and_any_threads_give_the_same_ids(
    format: Any, tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    sources: list[Any] = [corpus, DOCUMENTS, (text for text in DOCUMENTS), [{"text": text} for text in DOCUMENTS]]
    found = []
    for number, source in enumerate(sources):
        folder = tmp_path / str(number)
        bp.pack(tok, source, folder, format=format, shuffle=1, shard_bytes=4000, threads=1 + number % 2)
        found.append({name: value for name, value in contents(folder).items() if "train" in name and "doc" not in name})
    # The rows of Parquet hold the record.
    assert all(each == found[0] for each in found) or format == "parquet"
    assert found[1] == found[2] == found[3]


def test_numpy_maps_the_shards(tok: bp.Tokenizer, large: bp.Tokenizer, tmp_path: Path) -> None:
    for name, each, dtype in (("small", tok, "uint16"), ("large", large, "uint32")):
        bp.pack(each, DOCUMENTS, tmp_path / name, format="bin")
        about = json.loads((tmp_path / name / "train-00000.bin.json").read_text())
        assert about["dtype"] == dtype
        mapped = np.memmap(tmp_path / name / "train-00000.bin", dtype="<u2" if dtype == "uint16" else "<u4", mode="r")
        assert mapped.tolist() == [number for text in DOCUMENTS for number in each.encode(text)]
        assert about["shape"] == list(mapped.shape)
        bp.pack(each, DOCUMENTS, tmp_path / f"{name}-npy")
        loaded = np.load(tmp_path / f"{name}-npy" / "train-00000.npy", mmap_mode="r")
        assert (loaded.dtype, loaded.tolist()) == (dtype, mapped.tolist())


def megatron(path: Path) -> list[list[int]]:
    """Read as Megatron's documentation of its index says, independently of the package."""
    data = path.with_suffix(".idx").read_bytes()
    assert data[:9] == b"MMIDIDX\x00\x00"
    version, code, n_sequences, n_documents = struct.unpack_from("<QBQQ", data, 9)
    assert version == 1
    dtype = {4: "<i4", 8: "<u2"}[code]
    sizes = np.frombuffer(data, "<i4", n_sequences, 34)
    pointers = np.frombuffer(data, "<i8", n_sequences, 34 + 4 * n_sequences)
    documents = np.frombuffer(data, "<i8", n_documents, 34 + 12 * n_sequences)
    assert len(data) == 34 + 12 * n_sequences + 8 * n_documents
    assert documents.tolist() == list(range(n_sequences + 1))
    ids = path.with_suffix(".bin").read_bytes()
    return [
        np.frombuffer(ids, dtype, size, pointer).tolist()
        for size, pointer in zip(sizes.tolist(), pointers.tolist(), strict=True)
    ]


def test_a_reader_of_megatrons_index_reads_them(tok: bp.Tokenizer, large: bp.Tokenizer, tmp_path: Path) -> None:
    for name, each in (("small", tok), ("large", large)):
        bp.pack(each, DOCUMENTS, tmp_path / name, format="megatron")
        assert megatron(tmp_path / name / "train-00000") == each.encode_batch(DOCUMENTS)
    bp.pack(tok, DOCUMENTS, tmp_path / "s", format="megatron", sequence=32, pad=SPECIALS[2])
    assert {len(each) for each in megatron(tmp_path / "s" / "train-00000")} == {32}


def test_rows_of_parquet_are_documents(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    bp.pack(tok, corpus, tmp_path / "p", format="parquet")
    rows = pq.read_table(tmp_path / "p" / "train-00000.parquet").to_pylist()
    assert [row["ids"] for row in rows] == tok.encode_batch(DOCUMENTS)
    assert [(row["document"], row["file"], row["record"]) for row in rows] == [(n, n // 50, n % 50) for n in range(200)]


@pytest.mark.parametrize("format", FORMATS)
def test_sequences_hold_the_documents_and_whose_each_token_is(format: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    whole = [number for text in DOCUMENTS for number in [*tok.encode(text), 398]]
    assert tok.special_tokens["<|end|>"] == 398
    made = bp.pack(tok, DOCUMENTS, tmp_path / "p", format=format, eos=398, sequence=100, pad="<|pad|>")
    ids = made.ids("train", 0)
    assert len(ids) % 100 == 0
    assert ids[: len(whole)].tolist() == whole
    assert set(ids[len(whole) :].tolist()) == {399}
    if format == "parquet":
        owners = np.array(pq.read_table(tmp_path / "p" / "train-00000.parquet")["documents"].to_pylist())
    else:
        owners = np.load(tmp_path / "p" / "train-00000.owners.npy")
    assert owners.shape == (len(ids) // 100, 100)
    wanted = [number for number, text in enumerate(DOCUMENTS) for _ in range(len(tok.encode(text)) + 1)]
    assert owners.reshape(-1).tolist() == wanted + [-1] * (len(ids) - len(whole))
    assert texts_of(made, tok) == [text + "<|end|>" for text in DOCUMENTS]
    short = bp.pack(tok, DOCUMENTS, tmp_path / "q", format=format, eos=398, sequence=100)
    assert short.n_tokens == len(whole) // 100 * 100
    assert f"{len(whole) % 100} tokens at the ends of shards filled no sequence" in str(short)


def test_the_hash_of_a_text_decides_for_validation(tok: bp.Tokenizer, tmp_path: Path) -> None:
    one = bp.pack(tok, DOCUMENTS, tmp_path / "1", validation=0.25)
    two = bp.pack(tok, [*reversed(DOCUMENTS), "more"], tmp_path / "2", validation=0.25, shard_bytes=700)
    sides = [
        {tok.decode(each.ids.tolist()): side for side in made.splits for each in made.documents(side)}
        for made in (one, two)
    ]
    assert sides[0].items() <= sides[1].items()
    share = list(sides[0].values()).count("validation") / len(sides[0])
    assert 0.1 < share < 0.4


def test_shuffling_is_by_the_seed(tok: bp.Tokenizer, tmp_path: Path) -> None:
    orders = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2), ("d", None)):
        made = bp.pack(tok, DOCUMENTS, tmp_path / name, shuffle=seed)
        orders.append([each.number for each in made.documents()])
    assert orders[0] == orders[1] != orders[2]
    assert orders[3] == sorted(orders[0]) == list(range(200))
    # The same numbers in every version: a shuffle that is resumed later must not be another one.
    assert orders[0][:5] == [99, 128, 18, 100, 82]


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(1, 60), st.sampled_from(FORMATS))
def test_any_texts_come_back(tmp_path_factory: Any, texts: list[str], shard_bytes: int, format: Any) -> None:
    tok = bp.train(["low"], num_merges=1, special_tokens=["<|end|>"])
    folder = tmp_path_factory.mktemp("any") / "p"
    made = bp.pack(tok, texts, folder, format=format, shard_bytes=shard_bytes, eos="<|end|>", shuffle=1)
    assert texts_of(made, tok) == [text + "<|end|>" for text in texts]
    for shard in made.shards[:-1]:
        assert shard.n_bytes >= shard_bytes
    assert made.verify().n_documents == len(texts)


def test_empty_documents_and_empty_corpora(tok: bp.Tokenizer, tmp_path: Path) -> None:
    for number, format in enumerate(FORMATS):
        made = bp.pack(tok, ["", "", "low", ""], tmp_path / f"{number}", format=format, shard_bytes=1)  # type: ignore[arg-type]
        assert texts_of(made, tok) == ["", "", "low", ""]
        none = bp.pack(tok, [], tmp_path / f"none {number}", format=format)  # type: ignore[arg-type]
        assert (none.n_tokens, none.shards, list(none.documents())) == (0, (), [])
        none.verify()


def test_a_file_that_is_one_large_document_is_encoded_in_parts(
    tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bytepair.pack import batches, encoded

    monkeypatch.setattr(batches, "LARGE", 1000)
    monkeypatch.setattr(encoded, "_PART", 300)
    text = "".join(DOCUMENTS)
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "b.txt").write_text("low")
    (tmp_path / "c.txt").write_text(text)
    source = [tmp_path / f"{name}.txt" for name in "abc"]
    made = bp.pack(tok, source, tmp_path / "p", eos="<|end|>", validation=0.5)
    assert texts_of(made, tok) == [each + "<|end|>" for each in (text, "low", text)]
    monkeypatch.undo()
    assert contents(tmp_path / "p") == contents(
        bp.pack(tok, source, tmp_path / "q", eos="<|end|>", validation=0.5).folder
    )


def test_long_lines_are_packed_as_any_other(tok: bp.Tokenizer, tmp_path: Path) -> None:
    """Others leave lines out that are longer than some thousand bytes, and say so in a log at most."""
    lines = ["low\n", "lower newest " * 700_000 + "\n", "low"]
    (tmp_path / "a.txt").write_text("".join(lines))
    made = bp.pack(tok, tmp_path / "a.txt", tmp_path / "p", document="line")
    assert texts_of(made, tok) == lines
    assert bp.tally(tmp_path / "a.txt", pattern="gpt2", document="line").documents == 3


# Stopped and resumed


PROGRAM = """
import sys, pathlib
import bytepair as bp
tok = bp.load(sys.argv[1])
bp.pack(tok, pathlib.Path(sys.argv[2]), sys.argv[3], shard_bytes=3000, shuffle=5, validation=0.2, eos="<|end|>",
        format=sys.argv[4], threads=1)
"""


@pytest.mark.parametrize("format", FORMATS)
def test_the_data_set_of_the_docs_reads_every_format(
    format: Any, tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parent.parent / "docs" / "scale.md").read_text("utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class Tokens" in block)
    # What it asks of PyTorch, which is not installed for the tests.
    torch = types.ModuleType("torch")
    torch.utils = types.SimpleNamespace(data=types.SimpleNamespace(Dataset=object))  # type: ignore[attr-defined]
    torch.from_numpy = lambda array: array  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    names: dict[str, Any] = {}
    exec(code, names)
    made = bp.pack(tok, DOCUMENTS, tmp_path / "p", format=format, shard_bytes=3000, eos="<|end|>")
    windows = names["Tokens"](tmp_path / "p", 64)
    shards = [made.ids("train", shard.index) for shard in made.shards]
    assert len(windows) == sum((len(ids) - 1) // 64 for ids in shards) > len(shards) > 2
    inputs, targets = windows[0]
    assert (inputs.tolist(), targets.tolist()) == (shards[0][:64].tolist(), shards[0][1:65].tolist())
    last = (len(shards[-1]) - 1) // 64 * 64
    assert windows[len(windows) - 1][1].tolist() == shards[-1][last - 63 : last + 1].tolist()


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("format", ["bin"])
def test_killed_at_random_moments_it_ends_with_the_same_shards(
    format: str, tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    tok.save(tmp_path / "tok.json")
    options: dict[str, Any] = {"shard_bytes": 3000, "shuffle": 5, "validation": 0.2, "eos": "<|end|>", "format": format}
    wanted = contents(bp.pack(tok, corpus, tmp_path / "whole", **options).folder)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "tok.json"), str(corpus), str(tmp_path / "p"), format]
    moments = random.Random(8)
    for _ in range(10):
        with subprocess.Popen(command) as process:
            # From the first file on: what comes before is no work.
            while process.poll() is None and not (tmp_path / "p" / "manifest.json").exists():
                time.sleep(0.002)
            time.sleep(moments.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
    done = bp.pack(tok, corpus, tmp_path / "p", **options)
    assert contents(tmp_path / "p") == wanted
    assert done.verify().n_documents == 200


@pytest.mark.parametrize("n_shards", range(5))
def test_stopped_behind_any_shard_it_goes_on(n_shards: int, tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    (corpus / "1.jsonl").write_text("no json\n" + (corpus / "1.jsonl").read_text() + '{"x": 1}\n')
    options: dict[str, Any] = {"shard_bytes": 2500, "bad_records": "skip"}
    whole = bp.pack(tok, corpus, tmp_path / "whole", **options)
    assert whole.bad_records == 2

    stop_behind(n_shards, tok, corpus, tmp_path / "p", **options)
    assert not bp.load_pack(tmp_path / "p").manifest.complete
    with pytest.raises(bp.FormatError, match="was not packed to the end; run the same `pack` again"):
        bp.load_pack(tmp_path / "p").verify()
    n_there = len(list((tmp_path / "p").glob("shard-*.json")))
    done = bp.pack(tok, corpus, tmp_path / "p", **options)
    assert contents(tmp_path / "p") == contents(tmp_path / "whole")
    assert (done.n_written, done.bad_records) == (len(whole.shards) - n_there, 2)
    again = bp.pack(tok, corpus, tmp_path / "p", **options)
    assert (again.n_written, again.manifest) == (0, whole.manifest)


def test_a_damaged_shard_is_found_and_made_again(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    made = bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    wanted = contents(tmp_path / "p")
    path = tmp_path / "p" / "train-00001.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    (tmp_path / "p" / "train-00002.documents.npy").unlink()
    with pytest.raises(bp.FormatError, match=r"train-00001\.npy' is not what was written.*makes this shard anew"):
        made.verify()
    mended = bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    assert contents(tmp_path / "p") == wanted
    assert mended.n_written == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "bin"}, "were made with format='npy', not 'bin'; name another folder, or delete this one"),
        ({"eos": "<|end|>"}, "were made with eos=None, not 398"),
        ({"shard_bytes": 7}, "were made with shard_bytes=134217728, not 7"),
        ({"validation": 0.5}, r"were made with validation=0\.0, not 0\.5"),
    ],
)
def test_other_options_are_refused(options: dict[str, Any], message: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    before = contents(tmp_path / "p")
    with pytest.raises(bp.ArgumentError, match=message):
        bp.pack(tok, DOCUMENTS, tmp_path / "p", **options)
    assert contents(tmp_path / "p") == before


def test_another_tokenizer_or_corpus_is_refused(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    stop_behind(2, tok, corpus, tmp_path / "p", shard_bytes=5000)
    with pytest.raises(bp.ArgumentError, match="were made with another tokenizer"):
        bp.pack(tok.at(350), corpus, tmp_path / "p", shard_bytes=5000)
    with (corpus / "0.jsonl").open("a") as file:
        file.write('{"text": "more"}\n')
    with pytest.raises(bp.CorpusError, match=r"made of '.*0\.jsonl' with .* bytes, and it has .* bytes now"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=5000)
    (corpus / "0.jsonl").unlink()
    with pytest.raises(
        bp.CorpusError, match="and it is not in the corpus now, or not there; put the corpus back as it was"
    ):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=5000)


def test_a_folder_of_something_else_is_refused(tok: bp.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(bp.ArgumentError, match=r"holds 'notes\.txt' and no manifest\.json"):
        bp.pack(tok, DOCUMENTS, tmp_path)
    with pytest.raises(bp.ArgumentError, match="is a file; name a folder"):
        bp.pack(tok, DOCUMENTS, tmp_path / "notes.txt")
    with pytest.raises(bp.MissingFileError, match=r"there is no folder .*; make it first"):
        bp.pack(tok, DOCUMENTS, tmp_path / "a" / "b")
    with pytest.raises(bp.MissingFileError, match=r"there is no manifest\.json in"):
        bp.load_pack(tmp_path)


# What goes wrong on the way


def test_a_broken_member_leaves_the_finished_shards(
    tok: bp.Tokenizer, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bytepair.pack import batches

    monkeypatch.setattr(batches, "_GROUP_BYTES", 1)
    for path in sorted(corpus.iterdir()):
        (corpus / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()
    wanted = contents(bp.pack(tok, corpus, tmp_path / "whole", shard_bytes=2500).folder)
    whole = (corpus / "3.jsonl.gz").read_bytes()
    (corpus / "3.jsonl.gz").write_bytes(whole[:-20])
    with pytest.raises(bp.CorpusError, match=r"3\.jsonl\.gz' is broken or cut short.*get the file again"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    finished = {name: value for name, value in contents(tmp_path / "p").items() if name in wanted and "0000" in name}
    assert finished
    assert finished.items() <= wanted.items()
    (corpus / "3.jsonl.gz").write_bytes(whole)
    bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    assert contents(tmp_path / "p") == wanted


FULL = """
import resource, sys
import bytepair as bp
tok = bp.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), -1))
try:
    bp.pack(tok, ["low " * 10, "lower " * 100_000], sys.argv[2], shard_bytes=10)
except bp.UnreadableFileError as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="limits as POSIX has them")
def test_a_disk_without_room_stops_it_with_what_to_do(tok: bp.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tok.json")
    limit = (tmp_path / "tok.json").stat().st_size + 1000
    command = [sys.executable, "-c", FULL, str(tmp_path / "tok.json"), str(tmp_path / "p"), str(limit)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "train-00001.npy' cannot be written" in said
    assert "1 finished shards are whole: make room on the disk, then run the same again" in said
    assert not list((tmp_path / "p").glob(".*"))
    done = bp.pack(tok, ["low " * 10, "lower " * 100_000], tmp_path / "p", shard_bytes=10)
    assert done.n_written == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said_at_once(tok: bp.Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir(mode=0o500)
    with pytest.raises(bp.PermissionDeniedError, match="cannot be written: Permission denied"):
        bp.pack(tok, DOCUMENTS, tmp_path / "p")


def test_a_disk_that_cannot_be_written_to_is_said_with_what_to_do(
    tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(bp.UnreadableFileError, match="Read-only file system; name a place on a disk that can be writ"):
        bp.pack(tok, DOCUMENTS, tmp_path / "p")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"format": "tar"}, bp.ArgumentError, "format is 'tar'; it must be one of 'npy', 'bin', 'megatron', 'parquet'"),
        ({"eos": "<|x|>"}, bp.ArgumentError, r"eos is '<\|x\|>', which is no special token here"),
        ({"bos": 4000}, bp.BadIdError, "4000"),
        ({"pad": "<|pad|>"}, bp.ArgumentError, "there is nothing to fill up; give sequence="),
        ({"validation": 1}, bp.ArgumentError, "validation is 1; it must be at least 0 and below 1"),
        ({"validation": "a"}, bp.ArgumentTypeError, r"validation is 'a' \(str\)"),
        ({"shuffle": -1}, bp.ArgumentError, "shuffle is -1; it must be at least 0"),
        ({"sequence": 0}, bp.ArgumentError, "sequence is 0; it must be at least 1"),
        ({"field": 7}, bp.ArgumentTypeError, r"field is 7 \(int\)"),
        ({"special": "raise"}, bp.SpecialTokenError, r"document 1 of the source holds the special token '<\|end\|>'"),
    ],
)
def test_wrong_arguments_are_named(
    options: dict[str, Any], error: type[Exception], message: str, tok: bp.Tokenizer, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        bp.pack(tok, ["low", "<|end|>"], tmp_path / "p", **options)


def test_sets_and_other_things_are_refused(tok: bp.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(bp.ArgumentError, match="the source is a set, whose order is another in every run"):
        bp.pack(tok, {"low"}, tmp_path / "p")
    message = r"pack takes a Tokenizer.*open its file first: pack\(bytepair\.load\('tok\.json'\), \.\.\.\)"
    for path in ("tok.json", Path("tok.json")):
        with pytest.raises(bp.ArgumentTypeError, match=message):
            bp.pack(path, ["low"], tmp_path / "p")  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"folder is 7 \(int\)"):
        bp.pack(tok, ["low"], 7)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"folder is 7 \(int\)"):
        bp.load_pack(7)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here, and so nobody who has the folder open, too")
def test_a_process_forked_meanwhile_does_not_keep_the_folder(tok: bp.Tokenizer, tmp_path: Path) -> None:
    children = []

    def fork_once(progress: bp.Progress) -> None:
        if not children:
            children.append(os.fork())
            if not children[0]:
                time.sleep(60)
                os._exit(0)

    try:
        bp.pack(tok, ["low lower"] * 10, tmp_path / "p", progress=fork_once)
        assert children and bp.pack(tok, ["low lower"] * 10, tmp_path / "p").n_tokens
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_lone_surrogates_and_bad_bytes_are_as_in_tally(tok: bp.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(bp.SurrogateError, match="document 1 of the source holds a lone surrogate"):
        bp.pack(tok, ["low", "\ud800"], tmp_path / "p")
    made = bp.pack(tok, ["low", "x\ud800"], tmp_path / "q", errors="replace")
    assert texts_of(made, tok) == ["low", "x\ufffd"]
    (tmp_path / "a.txt").write_bytes(b"low\xff")
    with pytest.raises(bp.EncodingError, match=r"a\.txt' is not UTF-8: byte 0xff at offset 3"):
        bp.pack(tok, tmp_path / "a.txt", tmp_path / "r")
    assert texts_of(bp.pack(tok, tmp_path / "a.txt", tmp_path / "s", errors="skip"), tok) == ["low"]


# Telling


def test_progress_tells_bytes_documents_and_tokens(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    seen: list[bp.Progress] = []
    made = bp.pack(tok, corpus, tmp_path / "p", progress=seen.append)
    size = sum(path.stat().st_size for path in corpus.iterdir())
    last = seen[-1]
    assert (last.stage, last.done, last.total) == ("packing", size, size)
    assert (last.n_documents, last.n_tokens) == (200, made.n_tokens)
    assert f"200 documents, {made.n_tokens:,} tokens" in str(last)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, arguments)


def test_standard_input_is_packed_and_goes_on_too(tok: bp.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tok.json")
    command = ["pack", "-", "-t", str(tmp_path / "tok.json"), "-o", str(tmp_path / "p"), "--document", "line"]
    for n_written in (1, 0):
        text = "".join(DOCUMENTS)
        done = CliRunner().invoke(cli, [*command, "--json"], input=text.encode())
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["shards_written"] == n_written
    assert [tok.decode(each.ids) for each in bp.load_pack(tmp_path / "p").documents()] == text.splitlines(keepends=True)
    assert {each.file for each in bp.load_pack(tmp_path / "p").documents()} == {""}


def test_the_command_packs_and_verifies(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    tok.save(tmp_path / "tok.json")
    folder = str(tmp_path / "p")
    command = ["pack", str(corpus), "-t", str(tmp_path / "tok.json"), "-o", folder, "--eos", "<|end|>"]
    made = run(*command, "--json", "--progress", "log")
    assert made.exit_code == 0, made.output
    record = json.loads(made.stdout)
    assert (record["documents"], record["shards"], record["shards_written"], record["complete"]) == (200, 1, 1, True)
    assert "packing:" in made.stderr
    again = run(*command)
    assert "1 of them were there already, and are whole" in again.stdout
    assert "every hash is right" in run("pack", "--verify", folder).stdout
    (tmp_path / "p" / "train-00000.npy").write_bytes(b"")
    wrong = run("pack", "--verify", folder)
    assert (wrong.exit_code, "is not what was written" in wrong.stderr) == (1, True)
    assert run("pack", "-t", str(tmp_path / "tok.json")).exit_code == 2
    assert "takes one folder" in run("pack", "--verify", folder, folder).stderr
    other = run(*command[:-1], "398", "--format", "bin")
    assert "were made with --format npy" in other.stderr or "format='npy'" in other.stderr


# What changed since, and what lies in the folder


@pytest.mark.parametrize("complete", [True, False])
def test_a_changed_missing_or_new_file_is_refused_by_name(
    complete: bool, tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    if complete:
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    else:
        stop_behind(4, tok, corpus, tmp_path / "p", shard_bytes=2500)
    before = contents(tmp_path / "p")
    whole = (corpus / "1.jsonl").read_text()
    (corpus / "1.jsonl").write_text(whole.replace("document 60", "document 6O"))
    with pytest.raises(bp.CorpusError, match=r"1\.jsonl', and its contents are others now, in as many bytes; put"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    (corpus / "1.jsonl").unlink()
    with pytest.raises(bp.CorpusError, match=r"1\.jsonl', and it is not in the corpus now"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    (corpus / "1.jsonl").write_text(whole)
    (corpus / "00.jsonl").write_text('{"text": "new"}')
    with pytest.raises(bp.CorpusError, match=r"00\.jsonl' is new in the corpus since the shards were made; put"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    with pytest.raises(bp.MissingFileError, match="there is no file or folder"):
        bp.pack(tok, tmp_path / "none", tmp_path / "p", shard_bytes=2500)
    assert contents(tmp_path / "p") == before
    (corpus / "00.jsonl").unlink()
    done = bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    assert done.verify() == done
    assert not complete or done.n_written == 0


def test_what_a_stopped_run_did_not_read_yet_may_be_mended(
    tok: bp.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bytepair.corpus import cutting, unpacking
    from bytepair.pack import batches, writing

    for module, name in ((cutting, "GROUP_BYTES"), (batches, "_GROUP_BYTES"), (unpacking, "_BLOCK")):
        monkeypatch.setattr(module, name, 100)
    path = tmp_path / "a.txt"
    path.write_text("".join(DOCUMENTS) * 8)
    options: dict[str, Any] = {"shard_bytes": 2500, "document": "line"}
    write = writing.write

    def write_once(folder: Path, *rest: Any) -> Any:
        # At once, not when the run asks next whether to stop: until then it would read on.
        if list(folder.glob("shard-*.json")):
            raise InterruptedError
        return write(folder, *rest)

    def stopped(folder: Path) -> None:
        with monkeypatch.context() as patch, pytest.raises(InterruptedError):
            patch.setattr(writing, "write", write_once)
            bp.pack(tok, path, folder, **options)

    stopped(tmp_path / "p")
    before, _, behind = path.read_text().rpartition("ocument 199")
    path.write_text(f"{before}ocument l99{behind}")
    bp.pack(tok, path, tmp_path / "p", **options)
    assert contents(tmp_path / "p") == contents(bp.pack(tok, path, tmp_path / "whole", **options).folder)
    stopped(tmp_path / "q")
    path.write_text(path.read_text().replace("ocument 1 ", "ocument l ", 1))
    with pytest.raises(bp.CorpusError, match=r"a\.txt', and its contents are others now"):
        bp.pack(tok, path, tmp_path / "q", **options)


@pytest.mark.parametrize("complete", [True, False])
def test_files_and_documents_are_not_taken_for_each_other(
    complete: bool, tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    for source, other, was, now in (
        (corpus, DOCUMENTS, "files", "documents that are no files"),
        (DOCUMENTS, corpus, "documents that are no files", "files"),
    ):
        folder = tmp_path / now
        if complete:
            bp.pack(tok, source, folder, shard_bytes=2500)
        else:
            stop_behind(2, tok, source, folder, shard_bytes=2500)
        with pytest.raises(bp.ArgumentError, match=f"were made of {was}, and the source is {now} now"):
            bp.pack(tok, other, folder, shard_bytes=2500)


def test_it_is_told_how_far_checking_is(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    seen: list[bp.Progress] = []
    bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500, progress=seen.append)
    n_corpus = sum(path.stat().st_size for path in corpus.iterdir())
    n_shards = sum(file.n_bytes for shard in bp.load_pack(tmp_path / "p").shards for file in shard.files)
    last = {each.total: each.done for each in seen if each.stage == "checking"}
    assert last == {n_corpus: n_corpus, n_shards: n_shards}


def test_verify_names_every_damage(tok: bp.Tokenizer, tmp_path: Path) -> None:
    made = bp.pack(tok, DOCUMENTS, tmp_path / "p", shard_bytes=2500)
    for name in ("train-00000.npy", "train-00003.documents.npy"):
        (tmp_path / "p" / name).write_bytes(b"other")
    (tmp_path / "p" / "train-00001.npy").unlink()
    with pytest.raises(bp.FormatError, match="3 things are wrong with the shards in") as caught:
        made.verify()
    lines = str(caught.value).splitlines()
    assert [line.split("/p/")[1].split("'")[0] for line in lines[1:]] == [
        "train-00000.npy",
        "train-00001.npy",
        "train-00003.documents.npy",
    ]
    assert "train-00001.npy' is gone; run the same `pack` again" in lines[2]
    done = run("pack", "--verify", str(tmp_path / "p"))
    assert (done.exit_code, done.stderr.count("\n- ")) == (1, 3)
    assert bp.pack(tok, DOCUMENTS, tmp_path / "p", shard_bytes=2500).verify().n_documents == 200


def test_a_file_that_changes_while_it_is_packed_is_refused(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    def change(_: bp.Progress) -> None:
        (corpus / "3.jsonl").write_text('{"text": "other"}')

    with pytest.raises(bp.CorpusError, match=r"3\.jsonl' changed while it was packed; the finished shards are whole"):
        bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500, progress=change)


@pytest.mark.parametrize("stream", [False, True])
def test_other_documents_are_refused(stream: bool, tok: bp.Tokenizer, tmp_path: Path) -> None:
    def source(texts: list[str]) -> Any:
        return iter(texts) if stream else texts

    made = bp.pack(tok, source(DOCUMENTS), tmp_path / "p", shard_bytes=2500)
    before = contents(tmp_path / "p")
    for texts, message in (
        ([*DOCUMENTS[:150], DOCUMENTS[150].upper(), *DOCUMENTS[151:]], r"was made of other documents than \d+ to \d+"),
        (DOCUMENTS[:-1], "were made of 200 documents, and the source has 199"),
        ([*DOCUMENTS, "more"], "the source has more documents than the 200"),
    ):
        with pytest.raises(bp.CorpusError, match=message):
            bp.pack(tok, source(texts), tmp_path / "p", shard_bytes=2500)
        assert contents(tmp_path / "p") == before
    assert bp.pack(tok, source(DOCUMENTS), tmp_path / "p", shard_bytes=2500).n_written == 0
    (tmp_path / "p" / "train-00001.npy").write_bytes(b"")
    mended = bp.pack(tok, source(DOCUMENTS), tmp_path / "p", shard_bytes=2500)
    assert contents(tmp_path / "p") == before
    assert mended.manifest == made.manifest
    (tmp_path / "p" / "train-00001.npy").write_bytes(b"")
    shorter = bp.pack(tok, source(DOCUMENTS[:60]), tmp_path / "p", shard_bytes=2500)
    assert texts_of(shorter, tok) == DOCUMENTS[:60]
    assert contents(tmp_path / "p") == contents(bp.pack(tok, DOCUMENTS[:60], tmp_path / "q", shard_bytes=2500).folder)


def test_the_folder_is_no_part_of_its_own_corpus(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    whole = bp.pack(tok, corpus, corpus / "packed", shard_bytes=2500)
    again = bp.pack(tok, corpus, corpus / "packed", shard_bytes=2500)
    assert (again.n_written, again.n_documents, again.manifest) == (0, 200, whole.manifest)
    (corpus / "packed" / "train-00001.npy").unlink()
    assert bp.pack(tok, corpus, corpus / "packed", shard_bytes=2500).manifest == whole.manifest
    with pytest.raises(bp.CorpusError, match="the corpus is nothing but the folder"):
        bp.pack(tok, corpus / "packed", corpus / "packed")


@pytest.mark.parametrize("stream", [False, True])
def test_nor_is_it_where_texts_stand_beside_paths(
    stream: bool, tok: bp.Tokenizer, corpus: Path, tmp_path: Path
) -> None:
    def pack() -> bp.Pack:
        source = ["one", corpus, "two"]
        return bp.pack(tok, iter(source) if stream else source, corpus / "packed", shard_bytes=2500)

    whole = pack()
    assert whole.n_documents == 202
    assert (pack().n_written, pack().manifest) == (0, whole.manifest)


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_links_in_the_folder_are_not_written_through(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    wanted = contents(bp.pack(tok, corpus, tmp_path / "whole", shard_bytes=2500).folder)
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "tokenizer.json").symlink_to(mine)
    bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    for name in ("train-00001.npy", "shard-00001.json"):
        (tmp_path / "p" / name).unlink()
        (tmp_path / "p" / name).symlink_to(mine)
    manifest = tmp_path / "p" / "manifest.json"
    manifest.rename(tmp_path / "elsewhere.json")
    manifest.symlink_to(tmp_path / "elsewhere.json")
    (tmp_path / "elsewhere.json").write_text(
        (tmp_path / "elsewhere.json").read_text().replace('"complete":true', '"complete":false')
    )
    elsewhere = (tmp_path / "elsewhere.json").read_text()
    bp.pack(tok, corpus, tmp_path / "p", shard_bytes=2500)
    assert mine.read_text() == "mine"
    assert (tmp_path / "elsewhere.json").read_text() == elsewhere
    assert contents(tmp_path / "p") == wanted
    assert not any(path.is_symlink() for path in (tmp_path / "p").iterdir())


def test_an_attempt_without_a_shard_blocks_nothing(tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, [], tmp_path / "p")
    made = bp.pack(tok.at(350), DOCUMENTS, tmp_path / "p", format="bin")
    assert (made.n_documents, made.tokenizer()) == (200, tok.at(350))
    (tmp_path / "a.txt").write_bytes(b"\xff")
    with pytest.raises(bp.EncodingError):
        bp.pack(tok, tmp_path / "a.txt", tmp_path / "q")
    assert bp.pack(tok, tmp_path / "a.txt", tmp_path / "q", errors="replace").n_documents == 1


@pytest.mark.skipif(os.name != "posix", reason="locks as POSIX has them")
def test_two_runs_do_not_write_to_one_folder(tok: bp.Tokenizer, corpus: Path, tmp_path: Path) -> None:
    refused: list[str] = []

    def other(_: bp.Progress) -> None:
        with pytest.raises(bp.ArgumentError) as caught:
            bp.pack(tok, DOCUMENTS, tmp_path / "p", format="bin")
        refused.append(str(caught.value))

    bp.pack(tok, corpus, tmp_path / "p", progress=other).verify()
    assert {each.partition(" into ")[0] for each in refused} == {"another run packs"}
    assert "at this moment; wait until it ends, or name another folder" in refused[0]
    assert bp.pack(tok, corpus, tmp_path / "p").n_written == 0


def test_only_leftovers_of_its_own_are_removed(tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    kept = [".99999999999999999999999.ab.tmp", ".².ab.tmp", ".x.².0123abcd.tmp", ".notes.4194305.tmp", ".tmp"]
    kept += [".a.99999999999999999999999.0123abcd.tmp", ".b.0.0123abcd.tmp"]
    for name in kept:
        (tmp_path / "p" / name).write_text("mine")
    (tmp_path / "p" / ".c.4194305.0123abcd.tmp").mkdir()
    (tmp_path / "p" / ".train-00000.npy.4194305.0123abcd.tmp").write_text("left over")
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    there = {path.name for path in (tmp_path / "p").glob(".*")}
    assert there == {*kept, ".c.4194305.0123abcd.tmp"}


def edited(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    target = value
    for key in path[:-1]:
        target = target[key]
    if new is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = new
    return value


@pytest.mark.parametrize("new", [None, ..., "x", -1, [], {}, [[]], 1.5, {"x": 1}])
def test_edited_manifests_are_one_error(new: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p", format="megatron")
    manifest = tmp_path / "p" / "manifest.json"
    text = manifest.read_text()
    places: list[tuple[str | int, ...]] = [(key,) for key in json.loads(text) if not key.startswith("n_")]
    places += [("shards", 0, key) for key in json.loads(text)["shards"][0] if key not in ("version", "texts")]
    places += [("tokenizer", "n_ids"), ("options", "dtype"), ("options", "format"), ("shards", 0)]
    places += [("shards", 0, "files", 0, "name"), ("shards", 0, "splits", "train"), ("shards", 0, "inputs", 0)]
    for place in places:
        manifest.write_text(json.dumps(edited(json.loads(text), place, new)))
        try:
            found = bp.load_pack(tmp_path / "p")
            found.verify()
            list(found.documents())
        except bp.FormatError:
            pass


@pytest.mark.parametrize("text", ["null", "[]", "7", "[" * 100_000, '{"bytepair_pack": 1}', "", "{"])
def test_what_is_no_manifest_is_one_error(text: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    (tmp_path / "p" / "manifest.json").write_text(text)
    for act in (lambda: bp.load_pack(tmp_path / "p"), lambda: bp.pack(tok, DOCUMENTS, tmp_path / "p")):
        with pytest.raises(bp.FormatError):
            act()


def test_files_outside_of_the_folder_are_not_read(tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    manifest = tmp_path / "p" / "manifest.json"
    text = manifest.read_text()
    for name in ("../train-00000.npy", "/etc/passwd", "a\0b", "train-00000.npy/../../x"):
        manifest.write_text(json.dumps(edited(json.loads(text), ("shards", 0, "files", 0, "name"), name)))
        with pytest.raises(bp.FormatError, match="names no file of a shard"):
            bp.load_pack(tmp_path / "p")


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("name", ["manifest.json", "train-00000.npy", "train-00000.documents.npy"])
def test_pipes_and_folders_in_the_place_of_files_are_refused(name: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    bp.pack(tok, DOCUMENTS, tmp_path / "p")
    (tmp_path / "p" / name).unlink()
    for make in (os.mkfifo, os.mkdir):
        make(tmp_path / "p" / name)
        with pytest.raises(bp.BytepairError):
            bp.load_pack(tmp_path / "p").verify()
        with pytest.raises(bp.BytepairError):
            list(bp.load_pack(tmp_path / "p").documents())
        with pytest.raises(bp.BytepairError):
            bp.pack(tok, DOCUMENTS, tmp_path / "p")
        (tmp_path / "p" / name).rmdir() if make is os.mkdir else (tmp_path / "p" / name).unlink()


def test_sizes_have_limits_and_units(tok: bp.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(bp.ArgumentError, match=r"sequence is 2,?147,?483,?647; it must be at most 16,?777,?216"):
        bp.pack(tok, DOCUMENTS, tmp_path / "p", sequence=2**31 - 1, pad=0)
    bp.pack(tok, DOCUMENTS, tmp_path / "p", shard_bytes="2.5KB")
    assert bp.pack(tok, DOCUMENTS, tmp_path / "p", shard_bytes=2500).n_written == 0
    with pytest.raises(bp.ArgumentError, match="shard_bytes is '10 apples'; it must be a number of bytes"):
        bp.pack(tok, DOCUMENTS, tmp_path / "q", shard_bytes="10 apples")
    tok.save(tmp_path / "tok.json")
    (tmp_path / "a.txt").write_text("")
    made = run(
        *("pack", str(tmp_path / "a.txt"), "-t", str(tmp_path / "tok.json"), "-o", str(tmp_path / "r")),
        *("--shard-bytes", "10MB"),
    )
    assert (made.exit_code, made.stderr) == (0, "Warning: the files hold no text\n")
    assert bp.load_pack(tmp_path / "r").manifest.options["shard_bytes"] == 10_000_000


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "a" * 5000, "b/" * 3000])
def test_names_that_no_file_has_are_one_error(name: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    tok.save(tmp_path / "tok.json")
    for act in (
        lambda: bp.pack(tok, DOCUMENTS, tmp_path / name),
        lambda: bp.pack(tok, tmp_path / name, tmp_path / "p"),
        lambda: bp.load_pack(tmp_path / name),
    ):
        with pytest.raises(bp.BytepairError):
            act()
    for arguments in ((name, "-o", str(tmp_path / "p")), ("--verify", name), (str(tmp_path / "tok.json"), "-o", name)):
        done = run("pack", *arguments, "-t", str(tmp_path / "tok.json"))
        assert (done.exit_code != 0, type(done.exception)) == (True, SystemExit), done.exception
