"""The class, put together from its parts: each module beside this one holds the methods of one kind."""

from __future__ import annotations

from typing import final

from bytepair.tokenizer.cutting import Cutting
from bytepair.tokenizer.decoding import Decoding
from bytepair.tokenizer.describing import Describing
from bytepair.tokenizer.encoding import Encoding
from bytepair.tokenizer.looking import Looking
from bytepair.tokenizer.resizing import Resizing
from bytepair.tokenizer.saving import Saving


@final
class Tokenizer(Encoding, Cutting, Decoding, Looking, Describing, Resizing, Saving):
    """Text to ids and back. Made by `train` or `load`; it never changes, so any number of threads may share it.

    Two tokenizers are equal when they are made of the same parts that decide ids and decoding, however they came about:
    alphabet, pattern, tokens, merges, specials, marker and prefix space. A tokenizer pickles without its reports.

    >>> from bytepair import train
    >>> tok = train(["low low lower"], num_merges=3)
    >>> tok.tokens("lowest")
    [b'low', b'e', b's', b't']
    """

    __slots__ = ()
