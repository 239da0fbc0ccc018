"""A progress bar on a terminal, and nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(*labels: str) -> Iterator[Callable[[int, int], object] | None]:
    """Show a bar on stderr while the block runs, and remove it afterwards.

    Args:
        labels: What is being done, in order; the next one is shown when the numbers begin anew.

    Yields:
        A callback for `(done, total)`, total 0 where it is not known; None where stderr is not a terminal, so that no
        callback needs to run.

    Example:
        >>> with progress("reading", "learning") as report:
        ...     bool(report)
        False
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TaskProgressColumn(), TimeElapsedColumn())
    left = list(labels[1:])
    before = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(labels[0], total=None)

        def report(done: int, total: int) -> None:
            nonlocal before
            if done < before and left:
                bar.update(task, description=left.pop(0))
            before = done
            bar.update(task, completed=done, total=total or None)

        yield report
