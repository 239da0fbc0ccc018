"""Special tokens: text from outside stays text unless the call says otherwise."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

TEXT = "see <|end|> below"
RANKS = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(["a b see below"], num_merges=5, special_tokens=["<|end|>", "<|end|><|pad|>", "<|pad|>"])


def calls(tok: bp.Tokenizer) -> list[Callable[..., Any]]:
    return [tok.encode, tok.count, tok.pieces, tok.tokens, lambda text, **rest: tok.encode_batch([text], **rest)]


# G01, G29


def test_text_that_mentions_a_special_is_text(tok: bp.Tokenizer) -> None:
    ids = tok.encode(TEXT)
    assert not set(ids) & set(tok.special_tokens.values())
    assert tok.decode(ids) == TEXT
    assert tok.encode_batch([TEXT]) == [ids]
    assert tok.count(TEXT) == len(ids)
    assert "".join(tok.pieces(TEXT)) == TEXT
    assert b"".join(tok.tokens(TEXT)) == TEXT.encode()
    assert tok.encode(TEXT, special="text") == ids


def test_adding_special_tokens_is_not_reading_them_in_text(tok: bp.Tokenizer) -> None:
    assert tok.encode(TEXT, add_special_tokens=True) == tok.encode(TEXT)


def test_all_are_matched_on_request(tok: bp.Tokenizer) -> None:
    ids = tok.encode(TEXT, special="all")
    assert ids.count(tok.special_tokens["<|end|>"]) == 1
    assert tok.decode(ids) == TEXT
    assert "<|end|>" in tok.pieces(TEXT, special="all")
    assert b"<|end|>" in tok.tokens(TEXT, special="all")
    assert tok.count(TEXT, special="all") == len(ids)
    assert tok.encode_batch([TEXT], special="all") == [ids]
    assert tok.encode(TEXT.encode(), special="all") == ids


@pytest.mark.parametrize("names", [{"<|pad|>"}, frozenset(["<|pad|>"]), ["<|pad|>"], ("<|pad|>",)])
def test_a_set_of_them_is_matched_on_request(tok: bp.Tokenizer, names: Any) -> None:
    text = "<|end|> <|pad|>"
    ids = tok.encode(text, special=names)
    assert tok.special_tokens["<|pad|>"] in ids
    assert tok.special_tokens["<|end|>"] not in ids
    assert tok.decode(ids) == text


def test_an_empty_set_matches_none(tok: bp.Tokenizer) -> None:
    assert tok.encode(TEXT, special=set()) == tok.encode(TEXT)


def test_the_leftmost_and_then_the_longest_is_matched(tok: bp.Tokenizer) -> None:
    names = tok.special_tokens
    assert tok.encode("<|end|><|pad|>", special="all") == [names["<|end|><|pad|>"]]
    assert tok.encode("<|end|><|pad|>", special={"<|end|>", "<|pad|>"}) == [names["<|end|>"], names["<|pad|>"]]
    assert tok.encode("<|end|><|end|><|pad|>", special="all") == [names["<|end|>"], names["<|end|><|pad|>"]]


def test_they_are_refused_on_request(tok: bp.Tokenizer) -> None:
    for call in calls(tok):
        with pytest.raises(bp.SpecialTokenError, match=r"holds the special token '<\|end\|>' at character 4"):
            call(TEXT, special="raise")
        assert call("plain", special="raise") == call("plain")
    with pytest.raises(bp.SpecialTokenError, match=r"at character 6"):
        tok.encode("é漢🙂 é <|end|>", special="raise")
    with pytest.raises(bp.SpecialTokenError, match=r"at byte 4"):
        tok.encode(TEXT.encode(), special="raise")
    with pytest.raises(bp.SpecialTokenError, match=r"texts\[1\] holds"):
        tok.encode_batch(["fine", TEXT], special="raise")
    with pytest.raises(bp.SpecialTokenError, match=r"at character 2"):
        tok.encode("\ud83d <|end|>", special="raise")
    assert issubclass(bp.SpecialTokenError, ValueError)


def test_places_are_those_of_the_text_that_was_given() -> None:
    tok = bp.train(["ab"], num_merges=0, alphabet="chars", special_tokens=["<|e|>"])
    thumb = "\ud83d\udc4d"
    for text, place in ((f"{thumb}<|e|>", 2), (f"a{thumb}{thumb}<|e|>", 5), (f"<|e|>{thumb}", 0), ("👍<|e|>", 1)):
        for call in calls(tok):
            with pytest.raises(bp.SpecialTokenError, match=rf"at character {place},"):
                call(text, special="raise")
    surrogates = bp.train(["ab👍"], num_merges=0, alphabet="chars")
    for text, place in (
        (f"{thumb}z", 2),
        (f"z{thumb}", 0),
        (f"{thumb}a{thumb}z", 5),
        ("👍z", 1),
        (f"{thumb}\ud83d", 2),
    ):
        for special in ("text", "raise"):
            for call in (surrogates.encode, surrogates.count, surrogates.tokens):
                with pytest.raises(bp.UnknownCharacterError, match=rf"at index {place} is not"):
                    call(text, special=special)
            with pytest.raises(bp.UnknownCharacterError, match=rf"at index {place} of text 1 is not"):
                surrogates.encode_batch([thumb, text], special=special)
    for call in calls(tok):
        with pytest.raises(bp.SurrogateError, match=r"position 2: ") as caught:
            call(f"{thumb}\ud83d a", errors="raise")
        assert (caught.value.start, caught.value.end) == (2, 3)


@pytest.mark.parametrize(
    "names", [{"<|pad|>": 1}.keys(), {"<|pad|>"}, frozenset({"<|pad|>"}), ["<|pad|>", "<|pad|>"], ("<|pad|>",)]
)
def test_any_set_list_or_tuple_of_names_is_taken_everywhere(tok: bp.Tokenizer, names: Any) -> None:
    for call in calls(tok):
        assert call("<|end|> <|pad|>", special=names) == call("<|end|> <|pad|>", special={"<|pad|>"})
    options: dict[str, Any] = {"special_tokens": ["<|pad|>", "<|end|>"], "special": names}
    expected = bp.tally(["a<|pad|>b<|end|>"], pattern="none", **{**options, "special": {"<|pad|>"}}).items()
    assert bp.tally(["a<|pad|>b<|end|>"], pattern="none", **options).items() == expected
    assert bp.train(["a<|pad|>b<|end|>"], num_merges=2, **options).vocab_size == 260


def test_tens_of_thousands_of_special_tokens_take_no_longer_than_their_number(tmp_path: Any) -> None:
    def seconds(n_specials: int) -> list[float]:
        names = [f"<|special {index}|>" for index in range(n_specials)]
        times = [time.process_time()]
        tok = bp.train(["low lower"], num_merges=2, special_tokens=names)
        times.append(time.process_time())
        tok.save(tmp_path / "tokenizer.json")
        times.append(time.process_time())
        assert bp.load(tmp_path / "tokenizer.json") == tok
        times.append(time.process_time())
        bp.load(RANKS, pattern="none", special_tokens={name: 300 + index for index, name in enumerate(names)})
        times.append(time.process_time())
        wanted = set(names)
        assert tok.encode(names[7], special=wanted) == [tok.special_tokens[names[7]]]
        times.append(time.process_time())
        for _ in range(20):
            tok.encode("low", special=wanted)
        times.append(time.process_time())
        return [after - before for before, after in pairwise(times)]

    # Ten times as many: about ten times as long, a hundred times where each is compared with each.
    few, many = seconds(2_000), seconds(20_000)
    for short, long in zip(few, many, strict=True):
        assert long < 70 * max(short, 0.005)


def test_all_special_tokens_are_one_object_for_the_engine(tok: bp.Tokenizer) -> None:
    every = set(tok.special_tokens)
    ids = tok._prepared.special_ids("all", "replace", False)
    assert ids == tuple(tok.special_tokens.values())
    for names in ("all", every, list(every)):
        assert tok._prepared.special_ids(names, "replace", False) is ids


WRONG: list[tuple[Any, type[bp.BytepairError], str]] = [
    ({"<|nope|>"}, bp.SpecialTokenError, r"special names '<\|nope\|>'.*the special tokens are '<\|end\|>', "),
    (["<|end|>", 3], bp.SpecialTokenError, r"special names 3, which is no special token"),
    (["<|end|>", ["<|pad|>"]], bp.SpecialTokenError, r"special names \['<\|pad\|>'\], which is no special token"),
    ({"<|end|>": 1}, bp.ArgumentTypeError, r"special is \{'<\|end\|>': 1\} \(dict\)"),
    (iter(["<|end|>"]), bp.ArgumentTypeError, r"special is <list_iterator"),
    ("<|end|>", bp.ArgumentError, r"to match that one token pass a set: special=\{'<\|end\|>'\}"),
    ("ALL", bp.ArgumentError, r"special is 'ALL'; it must be 'text', 'all', 'raise' or a set"),
    (None, bp.ArgumentTypeError, r"special is None \(NoneType\)"),
    (True, bp.ArgumentTypeError, r"special is True \(bool\)"),
    (256, bp.ArgumentTypeError, r"special is 256 \(int\)"),
]


@pytest.mark.parametrize(("special", "error", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_a_wrong_policy_is_named(tok: bp.Tokenizer, special: Any, error: type[bp.BytepairError], message: str) -> None:
    for call in calls(tok):
        with pytest.raises(error, match=message):
            call("text", special=special)


def test_a_model_without_specials_says_so() -> None:
    plain = bp.train(["a"], num_merges=0)
    with pytest.raises(bp.SpecialTokenError, match="there are no special tokens"):
        plain.encode("a", special={"<|end|>"})
    assert plain.encode("a", special="all") == plain.encode("a", special="raise") == [97]


# Ids


def test_specials_come_last_or_first_in_their_order() -> None:
    last = bp.train(["ab ab"], vocab_size=260, special_tokens=["<b>", "<a>"])
    assert last.special_tokens == {"<b>": 258, "<a>": 259}
    assert last.token_bytes(257) == b" ab"
    first = bp.train(["ab ab"], vocab_size=260, special_tokens=["<b>", "<a>"], special_ids="first")
    assert first.special_tokens == {"<b>": 0, "<a>": 1}
    assert first.encode("a") == [99]
    assert first.merges == last.merges
    assert first.decode(first.encode("ab<a>", special="all")) == "ab<a>"


def test_the_unknown_token_is_the_first_special_unless_it_is_listed() -> None:
    options: dict[str, Any] = {"num_merges": 0, "alphabet": "chars", "unk_token": "<unk>"}
    assert bp.train(["ab"], special_tokens=["<s>"], **options).special_tokens == {"<unk>": 2, "<s>": 3}
    listed = bp.train(["ab"], special_tokens=["<s>", "<unk>"], **options)
    assert listed.special_tokens == {"<s>": 2, "<unk>": 3}
    assert listed.encode("axb") == [0, 3, 1]
    assert listed.decode([0, 3]) == "a<unk>"


def test_special_tokens_are_read_only(tok: bp.Tokenizer) -> None:
    with pytest.raises(TypeError):
        tok.special_tokens["<x>"] = 5  # type: ignore[index]


def test_a_special_is_never_learned() -> None:
    tok = bp.train(["<a>" * 50], num_merges=5, special_tokens=["<a>"], special="text", pattern="none")
    assert (b"<a", b">") not in tok.merges
    assert tok.training is not None
    assert tok.training.passed_over == (b"<a>",)
    assert "passed over" in str(tok.training)
    assert tok.special_tokens["<a>"] not in tok.encode("<a>")


@given(st.lists(st.sampled_from(["<|end|>", "<|pad|>", "a", " b", "é", "<|"]), max_size=8).map("".join))
def test_decoding_gives_the_text_back_whatever_the_policy(tok: bp.Tokenizer, text: str) -> None:
    for special in ("text", "all", {"<|pad|>"}):
        ids = tok.encode(text, special=special)
        assert tok.decode(ids) == text
        assert tok.count(text, special=special) == len(ids)
        assert b"".join(tok.tokens(text, special=special)) == text.encode()
        assert "".join(tok.pieces(text, special=special)) == text
