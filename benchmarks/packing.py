"""Packing a corpus beside the pure encoding of the same documents: on threads, and on Ray where it is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import bytepair as bp
from benchmarks import bars
from benchmarks.corpora import Corpus

Row = dict[str, Any]

VOCABULARY = 32_000
END = "<|end|>"
SPACE = b" \t\r\n"
BLANK_LINES = re.compile(rb"\n(?:[ \t\r]*\n)+")
# As many bytes as `pack` encodes at a time.
GROUP = 4_000_000


def measure(corpus: Corpus, folder: Path, rounds: int) -> list[Row]:
    """Rows of one corpus: one thread, two, and Ray on two cores; medians of so many rounds, of Ray one."""
    path = folder / f"{corpus.name}-32k.json"
    bp.train(corpus.path, vocab_size=VOCABULARY, special_tokens=[END]).save(path)
    documents = documents_of(corpus)
    labels: Row = {"job": "pack", "corpus": corpus.name, "n_bytes": corpus.n_bytes, "vocabulary": VOCABULARY}
    found: list[Row] = []
    for threads in (1, 2):
        found += [{**labels, **row} for row in in_turn(path, corpus, documents, folder, threads, max(rounds, 1))]
    found += on_ray(bp.load(path), corpus, folder, labels, found[-1])
    return [{"note": "", **{name: value for name, value in row.items() if name != "result"}} for row in found]


def in_turn(
    path: Path, corpus: Corpus, documents: list[bytes], folder: Path, threads: int, rounds: int
) -> Iterator[Row]:
    """Pure encoding and packing side by side, each with a tokenizer that remembers nothing."""
    pure, packed = [], []
    for _ in range(rounds):
        pure.append(clocked(partial(encoded, bp.load(path), documents, threads)))
        packed.append(clocked(partial(pack, bp.load(path), corpus, folder, threads)))
    equal = {row["result"] - len(documents) for row in packed} == {row["result"] for row in pure}
    for peer, timed in (("encoding alone", pure), ("pack", packed)):
        ratio = median(one["wall"] / other["wall"] for one, other in zip(timed, pure, strict=True))
        cpu_ratio = median(one["cpu"] / other["cpu"] for one, other in zip(timed, pure, strict=True))
        judged = [bars.PACKING.judged(ratio)] if peer == "pack" and corpus.megabytes >= bars.PACKING_FROM_MB else []
        yield {
            "peer": peer,
            "threads": threads,
            "ratio": ratio,
            "cpu_ratio": cpu_ratio,
            "bars": judged,
            "equal": equal,
            "note": "other tokens",
            "result": timed[0]["result"],
            "cpu": median(row["cpu"] for row in timed),
            "wall": median(row["wall"] for row in timed),
        }


def documents_of(corpus: Corpus) -> list[bytes]:
    """What `document="blank-line"` makes of it."""
    text = corpus.path.read_bytes()
    first, last = len(text) - len(text.lstrip(SPACE)), len(text.rstrip(SPACE))
    ends = [found.end() for found in BLANK_LINES.finditer(text, first, last)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if start < end]


def clocked(work: Callable[[], int]) -> Row:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return {"result": result, "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def encoded(tok: bp.Tokenizer, documents: list[bytes], threads: int) -> int:
    """The documents in groups as large as those of `pack`; how many tokens there are."""
    n_tokens = size = first = 0
    for number, document in enumerate(documents, start=1):
        size += len(document)
        if size >= GROUP or number == len(documents):
            n_tokens += len(tok.encode_ragged(documents[first:number], threads=threads)[0])
            first, size = number, 0
    return n_tokens


def pack(tok: bp.Tokenizer, corpus: Corpus, folder: Path, threads: int) -> int:
    target = folder / "packed"
    try:
        options: dict[str, Any] = {"document": "blank-line", "format": "bin", "eos": END, "threads": threads}
        return bp.pack(tok, corpus.path, target, **options).n_tokens
    finally:
        shutil.rmtree(target, ignore_errors=True)


def on_ray(tok: bp.Tokenizer, corpus: Corpus, folder: Path, labels: Row, local: Row) -> Iterator[Row]:
    """The same on two cores of Ray, after its start: from eight files, so that each core has work."""
    if importlib.util.find_spec("ray") is None:
        yield {**labels, "peer": "Ray", "threads": 2, "equal": None, "note": "not installed", "bars": []}
        return
    from bytepair import cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = cluster.connect()
    parts = split(corpus, folder / "parts", 8)
    target = folder / "on-ray"
    try:
        cluster.tally(ray.data.from_items([{"text": "warm"}]), pattern="gpt2")
        timed = clocked(
            lambda: (
                cluster.pack(
                    tok, cluster.dataset_of(parts, document="blank-line"), target, format="bin", eos=END
                ).n_tokens
            )
        )
    finally:
        ray.shutdown()
        shutil.rmtree(target, ignore_errors=True)
    # Its work is in other processes.
    del timed["cpu"]
    ratio = timed["wall"] / local["wall"]
    judged = [bars.RAY.judged(ratio)] if corpus.megabytes >= bars.RAY_FROM_MB else []
    equal = timed["result"] == local["result"]
    yield {
        **labels,
        "peer": "Ray",
        "threads": 2,
        "ratio": ratio,
        "equal": equal,
        "note": "other",
        "bars": judged,
        **timed,
    }


def split(corpus: Corpus, folder: Path, n_parts: int) -> Path:
    """The corpus in so many files, cut between documents."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    documents = documents_of(corpus)
    size = -(-len(documents) // n_parts)
    for number in range(n_parts):
        (folder / f"{number}.txt").write_bytes(b"".join(documents[number * size : (number + 1) * size]))
    return folder
