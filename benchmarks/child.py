"""One peer in a process of its own: reads requests as JSON lines, answers with what it measured.

{"learn": peer, "path", "vocab_size", "whole", "threads"}      -> seconds, peak_mb, tokens (hex)
{"open": peer, "name": ..., "ranks": ..., "json": ..., "texts": path}  -> peak_mb
{"encode": number of a text}                                  -> seconds, peak_mb, n_tokens, digest
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
        self.encode: Encoder = len
        self.texts: list[str] = []

    def open(self, request: Answer) -> Answer:
        path = request["json"]
        vocabulary = Vocabulary(request["name"], Path(request["ranks"]), Path(path) if path else None)
        self.encode = ENCODERS[request["open"]](vocabulary)
        self.texts = json.loads(Path(request["texts"]).read_text("utf-8"))
        return {"peak_mb": peak_mb()}

    def run(self, request: Answer) -> Answer:
        text = self.texts[request["encode"]]
        ids, seconds = clocked(lambda: self.encode(text))
        digest = hashlib.sha256(array("I", ids).tobytes()).hexdigest()
        return {**seconds, "peak_mb": peak_mb(), "n_tokens": len(ids), "digest": digest}


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        n_cores = int(os.environ.get("BENCHMARK_CORES", "1"))
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-n_cores:])
    # Answers only: what a peer prints must not get between them.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    encoder = EncoderProcess()
    for line in sys.stdin:
        request = json.loads(line)
        act = learn if "learn" in request else encoder.open if "open" in request else encoder.run
        try:
            answer = act(request)
        except (ImportError, LookupError) as error:
            answer = {"missing": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
