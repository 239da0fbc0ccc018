"""SentencePiece, tekken, CLIP, subword-nmt, minbpe, vocab.json with merges.txt: the ids of their own libraries."""

from __future__ import annotations

import base64
import gzip
import io
import json
import locale
import random
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hard_texts import HARD

import bytepair as bp

LINES = [
    "the cat sat on the mat, and the other cat sat too.",
    "low lower lowest newest widest slow slower slowest",
    "Größe café naïve, 12345 and 67.8; don't say we've   many spaces",
    "日本語のテキスト と 中文文本。 한국어 텍스트 ½ ﬁ Ａ",
    "def f(x):\n\treturn x ** 2  # comment",
] * 40
SETTINGS: list[dict[str, Any]] = [
    {},
    {"byte_fallback": True},
    {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "byte_fallback": True},
    {"add_dummy_prefix": False},
    {"user_defined_symbols": ["<mask>", "tok", "a b"], "byte_fallback": True},
    {"treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "normalization_rule_name": "nfkc_cf"},
    {"normalization_rule_name": "nfkc", "user_defined_symbols": ["  "], "remove_extra_whitespaces": False},
]


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def sentencepiece_pair(request: pytest.FixtureRequest) -> tuple[bp.Tokenizer, Any]:
    spm = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter("\n".join(LINES).split("\n")),
        model_writer=written,
        model_type="bpe",
        vocab_size=450,
        hard_vocab_limit=False,
        minloglevel=2,
        **request.param,
    )
    return bp.load(written.getvalue()), spm.SentencePieceProcessor(model_proto=written.getvalue())


def test_a_sentencepiece_model_has_the_ids_and_texts_of_its_library(sentencepiece_pair: Any) -> None:
    ours, theirs = sentencepiece_pair
    assert ours.loaded.format == "sentencepiece"
    chance = random.Random(1)
    drawn = ["".join(chance.choices("abe \u2581\n<s>to k\u0301\u00e9\U0001f600k1", k=20)) for _ in range(100)]
    for text in [*HARD, *LINES[:5], *drawn]:
        ids = ours.encode(text)
        assert ids == theirs.encode(text), text
        assert ours.decode(ids) == theirs.decode(ids), text


def test_a_sentencepiece_model_saves_and_loads_and_says_what_it_loses(sentencepiece_pair: Any, tmp_path: Path) -> None:
    ours, theirs = sentencepiece_pair
    ours.save(tmp_path / "tokenizer.json")
    again = bp.load(tmp_path / "tokenizer.json")
    assert again == ours and again.model.frame == ours.model.frame
    assert [again.encode(text) for text in HARD] == [ours.encode(text) for text in HARD]
    assert not ours.lossless
    drops = any("Spaces at the ends" in loss for loss in ours.losses)
    assert drops == (theirs.decode(theirs.encode("the  cat")).strip() == "the cat")


def test_a_stream_of_ids_is_the_text(sentencepiece_pair: Any) -> None:
    ours, _ = sentencepiece_pair
    for text in [*HARD, *LINES[:5]]:
        decoder, ids = ours.decoder(), ours.encode(text)
        assert "".join(map(decoder.feed, ids)) + decoder.finish() == ours.decode(ids)


def test_white_space_comes_back_as_the_settings_say(sentencepiece_pair: Any) -> None:
    ours, theirs = sentencepiece_pair
    for text in ("  Hello World.", "a\tb\n\n c ", "\n", " ", "x  \r\n  y", "", "the  cat\nsat "):
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text))


def test_mistral_over_a_corpus(test_data: Callable[[str], Path]) -> None:
    spm = pytest.importorskip("sentencepiece")
    path = test_data("vocabs/mistral_v3.spm.model")
    ours, theirs = bp.load(path), spm.SentencePieceProcessor(model_file=str(path))
    folder = test_data("corpora")
    texts = [
        file.read_bytes()[:300_000].decode("utf-8", "ignore") for file in sorted(folder.iterdir()) if file.is_file()
    ]
    for text in [*texts, *HARD, "\u2581" * 50, " " * 100 + "x"]:
        ids = ours.encode(text)
        assert ids == theirs.encode(text)
        assert ours.decode(ids) == theirs.decode(ids)


