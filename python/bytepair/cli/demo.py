"""`bytepair demo`: the whole journey on text that is already here."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from bytepair.cli import options
from bytepair.cli.encoding import draw
from bytepair.cli.refusal import Refusal
from bytepair.cli.stdlib import standard_library
from bytepair.cli.training import check_tokenizer_target
from bytepair.errors import BytepairError, CorpusError
from bytepair.patterns import DEFAULT
from bytepair.progress import ProgressOption
from bytepair.render import Span, Table
from bytepair.tally import Tally, tally
from bytepair.tokenizer import Tokenizer, load, train

SENTENCE = "Byte-pair encoding returns every character: même 漢字 🙂"
VOCAB_SIZE = 2000
SPECIAL_TOKENS = ["<|endoftext|>"]
FIRST_MERGES = 8

EPILOG = """
\b
Examples:
  bytepair demo
  bytepair demo -o first.json
"""


@click.command(epilog=EPILOG)
@options.output("tokenizer.json")
@options.force
@options.progress
def demo(output: Path, force: bool, progress: ProgressOption) -> None:
    """Learn, use and explain a tokenizer; needs no file.

    The text is the source of Python's standard library: nothing is fetched. An output file that is there already is
    left alone, unless it is what this demo would write, or --force is given.
    """
    check_tokenizer_target(output, force=True)
    files = standard_library()
    if not files:
        raise CorpusError("this Python has no .py files of a standard library; use `bytepair train` on text of yours")
    counted = tally(files, pattern=DEFAULT, special_tokens=SPECIAL_TOKENS, progress=progress)
    if output.exists() and not force and not may_be_ours(output, counted):
        raise _not_overwritten(output)
    tok = learn(counted, progress)
    use(tok)
    explain(tok)
    compare(tok, files[0])
    heading(f"5. {save(tok, output, force)}")
    try_next(output)


def heading(text: str) -> None:
    """Begin a part, in bold where there is colour."""
    click.echo()
    options.say(text, bold=True)


def may_be_ours(output: Path, counted: Tally) -> bool:
    """Whether a file looks like what this demo would write; counting shows it, so nothing is learned in vain."""
    try:
        found = load(output)
    except BytepairError:
        return False
    return found.model.corpus_fingerprint == counted.fingerprint and found.vocab_size == VOCAB_SIZE


def learn(counted: Tally, progress: ProgressOption) -> Tokenizer:
    """Learn, and show the first merges."""
    options.say(f"1. Learn {VOCAB_SIZE:,} tokens from Python's own source files", bold=True)
    tok = train(counted, vocab_size=VOCAB_SIZE, special_tokens=SPECIAL_TOKENS, progress=progress)
    options.say(tok.training)
    options.say("\nThe first merges: the most frequent pair, again and again.")
    counts = tok.training.merge_counts if tok.training else []
    rows = tuple(
        (rank, Span(left), Span(right), Span(left + right), counts[rank])
        for rank, (left, right) in enumerate(tok.merges[:FIRST_MERGES])
    )
    options.show(Table(("rank", "left", "right", "token", "count"), rows, right=(0, 4)))
    return tok


def use(tok: Tokenizer) -> None:
    """Encode and decode a sentence."""
    heading("2. Encode a sentence, and decode it")
    ids = tok.encode(SENTENCE)
    click.echo(SENTENCE)
    click.echo(draw(tok, ids), color=True)
    options.say("ids: " + " ".join(map(str, ids)))
    same = tok.decode(ids) == SENTENCE
    options.say(f"decoded: {'the same text, byte for byte' if same else 'NOT the same text'}")


def explain(tok: Tokenizer) -> None:
    """Show how one word of the sentence becomes tokens."""
    plain = [piece for piece in tok.pieces(SENTENCE) if piece.isascii() and len(piece) <= 10]
    found = max(map(tok.explain, plain), key=lambda each: len(each.pieces[0].steps))
    heading(f"3. {found.title}: the lowest rank comes first")
    options.show(*found.blocks()[2:4])
    options.say("A rank is the place of a merge in the list that was learned.")


def compare(tok: Tokenizer, file: Path) -> None:
    """Set tokens beside characters and bytes."""
    heading("4. What it saves")
    texts = {"the sentence": SENTENCE, file.name: file.read_text("utf-8")}
    rows = []
    for name, text in texts.items():
        n_bytes, n_tokens = len(text.encode()), tok.count(text)
        rows.append((name, n_bytes, len(text), n_tokens, n_bytes / n_tokens))
    header = ("text", "bytes", "characters", "tokens", "bytes/token")
    options.show(Table(header, tuple(rows), right=(1, 2, 3, 4)))


def save(tok: Tokenizer, output: Path, force: bool) -> str:
    """Write the file, but over nothing else than itself; say what was done."""
    if not output.exists() or force:
        tok.save(output)
        return f"Saved {output} ({output.stat().st_size:,} bytes): tokenizers and transformers open it too"
    fresh = output.with_name(output.name + ".new")
    tok.save(fresh)
    same = fresh.read_bytes() == output.read_bytes()
    fresh.unlink()
    if same:
        return f"{output} is there already, and holds just this tokenizer"
    raise _not_overwritten(output)


def _not_overwritten(output: Path) -> Refusal:
    return Refusal(
        f"not saved: {str(output)!r} is there already and is not what this demo would write; "
        "--force overwrites it, -o names another file"
    )


def try_next(output: Path) -> None:
    """Name three things to do with it."""
    python = shlex.quote(os.path.relpath(sys.executable))
    program = "bytepair" if shutil.which("bytepair") else f"{python} -m bytepair"
    where = "" if str(output) == "tokenizer.json" else f" -t {shlex.quote(str(output))}"
    click.echo("Try next:")
    click.echo(f'  {program} encode{where} --tokens --text "your own words"')
    click.echo(f"  {program} train YOUR_TEXT.txt --vocab-size 2000 -o mine.json")
    click.echo(f"  {program} --help")
