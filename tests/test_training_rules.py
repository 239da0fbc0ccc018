"""What learning gives: the textbook's merges, the slow oracle's in every mode, and the same file every time."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import slow_oracle
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bytepair as bp
from bytepair.textbook import text, words

RULES = [
    {"ties": "lexicographic"},
    {"ties": "first-seen"},
    {"ties": "largest"},
    {"ties": "lowest-id"},
    {"ties": "lowest-id", "byte_order": "gpt2"},
    {"ties": "shortest"},
]
ORDER_BLIND = [rule for rule in RULES if rule["ties"] != "first-seen"]
PATTERNS = ["gpt2", "cl100k", "o200k", "deepseek3", "clip", "whitespace", "none", "[ab]+|é"]
STYLES = ["symbol", "suffix"]
ENDS: list[dict[str, Any]] = [
    {"end_of_word": None, "end_of_word_style": "symbol"},
    *({"end_of_word": marker, "end_of_word_style": style} for marker in ("</w>", "ab", "a") for style in STYLES),
]

# Small, so that ties, overlaps and re-created spellings are everywhere; without unassigned code points.
CHARACTERS = ["a", "ab", "ab ", "é漢🙂 ", "</w> ", "ab<e>", "a\0 ", "It's 12\n"]


def documents_of(characters: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(characters, max_size=30), max_size=5)


DOCUMENTS = st.sampled_from(CHARACTERS).flatmap(documents_of)
N_MERGES = st.integers(0, 25)


def name_of(value: Any) -> str:
    return "-".join(value.values()) if isinstance(value, dict) else str(value)


def saved(tok: bp.Tokenizer) -> bytes:
    """The bytes of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        tok.save(path)
        return path.read_bytes()


