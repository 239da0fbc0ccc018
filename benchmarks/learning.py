"""Learning: whole training calls, each in a fresh process, peers in turn."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks.corpora import Corpus
from benchmarks.learners import REFERENCE
from benchmarks.process import Child

PEERS = ("bytepair", "tokenizers", "gigabpe", "rustbpe")
OURS = "bytepair"

Row = dict[str, Any]


def measure(corpus: Corpus, rounds: int) -> list[Row]:
    """Rows of one corpus: peer, equal, cpu, wall, peak_mb, ratio."""
    first = {peer: _learn(peer, corpus) for peer in (*PEERS, *set(REFERENCE.values()))}
    rows = [_judged(peer, first, corpus) for peer in PEERS if "missing" not in first[peer]]
    timed: dict[str, list[Row]] = {row["peer"]: [] for row in rows}
    for _ in range(rounds):
        for peer, answers in timed.items():
            answers.append(_learn(peer, corpus))
    for row in rows:
        for measured in ("cpu", "wall", "peak_mb"):
            row[measured] = median(answer[measured] for answer in timed[row["peer"]])
        pairs = zip(timed[row["peer"]], timed[OURS], strict=True)
        row["ratio"] = median(peer["cpu"] / own["cpu"] for peer, own in pairs)
    return rows


def _learn(peer: str, corpus: Corpus) -> Row:
    with Child() as child:
        return child.ask(learn=peer, path=str(corpus.path), vocab_size=corpus.vocab_size)


def _judged(peer: str, first: dict[str, Row], corpus: Corpus) -> Row:
    own, other = first[REFERENCE.get(peer, OURS)]["tokens"], first[peer]["tokens"]
    differ = [rank for rank, (a, b) in enumerate(zip(own, other, strict=False)) if a != b]
    at = differ[0] if differ else min(len(own), len(other))
    equal = own == other
    return {
        "job": "learn",
        "corpus": corpus.name,
        "vocabulary": corpus.vocab_size,
        "n_bytes": corpus.path.stat().st_size,
        "peer": peer,
        "equal": equal,
        "note": "" if equal else f"merge {at} differs ({len(own)} and {len(other)} merges)",
    }
