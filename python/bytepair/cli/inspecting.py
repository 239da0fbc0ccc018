"""`bytepair inspect` and `bytepair prune`: what is wrong with a vocabulary, and what to take out of it."""

from __future__ import annotations

import functools
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from bytepair import whole_file
from bytepair.analysis.inspection import Inspection
from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.reporting import check_page, reports
from bytepair.cli.tally_files import corpus
from bytepair.cli.training import check_tokenizer_target
from bytepair.tokenizer import Tokenizer

INSPECT_EPILOG = """
\b
Examples:
  bytepair inspect
  bytepair inspect book.txt --rare-below 10 --html vocabulary.html
  bytepair inspect --check --max-unreachable 0
"""

PRUNE_EPILOG = """
\b
Examples:
  bytepair prune book.txt -o used.json --map new-ids.json
  bytepair prune --script Cyrillic --script Han -o latin.json
  bytepair prune book.txt --vocab-size 280 -o 280.json
"""


def gate(command: options.Command) -> options.Command:
    """--check and its limits: exit code 1 where the report that the command gives has problems."""

    @functools.wraps(command)
    def checked(*args: Any, check: bool, max_unreachable: int, max_under_used: float, **choices: Any) -> None:
        if max_under_used < 1 and not choices["files"]:
            raise Refusal(f"--max-under-used is {max_under_used:g}, and nothing was counted; name files to count")
        found = command(*args, **choices)
        problems = found.problems(max_unreachable=max_unreachable, max_under_used=max_under_used) if check else ()
        for problem in problems:
            click.echo(f"check failed: {problem}", err=True)
        click.get_current_context().exit(1 if problems else 0)

    return options.together(_check, _max_unreachable, _max_under_used)(checked)


_check: options.Decorator = click.option(
    "--check", is_flag=True, help="Exit code 1 if there are problems; they are named on stderr."
)
_max_unreachable = options.number("--max-unreachable", 0, "Tokens that no text reaches, allowed by --check.")
_max_under_used: options.Decorator = click.option(
    "--max-under-used",
    type=float,
    default=1.0,
    show_default=True,
    help="The part of the merged tokens that --check allows to be under-used in FILES.",
)


@click.command(epilog=INSPECT_EPILOG)
@options.some_files
@options.tokenizer
@options.number("--rare-below", 1, "Under-used: fewer times than this in FILES.")
@gate
@options.reading
@reports
def inspect(files: tuple[str, ...], tok: Tokenizer, **choices: Any) -> Inspection:
    """Look through a vocabulary for what is wrong.

    Longest tokens, scripts, tokens that no text reaches, that stand only inside others, or are alike. With FILES,
    texts or tally files, also which tokens they use.
    """
    with corpus(files) if files else nullcontext() as source:
        found = tok.inspect(source, **choices)
    options.warn_of_no_text(1 if found.n_corpus_tokens is None else found.n_corpus_tokens)
    return found


@click.command(epilog=PRUNE_EPILOG)
@options.some_files
@options.tokenizer
@options.number("--min-count", 1, "Drop tokens that are rarer in FILES.")
@options.repeated("--drop", "drop", "TOKEN", "Drop this token (may be repeated).")
@options.repeated("--keep", "keep", "TOKEN", "Keep this token (may be repeated).")
@options.repeated("--script", "scripts", None, "Drop tokens with a letter of this script (may be repeated).")
@click.option("--vocab-size", type=int, help="Drop until so many are left: the least used in FILES first.")
@options.written("--map", "map_file", "Write old to new ids as JSON.")
@options.reading
@options.saving("pruned.json")
def prune(
    files: tuple[str, ...],
    tok: Tokenizer,
    map_file: Path | None,
    output: Path,
    force: bool,
    as_json: bool,
    **choices: Any,
) -> None:
    """Take tokens out of a vocabulary.

    Tokens that FILES (texts or tally files) do not use, that --drop names, of a --script, or down to --vocab-size. A
    text whose tokens all stay has the same tokens as before.
    """
    check_tokenizer_target(output, force)
    if map_file is not None:
        check_page(map_file, "--map")
    with corpus(files) if files else nullcontext() as source:
        smaller, new_ids = tok.prune(source, **choices)
    assert smaller.pruning is not None  # it was pruned just now
    options.warn_of_no_text(1 if smaller.pruning.n_corpus_tokens is None else smaller.pruning.n_corpus_tokens)
    smaller.save(output)
    if map_file is not None:
        whole_file.write(map_file, json.dumps(new_ids.tolist()).encode())
    if as_json:
        click.echo(json.dumps({**smaller.pruning.to_dict(), "file": str(output)}, ensure_ascii=False))
        return
    options.say(smaller.pruning)
    options.say(f"wrote {output} ({output.stat().st_size:,} bytes)")
