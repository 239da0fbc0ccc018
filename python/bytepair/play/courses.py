"""Long trainings: in a thread of their own, told step by step, and ended when nobody listens any more."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bytepair.analysis.words import readable
from bytepair.errors import ArgumentError, BytepairError
from bytepair.parts import TIES, Ties
from bytepair.patterns import NAMES
from bytepair.play import limits
from bytepair.play.aside import running_loop, tell
from bytepair.play.calls import Call
from bytepair.play.shelf import Shelf
from bytepair.progress import Progress
from bytepair.tally import tally
from bytepair.tokenizer import train

if TYPE_CHECKING:
    import asyncio


class NotWantedError(Exception):
    """Nobody wants the result any more."""


@dataclass(frozen=True, slots=True)
class Course:
    """What to train.

    Args:
        name: of the result.
        text: the corpus.
        vocab_size: tokens to learn.
        pattern: a named one.
        ties: the rule.
    """

    name: str
    text: bytes
    vocab_size: int
    pattern: str
    ties: Ties

    @classmethod
    def of(cls, call: Call) -> Course:
        """As the page says it.

        Raises:
            ArgumentError, ArgumentTypeError: a value is missing or wrong.
        """
        asked = call.asked()
        return cls(
            name=asked.text("name", "trained here").strip() or "trained here",
            text=call.body,
            vocab_size=asked.whole("vocab_size", 256, limits.VOCAB_SIZE, 2000),
            pattern=asked.choice("pattern", {name: name for name in NAMES}, "cl100k"),
            ties=asked.choice("ties", {name: name for name in TIES}, "lexicographic"),
        )


@dataclass(frozen=True)
class Training:
    """One that is under way.

    Args:
        course: what is trained.
        stop: set it to end it.
        loop: where its news is read.
        news: what it told and nobody read yet.
    """

    course: Course
    stop: threading.Event
    loop: asyncio.AbstractEventLoop
    news: asyncio.Queue[dict[str, Any]]

    def tell(self, record: dict[str, Any]) -> None:
        """Tell something, from any thread; when the server has ended nobody hears it."""
        tell(self.loop, self.news.put_nowait, record)

    def cancel(self) -> None:
        """End it: who reads its news is told now, the engine at its next word."""
        self.stop.set()
        self.tell({"cancelled": True})

    def listen(self, event: Progress) -> None:
        """Tell how far the engine is, and end it where that is wanted."""
        if self.stop.is_set():
            raise NotWantedError
        self.tell(_record(event))

    async def lines(self) -> AsyncIterator[bytes]:
        """All news, a line of JSON each; the last is the result, or what went wrong. It ends with who reads it."""
        try:
            while True:
                record = await self.news.get()
                yield json.dumps(record).encode() + b"\n"
                if "stage" not in record:
                    return
        finally:
            self.stop.set()


@dataclass
class Courses:
    """The trainings of the page: one at a time.

    Args:
        shelf: where the results go.
    """

    shelf: Shelf
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _current: Training | None = None

    def stop(self) -> None:
        """End the training that runs, if one does."""
        if self._current is not None:
            self._current.cancel()

    @property
    def runs(self) -> bool:
        """Whether a training is under way."""
        return self._lock.locked()

    def begin(self, course: Course) -> Training:
        """Begin a training in a thread of its own; called where its news is to be read.

        Raises:
            ArgumentError: another training is under way, or there is no room for the result.
        """
        self.shelf.refuse_if_full()
        if not self._lock.acquire(blocking=False):
            raise ArgumentError("another training is under way in this playground; wait for it, or cancel it")
        import asyncio

        training = Training(course, threading.Event(), running_loop(), asyncio.Queue())
        self._current = training
        # A daemon: the program ends at once, also while it works.
        threading.Thread(target=self._run, args=(training,), daemon=True).start()
        return training

    def _run(self, training: Training) -> None:
        try:
            record = self._learned(training)
        except NotWantedError:
            record = {"cancelled": True}
        except BytepairError as error:
            record = {"error": str(error)}
        except MemoryError:
            record = {"error": "the memory of this computer does not suffice; train on less text"}
        finally:
            self._current = None
            self._lock.release()
        training.tell(record)

    def _learned(self, training: Training) -> dict[str, Any]:
        course = training.course
        counted = tally([course.text], pattern=course.pattern, progress=training.listen)
        tok = train(counted, vocab_size=course.vocab_size, ties=course.ties, progress=training.listen)
        if training.stop.is_set():
            raise NotWantedError
        entry = self.shelf.add(course.name, tok, "trained", counted)
        return {"entry": entry.about(), "report": str(tok.training)}


def _record(event: Progress) -> dict[str, Any]:
    return {
        "stage": event.stage,
        "done": event.done,
        "total": event.total,
        "share": event.share,
        "said": event.details(),
        "bytes_per_token": event.bytes_per_token,
        "token": None if event.merge is None else readable(b"".join(event.merge)),
    }
