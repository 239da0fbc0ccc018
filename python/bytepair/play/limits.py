"""How much the page may send, so that no request fills the memory of this computer. All in bytes, but the counts."""

from __future__ import annotations

from typing import Final

TEXT: Final = 16 << 20
"""A text to encode."""

COMPARED: Final = 2 << 20
"""The texts of a comparison together: each is measured by word as well."""

LESSON: Final = 256 << 10
"""A text to learn from by hand, step by step."""

STEPS: Final = 500
"""Merges to make by hand."""

BY_HAND: Final = 1_000_000
"""Characters times merges, where a text is one piece: all of it is looked through at each merge."""

CORPUS: Final = 64 << 20
"""A text to train on."""

VOCAB_SIZE: Final = 200_000
"""Tokens to train."""

TOKENIZER: Final = 64 << 20
"""A tokenizer file; the largest known have 40 MB."""

SHELF: Final = 24
"""Tokenizers that are held at the same time."""

SMALL: Final = 64 << 10
"""Any other request."""

AT_ONCE: Final = 2
"""Answers that are worked on at the same time, as the largest take hundreds of megabytes; others wait."""
