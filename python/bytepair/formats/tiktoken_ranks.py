"""`.tiktoken`: a line for each token, its bytes in base64 and its rank.

The file holds neither a split pattern nor special tokens; both are given when it is loaded.

Source: openai/tiktoken, tiktoken/load.py, load_tiktoken_bpe.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from functools import partial
from typing import Final

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, FormatError, ModelError
from bytepair.model import Model, byte_order_of
from bytepair.patterns import NAMES, resolve

_FIRST_LINE = re.compile(rb"\s*[A-Za-z0-9+/]+={0,2} [0-9]+\s*(?:\n|\Z)")


def recognise(data: bytes) -> bool:
    """Whether the first line is base64, a space and a number."""
    return _FIRST_LINE.match(data) is not None


def read(data: bytes, where: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read ranks.

    Args:
        data: the file; line ends of any kind, empty lines are skipped.
        where: the file, for messages.
        pattern: a name or a regular expression; needed.
        special_tokens: text -> id. None may be spelled like a token of the file, not even with its id: the text would
            be both.

    Raises:
        ArgumentError: no pattern, or a special token has an id or a spelling that is taken.
        FormatError: a line is broken, a rank or a token stands twice, or a byte has no token; names the line.
    """
    if pattern is None:
        raise ArgumentError(
            f"{where}: a .tiktoken file holds no split pattern; pass pattern=... (one of {', '.join(NAMES)}, or a "
            "regular "
            "expression)"
        )
    resolved = resolve(pattern)
    tokens = _by_rank(_ranks(data, where), where)
    try:
        return Model(
            kind="ranks",
            alphabet="bytes",
            tokens=tokens,
            merges=(),
            specials=_specials(special_tokens, tokens),
            pattern=resolved,
            byte_order=byte_order_of(tokens),
        )
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


# Of a rank: far more than any id has, and few enough to be read at once.
MAX_DIGITS = 18


# What nearly every file is from end to end.
_ALL_LINES: Final = re.compile(rb"(?:[A-Za-z0-9+/]+=* [0-9]{1,18}\r?\n)+")


def _quick_ranks(data: bytes) -> dict[int, bytes] | None:
    """All at once, since there may be 200,000; None where a line is to be found that is wrong."""
    if _ALL_LINES.fullmatch(data) is None:
        return None
    words = data.split()
    try:
        tokens = list(map(partial(binascii.a2b_base64, strict_mode=True), words[::2]))
    except binascii.Error:
        return None
    ranks = dict(zip(map(int, words[1::2]), tokens, strict=True))
    are_right = len(ranks) == len(tokens) == len(set(tokens)) and all(tokens)
    return ranks if are_right else None


def _ranks(data: bytes, where: str) -> dict[int, bytes]:
    quick = _quick_ranks(data)
    return _ranks_by_line(data, where) if quick is None else quick


def _ranks_by_line(data: bytes, where: str) -> dict[int, bytes]:
    ranks: dict[int, bytes] = {}
    lines: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) != 2 or not parts[1].isdigit() or len(parts[1]) > MAX_DIGITS:
            raise FormatError(
                f"{where}: line {number} is {shown(line)}; expected base64, a space and a rank (a whole number)"
            )
        token, rank = _decoded(parts[0], where, number), int(parts[1])
        if rank in ranks or token in lines:
            earlier = lines[ranks[rank]] if rank in ranks else lines[token]
            what = f"rank {rank}" if rank in ranks else f"token {token!r}"
            raise FormatError(f"{where}: line {number} gives the {what}, as line {earlier} does; each may stand once")
        ranks[rank] = token
        lines[token] = number
    return ranks


def _decoded(text: bytes, where: str, number: int) -> bytes:
    try:
        token = binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error as error:
        raise FormatError(f"{where}: line {number}: {shown(text)} is no base64 ({error}); get the file again") from None
    if not token:
        raise FormatError(f"{where}: line {number} holds an empty token; every token has at least one byte")
    return token


def _by_rank(ranks: Mapping[int, bytes], where: str) -> tuple[bytes | None, ...]:
    size = max(ranks, default=-1) + 1
    # A wrong number must not ask for a table of billions.
    if size > 2 * len(ranks) + 1_000_000:
        raise FormatError(f"{where}: the largest rank is {size - 1} for {len(ranks)} tokens; one of the ranks is wrong")
    return tuple(ranks.get(rank) for rank in range(size))


def _specials(special_tokens: object, tokens: tuple[bytes | None, ...]) -> dict[str, int]:
    if special_tokens is None:
        return {}
    if not isinstance(special_tokens, Mapping):
        raise ArgumentTypeError(
            f"special_tokens is {shown(special_tokens)} ({kind(special_tokens)}); it must map texts to ids"
        )
    ordinary = {token: rank for rank, token in enumerate(tokens) if token is not None}
    found: dict[str, int] = {}
    taken: set[int] = set()
    highest = len(tokens) + 1_000_000
    for name, value in special_tokens.items():
        text = arguments.words("a name in special_tokens", name)
        number = arguments.integer(f"special_tokens[{text!r}]", value, 0, highest)
        if text.encode() in ordinary:
            raise ArgumentError(
                f"special_tokens names {text!r}, which the file has as the ordinary token {ordinary[text.encode()]}; a "
                "spelling can be one token only: leave it out, or take its line out of the file"
            )
        if number < len(tokens) and tokens[number] is not None:
            raise ArgumentError(f"special_tokens[{text!r}] is {number}, the id of {tokens[number]!r}; choose a free id")
        if number in taken:
            raise ArgumentError(
                f"special_tokens[{text!r}] is {number}, as is an earlier one; each needs an id of its own"
            )
        found[text] = number
        taken.add(number)
    return found


def write(model: Model) -> bytes:
    """The contents of a file for a model of ranks; its pattern and special tokens are said when it is loaded."""
    lines = [
        binascii.b2a_base64(token, newline=False) + b" %d\n" % rank
        for rank, token in enumerate(model.tokens)
        if token is not None
    ]
    return b"".join(lines)
