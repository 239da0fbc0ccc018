"""Pruning: what stays encodes as before, every reference follows, and the map of ids is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, LOSSLESS, SPECIALS, texts

import bytepair as bp
from bytepair.cli import cli

CORPUS = ["low low lower lowest newest newest widest é 漢字 漢字 I'll we're    12345 x\n\n  y <|end|> " * 3]


def droppable(tok: bp.Tokenizer) -> list[int]:
    return [
        number for number, token in enumerate(tok.model.tokens) if token is not None and not tok.model.is_symbol(token)
    ]


@pytest.mark.parametrize("kind", sorted(ALL))
@given(data=st.data(), text=texts)
def test_a_text_whose_tokens_stay_has_the_same_tokens(kind: str, data: st.DataObject, text: str) -> None:
    tok = ALL[kind]
    drop = data.draw(st.lists(st.sampled_from(droppable(tok)), min_size=1, max_size=30, unique=True))
    smaller, new_ids = tok.prune(drop=drop)
    check_map(tok, smaller, new_ids)
    try:
        old = tok.encode(text, special="all")
    except bp.UnknownCharacterError:
        return
    new = smaller.encode(text, special="all")
    if min(new_ids[old], default=0) >= 0:
        assert new == new_ids[old].tolist() if old else new == []
    assert smaller.decode(new) == tok.decode(old) if kind in LOSSLESS else True
    # Dropped tokens are gone, but for those that others are made of.
    assert tok.vocab_size - smaller.vocab_size == len(set(drop)) - len(smaller.pruning.needed)  # type: ignore[union-attr]


def check_map(old: bp.Tokenizer, new: bp.Tokenizer, new_ids: np.ndarray[Any, Any]) -> None:
    """Every old id that stays spells the same under its new one; new ids are in order and without gaps."""
    assert new_ids.dtype == np.int64 and new_ids.shape == (old.model.n_ids,)
    kept = [number for number in range(old.model.n_ids) if new_ids[number] >= 0]
    assert new_ids[kept].tolist() == list(range(new.vocab_size))
    spelled = old.model.spellings()
    assert [spelled[number] for number in kept] == new.model.spellings()
    assert {text: new_ids[number] for text, number in old.special_tokens.items()} == dict(new.special_tokens)
    # Merges that stay are in their order, with their counts.
    ranks = iter(range(len(old.merges)))
    for rank, pair in enumerate(new.merges):
        found = next(each for each in ranks if old.merges[each] == pair)
        if old.model.merge_counts is not None and new.model.merge_counts is not None:
            assert new.model.merge_counts[rank] == old.model.merge_counts[found]


@pytest.mark.parametrize("kind", sorted(ALL))
def test_pruning_by_use_keeps_a_corpus_as_it_was(kind: str) -> None:
    tok = ALL[kind]
    text = "the newest low lower x 漢字 12345"
    smaller, new_ids = tok.prune([text])
    assert smaller.encode(text) == new_ids[tok.encode(text)].tolist()
    assert smaller.vocab_size < tok.vocab_size or kind == "chars"
    check_map(tok, smaller, new_ids)


def test_what_others_are_made_of_is_kept_and_reported() -> None:
    tok = bp.train(["low low low lower"], num_merges=3)
    smaller, _ = tok.prune(drop=["lo", " low"])
    assert smaller.pruning is not None
    assert smaller.pruning.needed == ((256, b"lo"),)
    assert smaller.pruning.dropped == ((258, b" low"),)
    assert str(smaller.pruning) == (
        "1 token of 259 dropped, with 1 merge; 258 left\nkept, because tokens that stay are made of them: 'lo'"
    )
    assert smaller.tokens("low") == [b"low"] and tok.pruning is None


def test_scripts_go_and_others_stay() -> None:
    tok = bp.train(["жар жар жар low low low 漢字漢字"], num_merges=30)
    smaller, new_ids = tok.prune(scripts=["Cyrillic", "han"])
    left = {token.decode("utf-8", "ignore") for token in smaller.model.tokens if token}
    assert not [token for token in left if set(token) & set("жар漢字")]
    assert b" low" in smaller.model.tokens
    assert smaller.decode(smaller.encode("жар 漢字")) == "жар 漢字"
    check_map(tok, smaller, new_ids)


@pytest.mark.parametrize("size", [259, 265, 280])
def test_down_to_a_size_without_a_corpus_is_the_smaller_training(size: int) -> None:
    tok = bp.train(CORPUS, num_merges=40, special_tokens=SPECIALS)
    smaller, _ = tok.prune(vocab_size=size)
    assert smaller == tok.at(size)


@given(size=st.integers(256, 296), text=st.text("low ernst", max_size=40))
def test_down_to_a_size_with_a_corpus_drops_the_least_used(size: int, text: str) -> None:
    tok = bp.train(CORPUS, num_merges=40)
    smaller, new_ids = tok.prune([text], vocab_size=size)
    assert smaller.vocab_size == min(size, tok.vocab_size)
    check_map(tok, smaller, new_ids)
    used = {number for number in tok.encode(text) if number >= 256}
    closure = set(tok.prune([text])[0].model.tokens)
    if size >= len(closure):
        # There is room for all that is used, so nothing of it goes.
        assert min(new_ids[sorted(used)], default=0) >= 0


def test_keep_wins_over_everything_but_drop() -> None:
    tok = bp.train(CORPUS, num_merges=40)
    _, new_ids = tok.prune(["x"], keep=[290])
    assert new_ids[290] >= 0 and min(new_ids[droppable(tok)]) == -1
    with pytest.raises(bp.ArgumentError, match=r"\(id 290\) is both in drop and in keep"):
        tok.prune(drop=[290], keep=[290])


def test_a_special_can_go_and_the_unknown_token_cannot() -> None:
    tok = ALL["chars"]
    smaller, new_ids = tok.prune(drop=["<s>"])
    assert "<s>" not in smaller.special_tokens and new_ids[tok.token_id("<s>")] == -1
    assert smaller.encode("Ω") == [smaller.special_tokens["<unk>"]]
    with pytest.raises(bp.ArgumentError, match="stands for unknown characters; it has to stay"):
        tok.prune(drop=["<unk>"])


def test_a_pruned_tokenizer_saves_loads_and_says_no_more_than_is_true(tmp_path: Path) -> None:
    tok = bp.train(CORPUS, num_merges=40, special_tokens=SPECIALS).extend(["newer ones"], vocab_size=310)
    smaller, _ = tok.prune(["low lower"])
    smaller.save(tmp_path / "small.json")
    again = bp.load(tmp_path / "small.json")
    assert again == smaller and again.encode("low lower") == smaller.encode("low lower")
    assert smaller.model.corpus_fingerprint is None and smaller.model.extensions == ()
    assert not smaller.prove(CORPUS, ties="lexicographic")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, bp.ArgumentError, "nothing says what to drop; give a source, drop, scripts or vocab_size"),
        ({"drop": [97]}, bp.ArgumentError, r"the token b'a' \(id 97\) is a symbol of the alphabet; it has to stay"),
        ({"drop": [9999]}, bp.UnknownTokenError, r"drop\[0\] is 9999, and no token has this id"),
        ({"drop": ["zzz"]}, bp.UnknownTokenError, r"drop\[0\] is 'zzz', and no token is spelled so"),
        ({"keep": [b"zzz"], "vocab_size": 260}, bp.UnknownTokenError, r"keep\[0\] is b'zzz'"),
        ({"drop": "low"}, bp.ArgumentTypeError, r"drop is 'low' \(str\); it must be a list of ids or spellings"),
        ({"drop": [1.5]}, bp.ArgumentTypeError, r"drop\[0\] is 1\.5 \(float\)"),
        ({"scripts": "Latin"}, bp.ArgumentTypeError, r"scripts is 'Latin' \(str\); put it in a list: \['Latin'\]"),
        ({"scripts": ["Klingon"]}, bp.ArgumentError, "no token is written in 'klingon'; there are Han, Latin"),
        ({"vocab_size": 100}, bp.ArgumentError, "vocab_size is 100; it must be at least 256: alphabet"),
        ({"source": ["a"], "min_count": 0}, bp.ArgumentError, "min_count is 0; it must be at least 1"),
    ],
    ids=str,
)
def test_wrong_arguments_of_prune_are_named(
    options: dict[str, Any], error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        bp.train(CORPUS, num_merges=40).prune(**options)


def test_the_command_writes_the_tokenizer_and_the_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tok = bp.train(CORPUS, num_merges=40)
    tok.save("tokenizer.json")
    Path("text.txt").write_text("low lower", "utf-8")
    arguments = ["prune", "text.txt", "-o", "small.json", "--map", "map.json", "--keep", " low"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    new_ids = json.loads(Path("map.json").read_text("utf-8"))
    small = bp.load("small.json")
    assert small.encode("low lower") == [new_ids[number] for number in tok.encode("low lower")]
    assert f"{small.vocab_size:,} left" in done.stdout
    again = CliRunner().invoke(cli, arguments[:4])
    assert again.exit_code == 2 and "is there already; --force overwrites it" in again.stderr
    sized = CliRunner().invoke(cli, ["prune", "--vocab-size", "260", "--force", "-o", "small.json", "--json"])
    assert json.loads(sized.stdout)["n_after"] == 260
    nothing = CliRunner().invoke(cli, ["prune", "-o", "none.json"])
    assert nothing.exit_code == 2 and "nothing says what to drop" in nothing.stderr


@pytest.mark.parametrize("command", [["prune", "-o", "smaller.json"], ["inspect"], ["curve"]])
def test_a_corpus_without_text_is_said(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bp.train(CORPUS, num_merges=5).save("tokenizer.json")
    Path("empty.txt").write_bytes(b"")
    done = CliRunner().invoke(cli, [*command, "empty.txt"])
    assert done.exit_code == 0, done.output
    assert "the files hold no text" in done.stderr or "There is no text to measure on." in done.stdout
