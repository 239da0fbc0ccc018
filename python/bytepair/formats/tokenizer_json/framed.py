"""Files whose parts are more than a model's own: their steps, added tokens and options as a `Frame`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bytepair.errors import FormatWarning
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json import steps
from bytepair.frame import Added, Frame, Step
from bytepair.parts import Alphabet
from bytepair.patterns import NAMED, Pattern, of_regex

_REWRITING = {"Metaspace", "ByteLevel"}


@dataclass(frozen=True, slots=True)
class Outline:
    """What the parts round a model say, before its vocabulary is known.

    Args:
        alphabet: "bytes" where the pieces come to the model as bytes.
        pattern: what cuts them.
        add_prefix_space: whether text gets a space in front.
        frame: the rest.
    """

    alphabet: Alphabet
    pattern: Pattern
    add_prefix_space: bool
    frame: Frame


def added_tokens(top: Place, model: Place | None) -> tuple[Added, ...]:
    """The added tokens in the order of the file, with the ids that tokenizers gives them.

    That is the one in the vocabulary, else the next after all; the file's own is only a wish. Of two with one text the
    second counts, and an empty one is left out. Without a model all have those of the file.

    Raises:
        FormatError: something of it is of the wrong type; without a model also: two have one text or one id, or a text
            is empty.
    """
    listed = top.at("added_tokens").elements() if "added_tokens" in top.value else ()
    given = [(place, _added(place)) for place in listed]
    if model is None:
        _refuse_repeated(given)
        return tuple(each for _, each in given)
    vocab: Mapping[str, int] = model.at("vocab").indices()
    found: dict[str, Added] = {}
    following = len(vocab)
    for place, each in given:
        if not each.text or each.text in found:
            _warn(place, "is empty, and left out" if not each.text else f"is {each.text!r} again; the last one counts")
        if not each.text:
            continue
        earlier = found.get(each.text)
        number = earlier.id if earlier else vocab.get(each.text, following)
        following = max(following, number + 1)
        if number != each.id and not earlier:
            next_one = "the one in the vocabulary" if each.text in vocab else "the next one that is free"
            warnings.warn(
                f"{top.file} gives the added token {each.text!r} the id {each.id}; tokenizers gives it {number}, "
                f"{next_one}, and so it has that here",
                FormatWarning,
                stacklevel=2,
            )
        found[each.text] = replace(each, id=number)
    return tuple(found.values())


def _added(place: Place) -> Added:
    text, number = place.at("content").text(), place.at("id").id()
    flags = ("special", "single_word", "lstrip", "rstrip", "normalized")
    return Added(text, number, **{name: place.at(name).flag() for name in flags})


def _warn(place: Place, what: str) -> None:
    warnings.warn(f"{place.file}: {place.path} {what}", FormatWarning, stacklevel=3)


def _refuse_repeated(given: list[tuple[Place, Added]]) -> None:
    texts: set[str] = set()
    ids: set[int] = set()
    for place, each in given:
        if not each.text:
            place.at("content").fail("text", "an empty token is found everywhere")
        if each.text in texts:
            place.at("content").fail("a text that no other added token has")
        if each.id in ids:
            place.at("id").fail("an id that no other added token has")
        texts.add(each.text)
        ids.add(each.id)


def read(top: Place, model: Place, added: tuple[Added, ...], is_byte_level: bool) -> Outline:
    """The outline of a file.

    Args:
        top: the file.
        model: its model.
        added: its added tokens.
        is_byte_level: whether the vocabulary spells bytes as GPT-2 does, all 256 among them.
    """
    normalizer = steps.read(top, "normalizer")
    cutting = steps.read(top, "pre_tokenizer")
    decoder = steps.read(top, "decoder")
    if not decoder and top.maybe("decoder"):
        # An empty sequence puts nothing between tokens; none at all puts a space.
        decoder = (Step("Fuse"),)
    before, after, post_processor = steps.post_processor(top.maybe("post_processor"))
    options = {name: bool(model.maybe(name).value) for name in ("byte_fallback", "fuse_unk", "ignore_merges")}
    marks = [model.maybe(name) for name in ("continuing_subword_prefix", "end_of_word_suffix")]
    prefix, suffix = (place.text() or None if place else None for place in marks)
    by_bytes = is_byte_level and _is_byte_level(cutting) and not options["byte_fallback"] and prefix is None
    pattern, spaced, rest = NAMED["none"], False, None if by_bytes else cutting
    if by_bytes:
        pattern, spaced, rest = _reduced(cutting, bool(normalizer))
        options["fuse_unk"] = False
    plain_decoder = by_bytes and suffix is None and [each.name for each in decoder] == ["ByteLevel"]
    frame = Frame(
        normalizer=normalizer,
        cutting=rest,
        decoder=None if plain_decoder else decoder,
        added=added,
        before=before,
        after=after,
        post_processor=post_processor if before or after else None,
        subword_prefix=prefix,
        byte_fallback=options["byte_fallback"],
        fuse_unk=options["fuse_unk"],
        ignore_merges=options["ignore_merges"],
    )
    return Outline("bytes" if by_bytes else "chars", pattern, spaced, frame)


def _is_byte_level(cutting: tuple[Step, ...]) -> bool:
    names = [each.name for each in cutting]
    return names[-1:] == ["ByteLevel"] and not _REWRITING & set(names[:-1])


def _reduced(cutting: tuple[Step, ...], is_normalized: bool) -> tuple[Pattern, bool, tuple[Step, ...] | None]:
    """The pattern and prefix space that steps are, or else the steps."""
    *before, last = cutting
    spaced, cuts = last.settings["add_prefix_space"], last.settings["use_regex"]
    if not before and not (spaced and is_normalized):
        return NAMED["gpt2" if cuts else "none"], spaced, None
    if not spaced and not cuts and (pattern := _pattern(before)):
        return pattern, False, None
    return NAMED["none"], False, cutting


def _pattern(splits: list[Step]) -> Pattern | None:
    if [_plain(each.settings) for each in splits] == _DEEPSEEK3:
        return NAMED["deepseek3"]
    if len(splits) != 1 or splits[0].name != "Split":
        return None
    settings = splits[0].settings
    kind, text = settings["pattern"]
    if kind == "text" or settings["behavior"] != "Isolated":
        return None
    return NAMED.get(kind) or of_regex(text)


def _isolated(regex: str) -> Mapping[str, object]:
    return {"pattern": ("regex", regex), "behavior": "Isolated", "invert": False}


# The three of DeepSeek's own files: each cuts the pieces of the one before.
DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
)


def _plain(settings: Mapping[str, object]) -> dict[str, object]:
    """Without the escape of a quotation mark, which some files have and some have not."""
    return {
        key: tuple(part.replace(r"\"", '"') for part in value) if isinstance(value, tuple) else value
        for key, value in settings.items()
    }


_DEEPSEEK3 = [_plain(_isolated(regex)) for regex in DEEPSEEK3]
