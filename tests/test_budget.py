"""Budgets of tokens: fits, truncate, chunks."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, LOSSLESS, policies, surrogate_texts, texts

import bytepair as bp

kinds = st.sampled_from(sorted(ALL))
budgets = st.integers(0, 12)


@given(kinds, texts | surrogate_texts, budgets, policies)
def test_fits_is_a_count_that_stops(kind: str, text: str, budget: int, special: Any) -> None:
    tok = ALL[kind]
    assert tok.fits(text, budget, special=special) == (tok.count(text, special=special) <= budget)


def test_fits_does_not_look_at_all_of_a_long_text() -> None:
    tok = LOSSLESS["cl100k"]
    text = "lower newest " * 2_000_000
    start = time.process_time()
    assert not tok.fits(text, 100)
    stopped = time.process_time() - start
    start = time.process_time()
    tok.count(text)
    assert stopped < (time.process_time() - start) / 20


def test_fits_does_not_merge_one_piece_that_is_far_too_long() -> None:
    tok = LOSSLESS["none"]
    text = "lower newest " * 1_000_000
    start = time.process_time()
    assert not tok.fits(text, 100)
    assert time.process_time() - start < 0.2


@given(kinds, texts | surrogate_texts, budgets, policies, st.sampled_from(["left", "right"]))
def test_a_truncated_text_is_an_end_of_it_that_fits(kind: str, text: str, budget: int, special: Any, side: Any) -> None:
    tok = ALL[kind]
    cut = tok.truncate(text, budget, side, special=special)
    assert tok.count(cut, special=special) <= budget
    assert text.startswith(cut) if side == "right" else text.endswith(cut)
    if tok.fits(text, budget, special=special):
        assert cut == text


@pytest.mark.parametrize("kind", sorted(LOSSLESS))
def test_a_cut_between_whole_tokens_keeps_them(kind: str) -> None:
    tok = LOSSLESS[kind]
    text = "low lower lowest newest widest " * 3
    tokens = tok.tokens(text)
    for budget in range(len(tokens) + 1):
        assert tok.truncate(text, budget).encode() == b"".join(tokens[:budget])


@given(st.binary(max_size=30), st.integers(1, 6), st.sampled_from(["char", "word", "line"]))
def test_bytes_are_cut_as_bytes(data: bytes, budget: int, unit: Any) -> None:
    tok = LOSSLESS["cl100k"]
    assert data.startswith(tok.truncate(data, budget))
    try:
        assert b"".join(tok.chunks(data, budget, unit=unit)) == data
    except bp.ArgumentError as error:
        minimum = int(str(error).split("at least ")[1].split(",")[0])
        assert b"".join(tok.chunks(data, minimum, unit=unit)) == data


def borders(text: str, unit: str) -> set[int]:
    if unit == "char":
        return set(range(len(text) + 1))
    if unit == "line":
        return {0, len(text)} | {index for index in range(1, len(text)) if text[index - 1] == "\n"}
    return {0, len(text)} | {
        index for index in range(1, len(text)) if text[index].isspace() and not text[index - 1].isspace()
    }


@given(kinds, texts, st.integers(1, 9), st.sampled_from(["char", "word", "line"]), policies)
def test_chunks_are_the_text_and_fit(kind: str, text: str, budget: int, unit: Any, special: Any) -> None:
    tok = ALL[kind]
    try:
        chunks = tok.chunks(text, budget, unit=unit, special=special)
    except bp.ArgumentError as error:
        minimum = int(str(error).split("at least ")[1].split(",")[0])
        assert minimum > budget
        chunks, budget = tok.chunks(text, minimum, unit=unit, special=special), minimum
    assert "".join(chunks) == text
    assert all(chunks)
    assert all(tok.count(chunk, special=special) <= budget for chunk in chunks)
    # Python counts the separators U+001C to U+001F as spaces, Unicode does not.
    if not set("\x1c\x1d\x1e\x1f") & set(text):
        assert set(itertools.accumulate(map(len, chunks))) <= borders(text, unit)


@given(kinds, surrogate_texts, st.integers(6, 12), st.integers(0, 5))
def test_chunks_of_surrogates_are_the_text_that_was_given(kind: str, text: str, budget: int, overlap: int) -> None:
    tok = ALL[kind]
    assert "".join(tok.chunks(text, budget)) == text
    check_overlap(tok, text, tok.chunks(text, budget, overlap), budget, overlap)


def check_overlap(tok: bp.Tokenizer, text: str, chunks: list[str], budget: int, overlap: int) -> None:
    """Each chunk fits, begins behind the beginning of the one before, not behind its end, and goes further."""
    assert all(tok.count(chunk) <= budget for chunk in chunks)
    places = {(-1, 0)}
    for chunk in chunks:
        places = {
            (at, at + len(chunk))
            for start, end in places
            for at in range(start + 1, end + 1)
            if text.startswith(chunk, at) and at + len(chunk) > end
        }
    assert not chunks or any(end == len(text) for _, end in places)


@pytest.mark.parametrize("unit", ["char", "word"])
def test_chunks_overlap_by_tokens(unit: Any) -> None:
    tok = LOSSLESS["cl100k"]
    text = "".join(f" word{number} low" for number in range(300))
    for overlap in (1, 4, 15):
        chunks = tok.chunks(text, 16, overlap, unit)
        repeated = 0
        for before, after in itertools.pairwise(chunks):
            common = next(n for n in range(len(after), -1, -1) if before.endswith(after[:n]))
            repeated += common > 0
            assert tok.count(after[:common]) <= overlap
        assert repeated > (len(chunks) // 2 if unit == "char" else 0)


def test_chunks_of_a_long_text_take_time_in_line_with_it() -> None:
    tok = LOSSLESS["cl100k"]

    def seconds(n_words: int) -> float:
        text = "lower newest é\n" * n_words
        start = time.process_time()
        assert "".join(tok.chunks(text, 50, special="all")) == text
        return time.process_time() - start

    # Eight times as long; quadratic would be 64 times.
    assert seconds(80_000) < 24 * max(seconds(10_000), 0.02)


def test_a_cut_never_halves_a_special() -> None:
    tok = LOSSLESS["cl100k"]
    text = "low<|end|><|end|>" * 5
    chunks = tok.chunks(text, 1, special="all")
    assert chunks == ["low", "<|end|><|end|>"] * 5


@settings(max_examples=30)
@given(st.integers(0, 3), st.sampled_from(["left", "right"]))
def test_a_long_text_without_any_border(budget: int, side: Any) -> None:
    tok = LOSSLESS["none"]
    text = "x" * 20_000
    assert tok.truncate(text, budget, side) == "x" * budget


CASES: list[tuple[str, dict[str, Any], type[bp.BytepairError], str]] = [
    ("fits", {"budget": -1}, bp.ArgumentError, "budget is -1; it must be at least 0"),
    ("fits", {"budget": 2.5}, bp.ArgumentTypeError, r"budget is 2.5 \(float\); it must be an int of at least 0"),
    ("fits", {"budget": True}, bp.ArgumentTypeError, r"budget is True \(bool\)"),
    ("fits", {"budget": 2**64}, bp.ArgumentError, "budget is 18446744073709551616; it must be at most"),
    ("truncate", {"budget": -1}, bp.ArgumentError, "budget is -1; it must be at least 0"),
    ("truncate", {"budget": 1, "side": "end"}, bp.ArgumentError, "side is 'end'; it must be one of 'right', 'left'"),
    ("chunks", {"budget": 0}, bp.ArgumentError, "budget is 0; it must be at least 1"),
    (
        "chunks",
        {"budget": 4, "overlap": 4},
        bp.ArgumentError,
        "overlap is 4; it must be smaller than budget, which is 4",
    ),
    ("chunks", {"budget": 4, "overlap": -1}, bp.ArgumentError, "overlap is -1; it must be at least 0"),
    (
        "chunks",
        {"budget": 4, "unit": "page"},
        bp.ArgumentError,
        "unit is 'page'; it must be one of 'char', 'word', 'line'",
    ),
]


@pytest.mark.parametrize(("call", "options", "error", "message"), CASES)
def test_a_wrong_argument_is_named(
    call: str, options: dict[str, Any], error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        getattr(LOSSLESS["cl100k"], call)("text", **options)


def test_a_budget_that_cannot_be_met_says_the_minimum() -> None:
    tok = bp.train([""], num_merges=0)
    with pytest.raises(
        bp.ArgumentError,
        match=r"budget is 2, which the character at index 3 passes by itself; for this text it must be at least 4$",
    ):
        tok.chunks("abc漢 👍", 2)
    with pytest.raises(bp.ArgumentError, match="the character at index 2 passes"):
        tok.chunks("éa漢", 2)
    with pytest.raises(
        bp.ArgumentError, match=r"the word at index 2 passes .* at least 7, or unit=\"char\" to cut inside"
    ):
        tok.chunks("to lowest", 3, unit="word")
    with pytest.raises(bp.ArgumentError, match="the line at index 3 passes"):
        tok.chunks("to\nlowest\n", 3, unit="line")


def test_the_place_of_a_minimum_counts_a_surrogate_pair_as_two() -> None:
    tok = bp.train(["👍" * 9], num_merges=9)
    assert tok.count("👍") == 1
    with pytest.raises(bp.ArgumentError, match="the character at index 2 passes"):
        tok.chunks("\ud83d\udc4d漢", 1)
