"""What the page asks, as plain values, and how an answer is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bytepair import arguments
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose origin was checked.

    Args:
        query: what stands behind the ? of the address.
        body: what was sent, whole.
    """

    query: Mapping[str, str]
    body: bytes = b""

    def text(self) -> str:
        """The body as a text; what is not UTF-8 becomes U+FFFD, as it does in a page."""
        return self.body.decode("utf-8", "replace")

    def fields(self) -> Fields:
        """The body as the fields of a JSON object.

        Raises:
            ArgumentError: it is none.
        """
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise ArgumentError(f"the request holds no JSON ({error}); reload the page") from None
        if not isinstance(found, dict):
            raise ArgumentError(f"the request holds {kind(found)} where an object is needed; reload the page")
        return Fields(found)

    def asked(self) -> Fields:
        """The query as fields."""
        return Fields(self.query)


@dataclass(frozen=True, slots=True)
class Fields:
    """Named values from outside, each checked where it is read."""

    given: Mapping[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A str; lone surrogates become U+FFFD."""
        value = self.given.get(name, default)
        if not isinstance(value, str):
            raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be a text")
        return arguments.without_surrogates(value, "replace", name)

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """An int from `low` to `high`, as a number or in digits."""
        value = self.given.get(name, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be a whole number")
        if not low <= value <= high:
            raise ArgumentError(f"{name} is {value:,}; it must be from {low:,} to {high:,} here")
        return value

    def choice(self, name: str, options: Mapping[str, Any], default: str | None = None) -> Any:
        """What one of several names stands for."""
        value = self.given.get(name, default)
        if not isinstance(value, str) or value not in options:
            raise ArgumentError(f"{name} is {shown(value)}; it must be one of {', '.join(options)}")
        return options[value]

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self.given.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ArgumentTypeError(f"{name} is {shown(value)} ({kind(value)}); it must be a list of texts")
        return [arguments.without_surrogates(each, "replace", name) for each in value]
