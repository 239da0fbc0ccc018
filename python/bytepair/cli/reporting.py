"""Reports of the library on the command line: printed, as JSON, or as a file of HTML or SVG."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import click

from bytepair import whole_file
from bytepair.cli.options import Command, Decorator, as_json, screen, together, written
from bytepair.cli.refusal import Refusal
from bytepair.render import Drawn

_files: Decorator = together(
    written("--html", "html", "Also write a page that works from disk."),
    written("--svg", "svg", "Also write a picture of the output."),
    as_json,
)


def reports(command: Command) -> Command:
    """--html, --svg and --json, and --csv where the command has it; the command gives the report."""

    @functools.wraps(command)
    def with_report(*args: Any, as_json: bool, **options: Any) -> Drawn:
        files = {kind: options.pop(kind, None) for kind in ("html", "svg", "csv")}
        for kind, path in files.items():
            if path is not None:
                check_page(path, f"--{kind}")
        report: Drawn = command(*args, **options)
        _print(report, as_json)
        for kind, path in files.items():
            if path is not None:
                _write(path, getattr(report, kind)(), as_json)
        return report

    return _files(with_report)


def check_page(path: Path, option: str) -> None:
    """Refuse a file that cannot be written, before any work; a page is made anew each time, so it may be there."""
    if path.is_dir():
        raise Refusal(f"{option} names {str(path)!r}, which is a folder; name a file in it")
    if not path.parent.is_dir():
        raise Refusal(f"{option} names {str(path)!r}, and there is no folder {str(path.parent)!r}; make it first")


def _print(report: Drawn, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.to_dict(), ensure_ascii=False))
        return
    seen = screen()
    click.echo(report.draw(colour=seen.colour, width=seen.width), color=True)


def _write(path: Path, text: str, quietly: bool) -> None:
    """A file beside what is printed, said unless that is for programs."""
    whole_file.write(path, text.encode())
    if not quietly:
        click.echo(f"wrote {path}")
