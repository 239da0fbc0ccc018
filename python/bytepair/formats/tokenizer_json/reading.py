"""tokenizer.json -> Model, as we write it, as tokenizers writes it; and nothing that is not understood."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, NoReturn

from bytepair.errors import ArgumentError, ArgumentTypeError, FormatError, ModelError, PatternError
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json import framed, pipeline
from bytepair.formats.tokenizer_json.pipeline import Pipeline
from bytepair.formats.tokenizer_json.spelling import BYTES as _BYTES
from bytepair.formats.tokenizer_json.spelling import as_bytes, has_all_bytes
from bytepair.formats.tokenizer_json.table import Table
from bytepair.formats.tokenizer_json.writing import FORMAT_VERSION
from bytepair.frame import Frame
from bytepair.model import Extension, Model, byte_order_of, of_tables, special_ids_of
from bytepair.parts import SPECIAL_IDS, STYLES, TIES, Alphabet
from bytepair.patterns import NAMED, Pattern, resolve


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
    if model.maybe("type"):
        model.at("type").one_of("BPE", "bytepair")
    try:
        if model.maybe("type").value == "bytepair":
            return _read_ours(top, model)
        return _read_bpe(top, model) or _read_framed(top, model)
    except (ModelError, ArgumentError, ArgumentTypeError, PatternError) as error:
        raise FormatError(f"{top.file}: {error}") from None


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The ordinary tokens by id and by the spelling that the file uses."""

    tokens: tuple[bytes | None, ...]
    ids: Mapping[str, int]
    apart: tuple[str, ...] = ()


def _read_bpe(top: Place, model: Place) -> Model | None:
    """By structure alone; provenance adds only what structure cannot tell. None where a frame is needed."""
    try:
        parts = pipeline.read(top)
        specials = _specials(top, model)
        _refuse_options(model, parts)
        suffix = _suffix(model.maybe("end_of_word_suffix"), parts)
    except FormatError:
        return None
    if model.maybe("vocab").value is None or not _is_plain(model, parts, specials):
        return None
    vocabulary = _vocabulary(model.at("vocab"), parts.alphabet, specials)
    ours = _provenance_of(model)
    merges = _with_repeats(_merges(model.at("merges"), vocabulary), ours)
    made = of_tables if isinstance(vocabulary.ids, Table) else Model
    return made(
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


def _is_plain(model: Place, parts: Pipeline, specials: Mapping[str, int]) -> bool:
    """Whether the model has the symbols and the unknown token that one without a frame must have."""
    vocab = model.at("vocab").indices()
    if parts.alphabet == "bytes":
        return has_all_bytes(vocab)
    return model.maybe("unk_token").value in specials


def _read_framed(top: Place, model: Place) -> Model:
    """A file that does more than a model's own parts say."""
    if place := top.maybe("truncation") or top.maybe("padding"):
        place.fail("null", "truncation and padding stored in a tokenizer are not implemented")
    if model.maybe("dropout").value:
        model.maybe("dropout").fail("null", "pass dropout to encode")
    vocab = model.at("vocab").indices()
    added = framed.added_tokens(top, model)
    suffix = model.maybe("end_of_word_suffix")
    outline = framed.read(top, model, added, has_all_bytes(vocab, suffix.text() if suffix.value else ""))
    specials = {each.text: each.id for each in added if each.special}
    own = {each.text: each.id for each in added}
    try:
        vocabulary, merges = _tables(model, outline.alphabet, outline.frame, own)
    except _NotBytesError:
        outline = framed.read(top, model, added, False)
        vocabulary, merges = _tables(model, outline.alphabet, outline.frame, own)
    ours = _provenance_of(model)
    merges = _with_repeats(merges, ours)
    unknown = model.maybe("unk_token").value
    if unknown is not None and unknown not in specials and unknown not in vocabulary.ids:
        model.maybe("unk_token").fail("a token of model.vocab")
    made = of_tables if isinstance(vocabulary.ids, Table) else Model
    return made(
        kind="merges",
        alphabet=outline.alphabet,
        tokens=vocabulary.tokens,
        merges=merges,
        specials=specials,
        pattern=outline.pattern,
        end_of_word=_suffix_of(suffix, outline.alphabet) if suffix.value else None,
        end_of_word_style="suffix" if suffix.value else "symbol",
        unk_token=unknown if outline.alphabet == "chars" else None,
        add_prefix_space=outline.add_prefix_space,
        frame=outline.frame,
        **_history(ours, outline.alphabet, vocabulary.tokens, specials, len(merges)),
    )


class _NotBytesError(Exception):
    """The vocabulary, or the suffix, does not spell bytes."""


def _tables(
    model: Place, alphabet: Alphabet, frame: Frame, added: Mapping[str, int]
) -> tuple[_Vocabulary, tuple[tuple[int, int], ...]]:
    """Vocabulary and merges."""
    place, prefix = model.at("vocab"), frame.subword_prefix or ""
    if alphabet == "bytes" and model.maybe("end_of_word_suffix").value:
        _suffix_of(model.maybe("end_of_word_suffix"), alphabet)
    ours = _provenance_of(model)
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
    vocabulary = _vocabulary(place, alphabet, apart, shared)
    return vocabulary, _merges(model.at("merges"), vocabulary, prefix)


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
    if place := top.maybe("truncation") or top.maybe("padding"):
        place.fail("null", "truncation and padding stored in a tokenizer are not implemented")
    ours = model.at("bytepair")
    version = ours.at("format").integer()
    if version > FORMAT_VERSION:
        ours.at("format").fail(f"at most {FORMAT_VERSION}", "update bytepair to read this file")
    frame = Frame.of_json(ours.at("frame").value) if ours.maybe("frame") else None
    alphabet: Alphabet = "bytes" if ours.at("alphabet").one_of("bytes", "chars") == "bytes" else "chars"
    specials = _specials(top, None) if frame is None else {each.text: each.id for each in frame.added if each.special}
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
        frame=frame,
        **_history(ours, alphabet, vocabulary.tokens, specials, len(merges)),
    )


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


