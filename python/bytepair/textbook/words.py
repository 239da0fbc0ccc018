"""Byte-pair encoding of counted words, the form of most textbooks.

The corpus is cut at white space. Each word becomes a tuple of symbols, its characters and the marker `</w>`, and stands
in a table once, with the number of times it occurs. The marker tells `est` at the end of a word from `est` inside one,
and no merge can cross from one word into the next.

    corpus -> table of words -> count pairs -> merge the best pair -> count pairs -> ... -> merges
    word + merges -> symbols
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from .text import merge_pair as merge_in_word

Pair = tuple[str, str]
Word = tuple[str, ...]

EOW = "</w>"
"""The end-of-word marker: a symbol of its own behind the last character."""


def get_pair_counts(words: Mapping[Word, int]) -> dict[Pair, int]:
    """How often each pair of neighbouring symbols occurs: each place in a word counts as often as the word occurs.

    Returns:
        A dict in the order in which the pairs are first seen, words in the table's order, each from left to right.

    >>> get_pair_counts({("l", "o", "w", "</w>"): 5, ("l", "o", "t", "</w>"): 2})
    {('l', 'o'): 7, ('o', 'w'): 5, ('w', '</w>'): 5, ('o', 't'): 2, ('t', '</w>'): 2}
    """
    counts: dict[Pair, int] = {}
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge_pair(words: Mapping[Word, int], pair: Pair) -> dict[Word, int]:
    """A new table in which every occurrence of the pair, in every word, has become one symbol.

    Words that become equal add up:

    >>> merge_pair({("l", "o", "w"): 5, ("lo", "w"): 2}, ("l", "o"))
    {('lo', 'w'): 7}
    """
    merged: dict[Word, int] = {}
    for word, count in words.items():
        new_word = tuple(merge_in_word(word, pair))
        merged[new_word] = merged.get(new_word, 0) + count
    return merged


def train_bpe(corpus: Iterable[str], num_merges: int) -> list[Pair]:
    """Learn merges: take the pair with the highest count, merge it everywhere, and count again.

    Among pairs with equal counts the lexicographically smallest wins, so the result does not depend on the order of the
    documents. Learning stops early when every word is a single symbol.

    Args:
        corpus: The documents; any of them may be empty.
        num_merges: How many merges to learn, 0 or more.

    Returns:
        The merges in the order in which they were learned; this order is the model.

    Raises:
        ValueError: If `corpus` is a single str, a document is not a str, or `num_merges` is below 0.

    >>> train_bpe(["low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3], 5)
    [('e', 's'), ('es', 't'), ('est', '</w>'), ('l', 'o'), ('lo', 'w')]
    >>> train_bpe(["a"], 10)
    [('a', '</w>')]
    >>> train_bpe([""], 3)
    []
    """
    if num_merges < 0:
        raise ValueError(f"num_merges is {num_merges}; it must be 0 or more")
    words = _count_words(corpus)
    merges: list[Pair] = []
    for _ in range(num_merges):
        counts = get_pair_counts(words)
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        words = merge_pair(words, best)
        merges.append(best)
    return merges


def encode(word: str, merges: Sequence[Pair], eow: str | None = EOW) -> list[str]:
    """Cut one word into symbols: apply the earliest-learned merge that fits, everywhere it fits, until none does.

    The order of the merges decides, never how often a pair occurs in the new word.

    Args:
        word: One word, without white space around it.
        merges: What `train_bpe` returned. A pair that stands in it twice has the rank of its first place.
        eow: The marker to put behind the last character; None for no marker.

    Returns:
        The symbols, which joined together spell the word and the marker.

    >>> merges = [("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o"), ("lo", "w")]
    >>> encode("lowest", merges)
    ['low', 'est</w>']
    >>> encode("low", merges)
    ['low', '</w>']
    >>> encode("zz", merges)
    ['z', 'z', '</w>']
    >>> encode("newest", merges, eow=None)
    ['n', 'e', 'w', 'est']
    """
    ranks: dict[Pair, int] = {}
    for rank, (left, right) in enumerate(merges):
        ranks.setdefault((left, right), rank)
    symbols = list(word) if eow is None else [*word, eow]
    while True:
        present = [pair for pair in pairwise(symbols) if pair in ranks]
        if not present:
            return symbols
        symbols = merge_in_word(symbols, min(present, key=lambda pair: ranks[pair]))


def _count_words(corpus: Iterable[str]) -> dict[Word, int]:
    """The table of words, in the order of their first appearance."""
    if isinstance(corpus, str | bytes):
        raise ValueError(f"corpus is a single {type(corpus).__name__}; it must be a list of documents: use [text]")
    words: dict[Word, int] = {}
    for number, document in enumerate(corpus):
        if not isinstance(document, str):
            raise ValueError(f"document {number} of the corpus is a {type(document).__name__}; each must be a str")
        for word in document.split():
            symbols = (*word, EOW)
            words[symbols] = words.get(symbols, 0) + 1
    return words
