"""`bytepair count` and `bytepair pieces`: what a text comes to, and how it is cut."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import click

from bytepair.cli import options
from bytepair.cli.opening import open_tokenizer
from bytepair.cli.texts import named_texts
from bytepair.render import Cell, Table, strip
from bytepair.tokenizer import Tokenizer, train

COUNT_EPILOG = """
\b
Examples:
  bytepair count book.txt
  bytepair count texts/ "more/*.txt" --json
"""

PIECES_EPILOG = """
\b
Examples:
  bytepair pieces --pattern gpt2 --text "Don't panic: it's 42."
  bytepair pieces -t tokenizer.json --text "Don't panic: it's 42."
"""


@click.command(epilog=COUNT_EPILOG)
@options.texts
@options.tokenizer
@options.special
@options.as_json
def count(
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    tok: Tokenizer,
    special: tuple[str, ...],
    as_json: bool,
) -> None:
    """Count tokens, as wc counts words."""
    policy = options.special_policy(special)
    totals: dict[str, list[int]] = {}
    for name, text in named_texts(files, given, document):
        row = totals.setdefault(name, [0, 0])
        row[0] += tok.count(text, special=policy)
        row[1] += len(text)
    whole = [sum(column) for column in zip(*totals.values(), strict=True)] or [0, 0]
    if as_json:
        records = [{"name": name, "tokens": n, "bytes": n_bytes} for name, (n, n_bytes) in totals.items()]
        click.echo(json.dumps({"files": records, "tokens": whole[0], "bytes": whole[1]}, ensure_ascii=False))
        return
    rows = [_row(name, *row) for name, row in totals.items()]
    if len(rows) > 1:
        rows.append(_row("total", *whole))
    header = ("tokens", "bytes", "bytes/token", "text")
    options.show(Table(header, tuple(rows), right=(0, 1, 2)))


def _row(name: str, n_tokens: int, n_bytes: int) -> tuple[Cell, ...]:
    return n_tokens, n_bytes, n_bytes / n_tokens if n_tokens else "-", name


@click.command(epilog=PIECES_EPILOG)
@options.texts
@options.path("-t", "--tokenizer", "file", help=options.HELP_TOKENIZER)
@options.pattern
@options.special
@options.as_json
def pieces(
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    file: Path | None,
    pattern: str | None,
    special: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show where a pattern cuts a text.

    No merge crosses the border of a piece. The pattern is that of the tokenizer file; without a file it is --pattern,
    or cl100k.
    """
    # A model without merges is a pattern that can be asked.
    tok = open_tokenizer(file, pattern) if file else train([""], num_merges=0, pattern=pattern)
    screen = options.screen()
    for name, text in named_texts(files, given, document):
        found = tok.pieces(text, special=options.special_policy(special))
        if as_json:
            readable = [piece.decode("utf-8", "backslashreplace") for piece in found]
            click.echo(json.dumps({"name": name, "pieces": readable}, ensure_ascii=False))
        else:
            spans = [(piece, zlib.crc32(piece)) for piece in found]
            click.echo(strip(spans, colour=screen.colour, width=screen.width), color=True)
