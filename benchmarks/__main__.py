"""`python -m benchmarks`: equal output first, then time; a table against the peers that are installed.

One thread, pinned to one core; CPU seconds of the call alone; medians; peers and product in turn.
Exit code 1 when an output differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import encoding, learning, report
from benchmarks.corpora import corpora


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("jobs", nargs="*", choices=["learn", "encode", []], default=[], help="default: both")
    parser.add_argument("--rounds", type=int, default=5, help="timed training runs a peer (default 5)")
    parser.add_argument("--full", action="store_true", help="all of each larger corpus, not its first 10 MB")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    jobs = chosen.jobs or ["learn", "encode"]
    facts = report.machine()
    print(", ".join(f"{name} {value}" for name, value in facts.items()), flush=True)
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for corpus in corpora(Path(folder), full=chosen.full):
            if "learn" in jobs:
                rows += shown(learning.measure(corpus, chosen.rounds))
            for vocabulary in encoding.vocabularies(corpus, Path(folder)) if "encode" in jobs else ():
                rows += shown(encoding.measure(corpus, vocabulary, Path(folder)))
    print(report.NOTES)
    print(f"written to {report.write(rows, facts)}")
    return 0 if all(row["equal"] for row in rows) else 1


def shown(rows: list[report.Row]) -> list[report.Row]:
    print(report.table(rows), end="\n\n", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
