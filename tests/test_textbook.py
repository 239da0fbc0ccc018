"""The textbook algorithm: what every book prints, and what holds for any input."""

from __future__ import annotations

import ast
import doctest
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import slow_oracle
from hypothesis import given
from hypothesis import strategies as st
from worked_example import COUNTS, FIRST_SEEN, FIVE, LEXICOGRAPHIC, PAIRS

import bytepair.textbook
from bytepair.textbook import text, words

CORPUS = ["low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3]


# The worked example


def test_five_merges_of_the_worked_example():
    assert words.train_bpe(CORPUS, 5) == FIVE


def test_ten_merges_take_the_lexicographically_smallest_pair_in_a_tie():
    assert words.train_bpe(CORPUS, 10) == LEXICOGRAPHIC


def test_ten_merges_by_hand_take_the_pair_seen_first_in_a_tie():
    table = {(*word, "</w>"): count for word, count in COUNTS.items()}
    merges = []
    for _ in range(10):
        counts = words.get_pair_counts(table)
        best = max(counts, key=counts.__getitem__)
        table = words.merge_pair(table, best)
        merges.append(best)
    assert merges == FIRST_SEEN


def test_pair_counts_of_the_worked_example():
    table = {(*word, "</w>"): count for word, count in COUNTS.items()}
    counts = words.get_pair_counts(table)
    assert counts == PAIRS
    first_seen = [("l", "o"), ("o", "w"), ("w", "</w>"), ("w", "e"), ("e", "r"), ("r", "</w>"), ("n", "e")]
    assert list(counts)[:7] == first_seen


@pytest.mark.parametrize(
    ("word", "symbols"),
    [("lowest", ["low", "est</w>"]), ("low", ["low", "</w>"]), ("zz", ["z", "z", "</w>"]), ("", ["</w>"])],
)
def test_words_are_encoded_by_rank(word, symbols):
    assert words.encode(word, FIVE) == symbols


def test_without_a_marker_the_merges_of_the_inside_still_apply():
    assert words.encode("lowest", FIVE, eow=None) == ["low", "est"]
    assert words.encode("newest", FIVE, eow=None) == ["n", "e", "w", "est"]
    assert words.encode("", FIVE, eow=None) == []


def test_the_marker_is_the_usual_one():
    assert words.EOW == "</w>"


# words


def test_learning_stops_when_no_pair_is_left():
    assert words.train_bpe(["a"], 10) == [("a", "</w>")]
    assert words.train_bpe([""], 3) == []
    assert words.train_bpe([], 3) == []
    assert words.train_bpe(CORPUS, 0) == []


def test_documents_come_from_any_iterable_and_words_never_join_across_them():
    assert words.train_bpe(iter(["ab", "ab"]), 9) == [("a", "b"), ("ab", "</w>")]


def test_words_that_become_equal_add_up():
    assert words.merge_pair({("a", "b", "c"): 2, ("ab", "c"): 3, ("c",): 1}, ("a", "b")) == {("ab", "c"): 5, ("c",): 1}


def test_overlapping_pairs_are_counted_and_merged_from_the_left():
    assert words.get_pair_counts({("a", "a", "a"): 2}) == {("a", "a"): 4}
    assert words.merge_pair({("a", "a", "a"): 2}, ("a", "a")) == {("aa", "a"): 2}


def test_merging_leaves_the_given_table_as_it_is():
    table = {("a", "b"): 1}
    words.merge_pair(table, ("a", "b"))
    assert table == {("a", "b"): 1}


def test_encoding_goes_by_rank_and_not_by_frequency_or_from_the_left():
    assert words.encode("abababc", [("b", "c"), ("a", "b")], eow=None) == ["ab", "ab", "a", "bc"]
    assert words.encode("abc", [("b", "c"), ("a", "b")], eow=None) == ["a", "bc"]


def test_a_pair_that_stands_twice_has_its_first_rank():
    merges = [("a", "b"), ("b", "c"), ("a", "b")]
    assert words.encode("abc", merges, eow=None) == ["ab", "c"]


def test_merges_read_from_json_are_lists_and_work_too():
    assert words.encode("low", [["l", "o"], ["lo", "w"]]) == ["low", "</w>"]


def test_a_single_str_is_no_corpus():
    with pytest.raises(ValueError, match=r"corpus is a single str; it must be a list of documents: use \[text\]"):
        words.train_bpe("low lower", 3)
    with pytest.raises(ValueError, match="corpus is a single bytes"):
        words.train_bpe(b"low lower", 3)


def test_a_document_that_is_no_str_is_named():
    with pytest.raises(ValueError, match="document 1 of the corpus is a bytes; each must be a str"):
        words.train_bpe(["low", b"low"], 3)


@pytest.mark.parametrize("train", [lambda n: words.train_bpe(["a"], n), lambda n: text.train_bpe("a", n)])
def test_a_negative_number_of_merges_is_refused(train):
    with pytest.raises(ValueError, match="num_merges is -1; it must be 0 or more"):
        train(-1)


# text


def test_the_most_frequent_pair_is_the_first_seen_of_the_best():
    assert text.most_frequent_pair(list("abab")) == ("a", "b")
    assert text.most_frequent_pair(list("abcd")) == ("a", "b")
    assert text.most_frequent_pair(list("xyabab")) == ("a", "b")
    assert text.most_frequent_pair(["a"]) is None
    assert text.most_frequent_pair([]) is None


def test_a_pair_is_merged_from_left_to_right_without_overlap():
    assert text.merge_pair(list("aaab"), ("a", "a")) == ["aa", "a", "b"]
    assert text.merge_pair(["ab", "a", "b"], ("a", "b")) == ["ab", "ab"]
    assert text.merge_pair([], ("a", "b")) == []


def test_a_whole_text_is_learned():
    tokens, merges = text.train_bpe("low lower lowest", 2)
    assert merges == [("l", "o"), ("lo", "w")]
    assert tokens[:3] == ["low", " ", "low"]
    assert text.train_bpe("ab", 5) == (["ab"], [("a", "b")])
    assert text.train_bpe("", 5) == ([], [])


def test_a_list_is_no_text():
    with pytest.raises(ValueError, match=r"text is a list; it must be one str: for documents use textbook\.words"):
        text.train_bpe(["low", "lower"], 2)


# For any input

TEXTS = st.one_of([st.text(alphabet, max_size=40) for alphabet in ("a", "ab", "ab ", "é漢🙂 ", "</w> ", "abcdefgh ")])


@given(TEXTS, st.integers(0, 30))
def test_the_tokens_of_a_text_spell_it(document, num_merges):
    tokens, merges = text.train_bpe(document, num_merges)
    assert "".join(tokens) == document
    assert len(merges) == num_merges or len(tokens) <= 1


@given(st.lists(TEXTS, max_size=4), st.integers(0, 30))
def test_words_equal_the_slow_oracle(corpus, num_merges):
    counts = slow_oracle.count_pieces(corpus, "whitespace")
    slow = slow_oracle.learn(counts, alphabet="chars", end_of_word="</w>", max_merges=num_merges)
    assert words.train_bpe(corpus, num_merges) == [(left.decode(), right.decode()) for left, right in slow.merges]


@given(TEXTS, st.integers(0, 30))
def test_texts_equal_the_slow_oracle(document, num_merges):
    counts = slow_oracle.count_pieces([document], "none")
    slow = slow_oracle.learn(counts, alphabet="chars", ties="first-seen", max_merges=num_merges)
    _, merges = text.train_bpe(document, num_merges)
    assert merges == [(left.decode(), right.decode()) for left, right in slow.merges]


@given(st.lists(TEXTS, max_size=4), st.integers(0, 30))
def test_encoding_the_corpus_gives_the_words_as_learning_left_them(corpus, num_merges):
    merges = words.train_bpe(corpus, num_merges)
    spellings = [left + right for left, right in merges]
    if len({*spellings, words.EOW}) <= len(spellings):
        return  # Two merges spell one symbol: the order of learning is not the order of encoding.
    for word in " ".join(corpus).split():
        table = {(*word, words.EOW): 1}
        for pair in merges:
            table = words.merge_pair(table, pair)
        assert words.encode(word, merges) == list(*table)


@given(st.text("ab<", max_size=20), st.lists(st.tuples(*[st.sampled_from(["a", "b", "<", "ab", "ba", "aa"])] * 2)))
def test_encoding_ends_and_spells_the_word_for_any_merges(word, merges):
    symbols = words.encode(word, merges)
    assert "".join(symbols) == word + words.EOW
    assert not set(pairwise(symbols)) & set(merges)


# The files themselves


@pytest.mark.parametrize("module", [text, words])
def test_the_examples_in_the_docstrings_hold(module):
    results = doctest.testmod(module)
    assert results.attempted >= 8
    assert results.failed == 0


@pytest.mark.parametrize("path", sorted(Path(bytepair.textbook.__path__[0]).glob("*.py")), ids=lambda path: path.name)
def test_a_learner_needs_nothing_but_the_standard_library(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module.split(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, "the textbook imports nothing from the rest of the package"
