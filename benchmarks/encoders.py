"""Every encoder behind one call: text -> ids. All have the same ranks, and take what looks special as text."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

# The ids as the peer hands them out; turned into a list outside the clock.
Encoder = Callable[[str], Any]


@dataclass(frozen=True)
class Vocabulary:
    """A cl100k-like vocabulary on disk: ranks, and tokenizer.json where one could be written."""

    name: str
    ranks: Path
    json: Path | None


def bytepair(vocabulary: Vocabulary) -> Encoder:
    import bytepair as bp

    return bp.load(vocabulary.json or vocabulary.ranks, pattern=None if vocabulary.json else "cl100k").encode


def tiktoken(vocabulary: Vocabulary) -> Encoder:
    module = importlib.import_module("tiktoken")
    lines = map(bytes.split, vocabulary.ranks.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encode: Encoder = module.Encoding("bench", pat_str=CL100K, mergeable_ranks=ranks, special_tokens={}).encode_ordinary
    return encode


def tokenizers(vocabulary: Vocabulary) -> Encoder:
    if vocabulary.json is None:
        raise LookupError("needs a tokenizer.json")
    tok = importlib.import_module("tokenizers").Tokenizer.from_file(str(vocabulary.json))
    return lambda text: tok.encode(text, add_special_tokens=False).ids


def gigatoken(vocabulary: Vocabulary) -> Encoder:
    module = importlib.import_module("gigatoken")
    tok = module.Tokenizer.from_tiktoken(str(vocabulary.ranks), pretokenizer="cl100k", special_tokens={})
    encode: Encoder = tok.encode
    return encode


ENCODERS = {"bytepair": bytepair, "tiktoken": tiktoken, "tokenizers": tokenizers, "gigatoken": gigatoken}
