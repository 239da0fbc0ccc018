"""Ids as NumPy arrays, which come from the engine without a Python int for each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from bytepair import arguments
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.encoding import template, text_parts
from bytepair.encoding.text_parts import Parts
from bytepair.errors import ArgumentError, ArgumentTypeError, MissingPackageError
from bytepair.prepared import Prepared, ReadyTexts, SurrogateErrors, Text, Texts, pairs_before

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    IdArray: TypeAlias = "npt.NDArray[np.unsignedinteger[Any]]"
    SpanArray: TypeAlias = "npt.NDArray[np.int64]"

Dtype: TypeAlias = "Literal['uint32', 'uint16', 'uint8', 'smallest'] | type[Any]"
SpanUnit: TypeAlias = Literal["char", "byte", "utf16"]

WIDTHS: Final = {"uint8": 1, "uint16": 2, "uint32": 4}
SPAN_UNITS: Final[tuple[SpanUnit, ...]] = ("char", "byte", "utf16")


# NumPy's `frombuffer` and its type of 32 bits, found once: to look them up takes a third of the time of a short call.
_frombuffer: Any = None
_uint32: Any = None


def of_uint32(data: bytearray) -> IdArray:
    """The array of these bytes, which may be written to: nobody else holds them."""
    global _frombuffer, _uint32
    if _frombuffer is None:
        numpy = numpy_module()
        _frombuffer, _uint32 = numpy.frombuffer, numpy.dtype("uint32")
    return cast("IdArray", _frombuffer(data, _uint32))


def encode_array(
    prepared: Prepared,
    text: Text | Parts,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
    dtype: Dtype,
    threads: int | None,
) -> IdArray:
    """The ids of a text or of parts."""
    numpy, name, n_threads = numpy_module(), id_type(prepared, dtype), arguments.threads(threads)
    width = WIDTHS[name]

    def work(ready: Text, ids: Sequence[int] | None) -> bytearray:
        return prepared.engine.encode_array(ready, ids, width, n_threads)

    def of_text(part: Text, _: int, where: str) -> bytearray:
        return prepared.run(work, part, special, errors, add_special_tokens, where)

    if isinstance(text, list | tuple):
        parts = text_parts.each(
            prepared, text, of_text, lambda number: bytearray(number.to_bytes(width, sys.byteorder))
        )
        data = bytearray().join(parts)
    else:
        data = of_text(text, 0, "the text")
    ids: IdArray = _array(numpy, data, name)
    before, after = template.around(prepared, add_special_tokens)
    return numpy.concatenate([before, ids, after]).astype(name) if before or after else ids


def encode_ragged(
    prepared: Prepared,
    texts: Texts,
    threads: int | None,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
    dtype: Dtype,
) -> tuple[IdArray, SpanArray]:
    """The ids of all texts in a row, and where those of each begin."""
    numpy, name, n_threads = numpy_module(), id_type(prepared, dtype), arguments.threads(threads)

    def work(ready: ReadyTexts, ids: Sequence[int] | None) -> tuple[bytearray, bytearray]:
        return prepared.engine.encode_ragged(ready, ids, n_threads, WIDTHS[name])

    ids, starts = prepared.run_batch(work, texts, special, errors, add_special_tokens, "encode_ragged")
    made, places = _array(numpy, ids, name), _array(numpy, starts, "int64")
    before, after = template.around(prepared, add_special_tokens)
    if not before and not after:
        return made, places
    parts = [part for start, end in pairwise(places) for part in (before, made[start:end], after)]
    n_added = len(before) + len(after)
    whole = numpy.concatenate(parts).astype(name) if parts else made
    return whole, places + n_added * numpy.arange(len(places), dtype="int64")


def encode_spans(
    prepared: Prepared,
    text: Text,
    unit: SpanUnit,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
) -> tuple[IdArray, SpanArray]:
    """The ids of a text, and the part of it that each stands for."""
    numpy, chosen = numpy_module(), arguments.choice("unit", unit, SPAN_UNITS)
    template.refuse_rewritten(prepared, "encode_spans", "encode gives the ids alone")

    def work(ready: Text, ids: Sequence[int] | None) -> tuple[bytearray, bytearray]:
        return prepared.engine.encode_spans(ready, ids, chosen)

    ids, places = prepared.run(work, text, special, errors, add_special_tokens)
    spans = _array(numpy, places, "int64").reshape(-1, 2)
    if chosen == "char" and pairs_before(text) is not None:
        assert isinstance(text, str)  # for mypy; bytes hold no surrogates
        # A surrogate pair is one character for the engine and two in the text that was given.
        spans += numpy.searchsorted(numpy.array(arguments.surrogate_pairs(text)), spans, side="left")
    before, after = template.around(prepared, add_special_tokens)
    made: IdArray = _array(numpy, ids, "uint32")
    if before or after:
        end = int(spans[-1, 1]) if len(spans) else 0
        made = numpy.concatenate([before, made, after]).astype("uint32")
        spans = numpy.concatenate([[[0, 0]] * len(before) or spans[:0], spans, [[end, end]] * len(after) or spans[:0]])
    return made, spans


def id_type(prepared: Prepared, dtype: object) -> str:
    """The name of the type that ids get; all of them must fit."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", getattr(dtype, "__name__", None))
    if not isinstance(name, str):
        raise ArgumentTypeError(
            f"dtype is {shown(dtype)} ({kind(dtype)}); it must be 'uint32', 'uint16', 'uint8' or 'smallest'"
        )
    largest = prepared.model.n_ids - 1
    if name == "smallest":
        return next(each for each, width in WIDTHS.items() if largest < 256**width)
    arguments.choice("dtype", name, (*reversed(WIDTHS), "smallest"))
    limit = 256 ** WIDTHS[name] - 1
    if largest > limit:
        raise ArgumentError(
            f"dtype is {name!r}, which holds ids up to {limit:,}; the largest id is {largest:,}; dtype='smallest' "
            "takes the smallest type that holds all"
        )
    return name


def numpy_module() -> Any:
    """NumPy, loaded by the first call that makes an array."""
    try:
        import numpy
    except ImportError as error:
        raise MissingPackageError(
            "arrays need NumPy: pip install 'bytepair[numpy]'; encode and encode_batch give lists without it"
        ) from error
    return numpy


def _array(numpy: Any, data: bytearray, name: str) -> Any:
    """A view that may be written to: nobody else holds these bytes."""
    return numpy.frombuffer(data, dtype=name)
