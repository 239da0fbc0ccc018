"""The public vocabularies of the test-data folder, and the patterns that tiktoken and the model files use with them."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

CL100K_REGEX = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
GPT2_REGEX = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
LLAMA3_REGEX = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
O200K_REGEX = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2_REGEX = LLAMA3_REGEX.replace("{1,3}", "")


@dataclass(frozen=True)
class Vocabulary:
    """A file of ranks, our name of its pattern, their spelling of it, and special tokens with free ids."""

    path: str
    pattern: str
    regex: str
    specials: dict[str, int]


VOCABULARIES = {
    "r50k": Vocabulary("vocabs/r50k_base.tiktoken", "gpt2", GPT2_REGEX, {"<|endoftext|>": 50_256}),
    "cl100k": Vocabulary(
        "vocabs/cl100k_base.tiktoken",
        "cl100k",
        CL100K_REGEX,
        {
            "<|endoftext|>": 100_257,
            "<|fim_prefix|>": 100_258,
            "<|fim_middle|>": 100_259,
            "<|fim_suffix|>": 100_260,
            "<|endofprompt|>": 100_276,
        },
    ),
    "o200k": Vocabulary(
        "vocabs/o200k_base.tiktoken", "o200k", O200K_REGEX, {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}
    ),
    "qwen": Vocabulary(
        "vocabs/qwen.tiktoken",
        "qwen2",
        QWEN2_REGEX,
        {"<|endoftext|>": 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645},
    ),
}


def ranks_of(file: Path) -> dict[bytes, int]:
    """The tokens of a `.tiktoken` file."""
    pairs = (line.split() for line in file.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}
