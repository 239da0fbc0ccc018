"""Rows -> a table and a JSON file."""

from __future__ import annotations

import json
import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("bytepair", "tokenizers", "tiktoken", "gigabpe", "rustbpe", "gigatoken")

NOTES = """\
x ours: the peer's CPU seconds over ours, the median of runs or slices side by side. peak MB: of the whole process,
its text included. bytepair, tiktoken and tokenizers hand out lists of ids, gigatoken an array."""

Row = dict[str, Any]


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    facts = {"cpu": _cpu(), "cores": str(os.cpu_count()), "python": platform.python_version()}
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


def table(rows: list[Row]) -> str:
    """One line a peer: CPU seconds, MB per CPU second, peak memory, and how many times our CPU time it takes."""
    lines = [
        "| job | corpus | vocabulary | peer | CPU s | MB/s | peak MB | x ours | output |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        speed = row["n_bytes"] / 1e6 / row["cpu"]
        vocabulary = row["vocabulary"] if isinstance(row["vocabulary"], str) else f"{row['vocabulary']:,}"
        lines.append(
            f"| {row['job']} | {row['corpus']} {row['n_bytes'] / 1e6:.1f} MB | {vocabulary} | {row['peer']} "
            f"| {row['cpu']:.3f} | {speed:.1f} | {row['peak_mb']:.0f} | {row['ratio']:.2f} "
            f"| {'equal' if row['equal'] else row['note']} |"
        )
    return "\n".join(lines)


def write(rows: list[Row], facts: dict[str, str]) -> Path:
    """Save everything under results/, named by the time."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / time.strftime("%Y-%m-%d-%H%M%S.json")
    path.write_text(json.dumps({"machine": facts, "rows": rows}, indent=1), "utf-8")
    return path
