"""The suite itself: a run over several workers compares what each has found, so the names of tests must be steady."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest


def sets_in(value: Any) -> Iterator[set[Any] | frozenset[Any]]:
    waiting, seen = [value], set()
    while waiting:
        value = waiting.pop()
        # What holds itself is met once.
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (set, frozenset)):
            yield value
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting += value


def unsteady(name: str, parameters: Any) -> bool:
    """Whether the name may differ between processes: it shows an address, or a set in the order of the hash seed."""
    orders = [repr(each) for each in sets_in(parameters) if len(each) > 1]
    return any(order in name for order in orders) or re.search(r" at 0x[0-9a-f]+>", name) is not None


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("test[a]", {"x": "a"}, False),
        ("test[{'a'}]", {"x": {"a"}}, False),
        (f"test[{ {'a', 'b'} }]", {"x": {"y": [{"a", "b"}]}}, True),
        (f"test[{frozenset('ab')}]", {"x": frozenset("ab")}, True),
        ("test[<object object at 0x7f01>]", {"x": object()}, True),
    ],
    ids=["plain", "one member", "a set within", "a frozen set", "an address"],
)
def test_an_unsteady_name_is_known(name: str, parameters: Any, expected: bool) -> None:
    assert unsteady(name, parameters) is expected


def test_every_process_gives_every_test_the_same_name(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    parameters = [getattr(getattr(item, "callspec", None), "params", {}) for item in items]
    assert [item.name for item, given in zip(items, parameters, strict=True) if unsteady(item.name, given)] == []
