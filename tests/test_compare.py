"""Tokenizers side by side: metrics worked out by hand, and every kind of tokenizer that can take part."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from slow_oracle import PATTERNS

import bytepair as bp
import bytepair.tiktoken
from bytepair.analysis.comparison import differing, renyi_efficiency
from bytepair.analysis.subjects import subject
from bytepair.cli import cli
from bytepair.tiktoken.load import dump_tiktoken_bpe

TEXT = "to be or not to be"
OURS = bp.train([TEXT * 5], num_merges=6)


def halves(text: str) -> list[str]:
    """Every word in two: what can be worked out on paper."""
    return [part for word in text.split() for part in (word[:1], word[1:]) if part]


def test_metrics_worked_out_by_hand() -> None:
    measure = bp.compare({"halves": halves}, ["aa bb aa", "c dd"]).measure("halves")
    # a a b b a a and c d d: 9 tokens, 5 words, 8 + 4 bytes.
    assert (measure.n_tokens, measure.n_words, measure.n_bytes, measure.n_chars) == (9, 5, 12, 12)
    assert measure.bytes_per_token == pytest.approx(12 / 9)
    assert measure.fertility == pytest.approx(9 / 5)
    assert measure.single_token_words == pytest.approx(1 / 5)
    assert (measure.n_used, measure.used_share, measure.parity) == (4, None, 1.0)
    # a 4, b 2, c 1, d 2 of 9; no vocabulary is known, so 4 tokens.
    powers = (4 / 9) ** 2.5 + 2 * (2 / 9) ** 2.5 + (1 / 9) ** 2.5
    assert measure.renyi_efficiency == pytest.approx(math.log(powers) / -1.5 / math.log(4))


def test_characters_and_bytes_are_told_apart() -> None:
    measure = bp.compare([list], ["漢é"]).measure("list")
    assert (measure.n_chars, measure.n_bytes, measure.n_tokens) == (2, 5, 2)
    assert (measure.chars_per_token, measure.bytes_per_token) == (1.0, 2.5)


def test_a_word_is_encoded_with_the_space_before_it() -> None:
    tok = bp.train(["x be be be be"], num_merges=2)
    assert tok.tokens(" be") == [b" be"]
    measure = bp.compare([tok], ["be be\nbe"]).measure(tok_name(tok))
    # `be` at the beginnings of lines: two tokens each; ` be`: one.
    assert measure.fertility == pytest.approx((2 + 1 + 2) / 3)
    assert measure.single_token_words == pytest.approx(1 / 3)
    assert measure.used_share == pytest.approx(measure.n_used / 258)


def tok_name(tok: bp.Tokenizer) -> str:
    return f"bytepair {tok.vocab_size:,}"


@pytest.mark.parametrize(
    ("counts", "size", "alpha", "expected"),
    [
        ([1, 1, 1, 1], None, 2.5, 1.0),
        ([1, 1], 4, 2.5, 0.5),
        ([8], 4, 2.5, 0.0),
        # p = 3/4, 1/4: -log(9/16 + 1/16) / log 2
        ([3, 1], None, 2.0, math.log(16 / 10) / math.log(2)),
        ([5], None, 2.5, None),
        ([], 100, 2.5, None),
    ],
)
def test_renyi_efficiency_by_hand(counts: list[int], size: int | None, alpha: float, expected: float | None) -> None:
    found = renyi_efficiency(counts, size, alpha)
    assert found == (None if expected is None else pytest.approx(expected))


def test_parity_is_about_the_reference() -> None:
    texts = {"en": "aa", "de": ["aaa", "a"], "ja": "漢字"}
    utf8 = {"bytes": lambda text: list(text.encode())}
    found = bp.compare(utf8, texts)
    assert [each.parity for each in found.measures] == [1.0, 2.0, 3.0]
    assert bp.compare(utf8, texts, reference="de").measure("bytes", "ja").parity == 1.5
    assert "Parity: tokens over those of en" in str(found)
    with pytest.raises(
        bp.ArgumentError, match="reference is 'fr', and no group of texts has that name; there are 'en', 'de'"
    ):
        bp.compare(utf8, texts, reference="fr")


def same_as_ours() -> dict[str, Any]:
    """One model in the hands of several libraries."""
    ranks = {spelling: number for number, spelling in enumerate(OURS.model.tokens) if spelling is not None}
    tokenizer_json = Path("ours.json")
    OURS.save(tokenizer_json)
    return {
        "ours": OURS,
        "file": tokenizer_json,
        "tokenizers": tokenizers.Tokenizer.from_file(str(tokenizer_json)),
        "tiktoken": tiktoken.Encoding("ours", pat_str=PATTERNS["cl100k"], mergeable_ranks=ranks, special_tokens={}),
        "function": OURS.encode,
        "spellings": OURS.tokens,
    }


@pytest.mark.parametrize("text", [TEXT, "é 漢字 to be", "", "\n\n  x", "to\u0301"])
def test_one_model_measures_the_same_in_every_library(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = bp.compare(same_as_ours(), {"text": text})
    first = found.measures[0]
    assert first.n_tokens == OURS.count(text)
    for each in found.measures[1:]:
        assert (each.n_tokens, each.fertility, each.single_token_words, each.n_used) == (
            first.n_tokens,
            first.fertility,
            first.single_token_words,
            first.n_used,
        )
    # The places of a part of a character differ between libraries; else all cut alike.
    if text.isascii() and text:
        assert found.differences == ()
        assert found.agreement == {
            "file": 1.0,
            "tokenizers": 1.0,
            "tiktoken": 1.0,
            "function": None,
            "spellings": 1.0,
        }


def test_our_own_face_of_tiktoken_takes_part() -> None:
    ranks = {spelling: number for number, spelling in enumerate(OURS.model.tokens) if spelling is not None}
    face = bytepair.tiktoken.Encoding("face", pat_str=PATTERNS["cl100k"], mergeable_ranks=ranks, special_tokens={})
    found = bp.compare({"ours": OURS, "face": face}, [TEXT])
    assert found.measure("face").n_tokens == OURS.count(TEXT) and found.agreement == {"face": 1.0}


class LikeTransformers:
    """The names that a tokenizer of transformers has."""

    name_or_path = "someone/model"

    def __len__(self) -> int:
        return 256

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        return [0] * add_special_tokens + list(text.encode())

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [chr(number) for number in ids]


def test_a_tokenizer_of_transformers_takes_part_without_its_special_tokens() -> None:
    measure = bp.compare(LikeTransformers(), [TEXT]).measure("someone/model")
    assert measure.n_tokens == len(TEXT) and measure.used_share == len(set(TEXT)) / 256


def test_sentencepiece_takes_part(tmp_path: Path) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT] * 10), model_writer=model, vocab_size=16, model_type="bpe", minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    measure = bp.compare([processor], [TEXT]).measure("sentencepiece")
    assert measure.n_tokens == len(processor.encode(TEXT)) and measure.used_share == measure.n_used / 16


places = st.lists(st.integers(1, 4), max_size=12).map(
    lambda sizes: [(sum(sizes[:i]), sum(sizes[: i + 1])) for i in range(len(sizes))]
)


@given(ours=places, theirs=places)
def test_parts_that_differ_cover_all_that_differs(ours: list[tuple[int, int]], theirs: list[tuple[int, int]]) -> None:
    parts = list(differing(ours, theirs))
    assert all(mine != its for _, _, mine, its in parts)
    shared = {end for _, end in ours} & {end for _, end in theirs}
    for start, end, mine, its in parts:
        # No smaller part would do.
        assert not [border for border in shared if start < border < end]
        assert {*mine} == {place for place in ours if start < place[1] <= end}
        assert {*its} == {place for place in theirs if start < place[1] <= end}
    differ = {place for _, _, mine, its in parts for place in (*mine, *its)}
    assert {*ours} ^ {*theirs} <= differ


def test_differences_are_counted_and_shown() -> None:
    found = bp.compare({"words": lambda text: [text[:2], text[2:]], "letters": list}, ["abcd", "abcd", "abxx"])
    best = found.differences[0]
    assert (best.count, best.first, best.other) == (3, (b"ab",), (b"a", b"b"))
    assert "letters cuts 0.0% of the bytes as words does." in str(found)


def test_of_long_texts_the_beginning_is_compared_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bytepair.analysis.comparison._CHARACTERS_COMPARED", 5)
    pair = {"letters": list, "words": lambda text: [text]}
    found = bp.compare(pair, ["abcd", "ab", "ab"])
    assert {each.other for each in found.differences} == {(b"abcd",)}
    assert "looked for in the first 5 characters" in str(found)
    assert found.measure("letters").n_tokens == 8
    assert "looked for" not in str(bp.compare(pair, ["abcd"]))


def test_two_tokenizers_of_one_name_are_told_apart_and_it_is_said() -> None:
    found = bp.compare([list, list, halves], ["ab"])
    assert found.tokenizers == ("list", "list (2)", "halves")
    assert "Two tokenizers are named list: the later one is list (2) here." in str(found)


@pytest.mark.parametrize("texts", [[], [""], {"en": []}, {"en": "", "de": ""}])
def test_no_text_is_no_division_by_zero(texts: Any) -> None:
    found = bp.compare([OURS], texts)
    assert found.measures[0].bytes_per_token is None and found.measures[0].n_tokens == 0
    assert str(found) and found.html() and json.dumps(found.to_dict())


def test_one_character_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(b"\xff\x00\x80a")
    found = bp.compare([OURS], {"file": path, "one": "a"})
    assert found.measure(tok_name(OURS), "one").n_tokens == 1
    assert "file holds bytes that are not UTF-8; each became U+FFFD, for all tokenizers alike." in str(found)
    assert found.measure(tok_name(OURS), "file").n_chars == 4


@pytest.mark.parametrize(
    ("given_tokenizers", "texts", "error", "message"),
    [
        ([], ["a"], bp.ArgumentError, "tokenizers is empty; name at least one"),
        ([3], ["a"], bp.ArgumentTypeError, r"3 \(int\) is nothing that turns text into tokens; pass a Tokenizer"),
        (3, ["a"], bp.ArgumentTypeError, r"3 \(int\) is nothing that turns"),
        ({1: list}, ["a"], bp.ArgumentTypeError, r"the name 1 \(int\) of a tokenizer must be a str"),
        ([str.upper], ["a"], bp.ArgumentTypeError, r"upper gave 'A' \(str\) for a text; a tokenizer gives a list"),
        ([list], 3, bp.ArgumentTypeError, r"texts is 3 \(int\); it must be a list of texts"),
        ([list], [3], bp.ArgumentTypeError, r"a text of 'texts' is 3 \(int\); it must be str, bytes or a path"),
        ([list], {3: "a"}, bp.ArgumentTypeError, r"the name 3 \(int\) of a group of texts must be a str"),
        ([list], "no such file.txt", bp.BytepairError, "no such file"),
        (["no-such.json"], ["a"], bp.MissingFileError, "no-such.json"),
    ],
)
def test_wrong_arguments_of_compare_are_named(
    given_tokenizers: Any, texts: Any, error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        bp.compare(given_tokenizers, texts)
    with pytest.raises(bp.ArgumentError, match="there is no measure of 'x' on 'texts'; the tokenizers are list"):
        bp.compare([list], ["a"]).measure("x")


def test_the_last_exercise_of_the_chapter_is_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plays.txt").write_text(TEXT * 20, "utf-8")
    ranks = Path("theirs.tiktoken")
    dump_tiktoken_bpe({bytes([byte]): byte for byte in range(256)} | {b"be": 256}, ranks)
    arguments = ["compare", "--train", "plays.txt", "--vocab-size", "262", "-t", str(ranks), "--pattern", "gpt2"]
    done = CliRunner().invoke(cli, [*arguments, "--text", "to be, or not to be"])
    assert done.exit_code == 0, done.output
    assert "plays 262: " in done.stdout and "theirs: " in done.stdout
    lines = done.stdout.split("\n")
    assert lines[lines.index("theirs: 17 tokens") + 2] == "t|o|·|be|,|·|o|r|·|n|o|t|·|t|o|·|be"


@pytest.mark.parametrize("width", [60, 80])
def test_a_comparison_keeps_to_the_width_of_a_terminal(width: int) -> None:
    found = bp.compare({"a tokenizer with a long name": OURS, "letters": list}, {"a": TEXT, "b": TEXT * 2})
    assert max(map(len, found.draw(width=width).split("\n"))) <= width


def spaced(decoder: bool = True) -> tokenizers.Tokenizer:
    """Puts a space before every text, which is written as a mark."""
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>", byte_fallback=True))
    tok.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tok.decoder = tokenizers.decoders.Sequence(
        [tokenizers.decoders.ByteFallback(), tokenizers.decoders.Metaspace()] if decoder else []
    )
    specials = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tok.train_from_iterator([TEXT] * 5, tokenizers.trainers.BpeTrainer(vocab_size=290, special_tokens=specials))
    made = json.loads(tok.to_str())
    made["added_tokens"] = made["added_tokens"][:1]
    return tokenizers.Tokenizer.from_str(json.dumps(made))


def test_a_tokenizer_that_puts_a_space_before_each_text_is_not_given_two() -> None:
    theirs = spaced()
    ours = bp.load(theirs.to_str().encode())
    found = bp.compare({"ours": ours, "theirs": theirs}, ["to be or not to be"])
    assert ours.tokens("to be") == ["▁to".encode(), "▁be".encode()]
    for name in ("ours", "theirs"):
        assert (found.measure(name).fertility, found.measure(name).single_token_words) == (1.0, 1.0)


def test_where_tokens_come_from_in_a_text_that_was_rewritten() -> None:
    ours = bp.load(spaced().to_str().encode())
    for text in ("to be", " to  be", "to é日", "", " ", "\x07"):
        places = subject(ours).places(text)
        assert places is not None
        assert b"".join(text.encode()[start:end] for start, end in places) == text.encode()
        assert len(places) == len(ours.encode(text))
    found = bp.compare({"bytes": lambda text: [bytes([byte]) for byte in text.encode()], "ours": ours}, ["to be é"])
    # Only the two bytes of the last letter and the space before it are cut alike.
    assert 0 <= found.agreement["ours"] < 1
    lossy = json.loads(spaced().to_str()) | {"normalizer": {"type": "Lowercase"}}
    assert subject(bp.load(json.dumps(lossy).encode())).places("TO") is None


def test_the_pattern_of_the_command_is_for_the_files_that_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    OURS.save("ours.json")
    OURS.export("ranks.tiktoken", "tiktoken")
    arguments = ["compare", "-t", "ours.json", "-t", "ranks.tiktoken", "--pattern", "cl100k", "--text", TEXT, "--json"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout)["measures"]
    assert first["n_tokens"] == second["n_tokens"]
