"""Ids to text: at once, in batches, and token by token; and whether ids are what encoding gives."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias, final

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, BadIdError, DecodingError
from bytepair.frame import Step
from bytepair.prepared import Prepared

DecodeErrors: TypeAlias = Literal["replace", "strict", "ignore"]
BadIds: TypeAlias = Literal["raise", "replace", "skip"]
DECODE_ERRORS: Final[tuple[DecodeErrors, ...]] = ("replace", "strict", "ignore")
BAD_IDS: Final[tuple[BadIds, ...]] = ("raise", "replace", "skip")


def decode(prepared: Prepared, ids: Iterable[int], errors: DecodeErrors, bad_ids: BadIds) -> str:
    """The text of ids."""
    handler = arguments.choice("errors", errors, DECODE_ERRORS)
    data = decode_bytes(prepared, ids, bad_ids)
    try:
        return data.decode("utf-8", handler)
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from None


def decode_bytes(prepared: Prepared, ids: Iterable[int], bad_ids: BadIds) -> bytes:
    """The bytes of ids."""
    return prepared.engine.decode_bytes(_as_ids(ids), arguments.choice("bad_ids", bad_ids, BAD_IDS))


def decode_batch(
    prepared: Prepared, batch: Iterable[Iterable[int]], errors: DecodeErrors, bad_ids: BadIds
) -> list[str]:
    """The texts of lists of ids; an error has a note of which list."""
    if isinstance(batch, str | bytes) or not isinstance(batch, Iterable):
        raise ArgumentTypeError(f"batch is {shown(batch)} ({kind(batch)}); it must be a list of lists of ids")
    texts = []
    for index, ids in enumerate(batch):
        try:
            texts.append(decode(prepared, ids, errors, bad_ids))
        except Exception as error:
            error.add_note(f"in batch[{index}]")
            raise
    return texts


def is_canonical(prepared: Prepared, ids: Iterable[int]) -> bool:
    """Whether the ids between special tokens are those of their text."""
    engine, specials = prepared.engine, frozenset(prepared.all_special_ids)
    given = _as_ids(ids)
    engine.decode_bytes(given, "raise")
    between: list[int] = []
    for number in [*given, None]:  # type: ignore[misc]  # the engine has read it as ids
        if number is not None and number not in specials:
            between.append(int(number))
        elif between:
            if engine.encode(engine.decode_bytes(between, "raise"), ()) != between:
                return False
            between = []
    return True


@final
class Decoder:
    r"""Text from ids that come one by one, as from a language model. Made by `Tokenizer.decoder`.

    It holds back the bytes of a character that is not whole yet, never more than three; a call costs what its own token
    does. Unlike a tokenizer it changes: each stream, and each thread, takes one of its own.

    >>> from bytepair import train
    >>> decoder = train(["a"], num_merges=0).decoder()
    >>> [decoder.feed(byte) for byte in "né".encode()], decoder.finish()
    (['n', '', 'é'], '')
    """

    __slots__ = ("_bad_ids", "_ends", "_errors", "_marker", "_n_fed", "_prepared", "_utf8", "_window", "_word_ended")

    def __init__(self, prepared: Prepared, errors: DecodeErrors, bad_ids: BadIds) -> None:
        self._prepared = prepared
        self._bad_ids = arguments.choice("bad_ids", bad_ids, BAD_IDS)
        self._errors = arguments.choice("errors", errors, DECODE_ERRORS)
        self._marker = (prepared.model.end_of_word or "").encode()
        self._begin()

    def _begin(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")(self._errors)
        self._word_ended = False
        self._n_fed = 0
        frame = self._prepared.model.frame
        self._window = None if frame is None or frame.decoder is None else _Window(self._prepared, frame.decoder)

    def feed(self, token: int) -> str:
        r"""Take the next id.

        Args:
            token: an int.

        Returns:
            The characters that are whole now; "" while one is not.

        Raises:
            BadIdError: the id is no token and `bad_ids` is "raise"; the decoder stays as it was.
            DecodingError: `errors="strict"` and the bytes are not UTF-8; the decoder begins anew.
            ArgumentTypeError: it is no int.

        >>> from bytepair import train
        >>> decoder = train(["ab ab"], num_merges=1).decoder()
        >>> decoder.feed(256), decoder.feed(0xC3), decoder.feed(0xA9)
        ('ab', '', 'é')
        """
        spelled = self._spelled(token)
        self._n_fed += 1
        if spelled is None:
            return ""
        if self._window is not None:
            return self._window.feed(token)
        before = b" " if self._word_ended else b""
        ends_word = self._ends_word(token, spelled)
        self._word_ended = ends_word
        data = before + (spelled.removesuffix(self._marker) if ends_word else spelled)
        return self._decoded(data, final=False)

    def finish(self) -> str:
        r"""End the text; the next `feed` begins another.

        Returns:
            What was held back: "" or, for a character that is not whole, what `errors` makes of it.

        Raises:
            DecodingError: `errors="strict"` and a character is not whole.

        >>> from bytepair import train
        >>> decoder = train(["a"], num_merges=0).decoder()
        >>> decoder.feed(0xC3), decoder.finish()
        ('', '\ufffd')
        """
        text = self._decoded(b"", final=True) if self._window is None else self._window.rest()
        self._begin()
        return text

    def _spelled(self, token: int) -> bytes | None:
        number = arguments.id_number(token)
        known = self._prepared.spelled
        spelled = known[number] if 0 <= number < len(known) else None
        if spelled is not None or self._bad_ids == "skip":
            return spelled
        if self._bad_ids == "replace":
            return "\ufffd".encode()
        raise BadIdError(
            f"id {number} at position {self._n_fed} is no token; the largest id is {len(known) - 1}; "
            'bad_ids="replace" or "skip" decodes the others'
        )

    def _ends_word(self, token: int, spelled: bytes) -> bool:
        if not self._marker or not spelled.endswith(self._marker):
            return False
        ordinary = self._prepared.model.tokens
        return 0 <= token < len(ordinary) and ordinary[token] is not None

    def _decoded(self, data: bytes, final: bool) -> str:
        try:
            return self._utf8.decode(data, final)
        except UnicodeDecodeError as error:
            self._begin()
            raise _not_utf8(error) from None


class _Window:
    """The last ids of a model whose decoder has steps: what a token comes to depends on the one before it.

    What is given out is what the ids come to beyond those before them, as soon as no character is broken off. Those
    before come to some text: behind none a decoder would take a space for the first of the document.
    """

    __slots__ = ("_before", "_ids", "_invisible", "_n_before", "_prepared")

    def __init__(self, prepared: Prepared, decoder: tuple[Step, ...]) -> None:
        self._prepared = prepared
        texts = {text for step in decoder for text in step.settings.get("invisible", ())}
        self._invisible = {number for text, number in prepared.model.specials.items() if text in texts}
        self._ids: list[int] = []
        self._before = ""
        self._n_before = 0

    def feed(self, token: int) -> str:
        """The text that has become whole."""
        if token in self._invisible and not self._parts():
            return ""
        self._ids.append(token)
        text = self._text(self._ids)
        if len(text) <= len(self._before) or text.endswith("\ufffd"):
            return ""
        new = text[len(self._before) :]
        n_new = len(self._ids) - self._n_before
        last = self._ids[self._n_before :]
        before = self._text(last)
        if before:
            self._ids, self._before, self._n_before = last, before, n_new
        else:
            self._before = text
        return new

    def _parts(self) -> bool:
        """Whether an invisible token is needed here: it parts bytes held back from those behind it, once."""
        return len(self._ids) > self._n_before and self._ids[-1] not in self._invisible

    def rest(self) -> str:
        """What was held back."""
        return self._text(self._ids)[len(self._before) :]

    def _text(self, ids: list[int]) -> str:
        return self._prepared.engine.decode_bytes(ids, "replace").decode("utf-8", "replace")


def _as_ids(ids: object) -> object:
    """What the engine takes: a sequence or a buffer. Text is none, whatever Python says, and a set has no order."""
    if isinstance(ids, str | bytes | bytearray | set | frozenset | Mapping) or not isinstance(ids, Iterable):
        raise ArgumentTypeError(f"ids is {shown(ids)} ({kind(ids)}); it must be a list or an array of ints")
    return ids if hasattr(type(ids), "__getitem__") and hasattr(type(ids), "__len__") else list(ids)


def _not_utf8(error: UnicodeDecodeError) -> DecodingError:
    reason = f'{error.reason}; pass errors="replace" or errors="ignore", or use decode_bytes'
    return DecodingError(error.encoding, error.object, error.start, error.end, reason)
