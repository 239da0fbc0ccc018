"""A text with its tokens, in few bytes: a page that draws a million of them has no time for JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bytepair.analysis.words import readable
from bytepair.arguments import Special
from bytepair.errors import BytepairError, MissingPackageError
from bytepair.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.integer[Any]]


def packed(tok: Tokenizer, text: str, special: Special = "text") -> bytes:
    """Encode a text for the page.

    Args:
        tok: the tokenizer.
        text: the text.
        special: as in `encode`.

    Returns:
        4 bytes, how long the header is; the header, JSON, filled up with spaces to a multiple of 4 bytes: numbers of
        tokens, characters and bytes, the spelling of each id that stands for no part of the text, and whether the text
        below is that of the tokens and not the one given; n_tokens ids; n_tokens starts; n_tokens ends in bytes of the
        text; and where the text is that of the tokens, the text. All numbers are uint32, little-endian.
    """
    ids, spans, spelled = _cut(tok, text, special)
    header = {
        "n_tokens": len(ids),
        "n_chars": len(text),
        "n_bytes": len(text.encode()),
        "unseen": _unseen(tok, ids, spans),
        "rewritten": spelled is not None,
    }
    said = json.dumps(header).encode()
    said += b" " * (-len(said) % 4)
    numbers = [len(said).to_bytes(4, "little"), said, _uint32(ids), _uint32(spans[:, 0]), _uint32(spans[:, 1])]
    return b"".join([*numbers, spelled or b""])


def _cut(tok: Tokenizer, text: str, special: Special) -> tuple[Numbers, Numbers, bytes | None]:
    """Ids, spans in bytes, and the text that the spans are of where it is another."""
    try:
        return (*tok.encode_spans(text, "byte", special=special), None)
    except MissingPackageError:
        raise
    except BytepairError:
        # A tokenizer that rewrites the text first: its tokens stand for no part of the one given. What else may be
        # wrong is wrong for `encode` as well.
        return _spelled(tok, tok.encode(text, special=special))


def _spelled(tok: Tokenizer, ids: list[int]) -> tuple[Numbers, Numbers, bytes]:
    import numpy

    tokens = [tok.token_bytes(number) for number in ids]
    ends = numpy.cumsum([0, *map(len, tokens)])
    return numpy.array(ids, "uint32"), numpy.stack([ends[:-1], ends[1:]], axis=1), b"".join(tokens)


def _unseen(tok: Tokenizer, ids: Numbers, spans: Numbers) -> dict[str, str]:
    import numpy

    wide = spans[:, 1] > spans[:, 0]
    return {str(number): readable(tok.token_bytes(number)) for number in numpy.unique(ids[~wide]).tolist()}


def _uint32(numbers: Numbers) -> bytes:
    return numbers.astype("<u4").tobytes()
