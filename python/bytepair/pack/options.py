"""What `pack` takes, checked, and what of it decides the bytes that are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from bytepair import arguments
from bytepair.arguments import Special, kind, shown
from bytepair.corpus import BadRecords, Document, Errors, Reading, checked_reading
from bytepair.errors import ArgumentError, ArgumentTypeError
from bytepair.tokenizer import Tokenizer

FormatName: TypeAlias = Literal["npy", "bin", "megatron", "parquet"]
FORMATS: Final[tuple[FormatName, ...]] = ("npy", "bin", "megatron", "parquet")
SHARD_BYTES: Final = 1 << 27
# A shard is held in memory, and its places in its tables are int32.
_MOST_SHARD_BYTES: Final = 1 << 33
# The last sequence of a shard is filled up in memory.
_MOST_SEQUENCE: Final = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options that were checked; see `pack`."""

    format: FormatName
    bos: int | None
    eos: int | None
    sequence: int | None
    pad: int | None
    shuffle: int | None
    validation: float
    shard_bytes: int
    special: Special
    reading: Reading
    dtype: str
    n_ids: int

    def deciding(self) -> dict[str, Any]:
        """The options that decide the bytes of the shards, as JSON holds them."""
        special = self.special if isinstance(self.special, str) else sorted(self.special)
        return {
            "format": self.format,
            "dtype": self.dtype,
            "bos": self.bos,
            "eos": self.eos,
            "sequence": self.sequence,
            "pad": self.pad,
            "shuffle": self.shuffle,
            "validation": self.validation,
            "shard_bytes": self.shard_bytes,
            "special": special,
            "document": self.reading.document,
            "field": self.reading.field,
            "errors": self.reading.errors,
            "bad_records": self.reading.bad_records,
        }


def checked(
    tok: Tokenizer,
    *,
    format: FormatName,
    bos: str | int | None,
    eos: str | int | None,
    sequence: int | None = None,
    pad: str | int | None = None,
    shuffle: int | None = None,
    validation: float = 0.0,
    shard_bytes: int | str = SHARD_BYTES,
    special: Special,
    document: Document,
    field: str,
    errors: Errors,
    bad_records: BadRecords,
) -> Plan:
    """Every value checked, before any work is done."""
    if not isinstance(tok, Tokenizer):
        raise arguments.no_tokenizer("pack", tok)
    if pad is not None and sequence is None:
        raise ArgumentError(
            f"pad is {shown(pad)}, and there is nothing to fill up; give sequence=..., or leave pad out"
        )
    n_ids = tok._model.n_ids
    return Plan(
        format=arguments.choice("format", format, FORMATS),
        bos=_token("bos", bos, tok),
        eos=_token("eos", eos, tok),
        sequence=None if sequence is None else arguments.integer("sequence", sequence, 1, _MOST_SEQUENCE),
        pad=_token("pad", pad, tok),
        shuffle=None if shuffle is None else arguments.integer("shuffle", shuffle, 0, 2**63 - 1),
        validation=_share(validation),
        shard_bytes=arguments.integer("shard_bytes", arguments.size("shard_bytes", shard_bytes), 1, _MOST_SHARD_BYTES),
        special=_special(special, tok.special_tokens),
        reading=checked_reading(document, field, errors, bad_records),
        dtype=_dtype(n_ids, format),
        n_ids=n_ids,
    )


def _dtype(n_ids: int, format: str) -> str:
    """The smallest type of two bytes or four that holds all ids; Megatron knows no unsigned one of four."""
    if n_ids <= 1 << 16:
        return "uint16"
    return "int32" if format == "megatron" else "uint32"


def _token(name: str, value: object, tok: Tokenizer) -> int | None:
    """The id of a token that is put between documents."""
    if value is None:
        return None
    if isinstance(value, str):
        known = tok.special_tokens
        if value not in known:
            raise ArgumentError(
                f"{name} is {shown(value)}, which is no special token here; {arguments.listed(known)}; an int names a "
                "token by its id"
            )
        return known[value]
    number = arguments.integer(name, value, 0)
    tok.token_bytes(number)
    return number


def _special(value: Special, known: Mapping[str, int]) -> Special:
    arguments.special_policy(value, known)
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(f"validation is {shown(value)} ({kind(value)}); it must be a number from 0 to 1")
    if not 0 <= value < 1:
        raise ArgumentError(
            f"validation is {shown(value)}; it must be at least 0 and below 1, the part of the documents that is kept "
            "for validation"
        )
    return float(value)
