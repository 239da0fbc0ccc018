"""Byte-pair encoding of one text: count the pairs, merge the most frequent one, repeat.

Tokens are strings. At first every character is a token of its own; each merge glues two neighbours together wherever
they stand. The joined tokens always spell the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[str, str]


def most_frequent_pair(tokens: Sequence[str]) -> Pair | None:
    """The pair of neighbours that occurs most often; of several, the one that is seen first; None if there is no pair.

    Overlaps count: `aaa` holds the pair (a, a) twice.

    >>> most_frequent_pair(list("abab"))
    ('a', 'b')
    >>> most_frequent_pair(list("abcd"))
    ('a', 'b')
    >>> most_frequent_pair(["a"]) is None
    True
    """
    counts: dict[Pair, int] = {}
    for pair in pairwise(tokens):
        counts[pair] = counts.get(pair, 0) + 1
    # A dict remembers the order of first insertion, and max() keeps the first of equals.
    return max(counts, key=lambda pair: counts[pair], default=None)


def merge_pair(tokens: Sequence[str], pair: Pair) -> list[str]:
    """A new list in which every occurrence of the pair, from left to right, has become one token.

    An occurrence uses up both of its tokens, so the next one starts after it:

    >>> merge_pair(list("aaab"), ("a", "a"))
    ['aa', 'a', 'b']
    """
    left, right = pair
    merged: list[str] = []
    position = 0
    while position < len(tokens):
        if tuple(tokens[position : position + 2]) == (left, right):
            merged.append(left + right)
            position += 2
        else:
            merged.append(tokens[position])
            position += 1
    return merged


def train_bpe(text: str, num_merges: int) -> tuple[list[str], list[Pair]]:
    """Merge the most frequent pair up to `num_merges` times; fewer if no pair is left.

    Args:
        text: One text; it may be empty.
        num_merges: How many merges to learn, 0 or more.

    Returns:
        The tokens of the text after the last merge, and the merges in the order in which they were learned.

    Raises:
        ValueError: If `text` is not a str, or `num_merges` is below 0.

    >>> tokens, merges = train_bpe("low lower lowest", 2)
    >>> merges
    [('l', 'o'), ('lo', 'w')]
    >>> tokens
    ['low', ' ', 'low', 'e', 'r', ' ', 'low', 'e', 's', 't']
    >>> train_bpe("ab", 5)
    (['ab'], [('a', 'b')])
    """
    if not isinstance(text, str):
        raise ValueError(f"text is a {type(text).__name__}; it must be one str: for documents use textbook.words")
    if num_merges < 0:
        raise ValueError(f"num_merges is {num_merges}; it must be 0 or more")
    tokens = list(text)
    merges: list[Pair] = []
    for _ in range(num_merges):
        pair = most_frequent_pair(tokens)
        if pair is None:
            break
        tokens = merge_pair(tokens, pair)
        merges.append(pair)
    return tokens, merges
