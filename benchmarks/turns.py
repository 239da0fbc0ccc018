"""Trainers in turn, each training in a fresh process: equal merges first, then time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.learners import N_BYTES, REFERENCE
from benchmarks.process import Child

Row = dict[str, Any]

# A peer that takes longer is run once, but for the one that the bars are about.
SLOW_SECONDS = 10
ALWAYS_TIMED = ("bytepair", "gigabpe")


@dataclass(frozen=True)
class Contender:
    """A trainer and how it is run."""

    peer: str
    threads: int = 1
    portable: bool = False

    @property
    def name(self) -> str:
        return f"{self.peer}, portable" if self.portable else self.peer


OURS = Contender("bytepair")


@dataclass(frozen=True)
class Task:
    """What is learned: a training without its number of threads. `seconds`: the most that a peer may take."""

    path: str
    vocab_size: int
    whole: bool = False
    seconds: float | None = None

    def run(self, contender: Contender, peer: str | None = None) -> Row:
        """One training. Seconds, memory and tokens; else "missing", "late" or "died" says why there are none."""
        limit = None if contender.peer == OURS.peer else self.seconds
        request = {"path": self.path, "vocab_size": self.vocab_size, "whole": self.whole, "threads": contender.threads}
        with Child(contender.threads, contender.portable) as child:
            try:
                return child.ask(seconds=limit, learn=peer or contender.peer, **request)
            except TimeoutError as error:
                return {"late": str(error)}
            except RuntimeError as error:
                return {"died": str(error)}


def rows(task: Task, contenders: Iterable[Contender], rounds: int) -> list[Row]:
    """A row for each contender that is there; the first must be `OURS`.

    peer, threads, equal (None: nothing to compare), note; and unless it failed cpu, wall, peak_mb (medians), ratio
    (its CPU seconds over ours), speed_up (wall seconds of its one thread over these), memory (over gigabpe's).
    """
    first = {contender: task.run(contender) for contender in contenders}
    runs = {contender: [answer] for contender, answer in first.items() if "missing" not in answer}
    references = {OURS.peer: first[OURS]}
    for name in {REFERENCE[each.peer] for each in runs if each.peer in REFERENCE}:
        references[name] = task.run(OURS, name)
    for _ in range(rounds):
        for contender, answers in runs.items():
            if _is_timed_again(contender, answers[0]):
                answers.append(task.run(contender))
    return [_row(contender, runs, references, task) for contender in runs]


def _is_timed_again(contender: Contender, first: Row) -> bool:
    return "cpu" in first and (first["cpu"] < SLOW_SECONDS or contender.peer in ALWAYS_TIMED)


def _row(contender: Contender, runs: dict[Contender, list[Row]], references: dict[str, Row], task: Task) -> Row:
    answers = runs[contender]
    row: Row = {"peer": contender.name, "threads": contender.threads, "runs": max(1, len(answers) - 1)}
    failed = answers[0].get("late") or answers[0].get("died")
    if failed:
        return {**row, "equal": None, "note": failed}
    reference = references[REFERENCE.get(contender.peer, OURS.peer)]
    row |= _compared(reference["tokens"], answers[0]["tokens"], task)
    for measured in ("cpu", "wall", "peak_mb"):
        row[measured] = median(answer[measured] for answer in _timed(answers))
    row["ratio"] = _quotient(answers, runs[OURS], "cpu")
    alone = runs.get(Contender(contender.peer))
    if contender.threads > 1 and alone:
        row["speed_up"] = 1 / _quotient(answers, alone, "wall")
    theirs = runs.get(Contender("gigabpe"))
    if theirs and "peak_mb" in theirs[0]:
        row["memory"] = _quotient(answers, theirs, "peak_mb")
    return row


def _timed(answers: list[Row]) -> list[Row]:
    """The first run is for the merges, unless there is no other."""
    return answers[1:] or answers


def _quotient(ones: list[Row], others: list[Row], measured: str) -> float:
    """The median over runs side by side."""
    pairs = list(zip(ones, others, strict=False))
    return float(median(one[measured] / other[measured] for one, other in pairs[1:] or pairs))


def _compared(own: list[str], other: list[str], task: Task) -> Row:
    if task.vocab_size == N_BYTES:
        return {"equal": None, "note": "no merges"}
    if own == other:
        return {"equal": True, "note": ""}
    differ = [rank for rank, (one, two) in enumerate(zip(own, other, strict=False)) if one != two]
    at = differ[0] if differ else min(len(own), len(other))
    return {"equal": False, "note": f"merge {at} differs ({len(own)} and {len(other)} merges)"}
