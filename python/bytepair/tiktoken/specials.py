"""What a call says of special tokens: `allowed_special` and `disallowed_special`, with tiktoken's meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Set
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, SpecialTokenError

Allowed: TypeAlias = "Literal['all'] | Set[str]"
Disallowed: TypeAlias = "Literal['all'] | Collection[str]"


class Policy(NamedTuple):
    """The special tokens that match in a call, by their ids in the engine, and the texts that are refused.

    `known`: whether all that is refused are special tokens, for which the engine can look.
    """

    ids: tuple[int, ...]
    refused: frozenset[str]
    known: bool


ORDINARY: Final = Policy((), frozenset(), known=True)


class Specials:
    """The special tokens of an encoding.

    Args:
        ids: text -> id in the engine, in their order.
    """

    __slots__ = ("_all", "_default", "_ids", "names")

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids
        self.names = frozenset(ids)
        # One object for all calls: the engine knows it again.
        self._all = tuple(ids.values())
        self._default = Policy((), self.names, known=True)

    def policy(self, allowed: Allowed, disallowed: Disallowed) -> Policy:
        """What the two arguments of a call come to.

        Raises:
            ArgumentTypeError: one has the wrong type.
        """
        if isinstance(allowed, str) and allowed == "all":
            ids, left = self._all, frozenset[str]()
        elif not isinstance(allowed, Set):
            raise ArgumentTypeError(
                f"allowed_special is {shown(allowed)} ({kind(allowed)}); it must be 'all' or a set of special tokens"
            )
        elif not allowed and disallowed == "all":
            return self._default
        else:
            ids = tuple(number for text, number in self._ids.items() if text in allowed)
            left = self.names - allowed
        if disallowed == "all":
            return Policy(ids, left, known=True)
        refused = _refused(disallowed)
        return Policy(ids, refused, known=refused <= self.names)

    def refuse(self, text: str, policy: Policy, where: str) -> None:
        """Raise if a refused text stands in a text.

        Raises:
            SpecialTokenError: names it, its place, and the way out.
        """
        found = _search(policy.refused)(text)
        if found:
            name = found[0]
            fix = f"allowed_special={{{name!r}}} to encode it as its id, or " if name in self.names else ""
            raise SpecialTokenError(
                f"{where} holds {name!r} at character {found.start()}, which disallowed_special forbids; pass "
                f"{fix}disallowed_special=() to encode it as ordinary text"
            )


def _refused(disallowed: object) -> frozenset[str]:
    if isinstance(disallowed, str) or not isinstance(disallowed, Collection):
        hint = f": {{{shown(disallowed)}}}" if isinstance(disallowed, str) else ""
        raise ArgumentTypeError(
            f"disallowed_special is {shown(disallowed)} ({kind(disallowed)}); it must be 'all' or a collection of "
            f"str{hint}"
        )
    for text in disallowed:
        if not isinstance(text, str):
            raise ArgumentTypeError(f"disallowed_special holds {shown(text)} ({kind(text)}); it must hold str")
    return frozenset(disallowed)


@lru_cache(maxsize=128)
def _search(texts: frozenset[str]) -> Callable[[str], re.Match[str] | None]:
    """Finds the leftmost of some texts, then the longest."""
    longest_first = sorted(texts, key=lambda text: (-len(text), text))
    return re.compile("|".join(map(re.escape, longest_first))).search
