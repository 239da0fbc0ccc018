"""Whom the playground refuses: other names, other sites, other paths, and bodies without end."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from bytepair.play import limits
from bytepair.play.room import ANSWERS

httpx = pytest.importorskip("httpx", reason="the package httpx is not installed")
pytest.importorskip("starlette", reason="the package starlette is not installed")
pytest.importorskip("uvicorn", reason="the package uvicorn is not installed")

from playground import Running, running  # noqa: E402  # it needs the packages above

FILES = ["/", "/index.html", "/main.js", "/style.css", "/icon.svg"]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


def own(server: Running) -> dict[str, str]:
    return {"origin": server.address.rstrip("/"), "x-bytepair": "play"}


def raw(server: Running, request: str) -> tuple[int, dict[str, str], bytes]:
    """A request byte by byte, as no browser would send it; the reply."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        connection.shutdown(socket.SHUT_WR)
        data = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}, body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "", "127.0.0.1", "[::1]"]
)
@pytest.mark.parametrize("path", ["/", "/api/start"])
def test_a_name_that_is_not_this_computers_is_refused(server: Running, host: str, path: str) -> None:
    method = "POST" if path.startswith("/api") else "GET"
    status, _, body = raw(
        server,
        f"{method} {path} HTTP/1.1\nHost: {host}\nOrigin: http://{host}\nX-Bytepair: play\n"
        "Content-Length: 0\nConnection: close\n\n",
    )
    assert status == 403 and "answers only to 127.0.0.1:" in json.loads(body)["error"]


def test_the_other_name_of_this_computer_is_answered(server: Running) -> None:
    host = f"localhost:{server.port}"
    assert httpx.get(server.address, headers={"host": host}).status_code == 200
    headers = {"host": host, "origin": f"http://{host}", "x-bytepair": "play"}
    assert httpx.post(f"{server.address}api/start", headers=headers).status_code == 200


@pytest.mark.parametrize("name", [*ANSWERS, "train"])
@pytest.mark.parametrize(
    "changed",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": None},
        {"origin": "http://127.0.0.1:1"},
        {"x-bytepair": None},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
def test_no_other_site_may_ask_the_engine(server: Running, name: str, changed: dict[str, str | None]) -> None:
    headers = {key: value for key, value in (own(server) | changed).items() if value is not None}
    reply = httpx.post(f"{server.address}api/{name}", headers=headers, content=b"x")
    assert reply.status_code == 403 and server.address in reply.json()["error"]
    assert len(server.room.shelf.entries()) == 2 and not server.room.courses.runs


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_the_engine_is_only_asked_by_post(server: Running, method: str) -> None:
    headers = own(server) | {"access-control-request-method": "POST", "access-control-request-headers": "x-bytepair"}
    reply = httpx.request(method, f"{server.address}api/start", headers=headers)
    assert reply.status_code == 403
    assert not [name for name in reply.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/main.js"])
def test_nothing_is_sent_to_the_page(server: Running, path: str) -> None:
    assert httpx.post(server.address.rstrip("/") + path, headers=own(server)).status_code == 403


@pytest.mark.parametrize("path", [*FILES, "/nothing.js", "/api/start", "/api/nothing"])
def test_every_answer_forbids_what_the_page_does_not_need(server: Running, path: str) -> None:
    method = "POST" if path.startswith("/api") else "GET"
    reply = httpx.request(method, server.address.rstrip("/") + path, headers=own(server))
    policy = dict(part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "connect", "img")} == {"'self'"}
    assert policy["require-trusted-types-for"] == "'script'" and "unsafe" not in str(policy)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in reply.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/..%2fapp.py",
        "/%2e%2e/app.py",
        "/static/main.js",
        "/%2fetc%2fpasswd",
        "//etc/passwd",
        "/app.py",
        "/__init__.py",
        "/main.js%00",
        "/..\\app.py",
        "/api/../main.js",
    ],
)
def test_no_path_leads_out_of_the_page(server: Running, path: str) -> None:
    status, _, body = raw(server, f"GET {path} HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: close\n\n")
    assert status in (403, 404) and b"import" not in body and b"root:" not in body


def test_the_page_holds_no_program_and_no_style_of_its_own(server: Running) -> None:
    html = httpx.get(server.address).text
    assert "style=" not in html and "onclick" not in html and "<style" not in html
    assert html.count("<script") == html.count("<script src=") + html.count('<script type="module" src=')
    assert "http://" not in html and "https://" not in html


def test_a_file_of_another_kind_is_not_given_out_as_a_program(server: Running) -> None:
    types = {path: httpx.get(server.address.rstrip("/") + path).headers["content-type"] for path in FILES}
    assert types == {
        "/": "text/html; charset=utf-8",
        "/index.html": "text/html; charset=utf-8",
        "/main.js": "text/javascript; charset=utf-8",
        "/style.css": "text/css; charset=utf-8",
        "/icon.svg": "image/svg+xml",
    }


@pytest.mark.parametrize("name", ["start", "token", "remove", "file", "trace", "compare"])
def test_a_body_that_is_too_large_is_refused(server: Running, name: str) -> None:
    limit = ANSWERS[name][1]
    reply = httpx.post(f"{server.address}api/{name}", headers=own(server), content=b"x" * (limit + 1))
    assert reply.status_code == 413
    assert (
        reply.json()["error"] == f"this has {limit + 1:,} bytes; the playground takes {limit:,} here: take a part of it"
    )


def test_a_body_that_does_not_say_its_size_is_measured_too(server: Running) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(limits.SMALL // 1000 + 9):
            yield b"x" * 1000

    reply: Any = httpx.post(f"{server.address}api/start", headers=own(server), content=chunks())
    assert reply.status_code == 413 and "this has more than" in reply.json()["error"]


def test_a_size_that_is_only_claimed_is_refused_before_anything_is_read(server: Running) -> None:
    head = f"POST /api/train HTTP/1.1\nHost: 127.0.0.1:{server.port}\nOrigin: {server.address.rstrip('/')}\n"
    status, _, body = raw(server, f"{head}X-Bytepair: play\nContent-Length: 99999999999\nConnection: close\n\nxx")
    assert status == 413 and b"99,999,999,999 bytes" in body


def test_a_websocket_is_not_answered(server: Running) -> None:
    status, _, _ = raw(
        server,
        f"GET /api/start HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: Upgrade\nUpgrade: websocket\n"
        "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n\n",
    )
    assert status != 101
