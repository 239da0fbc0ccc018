"""Data sets of Ray -> a tally."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from bytepair.arguments import Special
from bytepair.cluster.batches import arrow_module, counted, rules_of, summed, to_batch
from bytepair.cluster.connecting import ray_module, refuse_others
from bytepair.corpus import FIELD, BadRecords, Errors
from bytepair.tally import Rules, Tally
from bytepair.tally.value import labels_checked

# Tables of counts that one task adds up.
_FAN_IN: Final = 8


def tally(
    dataset: Any,
    *,
    pattern: str,
    field: str = FIELD,
    source: str | None = None,
    shard: str | None = None,
    special_tokens: Iterable[str] = (),
    special: Special = "all",
    add_prefix_space: bool = False,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
) -> Tally:
    """Count the pieces of a data set of Ray, each row a document: as `bytepair.tally`, on many machines.

    Blocks are counted where they are read, and only counts travel; tasks add them up eight by eight. A task whose
    worker dies is run again, and gives the same.

    Args:
        dataset: a data set with a column of texts.
        pattern: as in `bytepair.tally`.
        field: the column.
        source: as in `bytepair.tally`.
        shard: as in `bytepair.tally`.
        special_tokens: as in `bytepair.tally`.
        special: as in `bytepair.tally`.
        add_prefix_space: as in `bytepair.tally`.
        errors: as in `bytepair.tally`.
        bad_records: as in `bytepair.tally`.

    Returns:
        The same tally as of one machine, without the order of first appearance.

    Raises:
        MissingPackageError: Ray is not installed.
        BytepairError: as in `bytepair.tally`; what a task raises comes inside an error of Ray's.
    """
    ray = ray_module()
    refuse_others(dataset)
    rules = rules_of(pattern, field, special_tokens, special, add_prefix_space, errors, bad_records, 1)
    labels = labels_checked(source, shard)
    counts = dataset.map_batches(_counted, fn_kwargs={"rules": rules}, batch_size=None, batch_format="pyarrow")
    add = ray.remote(_added).options(max_retries=-1)
    left = counts.to_arrow_refs()
    while len(left) > 1:
        left = [add.remote(rules, *left[start : start + _FAN_IN]) for start in range(0, len(left), _FAN_IN)]
    return summed([ray.get(each) for each in left], rules)._labelled(*labels)


def _counted(block: Any, rules: Rules) -> Any:
    return arrow_module().Table.from_batches([counted(block, rules)])


def _added(rules: Rules, *tables: Any) -> Any:
    return arrow_module().Table.from_batches([to_batch(summed(tables, rules))])
