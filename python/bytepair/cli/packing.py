"""`bytepair pack`: text -> shards of ids for training; `pack --verify`: are they what was written?"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from bytepair import cluster
from bytepair.arguments import shown
from bytepair.cli import options
from bytepair.cli.opening import open_tokenizer
from bytepair.cli.refusal import LINE, Refusal
from bytepair.cli.texts import is_stream, sources
from bytepair.corpus import checked_reading, open_corpus
from bytepair.errors import FormatError
from bytepair.pack import FORMATS, Pack, load_pack
from bytepair.pack import pack as packed
from bytepair.pack.batches import batches
from bytepair.pack.options import SHARD_BYTES
from bytepair.tokenizer import Tokenizer

EPILOG = """
\b
Examples:
  bytepair pack texts/ -o packed --eos "<|endoftext|>"
  bytepair pack "web/*.jsonl.zst" -o packed --format megatron --validation 0.001 --shuffle 1
  bytepair pack corpus.parquet -o packed --field content --sequence 2048 --eos "<|endoftext|>"
  bytepair pack --verify packed
"""


class _Folder(click.Path):
    """A path; also one that no file can have is refused in a sentence."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except ValueError as error:
            self.fail(f"no file can be named {shown(value, 200)}: {error}; check the path", param, ctx)


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|GLOBS|-]...")
@options.tokenizer_file
@click.option(
    "-o", "--output", type=_Folder(path_type=Path), default="packed", show_default=True, help="The folder to write."
)
@click.option(
    "--format",
    type=click.Choice(FORMATS),
    default="npy",
    show_default=True,
    help="The kind of files that the shards are.",
)
@click.option("--bos", metavar="TOKEN", help="A special token, or an id, before each document.")
@click.option("--eos", metavar="TOKEN", help="A special token, or an id, behind each document.")
@click.option("--sequence", type=int, metavar="TOKENS", help="Cut the ids into sequences of so many.")
@click.option("--pad", metavar="TOKEN", help="Fills the last sequence of a shard; else its tokens are left out.")
@click.option("--shuffle", type=int, metavar="SEED", help="Shuffle the documents of each shard.")
@click.option(
    "--validation", type=float, default=0.0, show_default=True, metavar="PART", help="Of the documents, by their hash."
)
@click.option(
    "--shard-bytes",
    default=str(SHARD_BYTES),
    show_default=True,
    metavar="SIZE",
    help="Bytes of text after which a shard ends, such as 100MB.",
)
@options.special
@options.document
@options.errors
@options.ray
@options.threads
@options.progress
@click.option("--verify", is_flag=True, help="FILES is a folder of shards: read them again and check every hash.")
@options.as_json
@click.pass_context
def pack(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    file: Path,
    pattern: str | None,
    output: Path,
    verify: bool,
    as_json: bool,
    special: tuple[str, ...],
    progress: Any,
    **choices: Any,
) -> None:
    """Encode a corpus into shards of ids for training.

    A run that was stopped goes on when the same command is given again; the shards are the same as without the stop.
    """
    _refuse_names((*files, str(output)))
    if verify:
        _verify(ctx, files, progress, as_json)
        return
    if not files:
        raise Refusal("nothing to pack: name files, folders, globs, or - for standard input")
    choices |= {name: _token(choices[name]) for name in ("bos", "eos", "pad")}
    choices["special"] = options.special_policy(special)
    tok = open_tokenizer(file, pattern)
    try:
        made = _packed(tok, files, output, progress, choices)
    except KeyboardInterrupt:
        click.echo(
            f"\nInterrupted: the finished shards in {str(output)!r} are whole. To go on from there:\n"
            f"  {ctx.meta[LINE]}",
            err=True,
        )
        ctx.exit(130)
    options.warn_of_no_text(made.n_tokens)
    _report(made, as_json, f"wrote {output}")


def _refuse_names(names: tuple[str, ...]) -> None:
    """Refuse names that no file can have, before anything asks what is there."""
    for name in names:
        try:
            os.lstat(name)  # as it was given
        except (OSError, ValueError) as error:
            if not isinstance(error, OSError) or error.errno == errno.ENAMETOOLONG:
                reason = error.strerror if isinstance(error, OSError) else str(error)
                raise Refusal(f"no file can be named {shown(name, 200)}: {reason}; check the path") from error


def _packed(tok: Tokenizer, files: tuple[str, ...], output: Path, progress: Any, choices: dict[str, Any]) -> Pack:
    address = choices.pop("ray")
    if address is None:
        with sources(files) as texts:
            given = _documents(texts, choices) if any(map(is_stream, files)) else texts
            return packed(tok, given, output, progress=progress, **choices)
    if choices.pop("threads") is not None:
        raise Refusal("--threads is for one machine, and --ray for many; leave one of them out")
    dataset = options.on_ray(files, address, choices)
    return cluster.pack(tok, dataset, output, progress=progress, **choices)


def _documents(paths: list[Path], choices: dict[str, Any]) -> Iterator[str | bytes]:
    """The documents of a stream, without the name of its copy, which is another in every run."""
    reading = checked_reading(*(choices[name] for name in ("document", "field", "errors", "bad_records")))
    for batch in batches(open_corpus(paths, reading), reading):
        yield from batch.texts if batch.large is None else [batch.large.read()]


def _verify(ctx: click.Context, files: tuple[str, ...], progress: Any, as_json: bool) -> None:
    if len(files) != 1:
        raise Refusal("--verify takes one folder of shards; name the one that `bytepair pack` wrote")
    packed = load_pack(files[0])
    try:
        packed.verify(progress)
    except FormatError as error:
        click.echo(f"Wrong: {error}", err=True)
        ctx.exit(1)
    _report(packed, as_json, "every hash is right")


def _token(text: str | None) -> str | int | None:
    """A special token by its text, or any token by its id."""
    return int(text) if text is not None and text.isdecimal() else text


def _report(made: Pack, as_json: bool, sentence: str) -> None:
    if as_json:
        click.echo(json.dumps(made.to_record(), ensure_ascii=False))
        return
    options.say(made)
    options.say(sentence)
