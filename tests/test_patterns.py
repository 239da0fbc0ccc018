"""The split patterns by name: what they cut, and by which spellings they are known."""

from __future__ import annotations

import functools

import pytest
import slow_oracle
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp

COVERING = ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "deepseek3", "tekken"]
NAMES = [*COVERING, "clip", "whitespace", "none"]

texts = st.lists(
    st.sampled_from(
        [*"abABsſKé\u0301ß漢か・ '\n\r\t\x1c\u3000١1½.!/<|🙂\x00", "'ll", "  ", "123", "<|endoftext|>", "word"]
    ),
    max_size=150,
).map("".join)


@functools.cache
def cutting(pattern: str) -> bp.Tokenizer:
    return bp.train([""], num_merges=0, pattern=pattern)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300)
@given(texts)
def test_pieces_are_those_of_the_slow_oracle(name: str, text: str) -> None:
    assert [piece.encode() for piece in cutting(name).pieces(text)] == slow_oracle.split(text, name)


@pytest.mark.parametrize("name", COVERING)
@settings(max_examples=300)
@given(texts)
def test_pieces_are_those_of_the_definition(name: str, text: str) -> None:
    named = cutting(name)
    # In a group, so that it is not known for what it is.
    custom = cutting(f"(?:{named.model.pattern.regex})")
    assert (named.pattern, custom.model.pattern.name) == (name, "custom")
    assert named.pieces(text) == custom.pieces(text)


@pytest.mark.parametrize("name", COVERING)
def test_a_definition_is_known_by_its_text(name: str) -> None:
    assert cutting(cutting(name).model.pattern.regex).pattern == name


def test_the_first_cl100k_is_llama3() -> None:
    assert cutting(str(bp.presets.MINBPE["pattern"])).pattern == "llama3"
    assert cutting("llama3").pieces("a \n ") == ["a", " \n", " "]
    assert cutting("cl100k").pieces("a \n ") == ["a", " \n "]


def test_what_is_dropped_between_pieces_is_said() -> None:
    tok = cutting("clip")
    assert not tok.lossless
    assert tok.losses == ("The pattern 'clip' drops what lies between its pieces.",)
    assert tok.decode(tok.encode("it's  a <|endoftext|>")) == "it'sa<|endoftext|>"


def test_what_looks_like_a_special_of_clip_is_ordinary_text() -> None:
    tok = bp.train(["<|endoftext|> " * 3], num_merges=20, pattern="clip", special="text")
    assert tok.tokens("<|endoftext|>") == [b"<|endoftext|>"]
    assert tok.special_tokens == {}


def test_no_two_patterns_have_one_fingerprint() -> None:
    assert len({cutting(name).model.pattern.fingerprint for name in NAMES}) == len(NAMES)
