"""What `encode_with_unstable` says: the ids of a text that more text may still change, and what they may become.

Source: openai/tiktoken 0.14, src/lib.rs: the results of `_encode_unstable_native`, found the slow and obvious way. A
possible end of the text is a token that begins inside the last piece, or at its start, and goes on where the text ends.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Ids = tuple[int, ...]

_SPACES = b" \n\t"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What completions are made of.

    Args:
        ranks: token -> id.
        tokens: the tokens, sorted.
        spelling: id -> bytes, special tokens included.
        encode: many texts -> the ids of each, split by the pattern, without special tokens.
    """

    ranks: Mapping[bytes, int]
    tokens: Sequence[bytes]
    spelling: Callable[[int], bytes]
    encode: Callable[[Sequence[bytes]], Sequence[Sequence[int]]]


def n_unstable(ids: Sequence[int], last_piece: bytes, vocabulary: Vocabulary) -> int:
    """How many ids at the end of a text more text may change.

    Args:
        ids: of the whole text.
        last_piece: the piece that it ends with.
        vocabulary: of the encoding.

    Returns:
        n_tokens: those of the last piece; if that ends in white space, all such tokens before it as well, since a
        pattern may cut a run of white space elsewhere when it grows.
    """
    count = n_bytes = 0
    while n_bytes < len(last_piece):
        count += 1
        n_bytes += len(vocabulary.spelling(ids[-count]))
    if _is_space(vocabulary.spelling(ids[-count])):
        while count < len(ids) and _is_space(vocabulary.spelling(ids[-count - 1])):
            count += 1
    return count


def completions(tail: bytes, vocabulary: Vocabulary) -> list[list[int]]:
    """What the unstable bytes may become, as ids that spell them and perhaps go on, each as short as that allows.

    Args:
        tail: the bytes of the unstable ids, at least one.
        vocabulary: of the encoding.

    Returns:
        Lists of ids, sorted, each once. For each place in the tail, every token that begins with the rest of it is
        tried and encoded: tens of thousands where a short rest begins many tokens.
    """
    found: set[Ids] = {(vocabulary.ranks[token],) for token in _beginning_with(tail, vocabulary.tokens)}
    whole: list[bytes] = []
    for possible in _straddling(tail, vocabulary.tokens):
        if _is_utf8(possible):
            whole.append(possible)
        else:
            # A part of a character at the end: no pattern can split that, so it is merged as one piece.
            found.add(_just_enough(merged(possible, vocabulary.ranks), len(tail), vocabulary))
    found.update(_just_enough(ids, len(tail), vocabulary) for ids in vocabulary.encode(whole))
    found.update(_split_before_last_space(tail, vocabulary))
    return [list(ids) for ids in sorted(found)]


def merged(piece: bytes, ranks: Mapping[bytes, int]) -> Ids:
    """The ids of a piece by its merges alone: the lowest joint rank first, the leftmost of those.

    Takes time with the square of the piece.

    >>> merged(b"aab", {b"a": 0, b"b": 1, b"aa": 2, b"ab": 3})
    (2, 1)
    """
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while len(parts) > 1:
        joint = [ranks.get(left + right, sys.maxsize) for left, right in pairwise(parts)]
        if min(joint) == sys.maxsize:
            break
        at = joint.index(min(joint))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return tuple(ranks[part] for part in parts)


def _beginning_with(start: bytes, tokens: Sequence[bytes]) -> Iterator[bytes]:
    at = bisect_left(tokens, start)
    while at < len(tokens) and tokens[at].startswith(start):
        yield tokens[at]
        at += 1


def _straddling(tail: bytes, tokens: Sequence[bytes]) -> Iterator[bytes]:
    for cut in range(1, len(tail)):
        for token in _beginning_with(tail[cut:], tokens):
            yield tail[:cut] + token


def _just_enough(ids: Sequence[int], n_bytes: int, vocabulary: Vocabulary) -> Ids:
    """The first ids that together have at least so many bytes."""
    total = 0
    for count, number in enumerate(ids, start=1):
        total += len(vocabulary.spelling(number))
        if total >= n_bytes:
            return tuple(ids[:count])
    return tuple(ids)


def _split_before_last_space(tail: bytes, vocabulary: Vocabulary) -> Iterator[Ids]:
    r"""White space at the end may come to be cut before its last character: `\s+(?!\S)` does so when a word follows."""
    text = tail.decode("utf-8", "replace")
    # U+001C to U+001F are white space for Python, and not for Unicode.
    if len(text) > 1 and text[-1].isspace() and not "\x1c" <= text[-1] <= "\x1f":
        at = len(tail) - len(text[-1].encode())
        yield merged(tail[:at], vocabulary.ranks) + merged(tail[at:], vocabulary.ranks)


def _is_space(token: bytes) -> bool:
    return all(byte in _SPACES for byte in token)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
