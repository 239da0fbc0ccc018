"""tokenizer.json -> Model, as we write it, as tokenizers writes it; and nothing that is not understood."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bytepair.errors import ArgumentError, ArgumentTypeError, FormatError, ModelError, PatternError
from bytepair.formats.places import Place, parse
from bytepair.formats.tokenizer_json import pipeline
from bytepair.formats.tokenizer_json.pipeline import Pipeline
from bytepair.formats.tokenizer_json.writing import FORMAT_VERSION
from bytepair.model import Extension, Model, byte_order_of, gpt2_characters, special_ids_of
from bytepair.parts import SPECIAL_IDS, STYLES, TIES, Alphabet
from bytepair.patterns import NAMED, Pattern, resolve

_BYTES: Final = {character: byte for byte, character in gpt2_characters().items()}


def read(data: bytes, where: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read a tokenizer.json.

    Args:
        data: the file.
        where: the file, for messages.
        pattern: must be None: the file says it.
        special_tokens: must be None: the file says them.

    Raises:
        ArgumentError: a pattern or special tokens were given.
        FormatError: it is broken, or uses something that is not implemented; names the place.
    """
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(
                f"{name} is {value!r}, and {where} is a tokenizer.json, which has its own; leave {name} out"
            )
    top = parse(data, where)
    model = top.at("model")
    if model.maybe("type"):
        model.at("type").one_of("BPE", "bytepair")
    try:
        return _read_ours(top, model) if model.maybe("type").value == "bytepair" else _read_bpe(top, model)
    except (ModelError, ArgumentError, ArgumentTypeError, PatternError) as error:
        raise FormatError(f"{where}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The ordinary tokens by id and by the spelling that the file uses."""

    tokens: tuple[bytes | None, ...]
    ids: Mapping[str, int]


def _read_bpe(top: Place, model: Place) -> Model:
    """By structure alone; provenance adds only what structure cannot tell."""
    _refuse_options(top, model)
    parts = pipeline.read(top)
    suffix = _suffix(model.maybe("end_of_word_suffix"), parts)
    specials = _specials(top)
    vocabulary = _vocabulary(model.at("vocab"), parts.alphabet, specials)
    ours = _provenance_of(model)
    merges = _with_repeats(_merges(model.at("merges"), vocabulary), ours)
    return Model(
        kind="merges",
        alphabet=parts.alphabet,
        tokens=vocabulary.tokens,
        merges=merges,
        specials=specials,
        pattern=parts.pattern,
        end_of_word=suffix,
        end_of_word_style="symbol" if suffix is None else "suffix",
        unk_token=_unknown(model.maybe("unk_token"), parts.alphabet, specials),
        add_prefix_space=_prefix_space(parts, suffix, ours),
        **_history(ours, parts.alphabet, vocabulary.tokens, specials, len(merges)),
    )


def _read_ours(top: Place, model: Place) -> Model:
    """A model that tokenizers cannot express: everything about it stands under `bytepair`."""
    ours = model.at("bytepair")
    version = ours.at("format").integer()
    if version > FORMAT_VERSION:
        ours.at("format").fail(f"at most {FORMAT_VERSION}", "update bytepair to read this file")
    alphabet: Alphabet = "bytes" if ours.at("alphabet").one_of("bytes", "chars") == "bytes" else "chars"
    specials = _specials(top)
    vocabulary = _vocabulary(model.at("vocab"), alphabet, {})
    merges = _with_repeats(_merges(model.at("merges"), vocabulary), ours)
    style = ours.at("end_of_word_style").one_of(*STYLES)
    marker, unknown = ours.at("end_of_word"), model.maybe("unk_token")
    return Model(
        kind="ranks" if ours.at("kind").one_of("merges", "ranks") == "ranks" else "merges",
        alphabet=alphabet,
        tokens=vocabulary.tokens,
        merges=merges,
        specials=specials,
        pattern=_stored_pattern(ours.at("pattern")),
        end_of_word=marker.text() if marker else None,
        end_of_word_style="suffix" if style == "suffix" else "symbol",
        unk_token=unknown.text() if unknown else None,
        add_prefix_space=ours.at("add_prefix_space").flag(),
        **_history(ours, alphabet, vocabulary.tokens, specials, len(merges)),
    )


def _refuse_options(top: Place, model: Place) -> None:
    for key in ("truncation", "padding"):
        if place := top.maybe(key):
            place.fail("null", f"{key} stored in a tokenizer is not implemented")
    for key in (
        "dropout",
        "continuing_subword_prefix",
        "fuse_unk",
        "byte_fallback",
        "ignore_merges",
    ):
        place = model.maybe(key)
        # null, "", 0 and false all switch it off.
        if place.value:
            place.fail("null or false", f"{key} is not implemented")


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


def _specials(top: Place) -> dict[str, int]:
    specials: dict[str, int] = {}
    taken: set[int] = set()
    listed = top.maybe("added_tokens")
    for place in listed.elements() if listed else ():
        content = place.at("content")
        text = content.text()
        if not text:
            content.fail("text", "an empty token is found everywhere")
        if text in specials:
            content.fail("a text that no other added token has")
        number = place.at("id").index()
        if number in taken:
            place.at("id").fail("an id that no other added token has")
        _refuse_flags(place, top)
        specials[text] = number
        taken.add(number)
    return specials


def _refuse_flags(place: Place, top: Place) -> None:
    if not place.at("special").flag():
        place.at("special").fail(
            "true", f"the added token {place.at('content').value!r} is no control token; those are not implemented"
        )
    for key in ("single_word", "lstrip", "rstrip"):
        if place.maybe(key).value:
            place.at(key).fail("false", f"{key} is not implemented")
    # Without a normalizer there is nothing that `normalized` would change.
    if place.maybe("normalized").value and top.maybe("normalizer"):
        place.at("normalized").fail("false", "normalized added tokens are not implemented")


def _vocabulary(place: Place, alphabet: Alphabet, specials: Mapping[str, int]) -> _Vocabulary:
    ids: dict[str, int] = {}
    spellings: dict[int, str] = {number: text for text, number in specials.items()}
    for text, number in place.indices().items():
        if text in specials:
            if specials[text] != number:
                place.entry(text).fail(f"{specials[text]}, its id in added_tokens")
            continue
        if number in spellings:
            place.entry(text).fail(f"an id of its own, not that of {spellings[number]!r}")
        ids[text] = number
        spellings[number] = text
    largest = max(ids, key=ids.__getitem__, default="")
    # A wrong number must not ask for a table of billions.
    if ids and ids[largest] > 2 * len(spellings) + 1_000_000:
        place.entry(largest).fail(f"an id near the others: there are {len(spellings)} tokens")
    return _Vocabulary(_tokens(ids, alphabet, place), ids)


def _tokens(ids: Mapping[str, int], alphabet: Alphabet, place: Place) -> tuple[bytes | None, ...]:
    tokens: list[bytes | None] = [None] * (max(ids.values(), default=-1) + 1)
    for text, number in ids.items():
        try:
            tokens[number] = text.encode() if alphabet == "chars" else bytes([_BYTES[each] for each in text])
        except (KeyError, UnicodeEncodeError) as error:
            _refuse_spelling(text, place, error)
        if not text:
            Place(text, f"a token of {place.path}", place.file).fail("at least one character")
    return tuple(tokens)


def _refuse_spelling(text: str, place: Place, error: KeyError | UnicodeEncodeError) -> NoReturn:
    at = Place(text, f"a token of {place.path}", place.file)
    if isinstance(error, KeyError):
        at.fail("bytes spelled as GPT-2 does", f"{error.args[0]!r} stands for no byte")
    at.fail("text without surrogates")


def _merges(place: Place, vocabulary: _Vocabulary) -> tuple[tuple[int, int], ...]:
    """Where a pair stands twice, tokenizers lets the last one count, and so do we."""
    last: dict[tuple[int, int], int] = {}
    ids = vocabulary.ids
    for rank, (left, right) in enumerate(_pairs(place)):
        if left not in ids or right not in ids:
            part = right if left in ids else left
            place.element(rank).fail("two ordinary tokens of model.vocab", f"{part!r} is none")
        if left + right not in ids:
            place.element(rank).fail("a pair whose joint spelling is in model.vocab", f"{left + right!r} is not there")
        last[ids[left], ids[right]] = rank
    return tuple(sorted(last, key=last.__getitem__))


def _pairs(place: Place) -> Iterator[tuple[str, str]]:
    """Each merge is a list of two, or the older "x y"."""
    for rank, value in enumerate(place.list()):
        parts = value.split(" ") if isinstance(value, str) else value
        if type(parts) is not list or len(parts) != 2 or not all(type(part) is str and part for part in parts):
            place.element(rank).fail('a list of two tokens, or "left right" with one space')
        yield parts[0], parts[1]


def _with_repeats(merges: tuple[tuple[int, int], ...], ours: Place | None) -> tuple[tuple[int, int], ...]:
    """Put the merges back that were learned again."""
    if ours is None or not ours.maybe("repeated_merges"):
        return merges
    whole = list(merges)
    for entry in ours.at("repeated_merges").elements():
        rank, first = _two_ranks(entry)
        if not first < rank <= len(whole):
            entry.fail("[rank, an earlier rank]")
        whole.insert(rank, whole[first])
    return tuple(whole)


def _two_ranks(entry: Place) -> tuple[int, int]:
    ranks = [each.index() for each in entry.elements()]
    if len(ranks) != 2:
        entry.fail("[rank, an earlier rank]")
    return ranks[0], ranks[1]


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


def _provenance_of(model: Place) -> Place | None:
    """Ours, where it is there and of a version that we know; structure alone is enough without it."""
    place = model.maybe("bytepair")
    if not isinstance(place.value, dict) or place.value.get("format") != FORMAT_VERSION:
        return None
    return place


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
            _contradicts(ours.at(key), value)
    return parts.add_prefix_space


def _contradicts(place: Place, value: object) -> NoReturn:
    said = json.dumps(value, ensure_ascii=False)
    place.fail(f"{said}, as the rest of the file says", "take model.bytepair out if you changed the file")


def _stored_pattern(place: Place) -> Pattern:
    name, regex = place.at("name").text(), place.at("regex").text()
    if name == "custom":
        return resolve(regex)
    if name not in NAMED or NAMED[name].regex != regex:
        place.at("name").fail(
            f"one of {', '.join(NAMED)} with its own regex, or 'custom'", "a newer bytepair may know it"
        )
    return NAMED[name]


def _history(
    ours: Place | None,
    alphabet: Alphabet,
    tokens: tuple[bytes | None, ...],
    specials: Mapping[str, int],
    n_merges: int,
) -> dict[str, Any]:
    """How the model was learned, as far as the file tells."""
    order = byte_order_of(tokens) if alphabet == "bytes" else None
    if ours is None:
        return {"byte_order": order}
    if ours.maybe("byte_order") and ours.maybe("byte_order").value != order:
        _contradicts(ours.maybe("byte_order"), order)
    extensions = _extensions(ours.maybe("extensions"))
    special_ids = _one_of(ours.maybe("special_ids"), SPECIAL_IDS)
    possible = special_ids_of(tokens, specials, extensions)
    if special_ids is not None and special_ids not in possible:
        _contradicts(ours.maybe("special_ids"), possible[0])
    counts = ours.maybe("merge_counts")
    found = tuple(each.index() for each in counts.elements()) if counts else None
    if found is not None and len(found) != n_merges:
        counts.fail(f"one count for each of the {n_merges} merges", "take model.bytepair out if you changed the merges")
    return {
        "byte_order": order,
        "merge_counts": found,
        "extensions": extensions,
        "ties": _one_of(ours.maybe("ties"), TIES),
        "special_ids": special_ids,
        **{key: _text(ours.maybe(key)) for key in ("corpus_fingerprint", "version")},
        **{key: _positive(ours.maybe(key)) for key in ("min_count", "max_token_bytes")},
    }


def _extensions(place: Place) -> tuple[Extension, ...]:
    return tuple(
        Extension(
            first_id=each.at("first_id").index(),
            first_merge=each.at("first_merge").index(),
            ties=_one_of(each.maybe("ties"), TIES),
            **{key: _text(each.maybe(key)) for key in ("corpus_fingerprint", "version")},
        )
        for each in (place.elements() if place else ())
    )


def _one_of(place: Place, allowed: tuple[str, ...]) -> str | None:
    return place.one_of(*allowed) if place else None


def _text(place: Place) -> str | None:
    return place.text() if place else None


def _positive(place: Place) -> int | None:
    if place and place.index() == 0:
        place.fail("1 or more")
    return place.index() if place else None
