"""Pages in a real browser: the trace is stepped through, and no text of a corpus is ever a program.

Debian's Chromium, driven by Playwright. BYTEPAIR_CHROMIUM names another one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from worked_example import COUNTS

import bytepair as bp

CHROMIUM = os.environ.get("BYTEPAIR_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on PATH; apt install chromium, or name one in BYTEPAIR_CHROMIUM"
)

WORDS = bp.Tally.from_counts(COUNTS, pattern="whitespace")
HOSTILE = [
    "<script>window.broken = 1</script> <img src=x onerror='window.broken=2'> \"><svg/onload=window.broken=3>",
    "</title></style><script>window.broken=4</script>",
    "\u202eright to left\u202c שלום عربى \u2066x",
    "a" + "\u0301" * 100_000,
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page()
    opened.asked: list[str] = []
    opened.faults: list[str] = []
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    opened.on("console", lambda line: opened.faults.append(line.text) if line.type == "error" else None)
    yield opened
    opened.close()


def open_page(page: Any, tmp_path: Path, html: str) -> Any:
    path = tmp_path / "page.html"
    path.write_text(html, "utf-8")
    page.goto(path.as_uri())
    return page


def title(page: Any) -> str:
    return str(page.locator(".bp-slide:visible h2").inner_text())


@pytest.fixture
def trace_page(page: Any, tmp_path: Path) -> Any:
    html = bp.trace(WORDS, 10, alphabet="chars", end_of_word="</w>", ties="first-seen").html()
    return open_page(page, tmp_path, html)


def test_the_trace_is_stepped_through_by_buttons(trace_page: Any) -> None:
    assert title(trace_page) == "Before any merge"
    trace_page.click("[data-do=next]")
    assert title(trace_page) == "Step 1: merge (e, s)"
    trace_page.click("[data-do=last]")
    assert title(trace_page) == "Step 10: merge (w, i)"
    trace_page.click("[data-do=next]")
    assert title(trace_page) == "Step 10: merge (w, i)"
    trace_page.click("[data-do=back]")
    assert title(trace_page) == "Step 9: merge (low, </w>)"
    trace_page.click("[data-do=first]")
    assert title(trace_page) == "Before any merge"


def test_the_trace_is_stepped_through_by_keys(trace_page: Any) -> None:
    for key, expected in [
        ("ArrowRight", "Step 1: merge (e, s)"),
        ("ArrowRight", "Step 2: merge (es, t)"),
        ("ArrowLeft", "Step 1: merge (e, s)"),
        ("End", "Step 10: merge (w, i)"),
        ("Home", "Before any merge"),
    ]:
        trace_page.keyboard.press(key)
        assert title(trace_page) == expected


def test_the_trace_plays_pauses_and_ends(trace_page: Any) -> None:
    trace_page.clock.install()
    trace_page.reload()
    trace_page.keyboard.press("Space")
    assert trace_page.inner_text("[data-do=play]") == "pause"
    trace_page.clock.run_for(3100)
    assert title(trace_page) == "Step 2: merge (es, t)"
    trace_page.click("[data-do=play]")
    trace_page.clock.run_for(60_000)
    assert title(trace_page) == "Step 2: merge (es, t)"
    # With the focus on the button, a press of the space key is one action, not two.
    trace_page.keyboard.press("Space")
    trace_page.clock.run_for(60_000)
    assert title(trace_page) == "Step 10: merge (w, i)"
    assert trace_page.inner_text("[data-do=play]") == "play"


def test_the_slider_goes_anywhere(trace_page: Any) -> None:
    trace_page.locator("input[type=range]").fill("6")
    assert title(trace_page) == "Step 6: merge (n, e)"
    assert trace_page.inner_text("output") == "6 / 10"


def test_the_page_works_from_disk_and_asks_for_nothing(trace_page: Any) -> None:
    assert [url for url in trace_page.asked if not url.startswith("file:")] == []
    assert len(trace_page.asked) == 1 and trace_page.faults == []
    table = trace_page.locator(".bp-slide >> nth=1").locator("table >> nth=0")
    assert "w e" in " ".join(table.locator("tr >> nth=4").all_text_contents())


def test_without_scripts_all_steps_are_there(browser: Any, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = open_page(context.new_page(), tmp_path, bp.trace(["abab"], 2).html())
    assert page.locator(".bp-slide:visible").count() == 2 or page.locator(".bp-slide:visible").count() == 3
    assert page.locator(".bp-controls:visible").count() == 0
    context.close()


@pytest.mark.parametrize("text", HOSTILE, ids=["script", "end tags", "direction", "marks"])
def test_no_text_is_a_program_in_a_page(page: Any, tmp_path: Path, text: str) -> None:
    tok = bp.train([text[:200] * 2], num_merges=20, special_tokens=["<script>window.broken=5</script>"])
    for report in (bp.trace([text[:2000]], 3, pattern="none"), tok.explain(text), tok.token(tok.vocab_size - 1)):
        open_page(page, tmp_path, report.html())
        page.wait_for_timeout(50)
        assert page.evaluate("window.broken") is None
        assert page.faults == [] and page.locator("main img, main script").count() == 0
        # What turns the direction of writing is shown by its number.
        assert not {"\u202e", "\u202c", "\u2066"} & set(page.content())


def test_a_notebook_shows_text_as_text(page: Any, tmp_path: Path) -> None:
    shown = bp.train([HOSTILE[0]], num_merges=5).explain(HOSTILE[0])._repr_html_()
    open_page(page, tmp_path, f"<!doctype html><meta charset=utf-8><body>{shown}")
    assert page.evaluate("window.broken") is None
    assert page.locator("script, img, svg").count() == 0
