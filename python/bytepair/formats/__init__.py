"""Model <-> file. One registry; a format is recognised by its contents, never by its name."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Final, cast

from bytepair import arguments, whole_file
from bytepair.arguments import kind, shown
from bytepair.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormatError,
    MissingFileError,
    PermissionDeniedError,
    UnreadableFileError,
)
from bytepair.formats import (
    merges_text,
    minbpe,
    sentencepiece_model,
    subword_nmt,
    tekken,
    tiktoken_ranks,
    tokenizer_json,
)
from bytepair.formats.places import Place, parse
from bytepair.model import Model

NAMES: Final = (
    *("tokenizer.json", "tiktoken", "tekken", "vocab+merges", "sentencepiece", "clip", "subword-nmt", "minbpe"),
)
# What stands beside a file, or in a folder, by name.
_IN_FOLDERS: Final = ("tokenizer.json", "tekken.json", "vocab.json", "tokenizer.model")
# A file of more bytes is no vocabulary; the largest known have 40 MB.
MAX_BYTES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a caller says that files do not.

    Args:
        pattern: what cuts text, where the file does not say.
        special_tokens: text -> id, where the file holds none.
        vocabulary: of subword-nmt: a file or token -> count.
        threshold: the least count of a token of it.
        glossaries: of subword-nmt: texts that are tokens wherever they stand.
    """

    pattern: str | None = None
    special_tokens: Mapping[str, int] | None = None
    vocabulary: object = None
    threshold: int | None = None
    glossaries: object = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The contents of a file, what to call it in messages, and where it is, if that is known."""

    data: bytes
    where: str
    path: Path | None


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: the model, the name of the format, and the file."""

    model: Model
    format: str
    where: str


def read(source: object, format: str | None = None, wishes: Wishes = Wishes()) -> Read:
    """Read a model; see `bytepair.load`."""
    name = None if format is None else arguments.choice("format", format, NAMES)
    given = _contents(source)
    if name in (None, "tokenizer.json") and _is_json(given.data):
        quick = tokenizer_json.parsed(given.data, given.where)
        with contextlib.suppress(tokenizer_json.SlowError, FormatError):
            if quick is not None and not (wishes.vocabulary or wishes.threshold or wishes.glossaries):
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    model = tokenizer_json.read(quick, wishes.pattern, wishes.special_tokens)
                for each in said:
                    warnings.warn(each.message, stacklevel=3)
                return Read(model, "tokenizer.json", given.where)
    # JSON is parsed once: to know its kind, and to read it.
    top = parse(given.data, given.where) if name in _JSON or (name is None and _is_json(given.data)) else None
    name = name or _recognised(given, top)
    if name != "subword-nmt":
        for key, value in (("vocabulary", wishes.vocabulary), ("threshold", wishes.threshold)):
            if value is not None:
                raise ArgumentError(f"{key} is {shown(value)}, and {given.where} is {name}; only subword-nmt has one")
        if wishes.glossaries:
            raise ArgumentError(f"glossaries were given, and {given.where} is {name}; only subword-nmt has them")
    return Read(_READERS[name](given, top, wishes), name, given.where)


def needs_pattern(path: Path) -> bool:
    """Whether a file is of a format that holds no split pattern."""
    given = _contents(path)
    top = parse(given.data, given.where) if _is_json(given.data) else None
    return _recognised(given, top) in ("tiktoken", "vocab+merges")


_JSON: Final = ("tokenizer.json", "tekken")


def _is_json(data: bytes) -> bool:
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def _recognised(given: Source, top: Place | None) -> str:
    if top is not None:
        keys = top.keys()
        if "model" in keys or not keys:
            return "tokenizer.json"
        if "config" in keys and isinstance(top.value.get("vocab"), list):
            return "tekken"
        if type(next(iter(top.value.values()))) is int:
            return "vocab+merges"
        return "tokenizer.json"
    for name, recognise in _MARKS:
        if recognise(given.data):
            return name
    if (
        given.path is not None
        and given.path.name.endswith("merges.txt")
        and _beside(given.path, "vocab.json").is_file()
    ):
        return "vocab+merges"
    if subword_nmt.recognise(given.data):
        return "subword-nmt"
    raise FormatError(
        f"{given.where}: its contents ({shown(given.data[:20])}) are of no known format; the formats are "
        f"{', '.join(NAMES)}; format=... forces one"
    )


_MARKS: Final = (
    ("minbpe", minbpe.recognise),
    ("clip", merges_text.recognise_gz),
    ("tiktoken", tiktoken_ranks.recognise),
    ("sentencepiece", sentencepiece_model.recognise),
)


def _read_vocab_and_merges(given: Source, top: Place | None, wishes: Wishes) -> Model:
    path = given.path
    if path is None:
        raise ArgumentError(
            f"{given.where}: vocab.json and merges.txt are two files that stand side by side; pass the path "
            "of one, or of their folder"
        )
    if top is None:
        merges, vocab = given, _file(_beside(path, "vocab.json"))
    else:
        vocab, merges = given, _file(_beside(path, "merges.txt"))
    parsed = top or parse(vocab.data, vocab.where)
    pairs = merges_text.pairs_of(merges_text.numbered(merges.data, merges.where), merges.where)
    return merges_text.with_vocabulary(parsed, pairs, merges.where, wishes.pattern, wishes.special_tokens)


