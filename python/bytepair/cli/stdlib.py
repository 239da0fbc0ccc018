"""The text that every Python has: its standard library."""

from __future__ import annotations

import sysconfig
from pathlib import Path

LIMIT = 10_000_000
# Packages that somebody installed, and tests, which not every Python ships.
_LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idle_test", "lib2to3", "__pycache__"}


def standard_library(limit: int = LIMIT) -> list[Path]:
    """Find the standard library's own .py files.

    Args:
        limit: Bytes after which to stop; the last file is the one that reaches it.

    Returns:
        The files, in the order of their paths.
    """
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path for path in root.rglob("*.py") if not _LEFT_OUT & set(path.relative_to(root).parts))
    found: list[Path] = []
    n_bytes = 0
    for path in paths:
        if n_bytes >= limit:
            break
        found.append(path)
        n_bytes += path.stat().st_size
    return found
