"""Every trainer behind one call: file, vocabulary size -> merged tokens in order. Bytes, GPT-2 pattern, by line."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
N_BYTES = 256

# What runs inside the clock, and how to read tokens from what it returns.
Learner = tuple[Callable[[], Any], Callable[[Any], list[bytes]]]


def bytepair(path: Path, vocab_size: int, byte_order: Literal["value", "gpt2"] = "gpt2") -> Learner:
    import bytepair as bp

    def run() -> bp.Tokenizer:
        return bp.train(
            path,
            vocab_size=vocab_size,
            pattern="gpt2",
            ties="lowest-id",
            byte_order=byte_order,
            document="line",
            threads=1,
        )

    return run, lambda tok: [left + right for left, right in tok.merges]


def bytepair_by_value(path: Path, vocab_size: int) -> Learner:
    return bytepair(path, vocab_size, byte_order="value")


def tokenizers(path: Path, vocab_size: int) -> Learner:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def run() -> Any:
        tok = Tokenizer(models.BPE())
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=[],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tok.train([str(path)], trainer)
        return tok

    return run, lambda tok: _spelled(json.loads(tok.to_str())["model"]["merges"])


def gigabpe(path: Path, vocab_size: int) -> Learner:
    module = importlib.import_module("gigabpe")
    # Its alphabet is what the text holds, so the same number of merges needs a smaller vocabulary.
    asked = vocab_size - N_BYTES + len(set(path.read_bytes()))

    def run() -> Any:
        return module.train_bpe([str(path)], asked, pretokenizer="bytelevel", special_tokens=[], threads=1)

    return run, lambda result: _spelled(result[1])


def rustbpe(path: Path, vocab_size: int) -> Learner:
    module = importlib.import_module("rustbpe")

    def run() -> Any:
        tok = module.Tokenizer()
        with path.open(encoding="utf-8", newline="") as lines:
            tok.train_from_iterator(lines, vocab_size, pattern=GPT2)
        return tok

    def merged(tok: Any) -> list[bytes]:
        ranks = sorted(tok.get_mergeable_ranks(), key=lambda each: each[1])
        return [bytes(token) for token, _ in ranks[N_BYTES:]]

    return run, merged


LEARNERS = {
    "bytepair": bytepair,
    "bytepair_by_value": bytepair_by_value,
    "tokenizers": tokenizers,
    "gigabpe": gigabpe,
    "rustbpe": rustbpe,
}
# Whose merges must equal ours under which name: rustbpe numbers the bytes by value.
REFERENCE = {"rustbpe": "bytepair_by_value"}


def _spelled(merges: list[tuple[str, str]]) -> list[bytes]:
    """Bytes of merged tokens in the alphabet that stands for bytes in GPT-2's files."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(N_BYTES) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable} | {chr(N_BYTES + i): byte for i, byte in enumerate(others)}
    return [bytes(byte_of[character] for character in left + right) for left, right in merges]