def _specials(top: Place, model: Place | None) -> dict[str, int]:
    """The added tokens of a file that has only plain control tokens."""
    for key in ("truncation", "padding"):
        if place := top.maybe(key):
            place.fail("null")
    has_normalizer = bool(top.maybe("normalizer"))
    added = framed.added_tokens(top, model)
    for each in added:
        if not each.special or each.single_word or each.lstrip or each.rstrip or (each.normalized and has_normalizer):
            top.at("added_tokens").fail("control tokens alone, without flags")
    return {each.text: each.id for each in added}


def _vocabulary(
    place: Place, alphabet: Alphabet, specials: Mapping[str, int], also: Mapping[str, int] = MappingProxyType({})
) -> _Vocabulary:
    """The ordinary tokens: those of the file without `specials`; `also` may stand there with their own ids."""
    if isinstance(place.value, Table):
        return _quickly(place.value, alphabet, specials)
    ids = dict(place.indices())
    for text, number in specials.items():
        if ids.pop(text, number) != number:
            place.entry(text).fail(f"{number}, its id in added_tokens")
    taken = {*ids.values()}
    others = {number: text for text, number in (*specials.items(), *also.items())}
    shared = {number for number in taken & others.keys() if ids.get(others[number]) != number}
    if len(taken) != len(ids) or shared:
        _refuse_shared(place, ids, others)
    largest = max(taken, default=0)
    # A wrong number must not ask for a table of billions.
    if largest > 2 * (len(ids) + len(others)) + 1_000_000:
        text = next(text for text, number in ids.items() if number == largest)
        place.entry(text).fail(f"an id near the others: there are {len(ids) + len(others)} tokens")
    return _Vocabulary(_tokens(ids, alphabet, place), ids)


class SlowError(Exception):
    """The file is to be read step by step: something in its tables is wrong, or seldom."""


def _quickly(table: Table, alphabet: Alphabet, specials: Mapping[str, int]) -> _Vocabulary:
    if any(table.get(text, number) != number for text, number in specials.items()):
        raise SlowError
    apart = [text for text in specials if text in table]
    tokens = table.tables.tokens(alphabet == "bytes", apart)
    others = {number for text, number in specials.items() if text not in table}
    if tokens is None or any(number < len(tokens) and tokens[number] is not None for number in others):
        raise SlowError
    return _Vocabulary(tokens, table, tuple(apart))


