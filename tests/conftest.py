"""What all tests share: how hypothesis runs, and where large test data may lie."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: a first call that loads a module, or a busy machine, is no failure.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def test_data() -> Callable[[str], Path]:
    """`test_data("corpora/tinyshakespeare.txt")` is a file of the test-data folder; without it the test is skipped."""

    def locate(path: str) -> Path:
        folder = os.environ.get("BYTEPAIR_TEST_DATA")
        if not folder:
            pytest.skip("BYTEPAIR_TEST_DATA is not set; it names the folder of public corpora and vocabularies")
        file = Path(folder, path)
        if not file.exists():
            pytest.skip(f"BYTEPAIR_TEST_DATA is {folder!r}; it has no {path}")
        return file

    return locate
