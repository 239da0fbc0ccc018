"""Homework: byte-pair encoding in three functions.

Fill in the three bodies; `pytest` in this folder tells you how far you are. Tokens are plain strings. You need nothing
but lists, dicts and loops.
"""


def most_frequent_pair(tokens):
    """Return the pair of neighbouring tokens that occurs most often, as a tuple (left, right).

    - Look at every two neighbours: in ["a", "b", "a"] the pairs are ("a", "b") and ("b", "a").
    - If several pairs occur equally often, return the one that you meet first, reading from left to right.
    - If there are no two neighbours, return None.
    """
    raise NotImplementedError("write me")


def merge_pair(tokens, pair):
    """Return a new list in which each occurrence of `pair` is replaced by one token, left and right joined.

    - Go from left to right. A token that was just used up cannot be used again.
    - Leave the list that you were given as it is.
    """
    raise NotImplementedError("write me")


def train_bpe(text, num_merges):
    """Learn up to `num_merges` merges from the text and return two things: (tokens, merges).

    - Begin with one token a character.
    - Find the most frequent pair, note it down, merge it everywhere, and begin again with the new tokens.
    - Stop early when there is no pair left.
    - `tokens` is the list after the last merge; `merges` is the list of pairs in the order in which you merged them.
    """
    raise NotImplementedError("write me")
