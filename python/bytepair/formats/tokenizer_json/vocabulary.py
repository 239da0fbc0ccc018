"""Vocabulary and merges of a tokenizer.json -> tokens by id and pairs of ids."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, NoReturn

from bytepair.errors import FormatWarning
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json.spelling import BYTES as _BYTES
from bytepair.formats.tokenizer_json.spelling import as_bytes
from bytepair.formats.tokenizer_json.table import Table
from bytepair.parts import Alphabet


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The ordinary tokens by id and by the spelling that the file uses.

    Args:
        tokens: by id.
        ids: by spelling.
        apart: added tokens that stand among them only for their ids.
        replaced: (id, ids) of tokens that become others after all merges.
    """

    tokens: tuple[bytes | None, ...]
    ids: Mapping[str, int]
    apart: tuple[str, ...] = ()
    replaced: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @property
    def is_checked(self) -> bool:
        """Whether the compiled half has read it."""
        return isinstance(self.ids, Table)


def read(
    place: Place, alphabet: Alphabet, specials: Mapping[str, int], also: Mapping[str, int] = MappingProxyType({})
) -> Vocabulary:
    """The ordinary tokens: those of the file without `specials`; `also` may stand there with their own ids."""
    if isinstance(place.value, Table):
        return _quickly(place.value, alphabet, specials)
    ids = dict(place.indices())
    for text, number in specials.items():
        if ids.pop(text, number) != number:
            place.entry(text).fail(f"{number}, its id in added_tokens")
    others = {*specials.values(), *also.values()}
    refuse_far(place, ids, len(ids) + len(others))
    if ids.pop("", None) is not None:
        _warn(place, "the empty token, which no text becomes; its id is no token here")
    replaced = _apart(ids, others, place)
    return Vocabulary(_tokens(ids, alphabet, place), ids, replaced=replaced)


def refuse_far(place: Place, ids: Mapping[str, int], n_tokens: int) -> None:
    """Refuse an id far past the others: a wrong number must not ask for a table of billions."""
    text = max(ids, key=ids.__getitem__, default=None)
    if text is not None and ids[text] > 2 * n_tokens + 1_000_000:
        place.entry(text).fail(f"an id near the others: there are {n_tokens} tokens")


def shares_ids(vocab: Mapping[str, int], specials: Mapping[str, int]) -> bool:
    """Whether tokens of one id have two spellings."""
    if isinstance(vocab, Table):
        return False  # It is not read quickly then.
    others = {number for text, number in specials.items() if text not in vocab}
    return len({*vocab.values()} - others) != len(vocab)


