"""The part of a `Tokenizer` that turns text into ids and tokens, and counts them."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, cast

from bytepair.arguments import Special as SpecialPolicy
from bytepair.encoding import arrays, files, lists
from bytepair.encoding.arrays import Dtype, SpanUnit
from bytepair.encoding.text_parts import Parts
from bytepair.errors import UnknownCharacterError
from bytepair.prepared import SurrogateErrors, Text, Texts
from bytepair.tokenizer.value import Value

if TYPE_CHECKING:
    from bytepair.encoding.arrays import IdArray, SpanArray


# The defaults, by which most calls are known at less cost than that of a short text: each is one object wherever it is
# written. An equal one that is not goes the longer way to the same ids.
_TEXT: Final = "text"
_REPLACE: Final = "replace"
_UINT32: Final = "uint32"
_ONE: Final = 1


class Encoding(Value):
    """Text to ids and tokens."""

    __slots__ = ()

    def encode(
        self,
        text: Text | Parts,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
        dropout: float = 0.0,
        seed: int = 0,
        threads: int | None = 1,
    ) -> list[int]:
        """Turn a text into ids.

        Args:
            text: str, or bytes (UTF-8 or not), taken as they are. Or a list of those with a `Special` between or beside
                them: each is a text of its own, and each `Special` is its token.
            special: what to do where the text of a special token stands in the text: "text" leaves it as text, "all"
                makes it its id, a set of special tokens does so for those, "raise" refuses it.
            errors: a lone surrogate becomes U+FFFD ("replace") or raises ("raise"). A surrogate pair is its character.
            add_special_tokens: also put what the model's own template puts around a text. A model that was learned here
                has none; a loaded one may.
            dropout: the probability, 0 to 1, by which each pair that may merge is passed over before every merge
                (BPE-dropout). 0 is exact; with more, a piece that is a token is merged like others.
            seed: what dropout draws by, 0 to 2**64 - 1. The same seed and text give the same ids on every machine.
            threads: how many to use for a text of more than a megabyte, at least 1; None: the CPUs of this process. It
                is cut where its ids allow, and the ids are the same. With dropout there is one.

        Returns:
            ids: n_tokens ints, each the id of a token.

        Raises:
            ArgumentTypeError: an argument has the wrong type.
            ArgumentError: dropout, seed or threads is out of range.
            SpecialTokenError: `special` or a `Special` names an unknown token, or `special` said "raise" and one stands
                in the text.
            SurrogateError: `errors="raise"` and there is a lone surrogate.
            UnknownCharacterError: a character is not in the alphabet, and the model has no unknown token.

        >>> from bytepair import train

        >>> tok = train(["a b"], num_merges=0, special_tokens=["<|end|>"])
        >>> tok.encode("a<|end|>", special="all")
        [97, 256]
        >>> len(tok.encode("a<|end|>"))
        8
        """
        if (
            type(text) is str
            and special is _TEXT
            and errors is _REPLACE
            and add_special_tokens is False
            and threads is _ONE
            and dropout == 0
            and seed == 0
        ):
            try:
                return self._prepared.engine.encode(text, ())
            except (UnicodeEncodeError, UnknownCharacterError):
                # Mended, or said as it should be, below.
                pass
        return lists.encode(self._prepared, text, special, errors, add_special_tokens, dropout, seed, threads)

    def encode_batch(
        self,
        texts: Texts,
        threads: int | None = None,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> list[list[int]]:
        """Turn many texts into ids, on many threads.

        Args:
            texts: str or bytes each. One of more than a megabyte is cut for several threads where its ids allow. Or an
                Arrow array of strings or binary without nulls, such as a column of PyArrow, polars or pandas: it is
                read where it lies, without a Python str for each text, and needs PyArrow.
            threads: how many to use, at least 1; None: the CPUs of this process. The ids are the same.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.
            dropout: as in `encode`.
            seed: the seed of the first text; each other has one more than the one before.

        Returns:
            For each text, in order, what `encode` gives.

        Raises:
            ArgumentError, ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.
            MissingPackageError: PyArrow is not installed, for an Arrow array.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).encode_batch(["ab", "ba"])
        [[256], [98, 97]]
        """
        return lists.encode_batch(self._prepared, texts, threads, special, errors, add_special_tokens, dropout, seed)

    def encode_array(
        self,
        text: Text | Parts,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
        dtype: Dtype = "uint32",
        threads: int | None = 1,
    ) -> IdArray:
        """Turn a text into a NumPy array of ids, without a Python int for each.

        Args:
            text: as in `encode`.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.
            dtype: "uint32", "uint16" or "uint8" (or NumPy's types of these names), or "smallest": the smallest of these
                that holds all ids of this tokenizer, whatever the text.
            threads: as in `encode`.

        Returns:
            ids: an array of shape (n_tokens,) that may be written to.

        Raises:
            ArgumentError: dtype is unknown, or too small for the largest id of this tokenizer; or threads is below 1.
            MissingPackageError: NumPy is not installed.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.encode_array("abab"), tok.encode_array("abab", dtype="smallest").dtype
        (array([256, 256], dtype=uint32), dtype('uint16'))
        """
        if (
            type(text) is str
            and special is _TEXT
            and errors is _REPLACE
            and add_special_tokens is False
            and dtype is _UINT32
            and threads is _ONE
        ):
            try:
                return arrays.of_uint32(self._prepared.engine.encode_array(text, (), 4))
            except (UnicodeEncodeError, UnknownCharacterError):
                pass
        return arrays.encode_array(self._prepared, text, special, errors, add_special_tokens, dtype, threads)

    def encode_ragged(
        self,
        texts: Texts,
        threads: int | None = None,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
        dtype: Dtype = "uint32",
    ) -> tuple[IdArray, SpanArray]:
        """Turn many texts into one NumPy array of ids, on many threads.

        Args:
            texts: as in `encode_batch`.
            threads: as in `encode_batch`.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.
            dtype: as in `encode_array`.

        Returns:
            ids: shape (n_tokens,), those of all texts in a row, and starts: int64, shape (n_texts + 1,); those of text
            i are `ids[starts[i] : starts[i + 1]]`.

        Raises:
            ArgumentError, MissingPackageError: as in `encode_array`.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> ids, starts = train(["ab ab"], num_merges=1).encode_ragged(["ab", "", "ba"])
        >>> ids.tolist(), starts.tolist()
        ([256, 98, 97], [0, 1, 1, 3])
        """
        return arrays.encode_ragged(self._prepared, texts, threads, special, errors, add_special_tokens, dtype)

    def encode_spans(
        self,
        text: Text,
        unit: SpanUnit = "char",
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> tuple[IdArray, SpanArray]:
        """Turn a text into ids, and say which part of it each stands for.

        Args:
            text: str or bytes, as in `encode`.
            unit: what spans count: "char" (indexes of the str; in bytes each byte that is not UTF-8 counts as one),
                "byte" (of the UTF-8) or "utf16" (as JavaScript and Java count).
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            ids: uint32, shape (n_tokens,), and spans: int64, shape (n_tokens, 2), the start and the end, half-open, in
            the text that was given. A token that holds a part of a character spans all of it, unless the unit is
            "byte"; a prefix space or a marker that the text does not hold has no width.

        Raises:
            ArgumentError: unit is unknown.
            MissingPackageError: NumPy is not installed.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> ids, spans = train(["ab ab"], num_merges=1).encode_spans("ab é")
        >>> ids.tolist(), spans.tolist()
        ([256, 32, 195, 169], [[0, 2], [2, 3], [3, 4], [3, 4]])
        """
        return arrays.encode_spans(self._prepared, text, unit, special, errors, add_special_tokens)

    def encode_file(
        self,
        path: str | PathLike[str],
        *,
        special: SpecialPolicy = "text",
        add_special_tokens: bool = False,
        dtype: Dtype | None = None,
        block_bytes: int = 1 << 22,
    ) -> Iterator[Any]:
        """Turn a file into ids part by part; it may be larger than memory.

        Args:
            path: the file, taken as bytes.
            special: as in `encode`.
            add_special_tokens: as in `encode`; what goes around the text are parts of their own.
            dtype: None for lists of int; else arrays, as in `encode_array`.
            block_bytes: how much to read at a time, at least 1. More is held only where the ids allow no cut: a pattern
                of your own and "none" allow none at all.

        Returns:
            An iterator of lists or arrays; in a row they are what `encode` gives for the whole file.

        Raises:
            MissingFileError, UnreadableFileError: the file cannot be read.
            ArgumentError, ArgumentTypeError, SpecialTokenError, UnknownCharacterError, MissingPackageError: as in
                `encode` and `encode_array`.

        >>> from bytepair import train

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "text.txt")
        >>> _ = path.write_text("ab ab", encoding="utf-8")
        >>> list(train(["ab ab"], num_merges=1).encode_file(path, block_bytes=4))
        [[256], [32, 256]]
        """
        return files.encode_file(self._prepared, path, special, add_special_tokens, dtype, block_bytes)

    def count(
        self,
        text: Text | Parts,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
        threads: int | None = 1,
    ) -> int:
        """Count the tokens of a text, without a list of their ids.

        Args:
            text: as in `encode`.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.
            threads: as in `encode`.

        Returns:
            n_tokens: `len(encode(text))` with the same arguments.

        Raises:
            ArgumentError: threads is below 1.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).count("abab")
        2
        """
        if (
            type(text) is str
            and special is _TEXT
            and errors is _REPLACE
            and add_special_tokens is False
            and threads is _ONE
        ):
            try:
                return self._prepared.engine.count(text, (), 1)
            except (UnicodeEncodeError, UnknownCharacterError):
                pass
        return lists.count(self._prepared, text, special, errors, add_special_tokens, threads)

    def count_batch(
        self,
        texts: Texts,
        threads: int | None = None,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[int]:
        """Count the tokens of many texts, on many threads, without a list of their ids.

        Args:
            texts: as in `encode_batch`, Arrow arrays too.
            threads: as in `encode_batch`.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            n_tokens of each text, in order: what `count` gives.

        Raises:
            ArgumentError: threads is below 1.
            MissingPackageError: PyArrow is not installed, for an Arrow array.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).count_batch(["abab", "", "ba"])
        [2, 0, 2]
        """
        return lists.count_batch(self._prepared, texts, threads, special, errors, add_special_tokens)

    def tokens(
        self,
        text: Text,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[bytes]:
        """Turn a text into tokens, spelled as bytes.

        Args:
            text: as in `encode`.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            n_tokens byte strings: `token_bytes` of each id that `encode` gives.

        Raises:
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> from bytepair import train

        >>> train(["ab ab"], num_merges=1).tokens("aab")
        [b'a', b'ab']
        """
        ids = self.encode(text, special=special, errors=errors, add_special_tokens=add_special_tokens)
        return cast("list[bytes]", [self._prepared.spelled[number] for number in ids])
