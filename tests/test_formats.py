"""Files: what is written, what is read back, and what is refused by name."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.formats import tiktoken_ranks

CORPUS = ["low lower lowest new newer newest wide wider widest éa 漢字 漢字 12 123 <|a|>"]
CL100K_SPECIALS = {"<|endoftext|>": 100257}

SETUPS: list[dict[str, Any]] = [
    {},
    {"pattern": "gpt2", "byte_order": "gpt2", "ties": "lowest-id", "special_ids": "first", "special_tokens": ["<|a|>"]},
    {"pattern": "gpt2", "add_prefix_space": True, "special_tokens": ["<|a|>", "<é>", "<|b|> "]},
    {"pattern": "none", "ties": "largest", "min_count": 2, "max_token_bytes": 4},
    {"pattern": "whitespace", "end_of_word": "</w>"},
    {"pattern": "whitespace", "end_of_word": "</w>", "alphabet": "chars", "ties": "first-seen"},
    {"pattern": "whitespace", "end_of_word": "</w>", "end_of_word_style": "suffix", "ties": "shortest"},
    {"pattern": "none", "end_of_word": "é", "end_of_word_style": "suffix", "alphabet": "chars", "unk_token": "<unk>"},
    {"pattern": "none", "end_of_word": "_", "end_of_word_style": "suffix", "alphabet": "chars"},
    {"pattern": "cl100k", "end_of_word": "w", "special_ids": "first", "special_tokens": ["<|a|>"]},
    {"pattern": r"\w+|\W", "add_prefix_space": True},
    {"pattern": r"\p{L}+|\d{1,3}|.", "add_prefix_space": True},
    {"alphabet": "chars", "unk_token": "<unk>", "special_tokens": ["<|a|>", "<unk>"]},
    {"alphabet": "chars", "pattern": "none", "special_tokens": ["§"]},
    {"alphabet": "chars", "unk_token": "<unk>", "add_prefix_space": True, "pattern": "gpt2"},
]


def trained(**options: Any) -> bp.Tokenizer:
    return bp.train(CORPUS, num_merges=30, **options)


def contents(tok: bp.Tokenizer, folder: Path) -> bytes:
    path = folder / "tokenizer.json"
    tok.save(path)
    return path.read_bytes()


def as_json(tok: bp.Tokenizer, folder: Path) -> dict[str, Any]:
    return dict(json.loads(contents(tok, folder)))


def loaded(file: dict[str, Any]) -> bp.Tokenizer:
    return bp.load(json.dumps(file).encode())


def all_parts(tok: bp.Tokenizer) -> dict[str, Any]:
    model = tok.model
    names = [name for name in type(model).__dataclass_fields__ if not name.startswith("_")]
    return {name: getattr(model, name) for name in names}


# Saving and loading


@pytest.mark.parametrize("options", SETUPS, ids=str)
def test_what_is_saved_is_loaded_with_every_part(options: dict[str, Any], tmp_path: Path) -> None:
    tok = trained(**options)
    data = contents(tok, tmp_path)
    again = bp.load(tmp_path / "tokenizer.json")
    assert again == tok
    assert all_parts(again) == all_parts(tok)
    assert contents(again, tmp_path) == data
    assert again.encode(CORPUS[0], special="all") == tok.encode(CORPUS[0], special="all")


def test_the_same_model_gives_the_same_bytes_wherever_and_however_it_is_made(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_text(CORPUS[0], encoding="utf-8")
    one = bp.train(tmp_path / "here" / "text.txt", num_merges=30, threads=1)
    other = bp.train(tmp_path / "there", num_merges=30, threads=3, document="line")
    assert contents(one, tmp_path / "here") == contents(other, tmp_path / "there") == contents(trained(), tmp_path)


def test_the_file_is_utf8_with_line_feeds_and_characters_as_they_are(tmp_path: Path) -> None:
    data = contents(trained(alphabet="chars", unk_token="<unk>"), tmp_path)
    assert "漢".encode() in data
    assert b"\r" not in data
    assert data.endswith(b"}\n")


def test_provenance_says_how_it_was_learned_and_not_where(tmp_path: Path) -> None:
    source = tmp_path / "corpus.txt"
    source.write_text(CORPUS[0], encoding="utf-8")
    tok = bp.train(source, num_merges=5, ties="largest", min_count=2, max_token_bytes=6)
    ours = as_json(tok, tmp_path)["model"]["bytepair"]
    assert ours["ties"] == "largest"
    assert ours["min_count"] == 2
    assert ours["max_token_bytes"] == 6
    assert ours["alphabet"] == "bytes"
    assert ours["byte_order"] == "value"
    assert ours["version"] == bp.__version__
    assert ours["corpus_fingerprint"] == bp.tally(source, pattern="cl100k").fingerprint
    assert ours["pattern"]["name"] == "cl100k"
    assert ours["merge_counts"] == list(tok.training.merge_counts if tok.training else ())
    assert not {"seconds", "threads", "documents", "document"} & set(ours)
    assert str(tmp_path) not in json.dumps(ours)


def test_merges_are_pairs_so_that_tokens_may_hold_spaces(tmp_path: Path) -> None:
    tok = bp.train(["a b a b a b"] * 9, num_merges=3, pattern="none", alphabet="chars", unk_token="<unk>")
    assert [" ", "b"] in as_json(tok, tmp_path)["model"]["merges"]
    assert bp.load(tmp_path / "tokenizer.json") == tok


def test_merges_as_one_string_each_are_read_too(tmp_path: Path) -> None:
    tok = trained(pattern="gpt2")
    file = as_json(tok, tmp_path)
    file["model"]["merges"] = [" ".join(pair) for pair in file["model"]["merges"]]
    assert loaded(file) == tok


def test_structure_alone_is_enough(tmp_path: Path) -> None:
    for options in SETUPS:
        tok = trained(**options)
        file = as_json(tok, tmp_path)
        if file["model"]["type"] == "BPE":
            del file["model"]["bytepair"]
            assert loaded(file) == tok


def test_a_merge_that_was_learned_twice_comes_back_twice(tmp_path: Path) -> None:
    tok = trained(pattern="gpt2")
    file = as_json(tok, tmp_path)
    ours = file["model"]["bytepair"]
    ours["repeated_merges"] = [[3, 1], [31, 0]]
    ours["merge_counts"] = [1] * 32
    again = loaded(file)
    assert again.merges == [*tok.merges[:3], tok.merges[1], *tok.merges[3:], tok.merges[0]]
    written = as_json(again, tmp_path)
    assert written["model"]["merges"] == file["model"]["merges"]
    assert written["model"]["bytepair"]["repeated_merges"] == [[3, 1], [31, 0]]
    assert all_parts(bp.load(tmp_path / "tokenizer.json")) == all_parts(again)


@given(st.lists(st.text(alphabet="ab é漢", max_size=12), max_size=5), st.sampled_from(SETUPS))
def test_any_training_survives_saving(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[str], options: dict[str, Any]
) -> None:
    tok = bp.train(corpus, num_merges=12, **options)
    path = tmp_path_factory.getbasetemp() / "any.json"
    tok.save(path)
    assert all_parts(bp.load(path)) == all_parts(tok)


# What tokenizers cannot express


@pytest.mark.parametrize(
    "options",
    [
        {"end_of_word": "</w>"},
        {"alphabet": "chars"},
        {"pattern": r"\w+"},
        {"pattern": "(?:a)$"},
        {"special_tokens": ["Ġ"]},
        {"special_tokens": ["<é>"]},
        {"special_tokens": ["Ġl"]},
        {"alphabet": "chars", "unk_token": "<unk>", "special_tokens": ["§"]},
    ],
    ids=str,
)
def test_what_tokenizers_cannot_express_has_a_type_that_it_refuses(options: dict[str, Any], tmp_path: Path) -> None:
    tok = trained(**options)
    assert as_json(tok, tmp_path)["model"]["type"] == "bytepair"
    assert bp.load(tmp_path / "tokenizer.json") == tok


@pytest.mark.parametrize(
    "options",
    [{}, {"special_tokens": ["<漢>", "<|end of text|>", "<é >"]}, {"alphabet": "chars", "unk_token": "é"}],
    ids=str,
)
def test_what_tokenizers_can_express_is_written_for_it(options: dict[str, Any], tmp_path: Path) -> None:
    # "é" stands for what was not seen, so it may not be in this corpus.
    tok = bp.train(["ab"], num_merges=1, **options) if options.get("alphabet") else trained(**options)
    assert as_json(tok, tmp_path)["model"]["type"] == "BPE"
    assert bp.load(tmp_path / "tokenizer.json") == tok


def test_a_newer_form_of_our_own_type_is_refused(tmp_path: Path) -> None:
    file = as_json(trained(end_of_word="</w>"), tmp_path)
    file["model"]["bytepair"]["format"] = 2
    with pytest.raises(bp.FormatError, match=r"model\.bytepair\.format is 2; expected at most 1; update bytepair"):
        loaded(file)


# Refusals, by name


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(file: Any) -> None:
        for key in path[:-1]:
            file = file[key]
        file[path[-1]] = to

    return change


def _without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(file: Any) -> None:
        for key in path[:-1]:
            file = file[key]
        del file[path[-1]]

    return change


ADDED = {"id": 0, "content": "x", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (
        _set("normalizer", to={"type": "Nmt"}),
        r"normalizer\.type is \"Nmt\"; expected one of NFC.*Nmt. is not implemented",
    ),
    (
        _set("pre_tokenizer", to={"type": "Metaspace"}),
        r"pre_tokenizer has no 'replacement'; expected one",
    ),
    (_set("pre_tokenizer", to=None), r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says"),
    (_set("pre_tokenizer", "type", to=3), r"pre_tokenizer\.type is 3; expected a string"),
    (_set("pre_tokenizer", "use_regex", to="yes"), r"pre_tokenizer\.use_regex is \"yes\"; expected true or false"),
    (_set("post_processor", to={"type": "TemplateProcessing"}), r"post_processor has no 'special_tokens'"),
    (
        _set("decoder", to={"type": "WordPiece"}),
        r"decoder\.type is \"WordPiece\"; expected one of ByteLevel.*the decoder .WordPiece. is not implemented",
    ),
    (_set("truncation", to={"max_length": 5}), r"truncation has no 'strategy'; expected one"),
    (_set("padding", to={"strategy": "BatchLongest"}), r"padding has no 'direction'; expected one"),
    (_set("model", "type", to="WordPiece"), r"model\.type is \"WordPiece\"; expected 'BPE' or 'bytepair'"),
    (_set("model", "dropout", to=1.5), r"model\.dropout is 1\.5; expected null, or a number from 0 to 1"),
    (
        _set("model", "byte_fallback", to=True),
        r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says",
    ),
    (
        _set("model", "continuing_subword_prefix", to="##"),
        r"merges\[0\] is .*; expected a right part with the 2 characters of continuing_subword_prefix",
    ),
    (
        _set("model", "end_of_word_suffix", to="</w>"),
        r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says",
    ),
    (_set("model", to=[]), r"model is \[\]; expected an object"),
    (_without("model"), r"the top level has no 'model'"),
    (_without("model", "vocab"), r"model has no 'vocab'"),
    (_without("model", "merges"), r"model has no 'merges'"),
    (_set("model", "vocab", "a", to="0"), r"model\.vocab\[\"a\"\] is \"0\"; expected a whole number"),
    (_set("model", "vocab", "a", to=1.5), r"model\.vocab\[\"a\"\] is 1\.5; expected a whole number"),
    (_set("model", "vocab", "a", to=True), r"model\.vocab\[\"a\"\] is true; expected a whole number"),
    (_set("model", "vocab", "a", to=-1), r"model\.vocab\[\"a\"\] is -1; expected 0 or more"),
    (_set("model", "vocab", "a", to=10**12), r"model\.vocab\[\"a\"\] is 1000000000000; expected an id near the others"),
    (_set("model", "vocab", "漢", to=999), r"a token of model\.vocab is \"漢\"; expected bytes spelled as GPT-2 does"),
    (
        _without("model", "vocab", "Ā"),
        r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says",
    ),
    (_set("model", "merges", 0, to=["a"]), r"model\.merges\[0\] is \[\"a\"\]; expected a list of two tokens"),
    (_set("model", "merges", 0, to="abc"), r"model\.merges\[0\] is \"abc\"; expected a list of two tokens"),
    (_set("model", "merges", 0, to=["a", 3]), r"model\.merges\[0\] is \[\"a\", 3\]; expected a list of two"),
    (_set("model", "merges", 0, to=7), r"model\.merges\[0\] is 7; expected a list of two tokens"),
    (_set("model", "merges", 0, to=["a", "nope"]), r"model\.merges\[0\] is .*'nope' is none"),
    (_set("model", "merges", 0, to=["z", "z"]), r"model\.merges\[0\] is .*'zz' is not there"),
    (_set("model", "merges", to={}), r"model\.merges is \{\}; expected a list"),
    (_set("added_tokens", to=[{**ADDED, "special": 1}]), r"added_tokens\[0\]\.special is 1; expected true or false"),
    (_set("added_tokens", to=[{**ADDED, "special": True, "lstrip": 1}]), r"added_tokens\[0\]\.lstrip is 1"),
    (_set("added_tokens", to=[{**ADDED, "special": True, "id": -2}]), r"added_tokens\[0\]\.id is -2"),
    (_set("added_tokens", to=[{"content": "a"}]), r"added_tokens\[0\] has no 'id'"),
    (_set("model", "bytepair", "add_prefix_space", to=True), r"bytepair\.add_prefix_space is true; expected false"),
    (_set("model", "bytepair", "merge_counts", to=[1]), r"model\.bytepair\.merge_counts is \[1\]; expected one count"),
    (_set("model", "bytepair", "repeated_merges", to=[[0, 5]]), r"repeated_merges\[0\] is \[0, 5\]"),
    (_set("model", "bytepair", "ties", to=5), r"model\.bytepair\.ties is 5; expected a string"),
    (
        _set("model", "bytepair", "ties", to="random"),
        r"bytepair\.ties is \"random\"; expected 'lexicographic' or",
    ),
    (_set("model", "bytepair", "kind", to="ranks"), r"model\.bytepair\.kind is \"ranks\"; expected \"merges\", as the"),
    (_set("model", "bytepair", "end_of_word", to="</w>"), r"model\.bytepair\.end_of_word is \"</w>\"; expected null"),
    (_set("model", "bytepair", "end_of_word_style", to="other"), r"bytepair\.end_of_word_style is \"other\"; expected"),
    (_set("model", "bytepair", "alphabet", to="chars"), r"model\.bytepair\.alphabet is \"chars\"; expected \"bytes\""),
    (
        _set("model", "bytepair", "byte_order", to="gpt2"),
        r"bytepair\.byte_order is \"gpt2\"; expected \"value\"",
    ),
    (_set("model", "bytepair", "special_ids", to="middle"), r"special_ids is \"middle\"; expected 'last' or 'first'"),
    (
        _set("model", "bytepair", "special_ids", to="first"),
        r"special_ids is \"first\"; expected \"last\", as",
    ),
    (_set("model", "bytepair", "min_count", to=0), r"model\.bytepair\.min_count is 0; expected 1 or more"),
    (_set("model", "bytepair", "min_count", to="1"), r"model\.bytepair\.min_count is \"1\"; expected a whole number"),
    (_set("model", "bytepair", "max_token_bytes", to=0), r"model\.bytepair\.max_token_bytes is 0; expected 1 or more"),
    (_without("model", "bytepair", "kind"), r"model\.bytepair has no 'kind'"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES, ids=[message for _, message in CHANGES])
def test_a_changed_file_is_refused_by_name(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    # A special without a place of its own in the vocabulary, so that some changes can take it away.
    file = as_json(trained(pattern="gpt2", special_tokens=["<s>"]), tmp_path)
    change(file)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    with pytest.raises(bp.FormatError, match=message) as caught:
        bp.load(path)
    assert "changed.json" in str(caught.value)


# A marker that is glued on


def suffixed(**options: Any) -> bp.Tokenizer:
    end = {"end_of_word": "</w>", "end_of_word_style": "suffix", "pattern": "whitespace"}
    return trained(**{**end, **options})


def test_a_glued_marker_is_their_suffix(tmp_path: Path) -> None:
    model = as_json(suffixed(), tmp_path)["model"]
    assert (model["type"], model["end_of_word_suffix"]) == ("BPE", "</w>")
    assert as_json(suffixed(end_of_word="é"), tmp_path)["model"]["end_of_word_suffix"] == "Ã©"
    assert as_json(suffixed(end_of_word="é", alphabet="chars"), tmp_path)["model"]["type"] == "bytepair"
    characters = suffixed(end_of_word="§", alphabet="chars", unk_token="<unk>")
    assert as_json(characters, tmp_path)["model"]["end_of_word_suffix"] == "§"


@pytest.mark.parametrize(
    ("documents", "options"),
    [
        (["x</w>y x</w>y"], {"special_tokens": []}),  # learns a token with the marker in its middle
        (["x y"], {"special_tokens": ["<</w>>"]}),
        (["x y"], {"special_tokens": ["<a b>"]}),
    ],
)
def test_a_glued_marker_that_they_would_decode_differently_is_kept_for_us(
    documents: list[str], options: dict[str, Any], tmp_path: Path
) -> None:
    end = {"end_of_word": "</w>", "end_of_word_style": "suffix", "pattern": "whitespace"}
    tok = bp.train(documents, num_merges=20, **end, **options)
    assert as_json(tok, tmp_path)["model"]["type"] == "bytepair"
    assert bp.load(tmp_path / "tokenizer.json") == tok


SUFFIX_CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (
        _set("model", "end_of_word_suffix", to="_"),
        r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says",
    ),
    (_set("decoder", "decoders", 0, "suffix", to=3), r"decoder\.decoders\[0\]\.suffix is 3; expected a string"),
    (
        _set("decoder", "decoders", 2, "type", to="Fuse"),
        r"add_prefix_space is false; .*'add_prefix_space' of Fuse is not implemented",
    ),
    (
        _set("model", "bytepair", "end_of_word", to="_"),
        r"bytepair\.end_of_word is \"_\"; expected \"</w>\", as the rest",
    ),
    (
        _set("model", "bytepair", "end_of_word_style", to="symbol"),
        r"end_of_word_style is \"symbol\"; expected \"suffix\"",
    ),
]


@pytest.mark.parametrize(("change", "message"), SUFFIX_CHANGES, ids=[message for _, message in SUFFIX_CHANGES])
def test_a_changed_suffix_is_refused_by_name(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    file = as_json(suffixed(), tmp_path)
    change(file)
    with pytest.raises(bp.FormatError, match=message):
        loaded(file)


SPLIT = {"type": "Split", "pattern": {"Regex": "a|b"}, "behavior": "Isolated", "invert": False}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{**SPLIT, "behavior": "Merged"}, BYTES], r"behavior is \"Merged\"; expected 'Removed' or 'Isolated' or"),
        ([{**SPLIT, "invert": 0}, BYTES], r"invert is 0; expected true or false"),
        (
            [{**SPLIT, "pattern": {"Glob": "a"}}, BYTES],
            r"pattern is \{\"Glob\": \"a\"\}; expected \{\"Regex\": \.\.\.\}",
        ),
        ([{**SPLIT, "pattern": {"Regex": r"\Ga"}}, BYTES], r"pattern\.Regex: .*`\\G` at 0 does not mean the same"),
        ([{**SPLIT, "pattern": {"Regex": "("}}, BYTES], r"pattern\.Regex: .*failed"),
        (
            [{"type": "Digits", "individual": True}, BYTES],
            r"\[0\]\.individual is true; .*'individual' of Digits is not",
        ),
        (
            [{"type": "UnicodeScripts"}, BYTES],
            r"\[0\]\.type is .*the pre-tokenizer .UnicodeScripts. is not implemented",
        ),
        ([{"type": "Metaspace", "replacement": "ab"}], r"\[0\]\.replacement is \"ab\"; expected one character"),
        ([SPLIT], r"bytepair\.byte_order is \"value\"; expected null, as the rest of the file says"),
    ],
)
def test_a_foreign_pre_tokenizer_is_refused_by_name(steps: list[Any], message: str, tmp_path: Path) -> None:
    file = as_json(trained(pattern="cl100k"), tmp_path)
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    with pytest.raises(bp.FormatError, match=message):
        loaded(file)


def test_the_parts_of_a_character_model_are_refused_by_name(tmp_path: Path) -> None:
    file = as_json(trained(alphabet="chars", unk_token="<unk>"), tmp_path)
    without = {**file, "model": {**file["model"], "unk_token": "nope"}}
    with pytest.raises(bp.FormatError, match=r"model\.unk_token is \"nope\"; expected a token of model.vocab"):
        loaded(without)


def test_a_post_processor_that_only_moves_offsets_is_accepted(tmp_path: Path) -> None:
    tok = trained(pattern="gpt2")
    file = as_json(tok, tmp_path)
    file["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    assert loaded(file) == tok


def test_of_a_pair_that_stands_twice_the_last_counts_as_in_tokenizers(tmp_path: Path) -> None:
    file = as_json(trained(pattern="gpt2"), tmp_path)
    del file["model"]["bytepair"]
    merges = file["model"]["merges"]
    assert loaded({**file, "model": {**file["model"], "merges": [merges[5], *merges]}}) == loaded(file)


BROKEN = [
    (b'{"model": {"type": "BPE", "vocab": {"a": 0}, ', r"line 1, column \d+: .*broken or cut short"),
    (b'{\n  "model": nope}', r"line 2, column 12: "),
    (b'{"model": "\xff"}', r"byte 11 is not UTF-8"),
    (b"[" * 100_000, r"of no known format|nested too deeply"),
    (b'{"a":' * 100_000, r"nested too deeply"),
    (b'{"config": {}, "vocab": []}', r"config has no 'default_vocab_size'; expected one; its keys are none"),
    (b'{"model": {"type": "BPE", "vocab": {"\\ud83d": 0}, "merges": []}, "decoder": {"type": "Fuse"}}', "surrogate"),
    (b"", r"of no known format; the formats are tokenizer\.json, tiktoken"),
    (b"\x89PNG\r\n\x1a\n", r"of no known format"),
    (b"#version: 0.2\na b\n", r"of no known format"),
]


@pytest.mark.parametrize(("data", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_broken_file_is_one_clear_error(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(data)
    with pytest.raises(bp.FormatError, match=message) as caught:
        bp.load(path)
    assert "broken.json" in str(caught.value)


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    data = contents(bp.train(["ab"], num_merges=1), tmp_path)
    for end in range(0, len(data) - 2, 97):
        with pytest.raises(bp.FormatError):
            bp.load(data[:end])


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return contents(bp.train(["ab abc"], num_merges=3, special_tokens=["<a>"]), tmp_path_factory.mktemp("sample"))


# A changed key may come to stand twice, which is said.
@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
@given(st.integers(0, 2**32), st.binary(max_size=3))
def test_a_damaged_file_is_loaded_or_refused_never_a_crash(sample: bytes, place: int, damage: bytes) -> None:
    data = bytearray(sample)
    at = place % len(data)
    data[at : at + len(damage)] = damage
    with contextlib.suppress(bp.BytepairError):
        bp.load(bytes(data))


# Where it is written


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(bp.MissingFileError, match=r"there is no folder '.*nowhere'; make it first") as caught:
        trained().save(tmp_path / "nowhere" / "tokenizer.json")
    assert isinstance(caught.value, FileNotFoundError)


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(bp.UnreadableFileError, match="it is a folder"):
        trained().save(tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "a/\0", "\ud83d", "a" * 5000, "folder\0/a"])
def test_a_name_that_no_file_can_have_is_refused(name: str, tmp_path: Path) -> None:
    for path in (str(tmp_path / name), tmp_path / name):
        with pytest.raises(bp.UnreadableFileError, match="cannot be written"):
            trained().save(path)
        with pytest.raises(bp.BytepairError, match=r"there is no file|cannot be read"):
            bp.load(path)
    assert list(tmp_path.iterdir()) == []


def test_a_path_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"path is 3 \(int\)"):
        trained().save(3)  # type: ignore[arg-type]


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    (tmp_path / "plain").write_text("")
    trained().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    path.chmod(0o640)
    trained().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(bp.PermissionDeniedError, match="cannot be written"):
        trained().save(tmp_path / "tokenizer.json")
    tmp_path.chmod(0o700)


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(bp.UnreadableFileError, match="No space left on device"):
        trained().save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    trained().save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert bp.load(tmp_path / "real.json") == trained()


# Where it is read from


def test_a_file_is_loaded_by_name_by_path_by_bytes_and_as_an_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket", no_network)
    tok = trained()
    path = tmp_path / "any.name"
    tok.save(path)
    with path.open("rb") as file:
        ways = [bp.load(str(path)), bp.load(path), bp.load(path.read_bytes()), bp.load(file)]
    assert all(way == tok for way in ways)
    assert bp.load(path, format="tokenizer.json") == tok


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(bp.MissingFileError, match=r"there is no file '.*gone\.json'") as caught:
        bp.load(tmp_path / "gone.json")
    assert isinstance(caught.value, FileNotFoundError)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(bp.UnreadableFileError, match="is a folder; name the tokenizer file in it"):
        bp.load(tmp_path)


def test_what_is_no_file_is_refused() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"path is None \(NoneType\); it must be a path"):
        bp.load(None)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match="open it in binary mode"):
        bp.load(io.StringIO("{}"))  # type: ignore[arg-type]


def test_a_format_is_named_or_refused(tmp_path: Path) -> None:
    with pytest.raises(bp.ArgumentError, match=r"format is 'spm'; it must be one of 'tokenizer\.json', 'tiktoken'"):
        bp.load(b"{}", format="spm")
    with pytest.raises(bp.FormatError, match="line 1"):
        bp.load(b"{}", format="tiktoken", pattern="gpt2")


def test_a_tokenizer_json_has_its_own_pattern_and_specials(tmp_path: Path) -> None:
    data = contents(trained(), tmp_path)
    with pytest.raises(bp.ArgumentError, match=r"pattern is 'gpt2', and the bytes given is a tokenizer\.json"):
        bp.load(data, pattern="gpt2")
    with pytest.raises(bp.ArgumentError, match="leave special_tokens out"):
        bp.load(data, special_tokens={"<a>": 1})


# .tiktoken


def ranks_file(*tokens: bytes, end: bytes = b"\n") -> bytes:
    everything = [bytes([byte]) for byte in range(256)] + list(tokens)
    return b"".join(base64.b64encode(token) + b" %d" % rank + end for rank, token in enumerate(everything))


def test_ranks_encode_as_ranks() -> None:
    tok = bp.load(ranks_file(b":.", b".:", b".:.:"), pattern="none", special_tokens={"<|end|>": 300})
    assert tok.encode(".:.:") == [258]
    assert tok.encode("x.:.:") == [120, 46, 256, 58]
    assert tok.encode("<|end|>", special="all") == [300]
    assert tok.vocab_size == 260
    assert tok.merges == []
    assert tok.lossless


def test_ranks_survive_saving(tmp_path: Path) -> None:
    tok = bp.load(ranks_file(b":.", b".:", b".:.:"), pattern="cl100k", special_tokens={"<b>": 400, "<a>": 300})
    assert as_json(tok, tmp_path)["model"]["type"] == "bytepair"
    again = bp.load(tmp_path / "tokenizer.json")
    assert again == tok
    assert again.encode("x.:.:<a>", special="all") == tok.encode("x.:.:<a>", special="all")


def test_line_ends_and_empty_lines_do_not_matter() -> None:
    plain = bp.load(ranks_file(b"ab"), pattern="gpt2")
    assert bp.load(ranks_file(b"ab", end=b"\r\n") + b"\r\n\n", pattern="gpt2") == plain
    assert bp.load(ranks_file(b"ab").rstrip(), pattern="gpt2") == plain


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (b"YWI=\n", r"line 257 is b'YWI='; expected base64, a space and a rank"),
        (b"YWI= -1\n", r"line 257 is b'YWI= -1'; expected base64"),
        (b"YWI= 256 7\n", r"line 257 is .*; expected base64"),
        (b"Y*I= 256\n", r"line 257: b'Y\*I=' is no base64"),
        (b"YWI 256\n", r"line 257: b'YWI' is no base64"),
        (b"YWI= 7\n", r"line 257 gives the rank 7, as line 8 does"),
        (b"YQ== 256\n", r"line 257 gives the token b'a', as line 98 does"),
        (b"YWI= 99999999999\n", r"the largest rank is 99999999999 for 257 tokens"),
    ],
)
def test_a_broken_line_is_named(extra: bytes, message: str) -> None:
    with pytest.raises(bp.FormatError, match=message):
        bp.load(ranks_file() + extra, pattern="gpt2")


def test_a_missing_byte_is_named() -> None:
    with pytest.raises(bp.FormatError, match=r"the byte 0xff has no token"):
        bp.load(b"\n".join(ranks_file().splitlines()[:-1]), pattern="gpt2")


def test_ranks_need_a_pattern() -> None:
    with pytest.raises(bp.ArgumentError, match=r"holds no split pattern; pass pattern=\.\.\. \(one of gpt2, cl100k"):
        bp.load(ranks_file())


@pytest.mark.parametrize(
    ("special_tokens", "error", "message"),
    [
        (["<a>"], bp.ArgumentTypeError, r"special_tokens is \['<a>'\] \(list\); it must map texts to ids"),
        ({3: 300}, bp.ArgumentTypeError, "a name in special_tokens is 3"),
        ({"": 300}, bp.ArgumentError, "a name in special_tokens is ''"),
        ({"<a>": "300"}, bp.ArgumentTypeError, r"special_tokens\['<a>'\] is '300'"),
        ({"<a>": True}, bp.ArgumentTypeError, r"special_tokens\['<a>'\] is True"),
        ({"<a>": -1}, bp.ArgumentError, r"special_tokens\['<a>'\] is -1"),
        ({"ab": 300}, bp.ArgumentError, "special_tokens names 'ab', which the file has as the ordinary token 256"),
        ({"ab": 256}, bp.ArgumentError, "special_tokens names 'ab', which the file has as the ordinary token 256"),
        ({"<a>": 97}, bp.ArgumentError, r"special_tokens\['<a>'\] is 97, the id of b'a'"),
        ({"<a>": 300, "<b>": 300}, bp.ArgumentError, r"special_tokens\['<b>'\] is 300, as is an earlier one"),
        ({"<a>": 10**9}, bp.ArgumentError, r"special_tokens\['<a>'\] is 1000000000"),
    ],
)
def test_special_tokens_of_ranks_are_checked(special_tokens: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bp.load(ranks_file(b"ab"), pattern="gpt2", special_tokens=special_tokens)


RANK_LINES = st.lists(
    st.tuples(
        st.binary(min_size=1, max_size=3), st.integers(0, 30), st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n"])
    ),
    max_size=12,
)


@given(RANK_LINES, st.sampled_from([None, b"YQ", b"Y=== 3\n", b"YWI= 1 2\n", b"YWI= -1\n", b" 7\n", b"YWI=\n1\n"]))
def test_ranks_are_the_same_all_at_once_and_line_by_line(
    lines: list[tuple[bytes, int, bytes]], odd: bytes | None
) -> None:
    data = b"".join(base64.b64encode(token) + b" %d" % rank + end for token, rank, end in lines) + (odd or b"")
    quick = tiktoken_ranks._quick_ranks(data)
    try:
        slow = tiktoken_ranks._ranks_by_line(data, "ranks")
    except bp.FormatError:
        assert quick is None
    else:
        assert quick in (None, slow)
        if lines and odd is None and all(end in (b"\n", b"\r\n") for *_, end in lines):
            assert quick is not None and list(quick.items()) == list(slow.items())
