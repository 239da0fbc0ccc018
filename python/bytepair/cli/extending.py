"""`bytepair extend`: a tokenizer and more text -> a larger tokenizer."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from bytepair.cli import options
from bytepair.cli.tally_files import corpus
from bytepair.cli.training import as_record, check_tokenizer_target
from bytepair.extension import ExtensionReport
from bytepair.tokenizer import Tokenizer

EPILOG = """
\b
Examples:
  bytepair extend medicine.txt --vocab-size 34000
  bytepair extend -t mine.json code/ --vocab-size 40000 -o mine-code.json
"""


@click.command(epilog=EPILOG)
@options.files
@options.tokenizer
@click.option("--vocab-size", type=int, required=True, help="Tokens to reach, those there are included.")
@options.sampling
@options.saving("extended.json")
def extend(
    files: tuple[str, ...], tok: Tokenizer, output: Path, force: bool, as_json: bool, vocab_size: int, **choices: Any
) -> None:
    """Learn more merges from other text.

    Old ids and merges stay as they are.
    """
    check_tokenizer_target(output, force)
    with corpus(files) as source:
        made = tok.extend(source, vocab_size, **choices)
    assert made.training is not None  # both were made just now
    assert made.extension is not None
    made.save(output)
    options.warn_of_no_text(made.training.bytes, made.training.bytes_in_all)
    if as_json:
        record = {**as_record(made.training), **_as_record(made.extension), "file": str(output)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    for each in (made.training, made.extension, f"wrote {output} ({output.stat().st_size:,} bytes)"):
        options.say(each)


def _as_record(report: ExtensionReport) -> dict[str, Any]:
    """What JSON can hold of a report."""
    record = dataclasses.asdict(report)
    record["new_tokens"] = {number: _readable(token) for number, token in report.new_tokens}
    record["new_merges"] = [[_readable(left), _readable(right)] for left, right in report.new_merges]
    record["can_change"] = [_readable(spelling) for spelling in report.can_change]
    return record


def _readable(spelling: bytes) -> str:
    return spelling.decode("utf-8", "backslashreplace")
