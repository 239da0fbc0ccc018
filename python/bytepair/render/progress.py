"""A line that says how far work is: a bar on a terminal, an output in a notebook, a line now and then in a log."""

from __future__ import annotations

import html
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Literal, TypeAlias

# Called with what is being done, how far it is in words, and the part that is done (0 to 1, None: not known).
Show: TypeAlias = Callable[[str, str, "float | None"], object]

SECONDS_BETWEEN_LINES: Final = 5.0


def display(where: Literal["auto", "log"]) -> AbstractContextManager[Show]:
    """Show progress while the block runs, where the program runs.

    Args:
        where: "auto": in a notebook an output that is updated, on a terminal a bar on stderr that is gone afterwards,
            else as "log": a line on stderr every five seconds, and at the end of each stage.

    Returns:
        A context that gives a function to call with (what is being done, how far in words, the part that is done: 0 to
        1, or None).

    Example:
        >>> with display("log") as show:
        ...     show("counting", "1 of 2 MB", 0.5)
    """
    if where == "auto" and (shell := _notebook()) is not None:
        return _notebook_output(shell)
    # Without rich, which a bare copy of the library may lack, a terminal gets the lines of a log.
    if where == "auto" and sys.stderr.isatty() and importlib.util.find_spec("rich") is not None:
        return _bar()
    return _log()


def _notebook() -> Any:
    """IPython, where it runs a notebook; it is not imported, since a notebook has done so."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # Only shells with a kernel have a front end that shows outputs; others run in a terminal.
    return ipython if getattr(shell, "kernel", None) is not None else None


@contextmanager
def _notebook_output(ipython: Any) -> Iterator[Show]:
    handle = ipython.display.display(_bundle("", "", None), raw=True, display_id=True)
    yield lambda stage, details, share: handle.update(_bundle(stage, details, share), raw=True)


def _bundle(stage: str, details: str, share: float | None) -> dict[str, str]:
    line = f"{stage}: {details}" if stage else ""
    bar = "<progress></progress>" if share is None else f'<progress value="{share:.4f}" max="1"></progress>'
    return {"text/plain": line, "text/html": f"{bar} {html.escape(line)}"}


@contextmanager
def _bar() -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.table import Column

    # The spelling of a merge may hold what rich takes for markup. It gets what room the others leave.
    details_column = TextColumn("{task.fields[details]}", markup=False, table_column=Column(no_wrap=True, ratio=1))
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=10), TaskProgressColumn(), details_column)
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=10, expand=True) as bar:
        task = bar.add_task("", total=None, details="")

        def show(stage: str, details: str, share: float | None) -> None:
            total = None if share is None else 1.0
            bar.update(task, description=stage, details=details, completed=share or 0.0, total=total)

        yield show


@contextmanager
def _log() -> Iterator[Show]:
    last = time.monotonic()
    kept: tuple[str, str] | None = None

    def show(stage: str, details: str, _: float | None) -> None:
        nonlocal last, kept
        if kept is not None and kept[0] != stage:
            _print(*kept)
            last, kept = time.monotonic(), None
        if time.monotonic() - last < SECONDS_BETWEEN_LINES:
            kept = stage, details
            return
        _print(stage, details)
        last, kept = time.monotonic(), None

    try:
        yield show
    finally:
        if kept is not None:
            _print(*kept)


def _print(stage: str, details: str) -> None:
    print(f"{stage}: {details}", file=sys.stderr, flush=True)
