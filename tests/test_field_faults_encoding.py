"""Faults that users reported against other tokenizers when they encode and decode: each test names one to be without.

What the faults have in common: an object that is shared, forked, sent elsewhere or used for hours; input of one long
run; thousands of special tokens; and engines that do not agree what a letter is. Long runs on a small stack (G08) are
in test_long_runs.py; streams, budgets and spans in test_field_faults_calls.py.
"""

from __future__ import annotations

import base64
import copy
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import bytepair as bp
from bytepair import patterns, tiktoken

Locate = Callable[[str], Path]

BYTES = {bytes([byte]): byte for byte in range(256)}
RUNS_OF_A = BYTES | {b"aa": 256, b"aaaa": 257, b"aaaaaaaa": 258}


def loaded(ranks: dict[bytes, int], pattern: str = "none", specials: dict[str, int] | None = None) -> bp.Tokenizer:
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    return bp.load(lines, pattern=pattern, special_tokens=specials)


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Of this thread's own work, the best of some: other programs do not count."""
    best = float("inf")
    for _ in range(times):
        start = time.thread_time()
        work()
        best = min(best, time.thread_time() - start)
    return best


# G02: fork after use


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_encodes_and_trains_on_in_silence() -> None:
    done = run("""
import os, signal
import bytepair as bp
tok = bp.train(["a b a b c"] * 100, num_merges=3)
before = tok.encode_batch(["a b"] * 1000, threads=4)
child = os.fork()
if child == 0:
    signal.alarm(20)
    same = tok.encode_batch(["a b"] * 1000, threads=4) == before
    same = same and bp.train(["a b a b c"] * 100, num_merges=3, threads=4) == tok
    os._exit(0 if same else 1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print("child:", status, "parent:", tok.encode_batch(["a b"] * 1000, threads=4) == before)
""")
    assert (done.stdout, done.stderr) == ("child: 0 parent: True\n", "")


def test_a_split_function_in_python_is_refused_and_never_hangs() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"pattern is .*; it must be a str"):
        bp.train(["a b"] * 1000, num_merges=3, pattern=str.split, threads=4)  # type: ignore[arg-type]


# G07: one long run of letters takes quadratic time


def test_a_run_of_one_letter_is_right_and_near_linear() -> None:
    tok = loaded(RUNS_OF_A)
    for n_bytes, n_tokens in ((100_000, 12_500), (200_000, 25_000)):
        assert tok.encode("a" * n_bytes) == [258] * n_tokens
        assert tok.count("a" * n_bytes) == n_tokens
    once, longer = (seconds(lambda text="a" * n_bytes: tok.encode(text), 5) for n_bytes in (100_000, 800_000))
    assert once < 0.2
    # Eight times and some for what no longer fits in a cache; 64 times where cost grows with the square.
    assert longer < 24 * once


def naive(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    parts = [piece[at : at + 1] for at in range(len(piece))]
    while True:
        joint = [(ranks[left + right], at) for at, (left, right) in enumerate(pairwise(parts)) if left + right in ranks]
        if not joint:
            return [ranks[part] for part in parts]
        _, at = min(joint)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


def test_long_pieces_are_merged_as_by_the_naive_loop() -> None:
    draw = random.Random(7)
    letters = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=100_000))
    learned = bp.train([letters[:20_000], "_" * 64], vocab_size=400, pattern="none")
    ranks = {learned.token_bytes(number): number for number in range(learned.vocab_size)}
    tok = loaded(ranks)
    for text in ("a" * 300, letters[:300], "_" * 300, letters[-300:]):
        assert tok.encode(text) == naive(text.encode(), ranks)
    for text in (letters, "_" * 50_000):
        ids = tok.encode(text)
        assert tok.decode(ids) == text
        assert tok.count(text) == len(ids)
        assert seconds(lambda text=text: tok.encode(text)) < 0.2


# G11: one tokenizer used from several threads


def mixed_calls(tok: bp.Tokenizer, seed: int, n_calls: int) -> list[Any]:
    draw = random.Random(seed)
    found: list[Any] = []
    for _ in range(n_calls):
        text = " ".join(draw.choices(["low", "lower", "<|end|>", "né", "12"], k=draw.randrange(12)))
        special = draw.choice(["text", "all", {"<|end|>"}])
        ids = tok.encode(text, special=special)
        call = draw.randrange(4)
        if call == 0:
            found.append(ids)
        elif call == 1:
            found.append(tok.encode_batch([text, text], threads=2, special=special))
        elif call == 2:
            found.append(tok.decode(ids[: draw.randrange(10)]))
        else:
            found.append(copy.copy(tok).count(text, special=special))
    return found


def test_eight_threads_share_one_tokenizer() -> None:
    tok = bp.train(["low lower lowest né 12 12"], num_merges=12, special_tokens=["<|end|>"])
    n_calls = 2000
    expected = [mixed_calls(tok, seed, n_calls) for seed in range(8)]
    found: dict[int, list[Any]] = {}

    def work(seed: int) -> None:
        found[seed] = mixed_calls(tok, seed, n_calls)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found.get(seed) for seed in range(8)] == expected


