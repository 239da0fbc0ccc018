"""Small tokenizers, one of each kind that encodes in a way of its own, and texts that are hard for some of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import bytepair as bp

CORPUS = ["low low lower lowest newest newest widest é 漢字 漢字 I'll we're    12345 x\n\n  y <|end|> " * 3]
SPECIALS = ["<|end|>", "<|end|><|end|>", "<s>"]


def _trained(**options: Any) -> bp.Tokenizer:
    return bp.train(CORPUS, **{"num_merges": 40, "special_tokens": SPECIALS, **options})


def _ranks() -> bp.Tokenizer:
    model = _trained().model
    parts = {name: getattr(model, name) for name in ("alphabet", "byte_order", "tokens", "specials", "pattern")}
    return bp.Tokenizer(bp.Model(kind="ranks", merges=(), **parts))


LOSSLESS = {
    "cl100k": _trained(),
    "gpt2": _trained(pattern="gpt2", special_ids="first"),
    "none": _trained(pattern="none"),
    "custom": _trained(pattern=r"\s*\w+(?=\s|$)|\W"),
    "ranks": _ranks(),
}
OTHERS = {
    "prefix space": _trained(pattern="gpt2", add_prefix_space=True),
    "words": _trained(pattern="whitespace", end_of_word="</w>"),
    "suffix": _trained(
        pattern="whitespace", alphabet="chars", end_of_word="</w>", end_of_word_style="suffix", unk_token="<unk>"
    ),
    "chars": _trained(alphabet="chars", unk_token="<unk>"),
}
ALL = LOSSLESS | OTHERS

# Parts that matter to patterns, specials, characters of several bytes and surrogates.
BITS = [
    "low",
    "lowest",
    " ",
    "  ",
    "\n",
    "'ll",
    "12",
    "é",
    "漢",
    "👍🏽",
    "\u0301",
    "<|end|>",
    "<|end",
    "<s>",
    "</w>",
    "<unk>",
    "z",
    "\x00",
]
texts = st.lists(st.sampled_from(BITS), max_size=20).map("".join) | st.text(max_size=20)
surrogate_texts = st.lists(st.sampled_from([*BITS, "\ud83d\udc4d", "\ud83d", "\udc4d"]), max_size=16).map("".join)
policies = st.sampled_from(["text", "all"]) | st.just({"<|end|>"})
