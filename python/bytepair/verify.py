"""Two tokenizers on texts: the same ids, or the first difference, on the shortest text that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentTypeError, BytepairError
from bytepair.render import number_of
from bytepair.stress import STRESS
from bytepair.tokenizer import load

# A tokenizer, of any library, or a function from a text to its ids.
Encoder: TypeAlias = Any
STAGES = ("normalise", "split", "merge", "post-process", "encode")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two tokenizers part.

    Args:
        index: of the text that showed it, from 0.
        text: the shortest text found that shows it.
        left: what the first makes of it: its ids, or the error it raises.
        right: what the second does.
        stage: where it arises: "normalise", "split", "merge", "post-process"; "encode" where the tokenizers do not show
            their stages.
        hint: what would make them agree, where that is seen; else "".
    """

    index: int
    text: str
    left: list[int] | str
    right: list[int] | str
    stage: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether two tokenizers agree: true or false, and in words.

    Args:
        n_texts: texts compared, the one that differs among them.
        n_tokens: ids that were the same.
        difference: the first one, or None.
    """

    n_texts: int
    n_tokens: int
    difference: Difference | None

    def __bool__(self) -> bool:
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is None:
            return f"the same: {number_of(self.n_texts, 'text')}, {number_of(self.n_tokens, 'token')}"
        found = self.difference
        return (
            f"they differ in text {found.index}, at the stage {found.stage!r}; the shortest text that shows it is "
            f"{found.text!r}: {shown(found.left, 200)} and {shown(found.right, 200)}"
            + (f"; {found.hint}" if found.hint else "")
        )


def verify(
    a: Encoder, b: Encoder, texts: Iterable[str] | None = None, *, add_special_tokens: bool = False
) -> Verification:
    """Compare what two tokenizers make of texts.

    Args:
        a: a `Tokenizer`, or the path of a file, which then matches special tokens as other libraries do; or what has an
            `encode` method, as the tokenizers of other libraries; or a function from a text to its ids.
        b: the other.
        texts: str each; None: texts of our own on which tokenizers part most often.
        add_special_tokens: also compare what a model's own template puts around a text, where the tokenizers have one.

    Returns:
        A result that is true where all ids are the same, and else holds the first difference.

    Raises:
        ArgumentTypeError: a or b is no tokenizer, or a text is no str.
        BytepairError: a file cannot be read, as in `load`.

    >>> from bytepair import train
    >>> small = train(["low lower lowest"], num_merges=2)
    >>> print(verify(small, small.at(num_merges=1), ["to", "a slow one"]))
    they differ in text 1, at the stage 'merge'; the shortest text that shows it is 'low': [257] and [256, 119]
    """
    left, right = _Side(a, "a", add_special_tokens), _Side(b, "b", add_special_tokens)
    n_texts = n_tokens = 0
    for text in STRESS if texts is None else _each(texts):
        n_texts += 1
        ids = left.ids(text)
        if ids != right.ids(text):
            shortest = _shortest(text, lambda part: left.ids(part) != right.ids(part))
            stage = _stage(left, right, shortest)
            hint = _hint(left, right, shortest) or _hint(right, left, shortest)
            found = Difference(n_texts - 1, shortest, left.ids(shortest), right.ids(shortest), stage, hint)
            return Verification(n_texts, n_tokens, found)
        n_tokens += len(ids)
    return Verification(n_texts, n_tokens, None)


def _each(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise ArgumentTypeError(f"texts is {shown(texts)} ({kind(texts)}); it must be a list of str: [text]")
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise ArgumentTypeError(f"texts[{index}] is {shown(text)} ({kind(text)}); it must be a str")
        yield text


class _Side:
    """One of the two, whatever its library."""

    def __init__(self, encoder: Encoder, name: str, add_special_tokens: bool) -> None:
        # A str has an encode method as well.
        encoder = load(encoder) if isinstance(encoder, str | PathLike) else encoder
        self.encoder = encoder
        self.is_ours = hasattr(encoder, "model") and hasattr(encoder, "special_tokens") and hasattr(encoder, "token_id")
        self.call: Callable[[str], Any]
        # What other libraries call the same.
        options: dict[str, Any] = {"add_special_tokens": add_special_tokens}
        if self.is_ours:
            options["special"] = "all"
        if hasattr(encoder, "encode"):
            self.call = lambda text: _with_options(encoder.encode, text, options)
        elif callable(encoder):
            self.call = encoder
        else:
            raise ArgumentTypeError(
                f"{name} is {shown(encoder)} ({kind(encoder)}); it must be a Tokenizer or a path, have an encode "
                "method, or be a function from a text to its ids"
            )

    def ids(self, text: str) -> list[int] | str:
        """The ids of a text; an error as its message."""
        try:
            found = self.call(text)
        except BytepairError as error:
            return str(error)
        except Exception as error:  # of another library, whose kinds are not known here
            return f"{kind(error)}: {error}"
        return [int(number) for number in getattr(found, "ids", found)]

    def stages(self, text: str) -> dict[str, Any]:
        """What the text is after each stage that can be seen."""
        if self.is_ours:
            pieces = self.encoder.pieces(text, special="all")
            return {"normalise": self.encoder.normalized(text), "split": pieces}
        seen: dict[str, Any] = {}
        if hasattr(self.encoder, "pre_tokenizer") and hasattr(self.encoder, "normalizer"):
            normalizer, cutter = self.encoder.normalizer, self.encoder.pre_tokenizer
            seen["normalise"] = normalizer.normalize_str(text) if normalizer else text
            cut = cutter.pre_tokenize_str(seen["normalise"]) if cutter else [(seen["normalise"], None)]
            seen["split"] = [piece for piece, _ in cut if piece]
        return seen


def _with_options(encode: Callable[..., Any], text: str, options: dict[str, Any]) -> Any:
    """With the options that this library has, as far as it takes them."""
    try:
        return encode(text, **options)
    except TypeError:
        return encode(text)


def _stage(left: _Side, right: _Side, text: str) -> str:
    a, b = left.stages(text), right.stages(text)
    if not a or not b:
        return "encode"
    if a["normalise"] != b["normalise"]:
        return "normalise"
    if _spelled(a["split"]) != _spelled(b["split"]):
        return "split"
    plain = [_Side(each.encoder, "a", False).ids(text) for each in (left, right)]
    return "merge" if plain[0] != plain[1] else "post-process"


def _hint(one: _Side, other: _Side, text: str) -> str:
    """What to do where the text holds a special token that only one of the two has."""
    if not one.is_ours or not other.is_ours:
        return ""
    lacking = {name: number for name, number in one.encoder.special_tokens.items() if name in text}
    lacking = {name: number for name, number in lacking.items() if name not in other.encoder.special_tokens}
    if not lacking:
        return ""
    name, number = next(iter(lacking.items()))
    return (
        f"{name!r} is a special token of one and not of the other, whose file may hold none: load that with "
        f"special_tokens={{{name!r}: {number}, ...}} (--special-id {name!r} {number})"
    )


def _spelled(pieces: Sequence[str]) -> list[str]:
    """Pieces, however bytes are written in them."""
    return [piece.replace("\u0120", " ").replace("\u010a", "\n") for piece in pieces]


def _shortest(text: str, differs: Callable[[str], bool]) -> str:
    """A text that still differs, from which no part of a halving size can be taken; a few hundred tries."""
    size = max(1, len(text) // 2)
    while True:
        start, shrunk = 0, False
        while start < len(text):
            part = text[:start] + text[start + size :]
            if differs(part):
                text, shrunk = part, True
            else:
                start += size
        if size == 1 and not shrunk:
            return text
        size = max(1, min(size // 2 if not shrunk or size > 1 else 1, len(text)))
