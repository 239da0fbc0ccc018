"""Memory of counting and learning for each distinct piece: `python -m benchmarks.memory`.

Each figure is the growth of a process's peak from half as many distinct words, over the words that came on top:
what does not depend on them, such as the interpreter and the window of text, falls out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from subprocess import run

from benchmarks.child import peak_mb
from benchmarks.inputs import Input, distinct_words

STAGES = {"tally": "counted", "train": "counted and learned from, vocabulary 32,000"}


def measured(stage: str, path: Path) -> float:
    """The peak of a process of its own, in MB."""
    command = [sys.executable, "-m", "benchmarks.memory", "--stage", stage, "--file", str(path)]
    return float(run(command, capture_output=True, text=True, check=True).stdout)


def stage_here(stage: str, path: Path) -> float:
    import bytepair as bp

    tally = bp.tally(path, pattern="gpt2", threads=1)
    if stage == "train":
        bp.train(tally, vocab_size=32_000)
    return peak_mb()


def table(first: int, doublings: int) -> str:
    lines = ["| distinct words | " + " | ".join(STAGES.values()) + " |", "| ---: | ---: | ---: |"]
    peaks: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in (first * 2**step for step in range(doublings + 1)):
            path = Input("words", size, 0, distinct_words).write(Path(folder))
            peaks[size] = {stage: measured(stage, path) for stage in STAGES}
            path.unlink()
            lines.append(f"| {size:,} | {' | '.join(_cell(stage, size, peaks) for stage in STAGES)} |")
    return "\n".join(lines)


def _cell(stage: str, size: int, peaks: dict[int, dict[str, float]]) -> str:
    before = peaks.get(size // 2)
    if before is None:
        return f"{peaks[size][stage]:.0f} MB"
    grown = (peaks[size][stage] - before[stage]) * 1e6 / (size - size // 2)
    return f"{peaks[size][stage]:.0f} MB, {grown:.0f} bytes a piece"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--first", type=int, default=1_000_000, help="distinct words to begin with (default 1000000)")
    parser.add_argument("--doublings", type=int, default=2)
    parser.add_argument("--stage", choices=list(STAGES), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    print(stage_here(chosen.stage, chosen.file) if chosen.stage else table(chosen.first, chosen.doublings))


if __name__ == "__main__":
    main()
