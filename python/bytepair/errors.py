"""The one family of exceptions: everything that bytepair raises on purpose is a `BytepairError`.

Each class is also the built-in kind that a Python user expects, so `except ValueError` keeps working. Messages say what
was found, where, what was expected, and what to do next.
"""

from __future__ import annotations


class BytepairError(Exception):
    """The root of the family."""

    def __str__(self) -> str:
        """The message, which can be printed anywhere: a lone surrogate, such as files of strangers hold, is escaped."""
        return super().__str__().encode("utf-8", "backslashreplace").decode()


class _SentenceError(BytepairError):
    """Shows its message as it is; the built-in kinds below would dress it up (a file name, quotes)."""

    def __str__(self) -> str:
        return (str(self.args[0]) if self.args else "").encode("utf-8", "backslashreplace").decode()


class ArgumentError(BytepairError, ValueError):
    """An argument has the right type and a value out of range."""


class ArgumentTypeError(BytepairError, TypeError):
    """An argument has the wrong type."""


class PatternError(BytepairError, ValueError):
    """A split pattern is unknown, does not compile, or gave up on a text."""


class CorpusError(BytepairError, ValueError):
    """A source cannot be used as a corpus."""


class MissingFileError(_SentenceError, FileNotFoundError):
    """A path names no file."""


class UnreadableFileError(_SentenceError, OSError):
    """A file exists and cannot be read or written."""


class PermissionDeniedError(UnreadableFileError, PermissionError):
    """A file exists and its permissions forbid reading or writing it."""


class EncodingError(BytepairError, UnicodeError):
    """A file, or a piece where characters are needed, is not UTF-8."""


class SurrogateError(BytepairError, UnicodeEncodeError):
    """A str holds a lone surrogate and the call said `errors="raise"`."""


class DecodingError(BytepairError, UnicodeDecodeError):
    """The ids decode to bytes that are not UTF-8 and the call said `errors="strict"`."""


class UnknownCharacterError(BytepairError, ValueError):
    """A character is not in the alphabet and the model has no unknown token."""


class SpecialTokenError(BytepairError, ValueError):
    """A special token is unknown, misplaced, or found in text where the call said `special="raise"`."""


class BadIdError(BytepairError, ValueError, IndexError):
    """An id stands for no token."""


class UnknownTokenError(_SentenceError, KeyError):
    """The vocabulary holds no such token."""


class UnknownModelError(_SentenceError, KeyError):
    """No encoding is known for a language model of this name."""


class CountOverflowError(BytepairError, OverflowError):
    """A count, or a sum of counts, does not fit in 63 bits."""


class ModelError(BytepairError, ValueError):
    """The parts of a model contradict each other."""


class MissingPackageError(BytepairError, ImportError):
    """A package of an extra is not installed."""


class FormatWarning(UserWarning):
    """A tokenizer file says something that is hardly meant; it is read as its own library reads it."""


class FormatError(BytepairError, ValueError):
    """A tokenizer or tally file is broken, unrecognised, or uses something that is not implemented."""
