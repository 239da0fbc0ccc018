"""Byte-pair encoding the slow, obvious way: every mode of `train` and `encode`, recounted from nothing at each step.

Nothing here is shared with the package and nothing is clever. Symbols are bytes objects; a word is a list of symbols.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from unittest import mock

import regex
from tiktoken_ext import openai_public

Pair = tuple[bytes, bytes]


def _pattern_of(encoding: Callable[[], dict[str, object]]) -> str:
    """tiktoken writes these patterns inside the functions that also load the ranks."""
    with mock.patch.object(openai_public, "load_tiktoken_bpe", return_value={}):
        return str(encoding()["pat_str"])


_CAPITAL, _SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PATTERNS = {
    "gpt2": openai_public.r50k_pat_str,
    "cl100k": _pattern_of(openai_public.cl100k_base),
    "o200k": _pattern_of(openai_public.o200k_base),
    "llama3": _LLAMA3,
    "qwen2": _LLAMA3.replace("{1,3}", ""),
    "tekken": (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_CAPITAL}*{_SMALL}+|[^\r\n\p{{L}}\p{{N}}]?{_CAPITAL}+{_SMALL}*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
CLIP = r"(?i:<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
)


# Splitting


def split(text: str | bytes, pattern: str) -> list[bytes]:
    """The pieces of one text; `pattern` is a name or a regular expression."""
    if isinstance(text, bytes):
        # A bad byte becomes a lone surrogate, which is neither letter nor number nor space, and comes back as it was.
        text = text.decode("utf-8", "surrogateescape")
    if pattern == "none":
        pieces = [text]
    elif pattern == "whitespace":
        pieces = text.split()
    elif pattern == "clip":
        pieces = regex.findall(CLIP, text)
    elif pattern == "deepseek3":
        pieces = [text]
        for step in DEEPSEEK3:
            pieces = [part for piece in pieces for part in _matches_and_gaps(step, piece)]
    else:
        pieces = _matches_and_gaps(PATTERNS.get(pattern, pattern), text)
    return [piece.encode("utf-8", "surrogateescape") for piece in pieces if piece]


def _matches_and_gaps(expression: str, text: str) -> list[str]:
    pieces = []
    end = 0
    for match in regex.finditer(expression, text):
        pieces += [text[end : match.start()], match.group()]
        end = match.end()
    return [*pieces, text[end:]]


def cut_at_specials(text: str, specials: Iterable[str]) -> list[tuple[str, bool]]:
    """(part, whether it is a special) from left to right: the leftmost special, and there the longest."""
    names = sorted(specials, key=len, reverse=True)
    if not names:
        return [(text, False)] if text else []
    parts = re.split("(" + "|".join(map(re.escape, names)) + ")", text)
    return [(part, number % 2 == 1) for number, part in enumerate(parts) if part]


def count_pieces(
    documents: Iterable[str], pattern: str, specials: Iterable[str] = (), add_prefix_space: bool = False
) -> dict[bytes, int]:
    """Distinct pieces in the order of their first appearance, and how often each occurs. Specials are not counted."""
    counts: dict[bytes, int] = {}
    for document in documents:
        for part, is_special in cut_at_specials(document, specials):
            if is_special:
                continue
            for piece in split(with_prefix_space(part, add_prefix_space), pattern):
                counts[piece] = counts.get(piece, 0) + 1
    return counts


def with_prefix_space(part: str, add_prefix_space: bool) -> str:
    return f" {part}" if add_prefix_space and not part.startswith(" ") else part


# Symbols


def symbols_of(piece: bytes, alphabet: str, end_of_word: str | None, style: str = "symbol") -> list[bytes]:
    """The symbols before any merge, with the marker last or glued to the last."""
    if alphabet == "bytes":
        symbols = [bytes([byte]) for byte in piece]
    else:
        symbols = [character.encode() for character in piece.decode()]
    if end_of_word and style == "suffix":
        return [*symbols[:-1], symbols[-1] + end_of_word.encode()]
    return symbols + ([end_of_word.encode()] if end_of_word else [])


def gpt2_byte_order() -> list[bytes]:
    """GPT-2 numbers the printable characters of Latin-1 first, then the other bytes."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    return [bytes([byte]) for byte in printable + [byte for byte in range(256) if byte not in printable]]


def alphabet_of(
    pieces: Iterable[bytes], alphabet: str, byte_order: str, end_of_word: str | None, style: str = "symbol"
) -> list[bytes]:
    """The symbols before any merge, in the order of their ids."""
    if alphabet == "chars":
        tokens = [character.encode() for character in sorted(set(b"".join(pieces).decode()))]
    elif byte_order == "gpt2":
        tokens = gpt2_byte_order()
    else:
        tokens = [bytes([byte]) for byte in range(256)]
    marker = end_of_word.encode() if end_of_word else None
    if marker is not None and style == "suffix":
        return tokens + [token + marker for token in tokens]
    return tokens if marker is None or marker in tokens else [*tokens, marker]


# Learning


@dataclass
class Learned:
    """What `learn` found."""

    tokens: list[bytes]
    merges: list[Pair] = field(default_factory=list)
    merge_counts: list[int] = field(default_factory=list)
    reason: str = ""
    passed_over: list[bytes] = field(default_factory=list)