def as_text(merges: list[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    return [(left.decode(), right.decode()) for left, right in merges]


# The textbook


@given(DOCUMENTS, N_MERGES)
def test_words_with_a_marker_are_learned_as_in_the_textbook(documents, num_merges):
    merges = words.train_bpe(documents, num_merges)
    tok = bp.train(documents, num_merges=num_merges, pattern="whitespace", alphabet="chars", end_of_word="</w>")
    assert as_text(tok.merges) == merges
    spellings = [left + right for left, right in merges]
    if len({*spellings, words.EOW}) <= len(spellings):
        return  # Two merges spell one symbol: the textbook merges all occurrences of a pair at once, libraries do not.
    for word in " ".join(documents).split():
        assert [token.decode() for token in tok.tokens(word)] == words.encode(word, merges)


@given(DOCUMENTS, N_MERGES)
def test_a_whole_text_is_learned_as_in_the_textbook(documents, num_merges):
    document = "".join(documents)
    tokens, merges = text.train_bpe(document, num_merges)
    tok = bp.train([document], num_merges=num_merges, pattern="none", alphabet="chars", ties="first-seen")
    assert as_text(tok.merges) == merges
    assert [token.decode() for token in tok.tokens(document)] == tokens


# The slow oracle, in every mode


def compare(documents: list[str], pattern: str, **options: Any) -> None:
    """Vocabulary, merges, counts, reason and encodings equal the slow oracle's."""
    specials, unk_token = options.get("special_tokens", []), options.get("unk_token")
    all_specials = [*([unk_token] if unk_token and unk_token not in specials else []), *specials]
    prefix = options.get("add_prefix_space", False)
    borders = [] if options.get("special") == "text" else all_specials
    counts = slow_oracle.count_pieces(documents, pattern, borders, prefix)
    slow = slow_oracle.learn(counts, forbidden=all_specials, **oracle_options(options, len(all_specials)))
    tok = bp.train(documents, pattern=pattern, **options)
    # A learned model is taken as it is: this checks all of its parts.
    assert replace(tok.model).fingerprint == tok.model.fingerprint
    assert tok.merges == slow.merges
    assert list(tok.training.merge_counts) == slow.merge_counts
    assert tok.training.reason == slow.reason
    assert list(tok.training.passed_over) == slow.passed_over
    n_first = len(all_specials) if options.get("special_ids") == "first" else 0
    assert [tok.token_bytes(n_first + i) for i in range(len(slow.tokens))] == slow.tokens
    assert tok.vocab_size == len(slow.tokens) + len(all_specials)
    names = ("alphabet", "end_of_word", "end_of_word_style", "unk_token")
    how = {name: options[name] for name in names if name in options}
    for document in documents:
        assert tok.tokens(document) == slow_oracle.encode(document, slow, pattern, add_prefix_space=prefix, **how)


def oracle_options(options: dict[str, Any], n_specials: int) -> dict[str, Any]:
    names = ("ties", "alphabet", "byte_order", "end_of_word", "end_of_word_style", "min_count", "max_token_bytes")
    kept = {name: options[name] for name in names if name in options}
    if "vocab_size" in options:
        return {**kept, "max_tokens": options["vocab_size"] - n_specials}
    return {**kept, "max_merges": options["num_merges"]}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("rule", RULES, ids=name_of)
@settings(max_examples=12)
@given(documents=DOCUMENTS)
@example(documents=["babaaa babaaa a b b b b b ab"]).via("with the marker ab, a pair is learned twice")
@example(documents=["</w></w>c</w>c" + " cc" * 6]).via("and with the marker </w>")
def test_every_mode_equals_the_slow_oracle(rule, pattern, documents):
    for alphabet, end in product(["bytes", "chars"], ENDS):
        compare(documents, pattern, num_merges=25, alphabet=alphabet, **end, **rule)


@settings(max_examples=150)
@given(
    rule=st.sampled_from(RULES),
    documents=DOCUMENTS,
    pattern=st.sampled_from(PATTERNS),
    limits=st.fixed_dictionaries(
        {"num_merges": N_MERGES},
        optional={"min_count": st.integers(1, 4), "max_token_bytes": st.integers(1, 6)},
    ),
    end=st.sampled_from(ENDS),
    alphabet=st.sampled_from(["bytes", "chars"]),
)
def test_limits_equal_the_slow_oracle(rule, documents, pattern, limits, end, alphabet):
    compare(documents, pattern, alphabet=alphabet, **limits, **end, **rule)


@settings(max_examples=150)
@given(
    rule=st.sampled_from(RULES),
    documents=DOCUMENTS,
    pattern=st.sampled_from(PATTERNS),
    options=st.fixed_dictionaries(
        {
            "special_tokens": st.sampled_from([[], ["<e>"], ["ab", "abb"], ["<e>", "ba"]]),
            "num_merges": N_MERGES,
        },
        optional={
            "special_ids": st.sampled_from(["first", "last"]),
            "end_of_word": st.sampled_from(["</w>", "_"]),
            "alphabet": st.sampled_from(["bytes", "chars"]),
            "add_prefix_space": st.just(True),
            "special": st.sampled_from(["all", "text"]),
        },
    ),
)
@example(
    rule=RULES[0], documents=["abbaa abba"], pattern="none", options={"special_tokens": ["ab", "abb"], "num_merges": 9}
).via("the longest special is cut out, not the first")
@example(
    rule=RULES[0],
    documents=["abbaa abba ba"],
    pattern="none",
    options={"special_tokens": ["ba", "abb"], "num_merges": 9, "special": "text"},
).via("the best pair spells a special")
def test_specials_equal_the_slow_oracle(rule, documents, pattern, options):
    compare(documents, pattern, **options, **rule)


@settings(max_examples=80)
@given(rule=st.sampled_from(RULES), documents=DOCUMENTS, n_new=st.integers(0, 12), end=st.sampled_from(ENDS))
def test_vocab_size_counts_distinct_tokens(rule, documents, n_new, end):
    options = {"alphabet": "chars", "unk_token": "<unk>", "special_tokens": ["<e>"], **end, **rule}
    counts = slow_oracle.count_pieces(documents, "whitespace", ["<unk>", "<e>"])
    n_alphabet = len(slow_oracle.alphabet_of(counts, "chars", "value", *end.values()))
    compare(documents, "whitespace", vocab_size=n_alphabet + 2 + n_new, **options)


@settings(max_examples=80)
@given(
    rule=st.sampled_from(RULES),
    documents=st.lists(st.lists(st.sampled_from([b"a", b"b ", b"\xff", b"\xe2\x82", b"\xe2\x82\xac"])).map(b"".join)),
    pattern=st.sampled_from(PATTERNS),
    num_merges=N_MERGES,
)
def test_bytes_that_are_not_utf8_equal_the_slow_oracle(rule, documents, pattern, num_merges):
    compare(documents, pattern, num_merges=num_merges, **rule)


@settings(max_examples=100)
@given(
    rule=st.sampled_from(RULES),
    counts=st.dictionaries(st.text("ab", min_size=1, max_size=8), st.integers(1, 2**40), max_size=6),
    num=N_MERGES,
)
def test_counted_pieces_equal_the_slow_oracle(rule, counts, num):
    slow = slow_oracle.learn({piece.encode(): count for piece, count in counts.items()}, max_merges=num, **rule)
    tok = bp.train(bp.Tally.from_counts(counts, pattern="none"), num_merges=num, **rule)
    assert tok.merges == slow.merges
    assert list(tok.training.merge_counts) == slow.merge_counts


@pytest.mark.parametrize(
    ("pattern", "document"), [("(?=a)", "bab"), ("a*", "bb"), (r"(?=(\d{3})+(?!\d))", "1234567"), ("(?=[A-Z])", "aBcD")]
)
def test_an_empty_match_is_a_border(pattern, document):
    tok = bp.train([document], num_merges=0, pattern=pattern)
    assert tok.pieces(document) == [piece.decode() for piece in slow_oracle.split(document, pattern)]


@pytest.mark.parametrize("rule", RULES, ids=name_of)
@pytest.mark.parametrize("alphabet", ["bytes", "chars"])
def test_a_longer_text_equals_the_slow_oracle(rule, alphabet):
    documents = [made_text(characters, 600, seed=7) for characters in ("ab", "abcdef  ", "é漢🙂 ")]
    compare(documents, "gpt2", num_merges=40, alphabet=alphabet, **rule)


# Nothing but the distinct pieces and their counts matters


def made_text(characters: str, n_chars: int, seed: int) -> str:
    return "".join(random.Random(seed).choices(characters, k=n_chars))


def made_corpus() -> list[str]:
    """Some 300 kB in documents of many sizes: enough work for eight threads, with ties at every step."""
    chance = random.Random(3)
    vocabulary = ["".join(chance.choices("abcdeé漢🙂", k=chance.randint(1, 9))) for _ in range(400)]
    sizes = [chance.choice([0, 1, 10, 100, 3000]) for _ in range(60)]
    return [" ".join(chance.choices(vocabulary, k=size)) for size in sizes]


@settings(max_examples=40)
@given(rule=st.sampled_from(RULES), documents=DOCUMENTS, pattern=st.sampled_from(PATTERNS))
def test_threads_change_nothing(rule, documents, pattern):
    files = {saved(bp.train(documents, num_merges=20, pattern=pattern, threads=n, **rule)) for n in (1, 2, 8)}
    assert len(files) == 1


@pytest.mark.parametrize("rule", RULES, ids=name_of)
@pytest.mark.parametrize("pattern", ["cl100k", "whitespace", "none"])
def test_threads_change_nothing_where_each_has_work(rule, pattern):
    corpus = made_corpus()
    files = {saved(bp.train(corpus, num_merges=200, pattern=pattern, threads=n, **rule)) for n in (1, 2, 8)}
    assert len(files) == 1


@settings(max_examples=50)
@given(rule=st.sampled_from(ORDER_BLIND), documents=DOCUMENTS, pattern=st.sampled_from(PATTERNS), data=st.data())
def test_the_order_of_documents_changes_nothing(rule, documents, pattern, data):
    shuffled = data.draw(st.permutations(documents))
    options = {"num_merges": 20, "pattern": pattern, "end_of_word": "</w>", **rule}
    assert saved(bp.train(documents, **options)) == saved(bp.train(shuffled, **options))


def test_first_seen_alone_depends_on_the_order():
    options = {"num_merges": 1, "pattern": "none", "ties": "first-seen"}
    assert bp.train(["ba", "ab"], **options).merges == [(b"b", b"a")]
    assert bp.train(["ab", "ba"], **options).merges == [(b"a", b"b")]


@settings(max_examples=50)
@given(rule=st.sampled_from(RULES), documents=DOCUMENTS)
def test_cutting_documents_between_words_changes_nothing(rule, documents):
    options = {"num_merges": 20, "end_of_word": "</w>", **rule}
    whole = saved(bp.train(documents, pattern="whitespace", **options))
    single_words = [word for document in documents for word in document.split()]
    assert saved(bp.train(single_words, pattern="whitespace", **options)) == whole
    assert saved(bp.train([" ".join(documents)], pattern="whitespace", **options)) == whole
    counts = slow_oracle.count_pieces(documents, "whitespace")
    tally = bp.Tally.from_counts({piece.decode(): n for piece, n in counts.items()}, pattern="whitespace")
    assert saved(bp.train(tally, **options)) == whole


@settings(max_examples=50)
@given(rule=st.sampled_from(RULES), documents=DOCUMENTS, pattern=st.sampled_from(PATTERNS))
def test_files_and_lists_of_the_same_documents_give_the_same(rule, documents, pattern):
    options = {"num_merges": 20, "pattern": pattern, **rule}
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.txt") for number in range(len(documents))]
        for path, document in zip(paths, documents, strict=True):
            path.write_bytes(document.encode())
        assert saved(bp.train(paths, **options)) == saved(bp.train(documents, **options))
        lines = [line for document in documents for line in document.splitlines(keepends=True)]
        assert saved(bp.train(paths, document="line", **options)) == saved(bp.train(lines, **options))


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "whitespace"])
def test_a_file_of_many_windows_is_one_document(tmp_path, pattern):
    """Long enough to be read in several windows, with long runs where no border can be."""
    chance = random.Random(5)
    parts = ["x" * 70_000, " " * 70_000, "\n" * 5_000, "漢字" * 20_000, "it's 2026, isn't it?\r\n\r\n  🙂 " * 3_000]
    document = "".join(chance.choice(parts) for _ in range(60))
    path = tmp_path / "corpus.txt"
    path.write_bytes(document.encode())
    options = {"num_merges": 30, "pattern": pattern}
    whole = saved(bp.train([document], threads=1, **options))
    assert {saved(bp.train(path, threads=n, **options)) for n in (1, 2, 8)} == {whole}


