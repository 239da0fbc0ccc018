"""What the benchmarks measure on is what it says, and their small calculations are right."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import bars, ties
from benchmarks.inputs import Input, distinct_words, inputs
from benchmarks.turns import OURS, Contender, Task, rows

import bytepair as bp

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def test_distinct_words_are_distinct() -> None:
    words = "".join(distinct_words(250_000)).split()
    assert len(set(words)) == len(words) == 250_000
    assert {len(word) for word in words} == {8}


@pytest.mark.parametrize("made", inputs(full=False), ids=lambda made: f"{made.name} {made.size}")
def test_an_input_is_the_same_every_time_and_doubles(made: Input) -> None:
    small, large = ("".join(made.make(size)) for size in (3_000, 6_000))
    assert small == "".join(made.make(3_000))
    assert len(large) == len(small) * (2 if made.doubles or made.name == "a" else 1)


@pytest.mark.parametrize(
    ("bar", "found", "words"),
    [
        (bars.Bar("CPU", 2.7, 3.5), 2.0, "CPU 2.7, 3.5: missed (2.00)"),
        (bars.Bar("CPU", 2.7, 3.5), 2.7, "CPU 2.7, 3.5: bar reached (2.70)"),
        (bars.Bar("CPU", 2.7, 3.5), 9.0, "CPU 2.7, 3.5: goal reached (9.00)"),
        (bars.Bar("memory", 0.8, 0.8, least=False), 0.7, "memory 0.8: bar reached (0.70)"),
        (bars.Bar("memory", 0.8, 0.8, least=False), 0.9, "memory 0.8: missed (0.90)"),
    ],
)
def test_a_bar_says_what_was_reached(bar: bars.Bar, found: float, words: str) -> None:
    assert bars.in_words(bar.judged(found)) == words


def test_steps_with_a_tie_are_counted() -> None:
    """By hand: (e,s) beside (s,t), 9 times each; (es,t) alone; (l,o) beside (o,w), 7 times each; (lo,w) alone."""
    tally = bp.Tally.from_counts(TEXTBOOK, pattern="none")
    tok = bp.train(tally, num_merges=4)
    assert tok.merges == [(b"e", b"s"), (b"es", b"t"), (b"l", b"o"), (b"lo", b"w")]
    assert ties.tied_steps(tally, tok) == 2
    with pytest.raises(AssertionError):
        ties.tied_steps(bp.Tally.from_counts({"low": 5}, pattern="none"), tok)


def test_a_peer_that_takes_too_long_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a" * 1_000_000)
    task = Task(str(tmp_path / "text"), 300, whole=True, seconds=0.2)
    ours, late = rows(task, [OURS, Contender("tokenizers")], rounds=0)
    assert ours["equal"] and ours["ratio"] == 1
    assert (late["equal"], late["note"], "cpu" in late) == (None, "over 0.2 s", False)
