"""Who may ask: the page that this server gave out, in a browser on this computer, and nobody else.

Other sites can send requests to 127.0.0.1 from a visitor's browser, and can give their own names that address. So the
name that was asked for (Host) must be this computer's, and whoever asks the engine for anything must be this page: by
its Origin, which no page can forge, and by a header that no other site may send without leave, which is never given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

# Scripts, styles, pictures and requests from here alone; no markup is ever made of text.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer carries."""

MARK: Final = "x-bytepair"
"""A header that the page sends with every request to the engine."""


def hosts(port: int) -> frozenset[str]:
    """The names by which a browser on this computer asks for the page."""
    names = ("127.0.0.1", "localhost")
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def refusal(path: str, method: str, headers: Mapping[str, str], allowed: Iterable[str]) -> str | None:
    """Why a request is refused; None: it is not.

    Args:
        path: that is asked for.
        method: of HTTP.
        headers: by names in small letters.
        allowed: the hosts.

    >>> refusal("/", "GET", {"host": "evil.example"}, hosts(8642))
    "this server answers only to 127.0.0.1:8642 and localhost:8642, not to 'evil.example'; open one of these"
    """
    host = headers.get("host", "")
    if host not in allowed:
        names = " and ".join(sorted(allowed))
        return f"this server answers only to {names}, not to {host[:80]!r}; open one of these"
    if not path.startswith("/api/"):
        return None if method in ("GET", "HEAD") else "the page is only given out, with GET; nothing can be sent to it"
    if method != "POST":
        return "the engine is asked with POST, by the page of the playground; open that"
    if headers.get("origin") != f"http://{host}" or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return f"this request does not come from the page of the playground; open http://{host}/"
    if headers.get(MARK) is None:
        return f"this request does not carry the mark of the playground's page ({MARK}); open http://{host}/"
    return None
