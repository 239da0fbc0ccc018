r"""The parts round the model: normalizer, pre-tokenizer and decoder <-> alphabet, pattern and prefix space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json.framed import DEEPSEEK3
from bytepair.formats.tokenizer_json.ruby import difference
from bytepair.formats.tokenizer_json.steps import byte_level
from bytepair.formats.tokenizer_json.steps import regex as read_regex
from bytepair.model import Model, gpt2_characters
from bytepair.parts import Alphabet
from bytepair.patterns import NAMED, SPELLED_FOR_RUBY, Pattern

# No `(?i:...)`: there it would fold the letters of `st` together with one character.
_CLIP: Final = (
    r"<\|[Ss\u017f][Tt][Aa][Rr][Tt][Oo][Ff][Tt][Ee][Xx][Tt]\|>|<\|[Ee][Nn][Dd][Oo][Ff][Tt][Ee][Xx][Tt]\|>"
    r"|'[Ss\u017fTtMmDd]|'[RrVv][Ee]|'[Ll][Ll]|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
)
_CHARACTERS: Final = gpt2_characters()
_WHITE_SPACE: Final = r"[\s\x1c-\x1f]+"
# ByteLevel's own prefix space goes before each piece when another part has cut before it; this goes before the text.
# (One Replace of the empty `\A(?! )` would say it shorter; with it tokenizers 0.23.3 panics in ByteLevel.)
_PREFIX_SPACE: Final = {
    "type": "Sequence",
    "normalizers": [
        {"type": "Prepend", "prepend": " "},
        {"type": "Replace", "pattern": {"Regex": r"\A  "}, "content": " "},
    ],
}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What the parts round a model say about it."""

    alphabet: Alphabet
    pattern: Pattern
    add_prefix_space: bool
    decoded_suffix: str | None


def spell(token: bytes, model: Model) -> str:
    """How the file writes an ordinary token: characters as they are, bytes as GPT-2 does."""
    return "".join([_CHARACTERS[byte] for byte in token]) if model.alphabet == "bytes" else token.decode()


def spelled_suffix(model: Model) -> str | None:
    """How the file writes a marker that is glued to last symbols; None if there is none."""
    if model.end_of_word is None or model.end_of_word_style != "suffix":
        return None
    return spell(model.end_of_word.encode(), model)


def inexpressible(pattern: Pattern) -> str | None:
    """Why a pattern cannot be written for tokenizers; None if it can."""
    if pattern.name != "custom":
        return None
    reason = difference(pattern.regex)
    return reason and f"in the pattern {pattern.regex!r} {reason}"


def written(model: Model) -> dict[str, Any]:
    """The parts of a file whose model tokenizers can express."""
    by_byte_level = model.alphabet == "bytes" and model.pattern.name in ("gpt2", "none")
    spaced = model.add_prefix_space and not by_byte_level
    return {
        "normalizer": _PREFIX_SPACE if spaced else None,
        "pre_tokenizer": _written_cutting(model, by_byte_level),
        "post_processor": None,
        "decoder": _written_decoder(model.alphabet, spelled_suffix(model)),
    }


def _written_decoder(alphabet: Alphabet, suffix: str | None) -> dict[str, Any]:
    last: dict[str, Any] = _byte_level(False, True) if alphabet == "bytes" else {"type": "Fuse"}
    if suffix is None:
        return last
    # It makes a space of the suffix, and nothing at the end; ByteLevel wants the space as GPT-2 spells that byte.
    steps: list[dict[str, Any]] = [{"type": "BPEDecoder", "suffix": suffix}]
    if alphabet == "bytes":
        steps.append({"type": "Replace", "pattern": {"String": " "}, "content": _CHARACTERS[ord(" ")]})
    return {"type": "Sequence", "decoders": [*steps, last]}


def _written_cutting(model: Model, by_byte_level: bool) -> dict[str, Any] | None:
    if by_byte_level:
        return _byte_level(model.add_prefix_space, model.pattern.name == "gpt2")
    if model.pattern.name == "none":
        return None
    steps = _splits(model.pattern)
    if model.alphabet == "bytes":
        steps.append(_byte_level(False, False))
    return steps[0] if len(steps) == 1 else {"type": "Sequence", "pretokenizers": steps}


def _byte_level(add_prefix_space: bool, use_regex: bool) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": False, "use_regex": use_regex}


def _splits(pattern: Pattern) -> list[dict[str, Any]]:
    if pattern.name == "whitespace":
        return [_split(_WHITE_SPACE, drops="matches")]
    if pattern.name == "clip":
        return [_split(_CLIP, drops="the rest")]
    if pattern.name == "deepseek3":
        return [_split(regex) for regex in DEEPSEEK3]
    return [_split(SPELLED_FOR_RUBY.get(pattern.name, pattern.regex))]


def _split(regex: str, drops: Literal["nothing", "matches", "the rest"] = "nothing") -> dict[str, Any]:
    return {
        "type": "Split",
        "pattern": {"Regex": regex},
        "behavior": "Isolated" if drops == "nothing" else "Removed",
        "invert": drops == "the rest",
    }


