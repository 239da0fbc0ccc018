"""Byte-pair encoding: learn the merges from your text, encode and decode exactly, exchange models with other tools.

>>> import bytepair as bp
>>> tok = bp.train(["low lower lowest"], num_merges=5)
>>> tok.decode(tok.encode("slow"))
'slow'
"""

from bytepair import errors as errors
from bytepair import presets as presets
from bytepair import textbook as textbook
from bytepair._native import __version__
from bytepair.decoding import Decoder
from bytepair.encoding.text_parts import Special
from bytepair.errors import (
    ArgumentError,
    ArgumentTypeError,
    BadIdError,
    BytepairError,
    CorpusError,
    CountOverflowError,
    DecodingError,
    EncodingError,
    FormatError,
    MissingFileError,
    MissingPackageError,
    ModelError,
    PatternError,
    PermissionDeniedError,
    SpecialTokenError,
    SurrogateError,
    UnknownCharacterError,
    UnknownModelError,
    UnknownTokenError,
    UnreadableFileError,
)
from bytepair.extension import ExtensionReport
from bytepair.model import Extension, Model
from bytepair.patterns import Pattern
from bytepair.progress import Progress
from bytepair.proof import Proof
from bytepair.tally import Sample, Tally, load_tally, tally
from bytepair.tokenizer import Tokenizer, load, train
from bytepair.training import TrainingReport

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BadIdError",
    "BytepairError",
    "CorpusError",
    "CountOverflowError",
    "Decoder",
    "DecodingError",
    "EncodingError",
    "Extension",
    "ExtensionReport",
    "FormatError",
    "MissingFileError",
    "MissingPackageError",
    "Model",
    "ModelError",
    "Pattern",
    "PatternError",
    "PermissionDeniedError",
    "Progress",
    "Proof",
    "Sample",
    "Special",
    "SpecialTokenError",
    "SurrogateError",
    "Tally",
    "Tokenizer",
    "TrainingReport",
    "UnknownCharacterError",
    "UnknownModelError",
    "UnknownTokenError",
    "UnreadableFileError",
    "__version__",
    "load",
    "load_tally",
    "tally",
    "train",
]
