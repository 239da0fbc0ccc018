"""Every encoder behind the same calls. All have the same ranks, and take what looks special as text."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bytepair.patterns import resolve


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary on disk: its split pattern, ranks, and tokenizer.json where one could be written."""

    name: str
    pattern: str
    ranks: Path
    json: Path | None


@dataclass(frozen=True)
class Encoder:
    """What a peer offers, as it hands it out; turned into lists outside the clock. None: it does not offer that."""

    encode: Callable[[str], Any]
    encode_list: Callable[[str], list[int]] | None = None
    encode_batch: Callable[[list[str]], Any] | None = None
    decode: Callable[[list[int]], str] | None = None
    decode_bytes: Callable[[list[int]], bytes] | None = None


def bytepair(vocabulary: Vocabulary) -> Encoder:
    import bytepair as bp

    tok = bp.load(vocabulary.json or vocabulary.ranks, pattern=None if vocabulary.json else vocabulary.pattern)
    return Encoder(
        tok.encode_array, tok.encode, lambda texts: tok.encode_ragged(texts, threads=1), tok.decode, tok.decode_bytes
    )


def tiktoken(vocabulary: Vocabulary) -> Encoder:
    module = importlib.import_module("tiktoken")
    lines = map(bytes.split, vocabulary.ranks.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    pattern = resolve(vocabulary.pattern).regex
    tok = module.Encoding("bench", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    batch: Callable[[list[str]], Any] = lambda texts: tok.encode_ordinary_batch(texts, num_threads=1)  # noqa: E731
    return Encoder(tok.encode_ordinary, tok.encode_ordinary, batch, tok.decode, tok.decode_bytes)


def tokenizers(vocabulary: Vocabulary) -> Encoder:
    if vocabulary.json is None:
        raise LookupError("needs a tokenizer.json")
    tok = importlib.import_module("tokenizers").Tokenizer.from_file(str(vocabulary.json))

    def encode(text: str) -> list[int]:
        ids: list[int] = tok.encode(text, add_special_tokens=False).ids
        return ids

    return Encoder(encode, encode, None, tok.decode)


def gigatoken(vocabulary: Vocabulary) -> Encoder:
    module = importlib.import_module("gigatoken")
    tok = module.Tokenizer.from_tiktoken(str(vocabulary.ranks), pretokenizer=vocabulary.pattern, special_tokens={})
    return Encoder(
        tok.encode,
        lambda text: tok.encode(text).tolist(),
        lambda texts: tok.encode_batch(texts, parallel=False),
    )


def fastokens(vocabulary: Vocabulary) -> Encoder:
    module = importlib.import_module("fastokens")
    # By name: it knows the expressions of its own presets, and is slow with others.
    tok = module.Tokenizer.from_tiktoken(str(vocabulary.ranks), None, {}, f"{vocabulary.pattern}_base")

    def encode_batch(texts: list[str]) -> memoryview:
        ids, _ = tok.encode_batch_flat(texts)
        return memoryview(ids).cast("I")

    return Encoder(lambda text: encode_batch([text]), lambda text: tok.encode_ordinary(text).ids, encode_batch)


def quicktok(vocabulary: Vocabulary) -> Encoder:
    """It brings its own ranks along."""
    tok = importlib.import_module("quicktok").get_encoding(f"{vocabulary.name}_base")
    return Encoder(tok.encode_ordinary, tok.encode_ordinary, None, tok.decode, tok.decode_bytes)


ENCODERS = {
    "bytepair": bytepair,
    "tiktoken": tiktoken,
    "tokenizers": tokenizers,
    "gigatoken": gigatoken,
    "fastokens": fastokens,
    "quicktok": quicktok,
}