def read(top: Place) -> Pipeline:
    """What the parts of a file say.

    Raises:
        FormatError: a part, or an option of one, is not implemented here; names it and what is.
    """
    alphabet, suffix = _read_decoder(top.maybe("decoder"))
    _read_post_processor(top.maybe("post_processor"))
    steps = _steps(top.maybe("pre_tokenizer"))
    if alphabet == "bytes":
        pattern, by_byte_level = _read_byte_level_cutting(steps, top.maybe("pre_tokenizer"))
    else:
        pattern, by_byte_level = _read_character_cutting(steps, top.maybe("pre_tokenizer")), False
    by_normalizer = _read_normalizer(top.maybe("normalizer"))
    return Pipeline(alphabet, pattern, by_normalizer or by_byte_level, suffix)


def _read_decoder(place: Place) -> tuple[Alphabet, str | None]:
    """The alphabet, and the suffix that is decoded to a space."""
    if not place:
        place.fail("ByteLevel (a byte-level model) or Fuse (characters)", "set tokenizer.decoder and save again")
    kind = _type(place)
    if kind.value == "ByteLevel":
        byte_level(place)
        return "bytes", None
    if kind.value == "Fuse":
        return "chars", None
    if kind.value == "Sequence":
        return _read_suffix_decoder(place)
    return kind.fail("'ByteLevel', 'Fuse' or the Sequence of a suffix", "other decoders are not implemented")


def _read_suffix_decoder(place: Place) -> tuple[Alphabet, str | None]:
    steps = list(place.at("decoders").elements())
    suffix = steps[0].maybe("suffix").value if steps and isinstance(steps[0].value, dict) else None
    alphabets: tuple[Alphabet, ...] = ("bytes", "chars")
    for alphabet in alphabets:
        if isinstance(suffix, str) and place.value == _written_decoder(alphabet, suffix):
            return alphabet, suffix
    return place.at("decoders").fail(
        "BPEDecoder and Fuse, or BPEDecoder, Replace of ' ' by 'Ġ' and ByteLevel", "other sequences are not implemented"
    )


def _read_post_processor(place: Place) -> None:
    # ByteLevel here moves offsets only, never ids.
    if not place:
        return
    if (kind := _type(place)).value != "ByteLevel":
        kind.fail("null or 'ByteLevel'", "other post-processors are not implemented")
    byte_level(place)


def _read_normalizer(place: Place) -> bool:
    if not place:
        return False
    if place.value != _PREFIX_SPACE:
        expected = "null, or the Prepend and Replace that put one space in front"
        _type(place).fail(expected, "other normalizers are not implemented")
    return True


def _steps(place: Place) -> list[Place]:
    if not place:
        return []
    if _type(place).value != "Sequence":
        return [place]
    return [step for each in place.at("pretokenizers").elements() if _type(each) for step in _steps(each)]


def _read_byte_level_cutting(steps: list[Place], place: Place) -> tuple[Pattern, bool]:
    """The pattern, and whether ByteLevel puts the prefix space."""
    if not steps or _type(steps[-1]).value != "ByteLevel":
        place.fail("ByteLevel, or Split and ByteLevel", "the decoder is ByteLevel, so the pre-tokenizer must be too")
    settings = byte_level(steps[-1])
    spaced, cuts = settings["add_prefix_space"], settings["use_regex"]
    if len(steps) == 1:
        return NAMED["gpt2" if cuts else "none"], spaced
    if cuts or spaced or not _can_be_read(steps[:-1]):
        steps[-1].fail(
            "one Split (or the three of deepseek3) and then ByteLevel without use_regex and add_prefix_space",
            "others are not implemented",
        )
    return _read_splits(steps[:-1]), False


def _read_character_cutting(steps: list[Place], place: Place) -> Pattern:
    if not steps:
        return NAMED["none"]
    if not _can_be_read(steps):
        place.fail("null or one Split (or the three of deepseek3)", "longer sequences are not implemented")
    return _read_splits(steps)


def _can_be_read(steps: list[Place]) -> bool:
    return len(steps) == 1 or _are_splits_of(NAMED["deepseek3"], steps)


def _are_splits_of(pattern: Pattern, steps: list[Place]) -> bool:
    return [step.value for step in steps] == _splits(pattern)


def _read_splits(steps: list[Place]) -> Pattern:
    for name in ("whitespace", "clip", "deepseek3"):
        if _are_splits_of(NAMED[name], steps):
            return NAMED[name]
    return _read_split(steps[0])


def _read_split(place: Place) -> Pattern:
    if (kind := _type(place)).value != "Split":
        kind.fail("'Split' or 'ByteLevel'", "other pre-tokenizers are not implemented")
    if place.at("invert").flag():
        place.at("invert").fail("false", "inverted splits are not implemented")
    pattern = place.at("pattern")
    if pattern.keys() != ["Regex"]:
        pattern.fail('{"Regex": ...}', "literal patterns are not implemented")
    return _pattern_of(pattern.at("Regex"), place.at("behavior"))


def _pattern_of(regex: Place, behavior: Place) -> Pattern:
    if behavior.value != "Isolated":
        behavior.fail("'Isolated'", "other behaviours are not implemented")
    return read_regex(regex, cuts=True)


def _type(place: Place) -> Place:
    kind = place.at("type")
    kind.text()
    return kind
