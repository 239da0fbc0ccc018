"""The same tallies and shards by record batches, and on Ray: whatever the blocks, and whichever worker dies."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair import cluster

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")

DOCUMENTS = [f"document {number}: low lower “lowest”\n" * (number % 5) for number in range(300)]
SPECIALS = ["<|end|>"]


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(DOCUMENTS, vocab_size=300, special_tokens=SPECIALS)


def table(texts: list[str] = DOCUMENTS) -> Any:
    return pa.table({"id": range(len(texts)), "text": texts})


# Record batches, whoever hands them out


@pytest.mark.parametrize("n_batches", [1, 2, 7])
def test_counts_of_batches_add_up_to_the_tally(n_batches: int) -> None:
    batches = table().to_batches(max_chunksize=len(DOCUMENTS) // n_batches + 1)
    counts = [cluster.tally_batch(batch, pattern="gpt2", special_tokens=SPECIALS) for batch in batches]
    assert {batch.schema for batch in counts} == {counts[0].schema}
    wanted = bp.tally(DOCUMENTS, pattern="gpt2", special_tokens=SPECIALS)
    assert cluster.tally_of(reversed(counts), pattern="gpt2", special_tokens=SPECIALS) == wanted
    # As an engine that sums by piece does it, and may leave the columns in another order.
    rows = pa.Table.from_batches(counts).group_by("piece")
    summed = rows.aggregate([(name, "sum") for name in counts[0].schema.names[1:]])
    summed = summed.rename_columns([name.removesuffix("_sum") for name in summed.column_names])
    assert cluster.tally_of([summed], pattern="gpt2", special_tokens=SPECIALS) == wanted


def test_batches_without_pieces_keep_their_documents() -> None:
    counts = cluster.tally_batch(table(["", ""]), pattern="gpt2")
    assert counts.to_pylist() == [{"piece": b"", "count": 0, "documents": 2, "bytes": 0, "bad_records": 0}]
    assert cluster.tally_of([counts], pattern="gpt2") == bp.tally(["", ""], pattern="gpt2")
    assert cluster.tally_of([], pattern="gpt2").n_pieces == 0


def test_ids_of_batches_are_the_ids_of_the_texts(tok: bp.Tokenizer) -> None:
    packed = [cluster.pack_batch(batch, tok, eos="<|end|>") for batch in table().to_batches(max_chunksize=70)]
    rows = pa.Table.from_batches(packed).to_pylist()
    assert [row["ids"] for row in rows] == [[*tok.encode(text), tok.special_tokens["<|end|>"]] for text in DOCUMENTS]
    assert [row["bytes"] for row in rows] == [len(text.encode()) for text in DOCUMENTS]
    assert cluster.pack_batch(table([]), tok).num_rows == 0


def test_records_without_a_text_are_as_in_tally(tok: bp.Tokenizer) -> None:
    rows = pa.table({"text": ["low", None]})
    for call in (
        lambda **more: cluster.tally_batch(rows, pattern="gpt2", **more),
        lambda **more: cluster.pack_batch(rows, tok, **more),
    ):
        with pytest.raises(bp.CorpusError, match=r"record 1 \(from 0\) of the source has None"):
            call()
        assert call(bad_records="skip").num_rows == 1
    with pytest.raises(bp.CorpusError, match="has no column 'content'"):
        cluster.tally_batch(rows, pattern="gpt2", field="content")
    counts = cluster.tally_batch(rows, pattern="gpt2", bad_records="replace")
    made = cluster.tally_of([counts], pattern="gpt2")
    assert (made.documents, made.bad_records) == (2, 1)


def test_batches_that_are_no_counts_are_named() -> None:
    counts = cluster.tally_batch(table(), pattern="gpt2")
    texts = pa.table({"piece": ["low"], **{name: [1] for name in counts.schema.names[1:]}})
    nothing = texts.set_column(0, "piece", pa.array([None], pa.binary()))
    negative = nothing.set_column(0, "piece", pa.array([b"low"])).set_column(1, "count", pa.array([-1]))
    for wrong, message in (
        (7, r"batch 1 \(from 0\) is 7 \(int\); it must be a record batch or table with the columns piece, count"),
        (table(), r"batch 1 \(from 0\) is one with the columns \['id', 'text'\]"),
        (texts, r"batch 1 \(from 0\) has 'low' in its column 'piece', which holds bytes"),
        (nothing, r"batch 1 \(from 0\) has None in its column 'piece'"),
        (negative, r"has -1 in its column 'count', which holds numbers from 0 on"),
    ):
        with pytest.raises(bp.ArgumentTypeError, match=message):
            cluster.tally_of([counts, wrong], pattern="gpt2")
    for given in (counts, 7):
        with pytest.raises(
            bp.ArgumentTypeError, match=r"must be a list or other iterable of record batches.*\[batch\]"
        ):
            cluster.tally_of(given, pattern="gpt2")  # type: ignore[arg-type]


def test_what_is_no_data_set_is_refused(tok: bp.Tokenizer, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    for call in (lambda: cluster.tally(table(), pattern="gpt2"), lambda: cluster.pack(tok, table(), tmp_path / "p")):
        with pytest.raises(bp.ArgumentTypeError, match=r"it must be one of Ray: ray\.data\.read_parquet"):
            call()


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(bp.MissingPackageError, match=r"pip install 'bytepair\[ray\]'"):
        cluster.connect()


# On Ray


@pytest.fixture(scope="module")
def data() -> Iterator[Any]:
    """`ray.data`, on two CPUs of this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install --group ray")
    pytest.importorskip("ray.data")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="warning")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray.data
    ray.shutdown()


