"""What a tokenizer is: how text becomes symbols, the merges or ranks, and the tokens by id. It never changes."""

from __future__ import annotations

import hashlib
import json
import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Final, cast

from bytepair import _native, parts
from bytepair._native import Engine, Splitter
from bytepair.arguments import shown
from bytepair.errors import ModelError
from bytepair.frame import Frame
from bytepair.frozen import FrozenDict
from bytepair.parts import Alphabet, ByteOrder, Kind, SpecialIds, Style
from bytepair.patterns import Pattern
from bytepair.render import number_of


@dataclass(frozen=True, slots=True)
class Extension:
    """A later training that kept all tokens and merges there were, and added its own behind them.

    Args:
        first_id: its tokens have this id and those after it: first the characters that were new, then merged ones.
        first_merge: the rank of its first merge.
        ties: the rule it was learned by.
        corpus_fingerprint: of the pieces and counts it was learned from.
        version: of the library that learned it.
    """

    first_id: int
    first_merge: int
    ties: str | None = None
    corpus_fingerprint: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The parts of a tokenizer.

    Args:
        kind: "merges" (the rank of a pair counts) or "ranks" (as tiktoken: the id of the joint spelling counts).
        alphabet: "bytes" or "chars".
        tokens: the spelling of each ordinary token by id, 0 first; None where the id is a special or no token.
        merges: (left id, right id) by rank, 0 first; empty for ranks. A pair that was learned twice stands there twice.
        specials: text of each special token -> its id, the unknown token's among them.
        pattern: what cuts text into pieces.
        end_of_word: the marker at the end of each piece, or None.
        end_of_word_style: "symbol": it is the last symbol; "suffix": it is glued to the last byte or character.
        unk_token: which special stands for unknown characters, or None.
        add_prefix_space: whether text that does not begin with a space gets one.
        byte_order: how the byte tokens are numbered: "value", "gpt2", or None where it is neither, or not known.
        ties: the rule it was learned by, or None where that is not known. So it is with all that follows.
        special_ids: whether specials came "last" or "first".
        min_count: the smallest count that was merged.
        max_token_bytes: the longest token allowed, in bytes.
        corpus_fingerprint: of the pieces and counts it was learned from.
        merge_counts: the count of each merged pair when it was merged, by rank.
        version: of the library that learned it.
        extensions: trainings that came later, in order; what stands above is then of the first one.
        frame: what a loaded file does round the merges beyond all this, or None.

    Raises:
        ModelError: a part has a wrong type or value, or parts contradict each other.

    Two models are equal when all that decides ids and decoding is, as with tokenizers; how they were learned plays no
    part.

    >>> from bytepair.patterns import resolve
    >>> model = Model("merges", "chars", (b"a", b"b", b"ab"), ((0, 1),), {"<|end|>": 3}, resolve("none"))
    >>> model.spellings()
    [b'a', b'b', b'ab', b'<|end|>']
    """

    kind: Kind
    alphabet: Alphabet
    tokens: tuple[bytes | None, ...]
    merges: tuple[tuple[int, int], ...]
    specials: Mapping[str, int]
    pattern: Pattern
    end_of_word: str | None = None
    end_of_word_style: Style = "symbol"
    unk_token: str | None = None
    add_prefix_space: bool = False
    byte_order: ByteOrder | None = None
    ties: str | None = None
    special_ids: SpecialIds | None = None
    min_count: int | None = None
    max_token_bytes: int | None = None
    corpus_fingerprint: str | None = None
    merge_counts: tuple[int, ...] | None = None
    version: str | None = None
    extensions: tuple[Extension, ...] = ()
    frame: Frame | None = None
    _fingerprint: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        parts.check({each.name: getattr(self, each.name) for each in fields(self) if each.init})
        object.__setattr__(self, "specials", FrozenDict(dict(self.specials)))
        object.__setattr__(self, "tokens", _without_end(self.tokens))
        _check(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    def fingerprint(self) -> str:
        """64 hex digits over all that decides ids and decoding, not over how the model was learned. Computed once."""
        if not self._fingerprint:
            self._fingerprint.append(_fingerprint(self))
        return self._fingerprint[0]

    @property
    def n_ids(self) -> int:
        """One more than the largest id."""
        added = self.frame.added if self.frame else ()
        largest = max(self.specials.values(), default=-1)
        return max(len(self.tokens), max(largest, max((each.id for each in added), default=-1)) + 1)

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown token; None where there is none."""
        if self.unk_token is None:
            return None
        number = self.specials.get(self.unk_token)
        return self.tokens.index(self.unk_token.encode()) if number is None else number

    def spellings(self) -> list[bytes | None]:
        """The bytes of every token by id, specials as their text; None where an id is no token."""
        spelled = [*self.tokens, *([None] * (self.n_ids - len(self.tokens)))]
        for text, number in self.specials.items():
            spelled[number] = text.encode()
        for added in self.frame.added if self.frame else ():
            if spelled[added.id] is None:
                spelled[added.id] = added.text.encode()
        return spelled

    def spelled_merges(self) -> list[tuple[bytes, bytes]]:
        """The merges by rank, spelled in bytes."""
        tokens = cast("tuple[bytes, ...]", self.tokens)
        return [(tokens[left], tokens[right]) for left, right in self.merges]

    def is_symbol(self, token: bytes) -> bool:
        """Whether a token is one before any merge: a byte, a character, the marker, or one of those with the marker.

        Of a model with a frame also: a character with what stands before all but the first, and the token of a byte.
        """
        marker = (self.end_of_word or "").encode()
        if marker and self.end_of_word_style == "symbol" and token == marker:
            return True
        if marker and self.end_of_word_style == "suffix" and token != marker:
            token = token.removesuffix(marker)
        if self.frame is not None:
            if self.frame.byte_of(token) is not None:
                return True
            token = token.removeprefix(_prefix(self)) or token
        return len(token if self.alphabet == "bytes" else token.decode()) == 1

    def engine(self, cache_bytes: int | None = None) -> Engine:
        """The compiled form that encodes and decodes; each of its threads remembers pieces in so many bytes."""
        return Engine(
            Splitter(self.pattern.name, self.pattern.regex),
            kind=self.kind,
            alphabet=self.alphabet,
            tokens=self.tokens,
            merges=self.merges,
            specials=dict(self.specials),
            unk_id=self.unk_id,
            end_of_word=None if self.end_of_word is None else self.end_of_word.encode(),
            add_prefix_space=self.add_prefix_space,
            end_of_word_style=self.end_of_word_style,
            frame=self._engine_frame(),
            cache_bytes=cache_bytes,
        )

    def without_tables(self) -> Model:
        """The same without tokens and merges: to see whether the rest can be built, which takes no time."""
        frame = None if self.frame is None else replace(self.frame, leftmost=(), scores=(), unused=(), replaced=())
        names = {
            "kind": "merges",
            "alphabet": "chars",
            "tokens": (),
            "merges": (),
            "end_of_word": None,
            "end_of_word_style": "symbol",
        }
        parts = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return trusted(**(parts | names | {"frame": frame, "unk_token": None}))

    def _engine_frame(self) -> dict[str, Any] | None:
        if self.frame is None:
            return None
        suffix = self.end_of_word if self.end_of_word_style == "suffix" else None
        return self.frame.for_engine(self.alphabet, suffix)

    def __reduce__(self) -> tuple[Any, ...]:
        return unpack, (pack(self),)


