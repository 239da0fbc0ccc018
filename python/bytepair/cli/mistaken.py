"""What is hardly ever meant where files of text are named: tokenizer files, and texts themselves."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import click

from bytepair.arguments import shown
from bytepair.cli.refusal import Refusal
from bytepair.formats import minbpe, sentencepiece_model, tiktoken_ranks

# As much of a file as tells what it is.
_HEAD: Final = 4096
_JSON: Final = re.compile(rb'\s*\{\s*(?:"version"[^{}]*"added_tokens"|"config"\s*:\s*\{\s*"pattern")', re.DOTALL)
_MARKS: Final[Mapping[str, Callable[[bytes], bool]]] = {
    ".json": lambda head: _JSON.match(head) is not None,
    ".tiktoken": tiktoken_ranks.recognise,
    ".model": lambda head: sentencepiece_model.recognise(head) or minbpe.recognise(head),
}
# What a folder of texts may hold, since a training wrote it there.
_IN_FOLDERS: Final = ("tokenizer.json", "tekken.json")


def refuse_tokenizers(arguments: Iterable[str]) -> None:
    """Refuse a tokenizer file that is named as a text, and warn of one in a folder of texts."""
    for argument in arguments:
        path = Path(argument)
        if path.is_file() and is_tokenizer_file(path):
            raise Refusal(
                f"{argument!r} is a tokenizer file, where text is expected; name texts, or, if its own bytes are "
                "meant, pipe it in and name - for it"
            )
        for inner in (path / name for name in _IN_FOLDERS if path.is_dir()):
            if inner.is_file() and is_tokenizer_file(inner):
                click.echo(
                    f"Warning: {str(inner)!r} is a tokenizer file, and is read as text like the others", err=True
                )


def refuse_texts(arguments: Iterable[str]) -> None:
    """Refuse what is no path and has a space in it, as texts have."""
    for argument in arguments:
        if " " in argument.strip() and not glob.has_magic(argument) and not Path(argument).exists():
            raise Refusal(
                f"there is no file or folder {shown(argument)}; check the path; if it is a text, pipe it in and name - "
                "for it"
            )


def is_tokenizer_file(path: Path) -> bool:
    """Whether a file has the name and the beginning of one; a text that merely looks like one has another name."""
    recognise = _MARKS.get(path.suffix)
    if recognise is None:
        return False
    try:
        with path.open("rb") as stream:
            return recognise(stream.read(_HEAD))
    except OSError:
        return False  # said better by what reads it
