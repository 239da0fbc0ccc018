"""A model into a file of another library: what the format cannot hold is refused by name, the rest is proved first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Final

from bytepair import arguments, formats, whole_file
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, BytepairError, FormatError
from bytepair.formats import adapting, merges_text, minbpe, tiktoken_ranks
from bytepair.formats.adapting import Adapted
from bytepair.formats.tokenizer_json import writing
from bytepair.model import Model
from bytepair.prepared import Prepared
from bytepair.stress import STRESS

FORMATS: Final = ("tokenizer.json", "tiktoken", "vocab+merges", "minbpe")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Args:
        files: the paths, in the order they were written.
        format: its name.
        losses: what the file does not hold, or does otherwise, a sentence each; empty unless `lossy=True`.
        load_with: what `load` needs to make the same tokenizer of it.
    """

    files: tuple[str, ...]
    format: str
    losses: tuple[str, ...] = ()
    load_with: Mapping[str, Any] = field(default_factory=dict)


def export(prepared: Prepared, path: str | PathLike[str], format: str, lossy: bool) -> Exported:
    """Write a model in the format of another library; see `Tokenizer.export`."""
    if not isinstance(path, str | PathLike):
        raise ArgumentTypeError(f"path is {shown(path)} ({kind(path)}); it must be a str or a path")
    name = arguments.choice("format", format, FORMATS)
    adapted = _adapted(prepared.model, name)
    if adapted.losses and not arguments.flag("lossy", lossy):
        listed = "; ".join(adapted.losses)
        raise FormatError(
            f"{name} cannot hold all of this tokenizer: {listed}. Pass lossy=True to write what it can, or keep all "
            "of it with save()"
        )
    files = _files(adapted.model, name, Path(path))
    load_with = _load_with(prepared.model, name)
    if not adapted.losses:
        _prove(prepared, _read_back(files, name, load_with), name)
    for each, data in files.items():
        whole_file.write(each, data)
    return Exported(tuple(map(str, files)), name, adapted.losses, load_with)


def _adapted(model: Model, name: str) -> Adapted:
    if name == "tokenizer.json":
        adapted = adapting.for_tokenizers(model)
        more = dict.fromkeys((*adapted.losses, *writing.differences(adapted.model)))
        return Adapted(adapted.model, tuple(more))
    if name == "tiktoken":
        return adapting.as_ranks(model)
    made = adapting.as_merges(model)
    return Adapted(made, tuple((merges_text if name == "vocab+merges" else minbpe).losses(made)))


def _files(model: Model, name: str, path: Path) -> dict[Path, bytes]:
    if name == "vocab+merges":
        if path.suffix:
            raise ArgumentError(f"path is {str(path)!r}; vocab.json and merges.txt are two files, so pass a folder")
        path.mkdir(parents=True, exist_ok=True)
        vocab, merges = merges_text.write(model)
        return {path / "vocab.json": vocab, path / "merges.txt": merges}
    if name == "tokenizer.json":
        formats.refuse_name(path)
        return {path: writing.write(model, lossy=True)}
    write: Callable[[Model], bytes] = tiktoken_ranks.write if name == "tiktoken" else minbpe.write
    return {path: write(model)}


def _load_with(model: Model, name: str) -> dict[str, Any]:
    """What the format leaves to who loads it."""
    if name in ("tokenizer.json", "minbpe"):
        return {}
    wanted: dict[str, Any] = {"pattern": model.pattern.text}
    return wanted | ({"special_tokens": dict(model.specials)} if model.specials else {})


def _read_back(files: Mapping[Path, bytes], name: str, load_with: Mapping[str, Any]) -> Prepared:
    if name == "vocab+merges":
        vocab, merges = files.values()
        return Prepared(formats.read_vocab_and_merges(vocab, merges, **load_with))
    (data,) = files.values()
    return Prepared(formats.read(data, name, formats.Wishes(**load_with)).model)


def _prove(prepared: Prepared, again: Prepared, name: str) -> None:
    """Every token has its id and bytes, and texts have their ids and come back the same.

    Raises:
        FormatError: something differs; nothing was written.
    """
    if prepared.spelled != again.spelled:
        pairs = enumerate(zip(prepared.spelled, again.spelled, strict=False))
        number, (token, other) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        raise FormatError(f"as {name} the id {number} would be {other!r} instead of {token!r}; nothing was written")
    texts = [*STRESS, *_spellings(prepared)]
    every = [_ids(each, texts) for each in (prepared, again)]
    for text, ids, others in zip(texts, *every, strict=True):
        if ids != others:
            raise FormatError(
                f"as {name} the text {shown(text)} would have the ids {shown(others)} instead of {shown(ids)}; nothing "
                "was written"
            )
    for ids in every[0][: len(STRESS)]:
        if isinstance(ids, list) and prepared.engine.decode_bytes(ids, "raise") != again.engine.decode_bytes(
            ids, "raise"
        ):
            raise FormatError(f"as {name} the ids {shown(ids)} would decode to another text; nothing was written")


def _ids(prepared: Prepared, texts: list[str]) -> list[list[int] | str]:
    """The ids of each text, or what is wrong with it: together where nothing is."""
    engine, special = prepared.engine, prepared.all_special_ids
    try:
        return [*engine.encode_batch(texts, special, 1)]
    except BytepairError:
        return [_ids_of_one(prepared, text) for text in texts]


def _ids_of_one(prepared: Prepared, text: str) -> list[int] | str:
    try:
        return prepared.engine.encode(text, prepared.all_special_ids)
    except BytepairError as error:
        return str(error)


def _spellings(prepared: Prepared) -> list[str]:
    """The tokens that are text, each by itself and within a text."""
    texts = [token.decode() for token in prepared.spelled if token is not None and _is_text(token)]
    return [*texts, *(f"x {text}y" for text in texts)]


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
