"""The steps of a file's normalizer, pre-tokenizer and decoder <-> `Step`s: one table says what each goes by."""

from __future__ import annotations

import base64
import binascii
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from bytepair._native import Splitter
from bytepair.arguments import shown
from bytepair.errors import FormatError, FormatWarning, PatternError
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json import template
from bytepair.formats.tokenizer_json.ruby import DifferentError, translated
from bytepair.frame import Step
from bytepair.patterns import SPELLED_FOR_RUBY, Pattern, of_regex

BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
SCHEMES: Final = ("always", "first", "never")


_LIKE_A_REGEX: Final = re.compile(r"\\[A-Za-z]|\[.+\]|\(\?|[^\\][+*]$")


def _character(place: Place) -> str:
    text = place.text()
    if len(text) != 1:
        place.fail("one character")
    return text


def _pattern(place: Place, cuts: bool = False) -> tuple[str, str]:
    """A text, a regular expression, or a pattern that has a name and its regular expression."""
    if place.keys() == ["String"]:
        text = place.at("String").text()
        if not text:
            place.at("String").fail("text", "an empty one is found everywhere, which is not implemented")
        if _LIKE_A_REGEX.search(text):
            warnings.warn(
                f"{place.file}: {place.path}: the literal {text!r} looks like a regular expression; it is looked for "
                "as it stands, as tokenizers does",
                FormatWarning,
                stacklevel=2,
            )
        return "text", text
    if place.keys() != ["Regex"]:
        place.fail('{"Regex": ...} or {"String": ...}')
    pattern = regex(place.at("Regex"), cuts)
    return ("regex" if pattern.name == "custom" else pattern.name), pattern.regex


def _cutting_pattern(place: Place) -> tuple[str, str]:
    return _pattern(place, cuts=True)


def regex(place: Place, cuts: bool) -> Pattern:
    """The pattern that a regular expression is, spelled as it is read here.

    Args:
        place: the expression, in the syntax of its library.
        cuts: whether it cuts text, where an empty match is a border; else it may not match nothing.
    """
    text = place.text()
    try:
        spelled, nullable = translated(text)
        if nullable and not cuts:
            raise DifferentError("it can match the empty text, which is not the same")
        pattern = of_regex(spelled)
        Splitter(pattern.name, pattern.regex)
    except DifferentError as error:
        reason = _broken(text) or f"in the pattern {text!r} {error} there and here; it is not implemented"
        raise FormatError(f"{place.file}: {place.path}: {reason}") from None
    except PatternError as error:
        raise FormatError(f"{place.file}: {place.path}: {error}") from None
    return pattern


def _broken(regex: str) -> str | None:
    """Why it is no regular expression here either."""
    try:
        Splitter("custom", regex)
    except PatternError as error:
        return str(error)
    return None


def _behavior(place: Place) -> str:
    return place.one_of(*BEHAVIORS)


def _scheme(place: Place) -> str:
    return place.one_of(*SCHEMES)


def _flag_or_true(place: Place) -> bool:
    return place.flag() if place else True


def _some_text(place: Place) -> str:
    """An empty one does nothing but to move what `tokenizers` takes for the beginning of the text."""
    return place.text() or place.fail("text", "take the step out")


def _flag_or_none(place: Place) -> bool | None:
    return place.flag() if place else None


