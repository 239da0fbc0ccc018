"""Types of the compiled module. Everything here is frozen, safe to share between threads, and releases the GIL.

Text is `str` without surrogates or `bytes`; a str with a lone surrogate raises UnicodeEncodeError from the conversion.
Errors of the core arrive as the exceptions of `bytepair.errors`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, final, overload

__all__ = [
    "ArrowTexts",
    "CutTexts",
    "Engine",
    "Learned",
    "PieceCounter",
    "PieceCounts",
    "RunReader",
    "Splitter",
    "Tables",
    "__version__",
    "instructions",
    "is_utf8",
    "learn",
    "lines",
    "merge_runs",
    "merges_of",
    "pack",
    "paragraphs",
    "unpack",
]

__version__: str

@final
class Splitter:
    """A split pattern, ready to run: `name` is one of the named patterns, or "custom" with its `regex`."""

    def __new__(cls, name: str, regex: str | None = None) -> Splitter: ...
    @property
    def covers(self) -> bool:
        """Whether every byte of every text ends in some piece."""
    def split(self, text: str | bytes) -> list[bytes]: ...

@final
class PieceCounts:
    """Distinct pieces and how often each occurs, in the order of first appearance."""

    @staticmethod
    def from_items(pieces: Sequence[bytes], counts: Sequence[int]) -> PieceCounts:
        """Equal pieces add up. Counts below 0 or sums past 2**63 - 1 raise."""
    @staticmethod
    def from_run(path: str | Path) -> PieceCounts:
        """The pieces of a run, in its order."""
    def write_run(self, path: str | Path) -> None:
        """A run: a file of pieces and counts, sorted by piece. UnreadableFileError where there is no room."""
    @property
    def n_pieces(self) -> int: ...
    @property
    def n_occurrences(self) -> int: ...
    def items(self) -> tuple[list[bytes], list[int]]: ...
    def fingerprint(self) -> str:
        """A hash (32 hex digits) of the set of (piece, count), blind to order."""
    def merged(self, other: PieceCounts) -> PieceCounts:
        """Both, pieces of `self` first; equal pieces add up. CountOverflowError past 2**63 - 1."""

@final
class PieceCounter:
    """Counts pieces of documents; `finish` hands the counts over and empties the counter."""

    def __new__(
        cls,
        splitter: Splitter,
        *,
        borders: Sequence[str] = ...,
        refuse_borders: bool = False,
        add_prefix_space: bool = False,
        threads: int = 1,
        spill: tuple[str, int] | None = None,
    ) -> PieceCounter:
        """`borders`: texts of specials; they cut and are not counted, or raise SpecialTokenError if refused.
        `spill`: a folder for runs, and the bytes that the tables may take before one is written."""
    def add_documents(self, documents: Sequence[str | bytes] | CutTexts) -> int:
        """Returns the bytes added."""
    def add_file(
        self,
        path: str,
        *,
        by_line: bool,
        errors: Literal["raise", "replace", "skip"],
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[int, int]:
        """Returns (documents, bytes). `progress(bytes done, bytes in the file)`. UnreadableFileError and kin."""
    def add_stream(
        self,
        read: Callable[[int], bytes],
        name: str,
        *,
        by_line: bool,
        errors: Literal["raise", "replace", "skip"],
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[int, int]:
        """As `add_file`, of what `read(n_bytes)` gives until it gives nothing; `name` is for messages."""
    def finish_runs(self) -> list[Path] | None:
        """The runs that hold all counts; None where none was written, and `finish` has them."""
    def finish(self) -> PieceCounts: ...

@final
class RunReader:
    """Reads a run, front to back."""

    def __new__(cls, path: str | Path) -> RunReader: ...
    def read(self, max_rows: int) -> tuple[int, bytearray, bytearray, bytearray]:
        """(how many rows, the offsets as int64, the pieces in a row, the counts as int64); 0 rows at the end."""

def is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8."""

