"""A vocabulary that the compiled half holds: asked like a dict, without a Python object for each of 200,000 tokens."""

from __future__ import annotations

from typing import Any

from bytepair._native import Tables
from bytepair.formats.places import Place, parse


class Table(dict[str, int]):
    """The vocabulary of a file; the dict itself stays empty."""

    __slots__ = ("tables",)

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self.tables = tables

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and self.tables.get(token) is not None

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, token: str) -> int:
        found = self.tables.get(token)
        if found is None:
            raise KeyError(token)
        return found

    def get(self, token: str, default: Any = None) -> Any:
        """The id of a token."""
        found = self.tables.get(token)
        return default if found is None else found


def parsed(data: bytes, where: str) -> Place | None:
    """The top level of a file with its tables apart; None where it must be read step by step."""
    tables = Tables.read(data)
    if tables is None:
        return None
    top = parse(tables.rest.encode(), where)
    top.value["model"]["vocab"] = Table(tables)
    return top
