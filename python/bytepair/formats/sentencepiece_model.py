"""SentencePiece `.model` files that hold BPE.

Any two neighbours may merge there that spell a piece, the one with the best score first; that is a list of one merge
for each piece that merging arrives at. Where scores are equal, pieces are unused, or characters of pieces are none
themselves, no list says the same: such models keep the scores.

Source: google/sentencepiece 0.2, src/sentencepiece_model.proto, normalizer.cc, bpe_model.cc.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NoReturn

from bytepair._native import merges_of
from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError
from bytepair.formats import wire
from bytepair.frame import Added, Frame, Step
from bytepair.model import Model
from bytepair.patterns import NAMED

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
# The kinds of pieces that merging makes.
MERGED: Final = (NORMAL, UNUSED)
_KINDS: Final = {1: "unigram", 2: "BPE", 3: "word", 4: "char"}
MAX_PIECES: Final = 4_000_000


@dataclass(slots=True)
class _Piece:
    text: str = ""
    score: float = 0.0
    kind: int = NORMAL

    @property
    def order(self) -> tuple[float, float]:
        """What scores are compared by: 0.0 is above -0.0 there, which is what its trainer gives the first merge."""
        return self.score, math.copysign(1.0, self.score)


@dataclass(slots=True)
class _File:
    """What the file says; the defaults are those of its format."""

    pieces: list[_Piece] = field(default_factory=list)
    model_type: int = 1
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    unk_surface: str = " \u2047 "


def recognise(data: bytes) -> bool:
    """Whether it begins with the field of a piece, which holds a text."""
    return len(data) > 4 and data[0] == 0x0A and data[1] < 0x80 and data[2] == 0x0A


def read(data: bytes, where: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read a SentencePiece model.

    Args:
        data: the file.
        where: the file, for messages.
        pattern: must be None: the file says it.
        special_tokens: must be None: the file says them.

    Raises:
        ArgumentError: a pattern or special tokens were given.
        FormatError: it is broken, holds no BPE, or uses something that is not implemented.
    """
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(
                f"{name} is {value!r}, and {where} is a SentencePiece model, which has its own; leave {name} out"
            )
    file = _parsed(data, where)
    if file.model_type != 2:
        kind = _KINDS.get(file.model_type, f"of the unknown type {file.model_type}")
        raise FormatError(f"{where}: the model is {kind}; expected BPE, the only kind implemented")
    try:
        return _model(file, where)
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _parsed(data: bytes, where: str) -> _File:
    file = _File()
    for number, value, at in wire.fields(data, where):
        if number == 1:
            file.pieces.append(_piece(_message(value, where, at), where, at))
            if len(file.pieces) > MAX_PIECES:
                raise FormatError(f"{where}: byte {at}: more than {MAX_PIECES} pieces; that is no vocabulary")
        elif number == 2:
            _read_trainer(file, _message(value, where, at), where, at)
        elif number == 3:
            _read_normalizer(file, _message(value, where, at), where, at)
        elif number == 5:
            _refuse_denormalizer(_message(value, where, at), where, at)
        elif number != 4:  # what it tests itself with
            _refuse(where, at, f"the field {number} of the model")
    if not file.pieces:
        raise FormatError(f"{where}: it holds no pieces; get the file again")
    return file


def _message(value: object, where: str, at: int) -> bytes:
    if not isinstance(value, bytes):
        raise FormatError(f"{where}: byte {at}: {shown(value)} stands where a message is expected; get the file again")
    return value


def _refuse(where: str, at: int, what: str) -> NoReturn:
    raise FormatError(f"{where}: byte {at}: {what} is not implemented")


def _piece(data: bytes, where: str, start: int) -> _Piece:
    piece = _Piece()
    for number, value, at in wire.fields(data, where, start):
        if number == 1 and isinstance(value, bytes):
            piece.text = _text(value, "the piece", where, at)
        elif number == 2 and isinstance(value, float):
            piece.score = value
        elif number == 3 and isinstance(value, int):
            piece.kind = value
        else:
            _refuse(where, at, f"the field {number} of a piece")
    if not piece.text:
        raise FormatError(f"{where}: byte {start}: a piece is empty; every piece has a text")
    return piece