def _refuse_shared(place: Place, ids: Mapping[str, int], others: Mapping[int, str]) -> NoReturn:
    spellings = dict(others)
    for text, number in ids.items():
        if spellings.setdefault(number, text) != text:
            place.entry(text).fail(f"an id of its own, not that of {spellings[number]!r}")
    raise AssertionError("an id is shared")


def _tokens(ids: Mapping[str, int], alphabet: Alphabet, place: Place) -> tuple[bytes | None, ...]:
    texts = list(ids)
    if "" in ids:
        Place("", f"a token of {place.path}", place.file).fail("at least one character")
    spelled = as_bytes(texts) if alphabet == "bytes" else None
    if spelled is None:
        spelled = [_spelled(text, alphabet, place) for text in texts]
    tokens: list[bytes | None] = [None] * (max(ids.values(), default=-1) + 1)
    for number, token in zip(ids.values(), spelled, strict=True):
        tokens[number] = token
    return tuple(tokens)


def _spelled(text: str, alphabet: Alphabet, place: Place) -> bytes:
    try:
        return text.encode() if alphabet == "chars" else bytes([_BYTES[each] for each in text])
    except (KeyError, UnicodeEncodeError) as error:
        _refuse_spelling(text, place, error)


def _refuse_spelling(text: str, place: Place, error: KeyError | UnicodeEncodeError) -> NoReturn:
    at = Place(text, f"a token of {place.path}", place.file)
    if isinstance(error, KeyError):
        at.fail("bytes spelled as GPT-2 does", f"{error.args[0]!r} stands for no byte")
    at.fail("text without surrogates")


def _merges(place: Place, vocabulary: _Vocabulary, prefix: str = "") -> tuple[tuple[int, int], ...]:
    """Where a pair stands twice, tokenizers lets the last one count, and so do we."""
    if isinstance(vocabulary.ids, Table):
        quick = vocabulary.ids.tables.pairs(len(prefix.encode()), vocabulary.apart)
        if quick is None:
            raise SlowError
        return quick
    ids, pairs = vocabulary.ids, _pairs(place)
    try:
        found = [(ids[left], ids[right]) for left, right in pairs]
    except KeyError:
        found = []
    n_prefix = len(prefix)
    if len(found) != len(pairs) or not all(left + right[n_prefix:] in ids for left, right in pairs):
        _refuse_merge(place, pairs, ids, n_prefix)
    if len({*found}) == len(found):
        return tuple(found)
    last = {pair: rank for rank, pair in enumerate(found)}
    return tuple(sorted(last, key=last.__getitem__))


def _refuse_merge(place: Place, pairs: list[list[str]], ids: Mapping[str, int], n_prefix: int) -> NoReturn:
    for rank, (left, right) in enumerate(pairs):
        if left not in ids or right not in ids:
            part = right if left in ids else left
            place.element(rank).fail("two ordinary tokens of model.vocab", f"{part!r} is none")
        joint = left + right[n_prefix:]
        if joint not in ids:
            place.element(rank).fail("a pair whose joint spelling is in model.vocab", f"{joint!r} is not there")
    raise AssertionError("a merge is wrong")


def _pairs(place: Place) -> list[list[str]]:
    """Each merge is a list of two, or the older "x y"."""
    given = place.list()
    kinds = {*map(type, given)}
    # The older files hold only strings: the first line of a merges.txt may be among them.
    pairs = [each.split(" ") if type(each) is str else each for each in given] if str in kinds else given
    lists = not kinds - {str, list} and {*map(len, pairs)} <= {2}
    if not lists or not {*map(type, chain.from_iterable(pairs))} <= {str}:
        _refuse_pair(place, pairs)
    return pairs


def _refuse_pair(place: Place, pairs: list[Any]) -> NoReturn:
    for rank, each in enumerate(pairs):
        if type(each) is not list or len(each) != 2 or not all(type(part) is str for part in each):
            place.element(rank).fail('a list of two tokens, or "left right" with one space')
    raise AssertionError("a pair is wrong")


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
