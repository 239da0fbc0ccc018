"""All reports draw themselves alike: in lines, in notebooks, as a page, a picture and JSON, whatever text they hold."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import bytepair as bp
from bytepair.cli import cli
from bytepair.render import Drawn

# Elements that no text may bring along; a page of a trace has one script, its own.
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "link", "form", "base", "svg"}
VOID = {"meta", "br", "wbr", "input"}
HOSTILE = [
    "<script>alert(1)</script> <script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)> '><svg/onload=alert(1)>",
    "</title></style></script><!-- <b>&lt;&amp;</b> ]]>",
    "\u202eleft to right\u202c \u2066x\u2069 שלום عربى",
    "\x00\x1b[31mred\x1b[0m\x07\r\n\t\u2028\u2029\ufeff",
    "a\u0301\u0301\u0301 \u0301b",
    "👩‍👩‍👧‍👦 \ufffd \U000e0001",
]


class Reader(HTMLParser):
    """Elements of a page in order; fails where they are not nested."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in ("style", "script"):
            self.words.append(data)


def reports(text: str) -> dict[str, Drawn]:
    special = f"<|{text}|>"
    tok = bp.train([text * 3], num_merges=12, special_tokens=[special])
    return {
        "explain": tok.explain(text),
        "explain specials": tok.explain(text + special, special="all"),
        "token": tok.token(tok.vocab_size - 2),
        "special token": tok.token(special),
        "trace": bp.trace([text], 4, pattern="none"),
        "compare": bp.compare({text or "empty": tok, "letters": list}, {text: text, "b": "b"}),
        "curve": bp.curve(tok, [text]),
        "inspect": tok.inspect([text]),
    }


def check(report: Drawn) -> None:
    for html, own_scripts in (
        (report._repr_html_(), 0),
        (report.html(), int(isinstance(report, bp.Trace) and bool(report.pieces))),
    ):
        page = Reader(html)
        charts = page.tags.count("svg") if isinstance(report, bp.Curve) else 0
        assert sum(tag in FORBIDDEN for tag in page.tags) == own_scripts + charts
        assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "href", "style")]
        # Nothing that turns the direction of writing, and no control characters.
        assert all(each.isprintable() or each == "\n" for words in page.words for each in words)
    for width in (60, None):
        assert all(each.isprintable() or each == "\n" for each in report.draw(width=width))
    assert max(map(cell_len, report.draw(width=60).split("\n"))) <= 60
    ElementTree.fromstring(report.svg())
    json.dumps(report.to_dict())
    assert repr(report).startswith(type(report).__name__)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(text: str) -> None:
    for report in reports(text).values():
        check(report)


@given(text=st.text(max_size=25))
@settings(max_examples=40)
def test_any_text_is_shown_as_text(text: str) -> None:
    for report in reports(text).values():
        check(report)


def test_what_is_typed_comes_back_from_the_page() -> None:
    text = HOSTILE[0]
    page = Reader(bp.train([text], num_merges=0).explain(text).html())
    assert "<script>" in "".join(page.words).replace("·", " ")


@pytest.mark.parametrize("mark", ["\u0301", "\u202e"])
def test_a_hundred_thousand_of_one_character_are_drawn_at_once(mark: str) -> None:
    text = "a" + mark * 100_000
    tok = bp.train([text[:50]], num_merges=10)
    # Processor time, so that other work on the machine does not decide.
    start = time.process_time()
    found = tok.explain(text)
    drawn = [found.html(), found._repr_html_(), found.draw(width=60), found.svg()]
    assert time.process_time() - start < 20
    assert found.ids == tok.encode(text)
    assert max(map(len, drawn)) < 1_000_000
    trace = bp.trace([text[:20_000]], 2, pattern="none")
    assert len(trace.html()) < 500_000


def test_a_mark_does_not_sit_on_what_stands_before_the_token() -> None:
    tok = bp.train(["a\u0301"], num_merges=0, alphabet="chars")
    assert "a|◌\u0301" in str(tok.explain("a\u0301"))


@pytest.mark.parametrize("kind", list(reports("to be")))
def test_a_notebook_shows_each_report(kind: str) -> None:
    report = reports("to be or not to be")[kind]
    html = report._repr_html_()
    assert html.startswith("<style>") and "<html" not in html
    assert {"h1", "p"} <= set(Reader(html).tags)
    assert kind == "special token" or {"table", "bdi"} & set(Reader(html).tags)
    # Every rule is about the report, so that the notebook keeps its own looks.
    style = html[len("<style>") : html.index("</style>")]
    rules = [rule.split("{")[0] for rule in style.replace("\n", "").split("}") if "{" in rule]
    assert all(".bytepair" in part for rule in rules for part in rule.split(",") if not rule.startswith("@media"))


def test_a_trace_in_a_notebook_opens_step_by_step_without_a_script() -> None:
    tags = Reader(bp.trace(["abab"], 2)._repr_html_()).tags
    assert tags.count("details") == 3
    assert "script" not in tags


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("to be or not to be, that is the question\n" * 5, "utf-8")
    bp.train("book.txt", num_merges=20).save("tokenizer.json")
    return tmp_path


