"""The curve of sizes: each value is what an independent encoding with that size gives."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp

HELD_OUT = ["the newest lowest widest slow fellow 漢字 then the low tower é showed it", "lowlow newer west"]
CORPUS = ["low low lower lowest newest newest widest é 漢字 漢字 I'll we're    12345 x\n\n  y " * 3]


def independent(tok: bp.Tokenizer, texts: list[str], rare_below: int) -> tuple[int, int]:
    """Tokens, and rare ordinary tokens, by encoding with just this tokenizer."""
    counts = Counter(number for text in texts for number in tok.encode(text, special="all"))
    specials = {number for text, number in tok.special_tokens.items() if text != "<unk>"}
    ordinary = {number: count for number, count in counts.items() if number not in specials}
    n_ordinary = sum(spelling is not None for spelling in tok.model.tokens)
    unknown = tok.special_tokens.get("<unk>")
    n_rare = n_ordinary - sum(count >= rare_below for number, count in ordinary.items() if number != unknown)
    return sum(ordinary.values()), n_rare


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pattern": "none"},
        {"pattern": "gpt2", "special_ids": "first", "special_tokens": ["<s>", "slow"]},
        {"pattern": "whitespace", "end_of_word": "</w>"},
        {"pattern": "whitespace", "end_of_word": "</w>", "end_of_word_style": "suffix"},
        {"alphabet": "chars", "unk_token": "<unk>"},
        {"add_prefix_space": True, "ties": "largest"},
        {"ties": "shortest"},
    ],
    ids=str,
)
def test_the_curve_is_what_twenty_independent_encodings_give(options: dict[str, Any]) -> None:
    tok = bp.train(CORPUS, num_merges=60, **options)
    found = bp.curve(tok, HELD_OUT, rare_below=2)
    n_merges = len(tok.merges)
    assert len(found) == n_merges + 1
    for k in {round(i * n_merges / 19) for i in range(20)}:
        smaller = tok.at(num_merges=k)
        point = found.point(k)
        assert (point.n_tokens, point.n_rare) == independent(smaller, HELD_OUT, 2)
        assert point.vocab_size == smaller.vocab_size


@given(
    corpus=st.text("ab", max_size=60),
    text=st.text("ab", max_size=60),
    ties=st.sampled_from(["lexicographic", "first-seen", "largest", "lowest-id"]),
)
@settings(max_examples=200)
def test_every_size_of_a_small_alphabet_is_right(corpus: str, text: str, ties: Any) -> None:
    """Two letters give many ways to spell one token, and so merges that make what is there already."""
    tok = bp.train([corpus], num_merges=20, pattern="none", ties=ties)
    found = bp.curve(tok, [text], rare_below=1)
    for k in range(len(tok.merges) + 1):
        smaller = tok.at(num_merges=k)
        assert found.n_tokens[k] == smaller.count(text)
        assert found.n_rare[k] == independent(smaller, [text], 1)[1]
        assert found.vocab_sizes[k] == smaller.vocab_size


@given(
    pairs=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=24),
    text=st.text("abc", max_size=40),
)
@settings(max_examples=300)
def test_lists_of_merges_that_no_training_gives_are_followed_too(pairs: list[tuple[int, int]], text: str) -> None:
    tokens: list[bytes] = [bytes([byte]) for byte in b"abc"] + [bytes([b]) for b in range(256) if b not in b"abc"]
    usable = [0, 1, 2]
    merges = []
    for left, right in pairs:
        pair = (usable[left % len(usable)], usable[right % len(usable)])
        joint = tokens[pair[0]] + tokens[pair[1]]
        if len(joint) > 6:
            continue
        if joint not in tokens:
            tokens.append(joint)
            usable.append(len(tokens) - 1)
        merges.append(pair)
    # Out of order: a merge may come before those of its parts.
    merges = merges[len(merges) // 2 :] + merges[: len(merges) // 2]
    whole = bp.train([""], num_merges=0, pattern="none").model.pattern
    model = bp.Model("merges", "bytes", tuple(tokens), tuple(merges), {}, whole)
    found = bp.curve(bp.Tokenizer(model), [text])
    for k in range(len(merges) + 1):
        smaller = bp.Tokenizer(bp.Model("merges", "bytes", tuple(tokens), tuple(merges[:k]), {}, whole))
        assert found.n_tokens[k] == smaller.count(text)


@given(
    merged=st.lists(st.text("ab", min_size=2, max_size=4), max_size=14, unique=True),
    text=st.lists(st.text("ab", min_size=1, max_size=4), max_size=8).map(" ".join),
)
@settings(max_examples=300)
def test_a_model_of_ranks_is_cut_by_rank(merged: list[str], text: str) -> None:
    """Any tokens in any order: some that no merge makes, some whose parts come later."""
    bytes_first = [bytes([byte]) for byte in range(256)]
    pattern = bp.train([""], num_merges=0, pattern="whitespace").model.pattern

    def of_ranks(tokens: list[str]) -> bp.Tokenizer:
        spelled = (*bytes_first, *(token.encode() for token in tokens))
        return bp.Tokenizer(bp.Model("ranks", "bytes", spelled, (), {}, pattern))

    found = bp.curve(of_ranks(merged), [text], rare_below=2)
    for k in range(len(merged) + 1):
        smaller = of_ranks(merged[:k])
        assert (found.n_tokens[k], found.n_rare[k]) == independent(smaller, [text], 2)
        assert found.vocab_sizes[k] == smaller.vocab_size


def test_a_point_says_all_about_a_size() -> None:
    tok = bp.train(["low low low lower"], num_merges=3, special_tokens=["<s>"])
    found = bp.curve(tok, ["low low"], rare_below=1, dimension=10)
    assert found.vocab_sizes == (257, 258, 259, 260)
    point = found.at(259)
    # `low` and `·` + `low`: three tokens, of 258 ordinary ones two are used.
    assert (point.num_merges, point.n_tokens, point.saved) == (2, 3, 2)
    assert point.bytes_per_token == pytest.approx(7 / 3)
    assert (point.n_rare, point.rare_share) == (256, pytest.approx(256 / 258))
    assert point.embedding_parameters == 2590


def test_the_knee_is_where_the_curve_bends_most() -> None:
    tok = bp.train(["the cat sat on the mat with the hat that the rat had " * 3 + "xyzzy plugh"], num_merges=40)
    found = bp.curve(tok, ["the cat sat on the mat"])
    first, last = found.point(0), found.point(len(found) - 1)

    def above(k: int) -> float:
        point = found.point(k)
        line = (point.vocab_size - first.vocab_size) / (last.vocab_size - first.vocab_size)
        return (point.bytes_per_token - first.bytes_per_token) / (last.bytes_per_token - first.bytes_per_token) - line

    assert above(found.at(found.knee).num_merges) == max(above(k) for k in range(len(found)))


def test_the_csv_holds_every_point() -> None:
    tok = bp.train(CORPUS, num_merges=10)
    found = bp.curve(tok, HELD_OUT)
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    assert [int(row["n_tokens"]) for row in rows] == list(found.n_tokens)
    assert list(rows[0]) == [
        "num_merges",
        "vocab_size",
        "n_tokens",
        "bytes_per_token",
        "saved",
        "n_rare",
        "rare_share",
        "embedding_parameters",
    ]


def test_a_curve_draws_itself() -> None:
    found = bp.curve(bp.train(CORPUS, num_merges=300), HELD_OUT)
    assert "<polyline" in found.html() and "<polyline" in found._repr_html_()
    assert max(map(len, found.draw(width=60).split("\n"))) <= 60
    assert json.loads(json.dumps(found.to_dict()))["tokens"] == list(found.n_tokens)


@pytest.mark.parametrize("texts", [[], [""]])
def test_no_text_is_said(texts: list[str]) -> None:
    found = bp.curve(bp.train(["ab"], num_merges=1), texts)
    assert "There is no text to measure on." in str(found) and found.point(1).bytes_per_token == 0.0
    assert found.html() and found.csv()


def test_a_tokenizer_without_merges_has_one_point() -> None:
    found = bp.curve(bp.train(["ab"], num_merges=0), ["ab"])
    assert (found.vocab_sizes, found.n_tokens, found.knee) == ((256,), (2,), 256)
    assert found.html() and str(found)


def test_a_tally_is_taken_as_it_is() -> None:
    tok = bp.train(CORPUS, num_merges=20, ties="first-seen")
    tally = bp.tally(HELD_OUT, pattern="cl100k")
    assert bp.curve(tok, tally).n_tokens == bp.curve(tok, HELD_OUT).n_tokens
    with pytest.raises(bp.ArgumentError, match="the tally was cut by 'gpt2'"):
        bp.curve(tok, bp.tally(HELD_OUT, pattern="gpt2"))


def test_wrong_arguments_of_curve_are_named() -> None:
    tok = bp.train(["ab"], num_merges=1)
    with pytest.raises(bp.ArgumentError, match="rare_below is 0; it must be at least 1"):
        bp.curve(tok, ["a"], rare_below=0)
    with pytest.raises(bp.ArgumentTypeError, match=r"dimension is 1\.5 \(float\)"):
        bp.curve(tok, ["a"], dimension=1.5)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"curve takes a Tokenizer or the path of its file, not 3 \(int\)"):
        bp.curve(3, ["a"])  # type: ignore[arg-type]
    with pytest.raises(bp.MissingFileError, match=r"there is no file 'x\.json'"):
        bp.curve("x.json", ["a"])
    with pytest.raises(bp.ArgumentError, match="vocab_size is 255; it must be at least 256"):
        bp.curve(tok, ["a"]).at(255)


def test_a_text_in_which_no_merge_stands_has_no_knee_to_show() -> None:
    found = bp.curve(bp.train(["low low lower"], num_merges=3), ["z"])
    assert "none is suggested" in str(found) and "knee" not in str(found) and "knee" not in found.html()
