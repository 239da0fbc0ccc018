"""The face: `train`, `load`, and the `Tokenizer` that they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast, final, overload

from bytepair import arguments, decoding, formats
from bytepair.analysis import explanation, inspection, pruning, token
from bytepair.analysis.explanation import Explanation
from bytepair.analysis.inspection import Inspection
from bytepair.analysis.pruning import Pruning
from bytepair.analysis.token import TokenReport
from bytepair.analysis.usage import Usage, counted_for, usage
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.audit import Audit, audit
from bytepair.corpus import Source
from bytepair.decoding import BadIds, DecodeErrors, Decoder
from bytepair.encoding import arrays, files, lists
from bytepair.encoding import budget as budgets
from bytepair.encoding.arrays import Dtype, SpanUnit
from bytepair.encoding.budget import AnyText, ChunkUnit, Side
from bytepair.encoding.text_parts import Parts
from bytepair.errors import (
    ArgumentTypeError,
    BadIdError,
    FormatError,
    ModelError,
    PatternError,
    UnknownCharacterError,
    UnknownTokenError,
)
from bytepair.export import Exported, export
from bytepair.extension import ExtensionReport, extend
from bytepair.frame import losses_of_frame
from bytepair.frozen import FrozenDict
from bytepair.model import Model
from bytepair.parts import Alphabet, ByteOrder, SpecialIds, Style, Ties
from bytepair.prefix import prefix
from bytepair.prepared import DEFAULT_CACHE_BYTES, CacheUse, Prepared, SurrogateErrors, Text, Texts, as_text, is_plain
from bytepair.pretrained import to_transformers
from bytepair.progress import ProgressOption
from bytepair.proof import Proof, prove
from bytepair.tally import Tally
from bytepair.training import Options, TrainingReport, learn

if TYPE_CHECKING:
    from bytepair.encoding.arrays import IdArray, SpanArray


@final
class Tokenizer:
    """Text to ids and back. Made by `train` or `load`; it never changes, so any number of threads may share it.

    Two tokenizers are equal when they are made of the same parts that decide ids and decoding, however they came about:
    alphabet, pattern, tokens, merges, specials, marker and prefix space. A tokenizer pickles without its reports.

    >>> tok = train(["low low lower"], num_merges=3)
    >>> tok.tokens("lowest")
    [b'low', b'e', b's', b't']
    """

    __slots__ = ("__weakref__", "_extension", "_ids", "_loaded", "_model", "_prepared", "_pruning", "_training")

    _extension: ExtensionReport | None
    _ids: dict[bytes, int]
    _loaded: Loaded | None
    _model: Model
    _prepared: Prepared
    _pruning: Pruning | None
    _training: TrainingReport | None

    def __init__(
        self,
        model: Model,
        training: TrainingReport | None = None,
        extension: ExtensionReport | None = None,
        pruning: Pruning | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise ArgumentTypeError(
                f"Tokenizer takes a Model, not {shown(model)} ({kind(model)}); train(source, vocab_size=...) and "
                "load(path) make one"
            )
        prepared = Prepared(model)
        # What only the engine refuses is said now, and not at the first text: a fault of a model from elsewhere, or
        # special tokens that are too many to be searched for.
        if training is None or model.specials:
            _ = prepared.engine
        self._fill(prepared, training, extension, pruning)

    def _fill(
        self,
        prepared: Prepared,
        training: TrainingReport | None = None,
        extension: ExtensionReport | None = None,
        pruning: Pruning | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "_model", prepared.model)
        put(self, "_training", training)
        put(self, "_extension", extension)
        put(self, "_pruning", pruning)
        put(self, "_prepared", prepared)
        put(self, "_loaded", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Tokenizer never changes; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Tokenizer never changes; {name!r} cannot be deleted")

    # Text -> ids

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

        >>> tok = train(["a b"], num_merges=0, special_tokens=["<|end|>"])
        >>> tok.encode("a<|end|>", special="all")
        [97, 256]
        >>> len(tok.encode("a<|end|>"))
        8
        """
        # What most calls are: a short text takes little longer than the checks that the others need.
        if type(text) is str and is_plain(special, errors, add_special_tokens, threads) and dropout == 0 and seed == 0:
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

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.encode_array("abab"), tok.encode_array("abab", dtype="smallest").dtype
        (array([256, 256], dtype=uint32), dtype('uint16'))
        """
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
            add_special_tokens: as in `encode`.
            dtype: None for lists of int; else arrays, as in `encode_array`.
            block_bytes: how much to read at a time, at least 1. More is held only where the ids allow no cut: a pattern
                of your own and "none" allow none at all.

        Returns:
            An iterator of lists or arrays; in a row they are what `encode` gives for the whole file.

        Raises:
            MissingFileError, UnreadableFileError: the file cannot be read.
            ArgumentError, ArgumentTypeError, SpecialTokenError, UnknownCharacterError, MissingPackageError: as in
                `encode` and `encode_array`.

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

        >>> train(["ab ab"], num_merges=1).count("abab")
        2
        """
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

        >>> train(["ab ab"], num_merges=1).count_batch(["abab", "", "ba"])
        [2, 0, 2]
        """
        return lists.count_batch(self._prepared, texts, threads, special, errors, add_special_tokens)

    def fits(
        self,
        text: Text,
        budget: int,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> bool:
        """Say whether a text has at most so many tokens; it looks no further than it must.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens, 0 or more.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            `count(text) <= budget` with the same arguments.

        Raises:
            ArgumentError: budget is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`, the last only
                for the part that was looked at.

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.fits("abab", 2), tok.fits("abab" * 1000, 2)
        (True, False)
        """
        return budgets.fits(self._prepared, text, budget, special, errors, add_special_tokens)

    def truncate(
        self,
        text: AnyText,
        budget: int,
        side: Side = "right",
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> AnyText:
        """Cut a text so that it has at most so many tokens.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens, 0 or more.
            side: which end is given up: "right" keeps the beginning, "left" the end.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The beginning or the end of the text: as many of its tokens as fit when it is encoded again, without parts
            of characters. "" where not even one character fits.

        Raises:
            ArgumentError: budget or side is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `fits`.

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.truncate("ababab", 2), tok.truncate("ababab", 1, side="left"), tok.truncate("é", 1)
        ('abab', 'ab', '')
        """
        return budgets.truncate(self._prepared, text, budget, side, special, errors, add_special_tokens)

    def chunks(
        self,
        text: AnyText,
        budget: int,
        overlap: int = 0,
        unit: ChunkUnit = "char",
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[AnyText]:
        """Cut a text into parts of at most so many tokens each.

        Args:
            text: str or bytes, as in `encode`.
            budget: tokens that a part may have when it is encoded by itself, at least 1.
            overlap: tokens at the end of a part that the next begins with, at most, from 0 and below budget; fewer
                where the unit allows no cut there.
            unit: where to cut: "char" anywhere between two characters, "word" before the white space behind a word,
                "line" behind a line feed.
            special: as in `encode`.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The parts in order, none of them empty; without overlap they are the text when joined.

        Raises:
            ArgumentError: a character, word or line alone has more tokens than the budget; names the least that would
                do. Or an argument is out of range.
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        >>> tok = train(["to be or not to be"], num_merges=9)
        >>> tok.chunks("to be or not to be", 3, unit="word")
        ['to be or', ' not to be']
        """
        return budgets.chunks(self._prepared, text, budget, overlap, unit, special, errors, add_special_tokens)

    @overload
    def pieces(
        self,
        text: str,
        *,
        special: SpecialPolicy = ...,
        errors: SurrogateErrors = ...,
        add_special_tokens: bool = ...,
    ) -> list[str]: ...

    @overload
    def pieces(
        self,
        text: bytes,
        *,
        special: SpecialPolicy = ...,
        errors: SurrogateErrors = ...,
        add_special_tokens: bool = ...,
    ) -> list[bytes]: ...

    def pieces(
        self,
        text: Text,
        *,
        special: SpecialPolicy = "text",
        errors: SurrogateErrors = "replace",
        add_special_tokens: bool = False,
    ) -> list[str] | list[bytes]:
        """Cut a text as it is cut before encoding; no token crosses the border of a piece.

        Args:
            text: as in `encode`.
            special: as in `encode`; a special token is a piece of its own.
            errors: as in `encode`.
            add_special_tokens: as in `encode`.

        Returns:
            The pieces in order: str for a str, bytes for bytes. With the space that `add_prefix_space` puts, without an
            end-of-word marker.

        Raises:
            ArgumentTypeError, SpecialTokenError, SurrogateError: as in `encode`.

        >>> train(["ab ab"], num_merges=1).pieces("to be, or not")
        ['to', ' be', ',', ' or', ' not']
        """
        found = self._prepared.run(self._prepared.engine.pieces, text, special, errors, add_special_tokens)
        return [piece.decode() for piece in found] if isinstance(text, str) else found

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

        >>> train(["ab ab"], num_merges=1).tokens("aab")
        [b'a', b'ab']
        """
        ids = self.encode(text, special=special, errors=errors, add_special_tokens=add_special_tokens)
        return cast("list[bytes]", [self._prepared.spelled[number] for number in ids])

    # Ids -> text

    def decode(self, ids: Iterable[int], errors: DecodeErrors = "replace", bad_ids: BadIds = "raise") -> str:
        """Turn ids into text.

        Args:
            ids: ints, or a one-dimensional array of integers.
            errors: bytes that are not UTF-8 become U+FFFD ("replace"), raise ("strict") or are left out ("ignore").
            bad_ids: an id that is no token raises ("raise"), becomes U+FFFD ("replace") or is left out ("skip").

        Returns:
            The text. Special tokens are their text; an end-of-word marker is one space between words.

        Raises:
            BadIdError: an id is no token; names its position.
            DecodingError: `errors="strict"` and the bytes are not UTF-8; holds the bytes and the place.
            ArgumentTypeError: `ids` is no sequence of ints.

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.decode([256, 32, 97])
        'ab a'
        """
        return decoding.decode(self._prepared, ids, errors, bad_ids)

    def decode_bytes(self, ids: Iterable[int], bad_ids: BadIds = "raise") -> bytes:
        r"""Turn ids into bytes, UTF-8 or not.

        Args:
            ids: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            The bytes.

        Raises:
            BadIdError, ArgumentTypeError: as in `decode`.

        >>> train(["ab ab"], num_merges=1).decode_bytes([195])
        b'\xc3'
        """
        return decoding.decode_bytes(self._prepared, ids, bad_ids)

    def decode_batch(
        self, batch: Iterable[Iterable[int]], errors: DecodeErrors = "replace", bad_ids: BadIds = "raise"
    ) -> list[str]:
        """Turn many lists of ids into texts.

        Args:
            batch: for each text its ids, as in `decode`.
            errors: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            For each list of ids, in order, what `decode` gives.

        Raises:
            BadIdError, DecodingError, ArgumentTypeError: as in `decode`; a note names the list.

        >>> train(["ab ab"], num_merges=1).decode_batch([[256], [97, 98]])
        ['ab', 'ab']
        """
        return decoding.decode_batch(self._prepared, batch, errors, bad_ids)

    def decoder(self, errors: DecodeErrors = "replace", bad_ids: BadIds = "raise") -> Decoder:
        """Turn ids into text as they come, one by one.

        Args:
            errors: as in `decode`.
            bad_ids: as in `decode`.

        Returns:
            A decoder: `feed(id)` gives the characters that are whole now, `finish()` the rest. In a row they are what
            `decode` gives for all ids.

        Raises:
            ArgumentError, ArgumentTypeError: an argument is none of the names above.

        >>> decoder = train(["ab ab"], num_merges=1).decoder()
        >>> [decoder.feed(number) for number in [256, 195, 169]], decoder.finish()
        (['ab', '', 'é'], '')
        """
        return Decoder(self._prepared, errors, bad_ids)

    def is_canonical(self, ids: Iterable[int]) -> bool:
        """Say whether ids are what encoding their own text gives.

        Args:
            ids: as in `decode`. Special tokens stand for themselves; what lies between two is a text.

        Returns:
            True if each of those texts, encoded with `special="text"`, has these ids.

        Raises:
            BadIdError, ArgumentTypeError: as in `decode`.

        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.is_canonical([256, 97]), tok.is_canonical([97, 98])
        (True, False)
        """
        return decoding.is_canonical(self._prepared, ids)

    # What the model is

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """The learned pairs in the order of their ranks, spelled in bytes; empty for a model of ranks."""
        return self._model.spelled_merges()

    @property
    def vocab_size(self) -> int:
        """How many tokens there are: alphabet, merged, unknown and special ones."""
        return sum(spelling is not None for spelling in self._prepared.spelled)

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Text of each special token -> its id, the unknown token's among them; read-only."""
        return FrozenDict(dict(self._model.specials))

    @property
    def pattern(self) -> str:
        """The split pattern: its name, or the regular expression of a custom one."""
        return self._model.pattern.text

    @property
    def lossless(self) -> bool:
        """Whether `decode(encode(x)) == x` for every text without lone surrogates; `losses` says why not."""
        return not self.losses

    @property
    def losses(self) -> tuple[str, ...]:
        """What may differ between a text and what comes back, a sentence each; empty when nothing does."""
        return tuple(_losses(self._model))

    @property
    def cache(self) -> CacheUse:
        """How many pieces are remembered, in how many bytes, and how many those may be in a thread.

        Of the threads that encode at this moment nothing is said.

        >>> tok = train(["low lower"], num_merges=3)
        >>> _ = tok.encode("low low lower lowest")
        >>> tok.cache.pieces, tok.cache.max_bytes
        (4, 67108864)
        """
        prepared = self._prepared
        pieces, n_bytes = prepared.engine.cache_statistics()
        most = DEFAULT_CACHE_BYTES if prepared.cache_bytes is None else prepared.cache_bytes
        return CacheUse(pieces, n_bytes, most)

    def with_cache(self, cache_bytes: int) -> Tokenizer:
        """The same tokenizer, remembering what pieces became in other bounds. The ids are the same.

        Args:
            cache_bytes: the most bytes for each thread that encodes at the same time, 0 or more; below 32,768 nothing
                is remembered. The default of all tokenizers is 64 MiB. It is no part of a pickle or a file.

        Returns:
            An equal tokenizer with a memory of its own, empty at first.

        Raises:
            ArgumentError, ArgumentTypeError: cache_bytes is negative, or no int.

        >>> tok = train(["low lower"], num_merges=3)
        >>> forgetful = tok.with_cache(0)
        >>> forgetful == tok, forgetful.encode("low low") == tok.encode("low low"), forgetful.cache.pieces
        (True, True, 0)
        """
        n_bytes = arguments.integer("cache_bytes", cache_bytes, 0)
        tok = object.__new__(Tokenizer)
        tok._fill(Prepared(self._model, n_bytes), self._training, self._extension, self._pruning)
        object.__setattr__(tok, "_loaded", self._loaded)
        return tok

    @property
    def training(self) -> TrainingReport | None:
        """How it was learned, or its extension; None for one that was loaded or cut by `at`."""
        return self._training

    @property
    def extension(self) -> ExtensionReport | None:
        """What `extend` added and which old outputs can change; None for one that it did not make."""
        return self._extension

    @property
    def pruning(self) -> Pruning | None:
        """What `prune` dropped and what had to stay; None for one that it did not make."""
        return self._pruning

    @property
    def loaded(self) -> Loaded | None:
        """Which file, of which format, it was loaded from; None for one that was not."""
        return self._loaded

    def audit(self) -> Audit:
        """Look for what is remarkable: gaps between ids, tokens that no merge reaches, and the like.

        Missing bytes too, special tokens that merges can spell, and why texts may not come back.

        Returns:
            The findings, and `lossless`. Printed, a line each.

        >>> print(train(["low low lower"], num_merges=3, special_tokens=["<|end|>"]).audit())
        nothing to say
        """
        return audit(self._prepared, self.losses)

    def normalized(self, text: str) -> str:
        """What a text is before it is cut into pieces.

        Args:
            text: a str without lone surrogates.

        Returns:
            The text after the normalizer that a loaded file may have; of a tokenizer without one the text itself.

        Raises:
            ArgumentTypeError: it is no str.

        >>> train(["a b"], num_merges=0).normalized("A b")
        'A b'
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"the text is {shown(text)} ({kind(text)}); it must be a str")
        return self._prepared.engine.normalized(arguments.without_surrogates(text, "replace", "the text"))

    @property
    def model(self) -> Model:
        """The parts that it is made of."""
        return self._model

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a token.

        Args:
            token: its id.

        Returns:
            Its spelling: for a special token its text in UTF-8.

        Raises:
            BadIdError: no token has this id.
            ArgumentTypeError: it is no int.

        >>> train(["ab ab"], num_merges=1).token_bytes(256)
        b'ab'
        """
        number = arguments.id_number(token)
        spelling = self._prepared.spelled[number] if 0 <= number < len(self._prepared.spelled) else None
        if spelling is None:
            raise BadIdError(f"id {number} is no token; ids go from 0 to {len(self._prepared.spelled) - 1}")
        return spelling

    def token_id(self, token: Text) -> int:
        """The id of a token.

        Args:
            token: its spelling, as bytes or as str (in UTF-8), or the text of a special token.

        Returns:
            Its id.

        Raises:
            UnknownTokenError: no token is spelled so.
            ArgumentTypeError: it is neither str nor bytes.

        >>> train(["ab ab"], num_merges=1).token_id("ab")
        256
        """
        spelling = as_text(token, "the token")
        if isinstance(spelling, str):
            spelling = arguments.without_surrogates(spelling, "raise", "the token").encode()
        found = self._by_spelling().get(spelling)
        if found is None:
            raise UnknownTokenError(f"no token is spelled {shown(token)}; encode(text) gives the tokens of a text")
        return found

    def save(self, path: str | PathLike[str]) -> None:
        """Write the tokenizer to a tokenizer.json file, whole or not at all.

        Args:
            path: the file; one that is there is replaced.

        Raises:
            MissingFileError: its folder is not there.
            UnreadableFileError: it cannot be written.

        The same model gives the same bytes. Hugging Face's `tokenizers` opens the file with the same ids; a model that
        it cannot express is written with the model type "bytepair", which it refuses to open.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
        >>> tok = train(["ab ab"], num_merges=1)
        >>> tok.save(path)
        >>> load(path) == tok
        True
        """
        formats.write(self._model, path)

    def export(self, path: str | PathLike[str], format: str, lossy: bool = False) -> Exported:
        """Write the tokenizer for another library. Every token and many texts are checked before it is written.

        Args:
            path: the file; a folder for "vocab+merges".
            format: "tokenizer.json" (Hugging Face's tokenizers and transformers), "tiktoken" (ranks), "vocab+merges"
                (GPT-2's vocab.json and merges.txt) or "minbpe".
            lossy: write it even if the format cannot hold all of the tokenizer; the result then lists what is missing.

        Returns:
            The files, what was lost, and the arguments that `load` needs to make the same tokenizer of them.

        Raises:
            FormatError: the format cannot hold all of it, and lossy is False; names all that it cannot.
            MissingFileError, UnreadableFileError: as in `save`.

        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "ranks.tiktoken")
        >>> train(["ab ab"], num_merges=1).export(path, "tiktoken").load_with
        {'pattern': 'cl100k'}
        """
        return export(self._prepared, path, format, lossy)

    def to_transformers(self, **roles: str) -> Any:
        """Make a `PreTrainedTokenizerFast` of transformers; its `save_pretrained` writes a folder for `AutoTokenizer`.

        Args:
            roles: `eos_token="<|endoftext|>"` and the like: the special token of a role. Those that are not given go to
                special tokens with a well-known name, if there are such.

        Returns:
            The tokenizer of transformers, with all special tokens.

        Raises:
            FormatError: transformers cannot hold all of this tokenizer; names what.
            ArgumentError: no such role or special token.
            MissingPackageError: transformers is not installed (`pip install 'bytepair[transformers]'`).

        >>> train(["a b"], num_merges=0).to_transformers(eos_token="<|end|>")
        Traceback (most recent call last):
        ...
        bytepair.errors.ArgumentError: eos_token is '<|end|>', which is no special token here; there are none
        """
        return to_transformers(self._model, roles)

    # Other tokenizers, and what can be said of this one

    def at(self, vocab_size: int | None = None, *, num_merges: int | None = None) -> Tokenizer:
        """Go back to a smaller size: exactly what training to it would have given.

        Args:
            vocab_size: tokens to keep: alphabet, merged, unknown and special ones together. This or `num_merges`.
            num_merges: merges to keep.

        Returns:
            The tokenizer that `train` would have given with this size and else the same arguments, byte for byte when
            saved. Special tokens that took the ids after all others do so again. After `extend`: the one that a smaller
            extension would have given.

        Raises:
            ArgumentError: the number is outside what was learned; names the limits.
            ModelError: the tokenizer holds ranks, or its ids are not in the order of learning.

        >>> tok = train(["low low low lower lowest"], num_merges=4)
        >>> tok.at(258).merges
        [(b'l', b'o'), (b'lo', b'w')]
        """
        return Tokenizer(prefix(self._model, vocab_size, num_merges))

    def extend(
        self,
        source: Source | Tally,
        vocab_size: int,
        *,
        special: SpecialPolicy = "all",
        document: Literal["file", "line"] = "file",
        errors: Literal["raise", "replace", "skip"] = "raise",
        sample: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Tokenizer:
        """Learn more merges from another corpus; old ids and merges stay as they are.

        Args:
            source: as in `train`.
            vocab_size: tokens to reach, those there are included.
            special: as in `train`.
            document: as in `train`.
            errors: as in `train`.
            sample: as in `train`.
            seed: as in `train`.
            threads: as in `train`.
            progress: as in `train`.

        Returns:
            A tokenizer whose merges begin with these, learned on by the same rule and limits (`ties="lexicographic"`
            where the rule is not known). New tokens take ids from the largest old one on, first the characters that are
            new to an alphabet of characters. Its `extension` says which old outputs can change.

        Raises:
            ArgumentError: `vocab_size` is below the tokens there are and the new characters.
            ModelError: the tokenizer holds ranks.
            BytepairError: as in `train`.

        >>> tok = train(["low low lower"], num_merges=3, special_tokens=["<|end|>"])
        >>> more = tok.extend(["slow slower"], vocab_size=263)
        >>> more.merges[:3] == tok.merges, more.token_id("<|end|>"), more.token_bytes(260), more.token_bytes(261)
        (True, 259, b'slow', b' slow')
        """
        made = extend(
            self._model,
            source,
            vocab_size,
            special=special,
            document=document,
            errors=errors,
            sample=sample,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        return Tokenizer(*made)

    def prove(
        self,
        source: Source | Tally,
        *,
        ties: Ties | None = None,
        special: SpecialPolicy | None = None,
        document: Literal["file", "line"] = "file",
        errors: Literal["raise", "replace", "skip"] = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Proof:
        """Replay the merges on their corpus: was each the true choice?

        Args:
            source: the corpus as in `train`, or a tally of it.
            ties: the rule; None: the one that the tokenizer was learned by, where it is known.
            special: as in `train`; None: the special tokens that cut the tally, for documents all.
            document: as in `train`.
            errors: as in `train`.
            threads: as in `train`.
            progress: as in `train`.

        Returns:
            A proof that is true or false, says in words what it found, and holds a receipt. After `extend` it is about
            the training that this corpus was used for, else about the last one.

        Raises:
            ArgumentError: the rule is not known.
            ModelError: the tokenizer holds ranks.
            BytepairError: as in `train`.

        Takes as long as training.

        >>> tok = train(["low low lower"], num_merges=3)
        >>> bool(tok.prove(["low low lower"])), bool(tok.prove(["slower"]))
        (True, False)
        """
        return prove(
            self._model,
            source,
            ties=ties,
            special=special,
            document=document,
            errors=errors,
            threads=threads,
            progress=progress,
        )

    def prune(
        self,
        source: Source | Tally | None = None,
        *,
        min_count: int = 1,
        drop: Iterable[int | Text] = (),
        keep: Iterable[int | Text] = (),
        scripts: Iterable[str] = (),
        vocab_size: int | None = None,
        document: Literal["file", "line"] = "file",
        errors: Literal["raise", "replace", "skip"] = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> tuple[Tokenizer, SpanArray]:
        """Take tokens out, by what a corpus uses, by a list, by script, or down to a size.

        A text whose tokens all stay has the same tokens as before, under their new ids.

        Args:
            source: a corpus as in `train`, or a tally of it. Merged tokens that stand in it fewer than `min_count`
                times go; with `vocab_size`, the least used go first instead.
            min_count: see there, at least 1.
            drop: ids or spellings of tokens that go.
            keep: ids or spellings of tokens that stay, whatever else is said.
            scripts: tokens with a letter of one of these go, such as "Cyrillic"; `inspect` lists those that there are.
            vocab_size: drop more tokens until so many are left: of those that no other is made of, the least used in
                the source, or without one the last learned.
            document: as in `train`.
            errors: as in `train`.
            threads: as in `train`.
            progress: as in `train`, while counting.

        Returns:
            The tokenizer, and int64 of shape (n_ids,): for each old id the new one, -1 where it is gone. Ids keep their
            order and have no gaps. The alphabet stays, and so do tokens that others which stay are made of; the
            `pruning` of the new tokenizer lists those.

        Raises:
            ArgumentError: nothing says what to drop, a symbol of the alphabet or the unknown token is to go, a token is
                both in `drop` and `keep`, a script is unknown, or `vocab_size` is too small; names the least.
            UnknownTokenError: `drop` or `keep` names no token.
            MissingPackageError: NumPy is not installed.
            ArgumentTypeError: an argument has the wrong type.
            BytepairError: the source cannot be read, as in `train`.

        >>> tok = train(["low low lower"], num_merges=4)
        >>> smaller, new_ids = tok.prune(["low low"])
        >>> smaller.vocab_size, int(new_ids[tok.token_id(" low")]), smaller.token_id(" low")
        (259, 258, 258)
        """
        numpy = arrays.numpy_module()
        used = self._usage(source, document, errors, threads, progress)
        model, new_ids, report = pruning.prune(
            self._model,
            used,
            min_count=min_count,
            drop=drop,
            keep=keep,
            scripts=scripts,
            vocab_size=vocab_size,
        )
        return Tokenizer(model, pruning=report), numpy.array(new_ids, dtype="int64")

    # What can be seen in it

    def explain(
        self, text: Text, *, marker: bool = True, special: SpecialPolicy = "text", errors: SurrogateErrors = "replace"
    ) -> Explanation:
        """Follow a text to its tokens: pieces, symbols, each merge with its rank, and why no more apply.

        Args:
            text: as in `encode`.
            marker: whether the model's end-of-word marker is put behind each piece, as `encode` does. Books also show
                words without it.
            special: as in `encode`.
            errors: as in `encode`.

        Returns:
            What happens, as data: it prints, shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

        Raises:
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        Takes O(n log n) for each distinct piece, in Python: for texts that are looked at, not for a corpus.

        >>> found = train(["low low lower"], num_merges=2).explain("slow")
        >>> [(step.rank, step.left.spelling, step.right.spelling) for step in found.pieces[0].steps]
        [(0, b'l', b'o'), (1, b'lo', b'w')]
        """
        return explanation.explain(self._prepared, text, special=special, errors=errors, marker=marker)

    def token(self, token_or_id: int | Text) -> TokenReport:
        """Look at one token: what it is merged from, its rank and count, what is made of it, whether a text reaches it.

        Args:
            token_or_id: its id, or its spelling (bytes, or str in UTF-8).

        Returns:
            What there is to know, as data: it prints, shows itself in a notebook, and gives `html()` and `svg()`.

        Raises:
            BadIdError: no token has this id.
            UnknownTokenError: no token is spelled so.
            ArgumentTypeError: it is neither an int, str nor bytes.

        >>> found = train(["low low lower"], num_merges=2).token("low")
        >>> found.rank, found.count, [part.token.spelling for part in found.tree.parts]
        (1, 3, [b'lo', b'w'])
        """
        if isinstance(token_or_id, str | bytes):
            number = self.token_id(token_or_id)
        else:
            number = arguments.id_number(token_or_id)
            self.token_bytes(number)
        return token.token_report(self._prepared, number)

    def inspect(
        self,
        source: Source | Tally | None = None,
        *,
        rare_below: int = 1,
        document: Literal["file", "line"] = "file",
        errors: Literal["raise", "replace", "skip"] = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Inspection:
        """Look through the vocabulary: what is in it, and what is wrong with it.

        Args:
            source: a corpus as in `train`, or a tally of it, whose use of the tokens is counted; None: none.
            rare_below: with a source: a merged token is under-used if it stands there fewer times, at least 1.
            document: as in `train`.
            errors: as in `train`.
            threads: as in `train`.
            progress: as in `train`, while counting.

        Returns:
            The longest tokens, scripts, parts of characters, tokens that no text reaches, that stand only inside
            others, that differ by case or a space, and that the corpus hardly uses; `problems()` says what a check
            should stop at. It prints, shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

        Raises:
            ArgumentError, ArgumentTypeError: an argument is wrong.
            BytepairError: the source cannot be read, as in `train`.

        >>> found = train(["low low lower"], num_merges=3).inspect()
        >>> found.n_tokens, found.problems()
        (259, ())
        """
        least = arguments.integer("rare_below", rare_below, 1)
        used = self._usage(source, document, errors, threads, progress)
        return inspection.inspect(self._prepared, used, least)

    def _usage(
        self,
        source: Source | Tally | None,
        document: Literal["file", "line"],
        errors: Literal["raise", "replace", "skip"],
        threads: int | None,
        progress: ProgressOption,
    ) -> Usage | None:
        """How often each token stands in a corpus; None where there is none."""
        if source is None:
            return None
        counted, plan = counted_for(
            self._model, source, document=document, errors=errors, threads=threads, progress=progress
        )
        return usage(self._model, counted, plan.threads)

    # What Python asks of a value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tokenizer):
            return NotImplemented
        return self._model.fingerprint == other._model.fingerprint

    def __hash__(self) -> int:
        return hash(self._model.fingerprint)

    def __repr__(self) -> str:
        specials = f", {len(self._model.specials)} special" if self._model.specials else ""
        model = self._model
        learned = f"{len(model.merges):,} merges" if model.kind == "merges" else "ranks"
        return (
            f"Tokenizer({self.vocab_size:,} tokens{specials}, {learned}, {model.alphabet}, "
            f"pattern={shown(self.pattern)})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._model,)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: object) -> Tokenizer:
        return self

    def _by_spelling(self) -> dict[bytes, int]:
        """Made when it is first asked for; two threads that do so at once make the same."""
        if not hasattr(self, "_ids"):
            ids = {spelling: number for number, spelling in enumerate(self._prepared.spelled) if spelling is not None}
            object.__setattr__(self, "_ids", ids)
        return self._ids


def _restored(model: Model) -> Tokenizer:
    """The tokenizer of a model that was one before; its engine is built when it is used."""
    tok = object.__new__(Tokenizer)
    tok._fill(Prepared(model))
    return tok


def train(
    source: Source | Tally,
    *,
    vocab_size: int | None = None,
    num_merges: int | None = None,
    pattern: str | None = None,
    ties: Ties = "lexicographic",
    alphabet: Alphabet = "bytes",
    byte_order: ByteOrder = "value",
    end_of_word: str | None = None,
    end_of_word_style: Style = "symbol",
    unk_token: str | None = None,
    add_prefix_space: bool = False,
    special_tokens: Iterable[str] = (),
    special_ids: SpecialIds = "last",
    special: SpecialPolicy = "all",
    min_count: int = 1,
    max_token_bytes: int | None = None,
    document: Literal["file", "line"] = "file",
    errors: Literal["raise", "replace", "skip"] = "raise",
    sample: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: ProgressOption = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Tokenizer:
    """Learn a tokenizer from a corpus.

    Args:
        source: a path, a folder or a glob (str or path); or an iterable of documents (str, bytes) and paths
            (`pathlib.Path`); or a `Tally`.
        vocab_size: tokens to reach: alphabet, merged, unknown and special ones together. This or `num_merges`.
        num_merges: merges to learn, 0 or more.
        pattern: what cuts documents into pieces: a name of `bytepair.patterns.NAMES`, or a regular expression. None:
            the tally's own, else "cl100k".
        ties: which of the most frequent pairs is merged: "lexicographic", "first-seen", "largest", "lowest-id"
            or "shortest".
        alphabet: "bytes" (256 symbols, nothing is unknown) or "chars" (the characters seen).
        byte_order: how bytes are numbered: by "value" or as in "gpt2".
        end_of_word: a marker such as "</w>" behind each piece, or None.
        end_of_word_style: "symbol": the marker is a symbol of its own; "suffix": it is glued to the last byte or
            character, and each of those is a symbol with it and without it.
        unk_token: a special token that stands for characters not seen; only with `alphabet="chars"`.
        add_prefix_space: put a space before text that does not begin with one, and before text that follows a special
            token.
        special_tokens: control tokens, never learned, in the order of their ids.
        special_ids: whether they take the ids after all others ("last") or before ("first").
        special: what their text is in the corpus: "all" are borders that are not counted, "text", a set of those that
            are borders, or "raise".
        min_count: stop when the best pair is rarer, at least 1.
        max_token_bytes: merge nothing longer, in bytes.
        document: whether a file is one document, or each of its lines (with its line end). Not used with a `Tally`,
            which was read already.
        errors: files that are not UTF-8, and lone surrogates in a str: "raise", "replace" (U+FFFD) or "skip". Not used
            with a `Tally`.
        sample: the part of the corpus to read, above 0 and at most 1, from everywhere in it, as `tally` draws it; None:
            all of it. Refused with a `Tally`, which was read already.
        seed: what the sample is drawn by, 0 or more.
        threads: how many to use, at least 1; None: the CPUs of this process. The result is the same.
        progress: None or False: nothing. True or "auto": show how far it is, in a notebook as an output, on a terminal
            as a bar on stderr, else as "log": in lines on stderr. Or a function that is called with a `Progress`: while
            counting, then while learning, at most 10 times a second and at the end of each.
        checkpoint: a file that keeps the merges every 30 seconds and when the training is interrupted. If it is there,
            and of a training with the same options and corpus, the training goes on from it to the same result. It is
            deleted when the training is done.

    Returns:
        The tokenizer; its `training` says what was reached and why it stopped there.

    Raises:
        ArgumentError, ArgumentTypeError, PatternError, SpecialTokenError: an argument is wrong; before any work.
        MissingFileError, UnreadableFileError, CorpusError, EncodingError, SurrogateError: the source cannot be read.
        CountOverflowError: a count passes 2**63 - 1.
        FormatError: the checkpoint is none; ArgumentError: it is of another training.

    >>> tok = train(["low low low lower lowest"], num_merges=4, special_tokens=["<|end|>"])
    >>> tok.merges
    [(b'l', b'o'), (b'lo', b'w'), (b' ', b'low'), (b' low', b'e')]
    >>> tok.vocab_size
    261
    """
    options = Options(
        vocab_size=vocab_size,
        num_merges=num_merges,
        pattern=pattern,
        ties=ties,
        alphabet=alphabet,
        byte_order=byte_order,
        end_of_word=end_of_word,
        end_of_word_style=end_of_word_style,
        unk_token=unk_token,
        add_prefix_space=add_prefix_space,
        special_tokens=special_tokens,
        special_ids=special_ids,
        special=special,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        document=document,
        errors=errors,
        sample=sample,
        seed=seed,
        threads=threads,
        progress=progress,
        checkpoint=checkpoint,
    )
    tok = Tokenizer(*learn(source, options))
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)
    return tok


@dataclass(frozen=True, slots=True)
class Loaded:
    """Where a tokenizer was loaded from.

    Args:
        format: the name of the format, as `load(format=...)` takes it.
        file: the file, as messages name it.
    """

    format: str
    file: str


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
    return _restored(model)


def _losses(model: Model) -> Iterable[str]:
    frame = model.frame
    if model.alphabet == "chars" and not (frame is not None and frame.byte_fallback):
        if model.unk_token is not None:
            yield f"A character that was not seen in training becomes {model.unk_token!r}."
        elif frame is not None:
            yield "A character that was not seen in training is left out."
        else:
            yield "A character that was not seen in training cannot be encoded."
    if not model.pattern.covers:
        yield f"The pattern {model.pattern.text!r} drops what lies between its pieces."
    if model.end_of_word is not None:
        yield f"The marker {model.end_of_word!r} decodes to one space between words, and nothing at the end."
    if model.add_prefix_space:
        yield "Text that does not begin with a space comes back with one."
    if frame is not None:
        yield from losses_of_frame(frame)
