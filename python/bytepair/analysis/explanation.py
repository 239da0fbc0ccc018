"""Why a text becomes these tokens: pieces, symbols, each merge with its rank, and why no more apply."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final, Literal

from bytepair import arguments
from bytepair.analysis.merging import Merging, Step, Symbol, UnfollowedError, states
from bytepair.analysis.words import listed, pair_text, quoted, readable, row, span
from bytepair.arguments import Special as SpecialPolicy
from bytepair.model import Model
from bytepair.prepared import Prepared, SurrogateErrors, Text
from bytepair.render import Block, Drawn, Heading, Paragraph, Span, Strip, Table, number_of

_MOST_PIECES: Final = 24
_MOST_STEPS: Final = 40
_MOST_TOKENS: Final = 1000


@dataclass(frozen=True, slots=True)
class ExplainedPiece:
    """How one piece becomes tokens.

    Args:
        piece: its bytes, without a marker.
        kind: "merged": symbols were merged; "whole": the piece is a token at once; "special": it is a special token;
            "unfollowed": what becomes of it is the engine's, by rules beyond merges that a loaded file may have.
        symbols: before any merge, a marker among them; empty where the piece is a token at once.
        steps: the merges in the order in which they were applied.
        tokens: after the last merge.
    """

    piece: bytes
    kind: Literal["merged", "whole", "special", "unfollowed"]
    symbols: tuple[Symbol, ...]
    steps: tuple[Step, ...]
    tokens: tuple[Symbol, ...]

    def states(self) -> Iterator[list[Symbol]]:
        """The symbols after each step."""
        return states(self.symbols, self.steps)

    @property
    def not_merged(self) -> list[tuple[Symbol, Symbol]]:
        """Neighbours at the end: none of these pairs is in the list, which is why no more merges apply."""
        return list(pairwise(self.tokens))


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Drawn):
    """From a text to its ids, merge by merge. It prints, shows itself in a notebook, and gives `html()` and `svg()`.

    Args:
        text: what was given.
        pieces: in order, each as often as it stands in the text.
        marker: the end-of-word marker that was put behind each piece, or None.
        marker_left_out: the model's marker where it was not put there, or None.
        merges_are_ranks: whether a rank is the id of what is made, as in tiktoken's files.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> print(explain(Prepared(model), "slow"))
    How `slow` becomes 2 tokens
    <BLANKLINE>
    slow
    <BLANKLINE>
    rank  merge   symbols
                  s l o w
       0  l + o   s lo w
       1  lo + w  s low
    <BLANKLINE>
    No more merges apply: (s, low) is in no merge.
    <BLANKLINE>
    s|low
    <BLANKLINE>
    ids: 115 257
    """

    text: Text
    pieces: tuple[ExplainedPiece, ...]
    marker: str | None
    marker_left_out: str | None
    merges_are_ranks: bool

    @property
    def ids(self) -> list[int]:
        """n_tokens ids, as `encode` gives them."""
        return [token.id for piece in self.pieces for token in piece.tokens]

    @property
    def tokens(self) -> list[bytes]:
        """n_tokens spellings."""
        return [token.spelling for piece in self.pieces for token in piece.tokens]

    def __repr__(self) -> str:
        return f"Explanation({number_of(len(self.pieces), 'piece')}, {number_of(len(self.ids), 'token')})"

    def blocks(self) -> list[Block]:
        """The pieces of the text, the merges of each, and the tokens."""
        found: list[Block] = [Heading(self.title, 1)]
        if not self.pieces:
            return [*found, Paragraph("There is nothing to encode: the text has no pieces.")]
        distinct = list(dict.fromkeys(self.pieces))
        shown = distinct[:_MOST_PIECES]
        found.append(Strip(tuple(_piece_span(each) for each in self.pieces[:_MOST_TOKENS])))
        for piece in shown:
            if len(distinct) > 1:
                found.append(Heading(f"The piece {quoted(piece.piece)}", 3))
            found += list(self._piece(piece))
        if len(distinct) > len(shown):
            left_out = number_of(len(distinct) - len(shown), "more distinct piece")
            found.append(Paragraph(f"{left_out} not shown; `pieces` of this object, and JSON, hold them all."))
        return [*found, *self._result()]

    @property
    def title(self) -> str:
        """What happens, in a line."""
        name = quoted(self.text, 60) if self.text else "the empty text"
        without = f", without the marker {quoted(self.marker_left_out)}" if self.marker_left_out else ""
        return f"How {name} becomes {number_of(len(self.ids), 'token')}{without}"

    def _piece(self, piece: ExplainedPiece) -> Iterator[Block]:
        if piece.kind == "unfollowed":
            yield Paragraph("This tokenizer has rules beyond its merges, which are not shown; these are its tokens.")
            return
        if piece.kind != "merged":
            what = "a special token" if piece.kind == "special" else "a token itself, so no merge is looked for"
            yield Paragraph(f"{quoted(piece.piece)} is {what}: id {listed(str(each.id) for each in piece.tokens)}.")
            return
        rows: list[tuple[Any, ...]] = [(None, "", row(piece.symbols))]
        for step, symbols in islice(zip(piece.steps, piece.states(), strict=True), _MOST_STEPS):
            rows.append((step.rank, _merge_text(step), row(symbols)))
        n_more = len(piece.steps) - _MOST_STEPS
        note = f"{number_of(n_more, 'more step')} not shown" if n_more > 0 else ""
        yield Table(("rank", "merge", "symbols"), tuple(rows), right=(0,), note=note)
        yield Paragraph(self._end(piece))

    def _end(self, piece: ExplainedPiece) -> str:
        pairs = list(dict.fromkeys((left.spelling, right.spelling) for left, right in piece.not_merged))
        if not pairs:
            return "No more merges apply: one symbol is left, and it has no neighbour."
        names = listed((pair_text(left, right) for left, right in pairs), 4)
        why = "when joined, no token" if self.merges_are_ranks else "in no merge"
        return f"No more merges apply: {names} {'is' if len(pairs) == 1 else 'are'} {why}."

    def _result(self) -> Iterator[Block]:
        ids = self.ids
        tokens = [token for piece in self.pieces for token in piece.tokens]
        yield Strip(tuple(map(span, tokens[:_MOST_TOKENS])))
        more = f" and {len(ids) - 200:,} more" if len(ids) > 200 else ""
        yield Paragraph(f"ids: {' '.join(map(str, ids[:200]))}{more}")

    def to_dict(self) -> dict[str, Any]:
        """Pieces, symbols, steps and tokens as JSON can hold them."""
        return {
            "text": self.text if isinstance(self.text, str) else readable(self.text),
            "marker": self.marker,
            "ids": self.ids,
            "tokens": list(map(readable, self.tokens)),
            "pieces": [_piece_record(piece) for piece in self.pieces],
        }


def _piece_span(piece: ExplainedPiece) -> Span:
    return Span(piece.piece, zlib.crc32(piece.piece))


def _merge_text(step: Step) -> str:
    times = f" ×{step.n_places}" if step.n_places > 1 else ""
    return f"{quoted(step.left.spelling)[1:-1]} + {quoted(step.right.spelling)[1:-1]}{times}"


def _piece_record(piece: ExplainedPiece) -> dict[str, Any]:
    return {
        "piece": readable(piece.piece),
        "kind": piece.kind,
        "symbols": [readable(symbol.spelling) for symbol in piece.symbols],
        "steps": [
            {
                "rank": step.rank,
                "left": readable(step.left.spelling),
                "right": readable(step.right.spelling),
                "makes": readable(step.made.spelling),
                "id": step.made.id,
                "places": step.n_places,
            }
            for step in piece.steps
        ],
        "tokens": [{"id": token.id, "token": readable(token.spelling)} for token in piece.tokens],
    }


def explain(
    prepared: Prepared,
    text: Text,
    *,
    special: SpecialPolicy = "text",
    errors: SurrogateErrors = "replace",
    marker: bool = True,
) -> Explanation:
    """Follow a text to its tokens; see `Tokenizer.explain`."""
    has_marker = arguments.flag("marker", marker)
    model = prepared.model
    pieces = prepared.run(prepared.engine.pieces, text, special, errors, False)
    # Encoded by the engine as well: it refuses what cannot be encoded, and shows which pieces are specials.
    ids = prepared.run(prepared.engine.encode, text, special, errors, False)
    merging = Merging(model, marker=has_marker)
    try:
        explained = _with_specials(prepared, _all_explained(merging, pieces), pieces, ids, special, errors)
    except UnfollowedError:
        explained = []
    if has_marker and [token.id for each in explained for token in each.tokens] != ids:
        explained = [_unfollowed(merging, b"".join(pieces), ids)]
    put, left_out = (model.end_of_word, None) if has_marker else (None, model.end_of_word)
    return Explanation(text, tuple(explained), put, left_out, model.kind == "ranks")


def _with_specials(
    prepared: Prepared,
    explained: list[ExplainedPiece],
    pieces: list[bytes],
    ids: list[int],
    special: SpecialPolicy,
    errors: SurrogateErrors,
) -> list[ExplainedPiece]:
    """The pieces, those that are special tokens as such."""
    matched = prepared.special_ids(special, errors, False)
    if not matched:
        return explained
    # Without the marker there are other tokens; where the specials stand is the same.
    whole = _all_explained(Merging(prepared.model), pieces)
    specials = _special_places(prepared.model, matched, whole, ids)
    return [specials.get(place, each) for place, each in enumerate(explained)]


def _all_explained(merging: Merging, pieces: list[bytes]) -> list[ExplainedPiece]:
    known: dict[bytes, ExplainedPiece] = {}
    for piece in pieces:
        if piece not in known:
            known[piece] = _explained(merging, piece)
    return [known[piece] for piece in pieces]


def _unfollowed(merging: Merging, text: bytes, ids: list[int]) -> ExplainedPiece:
    """A text whose tokens are the engine's: never an explanation of what does not happen."""
    return ExplainedPiece(text, "unfollowed", (), (), tuple(map(merging.symbol, ids)))


def _special_places(
    model: Model, matched: Sequence[int], pieces: list[ExplainedPiece], ids: list[int]
) -> dict[int, ExplainedPiece]:
    """Pieces that the engine made a special token, by their places; others may be spelled alike."""
    spelled = {name.encode(): number for name, number in model.specials.items() if number in matched}
    found: dict[int, ExplainedPiece] = {}
    at = 0
    for place, each in enumerate(pieces):
        number = spelled.get(each.piece)
        if number is not None and ids[at] == number and [token.id for token in each.tokens] != [number]:
            found[place] = ExplainedPiece(each.piece, "special", (), (), (Symbol(number, each.piece),))
            at += 1
        else:
            at += len(each.tokens)
    return found


def _explained(merging: Merging, piece: bytes) -> ExplainedPiece:
    if (whole := merging.whole(piece)) is not None:
        return ExplainedPiece(piece, "whole", (), (), (Symbol(whole, piece),))
    symbols = merging.symbols(piece)
    steps, tokens = merging.run(symbols)
    made = (tuple(map(merging.symbol, ids)) for ids in (symbols, tokens))
    return ExplainedPiece(piece, "merged", next(made), tuple(steps), next(made))
