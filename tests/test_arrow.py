"""Texts in Arrow arrays, read where they lie: the same ids as a list of the same texts, and no Python str for any."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, policies, texts

import bytepair as bp

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")

TYPES = ["string", "large_string", "binary", "large_binary", "string_view", "binary_view"]
kinds = st.sampled_from(sorted(ALL))


def arrow_type(name: str) -> Any:
    return getattr(pa, name)()


@given(kinds, st.lists(texts, max_size=6), st.sampled_from(TYPES), policies, st.integers(0, 2), st.sampled_from([1, 2]))
def test_an_arrow_array_has_the_ids_of_the_list(
    kind: str, many: list[str], name: str, special: Any, left_out: int, threads: int
) -> None:
    tok = ALL[kind]
    array = pa.array(["x", *many, "y"][left_out:], arrow_type(name))
    given_texts = ["x", *many, "y"][left_out:]
    # A slice begins in the middle of its buffers.
    for arrow, expected in ((array, given_texts), (array[1:-1], given_texts[1:-1])):
        assert tok.encode_batch(arrow, threads, special=special) == tok.encode_batch(expected, special=special)
        assert tok.count_batch(arrow, threads, special=special) == tok.count_batch(expected, special=special)
        ids, starts = tok.encode_ragged(arrow, threads, special=special)
        same_ids, same_starts = tok.encode_ragged(expected, special=special)
        assert ids.tolist() == same_ids.tolist()
        assert starts.tolist() == same_starts.tolist()


def test_chunks_and_columns_are_read_one_after_the_other() -> None:
    tok = ALL["cl100k"]
    parts = [["low", "é"], [], ["", "lowest 漢字"], ["z"]]
    flat = [text for part in parts for text in part]
    expected = tok.encode_batch(flat)
    chunked = pa.chunked_array(parts)
    table = pa.table({"text": chunked})
    for column in (chunked, chunked.dictionary_encode(), table["text"], table.to_batches()[0].column(0)):
        assert tok.encode_batch(column) == expected[: len(column)]
    assert tok.encode_batch(pa.chunked_array([], pa.string())) == []
    assert tok.encode_batch(pa.array([], pa.string())) == []
    ids, starts = tok.encode_ragged(pa.chunked_array([], pa.large_string()))
    assert (len(ids), starts.tolist()) == (0, [0])


class OtherPackage:
    """An object that is no PyArrow array but hands one out, as those of other packages do."""

    def __init__(self, array: Any) -> None:
        self.array = array


class OneArray(OtherPackage):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        return self.array.__arrow_c_array__(requested_schema)


class Stream(OtherPackage):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return self.array.__arrow_c_stream__(requested_schema)


class NoStream:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return 3


def test_arrays_of_other_packages_are_read_through_the_interface_that_all_have() -> None:
    tok = ALL["cl100k"]
    many = ["low", "漢字", ""]
    for array in (OneArray(pa.array(many)), Stream(pa.chunked_array([many])), OneArray(pa.array(many, "string_view"))):
        assert tok.encode_batch(array) == tok.encode_batch(many)


@pytest.mark.parametrize("kind", ["cl100k", "chars"])
def test_dropout_and_errors_name_the_text_as_in_a_list(kind: str) -> None:
    tok = bp.train(["low low"], num_merges=2, alphabet="chars") if kind == "chars" else ALL[kind]
    many = ["low", "low low"]
    assert tok.encode_batch(pa.array(many), 2, dropout=0.5, seed=3) == tok.encode_batch(many, 1, dropout=0.5, seed=3)
    if kind == "chars":
        for threads in (1, 2):
            with pytest.raises(bp.UnknownCharacterError, match='"é" at index 1 of text 2 is not in the alphabet'):
                tok.encode_batch(pa.chunked_array([["low"], ["", "oé"]]), threads)
    else:
        with pytest.raises(bp.SpecialTokenError, match=r"texts\[1\] holds the special token '<s>' at character 2"):
            tok.encode_ragged(pa.array(["low", "éé<s>"]), special="raise")
        with pytest.raises(bp.SpecialTokenError, match=r"texts\[0\] holds the special token '<s>' at byte 4"):
            tok.encode_ragged(pa.array(["éé<s>".encode()]), special="raise")


WRONG: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: pa.array(["a", None, "b", None]),
        r"texts\[1\] is null, one of 2; each must be a text: array.drop_null\(\)",
    ),
    (lambda: pa.chunked_array([["a"], ["b", None]]), r"texts\[2\] is null, one of 1"),
    (lambda: pa.array(["a", None]).dictionary_encode(), r"texts\[1\] is null"),
    (lambda: pa.array([None, None]), r"texts is an Arrow array of null \(NullArray\); it must be one of strings"),
    (lambda: pa.array([1, 2]), r"texts is an Arrow array of int64 \(Int64Array\); it must be one of strings or binary"),
    (lambda: pa.array([["a"]]), r"texts is an Arrow array of list<.*string>"),
    (
        lambda: pa.table({"text": ["a"]}),
        r'texts is an Arrow array of struct<text: string> \(Table\); .* table\["text"\]',
    ),
    (lambda: NoStream(), r"texts is a NoStream that pyarrow cannot read as an array: "),
]


@pytest.mark.parametrize(("make", "message"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_array_of_texts_is_refused_by_its_type_and_place(make: Callable[[], Any], message: str) -> None:
    tok = ALL["cl100k"]
    for call in (tok.encode_batch, tok.encode_ragged, tok.count_batch):
        with pytest.raises(bp.ArgumentTypeError, match=message):
            call(make())


@pytest.mark.parametrize("offsets", [[0, 5, 3], [0, 100, 6], [0, -1, 6]])
def test_offsets_that_leave_the_data_are_refused(offsets: list[int]) -> None:
    buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(b"abcdef")]
    array = pa.Array.from_buffers(pa.string(), 2, buffers)
    with pytest.raises(bp.ArgumentError, match=r"offsets leave its data; array.validate\(\) says where"):
        ALL["cl100k"].encode_batch(array)


def test_memory_that_may_be_written_to_is_copied_first() -> None:
    data = bytearray(b"lowest")
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(np.array([0, 6], np.int32)), pa.py_buffer(data)])
    assert ALL["cl100k"].encode_batch(array) == ALL["cl100k"].encode_batch(["lowest"])


def test_no_text_becomes_a_python_object() -> None:
    tok = ALL["cl100k"]
    array = pa.array([f"text {number}" for number in range(20_000)])
    tok.encode_ragged(array)
    gc.collect()
    before = sys.getallocatedblocks()
    ids, starts = tok.encode_ragged(array)
    assert sys.getallocatedblocks() - before < 100
    assert len(starts) == 20_001
    assert tok.decode(ids[starts[-2] :]) == "text 19999"


def test_without_pyarrow_one_sentence_says_what_to_install() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import bytepair as bp
class Column:
    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError
try:
    bp.train(["low"], num_merges=1).encode_batch(Column())
except bp.MissingPackageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    expected = "texts in an Arrow array need PyArrow: pip install 'bytepair[arrow]'; a list of str needs nothing\n"
    assert done.stdout == expected
