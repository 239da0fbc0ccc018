"""Tallies: merged, weighted, labelled, saved and loaded; the same content is the same file, and bad files are named."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import random
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair.cli import cli

TEXTS = ["low low lower", "newest widest<|x|> low", "日本 low\n\nlow", ""]
LARGEST = 2**63 - 1


@pytest.fixture
def pq() -> Any:
    """pyarrow.parquet; without it the test is skipped."""
    return pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def counted(counts: Any, pattern: str = "whitespace", **options: Any) -> bp.Tally:
    return bp.Tally.from_counts(counts, pattern=pattern, **options)


def saved(tally: bp.Tally, name: str = "saved.parquet") -> bytes:
    tally.save(name)
    return Path(name).read_bytes()


# Merging


def test_two_tallies_add_up() -> None:
    one, other = (bp.tally([text], pattern="gpt2") for text in TEXTS[:2])
    both = one + other
    assert both == bp.tally(TEXTS[:2], pattern="gpt2") == other + one
    assert (both.documents, both.n_bytes) == (2, 35)
    assert both.fingerprint == bp.tally(TEXTS[:2], pattern="gpt2").fingerprint
    assert len(both) == both.n_pieces == len(both.items())
    assert one.items() == bp.tally(TEXTS[:1], pattern="gpt2").items()


def test_a_list_of_tallies_has_a_sum() -> None:
    assert sum(bp.tally([text], pattern="gpt2") for text in TEXTS) == bp.tally(TEXTS, pattern="gpt2")


@pytest.mark.parametrize("other", [3, None, {"low": 1}, "low"])
def test_only_tallies_add_up(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        counted({"low": 1}) + other
    with pytest.raises(TypeError):
        other + counted({"low": 1})


def test_merging_loses_the_order_of_first_appearance() -> None:
    both = bp.tally(["b a"], pattern="whitespace") + bp.tally(["c"], pattern="whitespace")
    assert not both.ordered
    assert not (counted({"ab": 1}) + counted({"cd": 1})).ordered
    with pytest.raises(bp.ArgumentError, match='ties="first-seen" needs the order'):
        bp.train(both, num_merges=1, ties="first-seen")


def test_different_patterns_do_not_merge() -> None:
    with pytest.raises(bp.ArgumentError, match=r"cut by different patterns, 'gpt2' and '\[ab\]\+', so their pieces"):
        counted({"a": 1}, "gpt2") + counted({"a": 1}, "[ab]+")


def test_different_special_tokens_do_not_merge() -> None:
    one = bp.tally(TEXTS, pattern="gpt2", special_tokens=["<|x|>"])
    other = bp.tally(TEXTS, pattern="gpt2", special_tokens=["<|y|>", "<|x|>"])
    with pytest.raises(
        bp.ArgumentError, match=r"cut at different special tokens, \['<\|x\|>'\] and \['<\|x\|>', '<\|y\|>'\]"
    ):
        one + other
    assert (one + bp.tally(TEXTS, pattern="gpt2", special_tokens=["<|x|>"])).borders == {"<|x|>"}


def test_different_prefix_spaces_do_not_merge() -> None:
    with pytest.raises(bp.ArgumentError, match="add_prefix_space=True and the other with False"):
        bp.tally(["a"], pattern="gpt2", add_prefix_space=True) + bp.tally(["a"], pattern="gpt2")


def test_counted_pieces_go_with_text_however_it_was_cut() -> None:
    text = bp.tally(["low"], pattern="gpt2", special_tokens=["<|x|>"], special="raise", add_prefix_space=True)
    for both in (text + counted({"low": 1}, "gpt2"), counted({"low": 1}, "gpt2") + text):
        assert (both.borders, both.add_prefix_space, both.documents) == ({"<|x|>"}, True, None)
        options: dict[str, Any] = {"special_tokens": ["<|x|>"], "add_prefix_space": True}
        assert bp.train(both, num_merges=1, special="raise", **options).merges == [(b"l", b"o")]


def test_special_raise_holds_for_a_merged_tally_only_if_it_held_for_both() -> None:
    options: dict[str, Any] = {"pattern": "gpt2", "special_tokens": ["<|x|>"]}
    strict, loose = bp.tally(["ab"], special="raise", **options), bp.tally(["ab"], special="all", **options)
    bp.train(strict + strict, num_merges=1, special_tokens=["<|x|>"], special="raise")
    for both in (strict + loose, loose + strict):
        with pytest.raises(bp.SpecialTokenError, match='make it with special="raise"'):
            bp.train(both, num_merges=1, special_tokens=["<|x|>"], special="raise")


def test_no_shard_is_counted_twice() -> None:
    one = bp.tally(["low"], pattern="gpt2", shard="a") + bp.tally(["new"], pattern="gpt2", shard="b")
    assert one.shards == {"a", "b"}
    with pytest.raises(bp.ArgumentError, match="both tallies hold the shard 'b', which would be counted twice"):
        one + bp.tally(["low"], pattern="gpt2", shard="b")
    with pytest.raises(bp.ArgumentError, match=r"the shard 'a' \(and 1 more\)"):
        one.weighted(2) + one
    unnamed = bp.tally(["low"], pattern="gpt2")
    assert (unnamed + unnamed + one).shards == {"a", "b"}


def test_a_sum_past_63_bits_is_an_error() -> None:
    with pytest.raises(bp.CountOverflowError, match=r'the count of "low" passes 2\^63 - 1'):
        counted({"low": LARGEST}) + counted({"low": 1})
    by_source = counted({"low": LARGEST}, source="web") + counted({"low": 1}, source="code")
    for use in (lambda: by_source.items(), lambda: bp.train(by_source, num_merges=1), lambda: by_source.weighted(1)):
        with pytest.raises(bp.CountOverflowError, match=r"2\^63 - 1"):
            use()


# Sources and weights


def mixed() -> bp.Tally:
    return counted({"low": 5, "lower": 1}, source="web") + counted({"low": 2, "new": 4}, source="code")


def test_counts_are_kept_by_source_until_they_are_used() -> None:
    tally = mixed()
    assert tally.sources == {"web", "code"}
    assert sorted(tally.items()) == [(b"low", 7), (b"lower", 1), (b"new", 4)]
    assert tally.fingerprint == counted({"low": 7, "lower": 1, "new": 4}).fingerprint
    assert bp.train(tally, num_merges=2).merges == bp.train(counted(dict(tally.items())), num_merges=2).merges
    assert bp.tally(["low"], pattern="whitespace", source="web").sources == {"web"}
    assert counted({"low": 1}).sources == frozenset()


def test_weights_multiply_by_source() -> None:
    tally = mixed().weighted({"web": 0.5, "code": 3})
    assert sorted(tally.items()) == [(b"low", 9), (b"lower", 1), (b"new", 12)]
    assert (tally.sources, tally.documents, tally.n_bytes) == (frozenset(), None, 9 * 3 + 5 + 12 * 3)
    assert sorted(mixed().weighted(2).items()) == [(b"low", 14), (b"lower", 2), (b"new", 8)]
    assert sorted(mixed().weighted({"web": 0, "code": 1}).items()) == [(b"low", 2), (b"new", 4)]


@pytest.mark.parametrize(
    ("count", "weight", "expected"),
    [
        (5, 0.5, 3),
        (4, 0.5, 2),
        (3, Fraction(1, 6), 1),
        (1, 0.001, 1),
        (10**18 + 1, 1, 10**18 + 1),
        (LARGEST - 1, 0.5, 2**62 - 1),
        (5, 0.7, 4),
        (5, Decimal("0.7"), 4),
        (15, 0.1, 2),
        (14, 0.1, 1),
        (3, Fraction(1, 2) - Fraction(1, 10**30), 1),
    ],
)
def test_a_weighted_count_is_exact_and_rounded_half_up(count: int, weight: Any, expected: int) -> None:
    assert counted({"a": count}).weighted(weight).items() == [(b"a", expected)]


@given(st.integers(1, LARGEST), st.fractions(0, 1))
def test_a_weighted_count_is_the_nearest_whole_number(count: int, weight: Fraction) -> None:
    found = dict(counted({"a": count}).weighted(weight).items()).get(b"a", 0)
    if weight * count >= Fraction(1, 2):
        assert found - Fraction(1, 2) <= weight * count < found + Fraction(1, 2)
    else:
        assert found == (weight > 0)


def test_weights_keep_the_order_and_the_shards_of_one_tally() -> None:
    tally = bp.tally(["b a b"], pattern="whitespace", source="web", shard="1").weighted({"web": 2})
    assert tally.items() == [(b"b", 4), (b"a", 2)]
    assert (tally.ordered, tally.shards, tally.borders) == (True, {"1"}, frozenset())
    assert not mixed().weighted(2).ordered


WRONG_WEIGHTS: list[tuple[Any, type[bp.BytepairError], str]] = [
    (-1, bp.ArgumentError, "the weight is -1; it must be 0 or more"),
    (float("nan"), bp.ArgumentError, "the weight is nan; it must be a finite number"),
    (float("inf"), bp.ArgumentError, "the weight is inf; it must be a finite number"),
    (Decimal("nan"), bp.ArgumentError, r"the weight is Decimal\('NaN'\); it must be a finite number"),
    ("2", bp.ArgumentTypeError, r"the weight is '2' \(str\); it must be a number"),
    (None, bp.ArgumentTypeError, r"the weight is None \(NoneType\)"),
    (True, bp.ArgumentTypeError, r"the weight is True \(bool\)"),
    ({"web": -0.5, "code": 1}, bp.ArgumentError, r"the weight of 'web' is -0\.5; it must be 0 or more"),
    ({"web": float("-inf"), "code": 1}, bp.ArgumentError, "the weight of 'web' is -inf; it must be a finite"),
    ({"web": "1", "code": 1}, bp.ArgumentTypeError, r"the weight of 'web' is '1' \(str\)"),
    ({"web": 1}, bp.ArgumentError, "weights has none for the source 'code'; give one for each"),
    ({"wbe": 1}, bp.ArgumentError, r"names the source 'wbe', which is not there; the sources are \['code', 'web'\]"),
    ({3: 1}, bp.ArgumentError, "names the source 3, which is not there"),
]


@pytest.mark.parametrize(("weights", "error", "message"), WRONG_WEIGHTS, ids=[each[2] for each in WRONG_WEIGHTS])
def test_weights_are_checked(weights: Any, error: type[bp.BytepairError], message: str) -> None:
    with pytest.raises(error, match=message):
        mixed().weighted(weights)


def test_weights_by_source_need_sources() -> None:
    with pytest.raises(bp.ArgumentError, match="'web', which is not there; no counts have a source: label them"):
        counted({"a": 1}).weighted({"web": 1})
    with pytest.raises(bp.ArgumentError, match="some counts have no source"):
        (mixed() + counted({"a": 1})).weighted({"web": 1, "code": 1})
    # Nothing without a label is nothing that needs one.
    assert (mixed() + bp.tally([], pattern="whitespace")).weighted({"web": 1, "code": 1}).n_pieces == 3


def test_a_weight_that_overflows_names_the_piece() -> None:
    with pytest.raises(
        bp.CountOverflowError, match=r"the count of b'b', 4611686018427387904, times the weight 2 passes"
    ):
        counted({"a": 1, "b": 2**62}).weighted(2)
    both = counted({"a": 2**61}, source="web") + counted({"a": 2**61}, source="code")
    with pytest.raises(bp.CountOverflowError, match=r"2\^63 - 1"):
        both.weighted(2)


def test_labels_are_checked() -> None:
    for name in ("source", "shard"):
        for value, error in ((3, bp.ArgumentTypeError), ("", bp.ArgumentError), ("\ud800", bp.SurrogateError)):
            with pytest.raises(error, match=name):
                counted({"a": 1}, **{name: value})


# What a tally is


def test_tallies_compare_by_content() -> None:
    one = counted({"a": 1, "b": 2})
    assert one == counted([("b", 2), ("a", 1)])
    assert hash(one) == hash(counted([("b", 2), ("a", 1)]))
    assert len({one, counted({"b": 2, "a": 1})}) == 1
    others = [
        counted({"a": 1, "b": 3}),
        counted({"a": 1}),
        counted({"a": 1, "b": 2}, "gpt2"),
        counted({"a": 1, "b": 2}, source="web"),
        counted({"a": 1, "b": 2}, shard="1"),
        bp.tally(["a b b"], pattern="whitespace"),
        {"a": 1, "b": 2},
    ]
    assert all(one != other for other in others)
    web, code = ({"source": name} for name in ("web", "code"))
    assert counted({"a": 1}, **web) + counted({"b": 1}, **code) != counted({"b": 1}, **web) + counted({"a": 1}, **code)


def test_a_tally_shows_its_labels() -> None:
    tally = bp.tally(["low low"], pattern="whitespace", source="web", shard="7")
    assert repr(tally) == "Tally(1 piece, 7 bytes, pattern='whitespace', sources=['web'], shards=['7'])"


def test_a_tally_pickles_and_copies() -> None:
    tally = mixed() + bp.tally(["a b"], pattern="whitespace", special_tokens=["<|x|>"], shard="1")
    ordered = bp.tally(["b a"], pattern="whitespace")
    for again in (lambda each: pickle.loads(pickle.dumps(each)), copy.copy, copy.deepcopy):
        assert again(tally) == tally
        assert again(ordered).items() == ordered.items()
        assert (again(tally).ordered, again(ordered).ordered) == (False, True)


# Saving and loading


def test_a_saved_tally_loads_as_it_was(pq: Any) -> None:
    options: dict[str, Any] = {"pattern": "[a-z]+", "special_tokens": ["<|x|>"], "add_prefix_space": True}
    first, second, third = (
        bp.tally([text], source=source, shard=text, special=special, **options)
        for text, source, special in zip(TEXTS, ["web", "code", None], ["raise", "all", "all"], strict=False)
    )
    for tally in (first, first + second, first + second + third, third, counted({}), counted({"a\0\n": LARGEST})):
        tally.save("t.parquet")
        again = bp.load_tally("t.parquet")
        assert again == tally
        assert not again.ordered
        for name in ("pattern", "documents", "n_bytes", "borders", "add_prefix_space", "sources", "shards", "_refused"):
            assert getattr(again, name) == getattr(tally, name), name
        assert sorted(again.items()) == sorted(tally.items())
        assert saved(again) == saved(tally)


def test_a_loaded_tally_trains_as_its_corpus(pq: Any) -> None:
    bp.tally(TEXTS, pattern="gpt2", special_tokens=["<|x|>"]).save(Path("t.parquet"))
    tok = bp.train(bp.load_tally("t.parquet"), num_merges=8, special_tokens=["<|x|>"])
    assert tok == bp.train(TEXTS, num_merges=8, pattern="gpt2", special_tokens=["<|x|>"])
    with pytest.raises(bp.ArgumentError, match='ties="first-seen" needs the order'):
        bp.train(bp.load_tally("t.parquet"), num_merges=1, special_tokens=["<|x|>"], ties="first-seen")


def test_what_stands_in_the_file(pq: Any) -> None:
    tally = counted({"b": 1, "ab": 2, b"\xff": 3}, source="web", shard="2") + counted(
        {"b": 4}, source="code", shard="1"
    )
    tally.save("t.parquet")
    table = pq.read_table("t.parquet")
    assert [(field.name, str(field.type)) for field in table.schema] == [
        ("piece", "binary"),
        ("count", "int64"),
        ("source", "string"),
    ]
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (b"ab", 2, "web"),
        (b"b", 4, "code"),
        (b"b", 1, "web"),
        (b"\xff", 3, "web"),
    ]
    about = json.loads(pq.ParquetFile("t.parquet").metadata.metadata[b"bytepair"])
    assert about == {
        "format": 1,
        "pattern": {
            "name": "whitespace",
            "definition": r"[^\s\x1c-\x1f]+",
            "fingerprint": about["pattern"]["fingerprint"],
        },
        "documents": None,
        "bytes": 12,
        "borders": None,
        "borders_refused": False,
        "add_prefix_space": None,
        "shards": ["1", "2"],
        "samples": [],
        "bytes_in_all": None,
        "sources": ["code", "web"],
    }
    counted({"b": 1}).save("plain.parquet")
    assert pq.read_table("plain.parquet").schema.names == ["piece", "count"]


DOCUMENTS = st.lists(st.text("ab é\n", max_size=12), max_size=8)
NAMED = ["gpt2", "cl100k", "whitespace"]
# As much of a file as is read at once by one thread.
WINDOW = 4 << 20
# Every code point that is text, without those that are not assigned; and what patterns look at, so often that it meets.
CODES = [code for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
UNICODE = st.lists(
    st.sampled_from([*"aB1é漢 \n\r\t'’_.\u0301\u00a0\u2028\u3000\x85\0", "'ll", "  ", "\r\n", "123"])
    | st.sampled_from(CODES).map(chr),
    max_size=60,
).map("".join)


@settings(max_examples=50)
@given(DOCUMENTS, st.sampled_from(["gpt2", "cl100k", "whitespace", "none", "[ab]+"]), st.integers(0, 2**32))
def test_any_sharding_merged_in_any_order_is_the_same_file(documents: list[str], pattern: str, seed: int) -> None:
    pytest.importorskip("pyarrow")
    rng = random.Random(seed)
    shards: list[list[str]] = [[] for _ in range(rng.randint(1, 4))]
    for document in documents:
        rng.choice(shards).append(document)
    tallies = [bp.tally(shard, pattern=pattern, threads=rng.choice([1, 4])) for shard in shards]
    while len(tallies) > 1:
        rng.shuffle(tallies)
        tallies.append(tallies.pop() + tallies.pop())
    assert saved(tallies[0]) == saved(bp.tally(documents, pattern=pattern))
    assert saved(bp.load_tally("saved.parquet")) == saved(tallies[0])


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(["web", "code", None]), st.binary(min_size=1, max_size=3)), max_size=12))
def test_labels_and_shards_merged_in_any_order_are_the_same_file(rows: list[tuple[str | None, bytes]]) -> None:
    pytest.importorskip("pyarrow")
    tallies = [counted({piece: 1}, source=source, shard=str(at)) for at, (source, piece) in enumerate(rows)]
    empty = counted({})
    assert saved(sum(tallies, empty)) == saved(sum(tallies[::-1], empty))
    assert bp.load_tally("saved.parquet") == sum(tallies, empty)


ORDER_BLIND: list[dict[str, Any]] = [
    {"ties": "lexicographic"},
    {"ties": "largest"},
    {"ties": "lowest-id", "byte_order": "gpt2"},
    {"ties": "shortest", "alphabet": "chars"},
]


@settings(max_examples=50)
@given(DOCUMENTS, st.sampled_from(["gpt2", "cl100k", "none"]), st.sampled_from(ORDER_BLIND), st.integers(0, 2**32))
def test_any_sharding_and_any_number_of_threads_give_the_same_tokenizer_file(
    documents: list[str], pattern: str, rule: dict[str, Any], seed: int
) -> None:
    rng = random.Random(seed)
    shards: list[list[str]] = [[] for _ in range(rng.randint(1, 4))]
    for document in documents:
        rng.choice(shards).append(document)
    tallies = [bp.tally(shard, pattern=pattern, threads=rng.choice([1, 4])) for shard in shards]
    rng.shuffle(tallies)
    bp.train(sum(tallies), num_merges=12, **rule).save("sharded.json")
    for threads in (1, 2, 5):
        bp.train(documents, num_merges=12, pattern=pattern, threads=threads, **rule).save("whole.json")
        assert Path("whole.json").read_bytes() == Path("sharded.json").read_bytes()


@settings(max_examples=200)
@given(UNICODE, st.sampled_from(NAMED), st.sampled_from(["file", "line"]))
def test_a_file_cut_in_many_parts_has_the_pieces_of_one_text(text: str, pattern: str, document: Any) -> None:
    """With n threads a file is cut into at least 4 n parts, however small it is."""
    Path("text.txt").write_bytes(text.encode())
    documents = [text] if document == "file" else re.findall(r"[^\n]*\n|[^\n]+", text)
    expected = bp.tally(documents, pattern=pattern, threads=1).items()
    for threads in (1, 2, 7):
        assert bp.tally("text.txt", pattern=pattern, document=document, threads=threads).items() == expected


@pytest.mark.parametrize("pattern", NAMED)
def test_random_unicode_of_many_windows_has_the_pieces_of_one_text(pattern: str) -> None:
    rng = random.Random(11)
    runs = [
        chr(rng.choice(CODES)) * rng.randint(1, 4) + rng.choice(["", " ", "\n", "'s", "1", "x"]) for _ in range(900)
    ]
    text = "".join(rng.choices(runs, k=1_800_000))
    Path("text.txt").write_bytes(text.encode())
    assert Path("text.txt").stat().st_size > 2 * WINDOW
    expected = bp.tally([text], pattern=pattern, threads=1).items()
    for threads in (1, 2):
        assert bp.tally("text.txt", pattern=pattern, threads=threads).items() == expected


def test_any_number_of_threads_gives_the_same_file(pq: Any) -> None:
    rng = random.Random(5)
    documents = ["".join(rng.choices("abcde  é\n", k=rng.randint(0, 400))) for _ in range(2000)]
    Path("all.txt").write_text("".join(documents), newline="")
    for corpus in (documents, "all.txt"):
        files = {saved(bp.tally(corpus, pattern="cl100k", threads=threads)) for threads in (1, 2, 4)}
        assert len(files) == 1


def test_many_rows_are_sorted_by_piece_then_source(pq: Any) -> None:
    words = [str(number) for number in range(300_000)]
    web, code = ({"pattern": "whitespace", "source": name} for name in ("web", "code"))
    tally = bp.tally([" ".join(words)], **web) + bp.tally([" ".join(words[:50_000])], **code)
    tally += bp.tally(["7 8"], pattern="whitespace")
    data = saved(tally)
    table = pq.read_table("saved.parquet")
    rows = [(row["piece"], row["source"] or "") for row in table.select(["piece", "source"]).to_pylist()]
    assert len(rows) == 350_002
    assert rows == sorted(rows)
    assert bp.load_tally("saved.parquet") == tally
    random.Random(7).shuffle(words)
    again = bp.tally(["7 8"], pattern="whitespace") + bp.tally([" ".join(words)], **web)
    again += bp.tally([" ".join(word for word in words if int(word) < 50_000)], **code)
    assert saved(again) == data


def test_a_file_is_written_whole_or_not_at_all(pq: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved(counted({"a": 1}), "t.parquet")

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", stop)
    with pytest.raises(KeyboardInterrupt):
        counted({"b": 1}).save("t.parquet")
    assert Path("t.parquet").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["t.parquet"]


def test_where_no_file_can_be_written(folder: Path, pq: Any) -> None:
    tally = counted({"a": 1})
    with pytest.raises(bp.UnreadableFileError, match="cannot be written: it is a folder; name a file in it"):
        tally.save(folder)
    with pytest.raises(bp.MissingFileError, match="cannot be written: there is no folder 'nowhere'; make it first"):
        tally.save("nowhere/t.parquet")
    with pytest.raises(bp.ArgumentTypeError, match=r"path is 3 \(int\); it must be a str or a path"):
        tally.save(3)  # type: ignore[arg-type]


def test_without_pyarrow_the_extra_is_named() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import bytepair as bp
tally = bp.Tally.from_counts({"a": 1}, pattern="none")
open("t.parquet", "wb").write(b"PAR1")
for use in (lambda: tally.save("new.parquet"), lambda: bp.load_tally("t.parquet")):
    try:
        use()
    except bp.MissingPackageError as error:
        assert isinstance(error, ImportError) and error.name == "pyarrow"
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.count("install it: pip install 'bytepair[parquet]'") == 2
    assert not Path("new.parquet").exists()


# Files of others


def test_parquet_of_others_needs_a_pattern(pq: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    for types in ((pa.string(), pa.uint8()), (pa.large_binary(), pa.int32()), (pa.large_string(), pa.uint64())):
        columns = {"rank": pa.array([0, 1, 2]), "count": pa.array([2, 3, 4], types[1])}
        pq.write_table(pa.table(columns | {"piece": pa.array(["é", "a", "é"], types[0])}), "t.parquet")
        with pytest.raises(bp.ArgumentError, match=r"'t\.parquet' does not say what cut its pieces .*: pattern=\.\.\."):
            bp.load_tally("t.parquet")
        tally = bp.load_tally("t.parquet", pattern="gpt2", source="web", shard="1")
        assert tally == counted({"é": 6, "a": 3}, "gpt2", source="web", shard="1")
        assert not tally.ordered


def test_sources_of_others_are_taken(pq: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = {"piece": [b"a", b"a", b"", b"b"], "count": [1, 2, 3, 0], "source": ["web", None, None, "code"]}
    pq.write_table(pa.table(columns), "t.parquet")
    tally = bp.load_tally("t.parquet", pattern="gpt2")
    assert tally.items() == [(b"a", 3)]
    assert tally.sources == {"web", "code"}
    with pytest.raises(
        bp.ArgumentError, match=r"source is 'x', and the counts have sources already, \['code', 'web'\]"
    ):
        bp.load_tally("t.parquet", pattern="gpt2", source="x")


def test_a_shard_of_a_file_that_has_shards_is_refused(pq: Any) -> None:
    counted({"a": 1}, shard="1").save("t.parquet")
    with pytest.raises(bp.ArgumentError, match=r"shard is '2', and the tally holds shards already, \['1'\]"):
        bp.load_tally("t.parquet", shard="2")


def test_lines_of_counted_pieces() -> None:
    lines = rb"""low	5
