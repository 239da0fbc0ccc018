"""Progress: what is told while work goes on, how often, and how it is shown on a terminal, in a notebook, in a log."""

from __future__ import annotations

import io
import re
import sys
import types
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp

CORPUS = ["low low lower lowest", "newer `new` [red]widest[/red]"]
DISPLAY = sys.modules["bytepair.render.progress"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def steps_of(source: Any, **options: Any) -> list[bp.Progress]:
    steps: list[bp.Progress] = []
    bp.train(source, progress=steps.append, **options)
    return steps


def test_what_is_told_at_the_end_of_each_stage(tmp_path: Path) -> None:
    for index, text in enumerate(CORPUS):
        (tmp_path / f"{index}.txt").write_text(text, "utf-8", newline="")
    counting, learning = steps_of(tmp_path, num_merges=2, ties="first-seen")
    n_bytes = sum(map(len, CORPUS))
    assert (counting.stage, counting.unit, counting.done, counting.total) == ("counting", "bytes", n_bytes, n_bytes)
    assert (counting.n_documents, counting.n_pieces) == (2, bp.tally(CORPUS, pattern="cl100k").n_pieces)
    assert (counting.merge, counting.count, counting.bytes_per_token) == (None, None, None)
    assert (learning.stage, learning.unit, learning.done, learning.total) == ("learning", "merges", 2, 2)
    assert (learning.n_documents, learning.n_pieces) == (2, counting.n_pieces)
    assert (learning.merge, learning.count) == ((b"lo", b"w"), 4)
    for step in (counting, learning):
        assert step.share == 1.0
        assert step.seconds_left == 0.0
        assert step.seconds >= 0
    assert re.fullmatch(
        r"learning: merge 2 of 2, 0 s left, [0-9.]+ bytes/token, `lo` \+ `w` -> `low` \(4\)", str(learning)
    )
    assert re.fullmatch(
        rf"counting: 0\.0 of 0\.0 MB, 0 s left, [0-9.]+ MB/s, 2 documents, {counting.n_pieces} distinct pieces",
        str(counting),
    )


def test_a_proof_and_an_extension_tell_too() -> None:
    tok = bp.train(CORPUS, num_merges=4)
    steps: list[bp.Progress] = []
    tok.prove(CORPUS, progress=steps.append)
    assert [step.stage for step in steps] == ["counting", "proving"]
    assert (steps[-1].merge, steps[-1].done, steps[-1].total) == (tok.merges[-1], 4, 4)
    steps.clear()
    more = tok.extend(CORPUS, 262, progress=steps.append)
    assert [step.stage for step in steps] == ["counting", "learning"]
    assert (steps[-1].merge, steps[-1].done) == (more.merges[-1], 6)


@given(
    documents=st.lists(st.text(alphabet="aab é", max_size=30), max_size=5),
    num_merges=st.integers(0, 8),
    alphabet=st.sampled_from(["bytes", "chars"]),
    end_of_word=st.sampled_from([None, "</w>"]),
)
def test_bytes_per_token_is_what_encoding_gives(
    documents: list[str], num_merges: int, alphabet: Any, end_of_word: str | None
) -> None:
    counted = bp.tally(documents, pattern="whitespace")
    steps: list[bp.Progress] = []
    options: dict[str, Any] = {"alphabet": alphabet, "end_of_word": end_of_word}
    tok = bp.train(counted, num_merges=num_merges, progress=steps.append, **options)
    n_bytes = sum(len(piece) * count for piece, count in counted.items())
    # Piece by piece, each as often as it occurs: runs such as `aaa` hold fewer pairs than are merged.
    n_tokens = sum(tok.count(piece.decode()) * count for piece, count in counted.items())
    assert steps[-1].bytes_per_token == (n_bytes / n_tokens if n_tokens else None)


def test_events_come_at_most_ten_times_a_second() -> None:
    counted = bp.Tally.from_counts({f"{index:x} {index * 7919:x}": 1 for index in range(200_000)}, pattern="none")
    steps = steps_of(counted, num_merges=120_000)
    assert len(steps) > 2
    assert all(after.seconds - before.seconds > 0.09 for before, after in pairwise(steps[:-1]))


def test_time_left_and_rate() -> None:
    watch_room = sys.modules["bytepair.progress"]
    seen: list[bp.Progress] = []
    now = [100.0]
    clock = types.SimpleNamespace(monotonic=lambda: now[0])
    original, watch_room.time = watch_room.time, clock
    try:
        watch = watch_room.Watch(seen.append)
        for second in range(1, 31):
            now[0] = 100.0 + second
            # Ten a second at first, later one.
            watch.bytes_read(min(10 * second, 100) + max(second - 10, 0), 200)
    finally:
        watch_room.time = original
    assert seen[0].seconds_left == pytest.approx(19.0)
    assert seen[0].per_second == pytest.approx(10.0)
    # By what was done lately, not by the quick beginning.
    assert seen[-1].seconds_left == pytest.approx(80.0)
    assert seen[-1].share == pytest.approx(0.6)


def test_nobody_listens_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for nothing in (None, False):
        bp.train(CORPUS, num_merges=3, progress=nothing)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_bar_that_is_gone_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    bp.train(["[red]x[/red] " * 9], num_merges=6, progress=True)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert "learning" in shown
    assert re.search(r"merge 6 of 6, 0 s left, .*`\[` \+ `red` -> `\[red` \(1\)", shown)
    # The cursor is there again, and the line was erased.
    assert screen.getvalue().rstrip().endswith("\x1b[2K")
    assert "\x1b[?25h" in screen.getvalue()


def test_the_bar_is_closed_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.stderr", screen := Terminal())

    def source() -> Any:
        yield "text"
        raise RuntimeError("it broke")

    with pytest.raises(RuntimeError, match="it broke"):
        bp.train(source(), num_merges=1, progress="auto")
    assert "\x1b[?25h" in screen.getvalue()


@pytest.mark.parametrize("option", ["log", "auto", True])
def test_a_log_gets_plain_lines(
    option: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bp.train(CORPUS, num_merges=3, progress=option)
    out, lines = capsys.readouterr()
    assert out == ""
    # The end of each stage, though it took less than the time between two lines.
    assert re.fullmatch(r"counting: .*\nlearning: merge 3 of 3, 0 s left, .* bytes/token, `.*\n", lines)
    monkeypatch.setattr(DISPLAY, "SECONDS_BETWEEN_LINES", 0.0)
    counted = bp.Tally.from_counts({f"{index:x} {index * 7919:x}": 1 for index in range(200_000)}, pattern="none")
    bp.train(counted, num_merges=20_000, progress="log")
    lines = capsys.readouterr().err
    assert len(lines.splitlines()) > 2
    assert all(
        re.match(r"learning: merge [0-9,]+ of 20,000, .*[0-9]+ s left, [0-9.]+ bytes/token, `", line)
        for line in lines.splitlines()
    )


class Notebook(types.ModuleType):
    """IPython as a kernel runs it, as far as it is used."""

    def __init__(self, *, kernel: bool) -> None:
        super().__init__("IPython")
        self.bundles: list[dict[str, str]] = []
        self.shell = types.SimpleNamespace(**({"kernel": object()} if kernel else {}))
        self.display = types.SimpleNamespace(display=self._display)

    def get_ipython(self) -> object:
        return self.shell

    def _display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> object:
        assert raw
        assert display_id
        self.bundles.append(bundle)

        def update(bundle: dict[str, str], *, raw: bool) -> None:
            assert raw
            self.bundles.append(bundle)

        return types.SimpleNamespace(update=update)


def test_a_notebook_gets_an_output_that_is_updated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", notebook := Notebook(kernel=True))
    bp.train(["<b><b><b>"], num_merges=2, progress=True)
    assert capsys.readouterr() == ("", "")
    last = notebook.bundles[-1]
    assert last["text/plain"].startswith("learning: merge 2 of 2, 0 s left, ")
    assert '<progress value="1.0000" max="1"></progress> learning: merge 2 of 2' in last["text/html"]
    assert "`&lt;" in last["text/html"]
    bp.tally(iter(["text"]), pattern="none", progress=True)
    assert notebook.bundles[-1]["text/html"].startswith("<progress></progress> counting: ")


def test_ipython_in_a_terminal_is_no_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "IPython", notebook := Notebook(kernel=False))
    bp.train(CORPUS, num_merges=2, progress=True)
    assert notebook.bundles == []
    assert "learning: merge 2 of 2" in capsys.readouterr().err


def test_an_event_never_changes() -> None:
    step = steps_of(CORPUS, num_merges=1)[-1]
    with pytest.raises(AttributeError):
        step.done = 3  # type: ignore[misc]
