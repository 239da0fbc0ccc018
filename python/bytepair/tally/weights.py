"""Weights of sources -> exact fractions, and counts multiplied by them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from bytepair._native import PieceCounts
from bytepair.arguments import MAX_COUNT, kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, CountOverflowError
from bytepair.tally.spilled import Counts

Weight: TypeAlias = "int | float | Fraction"


def checked(weights: object, sources: frozenset[str], has_unlabelled: bool) -> dict[str | None, Fraction]:
    """The weight of each source; None stands for counts without one.

    Args:
        weights: one number for all, or a mapping from every source to its number.
        sources: the labels that there are.
        has_unlabelled: whether there are counts without a label.

    Raises:
        ArgumentTypeError, ArgumentError: naming the source and its weight.
    """
    if not isinstance(weights, Mapping):
        weight = _fraction("the weight", weights)
        return dict.fromkeys([None, *sources], weight)
    for source in weights:
        if source not in sources:
            raise ArgumentError(f"weights names the source {shown(source)}, which is not there; {_listed(sources)}")
    left = sorted(sources - set(weights))
    if left:
        raise ArgumentError(f"weights has none for the source {left[0]!r}; give one for each, 1 to keep its counts")
    if has_unlabelled and sources:
        raise ArgumentError(
            f"some counts have no source, and weights names sources; {_listed(sources)}: label all counts with "
            "source=..., or give one number for all"
        )
    return {source: _fraction(f"the weight of {source!r}", weight) for source, weight in weights.items()}


def _listed(sources: frozenset[str]) -> str:
    if not sources:
        return "no counts have a source: label them with source=..., or give one number for all"
    return f"the sources are {shown(sorted(sources), 200)}"


def _fraction(name: str, weight: object) -> Fraction:
    """A float stands for the decimal that Python prints for it, so that 0.1 is a tenth."""
    if isinstance(weight, bool) or not (hasattr(weight, "as_integer_ratio") or hasattr(type(weight), "__index__")):
        raise ArgumentTypeError(f"{name} is {shown(weight)} ({kind(weight)}); it must be a number, 0 or more")
    try:
        exact = Fraction(float.__repr__(weight)) if isinstance(weight, float) else _exact(weight)
    except (ValueError, OverflowError):
        raise ArgumentError(f"{name} is {shown(weight)}; it must be a finite number, 0 or more") from None
    if exact < 0:
        raise ArgumentError(f"{name} is {shown(weight)}; it must be 0 or more")
    return exact


def _exact(weight: object) -> Fraction:
    if hasattr(weight, "as_integer_ratio"):
        return Fraction(*weight.as_integer_ratio())
    return Fraction(weight.__index__())  # type: ignore[attr-defined]  # `_fraction` made sure of it


def multiplied(counts: Counts, weight: Fraction) -> PieceCounts:
    """Every count times the weight, rounded half up, and at least 1 where the weight is above 0.

    Raises:
        CountOverflowError: a product passes 2**63 - 1; names the piece.

    >>> multiplied(PieceCounts.from_items([b"a", b"b"], [1, 7]), Fraction(1, 2)).items()
    ([b'a', b'b'], [1, 4])
    """
    if weight == 0:
        return PieceCounts.from_items([], [])
    pieces, numbers = counts.items()
    up, down = weight.as_integer_ratio()
    products = [max(1, (2 * number * up + down) // (2 * down)) for number in numbers]
    if products and max(products) > MAX_COUNT:
        index = next(index for index, product in enumerate(products) if product > MAX_COUNT)
        raise CountOverflowError(
            f"the count of {shown(pieces[index])}, {numbers[index]}, times the weight {weight} passes 2**63 - 1; "
            "use smaller weights: only their proportion matters"
        )
    return PieceCounts.from_items(pieces, products)