def _apart(ids: dict[str, int], others: set[int], place: Place) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Give each token that has the id of one before it an id of its own, and say which it becomes after all merges."""
    if len({*ids.values()}) == len(ids):
        return ()
    following, owners, replaced = max((*ids.values(), *others)) + 1, set[int](), list[tuple[int, tuple[int, ...]]]()
    for text, number in ids.items():
        if number in owners:
            ids[text] = following + len(replaced)
            replaced.append((ids[text], (number,)))
        owners.add(number)
    _warn(place, f"{len(replaced)} tokens with the id of another one; such an id decodes to the first that has it")
    return tuple(replaced)


def _warn(place: Place, what: str) -> None:
    warnings.warn(f"{place.file}: {place.path} has {what}", FormatWarning, stacklevel=2)


class SlowError(Exception):
    """The file is to be read step by step: something in its tables is wrong, or seldom."""


def _quickly(table: Table, alphabet: Alphabet, specials: Mapping[str, int]) -> Vocabulary:
    if any(table.get(text, number) != number for text, number in specials.items()):
        raise SlowError
    apart = [text for text in specials if text in table]
    tokens = table.tables.tokens(alphabet == "bytes", apart)
    others = {number for text, number in specials.items() if text not in table}
    if tokens is None or any(number < len(tokens) and tokens[number] is not None for number in others):
        raise SlowError
    return Vocabulary(tokens, table, tuple(apart))


def _tokens(ids: Mapping[str, int], alphabet: Alphabet, place: Place) -> tuple[bytes | None, ...]:
    texts = list(ids)
    spelled = as_bytes(texts) if alphabet == "bytes" else None
    if spelled is None:
        spelled = [_spelled(text, alphabet, place) for text in texts]
    tokens: list[bytes | None] = [None] * (max(ids.values(), default=-1) + 1)
    for number, token in zip(ids.values(), spelled, strict=True):
        tokens[number] = token
    return tuple(tokens)


def _spelled(text: str, alphabet: Alphabet, place: Place) -> bytes:
    try:
        return text.encode() if alphabet == "chars" else bytes([_BYTES[each] for each in text])
    except (KeyError, UnicodeEncodeError) as error:
        _refuse_spelling(text, place, error)


def _refuse_spelling(text: str, place: Place, error: KeyError | UnicodeEncodeError) -> NoReturn:
    at = Place(text, f"a token of {place.path}", place.file)
    if isinstance(error, KeyError):
        at.fail("bytes spelled as GPT-2 does", f"{error.args[0]!r} stands for no byte")
    at.fail("text without surrogates")


def merges(place: Place, words: Vocabulary, prefix: str = "") -> tuple[tuple[int, int], ...]:
    """Where a pair stands twice, tokenizers lets the last one count, and so do we."""
    if isinstance(words.ids, Table):
        quick = None if prefix else words.ids.tables.pairs(0, words.apart)
        if quick is None:
            raise SlowError
        return quick
    ids, pairs = words.ids, _pairs(place)
    try:
        found = [(ids[left], ids[right]) for left, right in pairs]
    except KeyError:
        found = []
    n_prefix = len(prefix)
    is_whole = not n_prefix or all(len(right) >= n_prefix for _, right in pairs)
    if len(found) != len(pairs) or not is_whole or not all(left + right[n_prefix:] in ids for left, right in pairs):
        _refuse_merge(place, pairs, ids, n_prefix)
    if len({*found}) == len(found):
        return tuple(found)
    last = {pair: rank for rank, pair in enumerate(found)}
    return tuple(sorted(last, key=last.__getitem__))


def _refuse_merge(place: Place, pairs: list[list[str]], ids: Mapping[str, int], n_prefix: int) -> NoReturn:
    for rank, (left, right) in enumerate(pairs):
        if left not in ids or right not in ids:
            part = right if left in ids else left
            place.element(rank).fail("two ordinary tokens of model.vocab", f"{part!r} is none")
        if len(right) < n_prefix:
            place.element(rank).fail(f"a right part with the {n_prefix} characters of continuing_subword_prefix")
        joint = left + right[n_prefix:]
        if joint not in ids:
            place.element(rank).fail("a pair whose joint spelling is in model.vocab", f"{joint!r} is not there")
    raise AssertionError("a merge is wrong")


def _pairs(place: Place) -> list[list[str]]:
    """Each merge is a list of two, or the older "x y"."""
    given = place.list()
    kinds = {*map(type, given)}
    # The older files hold only strings: the first line of a merges.txt may be among them.
    pairs = [each.split(" ") if type(each) is str else each for each in given] if str in kinds else given
    lists = not kinds - {str, list} and {*map(len, pairs)} <= {2}
    if not lists or not {*map(type, chain.from_iterable(pairs))} <= {str}:
        _refuse_pair(place, pairs)
    return pairs


def _refuse_pair(place: Place, pairs: list[Any]) -> NoReturn:
    for rank, each in enumerate(pairs):
        if type(each) is not list or len(each) != 2 or not all(type(part) is str for part in each):
            place.element(rank).fail('a list of two tokens, or "left right" with one space')
    raise AssertionError("a pair is wrong")