def contents(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.filterwarnings("ignore")  # Ray's own, of many kinds
@pytest.mark.parametrize("n_blocks", [1, 4])
def test_any_number_of_blocks_gives_the_same_files(n_blocks: int, data: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    dataset = data.from_arrow(table()).repartition(n_blocks)
    local = bp.tally(DOCUMENTS, pattern="gpt2", source="s", shard="1")
    counted = cluster.tally(dataset, pattern="gpt2", source="s", shard="1")
    assert counted == local
    for name, each in (("ray", counted), ("local", local)):
        each.save(tmp_path / f"{name}.parquet")
    assert (tmp_path / "ray.parquet").read_bytes() == (tmp_path / "local.parquet").read_bytes()
    options: dict[str, Any] = {"shard_bytes": 3000, "eos": "<|end|>", "shuffle": 3, "validation": 0.2}
    bp.pack(tok, DOCUMENTS, tmp_path / "a", document="record", **options)
    made = cluster.pack(tok, dataset, tmp_path / "b", **options)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert made.n_written == len(made.shards) > 3
    # Other documents are refused, wherever they differ.
    for texts in ([*DOCUMENTS[:-1], "other"], ["x" * len(DOCUMENTS[1]), *DOCUMENTS[1:]], [*DOCUMENTS, "more" * 3000]):
        with pytest.raises(bp.CorpusError, match=r"put the corpus back as it was, or pack into another folder"):
            cluster.pack(tok, data.from_arrow(table(texts)).repartition(n_blocks), tmp_path / "b", **options)
    # What is there is passed over, what is not is made again.
    (tmp_path / "b" / "train-00001.npy").unlink()
    assert cluster.pack(tok, dataset, tmp_path / "b", **options).n_written == 1
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.filterwarnings("ignore")
def test_files_are_read_as_on_one_machine(data: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(3):
        rows = [json.dumps({"text": text}) for text in DOCUMENTS[number * 100 : number * 100 + 100]]
        (folder / f"{number}.jsonl").write_text("\n".join([*rows, "no json", ""]))
    dataset = cluster.dataset_of(folder, bad_records="skip")
    counted = bp.tally(folder, pattern="gpt2", bad_records="skip")
    assert counted.bad_records == 3
    assert sorted(cluster.tally(dataset, pattern="gpt2").items()) == sorted(counted.items())
    bp.pack(tok, folder, tmp_path / "a", shard_bytes=5000, bad_records="skip")
    made = cluster.pack(tok, dataset, tmp_path / "b", shard_bytes=5000)
    local = bp.load_pack(tmp_path / "a")
    ours, theirs = contents(tmp_path / "a"), contents(tmp_path / "b")
    assert {name: value for name, value in ours.items() if name.startswith("train")} == {
        name: value for name, value in theirs.items() if name.startswith("train")
    }
    assert [(each.file, each.record) for each in made.documents()] == [
        (each.file, each.record) for each in local.documents()
    ]


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_changes_nothing(data: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    died = tmp_path / "died"

    def dies_once(batch: Any) -> Any:
        if not died.exists():
            died.touch()
            os.kill(os.getpid(), 9)
        return batch

    dataset = data.from_arrow(table()).repartition(4).map_batches(dies_once, batch_format="pyarrow")
    assert cluster.tally(dataset, pattern="gpt2") == bp.tally(DOCUMENTS, pattern="gpt2")
    assert died.exists()
    died.unlink()
    cluster.pack(tok, dataset, tmp_path / "b", shard_bytes=3000)
    assert died.exists()
    bp.pack(tok, DOCUMENTS, tmp_path / "a", shard_bytes=3000, document="record")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.filterwarnings("ignore")
def test_a_bad_record_is_named_wherever_its_block_is(data: Any, tok: bp.Tokenizer, tmp_path: Path) -> None:
    rows = pa.table({"text": [*DOCUMENTS[:50], None, *DOCUMENTS[50:]]})
    dataset = data.from_arrow(rows).repartition(4)
    with pytest.raises(Exception, match=r"record 50 \(from 0\) of the source has None"):
        cluster.pack(tok, dataset, tmp_path / "p")
    skipped = cluster.pack(tok, dataset, tmp_path / "q", bad_records="skip")
    assert (skipped.n_documents, skipped.bad_records) == (300, 1)
    assert [each.record for each in skipped.documents()] == [*range(50), *range(51, 301)]


def test_the_commands_run_on_ray(tok: bp.Tokenizer, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install --group ray")
    (tmp_path / "a.txt").write_text("\n\n".join(DOCUMENTS))
    tok.save(tmp_path / "tokenizer.json")
    command = [sys.executable, "-m", "bytepair"]
    counting = ["tally", "a.txt", "--document", "line", "--json", "--pattern", "gpt2", "-o"]
    said = []
    for name, more in (("local", []), ("ray", ["--ray"])):
        done = subprocess.run(
            [*command, *counting, f"{name}.parquet", *more], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        said.append(json.loads(done.stdout))
    assert said[0] | {"file": ""} == said[1] | {"file": ""}
    assert (tmp_path / "local.parquet").read_bytes() == (tmp_path / "ray.parquet").read_bytes()
    refused = subprocess.run(
        [*command, *counting, "x.parquet", "--ray", "--threads", "2"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (refused.returncode, "--threads is for one machine" in refused.stderr) == (2, True)
