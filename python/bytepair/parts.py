"""What the parts of a model may be: the names to choose from, and the kind and range of each part."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import NoneType
from typing import Final, Literal, NoReturn, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import ModelError
from bytepair.patterns import Pattern

Kind: TypeAlias = Literal["merges", "ranks"]
Alphabet: TypeAlias = Literal["bytes", "chars"]
ByteOrder: TypeAlias = Literal["value", "gpt2"]
Ties: TypeAlias = Literal["lexicographic", "first-seen", "largest", "lowest-id", "shortest"]
Style: TypeAlias = Literal["symbol", "suffix"]
SpecialIds: TypeAlias = Literal["last", "first"]

KINDS: Final[tuple[Kind, ...]] = ("merges", "ranks")
ALPHABETS: Final[tuple[Alphabet, ...]] = ("bytes", "chars")
BYTE_ORDERS: Final[tuple[ByteOrder, ...]] = ("value", "gpt2")
TIES: Final[tuple[Ties, ...]] = ("lexicographic", "first-seen", "largest", "lowest-id", "shortest")
STYLES: Final[tuple[Style, ...]] = ("symbol", "suffix")
SPECIAL_IDS: Final[tuple[SpecialIds, ...]] = ("last", "first")

_CHOICES: Final = {"kind": KINDS, "alphabet": ALPHABETS, "end_of_word_style": STYLES}
_HISTORY: Final = {"byte_order": BYTE_ORDERS, "ties": TIES, "special_ids": SPECIAL_IDS}


def check(parts: Mapping[str, object]) -> None:
    """Look at each part of a model by itself.

    Args:
        parts: name -> value, as the fields of `Model`.

    Raises:
        ModelError: one has another type, or a value that it may not have; names it.
    """
    for name, allowed in (_CHOICES | _HISTORY).items():
        value = parts[name]
        if not (value is None and name in _HISTORY) and not (isinstance(value, str) and value in allowed):
            _refuse(name, value, " or ".join(map(repr, allowed)))
    for name in ("end_of_word", "unk_token", "corpus_fingerprint", "version"):
        if parts[name] is not None and not _is_text(parts[name]):
            _refuse(name, parts[name], "None, or a str of at least one character and without lone surrogates")
    for name in ("min_count", "max_token_bytes"):
        if parts[name] is not None and not _is_number(parts[name], 1):
            _refuse(name, parts[name], "None, or an int of at least 1")
    if not isinstance(parts["pattern"], Pattern):
        _refuse("pattern", parts["pattern"], "a Pattern")
    if not isinstance(parts["add_prefix_space"], bool):
        _refuse("add_prefix_space", parts["add_prefix_space"], "True or False")
    _check_tokens(parts["tokens"], parts["alphabet"])
    _check_merges(parts["merges"], parts["merge_counts"], parts["kind"])
    _check_specials(parts["specials"])


def _refuse(name: str, value: object, expected: str) -> NoReturn:
    raise ModelError(f"{name} is {shown(value)} ({kind(value)}); it must be {expected}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != "" and not any("\ud800" <= each <= "\udfff" for each in value)


def _is_number(value: object, least: int) -> bool:
    return type(value) is int and value >= least


def _check_tokens(tokens: object, alphabet: object) -> None:
    if not isinstance(tokens, tuple):
        _refuse("tokens", tokens, "a tuple")
    # By their types as a set: there may be 200,000.
    if not {*map(type, tokens)} <= {bytes, NoneType} or b"" in tokens:
        number, token = next((i, each) for i, each in enumerate(tokens) if each is not None and not _is_token(each))
        _refuse(f"tokens[{number}]", token, "None, or bytes, at least one")
    if alphabet == "chars":
        for number, token in enumerate(tokens):
            try:
                (token or b"").decode()
            except UnicodeDecodeError:
                _refuse(f"tokens[{number}]", token, "UTF-8, since the alphabet is characters")


def _is_token(value: object) -> bool:
    return type(value) is bytes and value != b""


def _check_merges(merges: object, counts: object, kind_of_model: object) -> None:
    if not isinstance(merges, tuple):
        _refuse("merges", merges, "a tuple")
    # All at once, since there may be 200,000; one by one only to find the one that is wrong.
    are_pairs = {*map(type, merges)} <= {tuple} and {*map(len, merges)} <= {2}
    if not are_pairs or not {*map(type, chain.from_iterable(merges))} <= {int}:
        number, wrong = next((rank, pair) for rank, pair in enumerate(merges) if not _is_pair(pair))
        _refuse(f"merges[{number}]", wrong, "a tuple of two ids")
    if merges and kind_of_model == "ranks":
        raise ModelError(f"there are {len(merges)} merges, and a model of ranks has none: its ids are its ranks")
    if counts is None:
        return
    if not isinstance(counts, tuple):
        _refuse("merge_counts", counts, "None or a tuple")
    if not {*map(type, counts)} <= {int} or min(counts, default=0) < 0:
        rank, count = next((rank, count) for rank, count in enumerate(counts) if not _is_number(count, 0))
        _refuse(f"merge_counts[{rank}]", count, "an int of at least 0")


def _is_pair(value: object) -> bool:
    return type(value) is tuple and len(value) == 2 and type(value[0]) is int and type(value[1]) is int


def _check_specials(specials: object) -> None:
    if not isinstance(specials, Mapping):
        _refuse("specials", specials, "a mapping of texts to ids")
    for text, number in specials.items():
        if not _is_text(text):
            _refuse("a special token", text, "a str of at least one character and without lone surrogates")
        if type(number) is not int:
            _refuse(f"the id of {text!r}", number, "an int")
