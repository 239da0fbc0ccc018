"""The Tokenizer: ids and back, the model's own facts, and what Python asks of a value."""

from __future__ import annotations

import copy
import pickle
import threading
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

CORPUS = ["low low lower lowest newest newest widest é 漢字 漢字"]


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(CORPUS, num_merges=20, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def words() -> bp.Tokenizer:
    corpus = ["low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3]
    return bp.train(corpus, num_merges=5, pattern="whitespace", alphabet="chars", end_of_word="</w>")


# The worked example


def test_the_textbook_with_a_marker(words: bp.Tokenizer) -> None:
    assert words.merges == [(b"e", b"s"), (b"es", b"t"), (b"est", b"</w>"), (b"l", b"o"), (b"lo", b"w")]
    assert words.tokens("lowest") == [b"low", b"est</w>"]
    assert words.tokens("low") == [b"low", b"</w>"]
    assert words.decode(words.encode("lowest  low\n")) == "lowest low"
    with pytest.raises(bp.UnknownCharacterError, match="z"):
        words.encode("zz")


def test_the_textbook_by_hand_from_counted_words() -> None:
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    tally = bp.Tally.from_counts(counts, pattern="whitespace")
    options: dict[str, Any] = {"num_merges": 10, "alphabet": "chars", "end_of_word": "</w>"}
    first = bp.train(tally, ties="first-seen", **options)
    assert [b"".join(pair).decode() for pair in first.merges[5:]] == ["ne", "new", "newest</w>", "low</w>", "wi"]
    lexicographic = bp.train(tally, **options)
    assert [b"".join(pair).decode() for pair in lexicographic.merges[5:]] == [
        "ew",
        "ewest</w>",
        "newest</w>",
        "low</w>",
        "dest</w>",
    ]


def test_a_whole_text_by_first_seen() -> None:
    tok = bp.train(["low lower lowest"], num_merges=2, pattern="none", alphabet="chars", ties="first-seen")
    assert tok.merges == [(b"l", b"o"), (b"lo", b"w")]
    assert tok.tokens("low lower")[:3] == [b"low", b" ", b"low"]


# Text -> ids -> text


@given(st.text(max_size=40) | st.sampled_from(["", " ", "\n", "\x00", "漢🙂é" * 5, "\ufeff"]))
def test_a_lossless_tokenizer_gives_every_str_back(tok: bp.Tokenizer, text: str) -> None:
    assert tok.lossless
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.count(text) == len(ids)
    assert tok.encode_batch([text, text], threads=2) == [ids, ids]
    assert b"".join(tok.tokens(text)) == text.encode()
    assert "".join(tok.pieces(text)) == text
    assert tok.encode(text.encode()) == ids


@given(st.binary(max_size=40))
def test_a_lossless_tokenizer_gives_all_bytes_back(tok: bp.Tokenizer, data: bytes) -> None:
    ids = tok.encode(data)
    assert tok.decode_bytes(ids) == data
    for buffer in (bytearray(data), memoryview(data)):
        for call in (tok.encode, tok.count, tok.pieces, tok.tokens, tok.token_id):
            with pytest.raises(bp.ArgumentTypeError, match=r"must be str or bytes: bytes\(\.\.\.\) makes them of it"):
                call(buffer)  # type: ignore[operator]
        with pytest.raises(bp.ArgumentTypeError, match=r"texts\[0\] is .* must be str or bytes"):
            tok.encode_batch([buffer])  # type: ignore[list-item]
    assert b"".join(tok.pieces(data)) == data
    assert b"".join(tok.tokens(data)) == data
    assert tok.count(data) == len(ids)


def test_characters_that_were_never_seen_are_bytes() -> None:
    tok = bp.train(["hello world"] * 5, num_merges=10)
    assert tok.decode(tok.encode("hello Zé")) == "hello Zé"


def test_a_character_that_was_never_seen_is_unknown_or_an_error() -> None:
    plain = bp.train(["ab"], num_merges=1, alphabet="chars", pattern="none")
    with pytest.raises(bp.UnknownCharacterError, match="é"):
        plain.encode("aé")
    unknown = bp.train(["ab"], num_merges=1, alphabet="chars", pattern="none", unk_token="<unk>")
    assert unknown.tokens("éab漢") == [b"<unk>", b"ab", b"<unk>"]
    assert unknown.decode(unknown.encode("éab")) == "<unk>ab"


def test_the_prefix_space(tok: bp.Tokenizer) -> None:
    spaced = bp.train(CORPUS, num_merges=20, add_prefix_space=True)
    assert spaced.decode(spaced.encode("low")) == " low"
    assert spaced.decode(spaced.encode(" low")) == " low"
    assert spaced.encode("") == []
    assert spaced.pieces("low") == [" low"]


def test_pieces_have_the_type_of_the_text(tok: bp.Tokenizer) -> None:
    assert tok.pieces("漢字 low") == ["漢字", " low"]
    assert tok.pieces("漢字 low".encode()) == ["漢字".encode(), b" low"]
    assert tok.pieces("\ud83d\udc4d") == ["👍"]


# Surrogates (G25)


def test_a_surrogate_pair_is_its_character(tok: bp.Tokenizer) -> None:
    for errors in ("replace", "raise"):
        assert tok.encode("\ud83d\udc4d", errors=errors) == tok.encode("👍")  # type: ignore[arg-type]
        assert tok.encode_batch(["a", "\ud83d\udc4d"], errors=errors) == tok.encode_batch(["a", "👍"])  # type: ignore[arg-type]


def test_a_lone_surrogate_is_replaced(tok: bp.Tokenizer) -> None:
    assert tok.decode(tok.encode("\ud83d")) == "\ufffd"
    assert tok.decode(tok.encode("ok \udbc0 ok")) == "ok \ufffd ok"
    assert tok.encode("\udc4d\ud83d\ud83d\udc4d") == tok.encode("\ufffd\ufffd👍")
    assert tok.count("ok \udbc0 ok") == len(tok.encode("ok \ufffd ok"))
    assert tok.pieces("ok \udbc0") == tok.pieces("ok \ufffd")
    assert tok.encode_batch(["a", "\ud83d"]) == [tok.encode("a"), tok.encode("\ufffd")]


def test_a_lone_surrogate_is_refused_on_request(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.SurrogateError, match="position 3") as caught:
        tok.encode("ok \udbc0 ok", errors="raise")
    assert (caught.value.start, caught.value.end) == (3, 4)
    assert isinstance(caught.value, UnicodeEncodeError)
    with pytest.raises(bp.SurrogateError, match=r"texts\[1\] holds a lone surrogate"):
        tok.encode_batch(["\ud83d\udc4d", "x\ud83d"], errors="raise")
    for call in (tok.count, tok.pieces, tok.tokens):
        with pytest.raises(bp.SurrogateError):
            call("\ud83d", errors="raise")


# Ids that are no token (G24)


@pytest.fixture(scope="module")
def gap() -> bp.Tokenizer:
    model = bp.train([""], num_merges=0).model
    parts = {name: getattr(model, name) for name in ("kind", "alphabet", "tokens", "merges", "pattern")}
    return bp.Tokenizer(bp.Model(**parts, specials={"<end>": 501}))


@pytest.mark.parametrize("bad", [500, 256, -1, 502, 2**31, 2**32, 2**40, 2**64, -(2**40)])
def test_an_id_without_a_token_is_named_replaced_or_skipped(gap: bp.Tokenizer, bad: int) -> None:
    with pytest.raises(bp.BadIdError, match=rf"{bad}") as caught:
        gap.decode([97, bad, 98])
    assert "position 1" in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, IndexError)
    assert gap.decode([97, bad, 98], bad_ids="replace") == "a\ufffdb"
    assert gap.decode([97, bad, 98], bad_ids="skip") == "ab"
    assert gap.decode_bytes([bad], bad_ids="replace") == "\ufffd".encode()
    with pytest.raises(bp.BadIdError, match="id "):
        gap.token_bytes(bad)


def test_a_bool_is_no_id(gap: bp.Tokenizer) -> None:
    with pytest.raises(bp.BytepairError, match=r"True|bool"):
        gap.decode([97, True])
    with pytest.raises(bp.ArgumentTypeError, match=r"the id is True \(bool\)"):
        gap.token_bytes(True)


def test_ids_may_come_in_any_sequence(tok: bp.Tokenizer) -> None:
    ids = tok.encode("low lower")
    for given_ids in (tuple(ids), iter(ids), (each for each in ids), range(97, 100), array("H", ids), array("q", ids)):
        expected = "abc" if isinstance(given_ids, range) else "low lower"
        assert tok.decode(given_ids) == expected
    assert tok.decode([]) == ""
    assert tok.decode_batch([]) == []
    assert tok.decode_batch(iter([ids, [97]])) == ["low lower", "a"]


@pytest.mark.parametrize("kind", ["int64", "int32", "uint16", "uint32", "uint8"])
def test_ids_may_be_numpy_arrays(tok: bp.Tokenizer, kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    assert tok.decode(numpy.array([97, 98], dtype=kind)) == "ab"
    assert tok.decode(list(numpy.array([97, 98], dtype=kind))) == "ab"
    assert tok.token_bytes(numpy.array([97], dtype=kind)[0]) == b"a"


def test_bytes_that_are_not_utf8(tok: bp.Tokenizer) -> None:
    ids = [97, 0xE6, 0xBC, 98]
    assert tok.decode(ids) == "a\ufffdb"
    assert tok.decode(ids, errors="ignore") == "ab"
    with pytest.raises(bp.DecodingError, match=r"in position 1-2.*use decode_bytes") as caught:
        tok.decode(ids, errors="strict")
    assert isinstance(caught.value, UnicodeDecodeError)
    assert tok.decode_bytes(ids) == b"a\xe6\xbcb"
    assert tok.decode_batch([ids], errors="ignore") == ["ab"]


# Facts


def test_the_model_says_what_it_is(tok: bp.Tokenizer) -> None:
    assert tok.vocab_size == 277
    assert tok.special_tokens == {"<|end|>": 276}
    with pytest.raises(TypeError, match="this mapping never changes; make a copy that can"):
        tok.special_tokens["<|new|>"] = 1  # type: ignore[index]
    assert tok.pattern == "cl100k"
    assert tok.merges[0] == (b"e", b"s")
    assert len(tok.merges) == 20
    assert repr(tok) == "Tokenizer(277 tokens, 1 special, 20 merges, bytes, pattern='cl100k')"
    tok.merges.clear()
    assert len(tok.merges) == 20


def test_tokens_and_ids(tok: bp.Tokenizer) -> None:
    for number in range(tok.vocab_size):
        assert tok.token_id(tok.token_bytes(number)) == number
    assert tok.token_id("low") == tok.token_id(b"low")
    assert tok.token_id("<|end|>") == 276
    assert tok.token_bytes(276) == b"<|end|>"
    with pytest.raises(bp.UnknownTokenError, match="no token is spelled 'nope'") as caught:
        tok.token_id("nope")
    assert isinstance(caught.value, KeyError)
    with pytest.raises(bp.ArgumentTypeError, match="the token is 97"):
        tok.token_id(97)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match="the id is '97'"):
        tok.token_bytes("97")  # type: ignore[arg-type]
    with pytest.raises(bp.BadIdError, match="id 277 is no token; ids go from 0 to 276"):
        tok.token_bytes(277)
    with pytest.raises(bp.SurrogateError):
        tok.token_id("\ud83d")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pattern": "whitespace"}, ["drops what lies between"]),
        ({"end_of_word": "</w>"}, ["The marker '</w>'"]),
        ({"add_prefix_space": True}, ["begin with a space"]),
        ({"alphabet": "chars"}, ["cannot be encoded"]),
        ({"alphabet": "chars", "unk_token": "<unk>"}, ["becomes '<unk>'"]),
        ({"alphabet": "chars", "pattern": "whitespace"}, ["cannot be encoded", "drops"]),
    ],
)
def test_what_is_lost_is_said(options: dict[str, Any], words: list[str]) -> None:
    tok = bp.train(CORPUS, num_merges=1, **options)
    assert not tok.lossless
    assert len(tok.losses) == len(words)
    for sentence, word in zip(tok.losses, words, strict=True):
        assert word in sentence


