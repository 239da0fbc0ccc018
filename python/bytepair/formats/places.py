"""Values of a JSON file that know where they stand, so that every complaint names its place."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from bytepair.arguments import shown
from bytepair.errors import FormatError, FormatWarning

_NAMES = {dict: "an object", list: "a list", str: "a string", int: "a whole number", bool: "true or false"}


def as_json(value: object) -> str:
    """A value as JSON, the beginning of it where it is long."""
    found = json.dumps(value, ensure_ascii=False)
    return found if len(found) <= 80 else f"{found[:77]}..."


@dataclass(frozen=True, slots=True)
class Place:
    """A value, the path that leads to it (`model.vocab["a"]`), and the file."""

    value: Any
    path: str
    file: str

    def fail(self, expected: str, fix: str = "") -> NoReturn:
        """Raise FormatError: what was found here, what was expected, what to do."""
        said = [each if len(each) <= 300 else f"{each[:297]}..." for each in (expected, fix) if each]
        raise FormatError(f"{self.file}: {self._where()} is {as_json(self.value)}; expected {'; '.join(said)}")

    def _where(self) -> str:
        """The path as messages tell it: keys of strangers may make it long."""
        path = self.path or "the top level"
        return path if len(path) <= 200 else f"{path[:197]}..."

    def _typed(self, wanted: type) -> Any:
        # bool is an int in Python, not in JSON.
        if not isinstance(self.value, wanted) or (isinstance(self.value, bool) and wanted is not bool):
            self.fail(_NAMES[wanted])
        return self.value

    def text(self) -> str:
        """The string here; it must be text that can be written in UTF-8."""
        found: str = self._typed(str)
        try:
            found.encode()
        except UnicodeEncodeError:
            raise FormatError(
                f"{self.file}: {self._where()} is {shown(found)}, with a lone surrogate; expected text"
            ) from None
        return found

    def integer(self) -> int:
        """The whole number here."""
        found: int = self._typed(int)
        return found

    def index(self, most: int = 2**63 - 1) -> int:
        """The whole number here, from 0 to `most`."""
        found = self.integer()
        if found < 0:
            self.fail("0 or more")
        if found > most:
            self.fail(f"at most {most}")
        return found

    def id(self) -> int:
        """The whole number of 32 bits here."""
        return self.index(2**32 - 1)

    def flag(self) -> bool:
        """The truth here."""
        found: bool = self._typed(bool)
        return found

    def one_of(self, *allowed: str) -> str:
        """The string here, one of those."""
        found = self.text()
        if found not in allowed:
            self.fail(" or ".join(repr(each) for each in allowed))
        return found

    def keys(self) -> list[str]:
        """The keys of the object here."""
        return list(self._typed(dict))

    def indices(self) -> dict[str, int]:
        """The object here, all of whose values are whole numbers, 0 or more."""
        values: dict[str, Any] = self._typed(dict)
        # One that answers without holding its entries has none to look at.
        for key, value in values.items():
            # A place for each of 200,000 tokens would take longer than all the rest.
            if type(value) is not int or value < 0:
                self.entry(key).index()
        return values

    def entry(self, key: str) -> Place:
        """What the object here holds under a key, named as a key of a table is."""
        return Place(self.value[key], f"{self.path}[{as_json(key)}]", self.file)

    def list(self) -> list[Any]:
        """The list here."""
        found: list[Any] = self._typed(list)
        return found

    def element(self, index: int) -> Place:
        """One element of the list here."""
        return Place(self.value[index], f"{self.path}[{index}]", self.file)

    def elements(self) -> Iterator[Place]:
        """The elements of the list here."""
        for index in range(len(self.list())):
            yield self.element(index)

    def at(self, key: str) -> Place:
        """What the object here holds under a key that must be there."""
        if key not in self._typed(dict):
            raise FormatError(
                f"{self.file}: {self._where()} has no {key!r}; expected one; its keys are {self._listed()}"
            )
        return self.maybe(key)

    def maybe(self, key: str) -> Place:
        """What the object here holds under a key; null where it is not there."""
        path = f"{self.path}.{key}" if self.path else key
        return Place(self._typed(dict).get(key), path, self.file)

    def _listed(self) -> str:
        keys = self.keys()
        more = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
        return (", ".join(shown(key) for key in keys[:8]) or "none") + more

    def __bool__(self) -> bool:
        return self.value is not None


def parse(data: bytes, file: str) -> Place:
    """The top level of a JSON file. Of a key that stands twice in an object the last counts, which a warning says.

    Raises:
        FormatError: it is not UTF-8, or no JSON; names line and column.
    """
    repeated: list[str] = []

    def made(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            repeated.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return found

    try:
        top = Place(json.loads(data.decode("utf-8-sig"), object_pairs_hook=made), "", file)
    except UnicodeDecodeError as error:
        raise FormatError(f"{file}: byte {error.start} is not UTF-8; a tokenizer file is UTF-8") from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{file}: line {error.lineno}, column {error.colno}: {error.msg}; the file is broken or cut short, "
            "get it again"
        ) from None
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"{file}: {error}; a tokenizer file holds no such value") from None
    except RecursionError:
        raise FormatError(f"{file}: it is nested too deeply for a tokenizer file") from None
    if repeated:
        warnings.warn(
            f"{file}: the key {repeated[0]!r} stands twice in one object ({len(repeated)} keys in all do); the last "
            "one counts, as for other readers of JSON",
            FormatWarning,
            stacklevel=2,
        )
    return top
