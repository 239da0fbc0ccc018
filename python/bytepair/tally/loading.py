"""Files of counted pieces -> tally. What a file is shows in its contents, never in its name."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Final

from bytepair import arguments, whole_file
from bytepair._native import PieceCounts, Splitter
from bytepair.arguments import shown
from bytepair.corpus import unreadable
from bytepair.errors import ArgumentError, FormatError, MissingFileError, UnreadableFileError
from bytepair.patterns import Pattern, resolve
from bytepair.tally import parquet, tsv
from bytepair.tally.about import About, from_json
from bytepair.tally.spilled import Counts, RunFolder, SpilledCounts
from bytepair.tally.value import Tally, checked_path, labels_checked, n_bytes_of

# Of a piece and its count while they are Python's.
_BYTES_A_ROW: Final = 150


def load_tally(
    path: str | PathLike[str],
    *,
    pattern: str | None = None,
    source: str | None = None,
    shard: str | None = None,
    max_memory: int | str | None = None,
) -> Tally:
    r"""Load a tally, or pieces that another tool counted.

    Args:
        path: a file that `Tally.save` wrote; a Parquet file with the columns `piece` (binary or string) and `count`
            (integer), and maybe `source` (string); or text with a piece, a tab and a count a line, where `\t`, `\n`,
            `\r`, `\\` and `\xHH` in a piece stand for what they stand for in Python.
        pattern: what cut the pieces, a name or a regular expression. A tally knows it (one that differs is refused);
            other files need it.
        source: a label for counts that have none, as in `tally`.
        shard: what you call this part of the corpus, if the file says nothing of shards; as in `tally`.
        max_memory: bytes that the counts of a Parquet file may take, such as "200MB"; more of them are kept in
            temporary files, as by `tally`, and so are sums of such tallies.

    Returns:
        The tally, without the order of first appearance. Equal pieces add up; empty pieces and counts of 0 are left
        out.

    Raises:
        MissingFileError, UnreadableFileError: the file is not there, or cannot be read.
        FormatError: it holds something else, or something wrong in a line or row that is named.
        ArgumentError: the file lacks its pattern and none was given, or it says something else than the arguments.
        MissingPackageError: it is Parquet, and pyarrow is not installed.
        CountOverflowError: a count, or the sum for one piece, passes 2**63 - 1.

    >>> from pathlib import Path
    >>> _ = Path("counts.tsv").write_text("low\t5\nlower\t2\n")
    >>> load_tally("counts.tsv", pattern="whitespace").items()
    [(b'low', 5), (b'lower', 2)]
    """
    cut = None if pattern is None else resolve(pattern)
    labels = labels_checked(source, shard)
    where = shown(checked_path(path), 200)
    if _read(path, n_bytes=4) == parquet.MAGIC:
        return _from_parquet(path, where, cut, max_memory)._labelled(*labels)
    if cut is None:
        raise FormatError(
            f"{where} is no tally file: it does not begin as Parquet does; if it is text with a piece, a tab and a "
            "count a line, say what cut the pieces: pattern=..."
        )
    return _from_counts({**_counted({None: tsv.read(_read(path), where)})}, cut)._labelled(*labels)


def is_tally_file(path: str | PathLike[str]) -> bool:
    """Whether a file is Parquet with the columns of a tally; other Parquet files hold text.

    Raises:
        MissingFileError, UnreadableFileError: it cannot be read.
        MissingPackageError: it is Parquet, and pyarrow is not installed.
    """
    return _read(path, n_bytes=4) == parquet.MAGIC and parquet.has_counts(path)


def _read(path: str | PathLike[str], n_bytes: int = -1) -> bytes:
    whole_file.refuse_special_file(Path(path))
    try:
        with Path(path).open("rb") as file:
            return file.read(n_bytes)
    except IsADirectoryError as error:
        raise UnreadableFileError(f"{shown(os.fspath(path), 200)} is a folder; name the tally file in it") from error
    except OSError as error:
        raise unreadable(os.fspath(path), error) from error
    except ValueError as error:
        raise MissingFileError(f"there is no file {shown(os.fspath(path), 200)}; check the path") from error


def _from_parquet(path: str | PathLike[str], where: str, cut: Pattern | None, max_memory: int | str | None) -> Tally:
    if max_memory is None:
        columns, beside = parquet.read(path, where)
        parts: dict[str | None, Counts] = {**_counted(columns)}
    else:
        parts, beside = _in_runs(path, where, arguments.size("max_memory", max_memory) // _BYTES_A_ROW)
    if beside is None:
        if cut is None:
            raise ArgumentError(
                f"{where} does not say what cut its pieces (it has no metadata of ours); say so: pattern=..."
            )
        return _from_counts(parts, cut)
    about, sources = from_json(beside, where)
    if cut is not None and cut.fingerprint != about.pattern.fingerprint:
        raise ArgumentError(
            f"pattern is {shown(cut.text, 200)}, and {where} was cut by {shown(about.pattern.text, 200)}; leave "
            "pattern out, or count the corpus again"
        )
    Splitter(about.pattern.name, about.pattern.regex)
    nothing: dict[str | None, Counts] = {each: PieceCounts.from_items([], []) for each in sources}
    return Tally._of(nothing | parts, about, ordered=False)


def _in_runs(path: str | PathLike[str], where: str, max_rows: int) -> tuple[dict[str | None, Counts], bytes | None]:
    """The counts by source, in files where there are more than so many rows; and what stands beside."""
    runs: dict[str | None, tuple[RunFolder, list[Path]]] = {}

    def write(columns: dict[str | None, parquet.Column]) -> None:
        for source, counts in _counted(columns).items():
            folder, paths = runs.setdefault(source, (RunFolder(), []))
            paths.append(folder.path / f"{len(paths)}.run")
            counts.write_run(paths[-1])

    columns, beside = parquet.read(path, where, max(max_rows, 1), write)
    if runs:
        write(columns)
        columns = {}
    return {**_counted(columns), **{source: SpilledCounts(*each) for source, each in runs.items()}}, beside


def _from_counts(parts: dict[str | None, Counts], cut: Pattern) -> Tally:
    Splitter(cut.name, cut.regex)
    about = replace(About(cut), n_bytes=sum(n_bytes_of(*part.items()) for part in parts.values()))
    return Tally._of(parts, about, ordered=False)


def _counted(parts: dict[str | None, parquet.Column]) -> dict[str | None, PieceCounts]:
    return {source: PieceCounts.from_items(*_without_nothing(*part)) for source, part in parts.items()}


def _without_nothing(pieces: list[bytes], counts: list[int]) -> parquet.Column:
    if all(pieces) and all(counts):
        return pieces, counts
    kept = [(piece, count) for piece, count in zip(pieces, counts, strict=True) if piece and count]
    return [piece for piece, _ in kept], [count for _, count in kept]