@final
class CutTexts:
    """Neighbouring documents in a block of text, read where they lie; each is bytes when it is asked for."""

    @property
    def n_bytes(self) -> int:
        """Bytes of all of them."""
    def joined(self) -> bytes:
        """All of them in a row."""
    def sizes(self) -> bytearray:
        """The bytes of each, as int64."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[bytes]: ...
    @overload
    def __getitem__(self, key: int, /) -> bytes: ...
    @overload
    def __getitem__(self, key: slice, /) -> CutTexts:
        """Some of them in a row, without a copy."""

def lines(text: bytes) -> CutTexts:
    """The text, cut behind each line feed."""

def paragraphs(text: bytes, first: int, last: int) -> CutTexts:
    """The text, cut behind the blank lines that begin behind `first` and end before `last`; the rest is left out."""

def merge_runs(paths: Sequence[str | Path], into: str | Path) -> tuple[int, int | None, str]:
    """Equal pieces add up. (distinct pieces, occurrences or None past 2**64 - 1, fingerprint)."""

@final
class Learned:
    """What `learn` found. Token ids here count from 0: alphabet first, then a marker, then merged tokens."""

    @property
    def n_alphabet(self) -> int:
        """Symbols before any merge, a marker among them."""
    @property
    def tokens(self) -> tuple[bytes, ...]: ...
    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """(left id, right id) in rank order."""
    @property
    def merge_counts(self) -> tuple[int, ...]: ...
    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of all pieces over the tokens they became, each piece as often as it occurs; None without any."""
    @property
    def reason(self) -> Literal["target", "no-pairs", "min-count"]: ...
    @property
    def broken(self) -> tuple[int, int, tuple[bytes, bytes, int] | None] | None:
        """With `check_from`: rank of the first given merge that was not the true choice, its pair's count there, and
        the true choice as (left, right, count), None if no pair was left."""
    @property
    def passed_over(self) -> list[bytes]:
        """Spellings of specials that a merge would have made."""

def instructions() -> Literal["avx512", "avx2", "portable"]:
    """The vector instructions in use; the environment variable BYTEPAIR_INSTRUCTIONS, read once, chooses among them."""

def learn(
    counts: PieceCounts,
    *,
    alphabet: Literal["bytes", "chars"],
    byte_order: Literal["value", "gpt2"],
    ties: Literal["lexicographic", "first-seen", "largest", "lowest-id", "shortest"],
    end_of_word: bytes | None,
    max_merges: int | None,
    max_tokens: int | None,
    min_count: int,
    max_token_bytes: int | None,
    forbidden: Sequence[bytes],
    end_of_word_style: Literal["symbol", "suffix"] = "symbol",
    first_symbols: Sequence[bytes] = ...,
    given: Sequence[tuple[bytes, bytes]] = ...,
    check_from: int | None = None,
    progress: Callable[[int, int, tuple[bytes, bytes, int] | None, float | None], object] | None = None,
    journal: Callable[[list[tuple[bytes, bytes, int]], list[bytes]], object] | None = None,
    journal_seconds: float = 30.0,
) -> Learned:
    """`max_tokens` counts alphabet, marks and merged tokens; ArgumentError where the alphabet alone is larger.

    `given` merges come first and are not chosen; those of rank `check_from` on must be the choices of the rule.
    `progress(merges done, merges wanted, the last as (left, right, count), bytes per token so far)` is called at most
    10 times a second. `journal(merges since the last call as (left, right, count), all spellings passed over)` is
    called every `journal_seconds`, and when an exception stops the work.
    """

