"""Options that more than one command takes."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from bytepair import cluster
from bytepair.arguments import SPECIAL_POLICIES, Special
from bytepair.cli.opening import open_tokenizer
from bytepair.corpus import BAD_RECORDS, DOCUMENTS, ERRORS, FIELD
from bytepair.parts import ALPHABETS, BYTE_ORDERS, SPECIAL_IDS, STYLES, TIES
from bytepair.patterns import NAMES
from bytepair.render import Block, Screen, number_of, terminal, wrapped

Command: TypeAlias = Callable[..., Any]
Decorator: TypeAlias = Callable[[Command], Command]

HELP_TOKENIZER = (
    "The tokenizer file, of any format (.tiktoken needs --pattern, but for OpenAI's, known by their names); or one of "
    "OpenAI's encodings such as cl100k_base, whose file must be at hand."
)
HELP_PATTERN = f"How text is cut into pieces: {', '.join(NAMES)}, or a regular expression."


# By shape.


def together(*several: Decorator) -> Decorator:
    """Several as one, in this order in the help."""

    def all_of_them(command: Command) -> Command:
        for each in reversed(several):
            command = each(command)
        return command

    return all_of_them


def chosen(name: str, among: Sequence[str], help: str | None = None) -> Decorator:
    """One of some words; the first is the default."""
    return click.option(name, type=click.Choice(among), default=among[0], show_default=True, help=help)


def number(name: str, default: int, help: str, *more_names: str) -> Decorator:
    """A whole number with a default."""
    return click.option(name, *more_names, type=int, default=default, show_default=True, help=help)


def repeated(name: str, in_python: str, metavar: str | None, help: str) -> Decorator:
    """Given as often as there is something to say."""
    return click.option(name, in_python, multiple=True, metavar=metavar, help=help)


def written(name: str, in_python: str, help: str) -> Decorator:
    """A file that is written beside what is printed."""
    return click.option(name, in_python, type=click.Path(path_type=Path), metavar="FILE", help=help)


def path(*names: str, help: str) -> Decorator:
    """A file, or None."""
    return click.option(*names, type=click.Path(path_type=Path), help=help)


# By name.

files: Decorator = click.argument("files", nargs=-1, required=True, metavar="FILES|FOLDERS|GLOBS|-...")
some_files: Decorator = click.argument("files", nargs=-1, metavar="[FILES|FOLDERS|GLOBS|-]...")
given: Decorator = repeated("--text", "given", None, "A text of its own (may be repeated).")
counted: Decorator = click.option(
    "--counted", is_flag=True, help="The files hold counted pieces: a piece, a tab, a count a line."
)
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
pattern: Decorator = click.option("--pattern", metavar="NAME|REGEX", help=HELP_PATTERN)
_WHAT: Final = "What one document is: a whole file, or each line with its line end"
document: Decorator = together(
    chosen(
        "--document",
        DOCUMENTS,
        f"{_WHAT}, what stands between blank lines, or each record of JSON Lines, CSV, Parquet or Arrow.",
    ),
    click.option(
        "--field", default=FIELD, show_default=True, metavar="NAME", help="The key or column with a record's text."
    ),
    chosen(
        "--bad-records",
        BAD_RECORDS,
        "Records without a text: stop, leave out and count, or an empty document for each.",
    ),
)
errors: Decorator = chosen(
    "--errors",
    ERRORS,
    "Bytes that are not UTF-8, in files and from standard input: stop, write U+FFFD, or leave out.",
)
threads: Decorator = click.option("--threads", type=int, help="Default: one per core.")
sample: Decorator = click.option(
    "--sample",
    type=float,
    metavar="PART",
    help="Read only a part of the text, from everywhere in it: 0.1 is a tenth.",
)
seed: Decorator = number("--seed", 0, "What --sample draws by; another seed, another sample.")
special_token: Decorator = repeated(
    "--special-token", "special_tokens", "TOKEN", "For control, never learned (may be repeated)."
)
add_prefix_space: Decorator = click.option(
    "--add-prefix-space", is_flag=True, help="Put a space before documents that do not begin with one."
)
special: Decorator = repeated(
    "--special",
    "special",
    "text|all|raise|TOKEN",
    "What to do with the text of special tokens: leave it as text (the default), match all, refuse it, "
    "or match only this token (may be repeated).",
)
force: Decorator = click.option("--force", is_flag=True, help="Overwrite the output file.")

# What decides the merges beside the corpus and their number, as `train` takes it.
learning: Decorator = together(
    pattern,
    chosen("--ties", TIES, "Which of the equally frequent pairs is merged."),
    chosen("--alphabet", ALPHABETS, "What it begins with: the 256 bytes, or the characters that are there."),
    chosen("--byte-order", BYTE_ORDERS, "How the 256 byte tokens are numbered."),
    click.option("--end-of-word", metavar="MARKER", help="A marker such as </w> behind each piece."),
    chosen(
        "--end-of-word-style",
        STYLES,
        "Whether the marker is a symbol of its own or glued to the last byte or character.",
    ),
    click.option("--unk-token", metavar="TOKEN", help="Stands for characters that were not seen (--alphabet chars)."),
    special_token,
    chosen("--special-ids", SPECIAL_IDS, "Whether special tokens take the ids after all others or before."),
    add_prefix_space,
    number("--min-count", 1, "Stop at pairs that are rarer than this."),
    click.option("--max-token-bytes", type=int, help="Merge nothing longer than this."),
)


ray: Decorator = click.option(
    "--ray",
    metavar="[ADDRESS]",
    is_flag=False,
    flag_value="local",
    help="Run on Ray: on the cluster at an address such as auto, or, without one, on this machine. Every file is read "
    "by a task, and every machine must see the files by the same names.",
)


def on_ray(files: tuple[str, ...], address: str, choices: dict[str, Any]) -> Any:
    """The files as a data set of Ray; takes the options that say how they are read from the choices."""
    ray = cluster.connect(None if address == "local" else address)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    reading = {name: choices.pop(name) for name in ("document", "field", "errors", "bad_records")}
    return cluster.dataset_of([*map(Path, files)], **reading)


def progress(command: Command) -> Command:
    """--progress, handed on as what the library takes."""

    @functools.wraps(command)
    def with_progress(*args: Any, progress: str, **options: Any) -> Any:
        # Where nobody looks, only those who ask for lines get them.
        shown = progress if progress == "log" or (progress == "auto" and sys.stderr.isatty()) else None
        return command(*args, progress=shown, **options)

    option = chosen(
        "--progress",
        ("auto", "log", "none"),
        "How far it is, on stderr: a bar if that is a terminal, a line every few seconds, or nothing.",
    )
    return option(with_progress)


# How a corpus is read, and how a part of one.
reading: Decorator = together(document, errors, threads, progress)
sampling: Decorator = together(document, errors, sample, seed, threads, progress)

# FILES, --text and --document: the texts to work on.
texts: Decorator = together(some_files, given, chosen("--document", ("file", "line"), f"{_WHAT}."))


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


def saving(default: str) -> Decorator:
    """A file to write, with --force and --json."""
    return together(output(default), force, as_json)


def tokenizer(command: Command) -> Command:
    """-t/--tokenizer and --pattern, handed on as the loaded `tok`."""

    @functools.wraps(command)
    def with_tokenizer(*args: Any, file: Path, pattern: str | None, **options: Any) -> Any:
        return command(*args, tok=open_tokenizer(file, pattern), **options)

    return tokenizer_file(with_tokenizer)


def tokenizer_file(command: Command) -> Command:
    """-t/--tokenizer and --pattern, as `file` and `pattern`."""
    option: Decorator = click.option(
        "-t",
        "--tokenizer",
        "file",
        type=click.Path(path_type=Path),
        default="tokenizer.json",
        show_default=True,
        help=HELP_TOKENIZER,
    )
    return option(pattern(command))


def special_policy(values: tuple[str, ...]) -> Special:
    """What the library's `special` takes, from what was given on the command line."""
    if not values:
        return "text"
    for policy in SPECIAL_POLICIES:
        if values == (policy,):
            return policy
    return set(values)


def warn_of_no_text(n_bytes: int, n_bytes_in_all: int | None = None) -> None:
    """Say on stderr that there was nothing to learn from or to count, which is right and hardly meant."""
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


def show(*blocks: Block) -> None:
    """Print blocks as standard output can show them."""
    click.echo(terminal(blocks, screen()), color=True)


def say(text: object, *, bold: bool = False) -> None:
    """Print sentences, broken to the width of the screen."""
    click.secho(wrapped(str(text), screen().width), bold=bold)