def test_tekken_is_ranks_behind_a_thousand_specials(test_data: Callable[[str], Path]) -> None:
    ours = bp.load(test_data("vocabs/tekken_240911.json"))
    assert (ours.loaded.format, ours.vocab_size, ours.pattern) == ("tekken", 131_072, "tekken")
    # As mistral-common 1.13.1 has them.
    expected = [22177, 1032, 4304, 19961, 1129, 22529, 1206, 1140, 82822, 25527, 27026]
    assert ours.encode("Hello  world \u2581 ΛΌΓΟΣ") == expected
    assert (ours.special_tokens["[INST]"], ours.special_tokens["<SPECIAL_999>"]) == (3, 999)


def test_clip_is_in_lower_case_with_its_two_tokens_around(test_data: Callable[[str], Path]) -> None:
    ours = bp.load(test_data("vocabs/clip_bpe_simple_vocab_16e6.txt.gz"))
    assert (ours.loaded.format, ours.vocab_size) == ("clip", 49_408)
    assert ours.encode("A Photo of a CAT", add_special_tokens=True) == [49406, 320, 1125, 539, 320, 2368, 49407]
    assert ours.decode(ours.encode("A Photo of a CAT")) == "a photo of a cat"
    assert any("ftfy" in loss and "HTML" in loss for loss in ours.losses) and not ours.lossless


def codes(version: str) -> str:
    learn = pytest.importorskip("subword_nmt.learn_bpe")
    written = io.StringIO()
    learn.learn_bpe(io.StringIO("\n".join(LINES)), written, 120)
    text = written.getvalue()
    return text if version == "0.2" else text.split("\n", 1)[1]


def segments(ours: bp.Tokenizer, text: str) -> list[str] | None:
    """Tokens as subword-nmt writes them; None where a character is unknown, which it passes on."""
    ids = ours.encode(text)
    if ours.special_tokens["<unk>"] in ids:
        return None
    found: list[str] = []
    for token in (ours.token_bytes(number).decode() for number in ids):
        if token == "</w>":
            found[-1] = found[-1].removesuffix("@@")
        else:
            found.append(token.removesuffix("</w>") if token.endswith("</w>") else f"{token}@@")
    return found


@pytest.mark.parametrize("version", ["0.1", "0.2"])
@pytest.mark.parametrize("threshold", [None, 1, 60])
def test_subword_nmt_codes_segment_as_its_own(version: str, threshold: int | None) -> None:
    apply = pytest.importorskip("subword_nmt.apply_bpe")
    count = pytest.importorskip("subword_nmt.get_vocab")
    text = codes(version)
    theirs, options = apply.BPE(io.StringIO(text)), {}
    if threshold is not None:
        written = io.StringIO()
        count.get_vocab(io.StringIO("\n".join(theirs.process_line(line) for line in LINES)), written)
        kept = apply.read_vocabulary(io.StringIO(written.getvalue()), threshold)
        theirs = apply.BPE(io.StringIO(text), vocab=kept)
        pairs = (line.split(" ") for line in written.getvalue().splitlines())
        options = {"vocabulary": {token: int(n) for token, n in pairs}, "threshold": threshold}
    ours = bp.load(text.encode(), **options)
    assert ours.loaded.format == "subword-nmt"
    for line in [*LINES[:5], "the lowest  cat", " slow ", "x\ty"]:
        found = segments(ours, line)
        assert found is None or found == theirs.process_line(line).strip("\r\n ").split(" ")


