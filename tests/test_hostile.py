"""Input that is meant to break things ends in an error of the family, at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp

HUGE = 10**5000


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(["ab ab"], num_merges=1)


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class BrokenIndex:
    def __index__(self) -> int:
        raise TypeError("only scalars")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("use", ["load", "load_tally", "checkpoint", "save"])
def test_a_pipe_is_refused_before_it_is_read_or_replaced(use: str, tok: bp.Tokenizer, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    uses: dict[str, Any] = {
        "load": lambda: bp.load(pipe),
        "load_tally": lambda: bp.load_tally(pipe),
        "checkpoint": lambda: bp.train(["ab"], num_merges=1, checkpoint=pipe),
        "save": lambda: tok.save(pipe),
    }
    with pytest.raises(bp.UnreadableFileError, match="regular file"):
        uses[use]()
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    "value", [HUGE, -HUGE, nested(100_000), Unshowable(), BrokenIndex()], ids=lambda v: type(v).__name__
)
def test_a_value_that_cannot_be_shown_is_refused_all_the_same(value: Any, tok: bp.Tokenizer) -> None:
    for call in (
        lambda: bp.train(["a"], vocab_size=value),
        lambda: tok.encode_batch(["a"], threads=value),
        lambda: tok.encode(value),
        lambda: tok.at(value),
    ):
        with pytest.raises(bp.BytepairError):
            call()


@pytest.mark.parametrize("digits", ["9" * 5000, "9" * 19])
def test_a_rank_of_too_many_digits_is_named_by_its_line(digits: str) -> None:
    with pytest.raises(bp.FormatError, match="line 1"):
        bp.load(b"YWI= " + digits.encode(), pattern="gpt2")


def test_a_number_of_thousands_of_digits_in_a_file_is_refused() -> None:
    with pytest.raises(bp.FormatError, match="digits"):
        bp.load(b'{"model": ' + b"9" * 5000 + b"}", format="tokenizer.json")


@pytest.mark.parametrize("pattern", ["\ud800", "(?:\udfff)"])
def test_a_pattern_with_a_lone_surrogate_is_refused(pattern: str) -> None:
    with pytest.raises(bp.PatternError, match="lone surrogate"):
        bp.train(["a"], num_merges=1, pattern=pattern)


def test_a_very_long_special_is_refused() -> None:
    with pytest.raises(bp.BytepairError, match="has 100000 bytes; it may have 4096"):
        bp.train(["ab"], num_merges=1, special_tokens=["<" * 100_000])
