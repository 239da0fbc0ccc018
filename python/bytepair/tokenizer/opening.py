"""`load`: from a file to a tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import IO

from bytepair import formats
from bytepair.errors import FormatError, ModelError, PatternError
from bytepair.model import Model
from bytepair.tokenizer.face import Tokenizer
from bytepair.tokenizer.value import Loaded, restored


def load(
    path: str | PathLike[str] | bytes | IO[bytes],
    format: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    *,
    vocabulary: str | PathLike[str] | Mapping[str, int] | None = None,
    threshold: int | None = None,
    glossaries: Iterable[str] = (),
) -> Tokenizer:
    r"""Open a tokenizer file of any format. Nothing is ever fetched from a network.

    Args:
        path: the file; or its contents as bytes, or an open binary file; or a folder that holds one.
        format: "tokenizer.json", "tiktoken", "tekken", "vocab+merges", "sentencepiece", "clip", "subword-nmt" or
            "minbpe"; None: recognised by its contents. The tokenizer's `loaded` says which it was.
        pattern: what cuts text into pieces, for a format that does not say: a name or a regular expression.
        special_tokens: text -> id of the special tokens, for a format that holds none.
        vocabulary: for subword-nmt: token -> count, or the file that `subword-nmt get-vocab` wrote. Tokens that it does
            not have are taken apart again.
        threshold: for subword-nmt: the least count that a token of the vocabulary must have, at least 1.
        glossaries: for subword-nmt: texts that are tokens wherever they stand.

    Returns:
        The tokenizer.

    Raises:
        MissingFileError, UnreadableFileError: the file cannot be read.
        FormatError: it is broken, unknown, or uses something that is not implemented; names the place.
        ArgumentError, ArgumentTypeError, PatternError: an argument is wrong, or missing for this format.

    >>> from bytepair import load

    >>> import base64
    >>> lines = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
    >>> tok = load(lines + base64.b64encode(b"ab") + b" 256\n", pattern="gpt2")
    >>> tok.encode("aab"), tok.loaded.format
    ([97, 256], 'tiktoken')
    """
    found = formats.read(path, format, formats.Wishes(pattern, special_tokens, vocabulary, threshold, glossaries))
    try:
        tok = _opened(found.model)
    except (ModelError, PatternError) as error:
        raise FormatError(f"{found.where}: {error}") from None
    object.__setattr__(tok, "_loaded", Loaded(found.format, found.where))
    return tok


# A model with more added tokens is built at once: that they can be searched for is seen only then.
_MANY_ADDED = 10_000


def _opened(model: Model) -> Tokenizer:
    """The tokenizer of a model that was read: its engine, without the tables, shows now what is wrong with the rest."""
    if len(model.specials) > _MANY_ADDED:
        return Tokenizer(model)
    model.without_tables().engine()
    return restored(Tokenizer, model)
