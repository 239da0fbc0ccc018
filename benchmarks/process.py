"""Starting and asking children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from types import TracebackType
from typing import Any


class Child:
    """A process that measures one peer, pinned to as many cores as it may use threads.

    Args:
        threads: for peers that take the number from their environment.
        portable: without the wide instructions that the processor has; only bytepair looks at it.
    """

    def __init__(self, threads: int = 1, portable: bool = False) -> None:
        limits = {name: str(threads) for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "BENCHMARK_CORES")}
        limits["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | limits | ({"BYTEPAIR_INSTRUCTIONS": "portable"} if portable else {}),
        )

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, *, seconds: float | None = None, **request: Any) -> dict[str, Any]:
        """Send a request and wait for the answer.

        Raises:
            TimeoutError: it took more than `seconds`, and the process was ended.
            RuntimeError: the process has died.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        late = threading.Event()
        timer = threading.Timer(seconds or threading.TIMEOUT_MAX, self._end, [late])
        timer.daemon = True
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        if late.is_set():
            raise TimeoutError(f"over {seconds:g} s")
        if not line:
            raise RuntimeError(f"the process for {request} ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def close(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
