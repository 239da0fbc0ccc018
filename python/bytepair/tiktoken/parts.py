"""What an `Encoding` is made of, checked once: ranks and special tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError


def specials(special_tokens: object) -> dict[str, int]:
    """Text -> id, a copy of what was given."""
    if not isinstance(special_tokens, Mapping):
        raise ArgumentTypeError(
            f"special_tokens is {shown(special_tokens)} ({kind(special_tokens)}); it must map texts to ids"
        )
    return {
        arguments.words("a name in special_tokens", name): arguments.integer(f"special_tokens[{name!r}]", number, 0)
        for name, number in special_tokens.items()
    }


def ids_apart(specials: Mapping[str, int], free: int) -> dict[str, int]:
    """An id of its own for each special: where one shares its id with an earlier one, the next that is free."""
    taken: set[int] = set()
    apart: dict[str, int] = {}
    for text, number in specials.items():
        if number in taken:
            number, free = free, free + 1
        taken.add(number)
        apart[text] = number
    return apart


def by_rank(ranks: object) -> tuple[bytes | None, ...]:
    """The token of each rank, None where no token has it."""
    if not isinstance(ranks, Mapping):
        raise ArgumentTypeError(f"mergeable_ranks is {shown(ranks)} ({kind(ranks)}); it must map bytes to ranks")
    if not ranks:
        raise ArgumentError("mergeable_ranks is empty; it must give a rank to each of the 256 bytes at least")
    _check_ranks(ranks)
    size = max(ranks.values()) + 1
    # A wrong number must not ask for a table of billions.
    if min(ranks.values()) < 0 or size > 2 * len(ranks) + 1_000_000:
        raise ArgumentError(
            f"mergeable_ranks has {len(ranks)} tokens with ranks from {min(ranks.values())} to {size - 1}; ranks are 0 "
            "or more, with few gaps"
        )
    tokens: list[bytes | None] = [None] * size
    for token, rank in ranks.items():
        if tokens[rank] is not None:
            raise ArgumentError(f"mergeable_ranks gives the rank {rank} to {tokens[rank]!r} and to {token!r}")
        tokens[rank] = token
    return tuple(tokens)


def _check_ranks(ranks: Mapping[Any, Any]) -> None:
    # By their types as sets: there may be 200,000.
    if {*map(type, ranks)} <= {bytes} and {*map(type, ranks.values())} <= {int}:
        return
    token, rank = next((each, rank) for each, rank in ranks.items() if type(each) is not bytes or type(rank) is not int)
    raise ArgumentTypeError(
        f"mergeable_ranks gives {shown(token)} ({kind(token)}) the rank {shown(rank)} ({kind(rank)}); it must map "
        "bytes to int"
    )


def check_size(explicit: object, n_tokens: int, largest: int) -> None:
    """Whether there are as many tokens as was said, without a gap."""
    wanted = arguments.integer("explicit_n_vocab", explicit, 0)
    if wanted != n_tokens or wanted != largest + 1:
        raise ArgumentError(
            f"explicit_n_vocab is {wanted}, and there are {n_tokens} tokens, the largest id being {largest}; leave it "
            "out, or get the file of ranks again"
        )
