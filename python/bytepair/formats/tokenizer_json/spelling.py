"""How the file spells tokens: bytes as GPT-2 does, characters as they are; all at once, since there may be 200,000."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate, pairwise
from typing import Final

from bytepair.model import gpt2_characters

BYTES: Final = {character: byte for byte, character in gpt2_characters().items()}
# What stands for no byte becomes what Latin-1 does not have.
_TO_LATIN1: Final = dict.fromkeys(range(256), "\uffff") | {ord(each): chr(byte) for each, byte in BYTES.items()}


def as_bytes(texts: list[str]) -> list[bytes] | None:
    """The bytes that each text spells; None where one of them spells none."""
    try:
        whole = "".join(texts).translate(_TO_LATIN1).encode("latin-1")
    except UnicodeEncodeError:
        return None
    ends = [0, *accumulate(map(len, texts))]
    return [whole[start:end] for start, end in pairwise(ends)]


def has_all_bytes(texts: Collection[str], suffix: str = "") -> bool:
    """Whether each byte alone is spelled by some text, and each with the suffix."""
    return all(each in texts and each + suffix in texts for each in BYTES)


def spells_other_bytes(text: str) -> bool:
    """Whether a text can be read as spelled bytes, and as others than its own."""
    return all(each in BYTES for each in text) and bytes(map(BYTES.__getitem__, text)) != text.encode()