@settings(max_examples=50)
@given(documents=DOCUMENTS, rule=st.sampled_from(RULES), pattern=st.sampled_from(PATTERNS), num_merges=N_MERGES)
def test_fewer_merges_are_a_prefix_of_more(documents, rule, pattern, num_merges):
    more = bp.train(documents, num_merges=30, pattern=pattern, **rule)
    fewer = bp.train(documents, num_merges=num_merges, pattern=pattern, **rule)
    assert fewer.merges == more.merges[:num_merges]


# G23: the same data gives the same file in every run

ALL_TIES = "abcd bcda cdab dabc xyz yzx zxy"

FINGERPRINT_OF_A_RUN = f"""
import hashlib, tempfile
from pathlib import Path
import bytepair as bp

words = {ALL_TIES.split()!r}
digests = set()
for documents in ([" ".join(words)], words, words[::-1]):
    for threads in (1, 2, 8):
        tok = bp.train(documents, vocab_size=300, pattern="whitespace", special_tokens=["<b>", "<a>"], threads=threads)
        with tempfile.TemporaryDirectory() as folder:
            tok.save(Path(folder, "tokenizer.json"))
            digests.add(hashlib.sha256(Path(folder, "tokenizer.json").read_bytes()).hexdigest())
print(*digests)
"""


