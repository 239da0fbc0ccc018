"""The server of the playground: on this computer alone, at a port that is free, ended at once by Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from bytepair.errors import ArgumentError, MissingPackageError
from bytepair.play.app import application
from bytepair.play.room import Room

ADDRESS: Final = "127.0.0.1"
PORT: Final = 8642
_MOST_TRIED: Final = 20


def serve(
    room: Room,
    listening: socket.socket,
    ready: Callable[[str], object] | None = None,
    stop: threading.Event | None = None,
) -> None:
    """Serve a playground until Ctrl-C.

    Args:
        room: what it answers from.
        listening: where, as `listener` gives it; closed at the end.
        ready: called with the address once it can be opened.
        stop: ends it as Ctrl-C does, where it runs in a thread; looked at ten times a second.

    Raises:
        MissingPackageError: Starlette or uvicorn is not installed.
    """
    refuse_without_packages()
    port: int = listening.getsockname()[1]
    address = f"http://{ADDRESS}:{port}/"
    server = _server_class()(room, application(room, port), lambda: ready and ready(address), stop)
    with contextlib.closing(listening), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def refuse_without_packages() -> None:
    """Say no before any work where the extra is not installed.

    Raises:
        MissingPackageError: Starlette, uvicorn or NumPy is missing; names the extra.
    """
    for package in ("starlette", "uvicorn", "numpy"):
        if importlib.util.find_spec(package) is None:
            raise MissingPackageError(f"the playground needs {package}, which is missing: pip install 'bytepair[play]'")


def listener(port: int | None) -> socket.socket:
    """A socket that listens on this computer alone.

    Args:
        port: its number; None: 8642, or the next one that is free.

    Raises:
        ArgumentError: the port is taken or not allowed; says what to do.
    """
    if port is not None:
        try:
            return _bound(port)
        except OSError as error:
            raise ArgumentError(_why_not(port, error)) from error
    for candidate in (*range(PORT, PORT + _MOST_TRIED), 0):
        try:
            return _bound(candidate)
        except OSError as error:
            if candidate == 0:
                raise ArgumentError(f"no port of {ADDRESS} can be listened at: {error.strerror}") from error
    raise AssertionError("the last candidate is any port")


def _bound(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            # On Windows another program could listen at the same port as well.
            made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # A port that was just left may be taken again; one that is in use may not.
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((ADDRESS, port))
        made.listen(128)
    except BaseException:
        made.close()
        raise
    return made


def _why_not(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is in use by another program, perhaps another playground; stop that, or take another one "
            f"with --port, or none: then the next free one is taken"
        )
    return f"port {port} cannot be listened at: {error.strerror}; take one from 1024 to 65535"


def _server_class() -> Callable[..., Any]:
    """The server of uvicorn, which says when it is ready and ends trainings before it ends itself."""
    import uvicorn

    class Playground(uvicorn.Server):
        def __init__(self, room: Room, app: Any, ready: Callable[[], object], stop: threading.Event | None) -> None:
            super().__init__(
                uvicorn.Config(
                    app, log_level="error", access_log=False, lifespan="off", ws="none", timeout_graceful_shutdown=1
                )
            )
            self._room, self._ready, self._stop = room, ready, stop

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            self._ready()

        async def on_tick(self, counter: int) -> bool:
            if self._stop is not None and self._stop.is_set() and not self.should_exit:
                self.handle_exit(signal.SIGINT, None)
            return bool(await super().on_tick(counter))

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            # What is under way is dropped, which is meant.
            uvicorn.server.logger.setLevel("CRITICAL")
            self._room.courses.stop()
            super().handle_exit(sig, frame)

    return Playground
