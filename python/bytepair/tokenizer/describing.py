"""The part of a `Tokenizer` that says what it is: its tokens, merges, pattern and where it came from."""

from __future__ import annotations

from collections.abc import Mapping

from bytepair import arguments
from bytepair.analysis.pruning import Pruning
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, BadIdError, UnknownTokenError
from bytepair.extension import ExtensionReport
from bytepair.frozen import FrozenDict
from bytepair.model import Model
from bytepair.prepared import DEFAULT_CACHE_BYTES, CacheUse, Text, as_text
from bytepair.render import number_of
from bytepair.tokenizer.losses import losses
from bytepair.tokenizer.value import Loaded, Value
from bytepair.training import TrainingReport


class Describing(Value):
    """What the model is."""

    __slots__ = ()

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """The learned pairs in the order of their ranks, spelled in bytes; empty for a model of ranks."""
        return self._model.spelled_merges()

    @property
    def vocab_size(self) -> int:
        """How many tokens there are: alphabet, merged, unknown and special ones."""
        return sum(spelling is not None for spelling in self._prepared.spelled)

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Text of each special token -> its id, the unknown token's among them; read-only."""
        return FrozenDict(dict(self._model.specials))

    @property
    def pattern(self) -> str:
        """The split pattern: its name, or the regular expression of a custom one."""
        return self._model.pattern.text

    @property
    def model(self) -> Model:
        """The parts that it is made of."""
        return self._model

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a token.

        Args:
            token: its id.

        Returns:
            Its spelling: for a special token its text in UTF-8.

        Raises:
            BadIdError: no token has this id.
            ArgumentTypeError: it is no int.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).token_bytes(256)
        b'ab'
        """
        number = arguments.id_number(token)
        spelling = self._prepared.spelled[number] if 0 <= number < len(self._prepared.spelled) else None
        if spelling is None:
            raise BadIdError(f"id {number} is no token; ids go from 0 to {len(self._prepared.spelled) - 1}")
        return spelling

    def token_id(self, token: Text) -> int:
        """The id of a token.

        Args:
            token: its spelling, as bytes or as str (in UTF-8), or the text of a special token.

        Returns:
            Its id.

        Raises:
            UnknownTokenError: no token is spelled so.
            ArgumentTypeError: it is neither str nor bytes.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).token_id("ab")
        256
        """
        spelling = as_text(token, "the token")
        if isinstance(spelling, str):
            spelling = arguments.without_surrogates(spelling, "raise", "the token").encode()
        found = self._by_spelling().get(spelling)
        if found is None:
            raise UnknownTokenError(f"no token is spelled {shown(token)}; encode(text) gives the tokens of a text")
        return found

    def normalized(self, text: str) -> str:
        """What a text is before it is cut into pieces.

        Args:
            text: a str without lone surrogates.

        Returns:
            The text after the normalizer that a loaded file may have; of a tokenizer without one the text itself.

        Raises:
            ArgumentTypeError: it is no str.

        >>> from bytepair import train

        >>> train(["a b"], num_merges=0).normalized("A b")
        'A b'
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"the text is {shown(text)} ({kind(text)}); it must be a str")
        return self._prepared.engine.normalized(arguments.without_surrogates(text, "replace", "the text"))

    @property
    def lossless(self) -> bool:
        """Whether `decode(encode(x)) == x` for every text without lone surrogates; `losses` says why not."""
        return not self.losses

    @property
    def losses(self) -> tuple[str, ...]:
        """What may differ between a text and what comes back, a sentence each; empty when nothing does."""
        return tuple(losses(self._model))

    @property
    def training(self) -> TrainingReport | None:
        """How it was learned, or its extension; None for one that was loaded or cut by `at`."""
        return self._training

    @property
    def extension(self) -> ExtensionReport | None:
        """What `extend` added and which old outputs can change; None for one that it did not make."""
        return self._extension

    @property
    def pruning(self) -> Pruning | None:
        """What `prune` dropped and what had to stay; None for one that it did not make."""
        return self._pruning

    @property
    def loaded(self) -> Loaded | None:
        """Which file, of which format, it was loaded from; None for one that was not."""
        return self._loaded

    @property
    def cache(self) -> CacheUse:
        """How many pieces are remembered, in how many bytes, and how many those may be in a thread.

        Of the threads that encode at this moment nothing is said.

        >>> from bytepair import train

        >>> tok = train(["low lower"], num_merges=3)
        >>> _ = tok.encode("low low lower lowest")
        >>> tok.cache.pieces, tok.cache.max_bytes
        (4, 67108864)
        """
        prepared = self._prepared
        pieces, n_bytes = prepared.engine.cache_statistics()
        most = DEFAULT_CACHE_BYTES if prepared.cache_bytes is None else prepared.cache_bytes
        return CacheUse(pieces, n_bytes, most)

    def __repr__(self) -> str:
        specials = f", {len(self._model.specials)} special" if self._model.specials else ""
        model = self._model
        learned = number_of(len(model.merges), "merge") if model.kind == "merges" else "ranks"
        return (
            f"Tokenizer({number_of(self.vocab_size, 'token')}{specials}, {learned}, {model.alphabet}, "
            f"pattern={shown(self.pattern)})"
        )
