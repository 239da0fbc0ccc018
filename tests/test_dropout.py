"""Dropout, and lists of parts with special tokens."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, LOSSLESS, policies, texts

import bytepair as bp


@given(st.sampled_from(sorted(LOSSLESS)), texts, policies, st.floats(0, 1), st.integers(0, 2**64 - 1))
def test_dropout_keeps_the_text(kind: str, text: str, special: Any, dropout: float, seed: int) -> None:
    tok = LOSSLESS[kind]
    ids = tok.encode(text, special=special, dropout=dropout, seed=seed)
    assert tok.decode(ids) == text
    assert ids == tok.encode(text, special=special, dropout=dropout, seed=seed)


@given(st.sampled_from(sorted(ALL)), texts)
def test_almost_no_dropout_is_none_and_all_leaves_the_alphabet(kind: str, text: str) -> None:
    tok = ALL[kind]
    assert tok.encode(text, dropout=0.0) == tok.encode(text, dropout=0, seed=7) == tok.encode(text)
    # A model of ranks looks for whole pieces first, unless there is dropout, and has no list of merges to cut.
    if tok.model.kind == "merges":
        assert tok.encode(text, dropout=1e-300, seed=1) == tok.encode(text)
        symbols = tok.at(num_merges=0).tokens(text)
        assert [tok.token_bytes(number) for number in tok.encode(text, dropout=1)] == symbols


def slow_dropout(
    merges: list[tuple[bytes, bytes]], word: bytes, dropout: float, chance: random.Random
) -> tuple[bytes, ...]:
    """The paper's way: before every merge each pair that may merge is dropped or not."""
    symbols = [bytes([byte]) for byte in word]
    while True:
        pairs = [(merges.index(pair), at) for at, pair in enumerate(itertools.pairwise(symbols)) if pair in merges]
        kept = [pair for pair in pairs if chance.random() >= dropout]
        if not kept:
            return tuple(symbols)
        at = min(kept)[1]
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]


def test_dropout_is_as_often_as_in_the_paper() -> None:
    tok = bp.train(["lowest lowest lowest slow"], num_merges=8, pattern="none")
    chance = random.Random(1)
    n = 6000
    slow = Counter(slow_dropout(tok.merges, b"lowest", 0.3, chance) for _ in range(n))
    ids = (tok.encode("lowest", dropout=0.3, seed=seed) for seed in range(n))
    fast = Counter(tuple(map(tok.token_bytes, each)) for each in ids)
    for tokens in slow | fast:
        # Four standard deviations of the difference of two counts.
        assert abs(slow[tokens] - fast[tokens]) < 4 * (slow[tokens] + fast[tokens]) ** 0.5 + 1, tokens
    assert len(fast) > 5


def test_seeds_differ_and_mean_the_same_on_every_machine() -> None:
    tok = LOSSLESS["cl100k"]
    assert len({tuple(tok.encode("lower lowest newest", dropout=0.5, seed=seed)) for seed in range(50)}) > 10
    assert tok.encode("newest", dropout=0.5, seed=1) == SEED_ONE


SEED_ONE = [110, 101, 260]


def test_a_batch_counts_its_seeds_up_on_any_number_of_threads() -> None:
    tok = LOSSLESS["cl100k"]
    many = ["lower lowest", "newest widest"] * 10
    expected = [tok.encode(text, dropout=0.4, seed=5 + index) for index, text in enumerate(many)]
    for threads in (1, 3):
        assert tok.encode_batch(many, threads, dropout=0.4, seed=5) == expected


@pytest.mark.parametrize("threads", [1, 3])
def test_an_unknown_character_of_a_batch_has_its_place(threads: int) -> None:
    tok = bp.train(["low low"], num_merges=2, alphabet="chars")
    for dropout in (0, 0.5):
        with pytest.raises(bp.UnknownCharacterError, match='"é" at index 3 of text 1 is not in the alphabet'):
            tok.encode_batch(["low", "lowé", "ß"], threads, dropout=dropout)
    with pytest.raises(bp.ArgumentError, match="seed is 18446744073709551616"):
        tok.encode_batch(["low", "low"], threads, dropout=0.5, seed=2**64 - 1)


def test_dropout_of_a_long_piece_takes_no_quadratic_time() -> None:
    tok = bp.train(["a" * 64], num_merges=5, pattern="none")
    ids = tok.encode("a" * 300_000, dropout=0.1, seed=1)
    assert tok.decode(ids) == "a" * 300_000


