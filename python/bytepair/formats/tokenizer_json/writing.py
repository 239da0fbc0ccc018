"""Model -> tokenizer.json. The same model gives the same bytes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, Final

from bytepair.formats.tokenizer_json import pipeline
from bytepair.formats.tokenizer_json.pipeline import spell
from bytepair.model import Model, gpt2_characters

FORMAT_VERSION: Final = 1
_encoded = json.JSONEncoder(ensure_ascii=False).encode
_BYTES: Final = {character: byte for byte, character in gpt2_characters().items()}


def write(model: Model) -> bytes:
    """The contents of the file: UTF-8, lines end in a line feed."""
    expressible = inexpressible(model) is None
    top = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(text, number) for text, number in _specials_by_id(model)],
        **(pipeline.written(model) if expressible else dict.fromkeys(_PARTS)),
        "model": _model(model, expressible),
    }
    return (_laid_out(top, "") + "\n").encode()


_PARTS: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def inexpressible(model: Model) -> str | None:
    """What tokenizers has no way to express, or would do differently; None if there is nothing."""
    return next(_differences(model), None)


def _differences(model: Model) -> Iterator[str]:
    if model.kind == "ranks":
        yield "ranks instead of merges"
    if model.end_of_word is not None and model.end_of_word_style == "symbol":
        yield f"the marker {model.end_of_word!r} as a symbol of its own"
    elif model.end_of_word is not None:
        yield from _differences_of_suffix(model, model.end_of_word)
    if model.alphabet == "chars" and model.unk_token is None:
        yield "unknown characters as an error: it drops them"
    if reason := pipeline.inexpressible(model.pattern):
        yield reason
    ordinary = {spell(token, model) for token in model.tokens if token is not None}
    for text in model.specials:
        if text in ordinary:
            yield f"the special token {text!r}, which is how its file spells an ordinary token"
        if _decodes_differently(text, model):
            yield f"the special token {text!r}, which it decodes to something else"


def _differences_of_suffix(model: Model, suffix: str) -> Iterator[str]:
    """Its decoder replaces the suffix wherever a token holds it, and the texts of specials are tokens to it."""
    marker = suffix.encode()
    for token in model.tokens:
        if token is not None and marker in token and token.replace(marker, b" ") != token.removesuffix(marker) + b" ":
            yield f"the token {token!r}, which holds the marker {suffix!r} not only at its end"
    spelled = spell(marker, model)
    for text in model.specials:
        if spelled in text or (model.alphabet == "bytes" and " " in text):
            yield f"the special token {text!r}, which it decodes to something else"


def _decodes_differently(text: str, model: Model) -> bool:
    if model.alphabet == "chars":
        # A single character is looked up in the vocabulary, where it would be found.
        return len(text) == 1 and text != model.unk_token
    # The decoder takes a token for spelled bytes wherever all its characters can be such.
    return all(character in _BYTES for character in text) and bytes(map(_BYTES.__getitem__, text)) != text.encode()


def _specials_by_id(model: Model) -> list[tuple[str, int]]:
    return sorted(model.specials.items(), key=lambda item: item[1])


def _added(text: str, number: int) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": number, "content": text, **flags}


def _model(model: Model, expressible: bool) -> dict[str, Any]:
    return {
        "type": "BPE" if expressible else "bytepair",
        "dropout": None,
        "unk_token": model.unk_token,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": pipeline.spelled_suffix(model) if expressible else None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": _vocabulary(model, with_specials=expressible),
        "merges": [[spell_id(left, model), spell_id(right, model)] for left, right in dict.fromkeys(model.merges)],
        "bytepair": _provenance(model),
    }


def spell_id(number: int, model: Model) -> str:
    """How the file writes the token of an id."""
    token = model.tokens[number]
    assert token is not None  # the parts of a merge are tokens: the model made sure
    return spell(token, model)


def _vocabulary(model: Model, with_specials: bool) -> dict[str, int]:
    pairs = [(spell(token, model), number) for number, token in enumerate(model.tokens) if token is not None]
    pairs += model.specials.items() if with_specials else ()
    return dict(sorted(pairs, key=lambda pair: pair[1]))


def _provenance(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT_VERSION,
        "version": model.version,
        "kind": model.kind,
        "alphabet": model.alphabet,
        "byte_order": model.byte_order,
        "pattern": {"name": model.pattern.name, "regex": model.pattern.regex},
        "add_prefix_space": model.add_prefix_space,
        "end_of_word": model.end_of_word,
        "end_of_word_style": model.end_of_word_style,
        "ties": model.ties,
        "special_ids": model.special_ids,
        "min_count": model.min_count,
        "max_token_bytes": model.max_token_bytes,
        "corpus_fingerprint": model.corpus_fingerprint,
        "merge_counts": None if model.merge_counts is None else list(model.merge_counts),
        "repeated_merges": _repeats(model),
        "extensions": [dataclasses.asdict(each) for each in model.extensions],
    }


def _repeats(model: Model) -> list[list[int]]:
    """[rank, first rank] of each merge that was learned again: `merges` holds every pair once, for tokenizers' sake."""
    first: dict[tuple[int, int], int] = {}
    return [[rank, first[pair]] for rank, pair in enumerate(model.merges) if first.setdefault(pair, rank) != rank]


def _laid_out(value: Any, indent: str) -> str:
    """JSON with an entry a line, and what holds only plain values on one line."""
    if not isinstance(value, dict | list) or not value or _is_flat(value):
        return _encoded(value)
    inner = indent + "  "
    if isinstance(value, dict):
        lines = [f"{inner}{_encoded(key)}: {_laid_out(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join([inner + _laid_out(each, inner) for each in value]) + f"\n{indent}]"


def _is_flat(value: Any) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, dict | list) for each in value)
    return len(value) <= 8 and not any(isinstance(each, dict | list) for each in value.values())
