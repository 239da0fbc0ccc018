"""Texts in parts, with special tokens between them: each text is one by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, BytepairError, SpecialTokenError
from bytepair.prepared import Prepared, Text


@dataclass(frozen=True, slots=True)
class Special:
    """A special token in a list of parts: the token itself, whatever `special` says of text that looks like it.

    Args:
        text: its text, such as "<|end|>".

    Raises:
        ArgumentTypeError: it is no str.

    >>> from bytepair import train
    >>> tok = train(["a b"], num_merges=0, special_tokens=["<|end|>"])
    >>> tok.encode(["a", Special("<|end|>"), "b"])
    [97, 256, 98]
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ArgumentTypeError(
                f"Special takes the text of a special token, not {shown(self.text)} ({kind(self.text)})"
            )


Parts: TypeAlias = "list[Text | Special] | tuple[Text | Special, ...]"
Result = TypeVar("Result")


def each(
    prepared: Prepared,
    parts: Parts,
    of_text: Callable[[Text, int, str], Result],
    of_special: Callable[[int], Result],
) -> list[Result]:
    """What `of_text(text, index, what messages call it)` and `of_special(id)` make of the parts."""
    made: list[Result] = []
    for index, part in enumerate(_with_special(parts)):
        if isinstance(part, Special):
            made.append(of_special(_id_of(prepared, part, index)))
            continue
        try:
            made.append(of_text(part, index, f"part {index}"))
        except BytepairError as error:
            error.add_note(f"in part {index} of the text")
            raise
    return made


def _with_special(parts: Parts) -> Parts:
    """A list without any special token is more often a batch that was given to the wrong call."""
    if not any(isinstance(part, Special) for part in parts):
        raise ArgumentTypeError(
            f"the text is {shown(parts)} ({kind(parts)}); it must be str or bytes, or a list of such parts with at "
            "least one Special between them; encode_batch takes a list of texts"
        )
    return parts


def _id_of(prepared: Prepared, part: Special, index: int) -> int:
    number = prepared.model.specials.get(part.text)
    if number is None:
        known = arguments.listed(prepared.model.specials)
        raise SpecialTokenError(f"part {index} is {shown(part)}, which is no special token here; {known}")
    return number
