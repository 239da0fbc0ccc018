"""docs/faults-of-the-field.md names tests that are there, and every kind that these tests were written for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "faults-of-the-field.md").read_text("utf-8")
NAMED = re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE)
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not re.match(r"\| (kind|---)", line)]


def names_in(name: str) -> set[str]:
    tree = ast.parse((TESTS / name).read_text("utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_every_test_that_is_named_is_there() -> None:
    missing = [f"{file}::{name}" for file, name in NAMED if name not in names_in(file)]
    assert missing == []


def test_every_kind_names_one_test_of_its_own() -> None:
    assert len(ROWS) == len(NAMED) == len(set(NAMED)) >= 39
