"""Whether a text can come to hold a token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from bytepair.analysis.vocabulary import Vocabulary
from bytepair.analysis.words import listed, quoted
from bytepair.errors import UnknownCharacterError
from bytepair.prepared import Prepared

_AROUND: Final = (b"", b" ", b"a", b"q", b"A", b"'", b"1", b"\n", b".", b"/", b"(")
_CONTINUATIONS: Final = tuple(range(0x80, 0xC0))
_HEADS: Final = tuple(map(bytes.fromhex, ("f3b080", "c3", "d0", "e4b8", "e4", "e280", "e2", "f09f98", "f09f", "f0")))
_NEVER_IN_UTF8: Final = frozenset((0xC0, 0xC1, *range(0xF5, 0x100)))
_TRIED_TOGETHER: Final = ((b"", b""), (b" ", b""), (b"a", b""), (b"1", b""), (b"(", b""), (b"", b"a"), (b"\n", b" "))


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a text can come to hold a token, and why.

    Args:
        reachable: True: `example` does; False: no text can; None: no text was found, and none was ruled out.
        reason: why, in a word.
            "example": there is one;
            "special": where a call asks for it;
            "merges": its own spelling becomes other tokens, so that no text holds it;
            "pattern": the split pattern cuts its spelling, and nothing was found to put around it;
            "rules": so do rules that a loaded file has before its merges, or they change it;
            "byte": it stands for a byte that UTF-8 never holds;
            "character": it stands for a byte, and no character that has no token was found to hold it.
        example: a text that holds the token; None where none is known.
        becomes: what its spelling becomes where it is another token.
    """

    reachable: bool | None
    reason: str
    example: str | None = None
    becomes: tuple[bytes, ...] = ()

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if self.reason == "special":
            return 'A text reaches it only where a call asks for special tokens, as in `special="all"`.'
        if self.reachable and self.example is not None:
            return f"A text can reach it: {quoted(self.example)} becomes this token{self._among}."
        if self.reachable:
            return "Bytes can reach it, alone as they are; no text was found that does."
        if self.reason == "byte":
            return "No text can reach it: it stands for a byte that UTF-8 never holds."
        if self.reason == "character":
            return "It stands for a byte of characters that have no token; none was found whose bytes hold it."
        parts = listed(quoted(part) for part in self.becomes)
        if self.reachable is False:
            return f"No text can reach it: its own spelling becomes {parts}."
        cut = "the split pattern cuts its spelling" if self.reason == "pattern" else "its spelling is cut or changed"
        return f"No text was found that reaches it: {cut}, which becomes {parts}."

    @property
    def _among(self) -> str:
        return "" if self.becomes else ", among others"


def reach(prepared: Prepared, vocabulary: Vocabulary, number: int) -> Reach:
    """Find out whether a text can come to hold a token.

    Where it can, its spelling alone, taken as one piece, becomes it: merges within it do not depend on what is around.
    So a spelling that becomes other tokens is proof that none can.

    Args:
        prepared: the model and its engine.
        vocabulary: of the same model.
        number: the id of a token.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=2))
    >>> reach(Prepared(model), Vocabulary(model), 257).example
    'low'
    """
    if vocabulary.is_special(number):
        return Reach(True, "special")
    frame = vocabulary.model.frame
    byte = None if frame is None else frame.byte_of(vocabulary.spelling(number))
    if byte is not None:
        return _reach_of_byte(prepared, number, byte)
    if number in vocabulary.added:
        return _reach_of_added(prepared, vocabulary, number)
    if not merges_reach(vocabulary, number):
        _, tokens = vocabulary.merging.run(vocabulary.symbols(number))
        return Reach(False, "merges", becomes=tuple(map(vocabulary.spelling, tokens)))
    spelling = _without_marker(vocabulary, number)
    for said in dict.fromkeys((*_spoken(prepared, vocabulary, number), spelling)):
        if found := _found(prepared, number, said, _around(vocabulary)):
            return found
    if number in _encoded(prepared, spelling):
        return Reach(True, "example", None)
    becomes = tuple(map(vocabulary.spelling, _encoded(prepared, spelling)))
    return Reach(None, "pattern" if frame is None else "rules", becomes=becomes)


def not_in(prepared: Prepared, vocabulary: Vocabulary, numbers: list[int]) -> list[int]:
    """Of tokens of a model with a frame, those that none of a few texts with what they stand for holds."""
    waiting = {number: _spoken(prepared, vocabulary, number) for number in numbers}
    for before, after in _TRIED_TOGETHER:
        for which in (0, 1):
            asked = [(number, said[which]) for number, said in waiting.items() if len(said) > which]
            texts = [before + said + after for _, said in asked]
            for (number, _), ids in zip(asked, prepared.engine.encode_batch(texts, None, 1), strict=True):
                if number in ids:
                    del waiting[number]
    return list(waiting)


