"""Arrays of ids, ragged batches, and the spans of tokens."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, LOSSLESS, policies, surrogate_texts, texts

import bytepair as bp

np = pytest.importorskip("numpy")

kinds = st.sampled_from(sorted(ALL))


@given(kinds, texts | surrogate_texts, policies)
def test_an_array_holds_what_the_list_holds(kind: str, text: str, special: Any) -> None:
    tok = ALL[kind]
    ids = tok.encode_array(text, special=special)
    assert ids.dtype == np.uint32
    assert ids.tolist() == tok.encode(text, special=special)
    smallest = tok.encode_array(text, special=special, dtype="smallest")
    assert smallest.dtype == (np.uint16 if tok.model.n_ids > 256 else np.uint8)
    assert smallest.tolist() == ids.tolist()


@given(kinds, st.lists(texts | surrogate_texts, max_size=6), policies)
def test_a_ragged_batch_holds_what_the_lists_hold(kind: str, many: list[str], special: Any) -> None:
    tok = ALL[kind]
    ids, starts = tok.encode_ragged(iter(many), threads=2, special=special, dtype=np.uint16)
    assert (ids.dtype, starts.dtype, starts.shape) == (np.uint16, np.int64, (len(many) + 1,))
    assert starts[0] == 0
    assert starts[-1] == len(ids)
    of_each = [ids[start:end].tolist() for start, end in itertools.pairwise(starts)]
    assert of_each == tok.encode_batch(many, special=special)


@given(kinds, st.lists(texts | surrogate_texts, max_size=6), policies)
def test_a_batch_is_counted_as_each_is(kind: str, many: list[str], special: Any) -> None:
    tok = ALL[kind]
    counts = [len(tok.encode(text, special=special)) for text in many]
    assert tok.count_batch(many, special=special) == counts == [tok.count(text, special=special) for text in many]
    assert tok.count_batch(iter(many), 2, special=special) == counts


def test_arrays_may_be_written_to() -> None:
    tok = ALL["cl100k"]
    ids, starts = tok.encode_ragged(["low", "lower"])
    for array in (tok.encode_array("low"), ids, starts, *tok.encode_spans("low")):
        array[:] = 7
        assert (array == 7).all()


def test_the_type_of_ids() -> None:
    tok = ALL["cl100k"]
    for dtype in ("uint16", np.uint16, np.dtype("uint16")):
        assert tok.encode_array("low", dtype=dtype).dtype == np.uint16
    assert bp.train([""], num_merges=0).encode_array("low", dtype="smallest").dtype == np.uint8
    large = bp.Tokenizer(bp.Model("merges", "bytes", tok.model.tokens[:256], (), {"<end>": 70_000}, tok.model.pattern))
    assert large.encode_array("<end>", special="all", dtype="smallest").tolist() == [70_000]
    assert large.encode_array("a", dtype="smallest").dtype == np.uint32


WRONG: list[tuple[Any, type[bp.BytepairError], str]] = [
    (
        "uint8",
        bp.ArgumentError,
        r"dtype is 'uint8', which holds ids up to 255; the largest id is 298; dtype='smallest'",
    ),
    ("int32", bp.ArgumentError, "dtype is 'int32'; it must be one of 'uint32', 'uint16', 'uint8', 'smallest'"),
    (np.float64, bp.ArgumentError, "dtype is 'float64'; it must be one of"),
    (3, bp.ArgumentTypeError, r"dtype is 3 \(int\); it must be 'uint32'"),
    (None, bp.ArgumentTypeError, r"dtype is None \(NoneType\)"),
]


@pytest.mark.parametrize(("dtype", "error", "message"), WRONG, ids=[str(case[0]) for case in WRONG])
def test_a_wrong_type_of_ids_is_named(dtype: Any, error: type[bp.BytepairError], message: str) -> None:
    tok = ALL["cl100k"]
    assert tok.model.n_ids == 299
    for call in (lambda: tok.encode_array("a", dtype=dtype), lambda: tok.encode_ragged(["a"], dtype=dtype)):
        with pytest.raises(error, match=message):
            call()


def test_a_batch_that_is_one_text_is_refused_by_the_name_of_the_call() -> None:
    with pytest.raises(bp.ArgumentTypeError, match="texts is one str; encode_ragged takes a list"):
        ALL["cl100k"].encode_ragged("low")
    with pytest.raises(bp.ArgumentTypeError, match="texts is one str; count_batch takes a list"):
        ALL["cl100k"].count_batch("low")


def test_without_numpy_one_sentence_says_what_to_install() -> None:
    program = """
import sys
sys.modules["numpy"] = None
import bytepair as bp
tok = bp.train(["low"], num_merges=1)
for call in (tok.encode_array, tok.encode_spans, lambda text: tok.encode_ragged([text])):
    try:
        call("low")
    except bp.MissingPackageError as error:
        print(error)