def test_custom_patterns_keep_all_text() -> None:
    tok = bp.train(CORPUS, num_merges=1, pattern=r"\d+")
    assert tok.pattern == r"\d+"
    assert tok.lossless
    assert tok.pieces("ab12cd") == ["ab", "12", "cd"]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", "gpt2"),
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", "gpt2"),
        (
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
            "cl100k",
        ),
    ],
)
def test_other_spellings_of_a_named_pattern_are_that_pattern(spelling: str, name: str) -> None:
    tok = bp.train(CORPUS, num_merges=5, pattern=spelling)
    assert tok.pattern == name
    assert tok == bp.train(CORPUS, num_merges=5, pattern=name)


# The report


def test_the_report_says_what_was_asked_reached_and_why() -> None:
    short = bp.train(["low lower lowest"] * 3, vocab_size=5000).training
    assert short is not None
    assert (short.requested, short.unit, short.reason) == (5000, "vocab_size", "no-pairs")
    assert short.reached < 300
    assert (short.documents, short.bytes, short.pieces) == (3, 48, 3)
    assert "asked for 5,000 tokens, reached" in str(short)
    assert "no pair of neighbours is left" in str(short)
    full = bp.train(["ab ab"], num_merges=1).training
    assert full is not None
    assert (full.requested, full.reached, full.unit, full.reason) == (1, 1, "num_merges", "target")
    assert full.merge_counts == (2,)
    assert full.seconds >= 0
    assert str(full).startswith(
        "asked for 1 merge, reached 1: that is what was asked\n1 merge from 1 document (5 bytes, "
    )
    rare = bp.train(["ab ab cd"], num_merges=9, min_count=2).training
    assert rare is not None
    assert rare.reason == "min-count"
    assert "rarer than min_count" in str(rare)
    counted = bp.train(bp.Tally.from_counts({"ab": 2}, pattern="none"), num_merges=1).training
    assert "from counted pieces (4 bytes, 1 distinct piece)" in str(counted)


