"""Runs of millions of equal characters: right for every named pattern, in linear time, on a small stack (G08).

Elsewhere a run overflows the stack inside the engine for regular expressions, or takes time that grows with its square.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import bytepair as bp
from bytepair import patterns

RANKS = {bytes([byte]): byte for byte in range(256)} | {
    b"aa": 256,
    b"aaaa": 257,
    b"aaaaaaaa": 258,
    b"^^": 259,
    b"^^^^": 260,
    b"AA": 261,
    b"..": 262,
    b".\n": 263,
    b"  ": 264,
    b"    ": 265,
    b" x": 266,
}
DROPS_SPACE = {"clip", "whitespace"}


def loaded(pattern: str, n_ranks: int = len(RANKS)) -> bp.Tokenizer:
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in [*RANKS.items()][:n_ranks])
    return bp.load(lines, pattern=pattern)


def halved(n_bytes: int, *ids: int) -> list[int]:
    """The ids of a run whose tokens double: as many as can be of the last, then at most one of each before."""
    found: list[int] = []
    for power in reversed(range(len(ids))):
        found += [ids[power]] * (n_bytes >> power)
        n_bytes &= (1 << power) - 1
    return found


def spaces_and_x(pattern: str, n_spaces: int) -> list[int]:
    if pattern in DROPS_SPACE:
        return [120]
    if pattern == "none":
        # Two spaces merge before a space and the letter.
        return [*halved(n_spaces - n_spaces % 2, 32, 264, 265), *([266] if n_spaces % 2 else [120])]
    # The last space goes with the word.
    return [*halved(n_spaces - 1, 32, 264, 265), 266]


def points_and_break(pattern: str, n_points: int) -> list[int]:
    if pattern in DROPS_SPACE:
        return halved(n_points, 46, 262)
    if pattern == "gpt2":
        return [*halved(n_points, 46, 262), 10]
    # The line break goes with the points; two points merge before a point and a break.
    return [*halved(n_points - n_points % 2, 46, 262), *([263] if n_points % 2 else [10])]


# A text of so many, and its ids.
Run = tuple[Callable[[int], str], Callable[[str, int], list[int]]]
RUNS: dict[str, Run] = {
    "a": (lambda n: "a" * n, lambda _, n: halved(n, 97, 256, 257, 258)),
    "^": (lambda n: "^" * n, lambda _, n: halved(n, 94, 259, 260)),
    "A": (lambda n: "A" * n, lambda _, n: halved(n, 65, 261)),
    "spaces and x": (lambda n: " " * n + "x", spaces_and_x),
    "points and a line break": (lambda n: "." * n + "\n", points_and_break),
}


def naive(piece: bytes) -> list[int]:
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while True:
        joint = [(RANKS[left + right], at) for at, (left, right) in enumerate(pairwise(parts)) if left + right in RANKS]
        if piece in RANKS or not joint:
            return [RANKS[piece]] if piece in RANKS else [RANKS[part] for part in parts]
        _, at = min(joint)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@pytest.mark.parametrize("pattern", patterns.NAMES)
@pytest.mark.parametrize("run", RUNS)
def test_the_formulas_are_those_of_the_slow_way(pattern: str, run: str) -> None:
    tok = loaded(pattern)
    text_of, ids_of = RUNS[run]
    for n in [*range(1, 20), 63, 64, 100]:
        slow = [number for piece in tok.pieces(text_of(n)) for number in naive(piece.encode())]
        assert ids_of(pattern, n) == slow == tok.encode(text_of(n))


def on_a_small_stack(work: Callable[[], Any]) -> Any:
    """What some work gives in a thread with a stack of half a megabyte."""
    found: list[Any] = []
    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=lambda: found.append(work()))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    return found[0]


@pytest.mark.parametrize("pattern", patterns.NAMES)
@pytest.mark.parametrize("run", RUNS)
def test_a_million_are_right_on_a_small_stack(pattern: str, run: str) -> None:
    tok = loaded(pattern)
    text_of, ids_of = RUNS[run]
    text = text_of(1_000_000)
    expected = ids_of(pattern, 1_000_000)
    assert on_a_small_stack(lambda: tok.encode(text)) == expected
    assert on_a_small_stack(lambda: tok.count(text, threads=2)) == len(expected)
    kept = text.strip(" \n") if pattern in DROPS_SPACE else text
    assert on_a_small_stack(lambda: tok.decode(expected)) == kept


@pytest.mark.parametrize(
    ("pattern", "n_ranks", "size"), [*((name, 257, 2) for name in patterns.NAMES), ("none", len(RANKS), 8)]
)
def test_ten_millions_are_right_and_take_ten_times_as_long(pattern: str, n_ranks: int, size: int) -> None:
    tok = loaded(pattern, n_ranks)

    def timed(n_bytes: int) -> tuple[int, float]:
        start = time.thread_time()
        n_tokens = tok.count("a" * n_bytes)
        return n_tokens, time.thread_time() - start

    once = min(timed(1_000_000)[1] for _ in range(3))
    n_tokens, longer = on_a_small_stack(lambda: timed(10_000_000))
    assert n_tokens == 10_000_000 // size
    # Ten times and some for what no longer fits in a cache; a hundred times where cost grows with the square.
    assert longer < 40 * once + 0.1


@pytest.mark.parametrize("pattern", [r"\w+|\W+", r"(?:a|b)+|\s+(?!\S)|[^a]", r"(?:[^\n]\n?)+?(?=a|$)|\s"])
def test_a_pattern_of_ones_own_is_right_or_refuses_on_a_small_stack(pattern: str) -> None:
    tok = loaded(pattern)

    def encoded(text: str) -> str | None:
        try:
            return tok.decode(tok.encode(text))
        except bp.PatternError:
            return None

    for text_of, _ in RUNS.values():
        text = text_of(1_000_000)
        assert on_a_small_stack(lambda text=text: encoded(text)) in (text, None)
