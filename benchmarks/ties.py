"""How much the tie rule matters on a text: `python -m benchmarks.ties FILE`.

The merges of each rule are replayed in plain Python, and at every step the pairs of the highest count are counted.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import bytepair as bp

Pair = tuple[bytes, bytes]

RULES: dict[str, dict[str, Any]] = {
    "lexicographic": {"ties": "lexicographic"},
    "first-seen": {"ties": "first-seen"},
    "largest": {"ties": "largest"},
    "lowest-id": {"ties": "lowest-id"},
    "lowest-id, gpt2": {"ties": "lowest-id", "byte_order": "gpt2"},
    "shortest": {"ties": "shortest"},
}


class Replay:
    """Pieces as they are merged, and the counts of their pairs."""

    def __init__(self, tally: bp.Tally) -> None:
        self.pieces = [([bytes([byte]) for byte in piece], count) for piece, count in tally.items()]
        self.counts: Counter[Pair] = Counter()
        self.places: defaultdict[Pair, set[int]] = defaultdict(set)
        for place in range(len(self.pieces)):
            self._add(place, 1)

    def _add(self, place: int, sign: int) -> None:
        symbols, count = self.pieces[place]
        for pair in pairwise(symbols):
            self.counts[pair] += sign * count
            self.places[pair].add(place)

    def n_best(self, known: set[bytes]) -> int:
        """How many pairs have the highest count, but for those whose joint spelling is in `known`."""
        counts = list(self.counts.values())
        if known:
            counts = [count for pair, count in self.counts.items() if b"".join(pair) not in known]
        return counts.count(max(counts))

    def merge(self, pair: Pair) -> None:
        for place in self.places.pop(pair):
            self._add(place, -1)
            symbols, count = self.pieces[place]
            self.pieces[place] = (merged(symbols, pair), count)
            self._add(place, 1)
        del self.counts[pair]


def merged(symbols: list[bytes], pair: Pair) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    while at < len(symbols):
        is_pair = tuple(symbols[at : at + 2]) == pair
        found.append(b"".join(pair) if is_pair else symbols[at])
        at += 2 if is_pair else 1
    return found


def tied_steps(tally: bp.Tally, tok: bp.Tokenizer) -> int:
    """At how many merges another pair was as frequent."""
    replay = Replay(tally)
    # The only rule that leaves a pair out because its spelling is there already.
    known = {bytes([byte]) for byte in range(256)} if tok.model.ties == "shortest" else set()
    tied = 0
    for pair, count in zip(tok.merges, tok.model.merge_counts or (), strict=True):
        assert replay.counts[pair] == count
        tied += replay.n_best(known) > 1
        replay.merge(pair)
        if known:
            known.add(b"".join(pair))
    return tied


def first_difference(one: list[Pair], other: list[Pair]) -> str:
    """The rank, from 0, of the first merge that is not the same."""
    differ = [rank for rank, (own, their) in enumerate(zip(one, other, strict=False)) if own != their]
    return str(differ[0]) if differ else "-"


def table(path: Path, vocab_size: int, pattern: str) -> str:
    tally = bp.tally(path, pattern=pattern)
    text = path.read_text("utf-8")
    toks = {name: bp.train(tally, vocab_size=vocab_size, **rule) for name, rule in RULES.items()}
    default = next(iter(toks.values()))
    vocabulary = {b"".join(pair) for pair in default.merges}
    lines = [
        "| rule | steps with a tie | first other merge | tokens not shared | tokens of the text |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, tok in toks.items():
        share = 100 * tied_steps(tally, tok) / len(tok.merges)
        others = len({b"".join(pair) for pair in tok.merges} - vocabulary)
        parts = first_difference(default.merges, tok.merges)
        lines.append(f"| {name} | {share:.1f} % | {parts} | {others} | {tok.count(text):,} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ties", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--vocab-size", type=int, default=2_000)
    parser.add_argument("--pattern", default="gpt2")
    chosen = parser.parse_args()
    print(table(chosen.file, chosen.vocab_size, chosen.pattern))


if __name__ == "__main__":
    main()
