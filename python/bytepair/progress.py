"""What long work tells on its way: events for the caller, or a line that shows them where the program runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError
from bytepair.render import display, number_of, visible

Stage: TypeAlias = Literal["counting", "learning", "proving", "packing", "checking"]
Merge: TypeAlias = "tuple[bytes, bytes, int]"

SECONDS_BETWEEN_EVENTS: Final = 0.1
# What is left is judged by the last seconds: the first merges take longer than the later ones.
_SECONDS_OF_RATE: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a training, a count or a proof is.

    Args:
        stage: "counting": bytes are read; "learning": merges are made; "proving": they are replayed and checked;
            "packing": text is encoded and written; "checking": what was written is read again.
        done: bytes or merges so far.
        total: bytes or merges in all; None where it is not known, as for a generator.
        unit: "bytes" or "merges".
        seconds: since this stage began.
        seconds_left: an estimate from the last seconds; None where `total` is not known or nothing is done yet.
        n_documents: read so far, a file under way not included; None where the pieces were given counted.
        n_pieces: distinct ones; None until all are counted.
        merge: the last merge as (left, right), spelled in bytes.
        count: how often its pair stood in the corpus.
        bytes_per_token: bytes of all pieces over the tokens that they are now, exactly; None before the first merge.
        n_tokens: written so far; None where none are.

    >>> print(Progress(stage="counting", done=5_000_000, total=20_000_000, unit="bytes", seconds=1.0, seconds_left=3.0))
    counting: 5.0 of 20.0 MB, 3 s left, 5.0 MB/s
    """

    stage: Stage
    done: int
    total: int | None
    unit: Literal["bytes", "merges"]
    seconds: float
    seconds_left: float | None = None
    n_documents: int | None = None
    n_pieces: int | None = None
    merge: tuple[bytes, bytes] | None = None
    count: int | None = None
    bytes_per_token: float | None = None
    n_tokens: int | None = None

    @property
    def share(self) -> float | None:
        """The part that is done, 0 to 1; None where the whole is not known."""
        if self.total is None:
            return None
        return min(self.done / self.total, 1.0) if self.total else 1.0

    @property
    def per_second(self) -> float:
        """Bytes or merges a second since the stage began."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    def __str__(self) -> str:
        return f"{self.stage}: {self.details()}"

    def details(self) -> str:
        """The line without the name of the stage; what a narrow screen may cut comes last."""
        left = [] if self.seconds_left is None else [f"{_duration(self.seconds_left)} left"]
        first, *others = self._counting() if self.unit == "bytes" else self._learning()
        return ", ".join([first, *left, *others])

    def _counting(self) -> list[str]:
        read = f"{self.done / 1e6:,.1f}"
        parts = [f"{read} MB" if self.total is None else f"{read} of {self.total / 1e6:,.1f} MB"]
        parts.append(f"{self.per_second / 1e6:,.1f} MB/s")
        if self.n_documents:
            parts.append(number_of(self.n_documents, "document"))
        if self.n_tokens:
            parts.append(number_of(self.n_tokens, "token"))
        if self.n_pieces:
            parts.append(number_of(self.n_pieces, "distinct piece"))
        return parts

    def _learning(self) -> list[str]:
        parts = [f"merge {self.done:,}" if self.total is None else f"merge {self.done:,} of {self.total:,}"]
        if self.bytes_per_token is not None:
            parts.append(f"{self.bytes_per_token:.2f} bytes/token")
        if self.merge is not None:
            left, right = self.merge
            parts.append(f"`{visible(left)}` + `{visible(right)}` -> `{visible(left + right)}` ({self.count:,})")
        return parts


ProgressOption: TypeAlias = "bool | Literal['auto', 'log'] | Callable[[Progress], object] | None"


def checked(value: object) -> ProgressOption:
    """The value of an argument `progress`, or an error that says what it may be."""
    wanted = 'True or "auto", "log", None or False, or a function that takes one bytepair.Progress'
    if isinstance(value, str):
        if value in ("auto", "log"):
            return value  # type: ignore[return-value]  # mypy does not narrow by `in`
        raise ArgumentError(f"progress is {shown(value)}; it must be {wanted}")
    if value is None or isinstance(value, bool) or callable(value):
        return value
    raise ArgumentTypeError(f"progress is {shown(value)} ({kind(value)}); it must be {wanted}")


class Watch:
    """Makes events of the numbers that work gives, and hands them to a listener at most 10 times a second.

    Args:
        listener: takes an event; None: nobody listens, and nothing is made.
    """

    def __init__(self, listener: Callable[[Progress], object] | None) -> None:
        self._listener = listener
        self.n_documents: int | None = None
        self.n_pieces: int | None = None
        self.n_tokens: int | None = None
        self.begin("counting")

    @property
    def listens(self) -> bool:
        """Whether anybody listens; who has news need not gather it otherwise."""
        return self._listener is not None

    def bytes_read(self, done: int, total: int | None, *, last: bool = False) -> None:
        """News of counting; the last is always told."""
        if self._due(last):
            self._tell(done, total)

    def counted(self, n_documents: int | None, n_pieces: int, then: Stage) -> None:
        """What the counts came to; the next stage begins."""
        self.n_documents, self.n_pieces = n_documents, n_pieces
        self.begin(then)

    def merged(
        self, done: int, total: int | None, merge: Merge | None, bytes_per_token: float | None, *, last: bool = False
    ) -> None:
        """News of merges; the last is always told."""
        if self._due(last):
            self._tell(done, total, merge, bytes_per_token)

    def begin(self, stage: Stage, done: int = 0) -> None:
        """The next stage, of which so much is done already."""
        self._stage = stage
        self._start = self._last = time.monotonic()
        self._marks = deque([(self._start, done)])

    def _due(self, last: bool) -> bool:
        return self.listens and (last or time.monotonic() - self._last >= SECONDS_BETWEEN_EVENTS)

    def _tell(
        self,
        done: int,
        total: int | None,
        merge: Merge | None = None,
        bytes_per_token: float | None = None,
    ) -> None:
        assert self._listener is not None  # `_due` looked
        event = Progress(
            stage=self._stage,
            done=done,
            total=total,
            unit="merges" if self._stage in ("learning", "proving") else "bytes",
            seconds=time.monotonic() - self._start,
            seconds_left=self._seconds_left(done, total),
            n_documents=self.n_documents,
            n_pieces=self.n_pieces,
            merge=None if merge is None else merge[:2],
            count=None if merge is None else merge[2],
            bytes_per_token=bytes_per_token,
            n_tokens=self.n_tokens,
        )
        self._listener(event)
        # A listener that takes its time is not called more often for it.
        self._last = time.monotonic()

    def _seconds_left(self, done: int, total: int | None) -> float | None:
        """By the rate of the last seconds."""
        now = time.monotonic()
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[0][0] > _SECONDS_OF_RATE:
            self._marks.popleft()
        then, before = self._marks[0]
        if total is None or done <= before:
            return 0.0 if total is not None and done >= total else None
        return max(total - done, 0) * (now - then) / (done - before)


@contextmanager
def watching(option: ProgressOption) -> Iterator[Watch]:
    """A watch for as long as the work takes; what it shows on a screen is closed at the end, whatever happens.

    Args:
        option: as `checked` gave it.

    >>> seen = []
    >>> with watching(seen.append) as watch:
    ...     watch.bytes_read(10, 10, last=True)
    >>> seen[0].done, seen[0].share
    (10, 1.0)
    """
    if option is None or option is False:
        yield Watch(None)
    elif callable(option):
        yield Watch(option)
    else:
        with display("log" if option == "log" else "auto") as show:
            yield Watch(lambda event: show(event.stage, event.details(), event.share))


def _duration(seconds: float) -> str:
    """A time as people say it.

    >>> _duration(3.4), _duration(200), _duration(7300)
    ('3 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
