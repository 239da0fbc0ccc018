"""The checks of the homework. Run `pytest` in this folder; `pytest -x` stops at the first thing to mend."""

from bpe import merge_pair, most_frequent_pair, train_bpe

# 1. most_frequent_pair


def test_the_most_frequent_pair_wins():
    assert most_frequent_pair(["x", "a", "b", "c", "a", "b"]) == ("a", "b")


def test_tokens_may_be_longer_than_one_character():
    assert most_frequent_pair(["lo", "w", " ", "lo", "w", "er"]) == ("lo", "w")


def test_overlapping_pairs_are_all_counted():
    # "aaa" holds ("a", "a") twice, which is as often as ("b", "c") and seen earlier.
    assert most_frequent_pair(list("aaabcbc")) == ("a", "a")


def test_a_tie_goes_to_the_pair_seen_first():
    assert most_frequent_pair(list("zyxw")) == ("z", "y")
    assert most_frequent_pair(list("qrababqr")) == ("q", "r")


def test_without_neighbours_there_is_no_pair():
    assert most_frequent_pair(["a"]) is None
    assert most_frequent_pair([]) is None


# 2. merge_pair


def test_every_occurrence_is_merged():
    assert merge_pair(list("abcab"), ("a", "b")) == ["ab", "c", "ab"]


def test_a_token_is_used_once():
    assert merge_pair(list("aaaaa"), ("a", "a")) == ["aa", "aa", "a"]


def test_left_and_right_do_not_change_places():
    assert merge_pair(list("ba"), ("a", "b")) == ["b", "a"]
    assert merge_pair(list("bab"), ("a", "b")) == ["b", "ab"]


def test_only_whole_tokens_match():
    assert merge_pair(["ab", "c", "a", "bc"], ("a", "b")) == ["ab", "c", "a", "bc"]
    assert merge_pair(["a", "bc", "ab", "c"], ("ab", "c")) == ["a", "bc", "abc"]


def test_the_last_token_is_kept():
    assert merge_pair(list("aba"), ("a", "b")) == ["ab", "a"]
    assert merge_pair([], ("a", "b")) == []


def test_the_given_list_stays_as_it_is():
    tokens = list("abab")
    merge_pair(tokens, ("a", "b"))
    assert tokens == ["a", "b", "a", "b"]


# 3. train_bpe


def test_two_merges_find_a_word():
    tokens, merges = train_bpe("hug hugs huge", 2)
    assert merges == [("h", "u"), ("hu", "g")]
    assert tokens == ["hug", " ", "hug", "s", " ", "hug", "e"]


def test_later_merges_build_on_earlier_ones():
    tokens, merges = train_bpe("abcdabcdabcd", 3)
    assert merges == [("a", "b"), ("ab", "c"), ("abc", "d")]
    assert tokens == ["abcd", "abcd", "abcd"]


def test_counts_are_taken_afresh_after_every_merge():
    # ("a", "b") goes first; after it ("b", "b") is no longer there, and ("ab", "b") is.
    tokens, merges = train_bpe("abbabbab", 2)
    assert merges == [("a", "b"), ("ab", "b")]
    assert tokens == ["abb", "abb", "ab"]


def test_it_stops_when_no_pair_is_left():
    assert train_bpe("no", 100) == (["no"], [("n", "o")])
    assert train_bpe("", 5) == ([], [])


def test_no_merges_leave_the_characters():
    assert train_bpe("abc", 0) == (["a", "b", "c"], [])


def test_the_tokens_always_spell_the_text():
    text = "the cat and the hat sat on the mat; the cat that sat is the fat cat"
    for num_merges in range(12):
        tokens, merges = train_bpe(text, num_merges)
        assert "".join(tokens) == text
        assert len(merges) == num_merges
