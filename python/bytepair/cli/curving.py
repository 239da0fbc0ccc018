"""`bytepair curve`: which vocabulary size to pick."""

from __future__ import annotations

from typing import Any

import click

from bytepair.analysis.curve import Curve
from bytepair.cli import options
from bytepair.cli.reporting import reports
from bytepair.cli.tally_files import corpus
from bytepair.looking import curve as curve_of
from bytepair.tokenizer import Tokenizer

EPILOG = """
\b
Examples:
  bytepair curve held-out.txt
  bytepair curve held-out.txt --csv curve.csv --html curve.html
"""


@click.command(epilog=EPILOG)
@options.files
@options.tokenizer
@options.number("--rare-below", 10, "A token is rare if it stands there fewer times.")
@options.number("--dimension", 768, "Of the embedding whose size is shown.")
@options.written("--csv", "csv", "Also write every point as CSV.")
@options.reading
@reports
def curve(files: tuple[str, ...], tok: Tokenizer, **choices: Any) -> Curve:
    """Measure a tokenizer at every smaller size.

    FILES are text that it was not learned from, or tally files of such text.
    """
    with corpus(files) as source:
        return curve_of(tok, source, **choices)
