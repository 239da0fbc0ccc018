"""`bytepair curve`: which vocabulary size to pick."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bytepair.analysis.curve import Curve
from bytepair.cli import options
from bytepair.cli.reporting import reports
from bytepair.cli.tally_files import tally_of
from bytepair.cli.texts import sources
from bytepair.looking import curve as curve_of
from bytepair.tokenizer import Tokenizer

EPILOG = """
\b
Examples:
  bytepair curve held-out.txt
  bytepair curve held-out.txt --csv curve.csv --html curve.html
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILES|FOLDERS|GLOBS|-...")
@options.tokenizer
@click.option(
    "--rare-below", type=int, default=10, show_default=True, help="A token is rare if it stands there fewer times."
)
@click.option("--dimension", type=int, default=768, show_default=True, help="Of the embedding whose size is shown.")
@click.option("--csv", "csv", type=click.Path(path_type=Path), metavar="FILE", help="Also write every point as CSV.")
@options.document
@options.errors
@options.threads
@options.progress
@reports
def curve(files: tuple[str, ...], tok: Tokenizer, **choices: Any) -> Curve:
    """Measure a tokenizer at every smaller size.

    FILES are text that it was not learned from, or tally files of such text.
    """
    counted = tally_of(files)
    with sources(files) as texts:
        return curve_of(tok, texts if counted is None else counted, **choices)
