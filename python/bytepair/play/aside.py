"""Work that takes its time, beside the loop that answers requests."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


async def aside(work: Callable[..., T], *given: Any) -> T:
    """Call a function in a thread of its own, and wait for what it gives.

    The thread is a daemon: the program ends at once, also while it works.
    """
    loop = running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            found = work(*given)
        except BaseException as error:
            tell(loop, _settle, result, None, error)
        else:
            tell(loop, _settle, result, found, None)

    threading.Thread(target=run, daemon=True).start()
    return await result


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop that this is called in."""
    import asyncio

    return asyncio.get_running_loop()


def tell(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *given: Any) -> None:
    """Have a function called in a loop, from any thread; nothing happens once the loop has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *given)


def _settle(result: asyncio.Future[Any], found: Any, error: BaseException | None) -> None:
    # Who waited may have gone.
    if result.done():
        return
    if error is None:
        result.set_result(found)
    else:
        result.set_exception(error)
