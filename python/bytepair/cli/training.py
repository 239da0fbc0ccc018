"""`bytepair train`: text -> tokenizer file."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bytepair import formats
from bytepair.cli import options
from bytepair.cli.refusal import LINE, Refusal
from bytepair.cli.tally_files import corpus
from bytepair.tokenizer import train as learn
from bytepair.training import TrainingReport

EPILOG = """
\b
Examples:
  bytepair train book.txt --vocab-size 2000
  bytepair train texts/ "more/*.txt" --vocab-size 32000 -o mine.json
  bytepair train book.txt --vocab-size 2000 --special-token "<|end|>" --force
  zcat corpus.gz | bytepair train - --num-merges 900 -o lines.json
"""


@click.command(epilog=EPILOG)
@options.files
@click.option("--vocab-size", type=int, help="Tokens to reach: alphabet, merged and special tokens together.")
@click.option("--num-merges", type=int, help="Merges to learn, instead of a vocabulary size.")
@options.learning
@options.sampling
@options.path(
    "--checkpoint",
    help="Keep the merges in this file now and then, and when interrupted; the same command goes on from it.",
)
@options.saving("tokenizer.json")
def train(files: tuple[str, ...], output: Path, force: bool, as_json: bool, **choices: Any) -> None:
    """Learn a tokenizer from text, or from tally files, and save it.

    Name as many files as you like. A folder stands for all files in it and below (hidden ones left out), a glob in
    quotes for those that match, and - for standard input.
    """
    check_tokenizer_target(output, force)
    with _named_checkpoint(choices["checkpoint"]), corpus(files) as source:
        tok = learn(source, **choices)
    assert tok.training is not None  # it was learned just now
    tok.save(output)
    options.warn_of_no_text(tok.training.bytes, tok.training.bytes_in_all)
    if as_json:
        click.echo(json.dumps({**as_record(tok.training), "file": str(output)}, ensure_ascii=False))
        return
    options.say(tok.training)
    options.say(f"wrote {output} ({output.stat().st_size:,} bytes)")


@contextmanager
def _named_checkpoint(path: Path | None) -> Iterator[None]:
    """Say what an interrupt has left."""
    try:
        yield
    except KeyboardInterrupt:
        if path is None or not path.exists():
            raise
        context = click.get_current_context()
        click.echo(
            f"\nInterrupted: no tokenizer was written; {str(path)!r} keeps the merges so far. To go on from there:\n"
            f"  {context.meta[LINE]}",
            err=True,
        )
        context.exit(130)


def check_tokenizer_target(path: Path, force: bool) -> None:
    """Refuse a file that a tokenizer cannot be saved to."""
    formats.refuse_name(path)
    check_target(path, force)


def check_target(path: Path, force: bool) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    folder = path.parent
    if path.is_dir():
        raise Refusal(f"{str(path)!r} is a folder; name a file in it with -o")
    if path.exists() and not force:
        raise Refusal(f"{str(path)!r} is there already; --force overwrites it, -o names another file")
    if not folder.is_dir():
        raise Refusal(f"there is no folder {str(folder)!r} to write {path.name!r} to; make it first")
    if not os.access(folder, os.W_OK):
        raise Refusal(f"the folder {str(folder)!r} is not writable; name another place with -o")


def as_record(report: TrainingReport) -> dict[str, Any]:
    """What JSON can hold of a report."""
    record = dataclasses.asdict(report)
    # As many as there are merges, and the file has them.
    del record["merge_counts"]
    record["passed_over"] = [spelling.decode("utf-8", "backslashreplace") for spelling in report.passed_over]
    return record
