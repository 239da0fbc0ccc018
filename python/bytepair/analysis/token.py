"""One token: what it is made of, how often it was there when it was learned, who is made of it, who reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from bytepair.analysis.merging import Merging, Symbol
from bytepair.analysis.reach import Reach, reach
from bytepair.analysis.vocabulary import Vocabulary
from bytepair.analysis.words import listed, quoted, readable, row, span
from bytepair.prepared import Prepared
from bytepair.render import Block, Drawn, Heading, Paragraph, Table, Tree, number_of

_MOST_NEIGHBOURS: Final = 12

Kind = Literal["special", "added", "byte", "symbol", "merged", "unmade"]


@dataclass(frozen=True, slots=True)
class TokenTree:
    """A token and the two that it is merged from; a symbol has none.

    Args:
        token: its id and spelling.
        rank: of the merge that makes it, None for a symbol.
        count: how often the pair stood in the corpus when it was merged; None where that is not known.
        parts: the left and the right token; nothing for a symbol, and 100 steps down, where a token of its own goes on.
    """

    token: Symbol
    rank: int | None = None
    count: int | None = None
    parts: tuple[TokenTree, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The tree as JSON can hold it."""
        return {
            "id": self.token.id,
            "token": readable(self.token.spelling),
            "rank": self.rank,
            "count": self.count,
            "parts": [part.to_dict() for part in self.parts],
        }


@dataclass(frozen=True, slots=True, repr=False)
class TokenReport(Drawn):
    """All about one token. It prints, shows itself in a notebook, and gives `html()` and `svg()`.

    Args:
        token: its id and spelling.
        kind: "special"; "added": a rule of a loaded file finds it before all else; "byte": it stands for a byte of
            unknown characters; "symbol": it is there before any merge; "merged"; "unmade": no merge makes it.
        tree: what its spelling is merged from, step by step down to symbols.
        rank: of the first merge that makes it; None where none does.
        count: how often that pair stood in the corpus when it was merged; None where that is not known.
        other_merges: further ranks whose merges spell the same.
        parents: tokens that are merged from it and a neighbour, as (left, right, what they make), by rank.
        reach: whether a text can come to hold it.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=3))
    >>> print(token_report(Prepared(model), 257))
    Token 257: `low`
    <BLANKLINE>
    merged, rank 1, stood 3 times in the corpus when it was learned; 3 bytes
    <BLANKLINE>
    low  257, rank 1, 3 times
    ├─ lo  256, rank 0, 3 times
    │  ├─ l  108
    │  └─ o  111
    └─ w  119
    <BLANKLINE>
    Made with it
    <BLANKLINE>
    id   token  from
    258  ·low   · low
    <BLANKLINE>
    A text can reach it: `low` becomes this token.
    """

    token: Symbol
    kind: Kind
    tree: TokenTree
    rank: int | None
    count: int | None
    other_merges: tuple[int, ...]
    parents: tuple[tuple[Symbol, Symbol, Symbol], ...]
    reach: Reach

    def __repr__(self) -> str:
        return f"TokenReport({self.token.id}, {self.token.spelling!r}, {self.kind})"

    def blocks(self) -> list[Block]:
        """What it is, its tree, what is made of it, and whether a text can reach it."""
        found: list[Block] = [
            Heading(f"Token {self.token.id}: {quoted(self.token.spelling)}", 1),
            Paragraph(self._facts()),
        ]
        if self.tree.parts:
            found.append(_drawn_tree(self.tree, set()))
        if self.parents:
            found += [Heading("Made with it"), self._neighbours()]
        return [*found, Paragraph(self.reach.sentence)]

    def _facts(self) -> str:
        facts = [_KINDS[self.kind]]
        if self.rank is not None:
            facts.append(f"rank {self.rank:,}")
        if self.count is not None:
            facts.append(f"stood {number_of(self.count, 'time')} in the corpus when it was learned")
        size = number_of(len(self.token.spelling), "byte")
        if self.other_merges:
            size += f"; merged again at rank {listed(map(str, self.other_merges))}"
        try:
            self.token.spelling.decode()
        except UnicodeDecodeError:
            size += "; a part of a character, or of several"
        return f"{', '.join(facts)}; {size}"

    def _neighbours(self) -> Table:
        rows = tuple((made.id, span(made), row((left, right))) for left, right, made in self.parents[:_MOST_NEIGHBOURS])
        n_more = len(self.parents) - len(rows)
        note = f"{number_of(n_more, 'more token')} not shown" if n_more else ""
        return Table(("id", "token", "from"), rows, right=(0,), note=note)

    def to_dict(self) -> dict[str, Any]:
        """The token, its tree and its neighbours as JSON can hold them."""
        return {
            "id": self.token.id,
            "token": readable(self.token.spelling),
            "kind": self.kind,
            "rank": self.rank,
            "count": self.count,
            "other_merges": list(self.other_merges),
            "tree": self.tree.to_dict(),
            "parents": [
                {"left": left.id, "right": right.id, "id": made.id, "token": readable(made.spelling)}
                for left, right, made in self.parents
            ],
            "reachable": self.reach.reachable,
            "reason": self.reach.reason,
            "example": self.reach.example,
        }


