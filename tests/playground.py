"""A playground that runs in this process, for the tests of its server and of its page."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bytepair as bp
from bytepair.play import Room, Shelf
from bytepair.play.serving import ADDRESS, listener, serve

TEXT = "the newest and the lowest and the widest words of the low town\n" * 40


@dataclass(frozen=True)
class Running:
    """A server at its address, with what it holds."""

    room: Room
    address: str

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rsplit(":", 1)[1])


def shelf() -> Shelf:
    """Two tokenizers: one trained here, with its tally, and one given."""
    made = Shelf()
    tally = bp.tally([TEXT], pattern="cl100k")
    made.add("words", bp.train(tally, vocab_size=300), "trained", tally)
    made.add("few", bp.train([TEXT], vocab_size=262, special_tokens=["<|end|>"]), "given")
    return made


def free_port() -> int:
    """A port that no other test comes upon; 8642 and those after it are everybody's."""
    with socket.socket() as made:
        made.bind((ADDRESS, 0))
        return int(made.getsockname()[1])


@contextmanager
def running(room: Room | None = None) -> Iterator[Running]:
    """Serve at a free port for as long as the block takes."""
    room = room or Room(shelf())
    ready: list[str] = []
    is_ready = threading.Event()

    def tell(address: str) -> None:
        ready.append(address)
        is_ready.set()

    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(room, listener(free_port()), tell, stop), daemon=True)
    thread.start()
    assert is_ready.wait(30)
    yield Running(room, ready[0])
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
