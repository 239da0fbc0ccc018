"""`bytepair play`: the playground, in the browser."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser

import click

from bytepair.cli import options
from bytepair.cli.comparing import named_tokenizer
from bytepair.cli.stdlib import standard_library
from bytepair.patterns import DEFAULT
from bytepair.play import Room, Shelf, listener, refuse_without_packages, serve
from bytepair.tally import tally
from bytepair.tokenizer import train

# The larger one is trained; the smaller one is what it was on its way.
VOCAB_SIZES = (4000, 1000)

EPILOG = """
\b
Examples:
  bytepair play
  bytepair play tokenizer.json small=other.json
  bytepair play --port 9000 --no-browser
"""


@click.command(epilog=EPILOG)
@click.argument("tokenizers", nargs=-1, metavar="[[NAME=]TOKENIZER]...")
@options.pattern
@click.option("--port", type=click.IntRange(1, 65535), help="Default: 8642, or the next one that is free.")
@click.option("--no-browser", is_flag=True, help="Open no browser, only say where the page is.")
def play(tokenizers: tuple[str, ...], pattern: str | None, port: int | None, no_browser: bool) -> None:
    """Open the playground in a browser.

    See tokens, watch training, compare, choose a size.

    It is served from this computer to this computer alone, asks nothing of any other, and reads no file but those named
    here. Two tokenizers are there without naming any: learned from Python's own source files as it starts.
    """
    refuse_without_packages()
    listening = listener(port)
    shelf = Shelf()
    for argument in tokenizers:
        name, tok = named_tokenizer(argument, pattern)
        shelf.add(name, tok, "given")
    add_learned(shelf)
    serve(Room(shelf), listening, lambda address: welcome(address, not no_browser))
    click.echo("The playground is closed.", err=True)


def add_learned(shelf: Shelf) -> None:
    """Put tokenizers on the shelf that are learned here and now."""
    files = standard_library()
    if files:
        counted = tally(files, pattern=DEFAULT)
        tok = train(counted, vocab_size=VOCAB_SIZES[0])
        for size in VOCAB_SIZES:
            shelf.add(f"Python source {size:,}", tok.at(size), "trained", counted)


def welcome(address: str, browser: bool) -> None:
    """Say where it is, and open it where there is a screen to open it on."""
    click.echo(f"The playground is at {address} (Ctrl-C ends it)")
    sys.stdout.flush()
    if browser and has_screen():
        # The server does not wait for the browser, which waits for the server.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def has_screen() -> bool:
    """Whether a browser that opens would be seen; elsewhere one for terminals would open in this one."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
