"""How a command says no."""

from __future__ import annotations

import click


class Refusal(click.ClickException):
    """Wrong use or bad input: the message alone, and exit code 2."""

    exit_code = 2
