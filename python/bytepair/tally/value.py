"""The tally: distinct pieces and how often each occurs, all that learning needs to know about a corpus."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from os import PathLike
from typing import final

from bytepair import arguments, whole_file
from bytepair._native import PieceCounts, Splitter
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError
from bytepair.patterns import Pattern, resolve
from bytepair.render import number_of
from bytepair.tally import given, parquet
from bytepair.tally.about import About
from bytepair.tally.given import Piece
from bytepair.tally.sample import Sample
from bytepair.tally.spilled import Counts, SpilledCounts, added
from bytepair.tally.weights import Weight, multiplied
from bytepair.tally.weights import checked as checked_weights


@final
class Tally:
    """Distinct pieces and how often each occurs: all that learning needs to know about a corpus.

    Made by `tally` from documents, by `Tally.from_counts`, or by `load_tally`. It never changes; `+` and `weighted`
    make new ones. Two are equal when they hold the same counts for the same sources and say the same about them,
    whatever the order.

    >>> counted = Tally.from_counts({"low": 5, "lower": 2}, pattern="whitespace")
    >>> counted.n_pieces, counted.n_occurrences, counted.n_bytes
    (2, 7, 25)
    """

    __slots__ = ("_about", "_ordered", "_parts", "_sum")

    _about: About
    _ordered: bool
    # By source; None: without one. Never empty.
    _parts: Mapping[str | None, Counts]
    # Of all parts, made when it is first asked for.
    _sum: Counts | None

    def __init__(self) -> None:
        raise TypeError(
            "a Tally is made by bytepair.tally(source, pattern=...), Tally.from_counts(counts, pattern=...) or "
            "bytepair.load_tally(path)"
        )

    @classmethod
    def _of(cls, parts: Mapping[str | None, Counts], about: About, *, ordered: bool) -> Tally:
        made = object.__new__(cls)
        # Where all is labelled, no counts without a label are no source of their own.
        kept = {source: part for source, part in parts.items() if source is not None or part.n_pieces}
        made._parts = kept or {None: PieceCounts.from_items([], [])}
        made._about, made._ordered, made._sum = about, ordered, None
        return made

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[Piece, int] | Iterable[tuple[Piece, int]],
        *,
        pattern: str | None = None,
        source: str | None = None,
        shard: str | None = None,
    ) -> Tally:
        """Take pieces that somebody counted already.

        Args:
            counts: pieces (str or bytes) and how often each occurs, at least 0. Pairs of an iterable add up; empty
                pieces and counts of 0 are left out. The pieces are not cut again.
            pattern: the pattern that cut them: a name or a regular expression. It must be given.
            source: a label for the counts, as in `tally`.
            shard: what you call this part of the corpus, as in `tally`.

        Returns:
            A tally that keeps the order of the pieces, unless they come from a set.

        Raises:
            ArgumentTypeError: a piece is no text, or a count is no int.
            ArgumentError: a count is below 0.
            CountOverflowError: a count, or the sum for one piece, passes 2**63 - 1.

        >>> Tally.from_counts([("a", 1), ("b", 2), ("a", 3)], pattern="none").items()
        [(b'a', 4), (b'b', 2)]
        """
        cut = resolve(pattern)
        Splitter(cut.name, cut.regex)
        labels = labels_checked(source, shard)
        pieces, numbers = given.checked(counts)
        made = cls._of(
            {None: PieceCounts.from_items(pieces, numbers)},
            About(cut, n_bytes=n_bytes_of(pieces, numbers)),
            ordered=not isinstance(counts, set | frozenset),
        )
        return made._labelled(*labels)

    # What it says

    @property
    def pattern(self) -> str:
        """The split pattern: its name, or the regular expression of a custom one."""
        return self._pattern.text

    @property
    def documents(self) -> int | None:
        """How many documents were read; None where pieces were given counted, or weighted."""
        return self._about.documents

    @property
    def n_bytes(self) -> int:
        """Bytes of all documents; of all pieces where they were given counted, or weighted."""
        return self._about.n_bytes

    @property
    def n_pieces(self) -> int:
        """How many distinct pieces there are."""
        return self._whole.n_pieces

    @property
    def n_occurrences(self) -> int:
        """How many pieces there are, each as often as it occurs."""
        return self._whole.n_occurrences

    @property
    def fingerprint(self) -> str:
        """32 hex digits that depend on the pieces and their counts, not on their order or source."""
        return self._whole.fingerprint()

    @property
    def ordered(self) -> bool:
        """Whether the pieces are in the order of their first appearance, which `ties="first-seen"` needs.

        They are where they come from documents in order or from a mapping; not after merging or loading.
        """
        return self._ordered

    @property
    def borders(self) -> frozenset[str] | None:
        """The special tokens whose text cut the documents; None where the pieces were given counted."""
        return self._about.borders

    @property
    def add_prefix_space(self) -> bool | None:
        """Whether documents were given a space in front; None where the pieces were given counted."""
        return self._about.add_prefix_space

    @property
    def sources(self) -> frozenset[str]:
        """The labels of the counts, for `weighted`; empty where there are none."""
        return frozenset(source for source in self._parts if source is not None)

    @property
    def shards(self) -> frozenset[str]:
        """What the caller calls the parts of the corpus that are in it; empty where nothing was said."""
        return self._about.shards

    @property
    def samples(self) -> frozenset[Sample]:
        """What was asked for where only a part of a corpus was read, each with `fraction` and `seed`; else empty."""
        return self._about.samples

    @property
    def n_bytes_in_all(self) -> int | None:
        """Bytes of the corpus that `n_bytes` are a sample of; None where it was read as a whole, or was weighted."""
        return self._about.n_bytes_in_all

    @property
    def bad_records(self) -> int:
        """How many records held no text and were left out, or replaced by empty documents."""
        return self._about.bad_records

    def items(self) -> list[tuple[bytes, int]]:
        """The distinct pieces, each with its count, over all sources.

        Returns:
            `n_pieces` tuples (piece, count), each count from 1 to 2**63 - 1; in the order of first appearance where the
            tally is `ordered`.

        Raises:
            CountOverflowError: the sum over the sources passes 2**63 - 1, here as wherever they are added up.

        >>> Tally.from_counts({"low": 5}, pattern="whitespace").items()
        [(b'low', 5)]
        """
        return list(zip(*self._whole.items(), strict=True))

    def __len__(self) -> int:
        return self.n_pieces

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={shown(sorted(labels))}"
            for name, labels in (("sources", self.sources), ("shards", self.shards))
            if labels
        )
        if self.samples:
            more += f", sample of {_read_of(self.n_bytes_in_all)}"
        size = f"{number_of(self.n_pieces, 'piece')}, {number_of(self.n_bytes, 'byte')}"
        return f"Tally({size}, pattern={shown(self.pattern)}{more})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        if self._identity() != other._identity():
            return False
        return all(_same(part, other._parts[source]) for source, part in self._parts.items())

    def __hash__(self) -> int:
        return hash((self._identity(), self.fingerprint))

    def _identity(self) -> tuple[object, ...]:
        return self._pattern.fingerprint, self._about.to_json(self.sources), frozenset(self._parts)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, ({source: part.items() for source, part in self._parts.items()}, self._about, self._ordered)

    # Tallies from tallies

    def __add__(self, other: Tally) -> Tally:
        """Both corpora together.

        Raises:
            ArgumentError: they were cut by different patterns, at different special tokens or with different prefix
                spaces, which is shown; or both hold one shard.
            CountOverflowError: the sum for one piece passes 2**63 - 1.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        about = self._about.merged(other._about)
        parts = dict(self._parts)
        for source, part in other._parts.items():
            parts[source] = added(parts[source], part) if source in parts else part
        return Tally._of(parts, about, ordered=False)

    def __radd__(self, other: object) -> Tally:
        # sum(tallies) begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def weighted(self, weights: Weight | Mapping[str, Weight]) -> Tally:
        """Multiply the counts, by source or all alike, without counting again.

        Args:
            weights: a number for all counts, or one for each source. Numbers are int, float, `Fraction` or `Decimal`,
                0 or more; a float stands for the decimal that Python prints for it. Every count of every source is
                multiplied exactly and rounded half up, and stays at least 1 unless its weight is 0.

        Returns:
            A tally without sources, `documents` None and `n_bytes` those of the weighted pieces.

        Raises:
            ArgumentTypeError, ArgumentError: a weight is no number, negative, infinite or NaN; a source has no weight,
                or a weight no source.
            CountOverflowError: a product, or the sum for one piece, passes 2**63 - 1.

        >>> web = Tally.from_counts({"low": 5, "lower": 1}, pattern="whitespace", source="web")
        >>> code = Tally.from_counts({"low": 2}, pattern="whitespace", source="code")
        >>> (web + code).weighted({"web": 0.5, "code": 3}).items()
        [(b'low', 9), (b'lower', 1)]
        """
        factors = checked_weights(weights, self.sources, has_unlabelled=None in self._parts)
        whole = reduce(PieceCounts.merged, (multiplied(part, factors[name]) for name, part in self._parts.items()))
        about = replace(self._about, documents=None, n_bytes=n_bytes_of(*whole.items()), n_bytes_in_all=None)
        return Tally._of({None: whole}, about, ordered=self._ordered)

    def save(self, path: str | PathLike[str]) -> None:
        """Save it as Parquet, whole or not at all. Needs pyarrow: `pip install 'bytepair[parquet]'`.

        The columns are `piece` (binary), `count` (int64) and, where there are sources, `source` (string); the rows are
        sorted by piece, then source. The same content gives the same bytes with the same release of pyarrow.

        Args:
            path: the file to write. One that is there is replaced.

        Raises:
            MissingPackageError: pyarrow is not installed.
            MissingFileError, PermissionDeniedError, UnreadableFileError: the file cannot be written.

        >>> Tally.from_counts({"low": 5}, pattern="whitespace").save("low.parquet")  # doctest: +SKIP
        """
        about, with_sources = self._about.to_json(self.sources), bool(self.sources)
        if len(self._parts) == 1 or any(isinstance(part, SpilledCounts) for part in self._parts.values()):
            # Sorted by the engine, without a Python object for each piece.
            parquet.check_installed()
            with whole_file.replacing(checked_path(path)) as file:
                parquet.write_sorted(file, self._parts, about, with_sources)
            return
        parts = {source: part.items() for source, part in self._parts.items()}
        whole_file.write(checked_path(path), parquet.written(parts, about, with_sources))

    def _labelled(self, source: str | None, shard: str | None) -> Tally:
        """The same with a label for counts that have none, and the name of its shard; None: as it is."""
        parts, about = dict(self._parts), self._about
        if source is not None:
            if self.sources:
                raise ArgumentError(
                    f"source is {source!r}, and the counts have sources already, {shown(sorted(self.sources))}; leave "
                    "source out"
                )
            parts = {source: self._whole}
        if shard is not None:
            if self.shards:
                raise ArgumentError(
                    f"shard is {shard!r}, and the tally holds shards already, {shown(sorted(self.shards))}; leave "
                    "shard out"
                )
            about = replace(about, shards=frozenset([shard]))
        return Tally._of(parts, about, ordered=self._ordered)

    # For learning

    @property
    def _counts(self) -> PieceCounts:
        """In memory."""
        if isinstance(self._whole, SpilledCounts):
            self._sum = self._whole.loaded()
        assert isinstance(self._sum, PieceCounts)  # for mypy
        return self._sum

    @property
    def _whole(self) -> Counts:
        if self._sum is None:
            # Two threads may both make it; both make the same.
            self._sum = reduce(added, self._parts.values())
        return self._sum

    @property
    def _pattern(self) -> Pattern:
        return self._about.pattern

    @property
    def _refused(self) -> bool:
        return self._about.refused


