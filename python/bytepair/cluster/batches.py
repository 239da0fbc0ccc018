"""Record batches of Arrow -> counts or ids, as record batches again: pure functions, for whatever engine calls them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from bytepair import arguments
from bytepair._native import PieceCounts, Splitter
from bytepair.arguments import Special, kind, shown
from bytepair.corpus import FIELD, BadRecords, Errors, checked_reading, open_corpus
from bytepair.errors import ArgumentTypeError, MissingPackageError
from bytepair.pack.batches import Batch, Place, Run
from bytepair.pack.encoded import Encoder
from bytepair.pack.options import checked as checked_plan
from bytepair.patterns import resolve
from bytepair.progress import Watch
from bytepair.tally import Rules, Tally, count
from bytepair.tally.about import About
from bytepair.tokenizer import Tokenizer

# The columns of counts; the last three are 0 in all rows but one.
COLUMNS: Final = ("piece", "count", "documents", "bytes", "bad_records")


def tally_batch(
    batch: Any,
    *,
    pattern: str,
    field: str = FIELD,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    threads: int | None = 1,
) -> Any:
    """Count the pieces of a record batch, each row a document.

    Args:
        batch: an Arrow record batch or table with a column of texts.
        pattern: as in `bytepair.tally`.
        field: the column.
        special_tokens: as in `bytepair.tally`.
        special: as in `bytepair.tally`.
        add_prefix_space: as in `bytepair.tally`.
        errors: as in `bytepair.tally`.
        bad_records: as in `bytepair.tally`.
        threads: how many to use, at least 1; None: the CPUs of this process.

    Returns:
        A record batch: `piece` (large binary) and `count` (int64), a row for each distinct piece; and `documents`,
        `bytes` and `bad_records` (int64), which are 0 in all rows but the first. Sums by piece over batches, in any
        order, are the counts of all of them; `tally_of` makes a tally of such batches.

    Raises:
        BytepairError: as in `bytepair.tally`.
    """
    rules = rules_of(pattern, field, special_tokens, special, add_prefix_space, errors, bad_records, threads)
    return counted(batch, rules)


def rules_of(
    pattern: str,
    field: str,
    special_tokens: Iterable[str],
    special: Special,
    add_prefix_space: bool,
    errors: Errors,
    bad_records: BadRecords,
    threads: int | None,
) -> Rules:
    """How to count, checked."""
    names = arguments.special_tokens(special_tokens)
    policy = arguments.special_policy(special, names)
    cut = resolve(pattern)
    Splitter(cut.name, cut.regex)
    return Rules(
        pattern=cut,
        borders=names if policy is None else policy,
        refuse_borders=policy is None,
        add_prefix_space=arguments.flag("add_prefix_space", add_prefix_space),
        reading=checked_reading("record", field, errors, bad_records),
        threads=arguments.threads(threads),
    )


def counted(batch: Any, rules: Rules) -> Any:
    """The counts of a batch, as `tally_batch` gives them."""
    return to_batch(count(batch, rules, Watch(None)))


def to_batch(tally: Tally) -> Any:
    """A tally as a record batch; there is a row even where there are no pieces."""
    arrow = arrow_module()
    pieces, counts = tally._whole.items()
    if not pieces:
        pieces, counts = [b""], [0]
    zeros = [0] * (len(pieces) - 1)
    columns = [pieces, counts, *([each, *zeros] for each in (tally.documents or 0, tally.n_bytes, tally.bad_records))]
    types = [arrow.large_binary(), *[arrow.int64()] * 4]
    arrays = [arrow.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return arrow.record_batch(arrays, names=list(COLUMNS))


def tally_of(
    batches: Iterable[Any],
    *,
    pattern: str,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
) -> Tally:
    """The tally of batches that `tally_batch` made, summed or not, in any order.

    Args:
        batches: record batches or tables with its columns.
        pattern: what was given to `tally_batch`.
        special_tokens: what was given to `tally_batch`.
        special: what was given to `tally_batch`.
        add_prefix_space: what was given to `tally_batch`.

    Raises:
        ArgumentTypeError: something else is among them; says which and what it lacks.
        CountOverflowError: the sum for one piece passes 2**63 - 1.
    """
    if hasattr(batches, "schema") or not isinstance(batches, Iterable):
        raise ArgumentTypeError(
            f"batches is {shown(batches)} ({kind(batches)}); it must be a list or other iterable of record batches "
            "that tally_batch made: [batch]"
        )
    rules = rules_of(pattern, FIELD, special_tokens, special, add_prefix_space, "raise", "raise", 1)
    return summed(batches, rules)


def summed(batches: Iterable[Any], rules: Rules) -> Tally:
    """The tally of batches of counts."""
    whole, totals = PieceCounts.from_items([], []), [0, 0, 0]
    for index, batch in enumerate(batches):
        columns = _columns_of(batch, index)
        pieces, counts = columns[0], columns[1]
        if counts.count(0):
            kept = [place for place, number in enumerate(counts) if number]
            pieces, counts = [pieces[place] for place in kept], [counts[place] for place in kept]
        whole = whole.merged(PieceCounts.from_items(pieces, counts))
        totals = [before + sum(column) for before, column in zip(totals, columns[2:], strict=True)]
    about = About(
        pattern=rules.pattern,
        documents=totals[0],
        n_bytes=totals[1],
        bad_records=totals[2],
        borders=frozenset(rules.borders),
        refused=rules.refuse_borders,
        add_prefix_space=rules.add_prefix_space,
    )
    return Tally._of({None: whole}, about, ordered=False)


def _columns_of(batch: Any, index: int) -> list[list[Any]]:
    """The columns of a batch of counts as lists.

    Raises:
        ArgumentTypeError: it is none.
    """
    names = getattr(getattr(batch, "schema", None), "names", None)
    if names is None or any(names.count(name) != 1 for name in COLUMNS):
        found = f"{shown(batch)} ({kind(batch)})" if names is None else f"one with the columns {shown(names, 200)}"
        raise ArgumentTypeError(
            f"batch {index} (from 0) is {found}; it must be a record batch or table with the columns "
            f"{', '.join(COLUMNS)}, which tally_batch makes of texts"
        )
    columns = [batch.column(names.index(name)).to_pylist() for name in COLUMNS]
    for name, column in zip(COLUMNS, columns, strict=True):
        wrong = next((value for value in column if not _is_right(name, value)), None)
        if wrong is not None or None in column:
            wanted = "bytes" if name == "piece" else "numbers from 0 on"
            raise ArgumentTypeError(
                f"batch {index} (from 0) has {shown(wrong)} in its column {name!r}, which holds {wanted}; tally_batch "
                "makes such batches"
            )
    return columns


def _is_right(name: str, value: object) -> bool:
    if name == "piece":
        return isinstance(value, bytes)
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= arguments.MAX_COUNT


def pack_batch(
    batch: Any,
    tok: Tokenizer,
    *,
    field: str = FIELD,
    bos: str | int | None = None,
    eos: str | int | None = None,
    special: Special = "text",
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    threads: int | None = 1,
) -> Any:
    """Encode a record batch, each row a document.

    Args:
        batch: an Arrow record batch or table with a column of texts.
        tok: the tokenizer.
        field: the column.
        bos: as in `bytepair.pack`.
        eos: as in `bytepair.pack`.
        special: as in `bytepair.pack`.
        errors: as in `bytepair.pack`.
        bad_records: as in `bytepair.pack`.
        threads: how many to use, at least 1; None: the CPUs of this process.

    Returns:
        A record batch with a row for each document: `ids` (a large list of uint16 or uint32, by the size of the
        vocabulary) and `bytes` (int64), those of its text.

    Raises:
        BytepairError: as in `bytepair.pack`.
    """
    plan = checked_plan(
        tok,
        format="parquet",
        bos=bos,
        eos=eos,
        special=special,
        document="record",
        field=field,
        errors=errors,
        bad_records=bad_records,
    )
    arrow = arrow_module()
    encoder = Encoder(tok, plan, arguments.threads(threads))
    ids, counts, sizes = [arrow.array([], plan.dtype)], [0], []
    corpus = open_corpus(batch, plan.reading)
    for part in corpus.parts:
        run = Run("", part.indices, Place())  # type: ignore[union-attr]  # a table holds texts alone
        encoded = encoder.encode(Batch(part.texts, [run], 0))  # type: ignore[union-attr]
        ids.append(arrow.array(encoded.ids))
        counts += encoded.counts.tolist()
        sizes += encoded.n_bytes.tolist()
    offsets = arrow.compute.cumulative_sum(arrow.array(counts, arrow.int64()))
    lists = arrow.LargeListArray.from_arrays(offsets, arrow.concat_arrays(ids))
    return arrow.record_batch([lists, arrow.array(sizes, arrow.int64())], names=["ids", "bytes"])


def arrow_module() -> Any:
    """PyArrow."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError as error:
        raise MissingPackageError(
            f"record batches are Arrow's, and pyarrow cannot be imported ({error}); install it: pip install "
            "'bytepair[corpora]'",
            name="pyarrow",
        ) from error
    return pyarrow
