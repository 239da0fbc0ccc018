"""What callers hand in, checked once: each function returns the checked value or raises one clear error."""

from __future__ import annotations

import operator
import os
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import islice
from typing import Final, Literal, TypeAlias, TypeVar

from bytepair.errors import ArgumentError, ArgumentTypeError, SpecialTokenError, SurrogateError

Choice = TypeVar("Choice", bound=str)

# Ids are 32 bits in the core; the sign bit stays free for formats that use int32.
MAX_TOKENS: Final = 2**31 - 1
MAX_COUNT: Final = 2**63 - 1
MAX_THREADS: Final = 1024
Special: TypeAlias = "Literal['text', 'all', 'raise'] | Set[str] | list[str] | tuple[str, ...]"
SPECIAL_POLICIES: Final[tuple[Literal["text", "all", "raise"], ...]] = ("text", "all", "raise")

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")


def shown(value: object, limit: int = 60) -> str:
    """The value's repr, cut to fit in a message, with its type when the repr does not tell."""
    try:
        text = repr(value)
    except Exception:  # huge ints, deep nesting, a broken __repr__: the message is about something else
        text = f"<a {kind(value)} that cannot be shown>"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def kind(value: object) -> str:
    """The name of the value's type."""
    return type(value).__name__


def integer(name: str, value: object, low: int, high: int = MAX_COUNT, why: str = "") -> int:
    """An int (or what has `__index__`, as NumPy's integers) from `low` to `high`, both included; bool is no int."""
    reason = f" ({why})" if why else ""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise ArgumentTypeError(
            f"{name} is {shown(value)} ({kind(value)}); it must be an int of at least {low}{reason}"
        )
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # the line above made sure of __index__
    except TypeError as error:
        raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be one int: {error}") from error
    if number < low:
        raise ArgumentError(f"{name} is {shown(number)}; it must be at least {low}{reason}")
    if number > high:
        raise ArgumentError(f"{name} is {shown(number)}; it must be at most {high}")
    return number


def id_number(value: object) -> int:
    """An id as an int; bool is none."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        raise ArgumentTypeError(f"the id is {shown(value)} ({kind(value)}); it must be an int")
    return operator.index(value)  # type: ignore[arg-type]  # the line above made sure of __index__


def flag(name: str, value: object) -> bool:
    """True or False, nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be True or False")
    return value


def choice(name: str, value: object, allowed: Sequence[Choice]) -> Choice:
    """One of the allowed names."""
    if isinstance(value, str):
        for each in allowed:
            if value == each:
                return each
    known = ("one of " if len(allowed) > 1 else "") + ", ".join(repr(each) for each in allowed)
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be {known}")
    raise ArgumentError(f"{name} is {shown(value)}; it must be {known}")


def threads(value: object) -> int:
    """None stands for the CPUs this process may use, at most 64."""
    if value is not None:
        return integer("threads", value, 1, MAX_THREADS)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return min(usable, 64)


def size(name: str, value: object) -> int:
    """Bytes: an int, or a str with a unit such as "200MB" (a million bytes each) or "1GiB".

    >>> size("max_memory", "1.5 GB"), size("max_memory", "4KiB")
    (1500000000, 4096)
    """
    if not isinstance(value, str):
        return integer(name, value, 1)
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", value, re.IGNORECASE)
    if found is None or (found[3] and not found[2]):
        raise ArgumentError(f'{name} is {shown(value)}; it must be a number of bytes, such as 200000000 or "200MB"')
    unit = (1024 if found[3] else 1000) ** " KMGT".index(found[2].upper() or " ")
    return integer(name, int(float(found[1]) * unit), 1)


