"""`bytepair trace`: training by hand, step by step."""

from __future__ import annotations

from typing import Any

import click

from bytepair.analysis.book import BOOK, WORDS
from bytepair.analysis.trace import Trace
from bytepair.analysis.trace import trace as by_hand
from bytepair.cli import options
from bytepair.cli.refusal import Refusal
from bytepair.cli.reporting import reports
from bytepair.cli.tally_files import corpus
from bytepair.cli.tally_files import counted as counted_pieces
from bytepair.render import Blocks, Drawn
from bytepair.tally import Tally

EPILOG = """
\b
Examples:
  bytepair trace --textbook
  bytepair trace --textbook --num-merges 10 --ties first-seen --html trace.html
  bytepair trace book.txt --num-merges 20 --step 1 --step 20
"""


class Steps(Drawn):
    """Some steps of a trace in a terminal; the whole of it in a page and in JSON."""

    def __init__(self, whole: Trace, numbers: tuple[int, ...]) -> None:
        self.whole, self.numbers = whole, numbers

    def blocks(self) -> Blocks:
        """All of it."""
        return self.whole.blocks()

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        return self.whole.to_dict()

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """Draw the steps that were named."""
        return self.whole.draw_steps(self.numbers, colour=colour, width=width)


@click.command(epilog=EPILOG)
@options.some_files
@options.given
@click.option(
    "--textbook",
    is_flag=True,
    help="As books do it: words with </w> behind each; without FILES, the words of many textbooks.",
)
@options.counted
@options.number("--num-merges", 10, "Merges to make.")
@click.option(
    "--step", "steps", type=int, multiple=True, help="Show only this step; 0 is before any (may be repeated)."
)
@options.number("--pairs", 20, "Rows of each pair table.", "n_shown")
@options.learning
@options.sampling
@reports
def trace(
    files: tuple[str, ...],
    given: tuple[str, ...],
    textbook: bool,
    counted: bool,
    steps: tuple[int, ...],
    **choices: Any,
) -> Drawn:
    """Learn by hand, step by step.

    Each step shows the pair table, who tied, which rule chose, and what changed.
    """
    if textbook:
        chosen = click.get_current_context().get_parameter_source
        choices |= {
            name: value for name, value in BOOK.items() if chosen(name) is not click.core.ParameterSource.COMMANDLINE
        }
    whole = _traced(files, given, textbook, counted, choices)
    return Steps(whole, steps) if steps else whole


def _traced(
    files: tuple[str, ...], given: tuple[str, ...], textbook: bool, counted: bool, choices: dict[str, Any]
) -> Trace:
    if given and files:
        raise Refusal("name files or give --text, not both")
    if given:
        return by_hand(list(given), **choices)
    if counted and files:
        return by_hand(_of_counts(counted_pieces(files, pattern=choices["pattern"] or "none"), choices), **choices)
    if files:
        with corpus(files) as source:
            return by_hand(source, **choices)
    if textbook:
        return by_hand(Tally.from_counts(WORDS, pattern=choices["pattern"]), **choices)
    raise Refusal("nothing to learn from: name files, give --text, or take the words of many textbooks with --textbook")


def _of_counts(tally: Tally, choices: dict[str, Any]) -> Tally:
    choices["pattern"] = None
    return tally
