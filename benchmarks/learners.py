"""Every trainer behind one call: a training -> merged tokens in order. Bytes; GPT-2 pattern by line, or one piece."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
N_BYTES = 256
WINDOW = 1 << 20


@dataclass(frozen=True)
class Training:
    """What to learn from; with `vocab_size` 256 the pieces are counted, and no more. `whole`: the file is one piece."""

    path: Path
    vocab_size: int
    threads: int = 1
    whole: bool = False


# What runs inside the clock, and how to read tokens from what it returns. LookupError: it has no such training.
Learner = tuple[Callable[[], Any], Callable[[Any], list[bytes]]]


def bytepair(training: Training, byte_order: Literal["value", "gpt2"] = "gpt2") -> Learner:
    import bytepair as bp

    pattern = "none" if training.whole else "gpt2"
    document: Literal["file", "line"] = "file" if training.whole else "line"

    def count() -> bp.Tally:
        return bp.tally(training.path, pattern=pattern, document=document, threads=training.threads)

    def run() -> bp.Tokenizer:
        return bp.train(
            training.path,
            vocab_size=training.vocab_size,
            pattern=pattern,
            ties="lowest-id",
            byte_order=byte_order,
            document=document,
            threads=training.threads,
        )

    if training.vocab_size == N_BYTES:
        return count, lambda _: []
    return run, lambda tok: [left + right for left, right in tok.merges]


def bytepair_by_value(training: Training) -> Learner:
    return bytepair(training, byte_order="value")


def tokenizers(training: Training) -> Learner:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def run() -> Any:
        tok = Tokenizer(models.BPE())
        tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not training.whole)
        trainer = trainers.BpeTrainer(
            vocab_size=training.vocab_size,
            special_tokens=[],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        if training.whole:
            tok.train_from_iterator([training.path.read_text("utf-8")], trainer)
        else:
            tok.train([str(training.path)], trainer)
        return tok

    return run, lambda tok: _spelled(json.loads(tok.to_str())["model"]["merges"])


def gigabpe(training: Training) -> Learner:
    module = importlib.import_module("gigabpe")
    if training.whole:
        raise LookupError("gigabpe always cuts the text")
    # Its alphabet is what the text holds, so the same number of merges needs a smaller vocabulary.
    asked = training.vocab_size - N_BYTES + _distinct_bytes(training.path)
    options = {"pretokenizer": "bytelevel", "special_tokens": [], "threads": training.threads}

    def run() -> Any:
        return module.train_bpe([str(training.path)], asked, **options)

    return run, lambda result: _spelled(result[1])


def rustbpe(training: Training) -> Learner:
    module = importlib.import_module("rustbpe")

    def run() -> Any:
        tok = module.Tokenizer()
        pattern = r"[\s\S]+" if training.whole else GPT2
        with training.path.open(encoding="utf-8", newline="") as lines:
            documents = [lines.read()] if training.whole else lines
            tok.train_from_iterator(documents, training.vocab_size, pattern=pattern)
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


def _distinct_bytes(path: Path) -> int:
    """In windows: a file read at once would count as the peer's memory."""
    found: set[int] = set()
    with path.open("rb") as file:
        while window := file.read(WINDOW):
            found.update(window)
    return len(found)


def _spelled(merges: list[tuple[str, str]]) -> list[bytes]:
    """Bytes of merged tokens in the alphabet that stands for bytes in GPT-2's files."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(N_BYTES) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable} | {chr(N_BYTES + i): byte for i, byte in enumerate(others)}
    return [bytes(byte_of[character] for character in left + right) for left, right in merges]
