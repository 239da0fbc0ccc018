"""`bytepair compare`: tokenizers side by side on the same texts."""

from __future__ import annotations

import itertools
from pathlib import Path

import click

from bytepair.analysis.comparison import Comparison
from bytepair.cli import options
from bytepair.cli.opening import open_one_of_several
from bytepair.cli.refusal import Refusal
from bytepair.cli.reporting import reports
from bytepair.cli.texts import named_texts
from bytepair.looking import compare as compared
from bytepair.progress import ProgressOption
from bytepair.tokenizer import Tokenizer, train

EPILOG = """
\b
Examples:
  bytepair compare -t tokenizer.json -t small.json book.txt
  bytepair compare -t en=tokenizer.json -t both=small.json texts/a.txt more/a.txt
  bytepair compare --train book.txt --vocab-size 300 -t tokenizer.json --text "to be or not to be"
"""


@click.command(epilog=EPILOG)
@options.texts
@click.option(
    "-t",
    "--tokenizer",
    "named",
    multiple=True,
    metavar="[NAME=]FILE|ENCODING",
    help="A tokenizer file, under a name if you like, or one of OpenAI's encodings such as cl100k_base, whose file "
    "must be at hand (may be repeated).",
)
@options.pattern
@options.path("--train", "corpus", help="Also learn a tokenizer from this text.")
@options.number("--vocab-size", 2000, "Tokens to learn with --train.")
@click.option("--reference", metavar="GROUP", help="The text that parity is about. Default: the first.")
@options.progress
@reports
def compare(
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    named: tuple[str, ...],
    pattern: str | None,
    corpus: Path | None,
    vocab_size: int,
    reference: str | None,
    progress: ProgressOption,
) -> Comparison:
    """Set tokenizers side by side on the same texts.

    Each file is a group of its own: texts that say the same in several languages show how fair a tokenizer is.
    """
    if not named and corpus is None:
        raise Refusal("nothing to compare: name tokenizers with -t, or learn one with --train FILE")
    texts: dict[str, list[bytes]] = {}
    for name, text in named_texts(files, given, document):
        texts.setdefault(name, []).append(text)
    options.warn_of_no_text(sum(map(len, itertools.chain.from_iterable(texts.values()))))
    found: list[tuple[str, Tokenizer]] = []
    if corpus is not None:
        tok = train(corpus, vocab_size=vocab_size, pattern=pattern, progress=progress)
        found.append((f"{corpus.stem} {tok.vocab_size:,}", tok))
    found += [named_tokenizer(each, pattern) for each in named]
    return compared(_told_apart(found), texts, reference=reference)


def named_tokenizer(argument: str, pattern: str | None) -> tuple[str, Tokenizer]:
    """What stands for a tokenizer on the command line, by the name given there or by that of its file."""
    name, is_named, rest = argument.partition("=")
    # A file whose own name has an = in it is that file.
    if not is_named or Path(argument).exists():
        name, rest = Path(argument).stem, argument
    elif not name:
        raise Refusal(f"{argument!r} has no name before the =; write NAME=FILE, or the file alone")
    return name, open_one_of_several(Path(rest), pattern)


def _told_apart(found: list[tuple[str, Tokenizer]]) -> dict[str, Tokenizer]:
    """By name; of two files of one name, the later one says where it lies."""
    by_name: dict[str, Tokenizer] = {}
    for name, tok in found:
        unique, number = name, 1
        while unique in by_name:
            number += 1
            unique = f"{name} ({number})"
        if unique != name:
            click.echo(f"Two tokenizers are named {name}: the later one is {unique} here.", err=True)
        by_name[unique] = tok
    return by_name
