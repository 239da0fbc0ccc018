"""Long texts cut for the eye: what is left out is said."""

from __future__ import annotations

from typing import Final

# No cell is longer: what is a hundred thousand characters is not read, and may stall what draws it.
LONGEST: Final = 120


def clipped(text: str | bytes, limit: int = LONGEST) -> tuple[str | bytes, str]:
    r"""The beginning of a text, and a remark on what is left out.

    Args:
        text: str or bytes.
        limit: how much is kept, in characters or bytes.

    Returns:
        The text and ""; or its beginning and what to write behind it. Bytes are not cut inside a character.

    Example:
        >>> clipped("abc"), clipped("a" * 1000, 3)
        (('abc', ''), ('aaa', '… (1,000 characters)'))
        >>> clipped("漢字".encode(), 4)
        (b'\xe6\xbc\xa2', '… (6 bytes)')
    """
    if len(text) <= limit:
        return text, ""
    if isinstance(text, str):
        return text[:limit], f"… ({len(text):,} characters)"
    end = limit
    # Back to the first byte of the character that would be cut, at most three bytes away.
    while end > limit - 3 and text[end] & 0xC0 == 0x80:
        end -= 1
    return text[:end], f"… ({len(text):,} bytes)"
