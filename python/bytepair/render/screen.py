"""What an output stream can show."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Screen:
    """Whether a stream takes colour, and its columns (None: not a terminal, lines may be of any width)."""

    colour: bool
    width: int | None

    @classmethod
    def of(cls, stream: TextIO) -> Screen:
        """Look at a stream and at the customs of terminals: NO_COLOR, FORCE_COLOR, TERM=dumb, COLUMNS.

        Args:
            stream: A text stream, usually `sys.stdout`.

        Returns:
            What it can show.

        Example:
            >>> import io
            >>> Screen.of(io.StringIO()).width is None
            True
        """
        terminal = stream.isatty()
        wanted = bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")
        columns = shutil.get_terminal_size().columns if terminal else None
        return cls(colour=wanted and not os.environ.get("NO_COLOR"), width=columns)
