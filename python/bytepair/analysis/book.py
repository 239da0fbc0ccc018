"""The worked example of many textbooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

WORDS: Final[Mapping[str | bytes, int]] = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
"""The small corpus, counted."""

BOOK: Final[Mapping[str, Any]] = {"pattern": "whitespace", "alphabet": "chars", "end_of_word": "</w>"}
"""What to give `train` and `trace` to do it as books do."""
