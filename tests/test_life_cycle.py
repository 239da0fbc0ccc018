"""Asyncio, signals, the end of the interpreter, memory that is not there: what a tokenizer lives through."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import bytepair as bp

TEXT = "low lower lowest 漢字 I'll <|end|> 12345\n" * 8
TOK = bp.train([TEXT], num_merges=20, special_tokens=["<|end|>"])
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and limits as POSIX has them")


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=False)


def test_many_tasks_share_a_tokenizer() -> None:
    expected = TOK.encode(TEXT)

    async def work(number: int) -> bool:
        ids = await asyncio.to_thread(TOK.encode, TEXT)
        with ThreadPoolExecutor(1) as pool:
            loop = asyncio.get_running_loop()
            again = await loop.run_in_executor(pool, TOK.encode_batch, [TEXT] * (number % 3 + 1))
        decoder, text = TOK.decoder(), ""
        for each in ids:
            # Others have their turn between two ids: each stream is its own.
            await asyncio.sleep(0)
            text += decoder.feed(each)
        return ids == expected and again == [expected] * (number % 3 + 1) and text + decoder.finish() == TEXT

    async def together() -> list[bool]:
        return await asyncio.gather(*(work(number) for number in range(40)))

    assert asyncio.run(together()) == [True] * 40


def test_a_task_that_is_cancelled_leaves_the_tokenizer_as_it_was() -> None:
    async def cancelled() -> list[int]:
        task = asyncio.create_task(asyncio.to_thread(TOK.encode, TEXT * 10_000))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await asyncio.to_thread(TOK.encode, TEXT)

    assert asyncio.run(cancelled()) == TOK.encode(TEXT)


LONG_CALLS = {
    "encode": "tok.encode(text)",
    "encode a batch": "tok.encode_batch([text] * 4, threads=2)",
    "count": "tok.count(text)",
    "chunks": "tok.chunks(text, 100)",
    "truncate": "tok.truncate(text, 10**9)",
    "one endless piece": "whole.encode(run)",
    "tally": "bp.tally([text] * 4, pattern='cl100k', threads=2)",
    "tally one endless piece": "bp.tally([run] * 8, pattern='none', threads=1)",
    "learn": "bp.train([letters], vocab_size=250_000, pattern='none')",
    "decode": "tok.decode_bytes(ids)",
}


@POSIX
@pytest.mark.parametrize("call", LONG_CALLS)
def test_ctrl_c_stops_a_long_call(call: str) -> None:
    done = run(f"""
import os, random, signal, threading, time
import bytepair as bp
tok = bp.train(["low lower lowest " * 9], num_merges=10)
whole = bp.train(["ababab"], num_merges=2, pattern="none")
letters = bytes(97 + byte % 26 for byte in random.Random(1).randbytes(1 << 20)).decode()
text, run, ids = "low lower lowest xyzzy " * 1_000_000, "abc" * 20_000_000, [104] * 5_000_000
began, took = threading.Event(), []

def interrupt():
    began.wait()
    time.sleep(0.05)
    took.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    began.set()
    # Again and again: on a fast machine one call may be done before the signal comes.
    while True:
        {LONG_CALLS[call]}
except KeyboardInterrupt:
    # Of this process's own time, on two threads at most: others may be at work beside it.
    print(time.process_time() - took[0])
print(tok.encode("low") == tok.encode("low"))
""")
    assert done.returncode == 0, done.stderr
    seconds, is_sound = done.stdout.split()
    assert is_sound == "True"
    assert float(seconds) < 2


def test_the_interpreter_ends_while_daemon_threads_work() -> None:
    done = run("""
import threading, time
import bytepair as bp
tok = bp.train(["low lower lowest " * 9], num_merges=10)
text = "low lower lowest xyzzy " * 100_000

def work():
    while True:
        tok.encode_batch([text] * 4, threads=2)
        tok.decode(tok.encode(text))
        bp.tally([text], pattern="gpt2")
        bp.train([text], num_merges=20)

for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
print("the end")
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


def test_a_tokenizer_that_lives_to_the_very_end_is_no_trouble() -> None:
    done = run("""
import atexit, weakref
import bytepair as bp
tok = bp.train(["low lower lowest " * 9], num_merges=10)
decoder = tok.decoder()
loop = [tok, decoder]
loop.append(loop)
weakref.finalize(tok, lambda: None)
atexit.register(lambda: print(tok.encode("low") == bp.train(["low lower lowest " * 9], num_merges=10).encode("low")))
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
