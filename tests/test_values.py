"""What the library hands out pickles, copies and deep-copies to an equal value, and never changes."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp

CORPUS = ["low low lower lowest", "newer widest"]


def _loaded_with_a_frame() -> tuple[bp.Tokenizer, Any, Any]:
    """A tokenizer of a file that lowers letters and has an added token."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        bp.train(CORPUS, num_merges=5, special_tokens=["<e>"]).save(path)
        whole = json.loads(path.read_text("utf-8"))
        whole["normalizer"] = {"type": "Lowercase"}
        loaded = bp.load(json.dumps(whole).encode())
    frame = loaded.model.frame
    assert frame is not None
    return loaded, frame.normalizer[0], frame.added[0]


def _packed(tok: bp.Tokenizer) -> bp.Pack:
    with tempfile.TemporaryDirectory() as folder:
        # The time that it took is another in every call.
        return dataclasses.replace(bp.pack(tok, CORPUS, Path(folder, "packed")), folder=Path("packed"), seconds=0.0)


def values() -> dict[str, Any]:
    tok = bp.train(CORPUS, num_merges=5, special_tokens=["<e>"])
    more = tok.extend(["slow slower"], 265)
    steps: list[bp.Progress] = []
    sampled = bp.tally(CORPUS * 50, pattern="gpt2", sample=0.5, progress=steps.append)
    compared = bp.compare({"ours": tok, "letters": list}, CORPUS)
    curve = bp.curve(tok, CORPUS)
    letter = bp.train(CORPUS, num_merges=0, special_tokens=["<e>"])
    differing = bp.verify(tok, letter, CORPUS)
    loaded, step, added = _loaded_with_a_frame()
    with warnings.catch_warnings(record=True) as said, tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("always")
        exported = tok.export(Path(folder, "x.tiktoken"), "tiktoken", lossy=True)
    assert said is not None
    return {
        "Audit": letter.audit(),
        "Finding": loaded.audit().findings[0],
        "Verification": differing,
        "Difference": differing.difference,
        "Exported": exported,
        "Loaded": loaded.loaded,
        "Frame": loaded.model.frame,
        "Step": step,
        "Added": added,
        "CacheUse": tok.cache,
        "Explanation": tok.explain("lowest"),
        "TokenReport": tok.token("low"),
        "Trace": bp.trace(CORPUS, 3),
        "Comparison": compared,
        "Measure": compared.measures[0],
        "SpanDifference": compared.differences[0],
        "Curve": curve,
        "CurvePoint": curve.point(1),
        "Inspection": tok.inspect(CORPUS),
        "Pruning": tok.prune(["low"])[0].pruning,
        "Tokenizer": tok,
        "Model": more.model,
        "Extension": more.model.extensions[0],
        "Pack": _packed(tok),
        "Pattern": tok.model.pattern,
        "TrainingReport": bp.train(sampled, num_merges=3).training,
        "ExtensionReport": more.extension,
        "Proof": tok.prove(CORPUS),
        "broken Proof": tok.prove(["zz"]),
        "Tally": sampled,
        "Sample": next(iter(sampled.samples)),
        "Progress": steps[-1],
        "Special": bp.Special("<e>"),
        "special_tokens": tok.special_tokens,
        "receipt": tok.prove(CORPUS).receipt,
    }


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda value, protocol=protocol: pickle.loads(pickle.dumps(value, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("name", values())
def test_a_copy_is_equal(name: str, way: Callable[[Any], Any]) -> None:
    value = values()[name]
    again = way(value)
    assert type(again) is type(value)
    if isinstance(value, bp.Model):
        # Models are compared by their fingerprints, or part by part.
        assert again.fingerprint == value.fingerprint
        for part in dataclasses.fields(value):
            assert getattr(again, part.name) == getattr(value, part.name)
    else:
        assert again == value
    assert str(again) == str(value)


def test_every_public_class_of_values_is_tried() -> None:
    errors = {name for name in bp.__all__ if name.endswith(("Error", "Warning"))}
    # A decoder is no value: it stands in the middle of a stream. Nor are arrays, which a packed document holds.
    classes = {name for name in bp.__all__ if isinstance(getattr(bp, name), type)} - {"Decoder", "PackedDocument"}
    assert classes - errors == {type(value).__name__ for value in values().values()} - {"FrozenDict"}


@pytest.mark.parametrize("name", ["special_tokens", "receipt"])
def test_a_mapping_that_is_handed_out_never_changes(name: str) -> None:
    value = values()[name]
    before = dict(value)
    for change in (
        lambda: value.__setitem__("new", 1),
        lambda: value.update(new=1),
        lambda: value.setdefault("new", 1),
        lambda: value.__ior__({"new": 1}),
        lambda: value.pop(next(iter(before))),
        lambda: value.__delitem__(next(iter(before))),
        value.popitem,
        value.clear,
    ):
        with pytest.raises(TypeError, match=r"this mapping never changes; make a copy that can: dict"):
            change()
    assert value == before
    assert json.loads(json.dumps(value)) == before


def test_a_model_of_nothing_but_specials_has_no_places_for_tokens() -> None:
    tok = bp.train([], num_merges=0, alphabet="chars", special_tokens=["<|end|>"], special_ids="first")
    assert (tok.model.tokens, dict(tok.special_tokens)) == ((), {"<|end|>": 0})
    assert tok.at(num_merges=0) == tok
