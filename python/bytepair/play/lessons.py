"""Training by hand, as the page steps through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bytepair.analysis.book import BOOK, WORDS
from bytepair.analysis.trace import Trace, trace
from bytepair.analysis.words import readable
from bytepair.errors import ArgumentError
from bytepair.parts import TIES, Ties
from bytepair.play import limits
from bytepair.play.calls import Fields
from bytepair.tokenizer import Tokenizer, train

MODES: Final[Mapping[str, Mapping[str, Any]]] = {
    "words": BOOK,
    "text": {"pattern": "none", "alphabet": "chars"},
    "bytes": {"pattern": "cl100k"},
}
"""What the page calls the three ways to cut: words with a marker, the whole text, pieces of bytes."""

WORKED_EXAMPLE: Final = " ".join(str(word) for word, count in WORDS.items() for _ in range(count))
"""The text of the worked example."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A text to learn from, and how.

    Args:
        text: the corpus.
        mode: a key of `MODES`.
        ties: the rule.
        num_merges: merges to make.
    """

    text: str
    mode: str
    ties: Ties
    num_merges: int

    @classmethod
    def of(cls, fields: Fields) -> Lesson:
        """As the page says it.

        Raises:
            ArgumentError, ArgumentTypeError: a field is missing, wrong or too large.
        """
        text = fields.text("text")
        n_bytes = len(text.encode())
        if n_bytes > limits.LESSON:
            raise ArgumentError(
                f"the text has {n_bytes:,} bytes; by hand it may have {limits.LESSON:,}: take a part of it, or train "
                "on all of it below"
            )
        mode = fields.choice("mode", {name: name for name in MODES}, "words")
        ties: Ties = fields.choice("ties", {name: name for name in TIES}, "lexicographic")
        num_merges = fields.whole("num_merges", 0, limits.STEPS, 10)
        if mode == "text" and len(text) * num_merges > limits.BY_HAND:
            raise ArgumentError(
                f"a text of {len(text):,} characters in one piece is too long for {num_merges:,} merges by hand; take "
                f"{limits.BY_HAND // num_merges:,} characters, fewer merges, or cut it into words"
            )
        return cls(text, mode, ties, num_merges)

    def trace(self) -> Trace:
        """The training by hand."""
        return trace([self.text], self.num_merges, ties=self.ties, **MODES[self.mode])

    def tokenizer(self, num_merges: int) -> Tokenizer:
        """What the engine learns from it."""
        return train([self.text], num_merges=num_merges, ties=self.ties, **MODES[self.mode])


def told(whole: Trace) -> dict[str, Any]:
    """A trace for the page.

    Returns:
        "trace": what `Trace.to_dict` gives. The page draws by ids, since two spellings may read alike: "spelled", the
        spelling of each id; "rows", the ids of each piece before any merge; "made", for each step (left, right, made).
    """
    ids = whole.ids
    return {
        "trace": whole.to_dict(),
        "spelled": {str(number): readable(symbol) for symbol, number in ids.items()},
        "rows": [[ids[symbol] for symbol in piece.symbols] for piece in whole.pieces],
        "made": [[ids[left], ids[right], ids[left + right]] for left, right in whole.merges],
    }
