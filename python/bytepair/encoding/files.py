"""The ids of a file that may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from bytepair import arguments
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.corpus import unreadable
from bytepair.encoding import template
from bytepair.encoding.arrays import WIDTHS, id_type, numpy_module
from bytepair.errors import ArgumentTypeError, UnknownCharacterError
from bytepair.prepared import Prepared

Work = Callable[[bytes, Sequence[int] | None], Any]


def encode_file(
    prepared: Prepared,
    path: str | PathLike[str],
    special: SpecialPolicy,
    add_special_tokens: bool,
    dtype: Any,
    block_bytes: int,
) -> Iterator[Any]:
    """The ids of a file part by part; what is wrong with the arguments or the path is said before the first."""
    ids = prepared.special_ids(special, "replace", add_special_tokens)
    n_bytes = arguments.integer("block_bytes", block_bytes, 1, 2**40)
    work, packed = _work(prepared, dtype)
    before, after = ([packed(each)] if each else [] for each in template.around(prepared, add_special_tokens))
    file = _readable(path)
    return chain(before, _encoded(prepared, file, ids, n_bytes, work), after)


def _work(prepared: Prepared, dtype: Any) -> tuple[Work, Callable[[list[int]], Any]]:
    """What makes a part of a text, and what makes one of ids."""
    if dtype is None:
        return prepared.engine.encode, list
    numpy, name = numpy_module(), id_type(prepared, dtype)

    def work(text: bytes, ids: Sequence[int] | None) -> Any:
        return numpy.frombuffer(prepared.engine.encode_array(text, ids, WIDTHS[name]), dtype=name)

    return work, lambda ids: numpy.array(ids, dtype=name)


def _readable(path: object) -> Path:
    if not isinstance(path, str | PathLike) or not isinstance(fspath(path), str):
        raise ArgumentTypeError(f"path is {shown(path)} ({kind(path)}); it must be a str or a path")
    file = Path(path)
    try:
        with file.open("rb"):
            return file
    except OSError as error:
        raise unreadable(str(file), error) from error
    except ValueError as error:
        raise unreadable(str(file), OSError(str(error))) from error


def _encoded(
    prepared: Prepared, path: Path, ids: tuple[int, ...] | None, block_bytes: int, work: Work
) -> Iterator[Any]:
    for start, part in _parts(prepared, path, prepared.all_special_ids if ids is None else ids, block_bytes):
        if ids is None:
            prepared.refuse_special(part, "replace", repr(str(path)), start)
        try:
            yield work(part, ids)
        except UnknownCharacterError as error:
            error.add_note(f"the index counts from byte {start:,} of {str(path)!r}")
            raise


def _parts(prepared: Prepared, path: Path, ids: tuple[int, ...], block_bytes: int) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from parts_of_stream(prepared, file, ids, block_bytes)
    except OSError as error:
        raise unreadable(str(path), error) from error


def parts_of_stream(
    prepared: Prepared, file: BinaryIO, ids: tuple[int, ...], block_bytes: int
) -> Iterator[tuple[int, bytes]]:
    """The contents, cut where the parts have the ids of the whole, each with its first byte."""
    held, start = b"", 0
    # More is read where no cut was found, so that what is searched again stays a part of what is read.
    while block := file.read(max(block_bytes, len(held))):
        held += block
        cut = prepared.engine.last_certain_cut(held, ids)
        if cut is not None:
            yield start, held[:cut]
            held, start = held[cut:], start + cut
    if held:
        yield start, held
