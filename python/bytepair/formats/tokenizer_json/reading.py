"""tokenizer.json -> Model, as we write it, as tokenizers writes it; and nothing that is not understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bytepair.errors import ArgumentError, ArgumentTypeError, FormatError, ModelError, PatternError
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json import framed, pipeline, provenance, stored, vocabulary
from bytepair.formats.tokenizer_json.pipeline import Pipeline
from bytepair.formats.tokenizer_json.spelling import BYTES as _BYTES
from bytepair.formats.tokenizer_json.spelling import has_all_bytes, spells_other_bytes
from bytepair.formats.tokenizer_json.vocabulary import Vocabulary
from bytepair.formats.tokenizer_json.writing import FORMAT_VERSION
from bytepair.frame import Added, Frame
from bytepair.model import Model, of_tables
from bytepair.parts import STYLES, Alphabet


def read(top: Place, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None) -> Model:
    """Read a tokenizer.json.

    Args:
        top: the file, parsed.
        pattern: must be None: the file says it.
        special_tokens: must be None: the file says them.

    Raises:
        ArgumentError: a pattern or special tokens were given.
        FormatError: it is broken, or uses something that is not implemented; names the place.
    """
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(
                f"{name} is {value!r}, and {top.file} is a tokenizer.json, which has its own; leave {name} out"
            )
    model = top.at("model")
    _check_kinds(top, model)
    try:
        if model.maybe("type").value == "bytepair":
            return _read_ours(top, model)
        added = framed.added_tokens(top, model)
        return _read_bpe(top, model, added) or _read_framed(top, model, added)
    except (ModelError, ArgumentError, ArgumentTypeError, PatternError) as error:
        raise FormatError(f"{top.file}: {error}") from None


def _check_kinds(top: Place, model: Place) -> None:
    """Refuse options of a kind that tokenizers refuses, whether they are used here or not."""
    if "version" in top.value:
        top.at("version").one_of("1.0")
    if "type" in {*model.keys()}:
        model.at("type").one_of("BPE", "bytepair")
    if place := model.maybe("dropout"):
        stored.dropout(place)
    for name in ("fuse_unk", "byte_fallback", "ignore_merges"):
        if place := model.maybe(name):
            place.flag()
    for name in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        if place := model.maybe(name):
            place.text()


def _read_bpe(top: Place, model: Place, added: tuple[Added, ...]) -> Model | None:
    """By structure alone; provenance adds only what structure cannot tell. None where a frame is needed."""
    try:
        parts = pipeline.read(top)
        specials = _specials(top, added)
        _refuse_options(model, parts)
        suffix = _suffix(model.maybe("end_of_word_suffix"), parts)
    except FormatError:
        return None
    if model.maybe("vocab").value is None or not _is_plain(model, parts, specials):
        return None
    words = vocabulary.read(model.at("vocab"), parts.alphabet, specials)
    try:
        merges = vocabulary.merges(model.at("merges"), words)
    except FormatError:
        # A special token may be a part of one.
        return None
    return _made(
        model,
        words,
        merges,
        alphabet=parts.alphabet,
        specials=specials,
        pattern=parts.pattern,
        end_of_word=suffix,
        unk_token=_unknown(model.maybe("unk_token"), parts.alphabet, specials),
        add_prefix_space=_prefix_space(parts, suffix, provenance.of(model)),
    )


def _made(
    model: Place,
    words: Vocabulary,
    merges: tuple[tuple[int, int], ...],
    *,
    alphabet: Alphabet,
    specials: Mapping[str, int],
    end_of_word: str | None,
    **parts: Any,
) -> Model:
    """The model of a file that tokenizers opens, with what provenance adds."""
    ours = provenance.of(model)
    whole = provenance.with_repeats(merges, ours)
    # What the compiled half has read fits together.
    made = of_tables if words.is_checked else Model
    return made(
        kind="merges",
        alphabet=alphabet,
        tokens=words.tokens,
        merges=whole,
        specials=specials,
        end_of_word=end_of_word,
        end_of_word_style="symbol" if end_of_word is None else "suffix",
        **parts,
        **provenance.history(ours, alphabet, words.tokens, specials, len(whole)),
    )


def _is_plain(model: Place, parts: Pipeline, specials: Mapping[str, int]) -> bool:
    """Whether the model has the symbols and the unknown token that one without a frame must have."""
    vocab = model.at("vocab").indices()
    if vocabulary.shares_ids(vocab, specials):
        return False
    if parts.alphabet == "bytes":
        # A special token that is spelled as a byte is none of the bytes.
        ordinary = not any(text in _BYTES or spells_other_bytes(text) for text in specials)
        return ordinary and has_all_bytes(vocab)
    return _text(model.maybe("unk_token")) in specials


def _read_framed(top: Place, model: Place, added: tuple[Added, ...]) -> Model:
    """A file that does more than a model's own parts say."""
    kept = stored.read(top, model)
    vocab = model.at("vocab").indices()
    suffix = model.maybe("end_of_word_suffix")
    outline = framed.read(top, model, added, has_all_bytes(vocab, suffix.text() if suffix.value else ""))
    specials = {each.text: each.id for each in added if each.special}
    own = {each.text: each.id for each in added}
    try:
        words, merges = _tables(model, outline.alphabet, outline.frame, own)
    except _NotBytesError:
        outline = framed.read(top, model, added, False)
        words, merges = _tables(model, outline.alphabet, outline.frame, own)
    unknown = _text(model.maybe("unk_token"))
    if outline.alphabet == "chars" and unknown is not None and unknown not in specials and unknown not in words.ids:
        model.maybe("unk_token").fail("a token of model.vocab")
    return _made(
        model,
        words,
        merges,
        alphabet=outline.alphabet,
        specials=specials,
        pattern=outline.pattern,
        end_of_word=_suffix_of(suffix, outline.alphabet) if suffix.value else None,
        unk_token=unknown if outline.alphabet == "chars" else None,
        add_prefix_space=outline.add_prefix_space,
        frame=replace(outline.frame, replaced=words.replaced, stored=kept),
    )


