"""Texts within a budget of tokens: does it fit, where to cut it, and chunks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from bytepair import arguments
from bytepair.arguments import Special as SpecialPolicy
from bytepair.encoding import template
from bytepair.errors import ArgumentError
from bytepair.prepared import Prepared, SurrogateErrors, Text, pairs_before, placed
from bytepair.render import number_of

Side: TypeAlias = Literal["right", "left"]
ChunkUnit: TypeAlias = Literal["char", "word", "line"]
SIDES: Final[tuple[Side, ...]] = ("right", "left")
CHUNK_UNITS: Final[tuple[ChunkUnit, ...]] = ("char", "word", "line")

AnyText = TypeVar("AnyText", str, bytes)


def fits(
    prepared: Prepared,
    text: Text,
    budget: int,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
) -> bool:
    """Whether a text has at most `budget` tokens."""
    most = arguments.integer("budget", budget, 0) - template.n_around(prepared, add_special_tokens)
    if most < 0:
        return False

    def work(ready: Text, ids: Sequence[int] | None) -> bool:
        return prepared.engine.fits(ready, ids, most)

    return prepared.run(work, text, special, errors, add_special_tokens)


def truncate(
    prepared: Prepared,
    text: AnyText,
    budget: int,
    side: Side,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
) -> AnyText:
    """The text without what passes the budget on one side."""
    most, given_up = arguments.integer("budget", budget, 0), arguments.choice("side", side, SIDES)
    most = max(0, most - template.n_around(prepared, add_special_tokens))
    template.refuse_rewritten(prepared, "truncate", "cut the ids that encode gives")

    def work(ready: Text, ids: Sequence[int] | None) -> int:
        return prepared.engine.truncate(ready, ids, most, given_up)

    cut = prepared.run(work, text, special, errors, add_special_tokens)
    pairs = pairs_before(text)
    if pairs is not None:
        cut += pairs(cut)
    return text[:cut] if given_up == "right" else text[cut:]


def chunks(
    prepared: Prepared,
    text: AnyText,
    budget: int,
    overlap: int,
    unit: ChunkUnit,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
) -> list[AnyText]:
    """Parts of the text that fit."""
    most = arguments.integer("budget", budget, 1)
    repeated = arguments.integer("overlap", overlap, 0)
    if repeated >= most:
        raise ArgumentError(f"overlap is {repeated}; it must be smaller than budget, which is {most}")
    units = arguments.choice("unit", unit, CHUNK_UNITS)
    n_around = template.n_around(prepared, add_special_tokens)
    if n_around and most - n_around <= repeated:
        around = number_of(n_around, "token")
        raise ArgumentError(f"budget is {most}, and the model puts {around} around a text; pass a larger one")
    most -= n_around
    template.refuse_rewritten(prepared, "chunks", "cut the ids that encode gives")

    def work(ready: Text, ids: Sequence[int] | None) -> list[tuple[int, int]]:
        return prepared.engine.chunks(ready, ids, most, repeated, units)

    try:
        places = prepared.run(work, text, special, errors, add_special_tokens)
    except ArgumentError as error:
        raise placed(error, text) from None
    pairs = pairs_before(text)
    if pairs is not None:
        places = [(start + pairs(start), end + pairs(end)) for start, end in places]
    return [text[start:end] for start, end in places]
