"""A tokenizer cut back: byte for byte what training to that size gives."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_training_rules import DOCUMENTS, ENDS, PATTERNS, RULES, saved

import bytepair as bp


@st.composite
def options_of(draw: st.DrawFn) -> dict[str, Any]:
    """Any options of training."""
    alphabet = draw(st.sampled_from(["bytes", "chars"]))
    rule = draw(st.sampled_from(RULES))
    return {
        **rule,
        "alphabet": alphabet,
        "pattern": draw(st.sampled_from(PATTERNS)),
        **draw(st.sampled_from(ENDS)),
        "unk_token": draw(st.sampled_from([None, "<unk>"])) if alphabet == "chars" else None,
        "special_tokens": draw(st.sampled_from([[], ["<|end|>"], ["<|end|>", "aa", "<e>"]])),
        "special": draw(st.sampled_from(["all", "text"])),
        "special_ids": draw(st.sampled_from(["last", "first"])),
        "add_prefix_space": draw(st.booleans()),
        "min_count": draw(st.integers(1, 2)),
        "max_token_bytes": draw(st.sampled_from([None, 3])),
    }


@given(DOCUMENTS, options_of(), st.integers(0, 25))
@example(["a b c d", "ab c d", "a bc d"], {"pattern": "none", "alphabet": "chars"}, 12)
# (a, b) spells the marker, which is no new token.
@example(["ababab ab"], {"pattern": "whitespace", "alphabet": "chars", "end_of_word": "ab"}, 9)
# Pairs that are learned twice, and spellings that are passed over.
@example(["aaaa aaa aa a" * 3], {"special_tokens": ["aa"], "special": "text"}, 9)
@example(["cabdcbcddbdbcabccabcbbdbddcadbbcacbdda"], {"pattern": "none", "alphabet": "chars"}, 25)
def test_a_prefix_is_what_training_to_that_size_gives(documents, options, num_merges):
    try:
        whole = bp.train(documents, num_merges=num_merges, **options)
    except bp.SpecialTokenError:
        return  # a special token that is spelled like a character
    for n in range(whole.vocab_size - len(whole.merges), whole.vocab_size + 1):
        try:
            smaller = bp.train(documents, vocab_size=n, **options)
        except bp.ArgumentError:
            with pytest.raises(bp.ArgumentError, match=rf"vocab_size is {n}; it must be at least \d+"):
                whole.at(n)
            continue
        assert whole.at(n) == smaller
        assert saved(whole.at(n)) == saved(smaller)
    for n in range(len(whole.merges) + 1):
        assert saved(whole.at(num_merges=n)) == saved(bp.train(documents, num_merges=n, **options))


def test_a_prefix_of_a_saved_tokenizer_is_the_same(tmp_path: Path) -> None:
    tok = bp.train(["low lower lowest"] * 3, num_merges=9, special_tokens=["<e>"], special_ids="first")
    tok.save(tmp_path / "tokenizer.json")
    assert saved(bp.load(tmp_path / "tokenizer.json").at(260)) == saved(tok.at(260))
    assert tok.at(260).model.merge_counts == tok.model.merge_counts[:3]
    assert tok.at(260).training is None


def test_special_tokens_follow_the_tokens_that_are_left() -> None:
    tok = bp.train(["low lower lowest"] * 3, num_merges=5, special_tokens=["<a>", "<b>"])
    assert tok.special_tokens == {"<a>": 261, "<b>": 262}
    assert tok.at(259).special_tokens == {"<a>": 257, "<b>": 258}


@pytest.fixture
def tok() -> bp.Tokenizer:
    return bp.train(["low lower lowest"] * 3, num_merges=5, special_tokens=["<e>"])


@pytest.mark.parametrize("n", [256, 0])
def test_below_the_alphabet_there_is_nothing(tok: bp.Tokenizer, n: int) -> None:
    with pytest.raises(bp.ArgumentError, match=rf"vocab_size is {n}; it must be at least 257, the alphabet and the"):
        tok.at(n)


def test_beyond_what_was_learned_there_is_nothing(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.ArgumentError, match=r"vocab_size is 263; it must be at most 262, all .*extend\(source"):
        tok.at(263)
    with pytest.raises(bp.ArgumentError, match="num_merges is 6; it must be at most 5"):
        tok.at(num_merges=6)


@pytest.mark.parametrize(("given", "message"), [({}, "neither of"), ({"vocab_size": 258, "num_merges": 1}, "both of")])
def test_exactly_one_size_is_given(tok: bp.Tokenizer, given: dict[str, int], message: str) -> None:
    with pytest.raises(
        bp.ArgumentError, match=f"{message} vocab_size and num_merges (was|were) given; give exactly one"
    ):
        tok.at(**given)


@pytest.mark.parametrize("value", [258.0, "258", True])
def test_a_size_is_an_int(tok: bp.Tokenizer, value: Any) -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"vocab_size is .*it must be an int"):
        tok.at(value)


def test_ranks_have_no_prefix(tok: bp.Tokenizer) -> None:
    ranks = bp.Tokenizer(dataclasses.replace(tok.model, kind="ranks", merges=(), merge_counts=None))
    with pytest.raises(bp.ModelError, match=r"holds ranks, not the merges.*tokenizer\.json"):
        ranks.at(258)


def test_ids_in_another_order_are_refused(tok: bp.Tokenizer) -> None:
    model = tok.model
    swapped = {256: 257, 257: 256}
    tokens = (*model.tokens[:256], model.tokens[257], model.tokens[256], *model.tokens[258:])
    merges = tuple((swapped.get(left, left), swapped.get(right, right)) for left, right in model.merges)
    with pytest.raises(bp.ModelError, match=r"not in the order of learning .*see id 257"):
        bp.Tokenizer(dataclasses.replace(model, tokens=tokens, merges=merges)).at(258)
