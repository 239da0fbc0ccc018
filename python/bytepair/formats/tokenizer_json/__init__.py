"""Hugging Face's tokenizer.json, the native file, with what only we know under `model.bytepair`.

What `tokenizers` can express is written with `model.type` "BPE" and opens there with the same ids, specials and
decoding. The rest is written with `model.type` "bytepair", which `tokenizers` refuses to open.
"""

from __future__ import annotations

from bytepair.formats.tokenizer_json.reading import read
from bytepair.formats.tokenizer_json.table import parsed
from bytepair.formats.tokenizer_json.vocabulary import SlowError
from bytepair.formats.tokenizer_json.writing import write

__all__ = ["SlowError", "parsed", "read", "write"]
