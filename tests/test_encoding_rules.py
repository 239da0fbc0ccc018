"""What encoding gives: one merge at a time, leftmost of the lowest rank, in both kinds of model, on any piece."""

from __future__ import annotations

import base64
import random
import tempfile
from pathlib import Path

import pytest
import slow_oracle
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp

ALPHABETS = ["a", "ab", "abc ", "é漢🙂 ", "</w> "]
TRAINING = st.sampled_from(ALPHABETS).flatmap(
    lambda characters: st.tuples(st.lists(st.text(characters, max_size=40), max_size=4), st.text(characters))
)
MARKERS = [(None, "symbol"), ("</w>", "symbol"), ("ab", "symbol"), ("</w>", "suffix"), ("ab", "suffix")]


def made_text(characters: str, n_chars: int) -> str:
    return "".join(random.Random(n_chars).choices(characters, k=n_chars))


LONG_TEXTS = [
    pytest.param("a" * 500, id="one-letter"),
    pytest.param("ab" * 300, id="two-letters-in-turn"),
    pytest.param("aab" * 150 + "b", id="three-in-turn"),
    pytest.param(made_text("ab", 600), id="random-two"),
    pytest.param(made_text("abcd", 600), id="random-four"),
    pytest.param(made_text("é漢🙂", 300), id="random-wide"),
    pytest.param(made_text("</w>", 400), id="random-marker"),
]


# Merge lists


@pytest.mark.parametrize(("end_of_word", "style"), MARKERS)
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "whitespace", "none"])
@settings(max_examples=30)
@given(TRAINING)
@example((["babaaa babaaa a b b b b b"], "ab")).via("with the marker ab, a pair is learned twice")
def test_a_text_that_training_did_not_see(pattern, end_of_word, style, training):
    documents, unseen = training
    end = {"end_of_word": end_of_word, "end_of_word_style": style}
    tok = bp.train(documents, num_merges=30, pattern=pattern, ties="lowest-id", **end)
    learned = slow_oracle.Learned(slow_oracle.alphabet_of([], "bytes", "value", end_of_word, style), tok.merges)
    learned.tokens += [left + right for left, right in tok.merges]
    tokens = slow_oracle.encode(unseen, learned, pattern, **end)
    assert tok.tokens(unseen) == tokens
    assert tok.encode(unseen) == [tok.token_id(token) for token in tokens]
    assert tok.count(unseen) == len(tokens)


@pytest.mark.parametrize(("end_of_word", "style"), MARKERS)
@pytest.mark.parametrize("text", LONG_TEXTS)
def test_a_long_piece(text, end_of_word, style):
    end = {"end_of_word": end_of_word, "end_of_word_style": style}
    tok = bp.train([text[:300], text[-97:], text[5:60]], num_merges=80, pattern="none", **end)
    symbols = slow_oracle.symbols_of(text.encode(), "bytes", end_of_word, style)
    assert tok.tokens(text) == slow_oracle.encode_piece(symbols, tok.merges)


# Ranks: any two neighbours may merge if together they are a token, and a piece that is a token is that token


def load_ranks(ranks: dict[bytes, int], pattern: str) -> bp.Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ranks.tiktoken")
        lines = [f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()]
        path.write_text("".join(lines), encoding="ascii", newline="\n")
        return bp.load(path, pattern=pattern)


def made_ranks(tokens: set[bytes], seed: int) -> dict[bytes, int]:
    """All bytes and the tokens, numbered at random."""
    everything = sorted(tokens | {bytes([byte]) for byte in range(256)})
    random.Random(seed).shuffle(everything)
    return {token: rank for rank, token in enumerate(everything)}


TOKENS = st.sets(st.text("ab", min_size=2, max_size=5).map(str.encode), max_size=15)


@given(tokens=TOKENS, text=st.text("ab", max_size=30), seed=st.integers(0, 2**32))
def test_ranks_of_any_tokens(tokens, text, seed):
    ranks = made_ranks(tokens, seed)
    tok = load_ranks(ranks, "none")
    slow = slow_oracle.encode_piece_by_ranks(text.encode(), ranks) if text else []
    assert tok.tokens(text) == slow
    assert tok.encode(text) == [ranks[token] for token in slow]


@pytest.mark.parametrize("pattern", [*slow_oracle.PATTERNS, "deepseek3", "clip", "whitespace"])
@settings(max_examples=30)
@given(tokens=TOKENS, text=st.text("abA '1\n/漢", max_size=30), seed=st.integers(0, 2**32))
def test_ranks_on_split_text(pattern, tokens, text, seed):
    ranks = made_ranks(tokens | {b" a", b" ab", b"\n\n", b"11"}, seed)
    pieces = slow_oracle.split(text, pattern)
    slow = [token for piece in pieces for token in slow_oracle.encode_piece_by_ranks(piece, ranks)]
    assert load_ranks(ranks, pattern).tokens(text) == slow


@pytest.mark.parametrize("text", LONG_TEXTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_ranks_on_a_long_piece(text, seed):
    """Tokens are stretches of the text, in any order: many can be reached on one path only, or not at all."""
    piece, chance = text.encode(), random.Random(seed)
    starts = [chance.randrange(len(piece)) for _ in range(150)]
    ranks = made_ranks({piece[start : start + chance.randint(2, 9)] for start in starts}, seed)
    assert load_ranks(ranks, "none").tokens(text) == slow_oracle.encode_piece_by_ranks(piece, ranks)


def test_a_piece_that_is_a_token_needs_no_path_of_merges():
    """G22: no order of merges reaches the last token, and as a piece of its own it is still one token."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b":.": 256, b".:": 257, b".:.:": 258}
    tok = load_ranks(ranks, "none")
    assert tok.encode(".:.:") == [258]
    assert tok.encode("x.:.:") == [120, 46, 256, 58]
