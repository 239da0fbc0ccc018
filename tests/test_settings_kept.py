"""Saving and loading lose no setting: every field and the ids of 1,000 strings, for each setting and format."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_files import files
from test_real_shapes import SHAPES
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers
from tokenizers_of_all_kinds import ALL, BITS, CORPUS

import bytepair as bp

FORMATS = ["tokenizer.json", "tiktoken", "vocab+merges", "minbpe"]


def strings() -> list[str]:
    draw = random.Random(16)
    bits = [*BITS, "hi", "<SEP>", "hug", "hugs", "hugging", "éa", "<mask>", "\t", "\r\n", "🙂", "ſ", "12345"]
    return ["".join(draw.choices(bits, k=draw.randrange(12))) for _ in range(1000)]


STRINGS = strings()


def fields_of(tok: bp.Tokenizer) -> dict[str, Any]:
    return {field.name: getattr(tok.model, field.name) for field in dataclasses.fields(tok.model)}


def ids_of(tok: bp.Tokenizer) -> list[Any]:
    """What each string becomes, or the error that it gets, with the specials as text and matched."""

    def one(text: str, special: Any) -> Any:
        try:
            return tok.encode(text, special=special)
        except bp.UnknownCharacterError as error:
            return str(error)

    return [one(text, special) for special in ("text", "all") for text in STRINGS]


def settings_of_ours() -> dict[str, Callable[[], bp.Tokenizer]]:
    def trained(**options: Any) -> Callable[[], bp.Tokenizer]:
        return lambda: bp.train(CORPUS, **{"num_merges": 30, **options})

    made: dict[str, Callable[[], bp.Tokenizer]] = {name: lambda name=name: ALL[name] for name in ALL}  # type: ignore[misc]
    return made | {
        "special <SEP>": trained(special_tokens=["<SEP>"]),
        "specials first": trained(special_tokens=["<SEP>", "<a>"], special_ids="first"),
        "no merges": trained(num_merges=0),
        "byte order": trained(byte_order="gpt2", ties="lowest-id"),
        "custom pattern": trained(pattern=r"\w+|\s|[^\w\s]+"),
        "prefix space": trained(add_prefix_space=True),
        "marker glued to bytes": trained(end_of_word="</w>", end_of_word_style="suffix", pattern="whitespace"),
        "shortest": trained(ties="shortest", alphabet="chars", unk_token="<unk>"),
        "gap": lambda: bp.Tokenizer(dataclasses.replace(bp.train(CORPUS, num_merges=3).model, specials={"<SEP>": 500})),
    }


OURS = settings_of_ours()


def theirs(**options: Any) -> Tokenizer:
    """One of tokenizers', with a setting of its model."""
    trainer = trainers.BpeTrainer(
        vocab_size=120, show_progress=False, special_tokens=["<unk>", "<SEP>"], **options.pop("trainer", {})
    )
    made = Tokenizer(models.BPE(unk_token="<unk>", **options))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(["hug hugs hugging éa low lower " * 9], trainer)
    return made


def with_added() -> Tokenizer:
    made = theirs()
    made.add_tokens([AddedToken("<mask>", lstrip=True), AddedToken("hi", single_word=True, normalized=False)])
    return made


THEIRS: dict[str, Callable[[], Tokenizer]] = {
    "prefix ##": lambda: theirs(continuing_subword_prefix="##", trainer={"continuing_subword_prefix": "##"}),
    "suffix </w>": lambda: theirs(end_of_word_suffix="</w>", trainer={"end_of_word_suffix": "</w>"}),
    "fuse_unk": lambda: theirs(fuse_unk=True),
    "ignore_merges": lambda: theirs(ignore_merges=True),
    "added": with_added,
    **SHAPES,
}


@pytest.mark.parametrize("setting", OURS)
def test_what_is_saved_comes_back(setting: str, tmp_path: Path) -> None:
    tok, path = OURS[setting](), tmp_path / "tokenizer.json"
    tok.save(path)
    again = bp.load(path)
    assert again == tok
    assert fields_of(again) == fields_of(tok)
    assert ids_of(again) == ids_of(tok)


@pytest.mark.parametrize("setting", THEIRS)
def test_what_was_loaded_and_saved_comes_back(setting: str, tmp_path: Path) -> None:
    tok, path = bp.load(THEIRS[setting]().to_str().encode()), tmp_path / "tokenizer.json"
    tok.save(path)
    again = bp.load(path)
    assert again == tok
    assert fields_of(again) == fields_of(tok)
    assert ids_of(again) == ids_of(tok)


@pytest.mark.parametrize("name", files())
def test_what_was_loaded_from_any_format_and_saved_comes_back(name: str, tmp_path: Path) -> None:
    other = {"vocab+merges": "vocab.json", "vocab.json": "vocab+merges"}.get(name)
    for each in filter(None, (name, other)):
        (tmp_path / {"vocab+merges": "merges.txt"}.get(each, each)).write_bytes(files()[each])
    options = {"pattern": "gpt2"} if other or name == "tiktoken" else {}
    tok, path = bp.load(tmp_path / {"vocab+merges": "merges.txt"}.get(name, name), **options), tmp_path / "saved.json"
    tok.save(path)
    again = bp.load(path)
    assert again == tok
    assert fields_of(again) == fields_of(tok)
    assert ids_of(again) == ids_of(tok)
    for text in STRINGS:
        assert again.decode(again.encode(text)) == tok.decode(tok.encode(text))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("setting", OURS)
def test_a_format_keeps_a_setting_or_refuses_it_before_it_writes(setting: str, format: str, tmp_path: Path) -> None:
    tok, path = OURS[setting](), tmp_path / "target"
    try:
        done = tok.export(path, format)
    except bp.FormatError as error:
        assert "cannot hold all of this tokenizer" in str(error) or "lossy" in str(error)
        assert not list(tmp_path.iterdir())
        return
    assert done.losses == ()
    again = bp.load(path, **done.load_with)
    assert again.special_tokens == tok.special_tokens
    assert ids_of(again) == ids_of(tok)


@pytest.mark.parametrize("chance", [0.0, 0.5])
def test_a_stored_dropout_is_kept_or_named(chance: float, tmp_path: Path) -> None:
    made = theirs(dropout=chance)
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    if chance == 0:
        assert bp.load(path).encode("hug hi") == made.encode("hug hi").ids
        return
    with pytest.warns(bp.FormatWarning, match=r"pass dropout=0\.5 to encode"):
        tok = bp.load(path)
    tok.save(path)
    assert Tokenizer.from_file(str(path)).model.dropout == chance
