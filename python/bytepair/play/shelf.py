"""The tokenizers that the page may use: given on the command line, dropped on the page, or trained in it."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass
from typing import Any, Literal

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, BytepairError
from bytepair.play import limits
from bytepair.tally import Tally
from bytepair.tiktoken.published import PUBLISHED
from bytepair.tokenizer import Tokenizer, load

Origin = Literal["given", "dropped", "trained"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A tokenizer on the shelf.

    Args:
        key: what the page calls it.
        name: what people call it, unlike any other here.
        tok: the tokenizer.
        origin: where it is from.
        tally: what it was trained on; None where it was not trained here.
    """

    key: str
    name: str
    tok: Tokenizer
    origin: Origin
    tally: Tally | None = None

    def about(self) -> dict[str, Any]:
        """What the page shows of it, as JSON can hold it."""
        tok = self.tok
        return {
            "key": self.key,
            "name": self.name,
            "origin": self.origin,
            "vocab_size": tok.vocab_size,
            "n_merges": len(tok.model.merges),
            "kind": tok.model.kind,
            "alphabet": tok.model.alphabet,
            "pattern": tok.pattern,
            "specials": list(tok.special_tokens)[:50],
            "lossless": tok.lossless,
            "losses": list(tok.losses),
            "sizes": None if self.tally is None else [tok.at(num_merges=0).vocab_size, tok.vocab_size],
        }


class Shelf:
    """Tokenizers by key, in the order in which they came; any thread may use it.

    >>> from bytepair.tokenizer import train
    >>> shelf = Shelf()
    >>> shelf.add("ours", train(["low low"], num_merges=1), "given").key
    't1'
    >>> [entry.name for entry in shelf.entries()]
    ['ours']
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}
        self._n_made = 0

    def entries(self) -> list[Entry]:
        """All of them."""
        with self._lock:
            return list(self._entries.values())

    def refuse_if_full(self) -> None:
        """Say no before any work.

        Raises:
            ArgumentError: the shelf is full.
        """
        if len(self.entries()) >= limits.SHELF:
            raise ArgumentError(
                f"{limits.SHELF} tokenizers are held already, which is the limit; remove one that you need no more"
            )

    def add(self, name: str, tok: Tokenizer, origin: Origin, tally: Tally | None = None) -> Entry:
        """Put a tokenizer there, under this name or one made of it."""
        self.refuse_if_full()
        with self._lock:
            self._n_made += 1
            entry = Entry(f"t{self._n_made}", self._unlike_others(name[:80] or "tokenizer"), tok, origin, tally)
            self._entries[entry.key] = entry
            return entry

    def _unlike_others(self, name: str) -> str:
        taken = {entry.name for entry in self._entries.values()}
        unique, number = name, 1
        while unique in taken:
            number += 1
            unique = f"{name} ({number})"
        return unique

    def entry(self, key: str) -> Entry:
        """The tokenizer of a key.

        Raises:
            ArgumentError: there is none.
        """
        with self._lock:
            found = self._entries.get(key)
        if found is None:
            raise ArgumentError(f"there is no tokenizer {shown(key)} here; it was removed, or the playground restarted")
        return found

    def remove(self, key: str) -> None:
        """Take one away; it stays usable by whoever holds it."""
        entry = self.entry(key)
        with self._lock:
            self._entries.pop(entry.key, None)


def opened(name: str, data: bytes, pattern: str | None) -> Tokenizer:
    """A tokenizer from the contents of a file.

    Args:
        name: of the file, for messages; a published name says what the file does not.
        data: what it holds.
        pattern: for formats that hold none.

    Raises:
        BytepairError: it is no tokenizer, or needs a pattern; says what to do in the page.
    """
    stem = name.removesuffix(".tiktoken")
    published = PUBLISHED.get(stem) if stem != name and pattern is None else None
    if published is not None:
        return load(_named(name, data), pattern=published.pat_str, special_tokens=published.special_tokens)
    try:
        return load(_named(name, data), pattern=pattern)
    except BytepairError as error:
        if pattern is None and "pattern" in str(error):
            raise ArgumentError(f"{error}; in this page: choose its pattern, and drop the file again") from error
        raise


def _named(name: str, data: bytes) -> io.BytesIO:
    stream = io.BytesIO(data)
    stream.name = name  # messages call the file by it
    return stream