def run_with_hash_seed(seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-c", FINGERPRINT_OF_A_RUN]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_hash_seeds_threads_and_word_order_give_one_file():
    tok = bp.train([ALL_TIES], vocab_size=300, pattern="whitespace", special_tokens=["<b>", "<a>"])
    here = hashlib.sha256(saved(tok)).hexdigest()
    assert {run_with_hash_seed(seed) for seed in range(10)} == {here}


def test_fifty_runs_give_one_file():
    assert len({saved(bp.train([ALL_TIES], vocab_size=300, pattern="whitespace")) for _ in range(50)}) == 1


# G30: counts are 64 bits wide, and checked


def learn_counts(counts: dict[str, int], num_merges: int = 3, **options: Any) -> bp.Tokenizer:
    return bp.train(bp.Tally.from_counts(counts, pattern="none"), num_merges=num_merges, **options)


def test_counts_past_32_bits_build_the_most_frequent_word_first():
    tok = learn_counts({"the": 5_000_000_000, "cat": 3, "hat": 2})
    assert tok.merges[:2] == [(b"h", b"e"), (b"t", b"he")]
    assert list(tok.training.merge_counts) == [5_000_000_000, 5_000_000_000, 5]


@pytest.mark.parametrize("exponent", [31, 32, 53, 61])
@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_counts_one_apart_are_told_apart(rule, exponent):
    tok = learn_counts({"ab": 2**exponent, "xy": 2**exponent + 1, "mn": 2**exponent - 1}, **rule)
    assert tok.merges == [(b"x", b"y"), (b"a", b"b"), (b"m", b"n")]


def test_sums_past_32_bits_are_right():
    tok = learn_counts({"ab": 2**31, "abc": 2**31, "xab": 2**31}, num_merges=1)
    assert list(tok.training.merge_counts) == [3 * 2**31]


def test_the_frequent_pair_comes_before_the_rare_one_where_32_bits_wrap():
    """G30: elsewhere three billion occurrences become a negative number, and only the rare pair is learned."""
    tok = learn_counts({"xx": 3_000_000_000, "cd": 300}, num_merges=2)
    assert tok.merges == [(b"x", b"x"), (b"c", b"d")]
    assert list(tok.training.merge_counts) == [3_000_000_000, 300]


def test_sums_of_tallies_past_32_bits_are_right():
    parts = [bp.Tally.from_counts({"ab": 2**31, "cd": 1}, pattern="none") for _ in range(3)]
    tok = bp.train(sum(parts), num_merges=2)
    assert list(tok.training.merge_counts) == [3 * 2**31, 3]


def test_the_largest_count_is_learned():
    tok = learn_counts({"ab": 2**63 - 1})
    assert tok.merges == [(b"a", b"b")]
    assert list(tok.training.merge_counts) == [2**63 - 1]


@pytest.mark.parametrize("counts", [{"ab": 2**63}, {"ab": 2**62, "cab": 2**62}, {"aaa": 2**62}, {"ab": 2**64}])
def test_sums_past_63_bits_raise(counts):
    told: list[bp.Progress] = []
    with pytest.raises(bp.CountOverflowError, match="63"):
        learn_counts(counts, progress=told.append)
    assert not [each for each in told if each.merge]


def test_counts_of_different_pairs_are_not_added_up():
    tok = learn_counts({"ab": 2**62, "cd": 2**62, "ef": 2**62})
    assert list(tok.training.merge_counts) == [2**62] * 3


def test_a_count_overflow_is_an_overflow_error():
    with pytest.raises(OverflowError):
        learn_counts({"ab": 2**63})


# G04: text without spaces, which is one piece

LONG = {"ab": "ab" * 200_000, "ACGT": "".join(random.Random(4).choices("ACGT", k=2_000_000))}
MOST_MEGABYTES = {"ab": 200, "ACGT": 300}

PEAK_OF_A_RUN = """
import sys
from pathlib import Path
import bytepair as bp

bp.train(Path(sys.argv[1]), vocab_size=int(sys.argv[2]), pattern="none")
status = Path("/proc/self/status").read_text()
print(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.parametrize("rule", RULES, ids=name_of)
@pytest.mark.parametrize("document", ["ab" * 50, LONG["ACGT"][:2_000], "a" * 300], ids=["ab", "ACGT", "a"])
def test_one_long_piece_equals_the_slow_oracle(rule, document):
    compare([document], "none", num_merges=60, **rule)


def test_one_piece_of_two_letters_in_turn_doubles_until_it_is_one_token():
    """G04: the time of others grows with the square of the length of a piece; tokenizers takes minutes here."""
    tok = bp.train([LONG["ab"]], pattern="none", vocab_size=300)
    powers = [(b"ab" * 2**step, b"ab" * 2**step) for step in range(17)]
    assert tok.merges[:18] == [(b"a", b"b"), *powers]
    assert tok.training.reason == "no-pairs"
    assert tok.encode(LONG["ab"]) == [tok.token_id(LONG["ab"])]


def test_two_million_letters_without_a_space_are_learned_right():
    """G04: protein and genome strings; each merge is proved to be the pair that occurs most often."""
    tok = bp.train([LONG["ACGT"]], pattern="none", vocab_size=1_000)
    assert tok.training.reached == 1_000
    assert tok.prove([LONG["ACGT"]]).holds
    pairs = Counter(zip(LONG["ACGT"], LONG["ACGT"][1:], strict=False))
    assert tok.training.merge_counts[0] == max(pairs.values())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize(("name", "vocab_size"), [("ab", 300), ("ACGT", 1_000)])
def test_one_long_piece_takes_little_memory(tmp_path, name, vocab_size):
    """G04: elsewhere a large text without spaces takes a hundred times its size in memory."""
    (tmp_path / "text").write_text(LONG[name])
    command = [sys.executable, "-c", PEAK_OF_A_RUN, str(tmp_path / "text"), str(vocab_size)]
    kilobytes = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert kilobytes / 1000 < MOST_MEGABYTES[name]


# G03, G21: the size of the vocabulary


def test_a_corpus_that_gives_fewer_tokens_than_asked_says_so():
    tok = bp.train(["low lower lowest"] * 3, vocab_size=5000)
    assert tok.training.reason == "no-pairs"
    assert tok.training.requested == 5000
    assert tok.training.reached == tok.vocab_size == 256 + len(tok.merges) < 5000


def test_reaching_the_size_says_so():
    tok = bp.train(["low lower lowest"] * 3, vocab_size=258, special_tokens=["<e>"])
    assert tok.training.reason == "target"
    assert tok.training.requested == tok.training.reached == tok.vocab_size == 258
    assert len(tok.merges) == 1


def test_a_vocabulary_too_small_for_alphabet_and_specials_is_refused_with_the_minimum():
    with pytest.raises(bp.ArgumentError, match=r"vocab_size is 10\b.*257"):
        bp.train(["hello"], vocab_size=10, special_tokens=["<e>"])
    many = "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    with pytest.raises(bp.ArgumentError, match=r"vocab_size is 200\b.*300"):
        bp.train([many], vocab_size=200, alphabet="chars", pattern="none")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"vocab_size": 512},
            "vocab_size is 512; it must be at least 513: 256 bytes, 256 marked bytes, 1 special token",
        ),
        (
            {"vocab_size": 6, "alphabet": "chars"},
            "vocab_size is 6; it must be at least 7: 3 different characters, 3 marked characters, 1 special token",
        ),
    ],
)
def test_a_glued_marker_makes_every_symbol_two(options, message):
    end = {"end_of_word": "_", "end_of_word_style": "suffix", "special_tokens": ["<e>"]}
    with pytest.raises(bp.ArgumentError, match=message):
        bp.train(["ab_"], **end, **options)
    tok = bp.train(["ab_"], **end, **{**options, "vocab_size": options["vocab_size"] + 1})
    assert (tok.vocab_size, tok.merges) == (options["vocab_size"] + 1, [])


def test_the_minimum_itself_is_enough():
    tok = bp.train(["hello"], vocab_size=257, special_tokens=["<e>"])
    assert tok.vocab_size == 257
    assert tok.merges == []


# G17: a byte alphabet is always whole


@given(st.lists(st.text("ab", max_size=5)), st.text())
def test_a_byte_alphabet_loses_nothing_that_training_did_not_see(documents, unseen):
    tok = bp.train(documents, num_merges=5)
    assert tok.lossless
    assert tok.decode(tok.encode(unseen)) == unseen
