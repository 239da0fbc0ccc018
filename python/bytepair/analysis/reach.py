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

_AROUND: Final = (b"", b" ", b"a", b"A", b"'", b"1", b"\n", b".", b"/", b"(")
_CONTINUATIONS: Final = tuple(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a text can come to hold a token, and why.

    Args:
        reachable: True: `example` does; False: no text can; None: no text was found, and none was ruled out.
        reason: "example"; "special": where a call asks for it; "merges": its own spelling becomes other tokens, so that
            no text holds it; "pattern": the split pattern cuts its spelling, and nothing was found to put around it.
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
        parts = listed(quoted(part) for part in self.becomes)
        if self.reachable is False:
            return f"No text can reach it: its own spelling becomes {parts}."
        return f"No text was found that reaches it: the split pattern cuts its spelling, which becomes {parts}."

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
    if not merges_reach(vocabulary, number):
        _, tokens = vocabulary.merging.run(vocabulary.symbols(number))
        return Reach(False, "merges", becomes=tuple(map(vocabulary.spelling, tokens)))
    spelling = _without_marker(vocabulary, number)
    # `becomes` is told apart: the spelling alone is enough.
    for text in _texts(spelling, _around(vocabulary)):
        if number in _encoded(prepared, text):
            own = (spelling,) if text == spelling else ()
            return Reach(True, "example", text.decode(), own)
    if number in _encoded(prepared, spelling):
        return Reach(True, "example", None)
    becomes = tuple(map(vocabulary.spelling, _encoded(prepared, spelling)))
    return Reach(None, "pattern", becomes=becomes)


def merges_reach(vocabulary: Vocabulary, number: int) -> bool:
    """Whether the spelling of a token, taken as one piece, becomes it."""
    if vocabulary.is_symbol(number):
        return True
    if vocabulary.merging.whole(vocabulary.spelling(number)) is not None:
        return True
    return vocabulary.split(number) is not None


def _without_marker(vocabulary: Vocabulary, number: int) -> bytes:
    marker = (vocabulary.model.end_of_word or "").encode()
    return vocabulary.spelling(number).removesuffix(marker) if marker else vocabulary.spelling(number)


def _around(vocabulary: Vocabulary) -> tuple[bytes, ...]:
    """Nothing, and characters to put around a spelling: where only some are known, a few of those."""
    if vocabulary.model.alphabet == "bytes":
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
    return (b"\xc3", b"\xd0", b"\xe4\xb8", b"\xe4", b"\xe2\x80", b"\xe2", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0")


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