def _spoken(prepared: Prepared, vocabulary: Vocabulary, number: int) -> tuple[bytes, ...]:
    """What a token of a model with a frame stands for in a text: behind another one, and alone."""
    if vocabulary.model.frame is None:
        return ()
    decode = prepared.engine.decode_bytes
    alone = decode([number], "raise")
    if vocabulary.other is None:
        return (alone,)
    behind = decode([vocabulary.other, number], "raise").removeprefix(decode([vocabulary.other], "raise"))
    return tuple(dict.fromkeys((behind, alone)))


def _found(prepared: Prepared, number: int, spelling: bytes, around: tuple[bytes, ...]) -> Reach | None:
    """A text with this in it that holds the token."""
    for text in _texts(spelling, around):
        ids = _encoded(prepared, text)
        if number in ids:
            # `becomes` is told apart: the spelling alone is enough.
            return Reach(True, "example", text.decode(), (spelling,) if text == spelling or ids == [number] else ())
    return None


def _reach_of_byte(prepared: Prepared, number: int, byte: int) -> Reach:
    """Whether a text holds a byte by itself: only in characters that have no token of their own."""
    if byte in _NEVER_IN_UTF8:
        return Reach(False, "byte")
    found = _found(prepared, number, bytes([byte]), (b"",))
    return found or Reach(None, "character")


def merges_reach(vocabulary: Vocabulary, number: int) -> bool:
    """Whether the spelling of a token, taken as one piece, becomes it."""
    if vocabulary.is_symbol(number):
        return True
    if vocabulary.merging.whole(vocabulary.spelling(number)) is not None:
        return True
    return vocabulary.split(number) is not None


def _reach_of_added(prepared: Prepared, vocabulary: Vocabulary, number: int) -> Reach:
    spelling = vocabulary.spelling(number)
    becomes = tuple(map(vocabulary.spelling, _encoded(prepared, spelling)))
    return _found(prepared, number, spelling, _AROUND) or Reach(None, "rules", becomes=becomes)


def _without_marker(vocabulary: Vocabulary, number: int) -> bytes:
    marker = (vocabulary.model.end_of_word or "").encode()
    return vocabulary.spelling(number).removesuffix(marker) if marker else vocabulary.spelling(number)


def _around(vocabulary: Vocabulary) -> tuple[bytes, ...]:
    """Nothing, and characters to put around a spelling: where only some are known, a few of those."""
    if vocabulary.model.alphabet == "bytes" or vocabulary.model.frame is not None:
        return _AROUND
    known = [vocabulary.spelling(number) for number in vocabulary.ids if vocabulary.is_symbol(number)]
    return (b"", *known[:12])


def _texts(spelling: bytes, around: tuple[bytes, ...]) -> Iterator[bytes]:
    """Texts that hold the spelling, in UTF-8: alone, completed to whole characters, and with others around it."""
    completed = list(_completed(spelling))
    yield from completed
    for before, after in product(around, around):
        for text in completed[:4]:
            yield before + text + after


def _completed(spelling: bytes) -> Iterator[bytes]:
    """The spelling with what its first and last characters lack; a few of the many ways."""
    for head, tail in product(_heads(spelling), _tails(spelling)):
        text = head + spelling + tail
        try:
            text.decode()
        except UnicodeDecodeError:
            continue
        yield text


def _heads(spelling: bytes) -> tuple[bytes, ...]:
    if not spelling or spelling[0] & 0xC0 != 0x80:
        return (b"",)
    return _HEADS


def _tails(spelling: bytes) -> tuple[bytes, ...]:
    n_missing = _n_missing(spelling)
    if not n_missing:
        return (b"",)
    rest = b"\x80" * (n_missing - 1)
    return tuple(bytes([first]) + rest for first in _CONTINUATIONS)


def _n_missing(spelling: bytes) -> int:
    """How many bytes the last character still lacks."""
    for back in range(1, min(len(spelling), 4) + 1):
        byte = spelling[-back]
        if byte & 0xC0 != 0x80:
            needs = 2 if byte >> 5 == 0b110 else 3 if byte >> 4 == 0b1110 else 4 if byte >> 3 == 0b11110 else 1
            return max(needs - back, 0)
    return 0


def _encoded(prepared: Prepared, text: bytes) -> list[int]:
    try:
        return prepared.engine.encode(text, None)
    except UnknownCharacterError:
        return []
