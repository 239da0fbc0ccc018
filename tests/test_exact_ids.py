"""Held against tiktoken on its own vocabularies: documents, every character, thousands of hard strings.

With BYTEPAIR_EXACT=full each test takes all of its kind, some minutes instead of seconds: every private character,
100,000 strings for each vocabulary, and 10 MB of each corpus in the folder that BYTEPAIR_BENCH_CORPORA names.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hard_strings import FULL, characters, strings, whole
from public_vocabularies import VOCABULARIES, Vocabulary, ranks_of

import bytepair as bp

Locate = Callable[[str], Path]

N_STRINGS = 100_000 if FULL else 4_000
SIZES = [64, 1_000, 30_000, 1_000_000, *([10_000_000] if FULL else [])]


class Pair:
    """One vocabulary, here and there."""

    def __init__(self, vocabulary: Vocabulary, file: Path) -> None:
        ranks = ranks_of(file)
        self.tokens = list(ranks)
        self.specials = vocabulary.specials
        self.ours = bp.load(file, pattern=vocabulary.pattern, special_tokens=vocabulary.specials)
        self.theirs = tiktoken.Encoding(
            vocabulary.pattern,
            pat_str=vocabulary.regex,
            mergeable_ranks=ranks,
            special_tokens=vocabulary.specials,
        )

    def assert_same(self, texts: list[str]) -> list[list[int]]:
        """The ids of texts where nothing is special, which are theirs."""
        ids = self.ours.encode_batch(texts)
        assert_equal(ids, self.theirs_of_each(texts), texts)
        return ids

    def theirs_of_each(self, texts: list[str]) -> list[list[int]]:
        # Their threads cost more than a short text.
        if sum(map(len, texts)) < 1_000 * len(texts):
            return [self.theirs.encode_ordinary(text) for text in texts]
        return self.theirs.encode_ordinary_batch(texts, num_threads=2)


def assert_equal(ours: list[list[int]], theirs: list[list[int]], texts: list[str]) -> None:
    if ours != theirs:
        wrong = next(index for index, (left, right) in enumerate(zip(ours, theirs, strict=True)) if left != right)
        at = next(
            (at for at, both in enumerate(zip(ours[wrong], theirs[wrong], strict=False)) if both[0] != both[1]), -1
        )
        raise AssertionError(
            f"text {wrong} of {len(texts)}, {texts[wrong][:200]!r}: at id {at} {ours[wrong][at:][:20]}, and theirs "
            f"{theirs[wrong][at:][:20]}"
        )


@pytest.fixture(scope="module", params=VOCABULARIES)
def pair(request: pytest.FixtureRequest, test_data: Locate) -> Pair:
    vocabulary = VOCABULARIES[request.param]
    return Pair(vocabulary, test_data(vocabulary.path))


# Documents


def documents(text: str, n_chars: int) -> list[str]:
    return [text[start : start + n_chars] for start in range(0, len(text), n_chars)]


def of_all_tokens(pair: Pair, n_chars: int) -> str:
    """Tokens of the vocabulary in any order: text of every language that it knows."""
    chance = random.Random(1)
    text = b"".join(chance.choices(pair.tokens, k=n_chars // 2)).decode("utf-8", "replace")
    return text[:n_chars]


@pytest.mark.parametrize("n_chars", SIZES)
def test_documents_of_every_size(pair: Pair, n_chars: int, test_data: Locate) -> None:
    shakespeare = test_data("corpora/tinyshakespeare.txt").read_text(encoding="utf-8")
    # In short documents most of it is the work between them.
    most = 100_000 if n_chars == 64 and not FULL else 1_000_000
    for text in (shakespeare[:most], of_all_tokens(pair, most)):
        many = documents(text, n_chars)
        ids = pair.assert_same(many)
        assert pair.ours.decode_batch(ids) == many


@pytest.mark.parametrize("name", ["en", "multi", "code"])
def test_ten_megabytes_of_each_corpus(pair: Pair, name: str) -> None:
    corpus = Path(os.environ.get("BYTEPAIR_BENCH_CORPORA", ""), f"{name}.txt")
    if not FULL or not corpus.exists():
        pytest.skip(f"needs BYTEPAIR_EXACT=full, and BYTEPAIR_BENCH_CORPORA with {name}.txt; it takes a minute")
    with corpus.open("rb") as whole:
        text = whole.read(10_000_000).decode("utf-8", "ignore")
    for n_chars in SIZES:
        many = documents(text, n_chars)
        ids = pair.assert_same(many)
        assert pair.ours.decode_batch(ids) == many
    whole_ids = pair.ours.encode(text, threads=3)
    assert whole_ids == pair.ours.encode(text) == pair.theirs.encode_ordinary(text)


# Characters


def test_every_character_alone(pair: Pair) -> None:
    assert len(characters()) > 140_000
    pair.assert_same(characters())


AROUND = ["a{0}b", "A{0}{0}", "1{0}2", " {0} {0}", "'{0}'s{0}", "{0}'{0}ll", "\n{0}\r\n", ".{0}/"]


def test_every_character_between_others(pair: Pair) -> None:
    frame = "".join(AROUND)
    pair.assert_same([frame.replace("{0}", character) for character in characters()])


@pytest.mark.parametrize("frame", AROUND)
def test_every_character_between_two(pair: Pair, frame: str) -> None:
    some = characters() if FULL else characters()[:: len(AROUND)]
    pair.assert_same([frame.replace("{0}", character) for character in some])


# Generated strings


@pytest.fixture(scope="module")
def generated(pair: Pair) -> list[str]:
    return strings(pair.tokens, pair.specials, N_STRINGS)


def test_generated_strings(pair: Pair, generated: list[str]) -> None:
    ids = pair.assert_same(generated)
    assert pair.ours.decode_batch(ids) == [whole(text) for text in generated]


def test_generated_strings_by_every_call_and_number_of_threads(pair: Pair, generated: list[str]) -> None:
    np = pytest.importorskip("numpy")
    some = generated[:4_000]
    ids = pair.theirs_of_each(some)
    flat = [number for each in ids for number in each]
    for threads in (1, 2, 8):
        assert pair.ours.encode_batch(some, threads) == ids
        array, starts = pair.ours.encode_ragged(some, threads)
        assert array.tolist() == flat
        assert np.diff(starts).tolist() == list(map(len, ids))
    for text, expected in zip(some, ids, strict=True):
        assert pair.ours.encode(text) == expected
        assert pair.ours.encode_array(text).tolist() == expected
        assert pair.ours.count(text) == len(expected)
        assert pair.ours.encode(whole(text).encode()) == expected


def test_generated_strings_in_one_long_document_on_threads(pair: Pair, generated: list[str]) -> None:
    text = whole("".join(generated))
    text = (text * (1 + 1_500_000 // len(text)))[:1_500_000]
    expected = pair.theirs.encode_ordinary(text)
    for threads in (1, 2, 5):
        assert pair.ours.encode(text, threads=threads) == expected
        assert pair.ours.count(text, threads=threads) == len(expected)


def test_generated_strings_with_every_policy_of_specials(pair: Pair, generated: list[str]) -> None:
    one = "<|endoftext|>"
    policies: list[tuple[Any, Any]] = [("text", set()), ("all", "all"), ({one}, {one}), ([], set())]
    for ours, theirs in policies:
        ids = [pair.theirs.encode(text, allowed_special=theirs, disallowed_special=()) for text in generated]
        assert_equal(pair.ours.encode_batch(generated, special=ours), ids, generated)
    for text in generated[:2_000]:
        holds_one = any(name in text for name in pair.specials)
        try:
            pair.theirs.encode(text)
            assert not holds_one
        except ValueError:
            assert holds_one
            with pytest.raises(bp.SpecialTokenError):
                pair.ours.encode(text, special="raise")
        else:
            assert pair.ours.encode(text, special="raise") == pair.ours.encode(text)


@pytest.mark.parametrize("unit", ["a", "^", " ", "\n", "é", "漢", "🙂", "\u0301", "'s", "1", " \n", "ab", "_-"])
def test_long_runs(pair: Pair, unit: str) -> None:
    for n_units in (1, 63, 1_000, 20_000):
        for text in (unit * n_units, f"x{unit * n_units}x", f" {unit * n_units} "):
            assert pair.ours.encode(text) == pair.theirs.encode_ordinary(text)
