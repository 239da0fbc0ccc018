"""How a command says no, and where the line that was typed is kept."""

from __future__ import annotations

from typing import Final

import click

LINE: Final = "bytepair.line"
"""The key of the line in `click.Context.meta`."""


class Refusal(click.ClickException):
    """Wrong use or bad input: the message alone, and exit code 2."""

    exit_code = 2
