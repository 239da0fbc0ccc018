"""One peer in a process of its own: reads requests as JSON lines, answers with what it measured.

{"learn": peer, "path", "vocab_size", "whole", "threads"}      -> seconds, peak_mb, tokens (hex)
{"open": peer, "name", "pattern", "ranks", "json", "texts": path}  -> peak_mb
{"encode": number of a text}                                  -> seconds, peak_mb, n_tokens, digest
{"call": name, "encode": number of a text, "repeat": times}   -> seconds of all, n_tokens, digest
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.encoders import ENCODERS, Encoder, Vocabulary
from benchmarks.learners import LEARNERS, Training

Answer = dict[str, Any]


def clocked(call: Callable[[], Any]) -> tuple[Any, Answer]:
    """Run the call; CPU seconds of this process, all threads, and wall seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def peak_mb() -> float:
    """The most memory this process ever had, in MB; texts and interpreter included."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: on Linux that begins with what the parent had when it forked.
        line = next(line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def learn(request: Answer) -> Answer:
    training = Training(Path(request["path"]), request["vocab_size"], request["threads"], request["whole"])
    run, merged_tokens = LEARNERS[request["learn"]](training)
    result, seconds = clocked(run)
    peak = peak_mb()
    return {**seconds, "peak_mb": peak, "tokens": [token.hex() for token in merged_tokens(result)]}


class EncoderProcess:
    """An opened encoder and the texts to give it."""

    def __init__(self) -> None:
        self.encoder = Encoder(len)
        self.texts: list[Any] = []

    def open(self, request: Answer) -> Answer:
        path = request["json"]
        vocabulary = Vocabulary(
            request["name"], request["pattern"], Path(request["ranks"]), Path(path) if path else None
        )
        self.encoder = ENCODERS[request["open"]](vocabulary)
        self.texts = json.loads(Path(request["texts"]).read_text("utf-8"))
        for text in self.texts:
            if isinstance(text, str):
                # As Python keeps it from the first call that asks for it: no peer is to pay for the others.
                text.encode()
        # What is made at first use.
        self.encoder.encode("to be or not to be")
        return {"peak_mb": peak_mb()}

    def run(self, request: Answer) -> Answer:
        text, name, repeat = self.texts[request["encode"]], request.get("call", "encode"), request.get("repeat", 1)
        given = text
        if name.startswith("decode"):
            ids = self.encoder.encode(text)
            # Of ints, not of an array's scalars.
            given = ids.tolist() if hasattr(ids, "tolist") else list(ids)
        call = getattr(self.encoder, name)
        if call is None:
            raise LookupError(f"has no {name}")

        def calls() -> Any:
            for _ in range(repeat - 1):
                call(given)
            return call(given)

        result, seconds = clocked(calls)
        return {**seconds, "peak_mb": peak_mb(), "digest": digest(name, result)}


def digest(name: str, result: Any) -> str:
    """The same for the same ids or text, however they are handed out."""
    if name.startswith("decode"):
        data = result if isinstance(result, bytes) else result.encode()
    else:
        # Beside the ids, where each text begins.
        ids = result[0] if isinstance(result, tuple) else result
        listed = ids.tolist() if hasattr(ids, "tolist") else ids
        rows = listed if listed and isinstance(listed[0], list) else [listed]
        data = array("I", [each for row in rows for each in row]).tobytes()
    return hashlib.sha256(data).hexdigest()


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        n_cores = int(os.environ.get("BENCHMARK_CORES", "1"))
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-n_cores:])
    # Answers only: what a peer prints must not get between them.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    encoders = EncoderProcess()
    for line in sys.stdin:
        request = json.loads(line)
        act = learn if "learn" in request else encoders.open if "open" in request else encoders.run
        try:
            answer = act(request)
        except (ImportError, LookupError) as error:
            answer = {"missing": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