def trusted(*, specials: Mapping[str, int], **parts: Any) -> Model:
    """The model of parts that are known to be right, all named: they are not checked, which would take its time."""
    model = object.__new__(Model)
    defaults = {each.name: each.default for each in fields(Model) if each.default is not MISSING}
    for name, value in (defaults | parts | {"specials": FrozenDict(specials), "_fingerprint": []}).items():
        object.__setattr__(model, name, value)
    object.__setattr__(model, "tokens", _without_end(model.tokens))
    return model


def of_tables(*, tokens: tuple[bytes | None, ...], **parts: Any) -> Model:
    """The model of parts whose tokens and merges are known to fit: the rest is checked.

    Raises:
        ModelError: as `Model`.
    """
    model = trusted(tokens=_without_end(tokens), **parts)
    _check_extensions(model)
    _check_specials(model)
    if model.merge_counts is not None and len(model.merge_counts) != len(model.merges):
        raise ModelError(
            f"{number_of(len(model.merge_counts), 'merge count')} for {number_of(len(model.merges), 'merge')}; there "
            "must be one each"
        )
    return model


def byte_order_of(tokens: Iterable[bytes | None]) -> ByteOrder | None:
    """How a byte alphabet is numbered, from its tokens by id."""
    order = [token[0] for token in tokens if token is not None and len(token) == 1]
    if order == sorted(order):
        return "value"
    return "gpt2" if order == GPT2_BYTES else None