print(tok.encode("low"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    sentence = "arrays need NumPy: pip install 'bytepair[numpy]'; encode and encode_batch give lists without it\n"
    assert done.stdout == 3 * sentence + "[256, 119]\n"


# Spans


@given(st.sampled_from(sorted(LOSSLESS)), texts, policies)
def test_spans_of_bytes_are_the_tokens(kind: str, text: str, special: Any) -> None:
    tok = LOSSLESS[kind]
    for given_text in (text, text.encode()):
        ids, spans = tok.encode_spans(given_text, "byte", special=special)
        assert ids.tolist() == tok.encode(text, special=special)
        data = text.encode()
        assert [data[start:end] for start, end in spans] == tok.tokens(text, special=special)
        assert spans.dtype == np.int64
        assert spans.shape == (len(ids), 2)


def slow_spans(spans: Any, text: str, n_units: Any) -> list[tuple[int, int]]:
    """Spans of bytes in other units: every character that has a byte in the token."""
    of_byte = [index for index, character in enumerate(text) for _ in character.encode()] + [len(text)]
    before = [sum(map(n_units, text[:index])) for index in range(len(text) + 1)]
    return [
        (before[of_byte[start]], before[of_byte[end - 1] + 1] if end > start else before[of_byte[start]])
        for start, end in spans
    ]


@given(kinds, texts, policies)
def test_spans_of_characters_cover_them_whole(kind: str, text: str, special: Any) -> None:
    tok = ALL[kind]
    in_bytes = tok.encode_spans(text, "byte", special=special)[1]
    in_characters = tok.encode_spans(text, special=special)[1]
    assert list(map(tuple, in_characters)) == slow_spans(in_bytes, text, lambda _: 1)
    in_utf16 = tok.encode_spans(text, "utf16", special=special)[1]
    assert list(map(tuple, in_utf16)) == slow_spans(in_bytes, text, lambda each: len(each.encode("utf-16-le")) // 2)


@given(kinds, surrogate_texts)
def test_spans_count_surrogates_as_the_text_that_was_given_does(kind: str, text: str) -> None:
    tok = ALL[kind]
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    starts, at = [], 0
    for character in whole:
        starts.append(at)
        at += 1 if text[at] == character or character == "\ufffd" else 2
    starts.append(at)
    assert at == len(text)
    expected = [[starts[start], starts[end]] for start, end in tok.encode_spans(whole)[1]]
    assert tok.encode_spans(text)[1].tolist() == expected
    assert tok.encode_spans(text, "utf16")[1].tolist() == tok.encode_spans(whole, "utf16")[1].tolist()


def test_what_the_text_does_not_hold_has_no_width() -> None:
    tok = ALL["prefix space"]
    ids, spans = tok.encode_spans("zé<s>é", special="all")
    assert tok.decode(ids) == " zé<s> é"
    assert [tok.token_bytes(each) for each in ids] == [b" ", b"z", b"\xc3", b"\xa9", b"<s>", b" \xc3\xa9"]
    assert spans.tolist() == [[0, 0], [0, 1], [1, 2], [1, 2], [2, 5], [5, 6]]
    words = ALL["words"]
    ids, spans = words.encode_spans("z  low")
    assert words.tokens("z  low") == [b"z", b"</w>", b"low</w>"]
    assert spans.tolist() == [[0, 1], [1, 1], [3, 6]]
    _, spans = ALL["suffix"].encode_spans("ö low ß")
    assert spans.tolist()[0] == [0, 1]
    assert spans.tolist()[-1] == [6, 7]


@given(texts)
def test_spans_where_text_is_dropped_or_marked(text: str) -> None:
    for kind in ("words", "suffix", "chars"):
        tok = ALL[kind]
        ids, spans = tok.encode_spans(text)
        for number, (start, end) in zip(ids.tolist(), spans.tolist(), strict=True):
            spelled = tok.token_bytes(number)
            part = text[start:end]
            if number in tok.special_tokens.values():
                assert len(part) == 1  # an unknown character
            elif tok.model.alphabet == "chars":
                assert part.encode() in (spelled, spelled.removesuffix(b"</w>"))
            else:
                assert spelled.removesuffix(b"</w>") in part.encode()
        flat = [place for span in spans.tolist() for place in span]
        assert tok.model.alphabet == "bytes" or flat == sorted(flat)


def test_bytes_that_are_not_utf8_count_as_one_character_each() -> None:
    tok = bp.train([""], num_merges=0)
    _, spans = tok.encode_spans(b"a\xc3\xa9\xe6\xbcb")
    assert spans.tolist() == [[0, 1], [1, 2], [1, 2], [2, 3], [3, 4], [4, 5]]


def test_an_unknown_unit_is_named() -> None:
    with pytest.raises(bp.ArgumentError, match="unit is 'chars'; it must be one of 'char', 'byte', 'utf16'"):
        ALL["cl100k"].encode_spans("a", "chars")  # type: ignore[arg-type]