WRONG: list[tuple[dict[str, Any], type[bp.BytepairError], str]] = [
    (
        {"dropout": -0.1},
        bp.ArgumentError,
        r"dropout is -0.1; it must be from 0 \(every merge is made\) to 1 \(none is\)",
    ),
    ({"dropout": 1.5}, bp.ArgumentError, "dropout is 1.5"),
    ({"dropout": float("nan")}, bp.ArgumentError, "dropout is nan"),
    ({"dropout": "0.1"}, bp.ArgumentTypeError, r"dropout is '0.1' \(str\); it must be a number from 0 to 1"),
    ({"dropout": None}, bp.ArgumentTypeError, "dropout is None"),
    ({"dropout": True}, bp.ArgumentTypeError, r"dropout is True \(bool\)"),
    ({"dropout": 0.1, "seed": -1}, bp.ArgumentError, "seed is -1; it must be at least 0"),
    ({"dropout": 0.1, "seed": 2**64}, bp.ArgumentError, "seed is 18446744073709551616; it must be at most"),
    ({"seed": None}, bp.ArgumentTypeError, "seed is None"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG, ids=[f"{case[0]}" for case in WRONG])
def test_a_wrong_argument_is_named(options: dict[str, Any], error: type[bp.BytepairError], message: str) -> None:
    tok = LOSSLESS["cl100k"]
    with pytest.raises(error, match=message):
        tok.encode("text", **options)
    with pytest.raises(error, match=message):
        tok.encode_batch(["text"], **options)


# Parts


@given(st.sampled_from(sorted(ALL)), st.lists(texts | st.just(bp.Special("<s>")), max_size=5))
def test_parts_are_encoded_one_by_one(kind: str, parts: list[Any]) -> None:
    tok = ALL[kind]
    parts = [*parts, bp.Special("<|end|>")]
    expected: list[int] = []
    for part in parts:
        expected += [tok.special_tokens[part.text]] if isinstance(part, bp.Special) else tok.encode(part)
    assert tok.encode(parts) == tok.encode(tuple(parts)) == expected
    assert tok.count(parts) == tok.count(tuple(parts), threads=2) == len(expected)


@given(st.sampled_from(sorted(ALL)), st.lists(texts | st.just(bp.Special("<s>")), max_size=5))
def test_parts_as_an_array(kind: str, parts: list[Any]) -> None:
    np = pytest.importorskip("numpy")
    tok = ALL[kind]
    parts = [*parts, bp.Special("<|end|>")]
    ids = tok.encode_array(parts)
    assert (ids.dtype, ids.tolist()) == (np.uint32, tok.encode(parts))
    smallest = tok.encode_array(tuple(parts), dtype="smallest", threads=None)
    assert smallest.dtype == (np.uint16 if tok.model.n_ids > 256 else np.uint8)
    assert smallest.tolist() == ids.tolist()
    smallest[:] = 7


def test_a_special_part_is_the_token_whatever_the_policy() -> None:
    tok = LOSSLESS["cl100k"]
    end = tok.special_tokens["<|end|>"]
    parts = [b"low", bp.Special("<|end|>"), "<|end|>"]
    assert tok.encode(parts) == [*tok.encode("low"), end, *tok.encode("<|end|>")]
    assert tok.encode(parts, special="all") == [*tok.encode("low"), end, end]
    assert tok.encode(parts[:2], special="raise") == [*tok.encode("low"), end]
    assert bp.Special("<s>") == bp.Special("<s>") != bp.Special("<|end|>")


@pytest.mark.parametrize("call", ["encode", "count", "encode_array"])
def test_wrong_parts_are_named(call: str) -> None:
    if call == "encode_array":
        pytest.importorskip("numpy")
    tok = LOSSLESS["cl100k"]
    work: Any = getattr(tok, call)
    with pytest.raises(
        bp.SpecialTokenError, match=r"part 1 is Special\(text='<no>'\), which is no special token here; the special"
    ):
        work(["a", bp.Special("<no>")])
    with pytest.raises(bp.ArgumentTypeError, match=r"part 1 is 3 \(int\); it must be str or bytes"):
        work([bp.Special("<s>"), 3])
    with pytest.raises(
        bp.ArgumentTypeError, match="at least one Special between them; encode_batch takes a list of texts"
    ):
        work(["a", "b"])
    with pytest.raises(bp.SpecialTokenError, match="part 0 holds the special token '<s>' at character 1"):
        work(["a<s>", bp.Special("<s>")], special="raise")
    with pytest.raises(bp.ArgumentTypeError, match=r"Special takes the text of a special token, not 3 \(int\)"):
        bp.Special(3)  # type: ignore[arg-type]
    chars = bp.train(["ab"], num_merges=0, alphabet="chars", special_tokens=["<s>"])
    with pytest.raises(bp.UnknownCharacterError, match='"é" at index 1') as caught:
        getattr(chars, call)([bp.Special("<s>"), "aé"])
    assert caught.value.__notes__ == ["in part 1 of the text"]
