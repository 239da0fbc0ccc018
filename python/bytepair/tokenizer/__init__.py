"""The face: `train`, `load`, and the `Tokenizer` that they give."""

from bytepair.tokenizer.face import Tokenizer as Tokenizer
from bytepair.tokenizer.learning import train as train
from bytepair.tokenizer.opening import load as load
from bytepair.tokenizer.value import Loaded as Loaded
