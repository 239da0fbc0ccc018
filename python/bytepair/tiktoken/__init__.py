r"""tiktoken's own interface over this engine: `import bytepair.tiktoken as tiktoken` is the line that changes.

Names, defaults and kinds of errors are those of tiktoken 0.14. What differs stands in docs/from-tiktoken.md; the most
important: nothing is ever fetched from a network, so files come from a cache folder or from `register`.

>>> from bytepair import tiktoken
>>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"lo": 256, b"low": 257}
>>> enc = tiktoken.Encoding("toy", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 258})
>>> enc.encode("low<|end|>", allowed_special="all")
[257, 258]
"""

from typing import Final

from bytepair.tiktoken import core as core
from bytepair.tiktoken import load as load
from bytepair.tiktoken import model as model
from bytepair.tiktoken import registry as registry
from bytepair.tiktoken.core import Encoding
from bytepair.tiktoken.model import encoding_for_model, encoding_name_for_model
from bytepair.tiktoken.registry import get_encoding, list_encoding_names, register

# Of the tiktoken whose interface this is; programs ask for it.
__version__: Final = "0.14.0"

__all__ = [
    "Encoding",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "list_encoding_names",
    "register",
]
