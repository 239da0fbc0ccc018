"""Rows -> a table and a JSON file."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.bars import in_words

# Which kernels run is no promise to users, so no public name says it.
from bytepair._native import instructions

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("bytepair", "tokenizers", "tiktoken", "gigabpe", "rustbpe", "gigatoken", "fastokens", "quicktok-v1")

NOTES = """\
CPU s: of the call alone, all threads, the median of runs (a peer that takes over 10 s is run once). x ours: the peer's
CPU seconds over ours with one thread, the median of runs or slices side by side. peak MB: of the whole process, its
text and interpreter included; of gigabpe: over the peak of gigabpe. x one thread: wall seconds. bytepair, gigatoken and
fastokens hand out arrays of ids where it does not say list, tiktoken, tokenizers and quicktok lists. Bars and goals:
benchmarks/bars.py."""

Row = dict[str, Any]
Columns = dict[str, Callable[[Row], str]]


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    facts = {"cpu": _cpu(), "cores": str(os.cpu_count()), "instructions": instructions()}
    facts["python"] = platform.python_version()
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _number(key: str, digits: int) -> Callable[[Row], str]:
    return lambda row: f"{row[key]:,.{digits}f}" if key in row else ""


def _corpus(row: Row) -> str:
    return f"{row['corpus']} {row['n_bytes'] / 1e6:.1f} MB"


def _vocabulary(row: Row) -> str:
    if row["note"] == "no merges":
        return "tally only"
    return row["vocabulary"] if isinstance(row["vocabulary"], str) else f"{row['vocabulary']:,}"


def _speed(row: Row) -> str:
    return f"{row['n_bytes'] / 1e6 / row['cpu']:,.1f}" if "cpu" in row else ""


def _output(row: Row) -> str:
    return "equal" if row["equal"] else str(row["note"])


def _bars(row: Row) -> str:
    return "; ".join(map(in_words, row["bars"]))


_FIRST: Columns = {"corpus": _corpus, "vocabulary": _vocabulary, "peer": lambda row: str(row["peer"])}
_TIMES: Columns = {"CPU s": _number("cpu", 3), "wall s": _number("wall", 3)}
_LAST: Columns = {"MB/s": _speed, "peak MB": _number("peak_mb", 0), "x ours": _number("ratio", 2), "output": _output}

COLUMNS: dict[str, Columns] = {
    "learn": {
        **_FIRST,
        "threads": _number("threads", 0),
        **_TIMES,
        **_LAST,
        "of gigabpe": _number("memory", 2),
        "x one thread": _number("speed_up", 2),
        "bar, goal": _bars,
    },
    "encode": {
        **_FIRST,
        "unseen s": _number("cpu", 3),
        "MB/s": _speed,
        "seen MB/s": lambda row: f"{row['n_bytes'] / 1e6 / row['seen']:,.1f}",
        "peak MB": _number("peak_mb", 0),
        "x ours": _number("ratio", 2),
        "x ours, seen": _number("seen_ratio", 2),
        "output": _output,
        "bar, goal": _bars,
    },
    "encode hard": {
        **_FIRST,
        "CPU s": _number("cpu", 3),
        "x ours": _number("ratio", 2),
        "output": _output,
        "bar": _bars,
    },
    "encode calls": {
        "call": lambda row: str(row["corpus"]),
        "vocabulary": _vocabulary,
        "peer": lambda row: str(row["peer"]),
        "us": _number("call_us", 2),
        "x ours": _number("ratio", 2),
        "output": _output,
        "bar, goal": _bars,
    },
    "pack": {
        **_FIRST,
        "threads": _number("threads", 0),
        **_TIMES,
        "MB/s": lambda row: f"{row['n_bytes'] / 1e6 / row['wall']:,.1f}" if "wall" in row else "",
        "x encoding, Ray x pack": _number("ratio", 2),
        "x encoding, CPU": _number("cpu_ratio", 2),
        "output": _output,
        "bar": _bars,
    },
    "pathological": {
        **_FIRST,
        **_TIMES,
        **_LAST,
        "s at n": _number("cpu_once", 3),
        "s at 2n": _number("cpu_twice", 3),
        "bar": _bars,
    },
}
_TEXTS = {"call", "corpus", "vocabulary", "peer", "output", "bar, goal", "bar"}


def table(rows: list[Row]) -> str:
    """One line a peer, in the columns of the job, which all rows share."""
    columns = COLUMNS[rows[0]["job"]]
    lines = [columns, ["---" if name in _TEXTS else "---:" for name in columns]]
    lines += [[cell(row) for cell in columns.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(rows: list[Row], facts: dict[str, str]) -> Path:
    """Save everything under results/, named by the time."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / time.strftime("%Y-%m-%d-%H%M%S.json")
    path.write_text(json.dumps({"machine": facts, "rows": rows}, indent=1), "utf-8")
    return path
