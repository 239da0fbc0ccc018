"""Texts to measure on, by language or by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.corpus import files, refuse_marks, unreadable
from bytepair.errors import ArgumentTypeError

Text: TypeAlias = "str | bytes"
Texts: TypeAlias = (
    "str | PathLike[str] | Iterable[str | bytes | PathLike[str]] "
    "| Mapping[str, str | bytes | PathLike[str] | Iterable[str | bytes]]"
)


def groups(texts: object) -> tuple[dict[str, list[str]], list[str]]:
    """Texts by the name of their group, and remarks on what had to be mended.

    Args:
        texts: name -> a text, a list of texts, or a path; or a path, a folder or a glob, each file a group; or an
            iterable of texts, which are one group, and paths.

    Raises:
        ArgumentTypeError: it is none of these.
        MissingFileError, UnreadableFileError, EncodingError: a file cannot be read.

    >>> groups({"en": "the cat", "de": ["die", "Katze"]})
    ({'en': ['the cat'], 'de': ['die', 'Katze']}, [])
    """
    remarks: list[str] = []
    found: dict[str, list[str]] = {}
    for name, text in _named(texts):
        found.setdefault(name, []).extend(_as_text(name, text, remarks))
    return found, list(dict.fromkeys(remarks))


def _named(texts: object) -> Iterable[tuple[str, object]]:
    if isinstance(texts, Mapping):
        for name, value in texts.items():
            if not isinstance(name, str):
                raise ArgumentTypeError(f"the name {shown(name)} ({kind(name)}) of a group of texts must be a str")
            is_many = isinstance(value, Iterable) and not isinstance(value, str | bytes | PathLike)
            yield from ((name, each) for each in value) if is_many else [(name, value)]
            if is_many and not value:
                yield name, ""
    elif isinstance(texts, str | PathLike):
        yield from ((str(path), path) for path in files(texts))
    elif isinstance(texts, Iterable) and not isinstance(texts, bytes | bytearray):
        for each in texts:
            yield (str(each) if isinstance(each, PathLike) else "texts"), each
    else:
        raise ArgumentTypeError(
            f"texts is {shown(texts)} ({kind(texts)}); it must be a list of texts, a path, or a mapping of names to "
            "texts"
        )


def _as_text(name: str, text: object, remarks: list[str]) -> Iterable[str]:
    if isinstance(text, PathLike):
        for path in files(text):
            yield from _as_text(name, _contents(path), remarks)
        return
    if isinstance(text, bytes):
        # All are given the same text, and most take only str.
        decoded = text.decode("utf-8", "replace")
        if decoded.encode() != text:
            remarks.append(f"{name} holds bytes that are not UTF-8; each became U+FFFD, for all tokenizers alike.")
        yield decoded
        return
    if not isinstance(text, str):
        raise ArgumentTypeError(f"a text of {name!r} is {shown(text)} ({kind(text)}); it must be str, bytes or a path")
    yield arguments.without_surrogates(text, "replace", name)


def _contents(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(str(path), error) from error
    refuse_marks(data, repr(str(path)))
    return data