def test_subword_nmt_glossaries_are_tokens_wherever_they_stand() -> None:
    ours = bp.load(codes("0.2").encode(), glossaries=["CAT", "low"])
    assert ours.tokens("CATlow CAT") == [b"CAT", b"low", b"CAT"]
    parts = bp.load(codes("0.2").encode()).tokens("er s")
    assert ours.tokens("lower CATs") == [b"low", *parts[:-1], b"CAT", parts[-1]]
    with pytest.raises(bp.ArgumentError, match=r"glossaries holds 'a b'; each must be a text without spaces"):
        bp.load(codes("0.2").encode(), glossaries=["a b"])


MINBPE = "minbpe v1\n\\w+|\\W+\n1\n<|end|> 258\n97 98\n256 99\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_minbpe_reads_and_writes(line_end: str, tmp_path: Path) -> None:
    ours = bp.load(MINBPE.replace("\n", line_end).encode())
    assert ours.encode("abcab<|end|>", special="all") == [257, 256, 258]
    ours.export(tmp_path / "again.model", "minbpe")
    assert (tmp_path / "again.model").read_bytes().decode() == MINBPE
    assert bp.load(tmp_path / "again.model") == ours


# vocab.json and merges.txt


def trained(**options: Any) -> bp.Tokenizer:
    return bp.train(["the cat sat on the mat, naïve café " * 5], **{"num_merges": 30, "pattern": "gpt2", **options})


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_vocab_and_merges_come_back_with_any_line_ends(line_end: bytes, tmp_path: Path) -> None:
    tok = trained(byte_order="gpt2", special_tokens=["<|end|>"])
    done = tok.export(tmp_path / "model", "vocab+merges")
    merges = tmp_path / "model" / "merges.txt"
    assert b"\r" not in merges.read_bytes()
    merges.write_bytes(merges.read_bytes().replace(b"\n", line_end))
    for path in (tmp_path / "model", merges, tmp_path / "model" / "vocab.json"):
        assert bp.load(path, **done.load_with) == tok
    with pytest.raises(bp.ArgumentError, match=r"hold no split pattern; pass pattern="):
        bp.load(tmp_path / "model")


def test_the_code_page_of_the_machine_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locale, "getpreferredencoding", lambda *_: "cp1252")
    tok = trained()
    done = tok.export(tmp_path / "model", "vocab+merges")
    assert "Ġ" in (tmp_path / "model" / "vocab.json").read_bytes().decode("utf-8")
    assert bp.load(tmp_path / "model", **done.load_with) == tok


def test_a_token_with_a_space_is_refused_when_it_is_saved(tmp_path: Path) -> None:
    tok = bp.train(["a b a b a b"] * 9, num_merges=4, pattern="none", alphabet="chars")
    assert any(b" " in part for pair in tok.merges for part in pair)
    tok.save(tmp_path / "tokenizer.json")
    assert bp.load(tmp_path / "tokenizer.json") == tok
    with pytest.raises(bp.FormatError, match=r"vocab\+merges cannot hold .*the token ' .*a space or line end"):
        tok.export(tmp_path / "model", "vocab+merges")
    assert not (tmp_path / "model").exists()


def test_loading_opens_no_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    data = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    path = tmp_path / "plain name.tiktoken"
    path.write_bytes(data)
    expected = bp.load(data, pattern="gpt2")
    assert bp.load(path, pattern="gpt2") == bp.load(io.BytesIO(data), pattern="gpt2") == expected
    with pytest.raises(FileNotFoundError, match=r"not there\.tiktoken"):
        bp.load(tmp_path / "not there.tiktoken", pattern="gpt2")


# Files from strangers

