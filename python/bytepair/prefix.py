"""The first merges of a model: exactly what training to a smaller size would have given."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from bytepair import arguments
from bytepair.errors import ArgumentError, ModelError
from bytepair.model import Model


def prefix(model: Model, vocab_size: int | None = None, num_merges: int | None = None) -> Model:
    """The model that training to a smaller size would have given.

    Args:
        model: the model; its tokens stand in the order alphabet, merged ones by rank.
        vocab_size: tokens to keep: alphabet, merged and special ones together. This or `num_merges`.
        num_merges: merges to keep.

    Returns:
        The model, with its own merge counts; special tokens that came last come after fewer tokens.

    Raises:
        ArgumentError: the number is outside what was learned; names the limits.
        ModelError: the model holds ranks, or its ids are not in the order of learning.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low low lower"], Options(num_merges=4))
    >>> smaller, _ = learn(["low low low lower"], Options(vocab_size=258))
    >>> prefix(model, 258).fingerprint == smaller.fingerprint
    True
    """
    if (vocab_size is None) == (num_merges is None):
        given, verb = ("neither", "was") if vocab_size is None else ("both", "were")
        raise ArgumentError(f"{given} of vocab_size and num_merges {verb} given; give exactly one")
    growth = _growth(model)
    if vocab_size is None:
        steps = _checked("num_merges", num_merges, growth, growth.first_merge, len(model.merges)) - growth.first_merge
    else:
        wanted = _checked("vocab_size", vocab_size, growth, growth.sizes[0], growth.sizes[-1])
        # Training stops as soon as it has as many tokens: a merge that would give no new one is not made any more.
        steps = bisect_left(growth.sizes, wanted)
    return _cut(model, growth, steps)


@dataclass(frozen=True, slots=True)
class _Growth:
    """How a model grew: its first merge that may go, the id of the first token that may, and the sizes.

    Args:
        first_merge: a rank.
        first_id: an id.
        sizes: how many tokens there were before `first_merge`, and after each merge from there on.
    """

    first_merge: int
    first_id: int
    sizes: list[int]
    is_extension: bool


def _growth(model: Model) -> _Growth:
    if model.kind == "ranks":
        raise ModelError(
            "this tokenizer holds ranks, not the merges that were learned; load it from a file that has them, such as "
            "a tokenizer.json"
        )
    last = model.extensions[-1] if model.extensions else None
    first_merge = last.first_merge if last else 0
    first_id = _first_merged(model, last.first_id if last else 0)
    ids = {token: number for number, token in enumerate(model.tokens)}
    size = sum(token is not None for token in model.tokens[:first_id]) + len(model.specials)
    sizes, following = [size], first_id
    for left, right in model.spelled_merges()[first_merge:]:
        joint = ids[left + right]
        if joint > following:
            _refuse_order(joint)
        following += joint == following
        sizes.append(size + following - first_id)
    # An extension may have added merges and no token.
    if following != max(len(model.tokens), first_id):
        _refuse_order(following)
    return _Growth(first_merge, first_id, sizes, last is not None)


def _first_merged(model: Model, start: int) -> int:
    """The id after the last symbol; before it no merged token may stand."""
    places = range(start, len(model.tokens))
    symbols = [number for number in places if (token := model.tokens[number]) is not None and model.is_symbol(token)]
    after = symbols[-1] + 1 if symbols else start
    n_ordinary = sum(token is not None for token in model.tokens[start:after])
    if len(symbols) != n_ordinary:
        _refuse_order(after - 1)
    return after


def _refuse_order(number: int) -> NoReturn:
    raise ModelError(
        f"the ids of this tokenizer are not in the order of learning (alphabet, then merged tokens by rank): see id "
        f"{number}; train one here, or in a tool that numbers them so"
    )


def _checked(name: str, value: object, growth: _Growth, low: int, high: int) -> int:
    number = arguments.integer(name, value, 0)
    if number < low:
        what = "all before its last extension" if growth.is_extension else "the alphabet and the special tokens"
        raise ArgumentError(f"{name} is {number}; it must be at least {low}, {what}")
    if number > high:
        raise ArgumentError(
            f"{name} is {number}; it must be at most {high}, all that was learned; extend(source, vocab_size) learns "
            "more"
        )
    return number


def _cut(model: Model, growth: _Growth, steps: int) -> Model:
    tokens = model.tokens[: growth.first_id + growth.sizes[steps] - growth.sizes[0]]
    n_merges = growth.first_merge + steps
    nothing_added = growth.is_extension and steps == 0 and len(tokens) <= model.extensions[-1].first_id
    return dataclasses.replace(
        model,
        tokens=tokens,
        merges=model.merges[:n_merges],
        merge_counts=None if model.merge_counts is None else model.merge_counts[:n_merges],
        extensions=model.extensions[:-1] if nothing_added else model.extensions,
        specials=model.specials if growth.is_extension else _renumbered(model, len(tokens)),
    )


def _renumbered(model: Model, n_tokens: int) -> Mapping[str, int]:
    """Specials after all tokens move up behind fewer; others keep their ids."""
    by_id = sorted(model.specials.items(), key=lambda item: item[1])
    moved = [text for text, number in by_id if number >= len(model.tokens)]
    return {**model.specials, **{text: n_tokens + index for index, text in enumerate(moved)}}
