"""The playground on the web: each request checked, its body measured, answered by the room. Starlette is an extra."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bytepair.errors import BytepairError
from bytepair.play import limits, security
from bytepair.play.aside import aside
from bytepair.play.calls import Call
from bytepair.play.courses import Course
from bytepair.play.room import ANSWERS, Room

if TYPE_CHECKING:
    from asyncio import Semaphore

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

_TYPES: Final[Mapping[str, str]] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


class TooLargeError(BytepairError, ValueError):
    """A request holds more than is taken."""


def application(room: Room, port: int) -> ASGIApp:
    """The whole server as an ASGI application.

    Args:
        room: what it answers from.
        port: that it is reached at, by which requests are told from those of other sites.
    """
    from asyncio import Semaphore

    from starlette.applications import Starlette
    from starlette.routing import Route

    page, at_once = page_files(), Semaphore(limits.AT_ONCE)

    async def file(request: Request) -> Response:
        return _file(page, request.path_params.get("name", "index.html"))

    async def train(request: Request) -> Response:
        return await _train(room, request)

    async def answer(request: Request) -> Response:
        return await _answer(room, request, at_once)

    routes = [
        *(Route(path, file, methods=["GET"]) for path in ("/", "/{name}")),
        Route("/api/train", train, methods=["POST"]),
        Route("/api/{name}", answer, methods=["POST"]),
    ]
    return _guarded(Starlette(routes=routes), port)


def page_files() -> dict[str, bytes]:
    """The files of the page by name: these are read, and no others can be asked for."""
    folder = Path(__file__).parent / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.split(".")[-1] in _TYPES}


def _guarded(inner: Starlette, port: int) -> ASGIApp:
    """Every request checked before, every answer dressed after."""
    from starlette.datastructures import Headers, MutableHeaders
    from starlette.types import Message, Receive, Scope, Send

    allowed = security.hosts(port)

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(security.HEADERS)
            await send(message)

        if scope["type"] != "http":
            return
        why = security.refusal(scope["path"], scope["method"], Headers(scope=scope), allowed)
        answer: ASGIApp = inner if why is None else _refused(why, 403)
        await answer(scope, receive, dressed)

    return guarded


def _file(page: Mapping[str, bytes], name: str) -> Response:
    from starlette.responses import Response

    if name not in page:
        return _refused("the playground has no such page; open its first one, /", 404)
    return Response(page[name], media_type=_TYPES[name.split(".")[-1]])


async def _answer(room: Room, request: Request, at_once: Semaphore) -> Response:
    from starlette.responses import JSONResponse, Response

    name = request.path_params["name"]
    if name not in ANSWERS:
        return _refused(f"the playground does not answer {name[:40]!r}; reload the page", 404)
    ask, limit = ANSWERS[name]
    try:
        call = await _call(request, limit)
        async with at_once:
            found = await aside(ask, room, call)
    except BytepairError as error:
        return _refused(str(error), 413 if isinstance(error, TooLargeError) else 400)
    return Response(found, media_type="application/octet-stream") if isinstance(found, bytes) else JSONResponse(found)


async def _train(room: Room, request: Request) -> Response:
    from starlette.responses import StreamingResponse

    try:
        training = room.courses.begin(Course.of(await _call(request, limits.CORPUS)))
    except BytepairError as error:
        return _refused(str(error), 413 if isinstance(error, TooLargeError) else 400)
    return StreamingResponse(training.lines(), media_type="application/x-ndjson")


async def _call(request: Request, limit: int) -> Call:
    """The request with its whole body, unless that is too large."""
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > limit:
        raise _too_large(f"{int(told):,} bytes", limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise _too_large(f"more than {limit:,} bytes", limit)
    return Call(dict(request.query_params), bytes(body))


def _too_large(size: str, limit: int) -> TooLargeError:
    return TooLargeError(f"this has {size}; the playground takes {limit:,} here: take a part of it")


def _refused(why: str, status: int) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"error": why}, status)