COMMANDS = {
    "explain": ["--text", "to be"],
    "trace": ["book.txt", "--num-merges", "3"],
    "token": ["256"],
    "compare": ["-t", "tokenizer.json", "book.txt"],
    "curve": ["book.txt"],
    "inspect": ["book.txt"],
}


def run(*arguments: str, code: int = 0) -> Any:
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_command_prints_json_and_writes_a_page_and_a_picture(command: str, folder: Path) -> None:
    arguments = [command, *COMMANDS[command]]
    printed = run(*arguments)
    assert "\x1b" not in printed.stdout and printed.stdout.strip()
    shown = run(*arguments, "--json", "--html", "page.html", "--svg", "picture.svg")
    assert isinstance(json.loads(shown.stdout), dict)
    assert (folder / "page.html").read_text("utf-8").startswith("<!doctype html>")
    ElementTree.fromstring((folder / "picture.svg").read_text("utf-8"))
    said = run(*arguments, "--html", "page.html")
    assert said.stdout.endswith("wrote page.html\n")


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_command_refuses_a_page_that_cannot_be_written_before_any_work(command: str, folder: Path) -> None:
    done = run(command, *COMMANDS[command], "--html", "no/such/page.html", code=2)
    assert "--html names 'no/such/page.html', and there is no folder 'no/such'; make it first" in done.stderr
    assert (
        "--svg names '.', which is a folder; name a file in it"
        in run(command, *COMMANDS[command], "--svg", ".", code=2).stderr
    )


@pytest.mark.parametrize("command", list(COMMANDS))
@pytest.mark.parametrize("width", [60, 100])
def test_each_command_fits_a_terminal_in_colour(
    command: str, width: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(SystemExit):
        cli([command, *COMMANDS[command]], prog_name="bytepair")
    lines = strip_colour(capsys.readouterr().out).split("\n")
    assert max(map(len, lines)) <= width


def strip_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


INPUTS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "one character": lambda path: path.write_text("x", "utf-8"),
}


@pytest.mark.parametrize("name", list(INPUTS))
@pytest.mark.parametrize("command", ["explain", "trace", "compare", "curve", "inspect"])
def test_an_empty_file_and_one_character_are_fine(command: str, name: str, folder: Path) -> None:
    INPUTS[name](folder / "in.txt")
    options = ["-t", "tokenizer.json"] if command == "compare" else []
    assert run(command, *options, "in.txt").stdout


def test_a_binary_file_is_shown_or_refused_by_name(folder: Path) -> None:
    (folder / "data.bin").write_bytes(bytes(range(256)))
    assert r"\xff" in run("explain", "data.bin").stdout
    assert (
        "data.bin holds bytes that are not UTF-8; each became U+FFFD"
        in run("compare", "-t", "tokenizer.json", "data.bin").stdout
    )
    for command in ("trace", "curve", "inspect"):
        done = run(command, "data.bin", code=2)
        assert "data.bin" in done.stderr and "--errors replace" in done.stderr
        assert run(command, "data.bin", "--errors", "replace").stdout


def test_explain_looks_at_one_text(folder: Path) -> None:
    done = run("explain", "book.txt", "--document", "line", code=2)
    assert "explain looks at one text, and 5 were given; name one file or give one --text" in done.stderr


def test_a_token_is_named_by_id_or_spelling(folder: Path) -> None:
    by_id = run("token", "256").stdout
    spelling = bp.load("tokenizer.json").token_bytes(256).decode()
    assert run("token", spelling).stdout == run("token", spelling.replace(" ", "·")).stdout == by_id
    assert "no token is spelled '77'" in run("token", "77", "--spelled", code=2).stderr
    assert "id 9999 is no token" in run("token", "9999", code=2).stderr


def test_trace_says_what_it_needs(folder: Path) -> None:
    assert "take the words of many textbooks with --textbook" in run("trace", code=2).stderr
    assert "name files or give --text, not both" in run("trace", "book.txt", "--text", "a", code=2).stderr
    (folder / "counts.tsv").write_text("low\t5\nlower\t2\n", "utf-8")
    counted = json.loads(run("trace", "--counted", "counts.tsv", "--num-merges", "1", "--json").stdout)
    assert counted["steps"][0]["count"] == 7
    assert json.loads(run("trace", "--text", "abab", "--json").stdout)["pieces"][0]["piece"] == "abab"


def test_compare_says_what_it_needs_and_tells_names_apart(folder: Path) -> None:
    assert "name tokenizers with -t, or learn one with --train FILE" in run("compare", "book.txt", code=2).stderr
    twice = run("compare", "-t", "tokenizer.json", "-t", "tokenizer.json", "book.txt")
    assert "Two tokenizers are named tokenizer: the later one is tokenizer (2) here." in twice.stderr
    named = json.loads(run("compare", "-t", "mine=tokenizer.json", "book.txt", "--json").stdout)
    assert named["tokenizers"] == ["mine"]
    assert "there is no tokenizer file 'none.json'" in run("compare", "-t", "none.json", "book.txt", code=2).stderr
    assert "Nothing is fetched from a network" in run("compare", "-t", "p50k_base", "book.txt", code=2).stderr
