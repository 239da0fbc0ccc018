"""The command line: parse -> call -> render, one file a command group."""

from __future__ import annotations

import shlex
import signal
import sys
import warnings
from typing import TextIO

import click

from bytepair.cli.comparing import compare
from bytepair.cli.converting import convert, verify
from bytepair.cli.counting import count, pieces
from bytepair.cli.curving import curve
from bytepair.cli.demo import demo
from bytepair.cli.encoding import decode, encode
from bytepair.cli.explaining import explain, token
from bytepair.cli.extending import extend
from bytepair.cli.inspecting import inspect, prune
from bytepair.cli.packing import pack
from bytepair.cli.playing import play
from bytepair.cli.proving import prove
from bytepair.cli.refusal import LINE, Refusal
from bytepair.cli.tallying import tally
from bytepair.cli.tracing import trace
from bytepair.cli.training import train
from bytepair.cli.wording import as_typed
from bytepair.errors import BytepairError, FormatWarning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """As the command line says it, without the line of the library that warns."""
    click.echo(f"Warning: {message}", err=True)


class Commands(click.Group):
    """Turns what the library raises into a message and an exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the line that was typed, for messages that name it."""
        ctx.meta[LINE] = shlex.join([ctx.command_path, *args])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command: 2 for bad input, 130 for Ctrl-C, as shells have it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", FormatWarning)
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except (BytepairError, Refusal) as error:
            message = error.message if isinstance(error, Refusal) else str(error)
            # A refusal of the command line's own is in its words already.
            if isinstance(error, BytepairError) or isinstance(error.__cause__, BytepairError):
                command = self.commands.get(ctx.invoked_subcommand or "", self)
                message = as_typed(message, command, self.commands.values())
            raise Refusal(message) from error
        except KeyboardInterrupt:
            command = self.commands.get(ctx.invoked_subcommand or "", self)
            writes = any(each.name in ("output", "target") for each in command.params)
            click.echo("\nInterrupted: no file was written." if writes else "\nInterrupted.", err=True)
            ctx.exit(130)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Keep the order in which a newcomer needs them."""
        return list(self.commands)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bytepair", message="%(prog)s %(version)s")
def cli() -> None:
    """Byte-pair encoding: learn a tokenizer from text, and use it.

    \b
    Start here:
      bytepair demo
      bytepair train book.txt --vocab-size 2000
      bytepair encode --text "to be or not to be"

    Files, folders, globs, or - for standard input. Exit code 0: done, 1: a check failed, 2: wrong use or bad input.
    """


for command in (
    demo,
    train,
    tally,
    encode,
    decode,
    count,
    pieces,
    explain,
    trace,
    token,
    compare,
    curve,
    inspect,
    extend,
    prune,
    prove,
    pack,
    convert,
    verify,
    play,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line of this process."""
    if hasattr(signal, "SIGPIPE"):
        # `bytepair ... | head` ends like any other tool of a pipeline, without a traceback.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding shows an escape for a character that it does not have.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    cli(prog_name="bytepair")
