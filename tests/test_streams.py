"""Token by token, and files part by part; long documents cut for threads; ids that are what encoding gives."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, LOSSLESS, policies, texts

import bytepair as bp

kinds = st.sampled_from(sorted(ALL))


# Decoding


@given(
    kinds,
    st.lists(st.integers(0, 310), max_size=30),
    st.sampled_from(["replace", "skip"]),
    st.sampled_from(["replace", "ignore"]),
)
def test_a_stream_decodes_as_the_whole(kind: str, ids: list[int], bad_ids: Any, errors: Any) -> None:
    tok = ALL[kind]
    decoder = tok.decoder(errors, bad_ids)
    # The second time it begins anew.
    for _ in range(2):
        assert "".join([*map(decoder.feed, ids), decoder.finish()]) == tok.decode(ids, errors, bad_ids)


@given(st.text(max_size=10))
def test_a_stream_never_gives_half_a_character(text: str) -> None:
    decoder = bp.train([""], num_merges=0).decoder("strict")
    given_back = ""
    for number, byte in enumerate(text.encode()):
        given_back += decoder.feed(byte)
        assert text.encode()[: number + 1].startswith(given_back.encode())
        assert len(text.encode()[: number + 1]) - len(given_back.encode()) < 4
    assert given_back + decoder.finish() == text


def test_a_stream_names_what_is_wrong() -> None:
    tok = LOSSLESS["cl100k"]
    decoder = tok.decoder()
    assert decoder.feed(97) == "a"
    for _ in range(2):
        with pytest.raises(bp.BadIdError, match="id 999 at position 1 is no token; the largest id is 298; bad_ids="):
            decoder.feed(999)
    with pytest.raises(bp.ArgumentTypeError, match=r"the id is 'a' \(str\); it must be an int"):
        decoder.feed("a")  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"the id is True \(bool\)"):
        decoder.feed(True)
    assert decoder.feed(98) == "b"
    strict = tok.decoder(errors="strict")
    assert strict.feed(0xC3) == ""
    with pytest.raises(bp.DecodingError, match="use decode_bytes"):
        strict.finish()
    assert strict.feed(97) == "a"
    with pytest.raises(bp.ArgumentError, match="errors is 'raise'"):
        tok.decoder(errors="raise")  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentError, match="bad_ids is 'ignore'"):
        tok.decoder(bad_ids="ignore")  # type: ignore[arg-type]


def test_a_marker_is_a_space_between_words_in_a_stream() -> None:
    tok = ALL["words"]
    decoder = tok.decoder()
    assert [decoder.feed(number) for number in tok.encode("low z")] == ["low", " z", ""]
    assert decoder.finish() == ""


# Files


@settings(max_examples=200)
@given(kinds, texts | st.binary(max_size=60), policies, st.integers(1, 40))
def test_a_file_gives_the_ids_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, kind: str, text: Any, special: Any, block_bytes: int
) -> None:
    tok = ALL[kind]
    data = text if isinstance(text, bytes) else text.encode()
    path = tmp_path_factory.getbasetemp() / "text"
    path.write_bytes(data)
    parts = list(tok.encode_file(path, special=special, block_bytes=block_bytes))
    assert [number for part in parts for number in part] == tok.encode(data, special=special)


def long_text(n_bytes: int, seed: int) -> str:
    chance = random.Random(seed)
    bits = ["low", "lowest", " ", " ", " ", "  \n", "\n", "'ll", "12", "é", "漢字", "<|end|>", "<s>", "\t", "."]
    return "".join(chance.choices(bits, k=n_bytes // 2))[:n_bytes]


@pytest.mark.parametrize("kind", sorted(ALL))
@pytest.mark.parametrize("special", ["text", "all"])
def test_a_long_file_comes_in_parts(kind: str, special: Any, tmp_path: Path) -> None:
    tok, text = ALL[kind], long_text(300_000, 1)
    path = tmp_path / "long.txt"
    path.write_bytes(text.encode())
    parts = list(tok.encode_file(str(path), special=special, block_bytes=20_000))
    assert [number for part in parts for number in part] == tok.encode(text.encode(), special=special)
    assert (len(parts) > 5) == (kind not in ("none", "custom") or special == "all")


def test_a_file_as_arrays(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    tok, text = LOSSLESS["cl100k"], long_text(50_000, 2)
    path = tmp_path / "long.txt"
    path.write_bytes(text.encode())
    parts = list(tok.encode_file(path, dtype="smallest", block_bytes=5000))
    assert {part.dtype for part in parts} == {np.dtype("uint16")}
    assert np.concatenate(parts).tolist() == tok.encode(text)


@pytest.mark.parametrize("text", ["", "low lower " * 2000])
def test_a_file_has_the_ids_of_the_template_around_it(text: str, tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    model = LOSSLESS["cl100k"].model
    added = tuple(bp.Added(name, number, special=True) for name, number in model.specials.items())
    first, second = [each.id for each in added][:2]
    frame = bp.Frame(added=added, before=(first, second), after=(second,))
    tok = bp.Tokenizer(dataclasses.replace(model, frame=frame))
    path = tmp_path / "text"
    path.write_text(text)
    expected = tok.encode(text, add_special_tokens=True)
    assert expected == [first, second, *tok.encode(text), second]
    parts = list(tok.encode_file(path, add_special_tokens=True, block_bytes=1000))
    assert [number for part in parts for number in part] == expected
    arrays = list(tok.encode_file(path, add_special_tokens=True, block_bytes=1000, dtype="smallest"))
    assert np.concatenate(arrays).tolist() == expected and {part.dtype for part in arrays} == {np.dtype("uint16")}
    assert [number for part in tok.encode_file(path) for number in part] == tok.encode(text)


def test_what_is_wrong_with_a_file_is_said_before_the_first_part(tmp_path: Path) -> None:
    tok = LOSSLESS["cl100k"]
    with pytest.raises(bp.MissingFileError, match=r"there is no file or folder 'nowhere\.txt'"):
        tok.encode_file("nowhere.txt")
    with pytest.raises(bp.UnreadableFileError, match="cannot be read"):
        tok.encode_file(tmp_path)
    with pytest.raises(bp.UnreadableFileError, match="cannot be read"):
        tok.encode_file("a\0b")
    with pytest.raises(bp.ArgumentTypeError, match=r"path is 3 \(int\); it must be a str or a path"):
        tok.encode_file(3)  # type: ignore[arg-type]
    path = tmp_path / "text"
    path.write_text("low " * 5000 + "<s>")
    with pytest.raises(bp.ArgumentError, match="block_bytes is 0; it must be at least 1"):
        tok.encode_file(path, block_bytes=0)
    with pytest.raises(bp.SpecialTokenError, match="special names '<nope>'"):
        tok.encode_file(path, special={"<nope>"})
    with pytest.raises(bp.ArgumentError, match="dtype is 'int8'"):
        tok.encode_file(path, dtype="int8")  # type: ignore[arg-type]
    with pytest.raises(bp.SpecialTokenError, match=r"text' holds the special token '<s>' at byte 20000, and special="):
        list(tok.encode_file(path, special="raise", block_bytes=1000))


def test_an_unknown_character_of_a_file_has_its_place(tmp_path: Path) -> None:
    tok = bp.train(["low low"], num_merges=2, alphabet="chars")
    path = tmp_path / "text"
    path.write_text("low " * 500 + "wé", encoding="utf-8")
    with pytest.raises(bp.UnknownCharacterError, match='"é" at index 2 is not') as caught:
        list(tok.encode_file(path, block_bytes=100))
    assert "the index counts from byte 1,999 of" in caught.value.__notes__[0]


# Long documents on threads


@pytest.mark.parametrize("kind", sorted(ALL))
@pytest.mark.parametrize("special", ["text", "all"])
def test_a_long_document_has_the_same_ids_on_any_number_of_threads(kind: str, special: Any) -> None:
    tok, text = ALL[kind], long_text(1_500_000, 3)
    many = ["low", text, "", text[7:], "lower"]
    expected = [tok.encode(each, special=special) for each in many]
    for threads in (1, 2, 3, 8):
        assert tok.encode_batch(many, threads, special=special) == expected
        assert tok.count_batch(many, threads, special=special) == list(map(len, expected))
    np = pytest.importorskip("numpy")
    ids, starts = tok.encode_ragged(many, 4, special=special)
    assert np.array_equal(ids, np.concatenate(expected))
    assert np.array_equal(np.diff(starts), list(map(len, expected)))
    for threads in (1, 3, None):
        assert tok.encode(text, special=special, threads=threads) == expected[1]
        assert np.array_equal(tok.encode_array(text, special=special, threads=threads), expected[1])
        assert tok.count(text, special=special, threads=threads) == len(expected[1])
    parts = [text, bp.Special("<|end|>"), "low"]
    assert tok.encode(parts, threads=2) == [*tok.encode(text), tok.special_tokens["<|end|>"], *tok.encode("low")]


@pytest.mark.parametrize("call", ["encode", "count", "encode_array"])
def test_threads_of_one_text_are_checked_and_errors_name_the_place(call: str) -> None:
    if call == "encode_array":
        pytest.importorskip("numpy")
    tok = bp.train(["low low"], num_merges=2, alphabet="chars")
    work: Any = getattr(tok, call)
    with pytest.raises(bp.ArgumentError, match="threads is 0; it must be at least 1"):
        work("low", threads=0)
    with pytest.raises(bp.ArgumentTypeError, match=r"threads is True \(bool\)"):
        work("low", threads=True)
    with pytest.raises(bp.ArgumentTypeError, match=r"threads is '2' \(str\)"):
        work("low", threads="2")
    text = "low " * 400_000
    for threads in (1, 4):
        with pytest.raises(bp.UnknownCharacterError, match='"é" at index 1200000 is not in the alphabet'):
            work(text[:1_200_000] + "é" + text + "ß", threads=threads)


@pytest.mark.parametrize("threads", [1, 4])
def test_an_unknown_character_of_a_long_document_has_its_place(threads: int) -> None:
    tok = bp.train(["low low"], num_merges=2, alphabet="chars")
    text = "low " * 400_000
    with pytest.raises(bp.UnknownCharacterError, match='"é" at index 1200000 of text 1 is not'):
        tok.encode_batch(["low", text[:1_200_000] + "é" + text + "ß", "ß"], threads)


# Canonical ids


@given(st.sampled_from(["cl100k", "gpt2", "none", "ranks"]), texts)
def test_what_encoding_gives_is_canonical(kind: str, text: str) -> None:
    tok = LOSSLESS[kind]
    ids = tok.encode(text)
    assert tok.is_canonical(ids)
    letters = [tok.token_id(bytes([byte])) for byte in text.encode()]
    assert tok.is_canonical(letters) == (letters == ids)


def test_specials_part_canonical_ids() -> None:
    tok = LOSSLESS["cl100k"]
    end = tok.special_tokens["<|end|>"]
    low = tok.encode("low")
    assert tok.is_canonical([])
    assert tok.is_canonical([end, *low, end, end, *low])
    assert not tok.is_canonical([*low, end, 108, 111])
    assert not tok.is_canonical(tok.encode(" ") + tok.encode("low"))
    assert tok.is_canonical(iter(low))
    with pytest.raises(bp.BadIdError, match="id 999 at position 1"):
        tok.is_canonical([97, 999])
    with pytest.raises(bp.ArgumentTypeError, match="ids is 'low'"):
        tok.is_canonical("low")  # type: ignore[arg-type]