class _NotBytesError(Exception):
    """The vocabulary, or the suffix, does not spell bytes."""


def _tables(
    model: Place, alphabet: Alphabet, frame: Frame, added: Mapping[str, int]
) -> tuple[Vocabulary, tuple[tuple[int, int], ...]]:
    """Vocabulary and merges."""
    place, prefix = model.at("vocab"), frame.subword_prefix or ""
    if alphabet == "bytes" and model.maybe("end_of_word_suffix").value:
        _suffix_of(model.maybe("end_of_word_suffix"), alphabet)
    ours = provenance.of(model)
    only_numbered = {*ours.maybe("apart").list()} if ours and ours.maybe("apart") else set()
    # An added token that stands in the vocabulary is an ordinary one as well, but where it spells no bytes.
    apart = {
        text: number
        for text, number in added.items()
        if text not in place.value
        or text in only_numbered
        or (alphabet == "bytes" and not all(each in _BYTES for each in text))
    }
    shared = {text: number for text, number in added.items() if text not in apart}
    words = vocabulary.read(place, alphabet, apart, shared)
    return words, vocabulary.merges(model.at("merges"), words, prefix)


def _suffix_of(place: Place, alphabet: Alphabet) -> str:
    suffix = place.text()
    if alphabet == "chars":
        return suffix
    try:
        return bytes([_BYTES[each] for each in suffix]).decode()
    except (KeyError, UnicodeDecodeError):
        raise _NotBytesError from None


