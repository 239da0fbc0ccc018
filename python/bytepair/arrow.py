"""Texts in Arrow arrays: a column of a table goes to the engine as it lies in memory, without a Python str for each."""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeAlias

from bytepair._native import ArrowTexts
from bytepair.arguments import kind
from bytepair.errors import ArgumentTypeError, MissingPackageError


class ArrowArray(Protocol):
    """One array, such as `pyarrow.Array`."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any: ...


class ArrowStream(Protocol):
    """Several arrays in a row, such as `pyarrow.ChunkedArray`, or a column of polars or pandas."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...


ArrowStrings: TypeAlias = "ArrowArray | ArrowStream"

# Bytes of an offset, and whether the values are str for Python.
LAYOUTS: Final = {"string": (4, True), "large_string": (8, True), "binary": (4, False), "large_binary": (8, False)}
# What other layouts are made into.
REMADE: Final = {"string_view": "large_string", "binary_view": "large_binary"}


def is_arrow(given: object) -> bool:
    """Whether it is an array of Arrow, of whatever package."""
    return hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__")


def texts_of(given: Any) -> ArrowTexts:
    """The texts of an Arrow array, or one clear error."""
    pyarrow = _pyarrow_module()
    try:
        array = _plain(pyarrow, given)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise ArgumentTypeError(f"texts is a {kind(given)} that pyarrow cannot read as an array: {error}") from error
    layout = LAYOUTS.get(str(array.type))
    if layout is None:
        raise ArgumentTypeError(
            f"texts is an Arrow array of {array.type} ({kind(given)}); it must be one of strings or binary: "
            'table["text"] takes one column, array.cast("string") makes strings'
        )
    if array.null_count:
        index = array.is_null().index(True).as_py()
        raise ArgumentTypeError(
            f"texts[{index}] is null, one of {array.null_count:,}; each must be a text: array.drop_null() leaves nulls "
            'out, array.fill_null("") makes empty texts of them'
        )
    chunks = [(*chunk.buffers()[1:], chunk.offset, len(chunk)) for chunk in array.chunks]
    return ArrowTexts(chunks, *layout)


def _plain(pyarrow: Any, given: Any) -> Any:
    """A chunked array, of offsets and data where the values are strings or binary in another layout."""
    if isinstance(given, pyarrow.ChunkedArray):
        array = given
    elif hasattr(given, "__arrow_c_stream__"):
        array = pyarrow.chunked_array(given)
    else:
        array = pyarrow.chunked_array([pyarrow.array(given)])
    if pyarrow.types.is_dictionary(array.type):
        array = pyarrow.chunked_array([chunk.dictionary_decode() for chunk in array.chunks], array.type.value_type)
    remade = REMADE.get(str(array.type))
    return array if remade is None else array.cast(getattr(pyarrow, remade)())


def _pyarrow_module() -> Any:
    """PyArrow, which knows where an array lies in memory."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPackageError(
            "texts in an Arrow array need PyArrow: pip install 'bytepair[arrow]'; a list of str needs nothing"
        ) from error
    return pyarrow
