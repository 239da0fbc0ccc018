"""`bytepair explain` and `bytepair token`: why a text becomes these tokens, and what a token is."""

from __future__ import annotations

import click

from bytepair.analysis.explanation import Explanation
from bytepair.analysis.token import TokenReport
from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.reporting import reports
from bytepair.cli.texts import named_texts
from bytepair.errors import UnknownTokenError
from bytepair.tokenizer import Tokenizer

EXPLAIN_EPILOG = """
\b
Examples:
  bytepair explain --text "lowest"
  bytepair explain --text "lowest" --no-marker
  bytepair explain note.txt --html note.html
"""

TOKEN_EPILOG = """
\b
Examples:
  bytepair token 257
  bytepair token " the"
"""


@click.command(epilog=EXPLAIN_EPILOG)
@options.texts
@options.tokenizer
@options.special
@click.option("--marker/--no-marker", default=True, help="Put the model's end-of-word marker behind each word, or not.")
@reports
def explain(
    files: tuple[str, ...],
    given: tuple[str, ...],
    document: str,
    tok: Tokenizer,
    special: tuple[str, ...],
    marker: bool,
) -> Explanation:
    """Show how a text becomes tokens, merge by merge."""
    found = list(named_texts(files, given, document))
    if len(found) != 1:
        raise Refusal(f"explain looks at one text, and {len(found):,} were given; name one file or give one --text")
    _, text = found[0]
    policy = options.special_policy(special)
    # As a str where it is one, so that it is shown as it was typed.
    try:
        return tok.explain(text.decode(), special=policy, marker=marker)
    except UnicodeDecodeError:
        return tok.explain(text, special=policy, marker=marker)


@click.command(epilog=TOKEN_EPILOG)
@click.argument("token", metavar="ID|TOKEN")
@options.tokenizer
@click.option("--spelled", is_flag=True, help="TOKEN is a spelling, also where it looks like an id.")
@reports
def token(token: str, tok: Tokenizer, spelled: bool) -> TokenReport:
    """Show what a token is made of and who is made of it.

    A number is an id; everything else is how the token is spelled, `·` standing for a space if no token has that.
    """
    if token.isascii() and token.isdigit() and not spelled:
        return tok.token(int(token))
    try:
        return tok.token(token)
    except UnknownTokenError:
        if "·" not in token:
            raise
        return tok.token(token.replace("·", " "))
