"""Held against tiktoken on its own vocabularies: documents, every character, thousands of hard strings.

With BYTEPAIR_EXACT=full each test takes all of its kind, some minutes instead of seconds: every private character,
100,000 strings for each vocabulary, and 10 MB of each corpus in the folder that BYTEPAIR_BENCH_CORPORA names.
"""

from __future__ import annotations

import functools
import os
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from public_vocabularies import VOCABULARIES, Vocabulary, ranks_of

import bytepair as bp

Locate = Callable[[str], Path]

FULL = os.environ.get("BYTEPAIR_EXACT") == "full"
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


@functools.cache
def characters() -> list[str]:
    """All that are assigned; private ones, which are all alike, only some."""
    codes = (chr(code) for code in range(0x110000))
    kinds = ((character, unicodedata.category(character)) for character in codes)
    return [
        character
        for character, category in kinds
        if category not in ("Cn", "Cs") and (FULL or category != "Co" or ord(character) % 64 == 0)
    ]


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

WHITE = [character for character in map(chr, range(0x10000)) if character.isspace()]
APOSTROPHES = ["'", "\u2019", "\uff07", "''"]
CONTRACTED = ["s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "Ve", "vE", "M", "LL", "lL", "D"]
CONTRACTED += ["\u017f", "re\u017f", "\u212a", "\u017fs", "l\u017f", "tS", "dd", "lll", "v", "r"]
MARKS = ["\u0301", "\u0308", "\u093f", "\u0903", "\u20dd", "\u05b0", "\u0e31", "\U0001d165", "\ufe0f", "\u200d"]
EMOJI = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "🇩", "1️⃣", "❤️", "🙂", "\U000e0067"]
HARD_ONES = ["\x00", "\ufeff", "\ufffd", "\u200b", "\xad", "\x1c", "\x1f", "\x7f", "\x85", "\u180e", "\U0010ffff"]
LETTERS = [
    "a",
    "Z",
    "word",
    "Word",
    "WORD",
    "é",
    "É",
    "ß",
    "ſ",
    "K",
    "ǅ",
    "ʰ",
    "ª",
    "漢字",
    "かな",
    "한국",
    "ไทย",
    "अ",
    "ﬁ",
]
NUMBERS = ["1", "12", "123", "1234567", "١٢", "½", "Ⅷ", "²", "𝟘", "〇", "一"]
OTHERS = [".", "..", "!?", "-", "_", "/", "//", "<|", "|>", "(", "$", "€", "+", "=", "…", "«"]
SURROGATES = ["\ud83d", "\ude42", "\ud83d\ude42", "\udfff\ud800"]
BREAKS = ["\r\n", "\n", "\r", "\n\n", "\r\r\n", "\n\r", "\r\n\r\n", " \n", "\n ", "\t\n", "\u2028", "\x0b", "\x0c"]


def strings(pair: Pair, n_strings: int) -> list[str]:
    """Each of up to 14 parts: of one sort each, so that all sorts meet all others."""
    chance = random.Random(len(pair.tokens))
    tokens = [token.decode("utf-8", "replace") for token in chance.sample(pair.tokens, 2_000)]

    def white() -> str:
        if chance.random() < 0.5:
            return chance.choice([" ", "\t", "\n", "\u3000", " "]) * chance.randrange(1, 9)
        return "".join(chance.choices(WHITE, k=chance.randrange(1, 5)))

    sorts: list[Callable[[], str]] = [
        white,
        white,
        lambda: chance.choice(LETTERS) + chance.choice(APOSTROPHES) + chance.choice(CONTRACTED),
        lambda: chance.choice(APOSTROPHES) + chance.choice(CONTRACTED),
        lambda: "".join(chance.choices(BREAKS, k=chance.randrange(1, 4))),
        lambda: chance.choice(LETTERS) + "".join(chance.choices(MARKS, k=chance.randrange(1, 4))),
        lambda: chance.choice(MARKS),
        lambda: chance.choice(EMOJI),
        lambda: chance.choice(HARD_ONES),
        lambda: chance.choice(LETTERS),
        lambda: chance.choice(LETTERS),
        lambda: chance.choice(NUMBERS),
        lambda: chance.choice(OTHERS) * chance.randrange(1, 4),
        lambda: chance.choice(SURROGATES),
        lambda: chance.choice(characters()),
        lambda: chance.choice(tokens),
        lambda: chance.choice([*pair.specials, "<|endoftext", "endoftext|>"]),
        lambda: chance.choice("aA1. \n'^_漢") * chance.randrange(1, 40),
    ]
    return ["".join(sort() for sort in chance.choices(sorts, k=chance.randrange(1, 15))) for _ in range(n_strings)]


@pytest.fixture(scope="module")
def generated(pair: Pair) -> list[str]:
    return strings(pair, N_STRINGS)


def whole(text: str) -> str:
    """Pairs of surrogates as their character, lone ones as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
