r"""The named split patterns: what cuts a document into pieces, each with its source.

Any other str is a custom regular expression, whose matches are pieces; so is the text between two matches. Its syntax
is that of the Rust crate fancy-regex: Rust's regular expressions, and look-around, backreferences, atomic groups and
possessive quantifiers.

>>> resolve("gpt2").source
'openai/gpt-2, src/encoder.py; spelled as in tiktoken 0.14 (r50k_base)'
>>> resolve(r"\d+|\D+").name
'custom'
"""

from __future__ import annotations

import difflib
import hashlib
import re
from dataclasses import dataclass
from typing import Final

from bytepair.errors import ArgumentTypeError, PatternError


@dataclass(frozen=True, slots=True)
class Pattern:
    """A split pattern.

    Args:
        name: one of `NAMES`, or "custom".
        regex: its definition, in the syntax that the module's docstring names.
        source: where the definition comes from.
        covers: whether every character of every text lands in some piece.
        spellings: other regular expressions that cut every text the same way.

    >>> resolve("whitespace").covers
    False
    """

    name: str
    regex: str
    source: str
    covers: bool = True
    spellings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What a user writes to get this pattern: its name, or the regular expression of a custom one."""
        return self.regex if self.name == "custom" else self.name

    @property
    def fingerprint(self) -> str:
        """64 hex digits that differ when the definition does."""
        return hashlib.sha256(f"{self.name}\n{self.regex}".encode()).hexdigest()


_GPT2 = Pattern(
    name="gpt2",
    regex=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    source="openai/gpt-2, src/encoder.py; spelled as in tiktoken 0.14 (r50k_base)",
    spellings=(
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    ),
)

_CL100K = Pattern(
    name="cl100k",
    regex=(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    source="tiktoken 0.14, tiktoken_ext/openai_public.py (cl100k_base)",
    # Without `\s++$` (older tiktoken, Llama 3) the pattern cuts white space at the end of a text elsewhere: "a \n ".
    spellings=(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s+\z|\s*[\r\n]|\s+(?!\S)|\s",
    ),
)

_O200K = Pattern(
    name="o200k",
    regex=(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    source="tiktoken 0.14, tiktoken_ext/openai_public.py (o200k_base)",
)

_LLAMA3 = Pattern(
    name="llama3",
    regex=(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    source="meta-llama/llama3, llama/tokenizer.py",
    # cl100k as it was first published, and as minbpe and rustbpe have it.
    spellings=(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
)

_QWEN2 = Pattern(
    name="qwen2",
    regex=(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    source="Qwen/Qwen2, tokenizer.json; the model puts text into NFC before it, the pattern does not",
)

# The ranges that DeepSeek cuts out first: CJK ideographs, hiragana and katakana.
_EAST = r"\x{4e00}-\x{9fa5}\x{3040}-\x{30ff}"

_DEEPSEEK3 = Pattern(
    name="deepseek3",
    regex=(
        r"\p{N}{1,3}|[!-/:-@\[-`{-~][A-Za-z]+"
        rf"|[^\r\n\p{{L}}\p{{N}}\p{{P}}\p{{S}}{_EAST}]?[[\p{{L}}\p{{M}}]--[{_EAST}]]+"
        rf"|[[{_EAST}]--[\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]?[[\p{{L}}\p{{M}}]&&[{_EAST}]]+"
        rf"| ?[[\p{{P}}\p{{S}}]--[{_EAST}]]+[\r\n]*|[[\p{{P}}\p{{S}}]&&[{_EAST}]]+"
        rf"|\s*[\r\n]+|\s+(?![^\s\p{{N}}{_EAST}])|\s+"
        rf"|[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{_EAST}]+(?![[\p{{L}}\p{{M}}]--[{_EAST}]])"
        rf"|[[{_EAST}]--[\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]+(?![[\p{{L}}\p{{M}}]&&[{_EAST}]])"
    ),
    source="deepseek-ai/DeepSeek-V3, tokenizer.json: its three Splits in turn, written here as one regular expression",
)

_TEKKEN = Pattern(
    name="tekken",
    regex=(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    source="mistralai/mistral-common 1.13, tekken_240911.json (config.pattern)",
)

_CLIP = Pattern(
    name="clip",
    regex=r"(?i:<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+",
    source=(
        "openai/CLIP, clip/simple_tokenizer.py; white space between the pieces is dropped. The model puts text into "
        "lower case before it, the pattern does not; the names of specials in it are pieces of ordinary text"
    ),
    covers=False,
)

_WHITESPACE = Pattern(
    name="whitespace",
    regex=r"[^\s\x1c-\x1f]+",
    source="Python's str.split(); what is between the words is dropped",
    covers=False,
)

_NONE = Pattern(name="none", regex=r"(?s:.+)", source="the whole document is one piece")

_COVERING = (_GPT2, _CL100K, _O200K, _LLAMA3, _QWEN2, _DEEPSEEK3, _TEKKEN)
NAMED: Final = {each.name: each for each in (*_COVERING, _CLIP, _WHITESPACE, _NONE)}
NAMES: Final = tuple(NAMED)
DEFAULT: Final = "cl100k"

# `clip` and `whitespace` go by their names alone: as regular expressions they would keep what lies between the matches.
_BY_SPELLING = {text: each for each in _COVERING for text in (each.regex, *each.spellings)}


def resolve(pattern: object) -> Pattern:
    r"""The pattern that a name or a regular expression stands for.

    Args:
        pattern: one of `NAMES`, any known spelling of one of them, or another regular expression.

    Returns:
        The named pattern, or one whose name is "custom". A custom one is not compiled here.

    Raises:
        ArgumentTypeError: it is no str.
        PatternError: it is empty, looks like a misspelt name, or names a character with `\N{...}`.

    >>> resolve(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+").name
    'gpt2'
    """
    if isinstance(pattern, Pattern):
        return pattern
    if pattern is None:
        raise ArgumentTypeError(f"pattern was not given; pass one of {_names()}, or a regular expression")
    if not isinstance(pattern, str):
        raise ArgumentTypeError(
            f"pattern is {repr(pattern)[:60]} ({type(pattern).__name__}); it must be a str: one of {_names()}, or a "
            "regular expression"
        )
    if not pattern.isascii() and any("\ud800" <= character <= "\udfff" for character in pattern):
        raise PatternError(f"pattern {pattern[:60]!r} holds a lone surrogate, which no text does; leave it out")
    named = NAMED.get(pattern) or _BY_SPELLING.get(pattern)
    if named:
        return named
    _refuse_misspelt(pattern)
    _refuse_character_names(pattern)
    return Pattern(name="custom", regex=pattern, source="given by the caller")


# Cut the same, spelled for Oniguruma in Ruby's syntax: no `$`, no possessive `{1,3}+`.
SPELLED_FOR_RUBY: Final = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s+\z|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}


def of_regex(regex: str) -> Pattern:
    r"""The pattern of a regular expression that a file gives: a known spelling of a named one, or a custom one.

    >>> of_regex(r"\p{N}").name, of_regex("clip").name
    ('custom', 'custom')
    """
    # Some files have the characters themselves.
    escaped = regex.replace("\r", r"\r").replace("\n", r"\n")
    return _BY_SPELLING.get(escaped) or Pattern(name="custom", regex=escaped, source="given by the caller")


def _refuse_misspelt(pattern: str) -> None:
    if not pattern:
        raise PatternError(f"pattern is ''; pass one of {_names()}, or a regular expression")
    near = difflib.get_close_matches(pattern.lower(), NAMES, n=1, cutoff=0.6)
    wordy = re.fullmatch(r"\w+", pattern) is not None
    if wordy or (near and re.fullmatch(r"[\w.\- ]+", pattern)):
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise PatternError(
            f"pattern is {pattern!r}, which is no named pattern{meant}; the names are {_names()}. "
            f"If it is a regular expression, write it as {'(?:' + pattern + ')'!r}"
        )


def _refuse_character_names(pattern: str) -> None:
    r"""Here `\N` is any character but a line feed, so that a name behind it would be read as text."""
    found = re.search(r"(?<!\\)(?:\\\\)*(\\N\{[A-Za-z][^}]*\}?)", pattern)
    if found:
        raise PatternError(
            f"pattern is {pattern!r}; {found[1]} names a character, which this syntax does not have: write the "
            "character itself, or its code as in \\x{e9}"
        )


def _names() -> str:
    return ", ".join(repr(name) for name in NAMES)