def words(name: str, value: object) -> str:
    """A str of at least one character and without lone surrogates."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be a str")
    if not value:
        raise ArgumentError(f"{name} is ''; it must have at least one character")
    return without_surrogates(value, "raise", name)


def without_surrogates(text: str, errors: str, where: str) -> str:
    r"""The text without surrogates: a pair is its character; a lone one U+FFFD, nothing ("skip") or an error ("raise").

    >>> without_surrogates("ok \ud83d\udc4d \ud83d", "replace", "text")
    'ok 👍 \ufffd'
    """
    if errors == "raise" and (found := _LONE_SURROGATE.search(text)):
        reason = f'{where} holds a lone surrogate: mend the text, or pass errors="replace" where the call has it'
        raise SurrogateError("utf-8", text, found.start(), found.end(), reason)
    if errors == "skip":
        text = _LONE_SURROGATE.sub("", text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def position_in(text: str, position: int) -> int:
    r"""Where a character of `without_surrogates(text)` stands in the text itself, in which a pair counts as two.

    >>> position_in("\ud83d\udc4d!", 1)
    2
    """
    return position + bisect_left(surrogate_pairs(text), position)


def surrogate_pairs(text: str) -> list[int]:
    r"""Where the characters of `without_surrogates(text)` stand that are surrogate pairs in the text.

    >>> surrogate_pairs("a\ud83d\udc4d\ud83d\udc4d")
    [1, 2]
    """
    return [pair.start() - n_before for n_before, pair in enumerate(_SURROGATE_PAIR.finditer(text))]


def special_tokens(value: object) -> tuple[str, ...]:
    """A sequence of distinct, non-empty texts, in their order."""
    if isinstance(value, str | bytes):
        raise ArgumentTypeError(f"special_tokens is {shown(value)} ({kind(value)}); put it in a list: [{shown(value)}]")
    if not isinstance(value, Iterable) or isinstance(value, set | frozenset):
        raise ArgumentTypeError(
            f"special_tokens is {shown(value)} ({kind(value)}); it must be a list of str: their order gives their ids"
        )
    texts = tuple(words(f"special_tokens[{index}]", each) for index, each in enumerate(value))
    seen: set[str] = set()
    for index, each in enumerate(texts):
        if each in seen:
            raise ArgumentError(f"special_tokens[{index}] is {each!r}, as is an earlier one; each may stand there once")
        seen.add(each)
    return texts


def special_policy(value: object, known: Collection[str]) -> tuple[str, ...] | None:
    """The texts of the specials to match: none of them, all, or the named ones; None stands for "raise".

    Args:
        value: "text", "all", "raise", or a set (of any kind), list or tuple of names.
        known: the names that exist, in their order.
    """
    if isinstance(value, str):
        return _named_policy(value, known)
    if not isinstance(value, Set | list | tuple):
        raise ArgumentTypeError(
            f"special is {shown(value)} ({kind(value)}); it must be 'text', 'all', 'raise' or a set of special tokens"
        )
    names = known.keys() if isinstance(known, Mapping) else dict.fromkeys(known).keys()
    wanted = _hashed(value)
    # Compared as sets, since a model may have tens of thousands.
    if wanted is None or not names >= wanted:
        stray = next(each for each in value if not isinstance(each, str) or each not in names)
        raise SpecialTokenError(f"special names {shown(stray)}, which is no special token here; {listed(known)}")
    return tuple(known) if len(wanted) == len(names) else tuple(each for each in known if each in wanted)


def _hashed(value: Iterable[object]) -> Set[object] | None:
    """As a set; None where something in it has no hash, and so is no name."""
    try:
        return value if isinstance(value, set | frozenset) else frozenset(value)
    except TypeError:
        return None


def _named_policy(value: str, known: Collection[str]) -> tuple[str, ...] | None:
    if value == "text":
        return ()
    if value == "all":
        return tuple(known)
    if value == "raise":
        return None
    if value in known:
        raise ArgumentError(f"special is {value!r}; to match that one token pass a set: special={{{value!r}}}")
    raise ArgumentError(
        f"special is {shown(value)}; it must be 'text', 'all', 'raise' or a set of special tokens; {listed(known)}"
    )


def no_tokenizer(call: str, value: object) -> ArgumentTypeError:
    """What to raise where a call takes a Tokenizer and gets something else, most often the path of its file."""
    name = shown(str(value)) if isinstance(value, str | os.PathLike) else "path"
    return ArgumentTypeError(
        f"{call} takes a Tokenizer, not {shown(value)} ({kind(value)}); open its file first: "
        f"{call}(bytepair.load({name}), ...)"
    )


def listed(known: Collection[str]) -> str:
    """The names that there are, cut to fit in a message."""
    if not known:
        return "there are no special tokens"
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"the special tokens are {', '.join(map(repr, islice(known, 10)))}{more}"
