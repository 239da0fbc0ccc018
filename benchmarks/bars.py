"""What is to be reached. Measured by us, 30 November 2026: one thread on a 2-core Xeon with AVX-512, Python 3.11.

A quotient of two programs in one run is a bar that holds on other machines too; seconds hold on one like that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """`bar` must be reached, `goal` is what we are after; `least` says whether more is better."""

    of: str
    bar: float
    goal: float
    least: bool = True

    def judged(self, found: float) -> dict[str, Any]:
        """What was reached, as a value for the table and the file."""
        reached = [name for name in ("bar", "goal") if self._holds(found, getattr(self, name))]
        return {"of": self.of, "bar": self.bar, "goal": self.goal, "found": found, "reached": reached}

    def _holds(self, found: float, wanted: float) -> bool:
        return found >= wanted if self.least else found <= wanted


# (corpus, its megabytes, vocabulary) -> peer -> its CPU seconds over ours.
LEARNING = {
    ("shakespeare", 1, 2_000): {"gigabpe": Bar("CPU", 1, 3)},
    ("en", 10, 32_000): {"gigabpe": Bar("CPU", 2, 3)},
    ("en", 100, 32_000): {"gigabpe": Bar("CPU", 2.7, 3.5), "tokenizers": Bar("CPU", 30, 40)},
    ("multi", 100, 32_000): {"gigabpe": Bar("CPU", 2.2, 3)},
    ("code", 100, 32_000): {"gigabpe": Bar("CPU", 2.7, 3.5)},
    ("en", 100, 100_000): {"gigabpe": Bar("CPU", 2.5, 3.5)},
    ("multi", 100, 100_000): {"gigabpe": Bar("CPU", 2.5, 3.5)},
    ("code", 100, 100_000): {"gigabpe": Bar("CPU", 2.5, 3.5)},
    ("big", 1_000, 32_000): {"gigabpe": Bar("CPU", 3, 4)},
}
# Our peak memory over gigabpe's.
MEMORY = {("en", 100, 32_000): Bar("memory", 0.8, 0.8, least=False)}
# MB a second of one core.
TALLY = {("en", 100): Bar("MB/s", 200, 300)}
# Wall seconds of one thread over those of two, from so many megabytes on.
TWO_THREADS = Bar("two threads", 1.7, 1.7)
TWO_THREADS_FROM_MB = 100

# Wall seconds of packing over those of the pure encoding; of Ray over the local run, after its start.
PACKING = Bar("x encoding", 1.3, 1.3, least=False)
PACKING_FROM_MB = 100
RAY = Bar("x local", 1.5, 1.5, least=False)
RAY_FROM_MB = 1_000

# The quotient when the input doubles.
DOUBLING = Bar("doubling", 2.3, 2.3, least=False)
# Seconds of the best program then known, our prototype in C among them, by input and size.
PATHOLOGICAL = {
    ("a", 100_000): 0.06,
    ("a", 1_000_000): 0.04,
    ("shakespeare as one piece", 1_115_394): 0.10,
    ("CJK", 5_000_000): 1.45,
    ("base64", 1_000_000): 0.27,
    ("distinct words", 10_000_000): 22.0,
}

# Corpus -> how many times as fast as the better of gigatoken and fastokens, on text not seen before.
ENCODING = {"en": (1.3, 1.7), "multi": (1.4, 2.0), "code": (1.2, 1.5)}
FASTEST = ("gigatoken", "fastokens")
# A call -> (microseconds: bar, goal).
CALLS = {"short text, array": (1.0, 0.7), "short text, list": (1.8, 1.2)}
# A call -> how many times as fast as which peers.
CALL_RATIOS = {
    "2,000 texts of 1 KB": (FASTEST, 1.0, 1.3),
    "2 MB to str": (("tiktoken",), 3.0, 3.0),
    "2 MB to bytes": (("tiktoken",), 5.0, 5.0),
}


def encoding(corpus: str, rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """What is said of our row, beside those of the fastest peers."""
    fastest = [rows[peer] for peer in FASTEST if peer in rows]
    if not fastest or corpus not in ENCODING:
        return []
    portable = rows.get("bytepair, portable")
    found = [
        Bar("unseen", *ENCODING[corpus]).judged(min(row["ratio"] for row in fastest)),
        Bar("seen", 1.0, 1.3).judged(min(row["seen_ratio"] for row in fastest)),
    ]
    if portable and "gigatoken" in rows:
        found.append(Bar("portable", 0.5, 0.5).judged(rows["gigatoken"]["ratio"] / portable["ratio"]))
    return found


def calls(title: str, microseconds: dict[str, float]) -> list[dict[str, Any]]:
    """What is said of our time for a call."""
    ours = microseconds["bytepair"]
    found = [Bar("us", *CALLS[title], least=False).judged(ours)] if title in CALLS else []
    peers, bar, goal = CALL_RATIOS.get(title, ((), 0.0, 0.0))
    theirs = [microseconds[peer] for peer in peers if peer in microseconds]
    return found + ([Bar("x " + " or ".join(peers), bar, goal).judged(min(theirs) / ours)] if theirs else [])


def in_words(judged: dict[str, Any]) -> str:
    """`CPU 2.7, 3.5: goal reached`."""
    wanted = list(dict.fromkeys(f"{judged[name]:.3g}" for name in ("bar", "goal")))
    # One number is a bar and a goal at once.
    reached = judged["reached"][: len(wanted)]
    said = f"{reached[-1]} reached" if reached else "missed"
    return f"{judged['of']} {', '.join(wanted)}: {said} ({judged['found']:.2f})"