def labels_checked(source: object, shard: object) -> tuple[str | None, str | None]:
    """The names of a source and a shard; None where there is none."""
    return (
        None if source is None else arguments.words("source", source),
        None if shard is None else arguments.words("shard", shard),
    )


def checked_path(path: object) -> str:
    """The path as a str."""
    if not isinstance(path, str | PathLike):
        raise ArgumentTypeError(f"path is {shown(path)} ({kind(path)}); it must be a str or a path")
    return os.fsdecode(path)


def _read_of(n_bytes_in_all: int | None) -> str:
    return "a corpus" if n_bytes_in_all is None else number_of(n_bytes_in_all, "byte")


def n_bytes_of(pieces: Sequence[bytes], counts: Sequence[int]) -> int:
    """Bytes in all occurrences of all pieces."""
    return sum(map(operator.mul, map(len, pieces), counts))


def _same(one: Counts, other: Counts) -> bool:
    return one.n_pieces == other.n_pieces and dict(zip(*one.items(), strict=True)) == dict(
        zip(*other.items(), strict=True)
    )


def _unpickled(parts: Mapping[str | None, tuple[list[bytes], list[int]]], about: About, ordered: bool) -> Tally:
    return Tally._of({source: PieceCounts.from_items(*part) for source, part in parts.items()}, about, ordered=ordered)
