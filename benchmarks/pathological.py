"""Hard inputs: beside the peers, none of whom may take longer than a minute; and what doubling the input costs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import bars, turns
from benchmarks.inputs import Input
from benchmarks.turns import OURS, Contender, Row, Task

PEERS = ("gigabpe", "tokenizers", "rustbpe")
# Of each size, one after the other in turn.
DOUBLING_RUNS = 3


def measure(made: Input, folder: Path, rounds: int, peers: Collection[str] | None, seconds: float) -> list[Row]:
    """Rows of one input; ours says how it doubles, where that is asked."""
    path = made.write(folder)
    contenders = [OURS, *(Contender(each) for each in PEERS if peers is None or each in peers)]
    task = Task(str(path), made.vocab_size, made.whole, seconds)
    labels = {"job": "pathological", "corpus": made.name, "size": made.size, "vocabulary": made.vocab_size}
    found = [
        {**labels, "n_bytes": path.stat().st_size, "bars": [], **row} for row in turns.rows(task, contenders, rounds)
    ]
    ours = found[0]
    ours["bars"] = _judged(made, found)
    if made.doubles:
        ours |= _doubled(made, folder)
        ours["bars"].append(bars.DOUBLING.judged(ours["doubling"]))
    return found


def _judged(made: Input, found: list[Row]) -> list[dict[str, Any]]:
    """Against the best in this run, and the best on record."""
    ours, *others = found
    rivals = [row["cpu"] for row in others if "cpu" in row]
    best = [("best here", min(rivals))] if rivals else []
    recorded = bars.PATHOLOGICAL.get((made.name, made.size))
    best += [("s on record", recorded)] if recorded else []
    return [bars.Bar(of, most, most, least=False).judged(ours["cpu"]) for of, most in best]


def _doubled(made: Input, folder: Path) -> Row:
    """CPU seconds of n and of 2n, medians, and the quotient of those."""
    tasks = [Task(str(made.write(folder, times)), made.vocab_size, made.whole) for times in (1, 2)]
    runs = [[task.run(OURS)["cpu"] for task in tasks] for _ in range(DOUBLING_RUNS)]
    once, twice = (median(run[size] for run in runs) for size in range(2))
    return {"cpu_once": once, "cpu_twice": twice, "doubling": twice / once}
