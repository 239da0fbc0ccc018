"""What a tokenizer.json has its library do to every text: said, kept, and not done here."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models
from tokenizers import decoders as D  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

TRUNCATION = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": {"Fixed": 8},
    "direction": "Left",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "<pad>",
}
BATCH = {**PADDING, "strategy": "BatchLongest", "pad_to_multiple_of": 8}


def file(**stored: Any) -> bytes:
    made = Tokenizer(models.BPE({each: i for i, each in enumerate(sorted(P.ByteLevel.alphabet()))}, []))
    made.pre_tokenizer, made.decoder = P.ByteLevel(add_prefix_space=False), D.ByteLevel()
    whole = json.loads(made.to_str())
    whole["model"]["dropout"] = stored.pop("dropout", None)
    return json.dumps(whole | stored).encode()


STORED: dict[str, tuple[dict[str, Any], str]] = {
    "truncation": ({"truncation": TRUNCATION}, r"truncation has tokenizers cut every text to 3 tokens.*truncate\(text"),
    "padding": ({"padding": PADDING}, r"padding has tokenizers fill every text up with '<pad>'.*fill up the ids"),
    "padding of batches": ({"padding": BATCH}, r"padding has tokenizers fill every text up with '<pad>'"),
    "dropout": ({"dropout": 0.5}, r"model\.dropout has tokenizers leave merges out.*pass dropout=0\.5 to encode"),
    "all": ({"truncation": TRUNCATION, "padding": BATCH, "dropout": 0.1}, "has tokenizers cut every text"),
}


@pytest.mark.parametrize(("stored", "said"), STORED.values(), ids=STORED)
def test_it_is_said_and_ids_are_those_of_the_whole_text(stored: dict[str, Any], said: str, tmp_path: Path) -> None:
    data = file(**stored)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = bp.load(data)
    messages = [str(each.message) for each in caught]
    assert len(messages) == len(stored) and any(re.search(said, each) for each in messages)
    theirs = Tokenizer.from_str(file().decode())
    for text in ("", "a", "hello there", "x" * 50):
        assert ours.encode(text) == theirs.encode(text).ids
        assert ours.decode(ours.encode(text)) == text
        assert [text[start:end] for start, end in ours.encode_spans(text)[1]] == list(text)
    ours.save(tmp_path / "tokenizer.json")
    with warnings.catch_warnings(record=True) as again_caught:
        warnings.simplefilter("always")
        assert bp.load(tmp_path / "tokenizer.json") == ours
    assert len(again_caught) == len(stored)
    # tokenizers does with the saved file what it did with the first.
    again = json.loads(Tokenizer.from_file(str(tmp_path / "tokenizer.json")).to_str())
    for name in ("truncation", "padding"):
        assert again[name] == stored.get(name)
    assert again["model"]["dropout"] == pytest.approx(stored.get("dropout"))


@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
def test_a_format_that_cannot_keep_it_names_it(tmp_path: Path) -> None:
    ours = bp.load(file(truncation=TRUNCATION))
    with pytest.raises(bp.FormatError, match="the truncation, padding or dropout that the file has stored"):
        ours.export(tmp_path / "a.tiktoken", "tiktoken")


@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
def test_transformers_is_not_told_of_it() -> None:
    pytest.importorskip("transformers", reason="transformers is an extra")
    ours = bp.load(file(truncation=TRUNCATION))
    assert ours.to_transformers()("hello there")["input_ids"] == ours.encode("hello there")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no object": ({"truncation": 5}, "truncation is 5; expected an object"),
    "no length": ({"truncation": {**TRUNCATION, "max_length": -1}}, "truncation.max_length is -1; expected 0 or more"),
    "a strategy": ({"truncation": {**TRUNCATION, "strategy": "No"}}, "truncation.strategy is .*'LongestFirst' or"),
    "a direction": ({"truncation": {**TRUNCATION, "direction": "Up"}}, "truncation.direction is .*'Left' or 'Right'"),
    "a padding": ({"padding": {**PADDING, "strategy": {"Half": 1}}}, r"padding.strategy is .*BatchLongest"),
    "a pad token": ({"padding": {**PADDING, "pad_token": None}}, "padding.pad_token is null; expected a string"),
    "a pad id": ({"padding": {**PADDING, "pad_id": "0"}}, 'padding.pad_id is "0"; expected a whole number'),
    "a dropout": ({"dropout": 1.5}, "model.dropout is 1.5; expected null, or a number from 0 to 1"),
    "a dropout of text": ({"dropout": "0.1"}, "model.dropout is .*expected null, or a number"),
}


@pytest.mark.parametrize(("stored", "message"), WRONG.values(), ids=WRONG)
@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
def test_what_tokenizers_does_not_open_is_refused(stored: dict[str, Any], message: str) -> None:
    data = file(**stored)
    with pytest.raises(Exception):  # noqa: B017  # it has no kind of its own
        Tokenizer.from_str(data.decode())
    with pytest.raises(bp.FormatError, match=message):
        bp.load(data)
