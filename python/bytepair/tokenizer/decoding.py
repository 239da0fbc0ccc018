"""The part of a `Tokenizer` that turns ids into text."""

from __future__ import annotations

from collections.abc import Iterable

from bytepair import decoding
from bytepair.decoding import BadIds, DecodeErrors, Decoder
from bytepair.tokenizer.value import Value


class Decoding(Value):
    """Ids to text."""

    __slots__ = ()

    def decode(self, ids: Iterable[int], errors: DecodeErrors = "replace", bad_ids: BadIds = "raise") -> str:
        """Turn ids into text.

        Args:
            ids: ints, or a one-dimensional array of integers.
            errors: bytes that are not UTF-8 become U+FFFD ("replace"), raise ("strict") or are left out ("ignore").
            bad_ids: an id that is no token raises ("raise"), becomes U+FFFD ("replace") or is left out ("skip").

        Returns:
            The text. Special tokens are their text; an end-of-word marker is one space between words.

        Raises:
            BadIdError: an id is no token; names its position.
            DecodingError: `errors="strict"` and the bytes are not UTF-8; holds the bytes and the place.
            ArgumentTypeError: `ids` is no sequence of ints.

        >>> from bytepair import train

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.decode([256, 32, 97])
        'ab a'
        """
        return decoding.decode(self._prepared, ids, errors, bad_ids)

    def decode_bytes(self, ids: Iterable[int], bad_ids: BadIds = "raise") -> bytes:
        r"""Turn ids into bytes, UTF-8 or not.

        Args:
            ids: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            The bytes.

        Raises:
            BadIdError, ArgumentTypeError: as in `decode`.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).decode_bytes([195])
        b'\xc3'
        """
        return decoding.decode_bytes(self._prepared, ids, bad_ids)

    def decode_batch(
        self, batch: Iterable[Iterable[int]], errors: DecodeErrors = "replace", bad_ids: BadIds = "raise"
    ) -> list[str]:
        """Turn many lists of ids into texts.

        Args:
            batch: for each text its ids, as in `decode`.
            errors: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            For each list of ids, in order, what `decode` gives.

        Raises:
            BadIdError, DecodingError, ArgumentTypeError: as in `decode`; a note names the list.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).decode_batch([[256], [97, 98]])
        ['ab', 'ab']
        """
        return decoding.decode_batch(self._prepared, batch, errors, bad_ids)

    def decoder(self, errors: DecodeErrors = "replace", bad_ids: BadIds = "raise") -> Decoder:
        """Turn ids into text as they come, one by one.

        Args:
            errors: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            A decoder: `feed(id)` gives the characters that are whole now, `finish()` the rest. In a row they are what
            `decode` gives for all ids.

        Raises:
            ArgumentError, ArgumentTypeError: an argument is none of the names above.

        >>> from bytepair import train

        >>> decoder = train(["ab ab"], num_merges=1).decoder()
        >>> [decoder.feed(number) for number in [256, 195, 169]], decoder.finish()
        (['ab', '', 'é'], '')
        """
        return Decoder(self._prepared, errors, bad_ids)

    def is_canonical(self, ids: Iterable[int]) -> bool:
        """Say whether ids are what encoding their own text gives.

        Args:
            ids: as in `decode`. Special tokens stand for themselves; what lies between two is a text.

        Returns:
            True if each of those texts, encoded with `special="text"`, has these ids.

        Raises:
            BadIdError, ArgumentTypeError: as in `decode`.

        >>> from bytepair import train

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.is_canonical([256, 97]), tok.is_canonical([97, 98])
        (True, False)
        """
        return decoding.is_canonical(self._prepared, ids)
