"""`bytepair encode` and `bytepair decode`: text -> ids -> text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.texts import named_texts, standard_input
from bytepair.decoding import BAD_IDS, BadIds
from bytepair.render import strip, visible
from bytepair.tokenizer import Tokenizer

ENCODE_EPILOG = """
\b
Examples:
  bytepair encode --text "to be or not to be"
  bytepair encode --text "to be or not to be" --tokens
  bytepair encode book.txt > book.ids
  bytepair encode book.txt --document line --json
"""

DECODE_EPILOG = """
\b
Examples:
  bytepair decode 116 111 32 98 101
  bytepair encode book.txt | bytepair decode | cmp - book.txt
"""


@click.command(epilog=ENCODE_EPILOG)
@options.texts
@options.tokenizer
@options.special
@click.option("--tokens", "show_tokens", is_flag=True, help="Show the tokens themselves.")
@options.as_json
def encode(
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    tok: Tokenizer,
    special: tuple[str, ...],
    show_tokens: bool,
    as_json: bool,
) -> None:
    """Turn text into ids.

    A line for each document, its ids set apart by spaces; `bytepair decode` reads them.
    """
    policy = options.special_policy(special)
    for name, text in named_texts(files, given, document):
        ids = tok.encode(text, special=policy)
        if as_json:
            click.echo(json.dumps(_record(tok, name, ids, show_tokens), ensure_ascii=False))
        elif show_tokens:
            click.echo(draw(tok, ids), color=True)
        else:
            click.echo(" ".join(map(str, ids)))


def _record(tok: Tokenizer, name: str, ids: list[int], show_tokens: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"name": name, "ids": ids}
    if show_tokens:
        record["tokens"] = [tok.token_bytes(i).decode("utf-8", "backslashreplace") for i in ids]
    return record


def draw(tok: Tokenizer, ids: list[int]) -> str:
    """Draw tokens for the screen that is there."""
    screen = options.screen()
    return strip([(tok.token_bytes(i), i) for i in ids], colour=screen.colour, width=screen.width)


# A negative id is a bad id, and the library says so better than "no such option".
@click.command(epilog=DECODE_EPILOG, context_settings={"ignore_unknown_options": True})
@click.argument("ids", nargs=-1, metavar="[IDS]...")
@options.tokenizer
@options.chosen("--bad-ids", BAD_IDS, "What to do with an id that is no token: stop, write U+FFFD, or leave it out.")
@options.as_json
def decode(ids: tuple[str, ...], tok: Tokenizer, bad_ids: BadIds, as_json: bool) -> None:
    """Turn ids into text.

    Byte for byte. Without IDS, those of standard input: as text, or as JSON.
    """
    written = b""
    for document in _given_ids(ids) if ids else _read_ids():
        if as_json:
            click.echo(json.dumps({"text": tok.decode(document, bad_ids=bad_ids)}, ensure_ascii=False))
            continue
        written = tok.decode_bytes(document, bad_ids=bad_ids)
        sys.stdout.buffer.write(written)
    if not as_json and sys.stdout.isatty() and not written.endswith(b"\n"):
        click.echo()


def _given_ids(words: tuple[str, ...]) -> Iterator[list[int]]:
    """Ids as arguments: numbers, or JSON in one argument or in several, as the shell cut it."""
    text = " ".join(words)
    if text.lstrip()[:1] in ("[", "{"):
        yield from _read_json(text)
    else:
        yield _numbers(tuple(text.replace(",", " ").split()), "argument")


def _read_ids() -> Iterator[list[int]]:
    if sys.stdin is not None and sys.stdin.isatty():
        raise Refusal("nothing to decode: give ids, or pipe them in")
    text = standard_input().read().decode("utf-8", "replace")
    if text.lstrip()[:1] in ("[", "{"):
        yield from _read_json(text)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        yield _numbers(tuple(line.replace(",", " ").split()), f"line {number}, number")


def _read_json(text: str) -> Iterator[list[int]]:
    """Read values that follow one another: lists of ids, lists of such lists, or what `encode --json` prints."""
    decoder = json.JSONDecoder()
    text = text.strip()
    at = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise Refusal(f"the ids are no JSON at line {error.lineno}: {error.msg}") from error
        at += len(text[at:]) - len(text[at:].lstrip())
        yield from _documents_in(value["ids"] if isinstance(value, dict) and "ids" in value else value)


def _documents_in(value: object) -> Iterator[list[int]]:
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        for item in value:
            yield from _documents_in(item)
    elif isinstance(value, list):
        yield value
    else:
        raise Refusal(f"expected JSON lists of ids, or objects with `ids`; found {visible(repr(value))[:60]}")


def _numbers(words: tuple[str, ...], where: str) -> list[int]:
    ids = []
    for place, word in enumerate(words, start=1):
        try:
            ids.append(int(word))
        except ValueError:
            raise Refusal(f"{where} {place} is {word!r}; an id is a whole number") from None
    return ids
