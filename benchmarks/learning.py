"""Learning from natural text: whole training calls beside the peers', and counting alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from benchmarks import bars, turns
from benchmarks.corpora import Corpus
from benchmarks.learners import N_BYTES
from benchmarks.turns import OURS, Contender, Row, Task

PEERS = ("gigabpe", "tokenizers", "rustbpe")
CONTENDERS = (
    OURS,
    *map(Contender, PEERS),
    Contender(OURS.peer, portable=True),
    Contender(OURS.peer, threads=2),
    Contender("gigabpe", threads=2),
)
# Beyond this, peers that count with a regular expression take minutes: they are there if they were named.
LARGE_MB = 500


def measure(corpus: Corpus, rounds: int, peers: Collection[str] | None) -> Iterator[list[Row]]:
    """Rows of one corpus, a table at a time: one a vocabulary, then counting alone."""
    known = ("gigabpe",) if corpus.megabytes > LARGE_MB else PEERS
    contenders = [each for each in CONTENDERS if each.peer in {OURS.peer, *(known if peers is None else peers)}]
    for vocab_size in (*corpus.vocab_sizes, N_BYTES):
        labels = {"job": "learn", "corpus": corpus.name, "vocabulary": vocab_size, "n_bytes": corpus.n_bytes}
        found = turns.rows(Task(str(corpus.path), vocab_size), contenders, rounds)
        yield [{**labels, **row, "bars": _judged(corpus, vocab_size, row)} for row in found]


def _judged(corpus: Corpus, vocab_size: int, row: Row) -> list[dict[str, Any]]:
    key = (corpus.name, corpus.megabytes, vocab_size)
    judged = []
    if row["threads"] == 1 and row["peer"] in bars.LEARNING.get(key, {}) and "ratio" in row:
        judged.append(bars.LEARNING[key][row["peer"]].judged(row["ratio"]))
    if row["peer"] == OURS.peer:
        judged += _judged_ours(corpus, vocab_size, row)
    return judged


def _judged_ours(corpus: Corpus, vocab_size: int, row: Row) -> list[dict[str, Any]]:
    if row["threads"] > 1:
        large = corpus.megabytes >= bars.TWO_THREADS_FROM_MB
        return [bars.TWO_THREADS.judged(row["speed_up"])] if large else []
    memory, tally = (
        bars.MEMORY.get((corpus.name, corpus.megabytes, vocab_size)),
        bars.TALLY.get((corpus.name, corpus.megabytes)),
    )
    judged = [memory.judged(row["memory"])] if memory and "memory" in row else []
    if tally and vocab_size == N_BYTES:
        judged.append(tally.judged(corpus.n_bytes / 1e6 / row["cpu"]))
    return judged
