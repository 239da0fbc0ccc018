"""The part of a `Tokenizer` that cuts text: to a budget, into chunks, into pieces."""

from __future__ import annotations

from typing import overload

from bytepair.arguments import Special as SpecialPolicy
from bytepair.encoding import budget as budgets
from bytepair.encoding.budget import AnyText, ChunkUnit, Side
from bytepair.prepared import SurrogateErrors, Text
from bytepair.tokenizer.value import Value


class Cutting(Value):
    """Text to parts of it."""

    __slots__ = ()

    def fits(
        self,
        text: Text,
        budget: int,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> bool:
        """Say whether a text has at most so many tokens; it looks no further than it must.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens, 0 or more.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            `count(text) <= budget` with the same arguments.

        Raises:
            ArgumentError: budget is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`, the last only
                for the part that was looked at.

        >>> from bytepair import train

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.fits("abab", 2), tok.fits("abab" * 1000, 2)
        (True, False)
        """
        return budgets.fits(self._prepared, text, budget, special, errors, add_special_tokens)

    def truncate(
        self,
        text: AnyText,
        budget: int,
        side: Side = "right",
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> AnyText:
        """Cut a text so that it has at most so many tokens.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens, 0 or more.
            side: which end is given up: "right" keeps the beginning, "left" the end.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The beginning or the end of the text: as many of its tokens as fit when it is encoded again, without parts
            of characters. "" where not even one character fits.

        Raises:
            ArgumentError: budget or side is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `fits`.

        >>> from bytepair import train

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.truncate("ababab", 2), tok.truncate("ababab", 1, side="left"), tok.truncate("é", 1)
        ('abab', 'ab', '')
        """
        return budgets.truncate(self._prepared, text, budget, side, special, errors, add_special_tokens)

    def chunks(
        self,
        text: AnyText,
        budget: int,
        overlap: int = 0,
        unit: ChunkUnit = "char",
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[AnyText]:
        """Cut a text into parts of at most so many tokens each.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens that a part may have when it is encoded by itself, at least 1.
            overlap: tokens at the end of a part that the next begins with, at most, from 0 and below budget; fewer
                where the unit allows no cut there.
            unit: where to cut: "char" anywhere between two characters, "word" before the white space behind a word,
                "line" behind a line feed.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The parts in order, none of them empty; without overlap they are the text when joined.

        Raises:
            ArgumentError: a character, word or line alone has more tokens than the budget; names the least that would
                do. Or an argument is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> tok = train(["to be or not to be"], num_merges=9)
        >>> tok.chunks("to be or not to be", 3, unit="word")
        ['to be or', ' not to be']
        """
        return budgets.chunks(self._prepared, text, budget, overlap, unit, special, errors, add_special_tokens)

    @overload
    def pieces(
        self,
        text: str,
        *,
        special: SpecialPolicy = ...,
        errors: SurrogateErrors = ...,
        add_special_tokens: bool = ...,
    ) -> list[str]: ...

    @overload
    def pieces(
        self,
        text: bytes,
        *,
        special: SpecialPolicy = ...,
        errors: SurrogateErrors = ...,
        add_special_tokens: bool = ...,
    ) -> list[bytes]: ...

    def pieces(
        self,
        text: Text,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[str] | list[bytes]:
        """Cut a text as it is cut before encoding; no token crosses the border of a piece.

        Args:
            text: as in `encode`.
            special: as in `encode`; a special token is a piece of its own.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The pieces in order: str for a str, bytes for bytes. With the space that `add_prefix_space` puts, without an
            end-of-word marker.

        Raises:
            ArgumentTypeError, SpecialTokenError, SurrogateError: as in `encode`.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).pieces("to be, or not")
        ['to', ' be', ',', ' or', ' not']
        """
        found = self._prepared.run(self._prepared.engine.pieces, text, special, errors, add_special_tokens)
        return [piece.decode() for piece in found] if isinstance(text, str) else found
