"""Functions about whole tokenizers: what each size of one comes to, and how several compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from bytepair.analysis.comparison import Comparison
from bytepair.analysis.comparison import compare as compared
from bytepair.analysis.curve import Curve
from bytepair.analysis.curve import curve as curve_of
from bytepair.analysis.groups import Texts
from bytepair.arguments import Special, kind, shown
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.errors import ArgumentTypeError
from bytepair.progress import ProgressOption
from bytepair.tally import Tally
from bytepair.tokenizer import Tokenizer, load


def curve(
    tok: Tokenizer | str | PathLike[str],
    source: Source | Tally,
    *,
    rare_below: int = 10,
    dimension: int = 768,
    special: Special = "all",
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
    threads: int | None = None,
    progress: ProgressOption = None,
) -> Curve:
    """Measure a tokenizer at every vocabulary size up to its own, from this one training.

    Args:
        tok: the tokenizer, or the path of its file; the curve ends at its size.
        source: text that it was not learned from, as `train` takes it, or a tally of it.
        rare_below: a token is rare if it stands in the text fewer times, at least 1.
        dimension: of the embedding whose parameters are given, at least 1.
        special: as in `train`; the specials are not counted as tokens of the text.
        document: as in `train`.
        field: as in `train`.
        errors: as in `train`.
        bad_records: as in `train`.
        threads: as in `train`.
        progress: as in `train`, while counting.

    Returns:
        For each number of merges the tokens and bytes per token of the text, rare tokens and embedding parameters, and
        a suggested size. Every value is what the tokenizer `tok.at(num_merges=...)` gives; one of ranks is cut by rank,
        the single bytes stay. It prints, shows itself in a
        notebook, and gives `csv()`, `html()` and `svg()`.

    Raises:
        ArgumentError, ArgumentTypeError: an argument is wrong.
        BytepairError: the source cannot be read, as in `train`.

    The text is encoded once; the rest takes time by the number of merges.

    >>> from bytepair.tokenizer import train
    >>> found = curve(train(["low low lower"], num_merges=3), ["slow low"])
    >>> found.at(258).bytes_per_token
    2.0
    """
    if isinstance(tok, str | PathLike):
        tok = load(tok)
    if not isinstance(tok, Tokenizer):
        raise ArgumentTypeError(
            f"curve takes a Tokenizer or the path of its file, not {shown(tok)} ({kind(tok)}); the text comes second"
        )
    return curve_of(
        tok.model,
        source,
        rare_below=rare_below,
        dimension=dimension,
        special=special,
        document=document,
        field=field,
        errors=errors,
        bad_records=bad_records,
        threads=threads,
        progress=progress,
    )


def compare(tokenizers: Mapping[str, Any] | Iterable[Any], texts: Texts, *, reference: str | None = None) -> Comparison:
    """Set tokenizers side by side on the same texts.

    Args:
        tokenizers: name -> tokenizer, or a list of tokenizers. One is a `Tokenizer`; the path of a file; an object of
            tiktoken, tokenizers, transformers or sentencepiece; or a function from a text to a list of tokens or ids.
            Names that come twice are told apart, and the report says so.
        texts: a list of texts; or name -> text, list of texts or path, by language; or a path, a folder or a glob, in
            which each file is a group. Bytes that are not UTF-8 become U+FFFD, for all tokenizers alike.
        reference: the group that parity is about; None: the first.

    Returns:
        Tokens, bytes and characters per token, fertility, one-token words, Rényi efficiency, vocabulary used and parity
        for each tokenizer and group, and the parts that each cuts differently from the first tokenizer. It prints,
        shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

    Raises:
        ArgumentError, ArgumentTypeError: a tokenizer, the texts or the reference is none of these.
        MissingFileError, UnreadableFileError, FormatError, EncodingError: a file cannot be read.

    Special tokens in the texts are text, and none are added.

    >>> from bytepair.tokenizer import train
    >>> found = compare({"ours": train(["low low lower"], num_merges=2), "letters": list}, ["slow low"])
    >>> found.measure("ours").n_tokens, found.measure("letters").n_tokens
    (4, 8)
    """
    return compared(tokenizers, texts, reference=reference)
