"""Make the pictures of the playground with a real browser: `python docs/pictures/playground.py [FOLDER]`.

It takes the packages of the extra `play`, Playwright, and a Chromium on PATH or in BYTEPAIR_CHROMIUM. Letters are drawn
by the fonts of the computer, so the pictures of two computers are alike and not the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import bytepair as bp
from bytepair.play import Room, Shelf, listener, serve

HERE = Path(__file__).parent
LICENCES = [HERE.parent.parent / f"LICENSE-{name}" for name in ("APACHE", "MIT")]
TEXT = """Permission is hereby granted, free of charge, to any person obtaining a copy:
tokens are what a language model reads.

The same token has the same colour, a space is a dot, and a café is more than four letters.
Nothing is lost: every byte comes back.
"""


def tokens(page: Any) -> None:
    """The first view, with a token that was clicked."""
    page.locator("#tokens .strip .t", has_text="·granted").first.click()
    page.wait_for_selector("#inspector [data-do=play]")
    for _ in range(2):
        page.click("#inspector [data-do=next]")
    page.mouse.move(1, 1)


def learn(page: Any) -> None:
    """A step of the worked example in which two pairs tie."""
    page.click("#tab-learn")
    page.click("#example")
    page.wait_for_function("() => document.querySelector('#learn output').textContent === '0 / 10'")
    for _ in range(4):
        page.click("#steps [data-do=next]")


def compare(page: Any) -> None:
    """Two sizes side by side."""
    page.click("#tab-compare")
    page.wait_for_selector("#strips .ring")
    page.wait_for_selector("#counts td")


def choose(page: Any) -> None:
    """A size on its curve."""
    page.click("#tab-choose")
    page.wait_for_selector("#choose .chart path")
    page.locator("#size").fill("600")
    page.wait_for_function("() => document.querySelector('#size-figures dd')?.textContent === '600'")


VIEWS: dict[str, tuple[Callable[[Any], None], dict[str, Any]]] = {
    "playground": (tokens, {"height": 800}),
    "playground-learn": (learn, {"height": 1000}),
    "playground-compare": (compare, {"height": 660}),
    "playground-choose": (choose, {"height": 660, "scheme": "dark"}),
}


@contextmanager
def served() -> Iterator[str]:
    """A playground with two tokenizers of the project's own licences; its address."""
    shelf, stop, ready, addresses = Shelf(), threading.Event(), threading.Event(), []
    tally = bp.tally(LICENCES, pattern="cl100k")
    tok = bp.train(tally, vocab_size=1000)
    for size in (1000, 400):
        shelf.add(f"licences {size:,}", tok.at(size), "trained", tally)

    def tell(address: str) -> None:
        addresses.append(address)
        ready.set()

    thread = threading.Thread(target=serve, args=(Room(shelf), listener(None), tell, stop), daemon=True)
    thread.start()
    ready.wait(30)
    yield addresses[0]
    stop.set()
    thread.join(10)


def main(out: Path) -> None:
    """Write a picture of each view to a folder."""
    chromium = os.environ.get("BYTEPAIR_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with served() as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (show, look) in VIEWS.items():
            page = browser.new_page(
                viewport={"width": 1180, "height": look["height"]},
                color_scheme=look.get("scheme", "light"),
                reduced_motion="reduce",
            )
            page.goto(address)
            page.wait_for_selector("body[data-ready]")
            page.fill("#text", TEXT)
            page.wait_for_selector("#tokens .strip .t")
            page.wait_for_timeout(300)
            show(page)
            page.wait_for_timeout(500)
            page.screenshot(path=out / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