def test_vocab_size_counts_everything() -> None:
    tok = bp.train(CORPUS, vocab_size=270, special_tokens=["<a>", "<b>"], end_of_word="</w>")
    assert tok.vocab_size == 270
    assert len(tok.merges) == 270 - 256 - 1 - 2
    exact = bp.train(CORPUS, vocab_size=259, special_tokens=["<a>", "<b>"], end_of_word="</w>")
    assert exact.merges == []
    assert exact.training is not None
    assert exact.training.reason == "target"


def test_learning_reports_progress() -> None:
    def told(source: Any, **options: Any) -> list[tuple[int, int | None]]:
        steps: list[bp.Progress] = []
        bp.train(source, progress=steps.append, **options)
        return [(step.done, step.total) for step in steps]

    counted = bp.tally(CORPUS, pattern="cl100k")
    assert told(counted, num_merges=5) == [(5, 5)]
    assert told(counted, num_merges=0) == [(0, 0)]
    assert told(counted, vocab_size=260, special_tokens=["<|end|>"], special="text")[-1] == (3, 3)
    # It stops early, and what was reached counts.
    assert told(["ab"], num_merges=5, pattern="none")[-2:] == [(2, None), (1, 1)]
    tok = bp.train(CORPUS, num_merges=5)
    steps: list[bp.Progress] = []
    tok.extend(CORPUS, 263, progress=steps.append)
    assert (steps[-1].done, steps[-1].total) == (7, 7)