def read_vocab_and_merges(
    vocab: bytes, merges: bytes, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Model:
    """Read the contents of the two files."""
    pairs = merges_text.pairs_of(merges_text.numbered(merges, "merges.txt"), "merges.txt")
    return merges_text.with_vocabulary(parse(vocab, "vocab.json"), pairs, "merges.txt", pattern, special_tokens)


def _beside(path: Path, name: str) -> Path:
    """The other file: "x-vocab.json" stands beside "x-merges.txt"."""
    other = "merges.txt" if name == "vocab.json" else "vocab.json"
    return path.with_name(path.name.removesuffix(other) + name if path.name.endswith(other) else name)


def _read_subword_nmt(given: Source, top: Place | None, wishes: Wishes) -> Model:
    for name, value in (("pattern", wishes.pattern), ("special_tokens", wishes.special_tokens)):
        if value is not None:
            raise ArgumentError(f"{name} is {value!r}, and subword-nmt cuts at spaces and has none; leave {name} out")
    words = wishes.vocabulary
    if words is not None and not isinstance(words, Mapping):
        source = _contents(words)
        words = subword_nmt.read_vocabulary(source.data, source.where)
    least = None if wishes.threshold is None else arguments.integer("threshold", wishes.threshold, 1)
    return subword_nmt.read(given.data, given.where, words, least, subword_nmt.check_glossaries(wishes.glossaries))


Reader = Callable[[Source, Place | None, Wishes], Model]


def _plain(reader: Callable[[bytes, str, str | None, Mapping[str, int] | None], Model]) -> Reader:
    return lambda given, top, wishes: reader(given.data, given.where, wishes.pattern, wishes.special_tokens)


def _parsed(reader: Callable[[Place, str | None, Mapping[str, int] | None], Model]) -> Reader:
    def read(given: Source, top: Place | None, wishes: Wishes) -> Model:
        return reader(top or parse(given.data, given.where), wishes.pattern, wishes.special_tokens)

    return read


_READERS: Final[Mapping[str, Reader]] = {
    "tokenizer.json": _parsed(tokenizer_json.read),
    "tiktoken": _plain(tiktoken_ranks.read),
    "tekken": _parsed(tekken.read),
    "vocab+merges": _read_vocab_and_merges,
    "sentencepiece": _plain(sentencepiece_model.read),
    "clip": _plain(merges_text.read_clip),
    "subword-nmt": _read_subword_nmt,
    "minbpe": _plain(minbpe.read),
}


def write(model: Model, path: str | PathLike[str]) -> None:
    """Write a model to a tokenizer.json file, whole or not at all; see `Tokenizer.save`."""
    if not isinstance(path, str | PathLike):
        raise ArgumentTypeError(f"path is {shown(path)} ({kind(path)}); it must be a str or a path")
    refuse_name(path)
    whole_file.write(path, tokenizer_json.write(model))


def refuse_name(path: str | PathLike[str]) -> None:
    """Refuse to write a tokenizer.json under a name that promises ranks: other programs go by it.

    Raises:
        ArgumentError: it ends in .tiktoken.
    """
    name = os.fsdecode(path)
    if name.lower().endswith(".tiktoken"):
        raise ArgumentError(
            f"{shown(name, 200)} is named as a file of ranks, and a tokenizer is saved as tokenizer.json, which holds "
            "all of it; use a name that ends in .json"
        )


def _contents(source: object) -> Source:
    """The bytes of a file, and what to call it in messages."""
    if isinstance(source, bytes | bytearray | memoryview):
        return Source(bytes(source), "the bytes given", None)
    if isinstance(source, str | PathLike):
        return _file(_in_folder(Path(source)), source)
    if hasattr(source, "read"):
        return _stream(cast("IO[bytes]", source))
    raise ArgumentTypeError(
        f"path is {shown(source)} ({kind(source)}); it must be a path, the contents as bytes, or an open binary file"
    )


def _in_folder(path: Path) -> Path:
    """The tokenizer file of a folder that has one."""
    try:
        found = [path / name for name in _IN_FOLDERS if path.is_dir() and (path / name).is_file()]
    except (OSError, ValueError):
        found = []
    return found[0] if found else path


def _stream(stream: IO[bytes]) -> Source:
    data = stream.read()
    if not isinstance(data, bytes):
        raise ArgumentTypeError(f"the file gives {kind(data)}; open it in binary mode: open(path, 'rb')")
    return Source(data, repr(getattr(stream, "name", "the file given")), None)


def _file(path: Path, given: str | PathLike[str] | None = None) -> Source:
    where = repr(os.fspath(given if given is not None and path == Path(given) else path))
    return Source(_file_contents(path), where, path)


def _file_contents(path: Path) -> bytes:
    whole_file.refuse_special_file(path)
    try:
        n_bytes = path.stat().st_size
        if n_bytes > MAX_BYTES:
            raise FormatError(
                f"{str(path)!r} has {n_bytes:,} bytes; no tokenizer file has more than {MAX_BYTES:,}: name another"
            )
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise MissingFileError(f"there is no file {shown(str(path), 200)}; check the path") from error
    except PermissionError as error:
        raise PermissionDeniedError(
            f"{str(path)!r} cannot be read: {error.strerror}; change its permissions"
        ) from error
    except IsADirectoryError as error:
        raise UnreadableFileError(f"{str(path)!r} is a folder; name the tokenizer file in it") from error
    except OSError as error:
        raise UnreadableFileError(f"{shown(str(path), 200)} cannot be read: {error.strerror}") from error
