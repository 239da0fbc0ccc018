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


def in_words(judged: dict[str, Any]) -> str:
    """`CPU 2.7, 3.5: goal reached`."""
    wanted = list(dict.fromkeys(f"{judged[name]:.3g}" for name in ("bar", "goal")))
    # One number is a bar and a goal at once.
    reached = judged["reached"][: len(wanted)]
    said = f"{reached[-1]} reached" if reached else "missed"
    return f"{judged['of']} {', '.join(wanted)}: {said} ({judged['found']:.2f})"
