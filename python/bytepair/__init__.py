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
from bytepair.analysis.comparison import Comparison, Difference, Measure
from bytepair.analysis.curve import Curve, CurvePoint
from bytepair.analysis.explanation import Explanation
from bytepair.analysis.inspection import Inspection
from bytepair.analysis.pruning import Pruning
from bytepair.analysis.token import TokenReport
from bytepair.analysis.trace import Trace, trace
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
from bytepair.looking import compare, curve
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
    "Comparison",
    "CorpusError",
    "CountOverflowError",
    "Curve",
    "CurvePoint",
    "Decoder",
    "DecodingError",
    "Difference",
    "EncodingError",
    "Explanation",
    "Extension",
    "ExtensionReport",
    "FormatError",
    "Inspection",
    "Measure",
    "MissingFileError",
    "MissingPackageError",
    "Model",
    "ModelError",
    "Pattern",
    "PatternError",
    "PermissionDeniedError",
    "Progress",
    "Proof",
    "Pruning",
    "Sample",
    "Special",
    "SpecialTokenError",
    "SurrogateError",
    "Tally",
    "TokenReport",
    "Tokenizer",
    "Trace",
    "TrainingReport",
    "UnknownCharacterError",
    "UnknownModelError",
    "UnknownTokenError",
    "UnreadableFileError",
    "__version__",
    "compare",
    "curve",
    "load",
    "load_tally",
    "tally",
    "trace",
    "train",
]