def gpt2_characters() -> dict[int, str]:
    """The character that GPT-2's files write for each byte: itself where it prints, else one from U+0100 on.

    Source: openai/gpt-2, src/encoder.py, bytes_to_unicode.

    Returns:
        byte -> character, in GPT-2's order: the 188 that print first.
    """
    printing = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printing]
    return {byte: chr(byte) for byte in printing} | {byte: chr(256 + index) for index, byte in enumerate(others)}


GPT2_BYTES: Final = list(gpt2_characters())


def _without_end(tokens: tuple[bytes | None, ...]) -> tuple[bytes | None, ...]:
    """Without the ids at the end that are no ordinary token, so that the same model is always equal."""
    end = len(tokens)
    while end and tokens[end - 1] is None:
        end -= 1
    return tokens[:end]


def _check(model: Model) -> None:
    _check_extensions(model)
    ordinary = Counter(token for token in model.tokens if token is not None)
    for token, times in ordinary.items():
        if times > 1:
            ids = [number for number, each in enumerate(model.tokens) if each == token]
            raise ModelError(f"the token {token!r} has the ids {ids}; each spelling may have one")
    _check_specials(model)
    _check_alphabet(model, ordinary)
    _check_order(model)
    _check_merges(model, ordinary)
    if model.merge_counts is not None and len(model.merge_counts) != len(model.merges):
        raise ModelError(
            f"{number_of(len(model.merge_counts), 'merge count')} for {number_of(len(model.merges), 'merge')}; there "
            "must be one each"
        )


def _check_specials(model: Model) -> None:
    owners: dict[int, str] = {}
    for text, number in model.specials.items():
        if number < 0:
            raise ModelError(f"the special token {text!r} has the id {number}; ids are 0 or more")
        # A wrong number must not ask for a table of billions.
        if number > 2 * len(model.tokens) + 1_000_000:
            n_tokens = len(model.tokens)
            raise ModelError(
                f"the special token {text!r} has the id {number}, far past the last of {n_tokens}; lower it"
            )
        if number in owners:
            raise ModelError(f"the special tokens {owners[number]!r} and {text!r} both have the id {number}")
        # A control token may be an ordinary one as well, in files from elsewhere, and spell other bytes there.
        stands_apart = model.frame is None and number < len(model.tokens)
        if stands_apart and model.tokens[number] not in (None, text.encode()):
            raise ModelError(f"the special token {text!r} has the id {number} of the token {model.tokens[number]!r}")
        owners[number] = text
    if model.unk_token is not None and model.unk_token not in model.specials and not _unknown_is_ordinary(model):
        raise ModelError(
            f"the unknown token {model.unk_token!r} is not among the special tokens {list(model.specials)}"
        )


def _unknown_is_ordinary(model: Model) -> bool:
    return model.frame is not None and model.unk_token is not None and model.unk_token.encode() in model.tokens


def _check_alphabet(model: Model, ordinary: Mapping[bytes, int]) -> None:
    missing = [byte for byte in range(256) if bytes([byte]) not in ordinary] if model.alphabet == "bytes" else []
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ModelError(f"the byte {missing[0]:#04x}{more} has no token; a byte-level model needs all 256")
    if model.alphabet == "chars" and model.kind == "ranks":
        raise ModelError("a model of ranks works on bytes; its alphabet cannot be characters")
    _check_marker(model, ordinary)


def _check_marker(model: Model, ordinary: Mapping[bytes, int]) -> None:
    marker = model.end_of_word
    if model.end_of_word_style == "symbol":
        if marker is not None and marker.encode() not in ordinary:
            raise ModelError(f"the end-of-word marker {marker!r} is no token")
        return
    if marker is None:
        raise ModelError("end_of_word_style is 'suffix', and there is no end_of_word to glue to the last symbol")
    marked = [bytes([byte]) + marker.encode() for byte in range(256)] if model.alphabet == "bytes" else []
    missing = next((token for token in marked if token not in ordinary), None)
    if missing is not None:
        raise ModelError(
            f"{missing!r}, a byte with the end-of-word marker, is no token; a byte-level model needs all 256"
        )


def _check_order(model: Model) -> None:
    """What is said of the order of ids, against the ids."""
    order = byte_order_of(model.tokens) if model.alphabet == "bytes" else None
    if model.byte_order not in (None, order):
        raise ModelError(f"byte_order is {model.byte_order!r}, and the ids of the tokens say {order!r}")
    if model.special_ids not in (None, *special_ids_of(model.tokens, model.specials, model.extensions)):
        raise ModelError(f"special_ids is {model.special_ids!r}, and the special tokens are {dict(model.specials)}")