def count_pairs(words: Iterable[tuple[Sequence[bytes], int]]) -> dict[Pair, int]:
    """Counts in the order in which the pairs are first seen."""
    counts: dict[Pair, int] = {}
    for symbols, count in words:
        for i in range(len(symbols) - 1):
            pair = (symbols[i], symbols[i + 1])
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge_everywhere(symbols: Sequence[bytes], pair: Pair) -> list[bytes]:
    """Every occurrence from left to right."""
    merged = []
    i = 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == pair:
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def n_chars(spelling: bytes) -> int:
    """Characters, counted by the bytes that begin one: a symbol of a byte alphabet may be a part of one."""
    return sum(byte & 0xC0 != 0x80 for byte in spelling)


def by_preference(counts: Mapping[Pair, int], ties: str, tokens: Sequence[bytes]) -> list[Pair]:
    """The pairs, best first. sorted() is stable, so first-seen needs no key but the count."""
    if ties == "lexicographic":
        return sorted(counts, key=lambda pair: (-counts[pair], pair))
    if ties == "first-seen":
        return sorted(counts, key=lambda pair: -counts[pair])
    if ties == "largest":
        return sorted(sorted(counts, reverse=True), key=lambda pair: -counts[pair])
    if ties == "shortest":
        return sorted(counts, key=lambda pair: (-counts[pair], n_chars(pair[0] + pair[1]), pair[0] + pair[1], pair))
    assert ties == "lowest-id"
    return sorted(counts, key=lambda pair: (-counts[pair], tokens.index(pair[0]), tokens.index(pair[1])))


def learn(
    counts: Mapping[bytes, int],
    *,
    alphabet: str = "bytes",
    byte_order: str = "value",
    ties: str = "lexicographic",
    end_of_word: str | None = None,
    end_of_word_style: str = "symbol",
    max_merges: int | None = None,
    max_tokens: int | None = None,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    forbidden: Iterable[str] = (),
) -> Learned:
    """Learn from pieces and counts. `max_tokens` counts alphabet, marker and merged tokens."""
    learned = Learned(alphabet_of(counts, alphabet, byte_order, end_of_word, end_of_word_style))
    words = [(symbols_of(piece, alphabet, end_of_word, end_of_word_style), count) for piece, count in counts.items()]
    unwanted = [name.encode() for name in forbidden]
    while True:
        if len(learned.merges) == max_merges or (max_tokens is not None and len(learned.tokens) >= max_tokens):
            learned.reason = "target"
            return learned
        pair_counts = count_pairs(words)
        pair = _choose(pair_counts, ties, learned, min_count, max_token_bytes, unwanted)
        if pair is None:
            return learned
        joint = pair[0] + pair[1]
        if joint not in learned.tokens:
            learned.tokens.append(joint)
        learned.merges.append(pair)
        learned.merge_counts.append(pair_counts[pair])
        words = [(merge_everywhere(symbols, pair), count) for symbols, count in words]


def _choose(
    pair_counts: Mapping[Pair, int],
    ties: str,
    learned: Learned,
    min_count: int,
    max_token_bytes: int | None,
    unwanted: Sequence[bytes],
) -> Pair | None:
    """The best pair that may be merged, or None with the reason noted."""
    for pair in by_preference(pair_counts, ties, learned.tokens):
        joint = pair[0] + pair[1]
        if max_token_bytes is not None and len(joint) > max_token_bytes:
            continue
        if pair_counts[pair] < min_count:
            learned.reason = "min-count"
            return None
        if joint not in unwanted:
            if ties == "shortest" and joint in learned.tokens:
                continue
            return pair
        if joint not in learned.passed_over:
            learned.passed_over.append(joint)
    learned.reason = "no-pairs"
    return None


# Encoding


def encode(
    text: str | bytes,
    learned: Learned,
    pattern: str,
    *,
    alphabet: str = "bytes",
    end_of_word: str | None = None,
    end_of_word_style: str = "symbol",
    unk_token: str | None = None,
    specials: Iterable[str] = (),
    add_prefix_space: bool = False,
) -> list[bytes]:
    """The tokens of a text. A character that learning has not seen is the unknown token; without one, a KeyError."""
    tokens = []
    for part, is_special in cut_at_specials(text, specials):
        if is_special:
            tokens.append(part.encode())
            continue
        for piece in split(with_prefix_space(part, add_prefix_space), pattern):
            symbols = symbols_of(piece, alphabet, end_of_word, end_of_word_style)
            known = [symbol if symbol in learned.tokens else _unknown(symbol, unk_token) for symbol in symbols]
            tokens += encode_piece(known, learned.merges)
    return tokens


def _unknown(symbol: bytes, unk_token: str | None) -> bytes:
    if unk_token is None:
        raise KeyError(symbol)
    return unk_token.encode()


def encode_piece(symbols: Sequence[bytes], merges: Sequence[Pair]) -> list[bytes]:
    """One merge at a time: the leftmost pair of the lowest rank. A pair learned twice has its first rank."""
    symbols = list(symbols)
    ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
    while True:
        present = [(ranks[pair], i) for i, pair in enumerate(pairwise(symbols)) if pair in ranks]
        if not present:
            return symbols
        _, i = min(present)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]


def encode_piece_by_ranks(piece: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """As tiktoken: a piece that is a token is that token; else neighbours may merge if together they are a token."""
    if piece in ranks:
        return [piece]
    symbols = [bytes([byte]) for byte in piece]
    while True:
        joints = [left + right for left, right in pairwise(symbols)]
        present = [(ranks[joint], i) for i, joint in enumerate(joints) if joint in ranks]
        if not present:
            return symbols
        _, i = min(present)
        symbols[i : i + 2] = [joints[i]]
