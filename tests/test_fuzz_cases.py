"""Files that fuzzing found, or begins with: each is read, or is an error of the family; nothing else happens.

`make fuzz` goes on from them, and replays those of the core.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
readers = importlib.import_module("fuzz.readers")

CASES = [path for name in readers.READERS for path in sorted((ROOT / "fuzz/cases" / name).iterdir())]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_kept_case_is_read_or_refused(path: Path) -> None:
    reader = readers.READERS[path.parent.name]
    assert readers.read(reader, path.read_bytes()) == (path.name == "whole")


def test_every_reader_has_a_file_that_is_right() -> None:
    assert {path.parent.name for path in CASES if path.name == "whole"} == set(readers.READERS)


def test_what_may_not_happen_is_noticed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for use in (lambda path: outside.write_bytes(b""), lambda path: importlib.import_module("socket").socket().close()):
        with pytest.raises(AssertionError, match=r"outside|socket"):
            readers.read(readers.Reader("x", bytes, use), b"")
