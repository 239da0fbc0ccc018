"""Model -> tokenizer.json. The same model gives the same bytes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, Final

from bytepair.formats.tokenizer_json import pipeline, steps, stored
from bytepair.formats.tokenizer_json.pipeline import spell
from bytepair.formats.tokenizer_json.spelling import spells_other_bytes
from bytepair.frame import NO_FRAME, Added, Frame, Step
from bytepair.model import Model

FORMAT_VERSION: Final = 1
BYTE_LEVEL: Final = Step("ByteLevel", {"add_prefix_space": False, "trim_offsets": True, "use_regex": True})
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def write(model: Model, lossy: bool = False) -> bytes:
    """The contents of the file: UTF-8, lines end in a line feed. `lossy`: for tokenizers, whatever differs there."""
    expressible = lossy or inexpressible(model) is None
    kept = stored.written(model.frame.stored if model.frame else None)
    top = {
        "version": "1.0",
        "truncation": kept["truncation"],
        "padding": kept["padding"],
        "added_tokens": _added_tokens(model),
        **(_parts(model) if expressible else dict.fromkeys(_PARTS)),
        "model": _model(model, expressible) | {"dropout": kept["dropout"]},
    }
    return (_laid_out(top, "") + "\n").encode()


_PARTS: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def _parts(model: Model) -> dict[str, Any]:
    """The parts round the model; those of a frame where it has them."""
    written, frame = pipeline.written(model), model.frame
    if frame is None:
        return written
    if frame.normalizer:
        written["normalizer"] = steps.written(frame.normalizer, "normalizer")
    if frame.cutting is not None:
        written["pre_tokenizer"] = steps.written(frame.cutting, "pre_tokenizer")
    if frame.decoder is not None:
        written["decoder"] = steps.written(frame.decoder, "decoder")
    elif model.end_of_word is None:
        written["decoder"] = steps.written((BYTE_LEVEL,), "decoder")
    written["post_processor"] = None if frame.post_processor is None else json.loads(frame.post_processor)
    return written


def inexpressible(model: Model) -> str | None:
    """What tokenizers has no way to express, or would do differently; None if there is nothing."""
    return next(differences(model), None)


def differences(model: Model) -> Iterator[str]:
    """All that tokenizers has no way to express, or would do differently."""
    if model.kind == "ranks":
        yield "ranks instead of merges"
    if model.end_of_word is not None and model.end_of_word_style == "symbol":
        yield f"the marker {model.end_of_word!r} as a symbol of its own"
    elif model.end_of_word is not None and model.frame is None:
        yield from _differences_of_suffix(model, model.end_of_word)
    if model.alphabet == "chars" and model.unk_token is None and model.frame is None:
        yield "unknown characters as an error: it drops them"
    if reason := pipeline.inexpressible(model.pattern):
        yield reason
    if model.frame is not None:
        yield from _differences_of_frame(model, model.frame)
        return
    ordinary = {spell(token, model) for token in model.tokens if token is not None}
    for text in model.specials:
        if text in ordinary:
            yield f"the special token {text!r}, which is how its file spells an ordinary token"
        if _decodes_differently(text, model):
            yield f"the special token {text!r}, which it decodes to something else"


def _differences_of_frame(model: Model, frame: Frame) -> Iterator[str]:
    for name, table in (("normalizer", steps.NORMALIZERS), ("decoder", steps.DECODERS)):
        for step in getattr(frame, name) or ():
            if step.name not in table:
                yield f"the {name} {step.name}"
    if frame.replaced:
        yield f"{len(frame.replaced)} tokens that become others after all merges"
    if frame.scores:
        yield "merges by score instead of by a list"
    if frame.leftmost:
        yield f"{len(frame.leftmost)} merges of equal rank, of which the leftmost comes first"
    if model.add_prefix_space and frame.normalizer:
        yield "a prefix space behind a normalizer"
    ordinary = {spell(token, model): number for number, token in enumerate(model.tokens) if token is not None}
    for each in frame.added:
        if ordinary.get(each.text, each.id) != each.id:
            yield f"the added token {each.text!r}, which is how its file spells an ordinary token"


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
    return spells_other_bytes(text)


def _added_tokens(model: Model) -> list[dict[str, Any]]:
    if model.frame is not None:
        return [_flagged(each) for each in model.frame.added]
    return [_added(text, number) for text, number in sorted(model.specials.items(), key=lambda item: item[1])]


def _flagged(added: Added) -> dict[str, Any]:
    return _added(added.text, added.id) | {
        name: getattr(added, name) for name in ("single_word", "lstrip", "rstrip", "normalized", "special")
    }


def _added(text: str, number: int) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": number, "content": text, **flags}


def _model(model: Model, expressible: bool) -> dict[str, Any]:
    frame = model.frame or NO_FRAME
    return {
        "type": "BPE" if expressible else "bytepair",
        "dropout": None,
        "unk_token": model.unk_token,
        "continuing_subword_prefix": frame.subword_prefix,
        "end_of_word_suffix": pipeline.spelled_suffix(model) if expressible else None,
        "fuse_unk": frame.fuse_unk,
        "byte_fallback": frame.byte_fallback,
        "ignore_merges": frame.ignore_merges,
        "vocab": _vocabulary(model, with_specials=expressible),
        "merges": [[spell_id(left, model), spell_id(right, model)] for left, right in dict.fromkeys(model.merges)],
        "bytepair": _provenance(model, expressible),
    }


def spell_id(number: int, model: Model) -> str:
    """How the file writes the token of an id."""
    token = model.tokens[number]
    assert token is not None  # the parts of a merge are tokens: the model made sure
    return spell(token, model)


def _vocabulary(model: Model, with_specials: bool) -> dict[str, int]:
    pairs = [(spell(token, model), number) for number, token in enumerate(model.tokens) if token is not None]
    if with_specials:
        pairs += apart(model).items()
    return dict(sorted(pairs, key=lambda pair: pair[1]))


def apart(model: Model) -> dict[str, int]:
    """The added tokens that stand in the vocabulary only for their ids: without that tokenizers numbers them itself."""
    if model.frame is None:
        return dict(model.specials)
    ordinary = {spell(token, model) for token in model.tokens if token is not None}
    others = {each.text: each.id for each in model.frame.added if each.text not in ordinary}
    return {} if list(others.values()) == [*range(len(ordinary), len(ordinary) + len(others))] else others


def _provenance(model: Model, expressible: bool) -> dict[str, Any]:
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
        **({} if model.frame is None else {"apart": sorted(apart(model))}),
        **({} if model.frame is None or expressible else {"frame": model.frame.as_json()}),
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