def special_ids_of(
    tokens: tuple[bytes | None, ...], specials: Mapping[str, int], extensions: tuple[Extension, ...]
) -> tuple[SpecialIds, ...]:
    """What `special_ids` may have been for these ids; "last" stays true of tokens that come later."""
    if extensions:
        tokens = tokens[: extensions[0].first_id]
    come_first = sorted(specials.values()) == [*range(len(specials))]
    if not specials or (come_first and len(tokens) <= len(specials)):
        return ("last", "first")
    return ("first",) if come_first else ("last",)


def _check_merges(model: Model, ordinary: Mapping[bytes, int]) -> None:
    # All at once, since there may be 200,000; one by one only to find the one that is wrong.
    tokens = cast("tuple[bytes, ...]", model.tokens)
    try:
        prefix = _prefix(model)
        if prefix:
            joined = {tokens[left] + tokens[right].removeprefix(prefix) for left, right in model.merges}
        else:
            joined = {tokens[left] + tokens[right] for left, right in model.merges}
        # `difference` takes a third of the time of `<=` (2026-12).
        if min(map(min, model.merges), default=0) >= 0 and not joined.difference(ordinary):
            return
    except (IndexError, TypeError):
        pass
    for rank, pair in enumerate(model.merges):
        _check_merge(model, rank, pair, ordinary)


def _prefix(model: Model) -> bytes:
    return (model.frame.subword_prefix or "").encode() if model.frame else b""


def _check_merge(model: Model, rank: int, pair: tuple[int, int], ordinary: Mapping[bytes, int]) -> None:
    parts = [model.tokens[part] if 0 <= part < len(model.tokens) else None for part in pair]
    left, right = parts
    if left is None or right is None:
        raise ModelError(f"merge {rank} joins the ids {pair[0]} and {pair[1]}, one of which is no ordinary token")
    joint = left + right.removeprefix(_prefix(model))
    if joint not in ordinary:
        raise ModelError(f"merge {rank} makes {joint!r} of {left!r} and {right!r}, which is no token")


def _check_extensions(model: Model) -> None:
    given = model.extensions
    if not isinstance(given, tuple) or not all(isinstance(each, Extension) for each in given):
        raise ModelError(f"extensions is {shown(given)} ({type(given).__name__}); it must be a tuple of Extension")
    before = (0, 0)
    for number, each in enumerate(model.extensions):
        after = (each.first_id, each.first_merge)
        if after[0] < before[0] or after[1] < before[1] or after[1] > len(model.merges):
            raise ModelError(
                f"extension {number} begins with the id {after[0]} and the merge {after[1]}; there are "
                f"{number_of(len(model.merges), 'merge')}, and the one before begins with {before[0]} and {before[1]}"
            )
        before = after


def _fingerprint(model: Model) -> str:
    digest = hashlib.sha256()
    head = [
        model.kind,
        model.alphabet,
        model.pattern.fingerprint,
        model.end_of_word,
        model.end_of_word_style,
        model.unk_token,
        model.add_prefix_space,
        sorted(model.specials.items()),
    ]
    if model.frame is not None:
        head.append(model.frame.described())
    digest.update(json.dumps(head).encode())
    *tables, _ = _native.pack(model.tokens, model.merges, False)
    for part in tables:
        digest.update(struct.pack("<Q", len(part)))
        digest.update(part)
    return digest.hexdigest()


_PACKED_APART: Final = {"tokens", "merges", "specials", "_fingerprint"}


def pack(model: Model) -> tuple[Any, ...]:
    """A small picture of the model, for pickle: the same model gives the same one. What merges spell is left out."""
    rest = {each.name: getattr(model, each.name) for each in fields(model) if each.name not in _PACKED_APART}
    tables = _native.pack(model.tokens, model.merges, True)
    return (*tables, tuple(model.specials.items()), rest)


def unpack(packed: tuple[Any, ...]) -> Model:
    """The model of a picture that `pack` made: it was checked before, and is not checked again."""
    spelled, sizes, pairs, n_made, specials, rest = packed
    tokens, merges = _native.unpack(spelled, sizes, pairs, n_made)
    return trusted(tokens=tokens, merges=merges, specials=dict(specials), **rest)