SMALL_PIECE = b"\x0a\x0a\x0a\x03<a>\x15\x00\x00\x00\x00"
CODES = b"#version: 0.2\na b</w>\n"
HOSTILE: list[tuple[bytes, str]] = [
    (SMALL_PIECE + b"\x0a\xff\xff\xff\xff\x07", r"byte 18: a field claims 2147483647 bytes, and 0 are left"),
    (SMALL_PIECE + b"\x0a\x80", r"byte 13: a number has no end"),
    (SMALL_PIECE + b"\x0b", r"byte 13: a field is of kind 3"),
    (SMALL_PIECE, r"the model is unigram; expected BPE"),
    (SMALL_PIECE + b"\x12\x02\x18\x02", r"0 pieces stand for what is unknown; expected one"),
    (b"\x0a\x02\x0a\x00" + b"\x12\x02\x18\x02", r"byte 2: a piece is empty"),
    (b"\x0a\x03\x0a\x01\xff", r"byte 4: the piece b'\\xff' is not UTF-8"),
    (gzip.compress(b"#version\na b\n")[:-6], r"it is cut short, or unpacks to more than"),
    (b"\x1f\x8b\x00\x00", r"packed by gzip and broken"),
    (gzip.compress(b"#version\na b c\n"), r"line 2 is 'a b c'; expected two tokens with one space between"),
    (gzip.compress(b"#version\na bc\n"), r"merge 0 joins 'a' and 'bc', and 'bc' is not in the vocabulary"),
    (b"minbpe v1\n", r"it ends with line 1; expected version, pattern and the number of specials"),
    (b"minbpe v1\n\nx\n", r"line 3 is 'x'; expected a whole number"),
    (b"minbpe v1\n\n0\n97 300\n", r"line 4 joins 97 and 300; expected ids below 256"),
    (b"minbpe v1\n\n0\n97\n", r"line 4 is '97'; expected 2 ids"),
    (b"minbpe v1\n\n9\n<s> 1\n", r"line 3 says 9 special tokens, and 1 of them follow"),
    (b"minbpe v1\n\n0\n" + b"".join(b"%d %d\n" % (i, i) for i in [97, *range(256, 320)]), r"a token of \d+ bytes"),
    (CODES + b"x y z\n", r"line 3 is 'x y z'; expected two tokens"),
    (CODES + b"ab xyz</w>\n", r"of no known format|merge 1 joins 'ab', which no merge before it makes"),
    (
        b'{"config": {"default_vocab_size": 5, "default_num_special_tokens": 9, "pattern": "a"}, "vocab": []}',
        r"is 5; exp",
    ),
    (b'{"a": 0, "b": "x"}', r"are two files that stand side by side"),
    (
        b'{"config": {"default_vocab_size": 9, "default_num_special_tokens": 1, "pattern": "a"}, "vocab": []}',
        r"asks for 8",
    ),
]


@pytest.mark.parametrize(("data", "message"), HOSTILE, ids=[message for _, message in HOSTILE])
def test_a_broken_file_is_one_error_that_says_where(data: bytes, message: str) -> None:
    with pytest.raises(bp.BytepairError, match=message):
        bp.load(data)


@pytest.mark.parametrize("name", ["mistral_v3.spm.model", "clip_bpe_simple_vocab_16e6.txt.gz"])
def test_a_file_that_was_cut_is_refused_wherever_it_was(name: str, test_data: Callable[[str], Path]) -> None:
    whole = test_data(f"vocabs/{name}").read_bytes()
    for n_bytes in (5, 100, len(whole) // 2, len(whole) - 1):
        with pytest.raises(bp.BytepairError):
            bp.load(whole[:n_bytes])


def test_nesting_beyond_reason_is_refused() -> None:
    step: dict[str, Any] = {"type": "NFC"}
    for _ in range(200):
        step = {"type": "Sequence", "normalizers": [step]}
    file = {"normalizer": step, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}
    with pytest.raises(bp.FormatError, match=r"no more than 32 sequences in each other"):
        bp.load(json.dumps(file).encode())


def test_a_file_of_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(bp.FormatError, match=r"has 3,221,225,472 bytes; no tokenizer file has more"):
        bp.load(path)
