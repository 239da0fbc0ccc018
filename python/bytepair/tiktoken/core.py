"""`Encoding`: one encoding with the methods, arguments and defaults of tiktoken's class of that name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, final

from bytepair import arguments
from bytepair._native import Engine
from bytepair.arguments import kind, shown
from bytepair.errors import (
    ArgumentTypeError,
    BadIdError,
    DecodingError,
    MissingPackageError,
    UnknownTokenError,
)
from bytepair.model import Model, byte_order_of
from bytepair.patterns import resolve
from bytepair.tiktoken import parts, unstable
from bytepair.tiktoken.specials import ORDINARY, Allowed, Disallowed, Policy, Specials

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")


@final
class Encoding:
    r"""An encoding made of ranks. It never changes, so any number of threads may share it.

    Two are equal when name, pattern, ranks and special tokens are.

    Args:
        name: what it is called.
        pat_str: the regular expression whose matches are pieces. A known one runs as a scanner of its own; text between
            two matches is a piece too.
        mergeable_ranks: token -> rank, all 256 single bytes among them; no rank twice.
        special_tokens: text -> id; ids that no rank has. Two texts may share one: the first is what it decodes to.
        explicit_n_vocab: how many tokens there must be, ranks and special ones together, without a gap; None: not
            checked.

    Raises:
        ArgumentError: `explicit_n_vocab` is not what there is, or the ranks are empty, negative or too far apart.
        ArgumentTypeError: an argument has the wrong type.
        ModelError: a byte is missing, or an id is given twice.
        PatternError: the pattern does not compile.

    In the examples of the methods `_toy()` gives this one:

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
    >>> Encoding("toy", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 258})
    <Encoding 'toy'>
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: Mapping[bytes, int],
        special_tokens: Mapping[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        specials = parts.specials(special_tokens)
        tokens = parts.by_rank(mergeable_ranks)
        apart = parts.ids_apart(specials, max(len(tokens), *(number + 1 for number in specials.values()), 0))
        model = Model(
            kind="ranks",
            alphabet="bytes",
            tokens=tokens,
            merges=(),
            specials=apart,
            pattern=resolve(pat_str),
            byte_order=byte_order_of(tokens),
        )
        self._set_up(name, pat_str, model, specials)
        if explicit_n_vocab is not None:
            parts.check_size(explicit_n_vocab, len(mergeable_ranks) + len(specials), self.max_token_value)

    def _set_up(self, name: str, pat_str: str, model: Model, specials: dict[str, int]) -> None:
        put = self.__dict__.update
        put(
            name=name,
            max_token_value=max(len(model.tokens) - 1, *specials.values(), 0),
            _pat_str=pat_str,
            _special_tokens=specials,
            _model=model,
            _engine=model.engine(),
            _specials=Specials(model.specials),
            _shared={
                model.specials[text]: number for text, number in specials.items() if model.specials[text] != number
            },
        )

    name: str
    max_token_value: int
    _pat_str: str
    _special_tokens: dict[str, int]
    _model: Model
    _engine: Engine
    _specials: Specials
    _shared: dict[int, int]  # id in the engine -> the id that the special shares with an earlier one

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Encoding never changes; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Encoding never changes; {name!r} cannot be deleted")

    # Text -> ids

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[int]:
        r"""Turn a text into ids; by default the text of a special token in it is an error.

        Args:
            text: a surrogate pair in it is its character, a lone surrogate U+FFFD.
            allowed_special: the special tokens that become their ids where their text stands: "all", or a set. A name
                that is no special token changes nothing.
            disallowed_special: the texts that are refused: "all" special tokens that are not allowed, or a collection.
                With `()` what is not allowed is ordinary text.

        Returns:
            ids: n_tokens ints.

        Raises:
            SpecialTokenError: a refused text stands in it; a `ValueError` that names it and the place.
            ArgumentTypeError: an argument has the wrong type.

        >>> enc = _toy()
        >>> enc.encode("low low"), enc.encode("low<|end|>", allowed_special={"<|end|>"})
        ([257, 32, 257], [257, 258])
        >>> enc.encode("low<|end|>", disallowed_special=())
        [257, 60, 124, 101, 110, 100, 124, 62]
        """
        return self._published(
            self._run(self._engine.encode, text, self._specials.policy(allowed_special, disallowed_special))
        )

    def encode_ordinary(self, text: str) -> list[int]:
        """Turn a text into ids; the text of a special token in it is ordinary text.

        Args:
            text: as in `encode`.

        Returns:
            ids: what `encode(text, disallowed_special=())` gives.

        Raises:
            ArgumentTypeError: it is no str.

        >>> _toy().encode_ordinary("low")
        [257]
        """
        return self._run(self._engine.encode, text, ORDINARY)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> npt.NDArray[np.uint32]:
        """Turn a text into an array of ids.

        Args:
            text: as in `encode`.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            ids: `uint32[n_tokens]`, read-only.

        Raises:
            SpecialTokenError, ArgumentTypeError: as in `encode`.
            MissingPackageError: there is no NumPy.
        """
        ids = self.encode(text, allowed_special=allowed_special, disallowed_special=disallowed_special)
        try:
            import numpy as np
        except ImportError:
            raise MissingPackageError(
                "encode_to_numpy needs NumPy: pip install numpy; encode(text) gives a list without it"
            ) from None
        array = np.array(ids, dtype=np.uint32)
        array.flags.writeable = False
        return array

    def encode_batch(
        self,
        text: Iterable[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """Turn many texts into ids, on many threads.

        Args:
            text: the texts.
            num_threads: how many to use, at least 1. The ids are the same.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            For each text, in order, what `encode` gives.

        Raises:
            SpecialTokenError, ArgumentTypeError: as in `encode`; names the text.

        >>> _toy().encode_batch(["low", "lo"])
        [[257], [256]]
        """
        return self._batch(text, num_threads, self._specials.policy(allowed_special, disallowed_special))

    def encode_ordinary_batch(self, text: Iterable[str], *, num_threads: int = 8) -> list[list[int]]:
        """Turn many texts into ids, on many threads; the text of a special token in them is ordinary text.

        Args:
            text: the texts.
            num_threads: as in `encode_batch`.

        Returns:
            For each text, in order, what `encode_ordinary` gives.

        Raises:
            ArgumentTypeError: as in `encode_batch`.

        >>> _toy().encode_ordinary_batch(["low", "lo"])
        [[257], [256]]
        """
        return self._batch(text, num_threads, ORDINARY)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Turn a text that may go on into the ids that are settled, and all the ways its end may be encoded.

        Args:
            text: as in `encode`.
            allowed_special: as in `encode`.
            disallowed_special: as in `encode`.

        Returns:
            (settled, completions): the ids in front of the last piece; and the lists of ids that spell the rest of the
            text, or the rest and more, sorted. Without a rest, no completions.

        Raises:
            SpecialTokenError, ArgumentTypeError: as in `encode`.

        Tries every token that begins with any end of the last piece: from 0.1 to some seconds with 100,000 tokens.

        >>> _toy().encode_with_unstable("a lo")
        ([97, 32], [[256], [257]])
        """
        policy = self._specials.policy(allowed_special, disallowed_special)
        ids = self._run(self._engine.encode, text, policy)
        pieces = self._run(self._engine.pieces, text, policy)
        matched = bool(ids) and ids[-1] in policy.ids
        if not pieces or matched:
            return self._published(ids), []
        vocabulary = self._vocabulary
        count = unstable.n_unstable(ids, pieces[-1], vocabulary)
        tail = self._engine.decode_bytes(ids[-count:], "raise")
        return self._published(ids[:-count]), unstable.completions(tail, vocabulary)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token, ordinary or special.

        Args:
            text_or_bytes: its spelling.

        Returns:
            Its id.

        Raises:
            UnknownTokenError: no token is spelled so; a `KeyError`.
            SurrogateError: a str holds a lone surrogate; a `UnicodeEncodeError`.
            ArgumentTypeError: it is neither str nor bytes.

        >>> _toy().encode_single_token("low"), _toy().encode_single_token("<|end|>")
        (257, 258)
        """
        if not isinstance(text_or_bytes, str | bytes):
            raise ArgumentTypeError(
                f"text_or_bytes is {shown(text_or_bytes)} ({kind(text_or_bytes)}); it must be str or bytes"
            )
        token = text_or_bytes
        if isinstance(token, str):
            token = arguments.without_surrogates(token, "raise", "text_or_bytes").encode()
        found = self._mergeable_ranks.get(token)
        if found is None:
            found = self._special_tokens.get(token.decode("utf-8", "replace"))
        if found is None:
            raise UnknownTokenError(
                f"no token is spelled {shown(text_or_bytes)}; encode(text) gives the ids of a text of several tokens"
            )
        return found

    # Ids -> text

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Turn ids into text.

        Args:
            tokens: ints, or a one-dimensional array of integers.
            errors: what becomes of bytes that are not UTF-8, as in `bytes.decode`.

        Returns:
            The text.

        Raises:
            UnknownTokenError: an id is no token; a `KeyError` that names it and the place.
            DecodingError: `errors="strict"` and the bytes are not UTF-8; a `UnicodeDecodeError`.
            ArgumentTypeError: `tokens` is no sequence of ints.

        >>> _toy().decode([257, 32, 97])
        'low a'
        """
        return _text_of(self.decode_bytes(tokens), errors)

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Turn ids into bytes, UTF-8 or not.

        Args:
            tokens: as in `decode`.

        Returns:
            The bytes.

        Raises:
            UnknownTokenError, ArgumentTypeError: as in `decode`.

        >>> _toy().decode_bytes([257, 32])
        b'low '
        """
        _check_ids(tokens)
        try:
            data = self._engine.decode_bytes(tokens, "raise")
        except BadIdError:
            self._refuse_first_bad(tokens)
        # An id that only the engine knows is no token for the caller.
        if self._shared and max(tokens, default=0) > self.max_token_value:
            self._refuse_first_bad(tokens)
        return data

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of a token, ordinary or special.

        Args:
            token: its id.

        Returns:
            Its spelling.

        Raises:
            UnknownTokenError: no token has this id; a `KeyError`.
            ArgumentTypeError: it is no int.

        >>> _toy().decode_single_token_bytes(257)
        b'low'
        """
        if isinstance(token, bool) or not hasattr(type(token), "__index__"):
            raise ArgumentTypeError(f"token is {shown(token)} ({kind(token)}); it must be an int")
        number = operator.index(token)
        found = self._spelling(number) if 0 <= number <= self.max_token_value else None
        if found is None:
            raise UnknownTokenError(f"the id {number} is no token; ids go from 0 to {self.max_token_value}")
        return found

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Turn ids into the bytes of each.

        Args:
            tokens: as in `decode`.

        Returns:
            n_tokens byte strings.

        Raises:
            UnknownTokenError, ArgumentTypeError: as in `decode`.

        >>> _toy().decode_tokens_bytes([257, 32])
        [b'low', b' ']
        """
        _check_ids(tokens)
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Turn ids into text, and say where in it each token begins.

        Args:
            tokens: as in `decode`.

        Returns:
            (text, offsets): for each token the index in the text of the first character that has a byte of it.

        Raises:
            UnknownTokenError, ArgumentTypeError: as in `decode`.
            DecodingError: the bytes are not UTF-8.

        >>> _toy().decode_with_offsets([257, 195, 169, 97])
        ('lowéa', [0, 3, 3, 4])
        """
        spelled = self.decode_tokens_bytes(tokens)
        offsets = []
        n_chars = 0
        for token in spelled:
            # A byte that goes on with a character belongs to the one before.
            offsets.append(max(0, n_chars - _goes_on(token[0])))
            n_chars += sum(not _goes_on(byte) for byte in token)
        return _text_of(b"".join(spelled), "strict"), offsets

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Turn many lists of ids into texts.

        Args:
            batch: for each text its ids, as in `decode`.
            errors: as in `decode`.
            num_threads: at least 1; decoding is quick, and uses one.

        Returns:
            For each list of ids, in order, what `decode` gives.

        Raises:
            UnknownTokenError, DecodingError, ArgumentTypeError: as in `decode`.

        >>> _toy().decode_batch([[257], [97, 32]])
        ['low', 'a ']
        """
        return [_text_of(data, errors) for data in self.decode_bytes_batch(batch, num_threads=num_threads)]

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Turn many lists of ids into bytes.

        Args:
            batch: as in `decode_batch`.
            num_threads: as in `decode_batch`.

        Returns:
            For each list of ids, in order, what `decode_bytes` gives.

        Raises:
            UnknownTokenError, ArgumentTypeError: as in `decode`.

        >>> _toy().decode_bytes_batch([[257], [97, 32]])
        [b'low', b'a ']
        """
        arguments.integer("num_threads", num_threads, 1, arguments.MAX_THREADS)
        return [self.decode_bytes(ids) for ids in batch]

    # What there is

    def token_byte_values(self) -> list[bytes]:
        """The ordinary tokens, sorted.

        >>> len(_toy().token_byte_values())
        258
        """
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`; an `UnknownTokenError`, which is a `KeyError`, where there is none."""
        found = self._special_tokens.get("<|endoftext|>")
        if found is None:
            raise UnknownTokenError(
                f"{self.name!r} has no special token '<|endoftext|>'; special_tokens_set says which it has"
            )
        return found

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens, a new set each time."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id is that of a special token.

        Args:
            token: an id, or any other int.

        Raises:
            ArgumentTypeError: it is no int.

        >>> _toy().is_special_token(258), _toy().is_special_token(257)
        (True, False)
        """
        if not hasattr(type(token), "__index__"):
            raise ArgumentTypeError(f"token is {shown(token)} ({kind(token)}); it must be an int")
        return operator.index(token) in self._special_tokens.values()

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self.max_token_value + 1

    @cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        """Private in tiktoken too, and what its README builds further encodings from, as it does from `_pat_str`."""
        return {token: rank for rank, token in enumerate(self._model.tokens) if token is not None}

    # What Python asks of a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Encoding):
            return NotImplemented
        return self is other or self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.name, self._pat_str, self._model, self._special_tokens)

    def __copy__(self) -> Encoding:
        return self

    def __deepcopy__(self, memo: object) -> Encoding:
        return self

    @property
    def _content(self) -> tuple[str, str, frozenset[tuple[str, int]]]:
        return self.name, self._model.fingerprint, frozenset(self._special_tokens.items())

    # How a text is run through the engine

    def _run(
        self, work: Callable[[str, Sequence[int] | None], T], text: str, policy: Policy, where: str = "the text"
    ) -> T:
        _check_text(text, where)
        try:
            self._refuse(text, policy, where)
            return work(text, policy.ids)
        except UnicodeEncodeError:
            mended = arguments.without_surrogates(text, "replace", where)
            self._refuse(mended, policy, where)
            return work(mended, policy.ids)

    def _batch(self, given: Iterable[str], num_threads: int, policy: Policy) -> list[list[int]]:
        n_threads = arguments.integer("num_threads", num_threads, 1, arguments.MAX_THREADS)
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise ArgumentTypeError(f"text is {shown(given)} ({kind(given)}); it must be a list of str")
        texts = [self._run(_ready, text, policy, f"text[{index}]") for index, text in enumerate(given)]
        try:
            found = self._engine.encode_batch(texts, policy.ids, n_threads)
        except UnicodeEncodeError:
            mended = [arguments.without_surrogates(text, "replace", "text") for text in texts]
            found = self._engine.encode_batch(mended, policy.ids, n_threads)
        return [self._published(ids) for ids in found] if self._shared else found

    def _refuse(self, text: str, policy: Policy, where: str) -> None:
        # Most texts hold no special token at all, and the engine says so quickly.
        if policy.refused and not (policy.known and self._engine.find_special(text) is None):
            self._specials.refuse(text, policy, where)

    def _published(self, ids: list[int]) -> list[int]:
        """The ids that people know, where special tokens share one."""
        return [self._shared.get(number, number) for number in ids] if self._shared else ids

    # How ids are looked up

    @cached_property
    def _spellings(self) -> list[bytes | None]:
        return self._model.spellings()

    def _spelling(self, number: int) -> bytes | None:
        return self._spellings[number]

    @cached_property
    def _vocabulary(self) -> unstable.Vocabulary:
        return unstable.Vocabulary(
            ranks=self._mergeable_ranks,
            tokens=self.token_byte_values(),
            spelling=self._spellings.__getitem__,  # type: ignore[arg-type]  # ids of the engine, each a token
            encode=lambda texts: self._engine.encode_batch(texts, (), 1),
        )

    def _refuse_first_bad(self, tokens: Iterable[int]) -> NoReturn:
        top = self.max_token_value
        at, number = next(
            (at, int(number))
            for at, number in enumerate(tokens)
            if not 0 <= number <= top or self._spelling(number) is None
        )
        raise UnknownTokenError(f"the id {number} at position {at} is no token; ids go from 0 to {top}") from None


def _rebuilt(name: str, pat_str: str, model: Model, specials: dict[str, int]) -> Encoding:
    """What a pickle is opened with: the parts were checked when it was made."""
    encoding = Encoding.__new__(Encoding)
    encoding._set_up(name, pat_str, model, specials)
    return encoding


def _ready(text: str, _: Sequence[int] | None) -> str:
    return text


def _check_text(text: object, where: str) -> None:
    if not isinstance(text, str):
        hint = ": bytepair.Tokenizer encodes bytes as they are" if isinstance(text, bytes) else ""
        raise ArgumentTypeError(f"{where} is {shown(text)} ({kind(text)}); it must be a str{hint}")


def _check_ids(ids: object) -> None:
    """A sequence or an array. Text is none, whatever Python says, and a set has no order."""
    is_sequence = hasattr(type(ids), "__getitem__") and hasattr(type(ids), "__len__")
    if isinstance(ids, str | bytes | bytearray | Mapping) or not is_sequence:
        raise ArgumentTypeError(f"tokens is {shown(ids)} ({kind(ids)}); it must be a list or an array of ints")


def _text_of(data: bytes, errors: str) -> str:
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        reason = f'{error.reason}; pass errors="replace" to decode, or use decode_bytes'
        raise DecodingError(error.encoding, error.object, error.start, error.end, reason) from None


def _goes_on(byte: int) -> bool:
    return 0x80 <= byte < 0xC0


def _toy() -> Encoding:
    """The encoding of the examples here."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
    return Encoding("toy", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 258})
