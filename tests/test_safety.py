"""Shared by threads, forked, spawned, pickled, dropped: one tokenizer stands it all."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import random
import signal
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tokenizers_of_all_kinds import ALL, LOSSLESS

import bytepair as bp

TEXT = "low lower lowest 漢字 I'll <|end|> 12345\n" * 8


def mixed_calls(tok: bp.Tokenizer) -> list[Callable[[], Any]]:
    """Calls of every sort, by themselves or in a batch."""
    ids = tok.encode(TEXT)
    return [
        lambda: tok.encode(TEXT),
        lambda: tok.encode(TEXT, special="all"),
        lambda: tok.encode(TEXT, dropout=0.3, seed=3),
        lambda: tok.encode_batch([TEXT, "low"] * 3, threads=2),
        lambda: tok.encode_array(TEXT).tolist(),
        lambda: [part.tolist() for part in tok.encode_ragged([TEXT, "low"], threads=2)],
        lambda: [part.tolist() for part in tok.encode_spans(TEXT)],
        lambda: (tok.count(TEXT), tok.fits(TEXT, 20), tok.truncate(TEXT, 20), tok.chunks(TEXT, 20)),
        lambda: (tok.pieces(TEXT), tok.tokens(TEXT)),
        lambda: (tok.decode(ids), tok.decode_batch([ids, ids]), tok.is_canonical(ids)),
        lambda: "".join(map(tok.decoder().feed, ids)),
        lambda: (tok.token_id("low"), hash(tok), tok == pickle.loads(pickle.dumps(tok))),
    ]


def test_eight_threads_make_two_thousand_mixed_calls_each() -> None:
    pytest.importorskip("numpy")
    tok = bp.Tokenizer(LOSSLESS["cl100k"].model)
    calls = mixed_calls(tok)
    expected = [call() for call in calls]
    wrong: list[object] = []
    fresh = bp.Tokenizer(tok.model)
    calls_of_fresh = mixed_calls(fresh)

    def work(seed: int) -> None:
        chance = random.Random(seed)
        try:
            for _ in range(2000):
                index = chance.randrange(len(calls))
                if calls_of_fresh[index]() != expected[index]:
                    wrong.append(index)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def in_a_fork(work: Callable[[], bool]) -> int:
    """The exit code of a child that does some work; a child that hangs is ended after a minute."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        code = 2
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_it_may_be_forked_after_use_and_while_threads_use_it() -> None:
    tok = LOSSLESS["cl100k"]
    many = [TEXT * 40] * 16
    expected = tok.encode_batch(many, threads=4)

    def work() -> bool:
        return tok.encode_batch(many, threads=4) == expected and tok.encode(TEXT * 40) == expected[0]

    assert in_a_fork(work) == 0
    # Not used yet: the engine is built by whoever encodes first.
    new = bp.train([TEXT], num_merges=20)
    assert in_a_fork(lambda: new.decode(new.encode(TEXT)) == TEXT) == 0
    again = pickle.loads(pickle.dumps(new))
    with ThreadPoolExecutor(8) as pool:
        assert all(ids == new.encode(TEXT) for ids in pool.map(again.encode, [TEXT] * 32))
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            tok.encode_batch(many, threads=2)
            tok.encode(TEXT, special={"<|end|>", "<s>"})

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert [in_a_fork(work) for _ in range(5)] == [0] * 5
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def encode_in_another_process(given: tuple[bp.Tokenizer, str]) -> list[int]:
    tok, text = given
    return tok.encode(text)


@pytest.mark.parametrize("kind", sorted(ALL))
def test_a_spawned_process_gets_the_same_tokenizer(kind: str, spawned: ProcessPoolExecutor) -> None:
    tok = ALL[kind]
    texts = [TEXT, "low"]
    assert list(spawned.map(encode_in_another_process, [(tok, text) for text in texts])) == tok.encode_batch(texts)