def _base64(place: Place) -> bytes:
    try:
        return base64.b64decode(place.text(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"{place.file}: {place.path} is no base64 ({error}); get the file again") from None


Reader = Callable[[Place], Any]
# Name of a setting -> how it is read, and what it is where a file leaves it out (`...`: it may not).
Settings = Mapping[str, tuple[Reader, Any]]
_BYTE_LEVEL: Final[Settings] = {
    "add_prefix_space": (Place.flag, ...),
    "trim_offsets": (Place.flag, ...),
    "use_regex": (Place.flag, True),
}
_METASPACE: Final[Settings] = {
    "replacement": (_character, ...),
    "prepend_scheme": (_scheme, "always"),
    "split": (_flag_or_true, True),
}
_REPLACE: Final[Settings] = {"pattern": (_pattern, ...), "content": (Place.text, ...)}

NORMALIZERS: Final[Mapping[str, Settings]] = {
    "NFC": {},
    "NFD": {},
    "NFKC": {},
    "NFKD": {},
    "Lowercase": {},
    "Strip": {"strip_left": (Place.flag, ...), "strip_right": (Place.flag, ...)},
    "StripAccents": {},
    "Prepend": {"prepend": (_some_text, ...)},
    "Replace": _REPLACE,
    "Precompiled": {"precompiled_charsmap": (_base64, ...)},
    "ByteLevel": {},
    "BertNormalizer": {
        "clean_text": (Place.flag, ...),
        "handle_chinese_chars": (Place.flag, ...),
        # null: as lowercase.
        "strip_accents": (_flag_or_none, None),
        "lowercase": (Place.flag, ...),
    },
}
PRE_TOKENIZERS: Final[Mapping[str, Settings]] = {
    "ByteLevel": _BYTE_LEVEL,
    "Split": {"pattern": (_cutting_pattern, ...), "behavior": (_behavior, ...), "invert": (Place.flag, ...)},
    "Digits": {"individual_digits": (Place.flag, ...)},
    "Punctuation": {"behavior": (_behavior, "Isolated")},
    "Whitespace": {},
    "WhitespaceSplit": {},
    "BertPreTokenizer": {},
    "CharDelimiterSplit": {"delimiter": (_character, ...)},
    "Metaspace": _METASPACE,
}
DECODERS: Final[Mapping[str, Settings]] = {
    "ByteLevel": _BYTE_LEVEL,
    "Metaspace": _METASPACE,
    "Replace": _REPLACE,
    "ByteFallback": {},
    "Fuse": {},
    "Strip": {"content": (_character, ...), "start": (Place.id, ...), "stop": (Place.id, ...)},
    "BPEDecoder": {"suffix": (Place.text, ...)},
}
# Under which key a Sequence holds its steps.
_SEQUENCES: Final = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
_TABLES: Final = {"normalizer": NORMALIZERS, "pre_tokenizer": PRE_TOKENIZERS, "decoder": DECODERS}
MAX_DEPTH: Final = 32


def read(top: Place, part: str) -> tuple[Step, ...]:
    """The steps of a part of the file, in order; those of sequences in sequences in a row.

    Raises:
        FormatError: a step or a setting of it is not implemented or wrong; names its place.
    """
    place = top.maybe(part)
    return tuple(_steps(place, part, 0)) if place else ()


def _steps(place: Place, part: str, depth: int) -> Iterator[Step]:
    kind = place.at("type")
    name = kind.text()
    if name == "Sequence":
        if depth > MAX_DEPTH:
            place.fail(f"no more than {MAX_DEPTH} sequences in each other")
        for each in place.at(_SEQUENCES[part]).elements():
            yield from _steps(each, part, depth + 1)
        return
    table = _TABLES[part]
    if name not in table:
        kind.fail(
            f"one of {', '.join((*table, 'Sequence'))}",
            f"the {part.replace('_', '-')} {shown(name)} is not implemented",
        )
    yield Step(name, _settings(place, name, table[name]))


def _settings(place: Place, name: str, wanted: Settings) -> dict[str, Any]:
    known = {"type", *wanted, *_OLD.get(name, ())}
    for key in [*place.keys()]:
        if key not in known:
            place.maybe(key).fail("nothing", f"the setting {shown(key)} of {name} is not implemented; take it out")
    settings = {}
    for key, (read_setting, default) in wanted.items():
        settings[key] = read_setting(place.at(key)) if default is ... or key in place.value else default
    if name == "Metaspace":
        settings["prepend_scheme"] = _metaspace_scheme(place, settings["prepend_scheme"])
    return settings


# Settings that older files have.
_OLD: Final = {"Metaspace": ("add_prefix_space", "str_rep"), "Strip": ("left", "right")}


def _metaspace_scheme(place: Place, scheme: str) -> str:
    old = place.maybe("add_prefix_space")
    if not old or old.flag():
        return scheme
    if place.maybe("prepend_scheme") and scheme != "never":
        old.fail(f"true, as prepend_scheme is {scheme!r}")
    return "never"


def written(steps: tuple[Step, ...], part: str) -> dict[str, Any] | None:
    """The steps as the file has them."""
    values = [{"type": step.name, **{key: _value(value) for key, value in step.settings.items()}} for step in steps]
    if len(values) == 1:
        return values[0]
    return {"type": "Sequence", _SEQUENCES[part]: values} if values else None


def _value(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, tuple):
        kind, text = value
        return {"String": text} if kind == "text" else {"Regex": SPELLED_FOR_RUBY.get(kind, text)}
    return value


def post_processor(place: Place) -> tuple[tuple[int, ...], tuple[int, ...], str | None]:
    """The ids put before and behind a text, and where that comes from; None where nothing is put."""
    if not place:
        return (), (), None
    before, after = _around(place, 0)
    return before, after, json.dumps(place.value, ensure_ascii=False)


def byte_level(place: Place) -> dict[str, Any]:
    """The settings of a ByteLevel, whatever part it stands in."""
    return _settings(place, "ByteLevel", _BYTE_LEVEL)


def _around(place: Place, depth: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    kind = place.at("type")
    name = kind.text()
    if name == "ByteLevel":  # It moves offsets, never ids.
        byte_level(place)
        return (), ()
    if name in ("BertProcessing", "RobertaProcessing"):
        for flag in ("trim_offsets", "add_prefix_space") if name == "RobertaProcessing" else ():
            place.at(flag).flag()
        return (_second(place.at("cls")),), (_second(place.at("sep")),)
    if name == "TemplateProcessing":
        return template.read(place)
    if name != "Sequence" or depth > MAX_DEPTH:
        kind.fail(
            "ByteLevel, TemplateProcessing, BertProcessing, RobertaProcessing or a Sequence of them",
            f"the post-processor {shown(name)} is not implemented",
        )
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    in_parts = False
    for each in place.at("processors").elements():
        inner = each.at("type")
        if in_parts and inner.text() != "ByteLevel":
            # There it takes each part of a template for a text.
            inner.fail("'ByteLevel' behind a TemplateProcessing", "others are not implemented there")
        outer = _around(each, depth + 1)
        before, after = outer[0] + before, after + outer[1]
        in_parts |= inner.value in ("TemplateProcessing", "Sequence") and outer != ((), ())
    return before, after


def _second(place: Place) -> int:
    if len(place.list()) != 2:
        place.fail("[token, id]")
    place.element(0).text()
    return place.element(1).id()
