"""One file into another: load, prove, write."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath

from bytepair.errors import ArgumentError
from bytepair.export import FORMATS, Exported
from bytepair.tokenizer import load


def convert(
    source: str | PathLike[str] | bytes,
    target: str | PathLike[str],
    format: str | None = None,
    *,
    source_format: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    lossy: bool = False,
) -> Exported:
    """Convert a tokenizer file to another format. Every token and texts of many kinds are checked before it is written.

    Args:
        source: a file that `load` opens, or its contents.
        target: the file to write, a folder for "vocab+merges".
        format: "tokenizer.json", "tiktoken", "vocab+merges" or "minbpe"; None: by the name of the target: .json,
            .tiktoken, or a folder.
        source_format: as `format` in `load`.
        pattern: as in `load`.
        special_tokens: as in `load`.
        lossy: write it even if the format cannot hold all of the tokenizer; the result then lists what is missing.

    Returns:
        What was written, what was lost, and what `load` needs to open it.

    Raises:
        FormatError: the format cannot hold all of it, and lossy is False; names all that it cannot. Or the source is
            broken.
        ArgumentError, MissingFileError, UnreadableFileError: as in `load` and `Tokenizer.save`.

    >>> import tempfile, pathlib
    >>> from bytepair import train
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> train(["low lower"], num_merges=2).save(folder / "tokenizer.json")
    >>> done = convert(folder / "tokenizer.json", folder / "ranks.tiktoken")
    >>> done.format, done.load_with
    ('tiktoken', {'pattern': 'cl100k'})
    """
    name = format or _format_of(fspath(target))
    tok = load(source, source_format, pattern, special_tokens)
    return tok.export(target, name, lossy=lossy)


def _format_of(target: str) -> str:
    if target.lower().endswith(".model"):
        raise ArgumentError(
            f"target is {target!r}; files of that ending are SentencePiece's, which bytepair reads and does not "
            "write, or minbpe's: pass format='minbpe' (--format minbpe) for one of those"
        )
    known = {".json": "tokenizer.json", ".tiktoken": "tiktoken"}
    found = next((name for ending, name in known.items() if target.lower().endswith(ending)), None)
    if found is None and "." not in target.replace("\\", "/").rpartition("/")[2]:
        found = "vocab+merges"
    if found is None:
        raise ArgumentError(
            f"target is {target!r}, whose name tells no format; pass format=, one of {', '.join(FORMATS)}"
        )
    return found
