"""What a tally says beside its counts: how the text was cut, how much was read, which shards; and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError
from bytepair.patterns import NAMED, Pattern
from bytepair.tally.sample import Sample

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class About:
    """What a tally says beside its counts.

    Args:
        pattern: what cut the documents.
        documents: how many were read; None where the pieces were given counted.
        n_bytes: in all documents; in all pieces where they were given counted.
        borders: the special tokens whose text cut the documents; None where the pieces were given counted.
        refused: whether those were an error instead.
        add_prefix_space: whether documents were given a space in front; None where the pieces were given counted.
        shards: what the caller calls the parts of the corpus that are in it.
        samples: what was asked for, where only a part of a corpus was read; of merged tallies all of it.
        n_bytes_in_all: in the corpora that `samples` were drawn from, and those that were read as a whole; None where
            there is no sample, or where it is not known.
        bad_records: how many records without a text were left out, or replaced by empty documents.
    """

    pattern: Pattern
    documents: int | None = None
    n_bytes: int = 0
    borders: frozenset[str] | None = None
    refused: bool = False
    add_prefix_space: bool | None = None
    shards: frozenset[str] = field(default_factory=frozenset)
    samples: frozenset[Sample] = field(default_factory=frozenset)
    n_bytes_in_all: int | None = None
    bad_records: int = 0

    def merged(self, other: About) -> About:
        """What is true of both together.

        Raises:
            ArgumentError: they were cut in different ways, or both hold one shard.
        """
        _refuse_differences(self, other)
        known = self.documents is not None and other.documents is not None
        return replace(
            self,
            documents=self.documents + other.documents if known else None,  # type: ignore[operator]
            n_bytes=self.n_bytes + other.n_bytes,
            borders=other.borders if self.borders is None else self.borders,
            refused=all(each.refused for each in (self, other) if each.borders is not None)
            and not (self.borders is None and other.borders is None),
            add_prefix_space=other.add_prefix_space if self.add_prefix_space is None else self.add_prefix_space,
            shards=self.shards | other.shards,
            samples=self.samples | other.samples,
            n_bytes_in_all=_in_all(self, other),
            bad_records=self.bad_records + other.bad_records,
        )

    def to_json(self, sources: frozenset[str]) -> str:
        """The same bytes for the same content."""
        record = {
            "format": FORMAT,
            "pattern": {
                "name": self.pattern.name,
                "definition": self.pattern.regex,
                "fingerprint": self.pattern.fingerprint,
            },
            "documents": self.documents,
            "bytes": self.n_bytes,
            "borders": None if self.borders is None else sorted(self.borders),
            "borders_refused": self.refused,
            "add_prefix_space": self.add_prefix_space,
            "shards": sorted(self.shards),
            "sources": sorted(sources),
            "samples": [[each.fraction, each.seed] for each in sorted(self.samples)],
            "bytes_in_all": self.n_bytes_in_all,
        }
        if self.bad_records:
            record["bad_records"] = self.bad_records
        return json.dumps(record, sort_keys=True, separators=(",", ":"))


def _in_all(one: About, other: About) -> int | None:
    """What both were drawn from; a corpus that was read as a whole is its own."""
    if not one.samples and not other.samples:
        return None
    sizes = [each.n_bytes_in_all if each.samples else each.n_bytes for each in (one, other)]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _refuse_differences(one: About, other: About) -> None:
    if one.pattern.fingerprint != other.pattern.fingerprint:
        raise ArgumentError(
            f"the tallies were cut by different patterns, {_named(one.pattern, other.pattern)}, so their pieces do not "
            "add up; count one of the corpora again with the pattern of the other"
        )
    if None not in (one.borders, other.borders) and one.borders != other.borders:
        raise ArgumentError(
            f"the tallies were cut at different special tokens, {_listed(one)} and {_listed(other)}; count one of the "
            "corpora again with the same special_tokens and special"
        )
    if None not in (one.add_prefix_space, other.add_prefix_space) and one.add_prefix_space != other.add_prefix_space:
        raise ArgumentError(
            f"one tally was made with add_prefix_space={one.add_prefix_space} and the other with "
            f"{other.add_prefix_space}; count one of the corpora again"
        )
    twice = sorted(one.shards & other.shards)
    if twice:
        more = f" (and {len(twice) - 1:,} more)" if len(twice) > 1 else ""
        raise ArgumentError(
            f"both tallies hold the shard {twice[0]!r}{more}, which would be counted twice; leave one of them out"
        )


def _named(one: Pattern, other: Pattern) -> str:
    if one.text == other.text:
        return f"{one.name!r} as {one.regex!r} and as {other.regex!r}"
    return f"{one.text!r} and {other.text!r}"


def _listed(about: About) -> str:
    return shown(sorted(about.borders or ()), 200)


def from_json(data: bytes, where: str) -> tuple[About, frozenset[str]]:
    """What `to_json` wrote, and the sources.

    Raises:
        FormatError: naming the file and what is wrong in it.
    """
    try:
        record = json.loads(data)
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        lone = error.object[error.start]
        raise FormatError(
            f"{where}: its metadata holds the lone surrogate {lone!r}, which is no text; the file is broken or was "
            "changed by hand, get it again"
        ) from None
    except (ValueError, RecursionError):
        raise FormatError(
            f"{where}: its metadata, {shown(data)}, is no JSON; the file is broken, get it again"
        ) from None
    if not isinstance(record, dict):
        raise _bad(where, "the whole", record, "an object")
    version = record.get("format")
    if version != FORMAT:
        raise FormatError(
            f"{where}: it is a tally of format version {shown(version)}, and this bytepair reads version {FORMAT}; "
            "update bytepair"
        )
    known = _Record(record, where)
    about = About(
        pattern=_pattern(known),
        documents=known.number("documents", optional=True),
        n_bytes=known.number("bytes") or 0,
        borders=None if record.get("borders") is None else known.texts("borders"),
        refused=known.flag("borders_refused") or False,
        add_prefix_space=known.flag("add_prefix_space", optional=True),
        shards=known.texts("shards"),
        samples=_samples(known),
        n_bytes_in_all=known.number("bytes_in_all", optional=True),
        bad_records=known.number("bad_records", optional=True) or 0,
    )
    return about, known.texts("sources")


@dataclass(frozen=True, slots=True)
class _Record:
    """Values of the metadata, checked as they are taken."""

    values: dict[str, Any]
    where: str

    def number(self, key: str, optional: bool = False) -> int | None:
        value = self.values.get(key)
        if optional and value is None:
            return None
        if type(value) is not int or value < 0:
            raise _bad(self.where, key, value, "a number of 0 or more")
        return value

    def flag(self, key: str, optional: bool = False) -> bool | None:
        value = self.values.get(key)
        if not isinstance(value, bool) and not (optional and value is None):
            raise _bad(self.where, key, value, "true or false")
        return value

    def texts(self, key: str) -> frozenset[str]:
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise _bad(self.where, key, value, "a list of strings")
        return frozenset(value)


def _samples(known: _Record) -> frozenset[Sample]:
    value = known.values.get("samples")
    found = set()
    for pair in value if isinstance(value, list) else [value]:
        if not isinstance(pair, list) or [type(each) for each in pair] != [float, int] or not 0 < pair[0] < 1:
            raise _bad(known.where, "samples", value, "a list of [fraction, seed]")
        fraction, seed = pair
        found.add(Sample(fraction, seed))
    return frozenset(found)


def _pattern(known: _Record) -> Pattern:
    value = known.values.get("pattern")
    keys = ("name", "definition", "fingerprint")
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in keys):
        raise _bad(known.where, "pattern", value, "an object with name, definition and fingerprint")
    name, regex, fingerprint = (value[key] for key in keys)
    if Pattern(name, regex, "").fingerprint != fingerprint:
        raise FormatError(
            f"{known.where}: the definition of its pattern {name!r} does not have the fingerprint {fingerprint!r}; "
            "the file was changed by hand, count the corpus again"
        )
    if name == "custom":
        return Pattern(name, regex, "given by the caller")
    found = NAMED.get(name)
    if found is None or found.fingerprint != fingerprint:
        theirs = "does not know" if found is None else f"defines as {found.regex!r}"
        raise FormatError(
            f"{known.where}: it was cut by the pattern {name!r}, {regex!r}, which this bytepair {theirs}; "
            "update bytepair, or count the corpus again"
        )
    return found


def _bad(where: str, key: str, value: object, expected: str) -> FormatError:
    return FormatError(
        f"{where}: {key} of its metadata is {shown(value)}; expected {expected}; the file is broken or was changed by "
        "hand, get it again"
    )
