"""Numbers in sentences."""

from __future__ import annotations


def number_of(count: int, noun: str) -> str:
    """How many of them, in words.

    Args:
        count: 0 or more.
        noun: what they are; its plural takes an s.

    Returns:
        The number with thousands separators, and the noun.

    Example:
        >>> number_of(1, "merge"), number_of(2000, "merge")
        ('1 merge', '2,000 merges')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
