"""What is named as a tokenizer on the command line -> the tokenizer: a file, or one of OpenAI's encodings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bytepair import formats
from bytepair.cli.refusal import Refusal
from bytepair.errors import MissingFileError
from bytepair.tiktoken import get_encoding
from bytepair.tiktoken.load import cache_folder
from bytepair.tiktoken.published import PUBLISHED
from bytepair.tokenizer import Tokenizer, load

SpecialIds = Mapping[str, int] | None


def open_tokenizer(file: Path, pattern: str | None) -> Tokenizer:
    """Load a tokenizer, with a word on how to get one where there is none.

    Args:
        file: a file; or the name of one of OpenAI's encodings, whose file is at hand.
        pattern: for a file that holds none. OpenAI's files hold none either, and their names say which is theirs.
    """
    if not file.exists():
        if str(file) in PUBLISHED:
            if pattern is not None:
                raise Refusal(f"--pattern is {pattern!r}, and {str(file)!r} has its own; leave it out")
            return _encoding(str(file))
        raise Refusal(
            f"there is no tokenizer file {str(file)!r}; name one with -t, or make one with `bytepair demo` "
            "or `bytepair train`"
        )
    pattern, special_tokens = unsaid(file, pattern, None)
    return load(file, pattern=pattern, special_tokens=special_tokens)


def _encoding(name: str) -> Tokenizer:
    """One of OpenAI's, of a file in this folder or in that where tiktoken keeps them."""
    published = PUBLISHED[name]
    ranks = [Path(each.name) for each in published.files if each.name.endswith(".tiktoken")]
    for path in ranks:
        if path.is_file():
            return load(path, pattern=published.pat_str, special_tokens=published.special_tokens)
    try:
        return Tokenizer(get_encoding(name)._model)
    except MissingFileError as error:
        raise Refusal(
            f"{name!r} is one of OpenAI's encodings, and its file, {ranks[-1].name}, is neither in this folder nor in "
            f"{str(cache_folder()[0])!r}, where tiktoken keeps such files. Nothing is fetched from a network; put it "
            "here, or set TIKTOKEN_CACHE_DIR to its folder"
        ) from error


def open_one_of_several(file: Path, pattern: str | None, special_tokens: SpecialIds = None) -> Tokenizer:
    """Load a tokenizer where pattern and special tokens are for those of several files that hold none."""
    if not file.exists():
        return open_tokenizer(file, None)
    if not formats.needs_pattern(file):
        return load(file)
    pattern, special_tokens = unsaid(file, pattern, special_tokens)
    return load(file, pattern=pattern, special_tokens=special_tokens)


def unsaid(file: Path, pattern: str | None, special_tokens: SpecialIds) -> tuple[str | None, SpecialIds]:
    """Pattern and special tokens of a file that holds neither: as given, else by the name that OpenAI gave it."""
    published = PUBLISHED.get(file.stem) if file.suffix == ".tiktoken" else None
    if published is None or pattern is not None:
        return pattern, special_tokens
    return published.pat_str, special_tokens or published.special_tokens