def _read_trainer(file: _File, data: bytes, where: str, start: int) -> None:
    """Only what decides ids; the rest says how it was trained."""
    wanted = {3: "model_type", 24: "whitespace_as_suffix", 35: "byte_fallback"}
    for number, value, at in wire.fields(data, where, start):
        if number in wanted:
            if not isinstance(value, int):
                raise FormatError(f"{where}: byte {at}: {wanted[number]} is {shown(value)}; expected a number")
            setattr(file, wanted[number], value if number == 3 else bool(value))
        elif number == 44:
            file.unk_surface = _text(_message(value, where, at), "unk_surface", where, at)


def _text(data: bytes, what: str, where: str, at: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError(f"{where}: byte {at}: {what} {shown(data)} is not UTF-8; get the file again") from None


def _read_normalizer(file: _File, data: bytes, where: str, start: int) -> None:
    flags = {3: "add_dummy_prefix", 4: "remove_extra_whitespaces", 5: "escape_whitespaces"}
    for number, value, at in wire.fields(data, where, start):
        if number in flags and isinstance(value, int):
            setattr(file, flags[number], bool(value))
        elif number == 2 and isinstance(value, bytes):
            file.charsmap = value
        elif number not in (1, 6):  # the name of the rules, and where they came from
            _refuse(where, at, f"the field {number} of the normalizer")


def _refuse_denormalizer(data: bytes, where: str, start: int) -> None:
    for number, value, at in wire.fields(data, where, start):
        if number == 2 and value:
            _refuse(where, at, "a denormalizer (rules for decoding)")


def _model(file: _File, where: str) -> Model:
    for i, piece in enumerate(file.pieces):
        if piece.kind not in (NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE):
            raise FormatError(
                f"{where}: piece {i}, {piece.text!r}, is of the type {piece.kind}; expected 1 (normal) to 6 (byte): "
                "get the file again"
            )
    unknown = [piece.text for piece in file.pieces if piece.kind == UNKNOWN]
    if len(unknown) != 1:
        raise FormatError(f"{where}: {len(unknown)} pieces stand for what is unknown; expected one")
    specials = {piece.text: i for i, piece in enumerate(file.pieces) if piece.kind in (UNKNOWN, CONTROL)}
    tokens = tuple(piece.text.encode() if piece.kind in (*MERGED, BYTE) else None for piece in file.pieces)
    added = tuple(
        Added(piece.text, i, piece.kind != USER_DEFINED, normalized=piece.kind == USER_DEFINED)
        for i, piece in enumerate(file.pieces)
        if piece.kind in (UNKNOWN, CONTROL, USER_DEFINED)
    )
    merges = _merges(file)
    if merges.unused:
        _refuse_two_ways(file, where)
    return Model(
        kind="merges",
        alphabet="chars",
        tokens=tokens,
        merges=merges.ranked,
        specials=specials,
        pattern=NAMED["none"],
        unk_token=unknown[0],
        frame=Frame(
            normalizer=(_normalizer(file),),
            cutting=(),
            decoder=(_decoder(file),),
            added=added,
            byte_fallback=file.byte_fallback,
            fuse_unk=True,
            leftmost=merges.leftmost,
            scores=merges.scores,
            unused=merges.unused,
        ),
    )


def _refuse_two_ways(file: _File, where: str) -> None:
    """Which halves of an unused piece come back is decided over the whole text; user-defined pieces part it here."""
    if all(piece.kind != USER_DEFINED for piece in file.pieces):
        return
    known = {piece.text for piece in file.pieces if piece.kind in MERGED}
    known.update(char for piece in file.pieces if piece.kind == UNUSED for char in piece.text)
    sizes = _sizes(known)
    for i, piece in enumerate(file.pieces):
        n_ways = sum(1 for _ in _halves(piece.text, known, sizes)) if piece.kind == UNUSED else 0
        if n_ways > 1:
            raise FormatError(
                f"{where}: piece {i}, {piece.text!r}, is unused, and made in {n_ways} ways, beside user-defined "
                "pieces; which way it is taken apart again is not implemented there"
            )


def _sizes(texts: Iterable[str]) -> list[int]:
    return sorted({len(text) for text in texts})


def _halves(text: str, known: Container[str], sizes: list[int]) -> Iterator[tuple[str, str]]:
    """The known halves of a text, of the known sizes: a file may hold long pieces, and to cut them all over is slow."""
    wanted = set(sizes)
    for cut in sizes:
        if len(text) - cut in wanted and text[:cut] in known and text[cut:] in known:
            yield text[:cut], text[cut:]


def _normalizer(file: _File) -> Step:
    kept = tuple(piece.text for piece in file.pieces if piece.kind == USER_DEFINED)
    settings: dict[str, Any] = {
        "precompiled_charsmap": file.charsmap,
        "add_dummy_prefix": file.add_dummy_prefix,
        "remove_extra_whitespaces": file.remove_extra_whitespaces,
        "escape_whitespaces": file.escape_whitespaces,
        "whitespace_as_suffix": file.whitespace_as_suffix,
        "kept": kept,
    }
    return Step("SentencePiece", settings)


def _decoder(file: _File) -> Step:
    names = ("add_dummy_prefix", "remove_extra_whitespaces", "unk_surface")
    # A control token stands in no text, and is none.
    invisible = tuple(piece.text for piece in file.pieces if piece.kind == CONTROL)
    return Step("SentencePiece", {name: getattr(file, name) for name in names} | {"invisible": invisible})


@dataclass(frozen=True, slots=True)
class _Merges:
    """The list, and the pairs of the worst score, of which sentencepiece takes the leftmost; or else the scores."""

    ranked: tuple[tuple[int, int], ...] = ()
    leftmost: tuple[tuple[int, int], ...] = ()
    scores: tuple[tuple[int, int], ...] = ()
    unused: tuple[int, ...] = ()


def _merges(file: _File) -> _Merges:
    listed = None if _needs_scores(file) else _listed(file)
    return _by_score(file) if listed is None else listed


def _needs_scores(file: _File) -> bool:
    """Whether some pieces are taken apart again, or hold characters that are none."""
    if any(piece.kind == UNUSED for piece in file.pieces):
        return True
    alone = {piece.text for piece in file.pieces if len(piece.text) == 1 and piece.kind in (NORMAL, USER_DEFINED)}
    return any(not alone.issuperset(piece.text) for piece in file.pieces if piece.kind == NORMAL)


def _by_score(file: _File) -> _Merges:
    merged = [(i, piece) for i, piece in enumerate(file.pieces) if piece.kind in MERGED]
    places = {order: place for place, order in enumerate(sorted({piece.order for _, piece in merged}, reverse=True))}
    return _Merges(
        scores=tuple((i, places[piece.order]) for i, piece in merged),
        unused=tuple(i for i, piece in merged if piece.kind == UNUSED),
    )


def _listed(file: _File) -> _Merges | None:
    """As a list; None where two merges of one score come before others."""
    order = [i for i, piece in enumerate(file.pieces) if piece.kind == NORMAL]
    order.sort(key=lambda i: file.pieces[i].order, reverse=True)
    worst = _equal(file, order)
    ranked = order[: len(order) - len(worst)]
    # The symbols that only the last ones are made of.
    symbols = [i for i in worst if len(file.pieces[i].text) == 1]
    found = merges_of([file.pieces[i].text.encode() for i in ranked + symbols], "chars")
    for (_, _, first), (_, _, second) in pairwise(found):
        if file.pieces[ranked[first]].order == file.pieces[ranked[second]].order:
            return None
    leftmost = _leftmost(file, ranked, worst)
    if leftmost is None:
        return None
    places = ranked + symbols
    return _Merges(tuple((places[left], places[right]) for left, right, _ in found), leftmost)


def _equal(file: _File, order: list[int]) -> list[int]:
    """The pieces at the end that have one score, if there are several that more than one character spells."""
    worst = [i for i in order if file.pieces[i].order == file.pieces[order[-1]].order]
    return worst if sum(len(file.pieces[i].text) > 1 for i in worst) > 1 else []


def _leftmost(file: _File, ranked: list[int], worst: list[int]) -> tuple[tuple[int, int], ...] | None:
    """All pairs that spell a piece of the worst score. They come last if no other merge needs what they make."""
    long = {file.pieces[i].text for i in worst if len(file.pieces[i].text) > 1}
    sizes = _sizes(long)
    for i in ranked:
        text = file.pieces[i].text
        if any(text[:size] in long or text[-size:] in long for size in sizes if size < len(text)):
            return None
    ids = {piece.text: i for i, piece in enumerate(file.pieces) if piece.kind == NORMAL}
    sizes = _sizes(ids)
    cuts = (halves for text in sorted(long) for halves in _halves(text, ids, sizes))
    return tuple((ids[left], ids[right]) for left, right in cuts)
