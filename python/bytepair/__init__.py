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
from bytepair.analysis.comparison import Comparison, Measure, SpanDifference
from bytepair.analysis.curve import Curve, CurvePoint
from bytepair.analysis.explanation import Explanation
from bytepair.analysis.inspection import Inspection
from bytepair.analysis.pruning import Pruning
from bytepair.analysis.token import TokenReport
from bytepair.analysis.trace import Trace, trace
from bytepair.audit import Audit, Finding
from bytepair.convert import convert
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
    FormatWarning,
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
from bytepair.export import Exported
from bytepair.extension import ExtensionReport
from bytepair.frame import Added, Frame, Step
from bytepair.looking import compare, curve
from bytepair.model import Extension, Model
from bytepair.pack import Pack, PackedDocument, load_pack, pack
from bytepair.patterns import Pattern
from bytepair.prepared import CacheUse
from bytepair.progress import Progress
from bytepair.proof import Proof
from bytepair.tally import Sample, Tally, load_tally, tally
from bytepair.tokenizer import Loaded, Tokenizer, load, train
from bytepair.training import TrainingReport
from bytepair.verify import Difference, Verification, verify

__all__ = [
    "Added",
    "ArgumentError",
    "ArgumentTypeError",
    "Audit",
    "BadIdError",
    "BytepairError",
    "CacheUse",
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
    "Exported",
    "Extension",
    "ExtensionReport",
    "Finding",
    "FormatError",
    "FormatWarning",
    "Frame",
    "Inspection",
    "Loaded",
    "Measure",
    "MissingFileError",
    "MissingPackageError",
    "Model",
    "ModelError",
    "Pack",
    "PackedDocument",
    "Pattern",
    "PatternError",
    "PermissionDeniedError",
    "Progress",
    "Proof",
    "Pruning",
    "Sample",
    "SpanDifference",
    "Special",
    "SpecialTokenError",
    "Step",
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
    "Verification",
    "__version__",
    "compare",
    "convert",
    "curve",
    "load",
    "load_pack",
    "load_tally",
    "pack",
    "tally",
    "trace",
    "train",
    "verify",
]
