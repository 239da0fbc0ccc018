"""`python -m benchmarks`: equal output first, then time; a table against the peers that are installed.

One thread, pinned to one core, and two where it says so; CPU seconds of the call alone; medians; peers and product in
turn. Exit code 1 when an output differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import encoding, learning, packing, pathological, report
from benchmarks.corpora import NAMES, corpora
from benchmarks.inputs import inputs

JOBS = ("learn", "encode", "pathological", "pack")
DEFAULT_JOBS = ["learn", "encode"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="job", help=f"of {', '.join(JOBS)}; default: learn encode")
    parser.add_argument(
        "--rounds", type=int, default=5, help="timed training runs a peer (default 5; 0: the first run)"
    )
    parser.add_argument(
        "--full", action="store_true", help="all of each larger corpus, not its first 10 MB; 10 million distinct words"
    )
    parser.add_argument("--peers", type=named, help="only these beside bytepair, as gigabpe,gigatoken")
    parser.add_argument(
        "--corpora", type=named, default=NAMES, help=f"of {','.join(NAMES)}; default: all that are there"
    )
    parser.add_argument(
        "--seconds", type=float, default=60, help="the most a peer may take on a hard input (default 60)"
    )
    chosen = parser.parse_args()
    unknown = [job for job in chosen.jobs if job not in JOBS]
    if unknown:
        parser.error(f"no job is called {unknown[0]!r}; there are {', '.join(JOBS)}")
    return chosen


def named(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def main() -> int:
    chosen = arguments()
    facts = report.machine()
    print(", ".join(f"{name} {value}" for name, value in facts.items()), flush=True)
    rows: list[report.Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for found in tables(chosen, Path(folder)):
            print(report.table(found), end="\n\n", flush=True)
            rows += found
    print(report.NOTES)
    print(f"written to {report.write(rows, facts)}")
    return 1 if any(row["equal"] is False for row in rows) else 0


def tables(chosen: argparse.Namespace, folder: Path) -> Iterator[list[report.Row]]:
    jobs = chosen.jobs or DEFAULT_JOBS
    for corpus in corpora(folder, full=chosen.full, names=chosen.corpora):
        if "learn" in jobs:
            yield from learning.measure(corpus, chosen.rounds, chosen.peers)
        if "pack" in jobs:
            yield packing.measure(corpus, folder, chosen.rounds)
        # A gigabyte is for learning: the texts of an encoder lie in its memory.
        if "encode" in jobs and corpus.name != "big":
            for vocabulary in (*encoding.public(), encoding.learned(corpus, folder)):
                yield encoding.measure(corpus, vocabulary, folder, chosen.peers)
            yield from (
                encoding.measure_calls(corpus, each, folder, chosen.peers) for each in encoding.public(("cl100k",))
            )
    for vocabulary in encoding.public(("cl100k",)) if "encode" in jobs else ():
        yield list(encoding.measure_hard(vocabulary, folder, chosen.seconds, chosen.peers))
    for made in inputs(full=chosen.full) if "pathological" in jobs else ():
        yield pathological.measure(made, folder, chosen.rounds, chosen.peers, chosen.seconds)


if __name__ == "__main__":
    sys.exit(main())