@pytest.fixture(scope="module")
def spawned() -> Any:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_a_tokenizer_of_200_000_tokens_pickles_small_and_soon() -> None:
    chance = random.Random(1)
    letters = [chance.choice("etaoinshrdlu") for _ in range(1_200_000)]
    words = ["".join(letters[at : at + 3 + at % 6]) for at in range(0, len(letters) - 9, 3)]
    counts = {" " + word: 1 + len(words) // (number + 1) for number, word in enumerate(dict.fromkeys(words))}
    tok = bp.train(bp.Tally.from_counts(counts, pattern="cl100k"), vocab_size=200_000)
    assert tok.vocab_size == 200_000
    data = pickle.dumps(tok)
    assert len(data) < 3_000_000
    # Each takes less than 50 ms on a quiet machine; twice that on one where others work.
    assert seconds(lambda: pickle.dumps(tok)) < 0.1
    assert seconds(lambda: pickle.loads(data)) < 0.1
    again = pickle.loads(data)
    assert again == tok
    assert again.model.tokens == tok.model.tokens
    assert again.model.merges == tok.model.merges
    assert pickle.dumps(again) == data


def seconds(work: Callable[[], object]) -> float:
    """Of this process, the best of five."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("kind", sorted(ALL))
def test_a_pickle_holds_every_part_and_is_always_the_same(kind: str) -> None:
    tok = ALL[kind]
    again = pickle.loads(pickle.dumps(tok))
    for each in fields(tok.model):
        assert getattr(again.model, each.name) == getattr(tok.model, each.name) or each.name == "_fingerprint"
    assert again.model.fingerprint == tok.model.fingerprint
    assert pickle.dumps(again) == pickle.dumps(tok)


def test_what_the_merges_do_not_spell_stands_in_the_pickle() -> None:
    model = bp.train(["ab ab ba"], num_merges=2).model
    parts = {each.name: getattr(model, each.name) for each in fields(model) if each.init}
    # Two merges that make one token; a gap; a token that no merge makes.
    tokens = (*model.tokens[:256], b"ab", None, b"aba", b"zz")
    twice = bp.Model(**parts | {"tokens": tokens, "merges": ((97, 98), (256, 97), (256, 97)), "merge_counts": None})
    again = pickle.loads(pickle.dumps(bp.Tokenizer(twice))).model
    assert (again.tokens, again.merges) == (tokens, twice.merges)
    assert again.fingerprint == twice.fingerprint


def test_a_pickle_that_was_cut_is_an_error_of_the_family() -> None:
    from_pickle, (packed,) = bp.train(["ab ab ba"], num_merges=2).model.__reduce__()
    spelled, sizes, pairs, n_made, *rest = packed
    for wrong in ((spelled[:-1], sizes, pairs, n_made), (b"", sizes, pairs, n_made), (spelled, sizes[:40], pairs, 2)):
        with pytest.raises(bp.ModelError, match="the pickle of a model contradicts itself; make it again"):
            from_pickle((*wrong, *rest))


@pytest.mark.parametrize("kind", sorted(ALL))
def test_what_is_remembered_is_bounded_and_changes_nothing(kind: str) -> None:
    tok = ALL[kind]
    chance = random.Random(2)
    texts = ["".join(chance.choices("low newst", k=60)) for _ in range(600)]
    expected = tok.encode_batch(texts, threads=1)
    for cache_bytes in (0, 1, 32_767, 32_768, 40_000, 1 << 30):
        bounded = tok.with_cache(cache_bytes)
        for _ in range(2):
            assert [bounded.encode(text) for text in texts] == expected
        assert bounded.cache.max_bytes == cache_bytes
        assert (bounded.cache.pieces > 0) == (cache_bytes >= 32_768)
        assert bounded.cache.bytes <= max(cache_bytes + 1_000, 32_768)
        assert bounded == tok and pickle.loads(pickle.dumps(bounded)).cache.max_bytes == 64 << 20


def test_a_bound_that_is_none_is_refused() -> None:
    tok = LOSSLESS["cl100k"]
    with pytest.raises(bp.ArgumentError, match="cache_bytes is -1; it must be at least 0"):
        tok.with_cache(-1)
    with pytest.raises(bp.ArgumentTypeError, match=r"cache_bytes is '1' .*it must be an int"):
        tok.with_cache("1")  # type: ignore[arg-type]


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not say how much memory is in use")
def test_memory_stays_flat_over_new_text() -> None:
    tok = bp.train(["low lower lowest newest widest"], num_merges=20)
    chance = random.Random(1)

    def encode(n_texts: int) -> None:
        for _ in range(n_texts):
            tok.encode(" ".join(f"{chance.getrandbits(64):x}" for _ in range(40)))

    # The cache of pieces fills up to its bound first.
    encode(20_000)
    before = resident_bytes()
    encode(20_000)
    assert resident_bytes() - before < 4_000_000


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system does not say how much memory is in use")
def test_a_tokenizer_that_is_dropped_is_freed() -> None:
    model = bp.train([f"{number:x}" for number in range(30_000)], num_merges=20_000, pattern="none").model

    def use() -> weakref.ref[bp.Tokenizer]:
        tok = bp.Tokenizer(model)
        tok.encode_batch([TEXT] * 100, threads=2)
        tok.decoder().feed(97)
        return weakref.ref(tok)

    assert use()() is None
    gc.collect()
    use()
    before = resident_bytes()
    for _ in range(30):
        assert use()() is None
    # One such tokenizer takes more than two megabytes.
    assert resident_bytes() - before < 16_000_000
