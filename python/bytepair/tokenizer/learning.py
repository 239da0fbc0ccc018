"""`train`: from a corpus to a tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from bytepair.arguments import Special as SpecialPolicy
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.parts import Alphabet, ByteOrder, SpecialIds, Style, Ties
from bytepair.progress import ProgressOption
from bytepair.tally import Tally
from bytepair.tokenizer.face import Tokenizer
from bytepair.training import Options, learn


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
    document: Document = "file",
    field: str = FIELD,
    errors: Errors = "raise",
    bad_records: BadRecords = "raise",
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
        document: what one document is: a "file", each "line" of it (with its line end), what stands between its blank
            lines ("blank-line"), or a "record", as `tally` says. Not used with a `Tally`, which was read already.
        field: the key or column that holds the text of a record of JSON Lines, CSV, Parquet or Arrow.
        errors: files that are not UTF-8, and lone surrogates in a str: "raise", "replace" (U+FFFD) or "skip". Not used
            with a `Tally`.
        bad_records: records without a text: "raise", "skip" (left out and counted) or "replace" (an empty document).
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

    >>> from bytepair import train

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
        field=field,
        errors=errors,
        bad_records=bad_records,
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