_KINDS: Final[dict[Kind, str]] = {
    "special": "special: never learned, matched only where a call asks for it",
    "added": "added: found in text before all else",
    "byte": "a byte of characters that have no token",
    "symbol": "a symbol: there before any merge",
    "merged": "merged",
    "unmade": "in no merge: nothing makes it",
}


def _drawn_tree(tree: TokenTree, seen: set[int]) -> Tree:
    """A part that stood there before is not taken apart again."""
    facts = [str(tree.token.id)]
    if tree.rank is not None:
        facts.append(f"rank {tree.rank:,}")
    if tree.count is not None:
        facts.append(number_of(tree.count, "time"))
    if tree.rank is not None and not tree.parts:
        return Tree(span(tree.token), f"{', '.join(facts)}; its own report goes on from here")
    if tree.parts and tree.token.id in seen:
        return Tree(span(tree.token), f"{', '.join(facts)}, as above")
    seen.add(tree.token.id)
    return Tree(span(tree.token), ", ".join(facts), tuple(_drawn_tree(part, seen) for part in tree.parts))


def token_report(prepared: Prepared, number: int) -> TokenReport:
    """Look at one token; see `Tokenizer.token`. `number` is the id of a token."""
    vocabulary = Vocabulary(prepared.model)
    merging = vocabulary.merging
    token = merging.symbol(number)
    ranks = vocabulary.ranks_of.get(number, ())
    return TokenReport(
        token=token,
        kind=_kind(vocabulary, number),
        tree=_tree(vocabulary, number),
        rank=ranks[0] if ranks else None,
        count=_count(vocabulary, ranks[0]) if ranks else None,
        other_merges=tuple(ranks[1:]),
        parents=tuple(_parents(merging, vocabulary, number)),
        reach=reach(prepared, vocabulary, number),
    )


def _kind(vocabulary: Vocabulary, number: int) -> Kind:
    if vocabulary.is_special(number):
        return "special"
    if number in vocabulary.added:
        return "added"
    frame = vocabulary.model.frame
    if frame is not None and frame.byte_of(vocabulary.spelling(number)) is not None:
        return "byte"
    if vocabulary.is_symbol(number):
        return "symbol"
    return "merged" if vocabulary.split(number) is not None else "unmade"


# Deeper parts stay whole: a token may be a chain of thousands of merges, which no page and no JSON reader takes in.
_DEEPEST: Final = 100


def _tree(vocabulary: Vocabulary, number: int, depth: int = 0) -> TokenTree:
    token = vocabulary.merging.symbol(number)
    split = vocabulary.split(number)
    if split is None:
        return TokenTree(token)
    rank, left, right = split
    parts = () if depth == _DEEPEST else tuple(_tree(vocabulary, part, depth + 1) for part in (left, right))
    return TokenTree(token, rank, _count(vocabulary, rank), parts)


def _count(vocabulary: Vocabulary, rank: int) -> int | None:
    counts = vocabulary.model.merge_counts
    return None if counts is None else counts[rank]


def _parents(merging: Merging, vocabulary: Vocabulary, number: int) -> Iterator[tuple[Symbol, Symbol, Symbol]]:
    for left, right, made in vocabulary.parents(number):
        yield merging.symbol(left), merging.symbol(right), merging.symbol(made)
