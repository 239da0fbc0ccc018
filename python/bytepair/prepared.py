"""A model with its engine, and how texts are made ready for it: the same checks and errors on every call."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, cast

from bytepair import arguments, arrow
from bytepair._native import ArrowTexts, Engine
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, BytepairError, SpecialTokenError, UnknownCharacterError
from bytepair.model import Model

Text: TypeAlias = "str | bytes"
Texts: TypeAlias = "Iterable[Text] | arrow.ArrowStrings"
# As the engine takes them.
ReadyTexts: TypeAlias = "list[Text] | ArrowTexts"
SurrogateErrors: TypeAlias = Literal["replace", "raise"]
SURROGATE_ERRORS: Final[tuple[SurrogateErrors, ...]] = ("replace", "raise")

# Made once: `str | bytes` in a call makes a new union every time.
TEXT: Final = (str, bytes)

Result = TypeVar("Result")
Places = TypeVar("Places", BytepairError, UnknownCharacterError, ArgumentError)


DEFAULT_CACHE_BYTES: Final = 64 << 20


class CacheUse(NamedTuple):
    """What an engine remembers of pieces and the ids that they became.

    Args:
        pieces: how many, in all threads that are at rest.
        bytes: in use for them.
        max_bytes: the most that each thread may use.
    """

    pieces: int
    bytes: int
    max_bytes: int


class Prepared:
    """A model, ready to encode and decode. What takes time to build is built when it is first asked for.

    Args:
        model: the parts.
        cache_bytes: the most bytes in which a thread remembers what pieces became; None: 64 MiB.

    Attributes:
        engine: their compiled form.
        spelled: the bytes of every token by id, special ones as their text; None where an id is no token.
        all_special_ids: one object for all calls, as the engine knows it again.
    """

    __slots__ = ("all_special_ids", "cache_bytes", "engine", "model", "spelled")

    all_special_ids: tuple[int, ...]
    cache_bytes: int | None
    engine: Engine
    model: Model
    spelled: tuple[bytes | None, ...]

    def __init__(self, model: Model, cache_bytes: int | None = None) -> None:
        self.model = model
        self.cache_bytes = cache_bytes
        self.all_special_ids = tuple(model.specials.values())

    def __getattr__(self, name: str) -> Any:
        # Only asked for what is not there yet. No lock, which a fork could leave closed: threads that come at once
        # build equal things, and one of them stays.
        if name == "engine":
            self.engine = self.model.engine(self.cache_bytes)
            return self.engine
        if name == "spelled":
            spelled = self.model.spellings()
            for number, text in self.engine.added_texts() if self.model.frame else ():
                spelled[number] = text
            self.spelled = tuple(spelled)
            return self.spelled
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def run(
        self,
        work: Callable[[Text, Sequence[int] | None], Result],
        text: Text,
        special: SpecialPolicy,
        errors: SurrogateErrors,
        add_special_tokens: bool,
        where: str = "the text",
    ) -> Result:
        """Give a text and the ids of the specials to match to a call of the engine."""
        # The defaults are known to be right: short texts take little longer than their checks.
        plain = is_plain(special, errors, add_special_tokens)
        ids = () if plain else self.special_ids(special, errors, add_special_tokens)
        ready = as_text(text, where)
        if ids is None:
            self.refuse_special(ready, errors, where)
        try:
            try:
                return work(ready, ids)
            except UnicodeEncodeError:
                return work(mended(ready, errors, where), ids)
        except UnknownCharacterError as error:
            raise placed(error, ready) from None

    def run_batch(
        self,
        work: Callable[[ReadyTexts, Sequence[int] | None], Result],
        texts: Texts,
        special: SpecialPolicy,
        errors: SurrogateErrors,
        add_special_tokens: bool,
        call: str = "encode_batch",
    ) -> Result:
        """Give many texts and the ids of the specials to match to a call of the engine."""
        ready = _ready(texts, call)
        ids = self.special_ids(special, errors, add_special_tokens)
        if ids is None:
            for index in range(len(ready)):
                self.refuse_special(ready[index], errors, f"texts[{index}]")
        try:
            try:
                return work(ready, ids)
            except UnicodeEncodeError:
                return work([mended(ready[index], errors, f"texts[{index}]") for index in range(len(ready))], ids)
        except UnknownCharacterError as error:
            raise _placed_in_batch(error, ready) from None

    def special_ids(self, special: SpecialPolicy, errors: str, add_special_tokens: bool) -> tuple[int, ...] | None:
        """The ids of the specials to match; None where a special in the text is an error."""
        arguments.choice("errors", errors, SURROGATE_ERRORS)
        arguments.flag("add_special_tokens", add_special_tokens)
        if isinstance(special, str):
            if special == "text":
                return ()
            if special == "all":
                return self.all_special_ids
        specials = self.model.specials
        matched = arguments.special_policy(special, specials)
        if matched is None:
            return None
        return self.all_special_ids if len(matched) == len(specials) else tuple(specials[name] for name in matched)

    def refuse_special(self, given: Text, errors: str, where: str, before: int = 0) -> None:
        """Raise where a special stands in a text, which begins behind `before` bytes of the whole."""
        text = mended(given, errors, where)
        found = self.engine.find_special(text)
        if found is None:
            return
        number, offset = found
        place = f"byte {before + offset}"
        if isinstance(text, str) and isinstance(given, str):
            n_chars = len(text.encode()[:offset].decode())
            place = f"character {arguments.position_in(given, n_chars)}"
        name = cast("bytes", self.spelled[number]).decode()
        raise SpecialTokenError(
            f'{where} holds the special token {name!r} at {place}, and special="raise" forbids it; pass '
            'special="text" to '
            'encode it as text, or special="all" to encode it as its id'
        )


def is_plain(special: object, errors: object, add_special_tokens: object) -> bool:
    """Whether these are the defaults, which need no check."""
    return special.__class__ is str and special == "text" and errors == "replace" and add_special_tokens is False


def as_text(text: object, where: str) -> Text:
    """A text, or one clear error; `where` names it."""
    if isinstance(text, TEXT):
        return text
    hint = ": bytes(...) makes them of it" if isinstance(text, bytearray | memoryview) else ""
    raise ArgumentTypeError(f"{where} is {shown(text)} ({kind(text)}); it must be str or bytes{hint}")


def mended(text: Text, errors: str, where: str) -> Text:
    """The text without surrogates."""
    return text if isinstance(text, bytes) else arguments.without_surrogates(text, errors, where)


def placed(error: Places, text: Text) -> Places:
    """The error with the index in the text that was given, where a surrogate pair counts as two characters."""
    if isinstance(text, bytes):
        return error
    index = re.compile(r"(?<= at index )[0-9]+")
    return type(error)(index.sub(lambda found: str(arguments.position_in(text, int(found[0]))), str(error), count=1))


def pairs_before(text: Text) -> Callable[[int], int] | None:
    """How many surrogate pairs a str holds before a character of its mended form; None where it holds none.

    Each such pair is one character more in the text that was given.
    """
    if isinstance(text, bytes) or text.isascii():
        return None
    pairs = arguments.surrogate_pairs(text)
    return (lambda place: bisect_left(pairs, place)) if pairs else None


def _ready(texts: Texts, call: str) -> ReadyTexts:
    if arrow.is_arrow(texts):
        return arrow.texts_of(texts)
    if isinstance(texts, str | bytes | bytearray | memoryview):
        raise ArgumentTypeError(f"texts is one {kind(texts)}; {call} takes a list: [{shown(texts)}], encode takes one")
    if not isinstance(texts, Iterable):
        raise ArgumentTypeError(f"texts is {shown(texts)} ({kind(texts)}); it must be a list of str or bytes")
    # Most are texts, and need no name for a message.
    return [text if isinstance(text, TEXT) else as_text(text, f"texts[{index}]") for index, text in enumerate(texts)]


def _placed_in_batch(error: UnknownCharacterError, texts: ReadyTexts) -> UnknownCharacterError:
    found = re.search(r" at index [0-9]+ of text ([0-9]+)", str(error))
    return placed(error, texts[int(found[1])]) if found else error
