"""Codes of subword-nmt with any settings of its own: the tokens that it makes."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest
from subword_nmt.apply_bpe import BPE, read_vocabulary
from subword_nmt.get_vocab import get_vocab
from subword_nmt.learn_bpe import learn_bpe

import bytepair as bp

WORDS = [
    "low",
    "lower",
    "lowest",
    "newest",
    "widest",
    "the",
    "of",
    "don't",
    "café",
    "naïve",
    "日本語",
    "русский",
    "a",
    "b",
    "x",
    "</w>",
    "12",
    "3456",
    "é",
    "it's",
    "U.S.A.",
    "http://x.y",
    "<s>",
]
OTHERS = ["", "lowlower", "xlow", "low<s>lowest", "zz", "\u00a0", "<unk>"]


def learned(chance: random.Random, corpus: str) -> str:
    """Codes of version 0.2, or the same without the line that says so, which is 0.1."""
    codes = io.StringIO()
    learn_bpe(io.StringIO(corpus), codes, chance.choice([5, 20, 60]), min_frequency=1)
    text = codes.getvalue()
    return text if chance.random() < 0.6 else text.split("\n", 1)[1]


@pytest.mark.parametrize("seed", range(60))
def test_tokens_are_those_of_subword_nmt(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    corpus = "\n".join(" ".join(chance.choices(WORDS, k=10)) for _ in range(50))
    text, path = learned(chance, corpus), tmp_path / "vocabulary"
    options: dict[str, Any] = {}
    glossaries = chance.choice([[], [], ["low"], ["<s>", "lower"], ["3456", "a"], ["http"]])
    vocabulary = None
    if chance.random() < 0.5:
        plain = BPE(io.StringIO(text))
        counted = io.StringIO()
        get_vocab(io.StringIO("\n".join(map(plain.process_line, corpus.split("\n")))), counted)
        path.write_text(counted.getvalue(), encoding="utf-8")
        # With the last one nothing is left of it, which is as none at all.
        options = {"vocabulary": path, "threshold": chance.choice([1, 5, 30, 100_000])}
        vocabulary = read_vocabulary(io.StringIO(counted.getvalue()), options["threshold"])
    theirs = BPE(io.StringIO(text), vocab=vocabulary, glossaries=glossaries or None)
    ours = bp.load(text.encode(), "subword-nmt", glossaries=glossaries, **options)
    n_known = 0
    for _ in range(40):
        line = " ".join(chance.choices([*WORDS, *OTHERS], k=chance.randrange(1, 8)))
        found = [token.decode().removesuffix("</w>") for token in ours.tokens(line) if token != b"</w>"]
        expected = [each.removesuffix("@@") for each in theirs.process_line(line).split(" ") if each]
        assert len(found) == len(expected), line
        for here, there in zip(found, expected, strict=True):
            # A character in no merge has no id, and with it no text.
            assert here in (there, "<unk>"), line
            n_known += here == there
    assert n_known > 50
