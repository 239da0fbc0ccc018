"""`bytepair prove`: was each merge of a tokenizer the true choice on this corpus?"""

from __future__ import annotations

import json
from typing import Any

import click

from bytepair.cli import options
from bytepair.cli.tally_files import corpus
from bytepair.parts import TIES
from bytepair.proof import Proof
from bytepair.tokenizer import Tokenizer

EPILOG = """
\b
Examples:
  bytepair prove book.txt
  bytepair prove -t theirs.json corpus.txt --document line --ties lowest-id
"""


@click.command(epilog=EPILOG)
@options.files
@options.tokenizer
@click.option("--ties", type=click.Choice(TIES), help="The rule. Default: the one that the tokenizer was learned by.")
@options.reading
@options.as_json
@click.pass_context
def prove(ctx: click.Context, /, files: tuple[str, ...], tok: Tokenizer, as_json: bool, **choices: Any) -> None:
    """Check that each merge was the true choice.

    The merges are replayed on their corpus: each must be the most frequent pair at its place. Exit code 1 if one is
    not.
    """
    with corpus(files) as source:
        proof = tok.prove(source, **choices)
    options.warn_of_no_text(proof.receipt["corpus_bytes"])
    if as_json:
        click.echo(json.dumps(_as_record(proof), ensure_ascii=False))
    else:
        options.say(proof)
    ctx.exit(0 if proof else 1)


def _as_record(proof: Proof) -> dict[str, Any]:
    """What JSON can hold of a proof: the receipt, and what broke."""
    return {
        **proof.receipt,
        "same_corpus": proof.same_corpus,
        "given": _readable(proof.given),
        "count": proof.count,
        "choice": _readable(proof.choice),
        "choice_count": proof.choice_count,
    }


def _readable(pair: tuple[bytes, bytes] | None) -> list[str] | None:
    return None if pair is None else [part.decode("utf-8", "backslashreplace") for part in pair]