@final
class ArrowTexts:
    """The texts of an Arrow array, read where they lie; those of strings are str when they are asked for."""

    def __new__(
        cls, chunks: Sequence[tuple[object | None, object | None, int, int]], width: int, is_text: bool
    ) -> ArrowTexts:
        """`chunks`: the buffers of the offsets, of `width` bytes each, and of the data; the first text and how many."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> str | bytes: ...

def pack(
    tokens: tuple[bytes | None, ...], merges: tuple[tuple[int, int], ...], leave_out: bool
) -> tuple[bytes, bytes, bytes, int]:
    """The spellings in a row, the bytes of each, the ids of the merges (32 bits each), and how many tokens were left
    out: with `leave_out`, all those at the end that the merges spell, one by one, each of tokens before it."""

def unpack(
    spelled: bytes, sizes: bytes, pairs: bytes, n_made: int
) -> tuple[tuple[bytes | None, ...], tuple[tuple[int, int], ...]]:
    """The tokens and merges that `pack` was given."""

@final
class Tables:
    """The vocabulary and merges of a tokenizer.json that is as it should be."""

    @staticmethod
    def read(data: bytes) -> Tables | None:
        """None where anything is not as it should be: then the file is to be read step by step."""
    @property
    def rest(self) -> str:
        """The file with an empty vocabulary and no merges."""
    def __len__(self) -> int: ...
    def get(self, token: str) -> int | None: ...
    def tokens(self, by_bytes: bool, apart: Sequence[str]) -> tuple[bytes | None, ...] | None:
        """The spellings by id, without those apart; None where one is spelled or numbered wrongly."""
    def pairs(self, n_prefix: int, apart: Sequence[str]) -> tuple[tuple[int, int], ...] | None:
        """(left id, right id) by rank; None where a merge is of no tokens or stands twice."""

def merges_of(tokens: Sequence[bytes], alphabet: Literal["bytes", "chars"]) -> list[tuple[int, int, int]]:
    """(left, right, token) as places in `tokens`, which stand in order of preference, for each that merging arrives at
    where any two neighbours may merge that spell a token."""

@final
class Engine:
    """A model, ready to encode and decode."""

    def __new__(
        cls,
        splitter: Splitter,
        *,
        kind: Literal["merges", "ranks"],
        alphabet: Literal["bytes", "chars"],
        tokens: Sequence[bytes | None],
        merges: Sequence[tuple[int, int]],
        specials: Mapping[str, int],
        unk_id: int | None,
        end_of_word: bytes | None,
        add_prefix_space: bool,
        end_of_word_style: Literal["symbol", "suffix"] = "symbol",
        frame: dict[str, object] | None = None,
        cache_bytes: int | None = None,
    ) -> Engine:
        """`tokens[id]` spells the ordinary tokens; None where an id is a special or no token. `merges` is empty for
        ranks: there the order of ids is the order of ranks, any pair whose joint bytes are a token may merge, and a
        piece that is a token is that token."""
    def cache_statistics(self) -> tuple[int, int]:
        """How many pieces are remembered by threads that are at rest, and in how many bytes."""
    def encode(self, text: str | bytes, special: Sequence[int] | None, threads: int = 1) -> list[int]:
        """`special`: ids of the specials to match; None or empty: all of the text is ordinary."""
    def encode_batch(
        self, texts: Sequence[str | bytes] | ArrowTexts | CutTexts, special: Sequence[int] | None, threads: int
    ) -> list[list[int]]: ...
    def encode_array(self, text: str | bytes, special: Sequence[int] | None, width: int, threads: int = 1) -> bytearray:
        """The ids as unsigned integers of `width` bytes (1, 2 or 4; all ids must fit) in this machine's order."""
    def encode_ragged(
        self,
        texts: Sequence[str | bytes] | ArrowTexts | CutTexts,
        special: Sequence[int] | None,
        threads: int,
        width: int,
        before: int | None = None,
        behind: int | None = None,
    ) -> tuple[bytearray, bytearray]:
        """All ids as in `encode_array`, and as int64 where those of each text begin, with the end of the last.

        `before`, `behind`: ids that stand before and behind those of each text.
        """
    def encode_spans(self, text: str | bytes, special: Sequence[int] | None, unit: str) -> tuple[bytearray, bytearray]:
        """The ids as uint32; start and end of each as int64, in `unit`: "char", "byte" or "utf16"."""
    def encode_with_dropout(
        self, text: str | bytes, special: Sequence[int] | None, probability: float, seed: int
    ) -> list[int]: ...
    def count(self, text: str | bytes, special: Sequence[int] | None, threads: int = 1) -> int: ...
    def count_batch(
        self, texts: Sequence[str | bytes] | ArrowTexts | CutTexts, special: Sequence[int] | None, threads: int
    ) -> list[int]: ...
    def fits(self, text: str | bytes, special: Sequence[int] | None, budget: int) -> bool:
        """Whether there are at most `budget` ids; stops as soon as there are more."""
    def truncate(self, text: str | bytes, special: Sequence[int] | None, budget: int, side: str) -> int:
        """Where to cut so that what is before ("right" is given up) or behind ("left") fits: in characters of a str, in
        bytes of bytes."""
    def chunks(
        self, text: str | bytes, special: Sequence[int] | None, budget: int, overlap: int, unit: str
    ) -> list[tuple[int, int]]:
        """(start, end) of parts that fit, counted as in `truncate`; `unit` is "char", "word" or "line". ArgumentError
        where a unit does not fit."""
    def last_certain_cut(self, text: str | bytes, special: Sequence[int] | None) -> int | None:
        """The last byte, above 0, where the text can be cut so that its parts have the ids of the whole, whatever
        follows it."""
    def pieces(self, text: str | bytes, special: Sequence[int] | None) -> list[bytes]:
        """As encoded: with the prefix space, without a marker; a matched special is a piece of its own."""
    def find_special(self, text: str | bytes) -> tuple[int, int] | None:
        """(id, byte offset) of the leftmost special in the text."""
    def normalized(self, text: str) -> str:
        """The text after the steps of the normalizer."""
    def unmerged(self) -> list[int]:
        """The ids of ordinary tokens, but added ones and bytes, that merging their own symbols does not arrive at."""
    def added_texts(self) -> list[tuple[int, bytes]]:
        """What specials and added tokens decode to, by id."""
    def pairs(self) -> list[tuple[int, int, int]]:
        """(left, right, joint) of the pairs that may merge, lowest rank first."""
    def decode_bytes(self, ids: object, bad_ids: Literal["raise", "replace", "skip"]) -> bytes:
        """`ids`: a sequence of ints or a one-dimensional integer buffer. A marker at a token's end becomes a space
        between words, nothing at the end."""