def _read_ours(top: Place, model: Place) -> Model:
    """A model that tokenizers cannot express: everything about it stands under `bytepair`."""
    ours = model.at("bytepair")
    version = ours.at("format").integer()
    if version > FORMAT_VERSION:
        ours.at("format").fail(f"at most {FORMAT_VERSION}", "update bytepair to read this file")
    frame = Frame.of_json(ours.at("frame").value) if ours.maybe("frame") else None
    alphabet: Alphabet = "bytes" if ours.at("alphabet").one_of("bytes", "chars") == "bytes" else "chars"
    specials = (
        _specials(top, framed.added_tokens(top, None))
        if frame is None
        else {each.text: each.id for each in frame.added if each.special}
    )
    words = vocabulary.read(model.at("vocab"), alphabet, {})
    merges = provenance.with_repeats(vocabulary.merges(model.at("merges"), words), ours)
    style = ours.at("end_of_word_style").one_of(*STYLES)
    marker, unknown = ours.at("end_of_word"), model.maybe("unk_token")
    return Model(
        kind="ranks" if ours.at("kind").one_of("merges", "ranks") == "ranks" else "merges",
        alphabet=alphabet,
        tokens=words.tokens,
        merges=merges,
        specials=specials,
        pattern=provenance.stored_pattern(ours.at("pattern")),
        end_of_word=marker.text() if marker else None,
        end_of_word_style="suffix" if style == "suffix" else "symbol",
        unk_token=unknown.text() if unknown else None,
        add_prefix_space=ours.at("add_prefix_space").flag(),
        frame=frame,
        **provenance.history(ours, alphabet, words.tokens, specials, len(merges)),
    )


def _text(place: Place) -> str | None:
    return place.text() if place else None


def _refuse_options(model: Place, parts: Pipeline) -> None:
    for key in ("dropout", "continuing_subword_prefix", "fuse_unk", "byte_fallback", "ignore_merges"):
        place = model.maybe(key)
        # null, "", 0 and false all switch it off; of bytes none is unknown.
        if place.value and not (key == "fuse_unk" and parts.alphabet == "bytes"):
            place.fail("null or false")


def _suffix(place: Place, parts: Pipeline) -> str | None:
    """The marker, spelled as it is. An empty suffix is none."""
    suffix = place.text() if place.value else None
    if suffix != parts.decoded_suffix:
        decoded = "no suffix" if parts.decoded_suffix is None else repr(parts.decoded_suffix)
        place.fail(f"{decoded}, as in the decoder", "make the decoder fit: a BPEDecoder first where there is a suffix")
    if suffix is None or parts.alphabet == "chars":
        return suffix
    try:
        return bytes([_BYTES[each] for each in suffix]).decode()
    except (KeyError, UnicodeDecodeError):
        return place.fail("UTF-8, its bytes spelled as GPT-2 does", "other suffixes are not implemented")


def _specials(top: Place, added: tuple[Added, ...]) -> dict[str, int]:
    """The added tokens of a file that has only plain control tokens."""
    for key in ("truncation", "padding"):
        if place := top.maybe(key):
            place.fail("null")
    has_normalizer = bool(top.maybe("normalizer"))
    for each in added:
        if not each.special or each.single_word or each.lstrip or each.rstrip or (each.normalized and has_normalizer):
            top.at("added_tokens").fail("control tokens alone, without flags")
    return {each.text: each.id for each in added}


def _unknown(place: Place, alphabet: Alphabet, specials: Mapping[str, int]) -> str | None:
    if not place:
        if alphabet == "chars":
            place.fail(
                "an unknown token", "without one, tokenizers drops characters it does not know; that is not implemented"
            )
        return None
    text = place.text()
    if text in specials:
        return text
    if alphabet == "chars":
        place.fail("one of added_tokens", "an unknown token that is not special is not implemented")
    # All bytes are known, so it is never used.
    return None


def _prefix_space(parts: Pipeline, suffix: str | None, ours: Place | None) -> bool:
    """Structure and provenance must agree, or somebody edited one of them."""
    if ours is None:
        return parts.add_prefix_space
    found: dict[str, Any] = {
        "kind": "merges",
        "end_of_word": suffix,
        "end_of_word_style": "symbol" if suffix is None else "suffix",
        "alphabet": parts.alphabet,
        "add_prefix_space": parts.add_prefix_space,
        "pattern": {"name": parts.pattern.name, "regex": parts.pattern.regex},
    }
    for key, value in found.items():
        if ours.at(key).value != value:
            provenance.contradicts(ours.at(key), value)
    return parts.add_prefix_space