def test_learning_calls_back_while_it_works() -> None:
    counted = bp.Tally.from_counts({f"{index:x} {index * 7919:x}": 1 for index in range(200_000)}, pattern="none")
    steps: list[bp.Progress] = []
    tok = bp.train(counted, num_merges=20_000, progress=steps.append)
    assert len(steps) > 1
    assert all(step.total == 20_000 for step in steps)
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == 20_000
    # Each tells the last merge that was made, and what it counted.
    for step in steps:
        assert step.merge == tok.merges[step.done - 1]
        assert step.count == tok.training.merge_counts[step.done - 1]


def test_the_threads_of_a_batch_may_stand_without_their_name(tok: bp.Tokenizer) -> None:
    assert tok.encode_batch(["low", "lower"], 2) == tok.encode_batch(["low", "lower"], threads=2)
    with pytest.raises(bp.ArgumentError, match="threads is 0"):
        tok.encode_batch(["low"], 0)
    with pytest.raises(TypeError):
        tok.encode_batch(["low"], 2, "all")  # type: ignore[call-overload]


# A value


def test_it_never_changes(tok: bp.Tokenizer) -> None:
    with pytest.raises(AttributeError, match="a Tokenizer never changes; 'vocab_size' cannot be set"):
        tok.vocab_size = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="never changes"):
        tok.extra = 3  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="never changes"):
        del tok._model


def test_equal_by_content(tok: bp.Tokenizer) -> None:
    same = bp.train(CORPUS, num_merges=20, special_tokens=["<|end|>"], threads=1)
    assert same == tok
    assert hash(same) == hash(tok)
    assert len({same, tok}) == 1
    for options in (
        {"num_merges": 19},
        {"pattern": "gpt2"},
        {"special_tokens": ["<|END|>"]},
        {"special_ids": "first"},
        {"byte_order": "gpt2"},
        {"add_prefix_space": True},
        {"end_of_word": "</w>"},
    ):
        other = bp.train(CORPUS, **{"num_merges": 20, "special_tokens": ["<|end|>"], **options})
        assert other != tok
    assert tok != "tok"


def test_it_pickles_and_copies(tok: bp.Tokenizer, words: bp.Tokenizer) -> None:
    for each in (tok, words):
        again = pickle.loads(pickle.dumps(each))
        assert again == each
        assert again.model.merge_counts == each.model.merge_counts
        assert again.training is None
        assert pickle.dumps(again) == pickle.dumps(each)
        assert copy.copy(each) == copy.deepcopy(each) == each
    assert pickle.loads(pickle.dumps(tok)).encode("lowest 漢") == tok.encode("lowest 漢")


def test_threads_share_it(tok: bp.Tokenizer) -> None:
    text = "low lower lowest 漢字 " * 20
    expected = tok.encode(text)
    wrong: list[object] = []

    def work() -> None:
        for _ in range(50):
            if tok.encode(text) != expected or tok.decode(expected) != text or tok.count(text) != len(expected):
                wrong.append(text)
            if tok.encode_batch([text] * 3, threads=2) != [expected] * 3:
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
