"""What one playground holds, and the answers to what its page asks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bytepair.arguments import Special
from bytepair.corpus import Source
from bytepair.errors import ArgumentError, BytepairError, FormatWarning
from bytepair.formats import tokenizer_json
from bytepair.looking import compare, curve
from bytepair.patterns import NAMES
from bytepair.play import limits
from bytepair.play.calls import Call
from bytepair.play.courses import Courses
from bytepair.play.exercises import exercise
from bytepair.play.lessons import WORKED_EXAMPLE, Lesson, told
from bytepair.play.packed import packed
from bytepair.play.shelf import Shelf, opened
from bytepair.tally import Tally
from bytepair.tokenizer import Tokenizer

if TYPE_CHECKING:
    from bytepair.encoding.arrays import SpanArray

Answer: TypeAlias = "dict[str, Any] | bytes"
_SPECIAL: Final[Mapping[str, Special]] = {"text": "text", "all": "all"}


class Room:
    """A playground: its tokenizers and its trainings. Each answer takes a `Call` and gives JSON or bytes.

    Args:
        shelf: the tokenizers to begin with.

    >>> from bytepair.tokenizer import train
    >>> shelf = Shelf()
    >>> entry = shelf.add("ours", train(["low low"], num_merges=2), "given")
    >>> Room(shelf).token(Call({"tok": entry.key, "id": "257"}))["token"]
    'low'
    """

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.courses = Courses(shelf)

    def start(self, call: Call) -> Answer:
        """What the page begins with."""
        return {
            "tokenizers": [entry.about() for entry in self.shelf.entries()],
            "patterns": list(NAMES),
            "worked_example": WORKED_EXAMPLE,
            "limits": {"text": limits.TEXT, "lesson": limits.LESSON, "corpus": limits.CORPUS, "file": limits.TOKENIZER},
        }

    def encode(self, call: Call) -> Answer:
        """A text as tokens, by a whole tokenizer or by one of a smaller size."""
        asked = call.asked()
        return packed(self._tokenizer(call), call.text(), asked.choice("special", _SPECIAL, "text"))

    def _tokenizer(self, call: Call) -> Tokenizer:
        asked = call.asked()
        tok = self.shelf.entry(asked.text("tok")).tok
        return tok if "size" not in call.query else tok.at(asked.whole("size", 1, tok.vocab_size))

    def token(self, call: Call) -> Answer:
        """All about one token."""
        asked = call.asked()
        return self._tokenizer(call).token(asked.whole("id", 0, 2**32)).to_dict()

    def trace(self, call: Call) -> Answer:
        """A training by hand."""
        return told(Lesson.of(call.fields()).trace())

    def exercise(self, call: Call) -> Answer:
        """A question."""
        fields = call.fields()
        return exercise(Lesson.of(fields), fields.text("kind"), fields.whole("number", 0, 2**31)).asked()

    def answer(self, call: Call) -> Answer:
        """Whether an answer to it is right."""
        fields = call.fields()
        asked = exercise(Lesson.of(fields), fields.text("kind"), fields.whole("number", 0, 2**31))
        return asked.checked(fields.text("answer"))

    def compare(self, call: Call) -> Answer:
        """Tokenizers side by side on named texts, and for one of these where they cut differently."""
        fields = call.fields()
        entries = [self.shelf.entry(key) for key in fields.texts("tokenizers")]
        texts = {f"text {number}": text for number, text in enumerate(fields.texts("texts"), 1)}
        if not texts:
            raise ArgumentError("texts is []; it must have at least one text to compare on")
        found = compare({entry.name: entry.tok for entry in entries}, texts).to_dict()
        shown = list(texts.values())[fields.whole("shown", 0, max(len(texts) - 1, 0), 0)]
        return {**found, "rings": _rings([entry.tok for entry in entries], shown)}

    def curve(self, call: Call) -> Answer:
        """What each size of a tokenizer comes to, on the text sent or else on what it was trained on."""
        entry = self.shelf.entry(call.asked().text("tok"))
        source: Source | Tally | None = [call.text()] if call.body else entry.tally
        if source is None:
            raise ArgumentError(f"{entry.name} was not trained here; send a text to measure it on")
        return curve(entry.tok, source, rare_below=1).to_dict()

    def open(self, call: Call) -> Answer:
        """Take a tokenizer file that was dropped on the page; "remarks" is what is odd about it."""
        asked = call.asked()
        self.shelf.refuse_if_full()
        name = asked.text("name", "dropped file")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            tok = opened(name, call.body, asked.text("pattern", "") or None)
        remarks = [str(each.message) for each in said if isinstance(each.message, FormatWarning)]
        return {**self.shelf.add(name, tok, "dropped").about(), "remarks": remarks}

    def remove(self, call: Call) -> Answer:
        """Forget a tokenizer."""
        self.shelf.remove(call.asked().text("tok"))
        return {}

    def file(self, call: Call) -> Answer:
        """A tokenizer as the contents of a tokenizer.json."""
        return tokenizer_json.write(self._tokenizer(call).model)


def _rings(toks: list[Tokenizer], text: str) -> list[list[tuple[int, int]]]:
    """Where each cuts a text differently from the first, and the first from any other: parts of it in bytes."""
    first, *others = toks
    apart = [_apart(first, other, text) for other in others]
    return [_joined(sorted(part for parts in apart for part in parts)), *apart]


def _apart(first: Tokenizer, other: Tokenizer, text: str) -> list[tuple[int, int]]:
    """(start, end) of each part that two cut differently; nothing where one does not say where it cuts."""
    try:
        ours, theirs = (tok.encode_spans(text, "byte")[1] for tok in (first, other))
    except BytepairError:
        return []
    return differing_parts(ours, theirs)


def differing_parts(ours: SpanArray, theirs: SpanArray) -> list[tuple[int, int]]:
    """The parts that `differing` finds, for millions of tokens; none of them may be empty."""
    import numpy

    own_ends, their_ends = (numpy.ascontiguousarray(spans[:, 1]) for spans in (ours, theirs))
    # Both are sorted already, which NumPy's sets do not know.
    places = numpy.searchsorted(their_ends, own_ends)
    ends = own_ends[numpy.append(their_ends, -1)[places] == own_ends]
    last = max([0, *own_ends[-1:], *their_ends[-1:]])
    if ends[-1:].tolist() != [last]:
        ends = numpy.append(ends, last)
    own_until, their_until = (numpy.searchsorted(each, ends, "right") for each in (own_ends, their_ends))
    n_ours, n_theirs = numpy.diff(own_until, prepend=0), numpy.diff(their_until, prepend=0)
    is_apart = (n_ours != n_theirs) | (n_ours > 1)
    # One token each is not always the same: a text that is left out may stand before it, or behind the last.
    one_each = numpy.flatnonzero((n_ours == 1) & (n_theirs == 1))
    is_apart[one_each] = (ours[own_until[one_each] - 1] != theirs[their_until[one_each] - 1]).any(axis=1)
    starts = numpy.concatenate([[0], ends[:-1]])
    return list(zip(starts[is_apart].tolist(), ends[is_apart].tolist(), strict=True))


def _joined(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted parts without overlap.

    >>> _joined([(0, 3), (1, 2), (2, 5), (7, 8)])
    [(0, 5), (7, 8)]
    """
    found: list[tuple[int, int]] = []
    for start, end in parts:
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


Ask: TypeAlias = Callable[[Room, Call], Answer]

ANSWERS: Final[Mapping[str, tuple[Ask, int]]] = {
    "start": (Room.start, limits.SMALL),
    "encode": (Room.encode, limits.TEXT),
    "token": (Room.token, limits.SMALL),
    "trace": (Room.trace, 2 * limits.LESSON + limits.SMALL),
    "exercise": (Room.exercise, 2 * limits.LESSON + limits.SMALL),
    "answer": (Room.answer, 2 * limits.LESSON + limits.SMALL),
    "compare": (Room.compare, limits.COMPARED),
    "curve": (Room.curve, limits.TEXT),
    "open": (Room.open, limits.TOKENIZER),
    "remove": (Room.remove, limits.SMALL),
    "file": (Room.file, limits.SMALL),
}
"""What the page may ask, by name, and the most bytes that it may send for it."""
