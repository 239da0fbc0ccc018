"""The file that keeps the merges of a long training until it is done, so that a run that was stopped can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bytepair import whole_file
from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, MissingFileError, PermissionDeniedError, UnreadableFileError

FORMAT_VERSION: Final = 1
SECONDS_BETWEEN_WRITES: Final = 30.0

_NO_CHECKPOINT = "name another file, or delete it to begin anew"


class Checkpoint:
    """The merges of one training so far, in memory and in a file that is always whole.

    Args:
        path: the file. One that is there is read, and must come from a training with the same options.
        options: what decides the merges beside the corpus, as JSON can hold it.

    Raises:
        ArgumentError: the file comes from a training with other options; names them.
        FormatError: it is no checkpoint.
        MissingFileError, UnreadableFileError: it cannot be read, or not be written later.
    """

    def __init__(self, path: Path, options: Mapping[str, Any]) -> None:
        self.path = path
        self.options = dict(options)
        self.corpus: dict[str, Any] | None = None
        self.merges: list[tuple[bytes, bytes]] = []
        self.counts: list[int] = []
        self.passed_over: list[bytes] = []
        stored = self._read()
        if stored is None:
            self._refuse_no_place()
        else:
            self._take(stored)
        self.resumed = len(self.merges)

    def match(self, corpus: Mapping[str, Any]) -> None:
        """Make sure that the corpus is the one of the file.

        Raises:
            ArgumentError: it is another one.
        """
        if self.corpus is not None:
            self._compare(self.corpus, corpus)
        self.corpus = dict(corpus)

    def add(self, merges: list[tuple[bytes, bytes, int]], passed_over: list[bytes]) -> None:
        """Keep merges that were made since the last call, and write the file.

        Args:
            merges: (left, right, count) in the order of their ranks.
            passed_over: all spellings that this run has passed over.
        """
        self.merges += [(left, right) for left, right, _ in merges]
        self.counts += [count for *_, count in merges]
        self.passed_over = self.with_passed_over(passed_over)
        whole_file.write(self.path, self._contents())

    def with_passed_over(self, spellings: list[bytes]) -> list[bytes]:
        """Those that earlier runs have passed over, and then these."""
        return list(dict.fromkeys([*self.passed_over, *spellings]))

    def _read(self) -> bytes | None:
        whole_file.refuse_special_file(self.path)
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except PermissionError as error:
            raise PermissionDeniedError(
                f"the checkpoint {str(self.path)!r} cannot be read: {error.strerror}; change its permissions"
            ) from error
        except (OSError, ValueError) as error:
            raise UnreadableFileError(
                f"the checkpoint {shown(str(self.path), 200)} cannot be read: {_reason(error)}; name another file"
            ) from error

    def _refuse_no_place(self) -> None:
        if not self.path.parent.is_dir():
            raise MissingFileError(
                f"the checkpoint {str(self.path)!r} cannot be written: there is no folder {str(self.path.parent)!r}; "
                "make it first"
            )

    def _take(self, data: bytes) -> None:
        try:
            stored = json.loads(data)
            version = stored["bytepair_checkpoint"]
            if version != FORMAT_VERSION:
                raise FormatError(
                    f"the checkpoint {str(self.path)!r} has the version {shown(version)}; expected {FORMAT_VERSION}; "
                    "use the bytepair that wrote it"
                )
            options, corpus = dict(stored["options"]), dict(stored["corpus"])
            merges = [(_bytes(left), _bytes(right)) for left, right, _ in stored["merges"]]
            counts = [int(count) for *_, count in stored["merges"]]
            passed_over = [_bytes(spelling) for spelling in stored["passed_over"]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{str(self.path)!r} is no checkpoint of a training; {_NO_CHECKPOINT}") from None
        self._compare(options, self.options)
        self.corpus, self.merges, self.counts, self.passed_over = corpus, merges, counts, passed_over

    def _compare(self, stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        for name in dict.fromkeys([*wanted, *stored]):
            if stored.get(name) != wanted.get(name):
                raise ArgumentError(
                    f"the checkpoint {str(self.path)!r} is of another training: {name} is {shown(wanted.get(name))} "
                    f"here and {shown(stored.get(name))} there; {_NO_CHECKPOINT}"
                )

    def _contents(self) -> bytes:
        merges = [
            [_text(left), _text(right), count] for (left, right), count in zip(self.merges, self.counts, strict=True)
        ]
        stored = {
            "bytepair_checkpoint": FORMAT_VERSION,
            "options": self.options,
            "corpus": self.corpus,
            "passed_over": [_text(spelling) for spelling in self.passed_over],
            "merges": merges,
        }
        return (json.dumps(stored) + "\n").encode()


def _text(spelling: bytes) -> str:
    """A character a byte, so that JSON holds any spelling and English can be read."""
    return spelling.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _reason(error: Exception) -> str:
    """Without the number and the path that Python puts round it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