# G12: thousands of added tokens


def test_twenty_thousand_special_tokens_cost_no_more_than_ten(tmp_path: Path) -> None:
    names = [f"<tok_{number}>" for number in range(20_000)]
    path = tmp_path / "many.json"
    bp.train(["hello world"], num_merges=5, special_tokens=names).save(path)
    many = bp.load(path)
    few = bp.train(["hello world"], num_merges=5, special_tokens=names[77:87])
    text = "hello <tok_77> world" * 1000
    ids = many.encode(text, special="all")
    assert ids.count(many.special_tokens["<tok_77>"]) == 1000
    assert len(ids) == len(few.encode(text, special="all"))
    costs = [seconds(lambda tok=tok: tok.encode(text, special="all"), 9) for tok in (many, few)]
    assert costs[0] < 2 * costs[1] + 0.002


def test_two_hundred_thousand_special_tokens_load_in_seconds() -> None:
    specials = {f"<tok_{number}>": 256 + number for number in range(200_000)}
    start = time.thread_time()
    tok = loaded(BYTES, specials=specials)
    assert tok.encode("a<tok_199999>", special="all") == [97, 200_255]
    assert time.thread_time() - start < 10


# G13: a hidden cache grows without limit


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is read from /proc")
@pytest.mark.parametrize("pattern", ["none", "gpt2"])
def test_memory_stays_flat_over_new_texts(pattern: str) -> None:
    done = run(f"""
import pathlib, resource
import bytepair as bp

def used():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

tok = bp.train(["1 2 3 4 5 6 7 8 9 10 11 12 13 "], num_merges=10, pattern={pattern!r})
for number in range(2500):
    if number == 1000:
        warm = used()
    tok.encode(f"{{number}} {{number}} " * 500 + " ".join(f"{{number * 500 + word}}x" for word in range(500)))
print((used() - warm) // 2**20)
""")
    assert done.stderr == ""
    assert int(done.stdout) < 50


# G20: cannot be pickled or sent to workers


def counted_elsewhere(tok: bp.Tokenizer) -> int:
    return tok.count("hello there")


def test_a_tokenizer_is_pickled_copied_and_sent_to_a_new_process(test_data: Locate) -> None:
    tok = bp.load(test_data("vocabs/o200k_base.tiktoken"), pattern="cl100k", special_tokens={"<|end|>": 200_000})
    data = pickle.dumps(tok)
    assert len(data) < 3_000_000
    assert pickle.dumps(tok) == data
    again = pickle.loads(data)
    assert again == copy.deepcopy(tok) == tok
    assert pickle.dumps(again) == data
    assert again.encode("hello there<|end|>", special="all") == tok.encode("hello there<|end|>", special="all")
    assert seconds(lambda: pickle.dumps(tok)) < 0.05
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(counted_elsewhere, [tok]) == [2]


def test_an_encoding_that_no_registry_knows_is_pickled_by_its_contents() -> None:
    enc = tiktoken.Encoding("own", pat_str=r"\w+|\W+", mergeable_ranks=RUNS_OF_A, special_tokens={"<|end|>": 300})
    again = pickle.loads(pickle.dumps(enc))
    assert again == enc
    assert again.encode("aaaa<|end|>", allowed_special="all") == [257, 300]


# G26: offsets wrong when a character is cut into several tokens


@pytest.mark.parametrize("text", ["i ⭢ j", "né 👩‍👩‍👧 x"])
def test_all_tokens_of_one_character_begin_where_it_does(text: str) -> None:
    enc = tiktoken.Encoding("bytes", pat_str="(?s:.)", mergeable_ranks=BYTES, special_tokens={})
    found, offsets = enc.decode_with_offsets(enc.encode(text))
    assert found == text
    assert offsets == [index for index, character in enumerate(text) for _ in character.encode()]


# G28: the Unicode version of \p{L} and \p{N} differs between engines


@pytest.mark.parametrize("pattern", [name for name in patterns.NAMES if name not in ("whitespace", "none")])
def test_classes_are_those_of_unicode_16(pattern: str) -> None:
    tok = bp.train([], num_merges=0, pattern=pattern)
    # A letter since Unicode 17, a digit since 15, a picture since 15.
    assert tok.pieces("ab\u088fcd")[0] == "ab"
    assert tok.pieces("a\U00011f50b") == ["a", "\U00011f50", "b"]
    # clip leaves white space out.
    assert tok.pieces("a \U0001fae8") == ["a", "\U0001fae8" if pattern == "clip" else " \U0001fae8"]


def test_named_patterns_and_regular_expressions_go_by_the_same_table() -> None:
    named = bp.train([], num_merges=0, pattern="cl100k")
    custom = bp.train([], num_merges=0, pattern=f"(?:{patterns.NAMED['cl100k'].regex})")
    for text in ("ab\u088fcd", "a\U00011f50b", "a \U0001fae8", "\u1c89\ua7cb\U00010d4a\U00010d40"):
        assert named.pieces(text) == custom.pieces(text)
