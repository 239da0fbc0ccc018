"""What a loaded file does round the merges beyond a model's own parts. It never changes."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bytepair.arguments import shown
from bytepair.errors import ModelError
from bytepair.frozen import FrozenDict

# As sentencepiece and tokenizers spell them.
_BYTE: Final = re.compile(rb"<0x([0-9A-F]{2})>")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a normalizer, a pre-tokenizer or a decoder, as its file names it.

    Args:
        name: such as "Replace".
        settings: what it goes by, by name. A pattern is a pair: ("text", it), ("regex", it), or the name of a split
            pattern and its regular expression.

    >>> Step("Digits", {"individual_digits": True}).settings["individual_digits"]
    True
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", FrozenDict(dict(self.settings)))


@dataclass(frozen=True, slots=True)
class Added:
    """A token that is found in text before all else.

    Args:
        text: what is looked for.
        id: what it becomes.
        special: a control token, found only where a call says so; others are found always.
        single_word: found only where no letter, digit or underscore is beside it.
        lstrip: it takes the white space before it.
        rstrip: it takes the white space behind it.
        normalized: it is looked for in the normalized text.
    """

    text: str
    id: int
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What happens to text before and after the merges, beyond the parts of a `Model`.

    Args:
        normalizer: what happens to text between added tokens, in order.
        cutting: what cuts it, in order; empty: nothing does; None: the model's pattern.
        decoder: how tokens become text, in order; empty: they stand with a space between; None: as in a model without a
            frame.
        added: tokens that are found before all else, special ones among them, in the order of their file.
        before: ids that `add_special_tokens` puts before a text.
        after: ids that it puts behind.
        post_processor: where those two come from, as the JSON of its file.
        byte_fallback: an unknown character becomes the tokens of its bytes, "<0x00>" to "<0xFF>".
        fuse_unk: unknown characters in a row become one unknown token.
        ignore_merges: a piece that is a token is that token.
        subword_prefix: what every symbol but the first of a piece begins with, or None.
        leftmost: (left id, right id) of pairs that merge when no others can any more, the leftmost first.
        scores: (id, place) of tokens that merge by score instead of by a list: any two neighbours that spell one of
            them, the least place first, of equal places the leftmost.
        unused: ids of tokens that merge by score, and are taken apart again in the end.
        replaced: (id, ids) of tokens that become others after all merges.
        stored: what the file has its library do to every text that is not done here (truncation, padding, dropout), as
            JSON.

    A model over characters with a frame leaves unknown characters out where it has neither an unknown token nor those
    of bytes.

    >>> Frame(normalizer=(Step("NFC"),)).changes_text
    True
    """

    normalizer: tuple[Step, ...] = ()
    cutting: tuple[Step, ...] | None = None
    decoder: tuple[Step, ...] | None = None
    added: tuple[Added, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    post_processor: str | None = None
    byte_fallback: bool = False
    fuse_unk: bool = False
    ignore_merges: bool = False
    subword_prefix: str | None = None
    leftmost: tuple[tuple[int, int], ...] = ()
    scores: tuple[tuple[int, int], ...] = ()
    unused: tuple[int, ...] = ()
    replaced: tuple[tuple[int, tuple[int, ...]], ...] = ()
    stored: str | None = None

    def __post_init__(self) -> None:
        for name in ("normalizer", "cutting", "decoder"):
            steps = getattr(self, name)
            if steps is not None and not (isinstance(steps, tuple) and all(isinstance(each, Step) for each in steps)):
                raise ModelError(f"{name} of the frame is {shown(steps)}; it must be a tuple of Step")
        if not (isinstance(self.added, tuple) and all(isinstance(each, Added) for each in self.added)):
            raise ModelError(f"added of the frame is {shown(self.added)}; it must be a tuple of Added")

    @property
    def changes_text(self) -> bool:
        """Whether pieces may be spelled otherwise than in the text."""
        rewriting = {"Metaspace", "ByteLevel"}
        return bool(self.normalizer) or any(each.name in rewriting for each in self.cutting or ())

    def byte_of(self, token: bytes) -> int | None:
        """The byte that a token such as "<0x0A>" stands for; None where it is none, or bytes have no tokens here."""
        found = _BYTE.fullmatch(token) if self.byte_fallback else None
        return int(found[1], 16) if found else None

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON has it; `of_json` makes the frame again."""
        made: dict[str, Any] = _plain(dataclasses.asdict(self))
        return made

    @staticmethod
    def of_json(value: Mapping[str, Any]) -> Frame:
        """The frame that `as_json` described.

        Raises:
            ModelError: it has other parts, or parts of other types.
        """
        try:
            parts = {name: _typed(each) for name, each in value.items()}
            for name in ("normalizer", "cutting", "decoder"):
                if parts[name] is not None:
                    parts[name] = tuple(Step(**each) for each in parts[name])
            parts["added"] = tuple(Added(**each) for each in parts["added"])
            return Frame(**parts)
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise ModelError(f"the frame is not one that this version writes: {error}; get the file again") from None

    def described(self) -> str:
        """All of it as text, the same for the same frame."""
        return json.dumps(self.as_json(), sort_keys=True)

    def for_engine(self, alphabet: str, suffix: str | None) -> dict[str, Any]:
        """What `Engine` takes: over bytes a ByteLevel step cuts, and leaves the bytes as they are."""
        return {
            "normalizer": [_step(each) for each in self.normalizer],
            "cutting": None if self.cutting is None else _lowered(self.cutting, alphabet),
            "decoder": None if self.decoder is None else [_step(each) for each in self.decoder],
            "added": [dataclasses.asdict(each) for each in self.added],
            "options": {
                "byte_fallback": self.byte_fallback,
                "fuse_unk": self.fuse_unk,
                "ignore_merges": self.ignore_merges,
                "subword_prefix": None if self.subword_prefix is None else self.subword_prefix.encode(),
                "leftmost": list(self.leftmost),
                "scores": list(self.scores),
                "unused": list(self.unused),
                "replaced": list(self.replaced),
                "suffix": None if suffix is None else suffix.encode(),
                "spells": alphabet == "chars",
            },
        }


def losses_of_frame(frame: Frame) -> Iterator[str]:
    """What the steps and options of a frame do to texts that does not come back, a sentence each."""
    keeping = {"Prepend", "ByteLevel"}
    for step in frame.normalizer:
        if step.name == "SentencePiece":
            yield from _losses_of_sentencepiece(step)
        elif step.name == "Replace" and step.settings["pattern"] == ("text", " "):
            yield f"A {step.settings['content']!r} in a text may come back as a space."
        elif step.name == "LowercaseText":
            yield (
                "Texts are put into lower case. CLIP's own code mends them before that (ftfy, HTML's `&amp;` and the "
                "like twice), which is not done here: do it before encode."
            )
        elif step.name not in keeping:
            yield f"The normalizer {step.name} changes texts before they are encoded."
    for step in frame.cutting or ():
        yield from _losses_of_cut(step)
    if any(each.lstrip or each.rstrip for each in frame.added):
        yield "Some added tokens take the white space beside them."
    if frame.decoder == ():
        yield "Decoding puts a space between tokens."


def _losses_of_cut(step: Step) -> Iterator[str]:
    drops = step.settings.get("behavior") == "Removed"
    if drops or step.name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "CharDelimiterSplit"):
        yield f"The pre-tokenizer {step.name} drops parts of texts."
    elif step.name == "Metaspace":
        yield f"A {step.settings['replacement']!r} in a text may come back as a space."
    elif step.name == "ByteLevel" and step.settings["add_prefix_space"]:
        yield "Text that does not begin with a space comes back with one."


def _losses_of_sentencepiece(step: Step) -> Iterator[str]:
    settings = step.settings
    if settings["precompiled_charsmap"]:
        yield "Characters are normalized by the map in the SentencePiece model."
    if settings["remove_extra_whitespaces"]:
        yield "Spaces at the ends of a text, and all but one of several, are dropped."
    if settings["escape_whitespaces"]:
        yield "A '\u2581' in a text comes back as a space."


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _typed(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {"hex"}:
            return bytes.fromhex(value["hex"])
        return {key: _typed(each) for key, each in value.items()}
    return tuple(_typed(each) for each in value) if isinstance(value, list) else value


def _step(step: Step) -> tuple[str, dict[str, Any]]:
    return step.name, dict(step.settings)


def _lowered(steps: tuple[Step, ...], alphabet: str) -> list[tuple[str, dict[str, Any]]]:
    lowered: list[tuple[str, dict[str, Any]]] = []
    for step in steps:
        if step.name == "BertPreTokenizer":
            lowered += [("WhitespaceSplit", {}), ("PunctuationSplit", {})]
        elif step.name == "ByteLevel":
            lowered.append((step.name, {**step.settings, "spells": alphabet == "chars"}))
        else:
            lowered.append(_step(step))
    return lowered


NO_FRAME: Final = Frame()
