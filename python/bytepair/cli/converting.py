"""`bytepair convert` and `bytepair verify`: tokenizer files into others, and whether two of them agree."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from bytepair.cli import options
from bytepair.cli.opening import open_one_of_several, unsaid
from bytepair.cli.refusal import Refusal
from bytepair.cli.texts import named_texts
from bytepair.convert import convert as convert_file
from bytepair.export import FORMATS
from bytepair.stress import STRESS
from bytepair.verify import verify as compare

CONVERT_EPILOG = """
\b
Examples:
  bytepair convert tokenizer.json ranks.tiktoken
  bytepair convert cl100k_base.tiktoken cl100k.json --pattern cl100k --special-id "<|endoftext|>" 100257
"""

VERIFY_EPILOG = """
\b
Examples:
  bytepair verify old.json new.json corpus.txt
  bytepair verify tokenizer.json ranks.tiktoken --pattern cl100k
"""

special_id = click.option(
    "--special-id",
    "special_tokens",
    type=(str, int),
    multiple=True,
    metavar="TOKEN ID",
    help="A special token and its id, for a source that holds none (may be repeated).",
)


@click.command(epilog=CONVERT_EPILOG)
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--format", type=click.Choice(FORMATS), help="Default: by the name of the target.")
@options.pattern
@special_id
@click.option("--lossy", is_flag=True, help="Write it even if the format cannot hold all of the tokenizer.")
@options.force
@options.as_json
def convert(
    source: Path,
    target: Path,
    format: str | None,
    pattern: str | None,
    special_tokens: tuple[tuple[str, int], ...],
    lossy: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Convert a tokenizer file to another format.

    Every token and texts of many kinds are checked both ways before the file is written. What the format cannot hold is
    listed and refused.
    """
    if target.is_file() and not force:
        raise Refusal(f"{str(target)!r} is there already; name another target, or pass --force to overwrite it")
    pattern, special_ids = unsaid(source, pattern, dict(special_tokens) or None)
    done = convert_file(source, target, format, pattern=pattern, special_tokens=special_ids, lossy=lossy)
    if as_json:
        record = {"format": done.format, "files": done.files, "losses": done.losses, "load_with": dict(done.load_with)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    options.say(f"Wrote {', '.join(done.files)} ({done.format}).")
    for loss in done.losses:
        options.say(f"Lost: {loss}.")
    if done.load_with:
        options.say(f"Load it with {_as_options(done.load_with)}.")


def _as_options(load_with: Mapping[str, Any]) -> str:
    """What `load` needs, as the options that stand for it."""
    words = ["--pattern", load_with["pattern"]] if "pattern" in load_with else []
    for text, number in load_with.get("special_tokens", {}).items():
        words += ["--special-id", text, str(number)]
    return shlex.join(words)


@click.command(epilog=VERIFY_EPILOG)
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@options.texts
@options.pattern
@special_id
@options.as_json
@click.pass_context
def verify(
    ctx: click.Context,
    first: Path,
    second: Path,
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    pattern: str | None,
    special_tokens: tuple[tuple[str, int], ...],
    as_json: bool,
) -> None:
    """Compare what two tokenizer files make of texts.

    Without texts those are compared on which tokenizers part most often. Where they differ the shortest text that shows
    it is printed, and the exit code is 1. --pattern and --special-id go to the files that hold none.
    """
    # The texts of the command line; none of it is read from standard input unless it is named.
    texts = (
        [text.decode("utf-8", "replace") for _, text in named_texts(files, given, document)]
        if files or given
        else STRESS
    )
    left, right = (open_one_of_several(path, pattern, dict(special_tokens) or None) for path in (first, second))
    found = compare(left, right, texts)
    if as_json:
        gap = found.difference
        shown = gap and {
            "index": gap.index,
            "text": gap.text,
            "first": gap.left,
            "second": gap.right,
            "stage": gap.stage,
        }
        click.echo(
            json.dumps({"same": bool(found), "texts": found.n_texts, "tokens": found.n_tokens, "difference": shown})
        )
    else:
        options.say(str(found)[0].upper() + str(found)[1:] + ".")
    if not found:
        ctx.exit(1)
