"""Files that are read again for their hashes: several at a time, with progress, and stopped at once by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from threading import Lock
from typing import Final, TypeVar

from bytepair.progress import SECONDS_BETWEEN_EVENTS, Watch

Found = TypeVar("Found")
_SECONDS: Final = SECONDS_BETWEEN_EVENTS


class _Count:
    """Bytes that all threads have read."""

    def __init__(self) -> None:
        self.done = 0
        self.stopped = False
        self._lock = Lock()

    def add(self, n_bytes: int) -> None:
        with self._lock:
            self.done += n_bytes
        if self.stopped:
            raise CancelledError


def all_of(
    jobs: Sequence[Callable[[Callable[[int], None]], Found]], threads: int, watch: Watch, n_bytes: int
) -> list[Found]:
    """What all jobs give, in their order.

    Args:
        jobs: each takes a function that it tells of the bytes that it reads.
        threads: how many run at a time.
        watch: told how far all are.
        n_bytes: that all read.
    """
    watch.begin("checking")
    count = _Count()
    with ThreadPoolExecutor(threads, thread_name_prefix="bytepair-checking") as pool:
        futures = [pool.submit(job, count.add) for job in jobs]
        try:
            for future in futures:
                while not wait([future], _SECONDS).done:
                    watch.bytes_read(count.done, n_bytes)
                watch.bytes_read(count.done, n_bytes)
                future.result()
        except BaseException:
            count.stopped = True
            pool.shutdown(cancel_futures=True)
            raise
    watch.bytes_read(count.done, n_bytes, last=True)
    return [future.result() for future in futures]
