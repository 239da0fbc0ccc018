"""What makes `train` learn what other packages learn: a set of its keywords for each.

A preset decides the rules and leaves the size to you; docs/parity.md says for each what still differs.

>>> from bytepair import presets, train
>>> tok = train(["low low low lower lowest"], num_merges=3, **presets.SUBWORD_NMT)
>>> tok.merges
[(b'l', b'o'), (b'lo', b'w</w>'), (b'w', b'e')]
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

# Source: karpathy/minbpe, minbpe/regex.py, GPT4_SPLIT_PATTERN; karpathy/rustbpe, src/lib.rs.
_GPT4: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)

MINBPE: Final[Mapping[str, Any]] = MappingProxyType({"pattern": _GPT4, "ties": "first-seen", "special": "text"})
"""`RegexTokenizer` of minbpe, with its own pattern."""

RUSTBPE: Final[Mapping[str, Any]] = MappingProxyType({"pattern": _GPT4, "ties": "lowest-id", "special": "text"})
"""rustbpe, with its own pattern."""

TOKENIZERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "pattern": "gpt2",
        "ties": "lowest-id",
        "byte_order": "gpt2",
        "special_ids": "first",
        "special": "text",
        "document": "line",
    }
)
"""tokenizers: `ByteLevel`, and `BpeTrainer` with `initial_alphabet=ByteLevel.alphabet()`."""

SUBWORD_NMT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "pattern": "whitespace",
        "alphabet": "chars",
        "end_of_word": "</w>",
        "end_of_word_style": "suffix",
        "ties": "largest",
        "min_count": 2,
    }
)
"""`learn-bpe` of subword-nmt, version 0.2 of its file: the marker is glued to the last character."""

SUBWORD_NMT_01: Final[Mapping[str, Any]] = MappingProxyType({**SUBWORD_NMT, "end_of_word_style": "symbol"})
"""The same, version 0.1: the marker is a symbol of its own."""

SENTENCEPIECE: Final[Mapping[str, Any]] = MappingProxyType(
    {"pattern": "▁[^▁]*|[^▁]+", "alphabet": "chars", "ties": "shortest"}
)
"""`spm_train --model_type=bpe` of sentencepiece, on text in which each space is written as `▁` (U+2581)."""
