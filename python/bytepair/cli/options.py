"""Options that more than one command takes."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from bytepair.arguments import SPECIAL_POLICIES, Special
from bytepair.cli.refusal import Refusal
from bytepair.parts import ALPHABETS, BYTE_ORDERS, SPECIAL_IDS, STYLES, TIES
from bytepair.patterns import NAMES
from bytepair.render import Screen, number_of, wrapped
from bytepair.tally import DOCUMENTS, ERRORS
from bytepair.tokenizer import Tokenizer, load

Command: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[Command], Command]

HELP_TOKENIZER = "The tokenizer file: tokenizer.json, or .tiktoken with --pattern."
HELP_PATTERN = f"How text is cut into pieces: {', '.join(NAMES)}, or a regular expression."

as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
pattern: Decorator = click.option("--pattern", metavar="NAME|REGEX", help=HELP_PATTERN)
document: Decorator = click.option(
    "--document",
    type=click.Choice(DOCUMENTS),
    default="file",
    show_default=True,
    help="What one document is: a whole file, or each line with its line end.",
)
errors: Decorator = click.option(
    "--errors",
    type=click.Choice(ERRORS),
    default="raise",
    show_default=True,
    help="Bytes that are not UTF-8, in files and from standard input: stop, write U+FFFD, or leave out.",
)
threads: Decorator = click.option("--threads", type=int, help="Default: one per core.")
sample: Decorator = click.option(
    "--sample",
    type=float,
    metavar="PART",
    help="Read only a part of the text, from everywhere in it: 0.1 is a tenth.",
)
seed: Decorator = click.option(
    "--seed", type=int, default=0, show_default=True, help="What --sample draws by; another seed, another sample."
)
special_token: Decorator = click.option(
    "--special-token", "special_tokens", multiple=True, metavar="TOKEN", help="May be repeated."
)
add_prefix_space: Decorator = click.option(
    "--add-prefix-space", is_flag=True, help="Put a space before documents that do not begin with one."
)
special: Decorator = click.option(
    "--special",
    "special",
    multiple=True,
    metavar="text|all|raise|TOKEN",
    help="What to do with the text of special tokens: leave it as text (the default), match all, refuse it, "
    "or match only this token (may be repeated).",
)
force: Decorator = click.option("--force", is_flag=True, help="Overwrite the output file.")


_LEARNING: tuple[Decorator, ...] = (
    pattern,
    click.option(
        "--ties",
        type=click.Choice(TIES),
        default="lexicographic",
        show_default=True,
        help="Which of the equally frequent pairs is merged.",
    ),
    click.option("--alphabet", type=click.Choice(ALPHABETS), default="bytes", show_default=True),
    click.option(
        "--byte-order",
        type=click.Choice(BYTE_ORDERS),
        default="value",
        show_default=True,
        help="How the 256 byte tokens are numbered.",
    ),
    click.option("--end-of-word", metavar="MARKER", help="A marker such as </w> behind each piece."),
    click.option(
        "--end-of-word-style",
        type=click.Choice(STYLES),
        default="symbol",
        show_default=True,
        help="Whether the marker is a symbol of its own or glued to the last byte or character.",
    ),
    click.option("--unk-token", metavar="TOKEN", help="Stands for characters that were not seen (--alphabet chars)."),
    special_token,
    click.option(
        "--special-ids",
        type=click.Choice(SPECIAL_IDS),
        default="last",
        show_default=True,
        help="Whether special tokens take the ids after all others or before.",
    ),
    add_prefix_space,
    click.option("--min-count", type=int, default=1, show_default=True, help="Stop at pairs that are rarer than this."),
    click.option("--max-token-bytes", type=int, help="Merge nothing longer than this."),
)


def learning(command: Command) -> Command:
    """What decides the merges beside the corpus and their number, as `train` takes it."""
    for option in reversed(_LEARNING):
        command = option(command)
    return command


def progress(command: Command) -> Command:
    """--progress, handed on as what the library takes."""

    @functools.wraps(command)
    def with_progress(*args: Any, progress: str, **options: Any) -> Any:
        # Where nobody looks, only those who ask for lines get them.
        shown = progress if progress == "log" or (progress == "auto" and sys.stderr.isatty()) else None
        return command(*args, progress=shown, **options)

    chosen: Decorator = click.option(
        "--progress",
        type=click.Choice(["auto", "log", "none"]),
        default="auto",
        show_default=True,
        help="How far it is, on stderr: a bar if that is a terminal, a line every few seconds, or nothing.",
    )
    return chosen(with_progress)


def output(default: str) -> Decorator:
    """-o/--output, a file to write."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        default=default,
        show_default=True,
        help="The file to write. One that is there already is overwritten only with --force.",
    )


def texts(command: Command) -> Command:
    """FILES, --text and --document: the texts to work on."""
    command = document(command)
    command = click.option("--text", "given", multiple=True, help="A text of its own (may be repeated).")(command)
    return click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|GLOBS|-]...")(command)


def tokenizer(command: Command) -> Command:
    """-t/--tokenizer and --pattern, handed on as the loaded `tok`."""

    @functools.wraps(command)
    def with_tokenizer(*args: Any, file: Path, pattern: str | None, **options: Any) -> Any:
        return command(*args, tok=open_tokenizer(file, pattern), **options)

    path: Decorator = click.option(
        "-t",
        "--tokenizer",
        "file",
        type=click.Path(path_type=Path),
        default="tokenizer.json",
        show_default=True,
        help=HELP_TOKENIZER,
    )
    return path(pattern(with_tokenizer))


def open_tokenizer(file: Path, pattern: str | None) -> Tokenizer:
    """Load a tokenizer, with a word on how to get one where there is none."""
    if not file.exists():
        raise Refusal(
            f"there is no tokenizer file {str(file)!r}; name one with -t, or make one with `bytepair demo` "
            "or `bytepair train`"
        )
    return load(file, pattern=pattern)


def special_policy(values: tuple[str, ...]) -> Special:
    """What the library's `special` takes, from what was given on the command line."""
    if not values:
        return "text"
    for policy in SPECIAL_POLICIES:
        if values == (policy,):
            return policy
    return set(values)


def warn_of_no_text(n_bytes: int, n_bytes_in_all: int | None) -> None:
    """Say on stderr that there was nothing to learn from, which is right and hardly meant."""
    if n_bytes:
        return
    if n_bytes_in_all:
        whole = number_of(n_bytes_in_all, "byte")
        why = f"the sample has none of the {whole} of text; take a larger one, or another --seed"
    else:
        why = "the files hold no text"
    click.echo(f"Warning: {why}", err=True)


def screen() -> Screen:
    """What standard output can show."""
    return Screen.of(sys.stdout)


def say(text: object, *, bold: bool = False) -> None:
    """Print sentences, broken to the width of the screen."""
    click.secho(wrapped(str(text), screen().width), bold=bold)
