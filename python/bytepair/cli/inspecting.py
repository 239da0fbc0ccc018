"""`bytepair inspect` and `bytepair prune`: what is wrong with a vocabulary, and what to take out of it."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import click

from bytepair import whole_file
from bytepair.analysis.inspection import Inspection
from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.reporting import check_page, reports
from bytepair.cli.tally_files import tally_of
from bytepair.cli.texts import sources
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

    return _check(_max_unreachable(_max_under_used(checked)))


_check: options.Decorator = click.option(
    "--check", is_flag=True, help="Exit code 1 if there are problems; they are named on stderr."
)
_max_unreachable: options.Decorator = click.option(
    "--max-unreachable", type=int, default=0, show_default=True, help="Tokens that no text reaches, allowed by --check."
)
_max_under_used: options.Decorator = click.option(
    "--max-under-used",
    type=float,
    default=1.0,
    show_default=True,
    help="The part of the merged tokens that --check allows to be under-used in FILES.",
)


@click.command(epilog=INSPECT_EPILOG)
@click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|GLOBS|-]...")
@options.tokenizer
@click.option(
    "--rare-below", type=int, default=1, show_default=True, help="Under-used: fewer times than this in FILES."
)
@gate
@options.document
@options.errors
@options.threads
@options.progress
@reports
def inspect(files: tuple[str, ...], tok: Tokenizer, **choices: Any) -> Inspection:
    """Look through a vocabulary for what is wrong.

    Longest tokens, scripts, tokens that no text reaches, that stand only inside others, or are alike. With FILES,
    texts or tally files, also which tokens they use.
    """
    if not files:
        return tok.inspect(**choices)
    counted = tally_of(files)
    with sources(files) as texts:
        return tok.inspect(texts if counted is None else counted, **choices)


@click.command(epilog=PRUNE_EPILOG)
@click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|GLOBS|-]...")
@options.tokenizer
@click.option("--min-count", type=int, default=1, show_default=True, help="Drop tokens that are rarer in FILES.")
@click.option("--drop", multiple=True, metavar="TOKEN", help="Drop this token (may be repeated).")
@click.option("--keep", multiple=True, metavar="TOKEN", help="Keep this token (may be repeated).")
@click.option("--script", "scripts", multiple=True, help="Drop tokens with a letter of this script (may be repeated).")
@click.option("--vocab-size", type=int, help="Drop until so many are left: the least used in FILES first.")
@click.option(
    "--map", "map_file", type=click.Path(path_type=Path), metavar="FILE", help="Write old to new ids as JSON."
)
@options.document
@options.errors
@options.threads
@options.progress
@options.output("pruned.json")
@options.force
@options.as_json
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
    counted = tally_of(files) if files else None
    with sources(files) as texts:
        corpus = counted if counted is not None else texts if files else None
        smaller, new_ids = tok.prune(corpus, **choices)
    assert smaller.pruning is not None  # it was pruned just now
    smaller.save(output)
    if map_file is not None:
        whole_file.write(map_file, json.dumps(new_ids.tolist()).encode())
    if as_json:
        click.echo(json.dumps({**smaller.pruning.to_dict(), "file": str(output)}, ensure_ascii=False))
        return
    options.say(smaller.pruning)
    options.say(f"wrote {output} ({output.stat().st_size:,} bytes)")