\t\n\r\\\x00\xfF	2
	7
low	0003
gone	0
"""
    Path("t.tsv").write_bytes(lines + "日本\t1".encode())
    tally = bp.load_tally("t.tsv", pattern="whitespace", source="web", shard="1")
    assert tally.items() == [(b"low", 8), (b"\t\n\r\\\x00\xff", 2), ("日本".encode(), 1)]
    assert (tally.documents, tally.n_bytes, tally.ordered) == (None, 42, False)
    assert (tally.sources, tally.shards) == ({"web"}, {"1"})
    Path("t.tsv").write_bytes(b"low\t5\r\nlo\rw\t2\r\n")
    assert bp.load_tally("t.tsv", pattern="whitespace").items() == [(b"low", 5), (b"lo\rw", 2)]
    Path("t.tsv").write_bytes(b"")
    assert bp.load_tally("t.tsv", pattern="whitespace") == counted({})


WRONG_LINES: list[tuple[bytes, type[bp.BytepairError], str]] = [
    (b"a\t1\nlow 5\n", bp.FormatError, r"'t\.tsv': line 2, 'low 5', has no tab; a line is a piece, a tab, a count"),
    (b"a\t1\n\n", bp.FormatError, "line 2, '', has no tab"),
    (b"piece\tcount\n", bp.FormatError, "line 1: the count is 'count'; it must be a whole number, 0 or more"),
    (b"a\t-1\n", bp.FormatError, "line 1: the count is '-1'"),
    (b"a\t1.5\n", bp.FormatError, r"line 1: the count is '1\.5'"),
    (b"a\t\n", bp.FormatError, "line 1: the count is ''"),
    (b"a\t+1", bp.FormatError, r"line 1: the count is '\+1'"),
    ("a\t１".encode(), bp.FormatError, "line 1: the count is"),
    (b"a\tb\t1\n", bp.FormatError, r"the count is 'b\\t1'; .*; a tab in a piece is written \\t"),
    (b"a\t9223372036854775808", bp.CountOverflowError, r"line 1: the count is '9223372036854775808', past 2\*\*63 - 1"),
    (b"a\t" + b"9" * 5000, bp.CountOverflowError, r"line 1: the count is '9+\.\.\., past 2\*\*63 - 1"),
    (b"a\t9223372036854775807\na\t1", bp.CountOverflowError, r"2\^63 - 1"),
    (rb"\q" + b"\t1", bp.FormatError, r"line 1: the piece '\\q' holds '\\q', which is no escape; those are \\t, \\n"),
    (b"a\t1\nab\\\t1", bp.FormatError, r"line 2: the piece 'ab\\' holds '\\', which is no escape"),
    (rb"\x4" + b"\t1", bp.FormatError, r"line 1: the piece '\\x4' holds '\\x', which is no escape"),
    (rb"\xgg" + b"\t1", bp.FormatError, r"holds '\\x', which is no escape"),
]


@pytest.mark.parametrize(("data", "error", "message"), WRONG_LINES, ids=[each[2][:60] for each in WRONG_LINES])
def test_a_wrong_line_is_named(data: bytes, error: type[bp.BytepairError], message: str) -> None:
    Path("t.tsv").write_bytes(data)
    with pytest.raises(error, match=message):
        bp.load_tally("t.tsv", pattern="whitespace")


# Bad files


def test_what_is_no_tally_file(folder: Path) -> None:
    Path("book.txt").write_text("to be or not to be\n")
    with pytest.raises(
        bp.FormatError, match=r"'book\.txt' is no tally file: .* say what cut the pieces: pattern=\.\.\."
    ):
        bp.load_tally("book.txt")
    with pytest.raises(bp.FormatError, match=r"'book\.txt': line 1, 'to be or not to be', has no tab"):
        bp.load_tally("book.txt", pattern="gpt2")
    with pytest.raises(bp.MissingFileError, match=r"there is no file or folder 'gone\.parquet'; check the path"):
        bp.load_tally("gone.parquet")
    with pytest.raises(bp.UnreadableFileError, match="is a folder; name the tally file in it"):
        bp.load_tally(folder)
    with pytest.raises(bp.ArgumentTypeError, match=r"path is 3 \(int\); it must be a str or a path"):
        bp.load_tally(3)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"pattern is 3 \(int\)"):
        bp.load_tally("book.txt", pattern=3)  # type: ignore[arg-type]


def test_a_tally_of_another_pattern_is_refused(pq: Any) -> None:
    counted({"a": 1}, "gpt2").save("t.parquet")
    with pytest.raises(bp.ArgumentError, match=r"pattern is 'cl100k', and 't\.parquet' was cut by 'gpt2'; leave"):
        bp.load_tally("t.parquet", pattern="cl100k")
    assert bp.load_tally("t.parquet", pattern="gpt2") == counted({"a": 1}, "gpt2")


def test_a_broken_parquet_file_is_refused(pq: Any) -> None:
    data = saved(counted({str(number): number for number in range(1, 2000)}))
    for cut in (4, 5, 8, 12, len(data) // 2, len(data) - 9, len(data) - 1):
        Path("t.parquet").write_bytes(data[:cut])
        with pytest.raises(
            bp.FormatError, match=r"'t\.parquet': the Parquet file is broken or cut short, get it again"
        ):
            bp.load_tally("t.parquet")


@settings(max_examples=150)
@given(st.data())
def test_a_changed_byte_raises_nothing_else(data: st.DataObject) -> None:
    pytest.importorskip("pyarrow")
    tally = counted({str(number): number for number in range(1, 300)}, source="web", shard="1")
    content = bytearray(saved(tally))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    Path("t.parquet").write_bytes(content)
    with contextlib.suppress(bp.BytepairError):
        assert isinstance(bp.load_tally("t.parquet"), bp.Tally)


def wrong_tables(pa: Any) -> dict[str, tuple[dict[str, Any], type[bp.BytepairError]]]:
    return {
        r"it has no column 'piece' among \['word', 'count'\]; a tally has": (
            {"word": ["a"], "count": [1]},
            bp.FormatError,
        ),
        r"it has no column 'count' among \['piece'\]": ({"piece": ["a"]}, bp.FormatError),
        "the column 'piece' is of type int64; it must be binary": ({"piece": [1], "count": [1]}, bp.FormatError),
        "the column 'count' is of type double; it must be int64": ({"piece": [b"a"], "count": [1.0]}, bp.FormatError),
        "the column 'source' is of type int64; it must be string": (
            {"piece": [b"a"], "count": [1], "source": [1]},
            bp.FormatError,
        ),
        r"row 70000 \(from 0\) has no piece; every row must have one": (
            {"piece": [b"a"] * 70000 + [None], "count": [1] * 70001},
            bp.FormatError,
        ),
        r"row 1 \(from 0\) has no count; every row must have one": (
            {"piece": [b"a", b"b"], "count": [1, None]},
            bp.FormatError,
        ),
        r"row 1 \(from 0\), b'b', has the count -3; it must be 0 or more": (
            {"piece": [b"a", b"b"], "count": [1, -3]},
            bp.FormatError,
        ),
        r"row 0 \(from 0\), b'a', has the count 9223372036854775808, past 2\*\*63 - 1": (
            {"piece": [b"a"], "count": pa.array([2**63], pa.uint64())},
            bp.CountOverflowError,
        ),
        r"2\^63 - 1": ({"piece": [b"a", b"a"], "count": [LARGEST, 1]}, bp.CountOverflowError),
    }


def test_a_wrong_column_or_row_is_named(pq: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    for message, (columns, error) in wrong_tables(pa).items():
        pq.write_table(pa.table(columns), "t.parquet")
        with pytest.raises(error, match=message):
            bp.load_tally("t.parquet", pattern="gpt2")
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([b"a"]), pa.array([b"b"])], ["count", "piece", "piece"])
    pq.write_table(twice, "t.parquet")
    with pytest.raises(bp.FormatError, match="it has more than one column 'piece'"):
        bp.load_tally("t.parquet", pattern="gpt2")


WRONG_ABOUTS: list[tuple[Any, str]] = [
    ({"format": 2}, "it is a tally of format version 2, and this bytepair reads version 1; update bytepair"),
    ({"format": None}, "it is a tally of format version None"),
    ({"documents": -1}, "documents of its metadata is -1; expected a number of 0 or more"),
    ({"documents": True}, "documents of its metadata is True"),
    ({"bytes": None}, "bytes of its metadata is None; expected a number"),
    ({"borders": [1]}, r"borders of its metadata is \[1\]; expected a list of strings"),
    ({"borders_refused": 0}, "borders_refused of its metadata is 0; expected true or false"),
    ({"add_prefix_space": "no"}, "add_prefix_space of its metadata is 'no'; expected true or false"),
    ({"shards": None}, "shards of its metadata is None; expected a list of strings"),
    ({"samples": None}, r"samples of its metadata is None; expected a list of \[fraction, seed\]"),
    ({"samples": [[2.0, 1]]}, r"samples of its metadata is \[\[2\.0, 1\]\]; expected a list of \[fraction, seed\]"),
    ({"bytes_in_all": -1}, "bytes_in_all of its metadata is -1; expected a number of 0 or more"),
    ({"sources": "web"}, "sources of its metadata is 'web'; expected a list of strings"),
    ({"pattern": "gpt2"}, "pattern of its metadata is 'gpt2'; expected an object with name, definition and fingerp"),
    ({"pattern": {"name": "gpt2"}}, "expected an object with name, definition and fingerprint"),
    ({"pattern": {"name": "gpt2", "definition": "a", "fingerprint": "f"}}, "does not have the fingerprint 'f'"),
    (b"[]", r"the whole of its metadata is \[\]; expected an object"),
    (b"{", r"its metadata, b'\{', is no JSON; the file is broken"),
    (b"\xff", "is no JSON"),
    (b"[" * 100_000, "is no JSON"),
    ({"shards": ["\ud800"]}, r"its metadata holds the lone surrogate '\\ud800', which is no text"),
    ({"sources": ["\udfff"]}, r"its metadata holds the lone surrogate '\\udfff'"),
    ({"borders": ["a\ud800"]}, r"its metadata holds the lone surrogate '\\ud800'"),
    ({"pattern": {"name": "custom", "definition": "\ud800", "fingerprint": "f"}}, "holds the lone surrogate"),
    ({"pattern": {"name": "\ud800", "definition": "a", "fingerprint": "f"}}, "holds the lone surrogate"),
    (b'{"shards": ["\xed\xa0\x80"]}', "holds the lone surrogate"),
]


@pytest.mark.parametrize(("change", "message"), WRONG_ABOUTS, ids=[ascii(each)[:60] for each in WRONG_ABOUTS])
def test_wrong_metadata_is_named(pq: Any, change: Any, message: str) -> None:
    rewritten(pq, change)
    with pytest.raises(bp.FormatError, match=rf"'t\.parquet': .*{message}"):
        bp.load_tally("t.parquet")


def rewritten(pq: Any, change: dict[str, Any] | bytes) -> None:
    """t.parquet, with other metadata, as somebody with pyarrow may write it."""
    bp.tally(["a b"], pattern="gpt2").save("t.parquet")
    table = pq.read_table("t.parquet")
    about = pq.ParquetFile("t.parquet").metadata.metadata[b"bytepair"]
    data = change if isinstance(change, bytes) else json.dumps(json.loads(about) | change).encode()
    pq.write_table(table.replace_schema_metadata({b"bytepair": data}), "t.parquet")


def test_a_pattern_that_means_something_else_here_is_refused(pq: Any) -> None:
    for name, message in (
        ("gpt2", "'gpt2', 'a', which this bytepair defines as"),
        ("new", "this bytepair does not know"),
    ):
        pattern = bp.Pattern(name, "a", "")
        rewritten(pq, {"pattern": {"name": name, "definition": "a", "fingerprint": pattern.fingerprint}})
        with pytest.raises(bp.FormatError, match=message):
            bp.load_tally("t.parquet")


def test_rows_that_somebody_left_out_are_no_error(pq: Any) -> None:
    pc = pytest.importorskip("pyarrow.compute")
    counted({"a": 1, "b": 5}, "gpt2").save("t.parquet")
    about = pq.ParquetFile("t.parquet").metadata.metadata
    table = pq.read_table("t.parquet").filter(pc.field("count") > 1)
    pq.write_table(table.replace_schema_metadata(about), "t.parquet")
    assert bp.load_tally("t.parquet").items() == [(b"b", 5)]


# The command line


def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(cli, ["tally", *arguments], input=stdin, prog_name="bytepair")
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def books(pq: Any) -> Callable[[str], bp.Tally]:
    for name, text in (("one", TEXTS[0]), ("two", TEXTS[1])):
        Path(f"{name}.txt").write_text(text, "utf-8", newline="")
    return lambda name, **options: bp.tally(Path(f"{name}.txt"), **{"pattern": "cl100k", **options})


def test_the_command_counts_text(books: Callable[..., bp.Tally]) -> None:
    assert "pieces" in run("one.txt").stdout
    assert bp.load_tally("tally.parquet") == books("one")
    options = ["--pattern", "gpt2", "--special-token", "<|x|>", "--add-prefix-space", "--document", "line"]
    more = ["--errors", "skip", "--threads", "2", "--source", "web", "--shard", "2", "-o", "t.parquet", "--json"]
    record = json.loads(run("two.txt", *options, *more).stdout)
    expected = books("two", pattern="gpt2", special_tokens=["<|x|>"], add_prefix_space=True, source="web", shard="2")
    assert bp.load_tally("t.parquet") == expected
    assert record == {
        "pieces": 3,
        "occurrences": 3,
        "documents": 1,
        "bytes": 22,
        "pattern": "gpt2",
        "sources": ["web"],
        "shards": ["2"],
        "samples": [],
        "bytes_in_all": None,
        "bad_records": 0,
        "fingerprint": expected.fingerprint,
        "file": "t.parquet",
    }
    run("-", "-o", "stdin.parquet", stdin=TEXTS[0])
    assert bp.load_tally("stdin.parquet") == books("one")


def test_the_command_merges_and_weights(books: Callable[..., bp.Tally]) -> None:
    for name, source in (("one", "web"), ("two", "code")):
        run(f"{name}.txt", "--source", source, "--shard", name, "-o", f"{name}.parquet")
    said = run("one.parquet", "two.parquet", "-o", "all.parquet").stdout
    assert "2 documents" in said
    assert "sources: code, web; shards: one, two" in said
    both = books("one", source="web", shard="one") + books("two", source="code", shard="two")
    assert bp.load_tally("all.parquet") == both
    run("*.parquet", "-o", "mixed.parquet", "--weight", "web=0.5", "--weight", "code=3", code=2)
    run("all.parquet", "-o", "mixed.parquet", "--weight", "web=0.5", "--weight", "code=1/3")
    assert bp.load_tally("mixed.parquet") == both.weighted({"web": 0.5, "code": Fraction(1, 3)})
    run("all.parquet", "-o", "twice.parquet", "--weight", "2", "--pattern", "cl100k")
    assert bp.load_tally("twice.parquet") == both.weighted(2)


def test_the_command_takes_counted_pieces(pq: Any) -> None:
    Path("a.tsv").write_text("low\t5\n")
    Path("b.tsv").write_text("low\t1\nlower\t2\n")
    run("a.tsv", "b.tsv", "--counted", "--pattern", "gpt2", "--source", "web")
    assert bp.load_tally("tally.parquet") == counted({"low": 6, "lower": 2}, "gpt2", source="web")


def test_train_takes_tally_files(books: Callable[..., bp.Tally]) -> None:
    run("one.txt", "-o", "one.parquet")
    run("two.txt", "-o", "two.parquet")
    CliRunner().invoke(cli, ["train", "one.parquet", "two.parquet", "--num-merges", "5", "-o", "t.json"])
    CliRunner().invoke(cli, ["train", "one.txt", "two.txt", "--num-merges", "5", "-o", "texts.json"])
    assert Path("t.json").read_bytes() == Path("texts.json").read_bytes()


def test_what_the_command_refuses(books: Callable[..., bp.Tally]) -> None:
    run("one.txt", "--shard", "1", "-o", "one.parquet")
    run("two.txt", "-o", "two.parquet")
    run("two.txt", "-o", "gpt2.parquet", "--pattern", "gpt2")
    Path("a.tsv").write_text("low\t5\n")
    cases: list[tuple[list[str], str]] = [
        (["one.txt", "-o", "one.parquet"], "'one.parquet' is there already; --force overwrites it"),
        (["one.parquet", "one.parquet"], "does not go with the files before it: both tallies hold the shard '1'"),
        (["one.parquet", "gpt2.parquet"], "'gpt2.parquet' does not go with the files before it: the tallies were cut"),
        (["one.parquet", "one.txt"], "'one.parquet' is a tally file and 'one.txt' is not"),
        (["one.parquet", "-"], "'one.parquet' is a tally file and '-' is not"),
        (["one.parquet", "--pattern", "gpt2"], "pattern is 'gpt2', and 'one.parquet' was cut by 'cl100k'"),
        (["one.parquet", "--special-token", "<|x|>"], "--special-token is for texts"),
        (["one.parquet", "two.parquet", "--shard", "2"], "--shard names one file and there are 2"),
        (["a.tsv", "--counted"], "--counted needs --pattern"),
        (["-", "--counted", "--pattern", "gpt2"], "counted pieces come from files"),
        (["one.txt", "--weight", "web"], "--weight web gives no number"),
        (["one.txt", "--weight", "2", "--weight", "web=3"], "--weight 2 names no source"),
        (["one.txt", "--weight", "a=2", "--weight", "a=3"], "--weight a=3 names a source twice"),
        (["one.txt", "--weight", "web=1/0"], "--weight web=1/0 gives no number"),
        (["one.txt", "--weight", "web=2"], "which is not there; no counts have a source"),
        (["gone.txt"], "there is no file or folder 'gone.txt'"),
    ]
    for arguments, message in cases:
        assert message in run(*arguments, code=2).output.replace("\n", " "), arguments
    assert not Path("tally.parquet").exists()
