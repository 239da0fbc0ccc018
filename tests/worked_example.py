"""The example of many textbooks, as it is worked out on paper: counted words, their pairs, their merges."""

from __future__ import annotations

COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
MARKER = "</w>"

# Before the first merge.
PAIRS = {
    ("e", "s"): 9,
    ("s", "t"): 9,
    ("t", "</w>"): 9,
    ("w", "e"): 8,
    ("l", "o"): 7,
    ("o", "w"): 7,
    ("n", "e"): 6,
    ("e", "w"): 6,
    ("w", "</w>"): 5,
    ("w", "i"): 3,
    ("i", "d"): 3,
    ("d", "e"): 3,
    ("e", "r"): 2,
    ("r", "</w>"): 2,
}

# The first five are the same by any rule for ties.
FIVE = [("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o"), ("lo", "w")]
LEXICOGRAPHIC = [*FIVE, ("e", "w"), ("ew", "est</w>"), ("n", "ewest</w>"), ("low", "</w>"), ("d", "est</w>")]
FIRST_SEEN = [*FIVE, ("n", "e"), ("ne", "w"), ("new", "est</w>"), ("low", "</w>"), ("w", "i")]
