"""Drawing on a terminal: with colour, without, and where there is little room."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from bytepair.render import (
    Chart,
    Heading,
    Line,
    Paragraph,
    Screen,
    Span,
    Strip,
    Table,
    chart_svg,
    strip,
    terminal,
    visible,
)
from bytepair.render.html import fragment


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a b", "a·b"),
        ("\n\t\r", "⏎→␍"),
        ("\x00\x1b[31m", "\\x00\\x1b[31m"),
        ("漢字é🙂", "漢字é🙂"),
        (b"\xff\xc3", "\\xff\\xc3"),
        ("\u200b\u2028", "\\u200b\\u2028"),
        ("\ud800", "\\ud800"),
        ("", ""),
    ],
)
def test_everything_is_visible(text: str | bytes, seen: str) -> None:
    assert visible(text) == seen


def test_bars_where_there_is_no_colour() -> None:
    assert strip([("to", 1), (" be", 2), ("!", 1)], colour=False) == "to|·be|!"
    assert strip([], colour=False) == ""


def test_equal_keys_have_equal_colours_and_neighbours_differ() -> None:
    def colours(*keys: int) -> list[str]:
        drawn = strip([("x", key) for key in keys], colour=True)
        return [part.split("m")[0] for part in drawn.split("\x1b[")[1:-1]]

    a, b, again = colours(3, 5, 3)
    assert a == again != b
    one, two, three = colours(3, 3, 3)
    assert one != two != three
    assert strip([("x", 1)], colour=True).endswith("\x1b[0m")


@pytest.mark.parametrize("width", [10, 20, 60])
def test_a_strip_keeps_to_the_width_and_cuts_no_span(width: int) -> None:
    spans = [(word, i) for i, word in enumerate(["漢字", " to", " be", "or", "not"] * 20)]
    lines = strip(spans, colour=False, width=width).split("\n")
    # A wide character takes two columns.
    assert all(len(line) + sum(character in "漢字" for character in line) <= width for line in lines)
    assert [part for line in lines for part in line.split("|")] == [visible(text) for text, _ in spans]


def test_a_span_wider_than_the_screen_is_broken() -> None:
    lines = strip([("a", 1), ("b" * 25, 2), ("c", 3)], colour=False, width=10).split("\n")
    assert lines == ["a", "b" * 10, "b" * 10, "bbbbb|c"]


def test_a_long_span_says_how_long_it_is() -> None:
    drawn = terminal([Strip((Span("a" * 200),))], Screen(colour=False, width=None))
    assert drawn == "a" * 120 + "… (200 characters)"


def test_a_line_feed_begins_a_line() -> None:
    assert strip([("a", 1), ("\n", 2), ("b", 3)], colour=False) == "a|⏎\nb"


def drawn_table(
    *rows: tuple[object, ...], header: tuple[str, ...], width: int | None = None, right: tuple[int, ...] = ()
) -> str:
    return terminal([Table(header, rows, right=right)], Screen(colour=False, width=width))


def test_columns_are_aligned_by_what_is_seen() -> None:
    drawn = drawn_table(("漢", 5), ("ab", 12345), ("x", 0.5), header=("k", "n"), right=(1,))
    assert drawn == "k        n\n漢       5\nab  12,345\nx     0.50"
    assert drawn_table(header=("k", "n")) == "k  n"


def test_names_of_columns_are_broken_before_numbers_are_cut() -> None:
    drawn = drawn_table((1234567, 1), header=("parameters (d=768)", "long name"), width=20, right=(0, 1))
    assert drawn.split("\n") == ["parameters  long", "   (d=768)  name", " 1,234,567     1"]


def test_a_mark_does_not_sit_on_what_stands_before_a_text() -> None:
    blocks = [Heading("\u0301a: 3 bytes"), Table(("k", "\u0301n"), (("a", "\u0301"), ("b", "c")))]
    drawn = terminal(blocks, Screen(colour=False, width=40))
    assert drawn == "◌\u0301a: 3 bytes\n\nk  ◌\u0301n\na  ◌\u0301\nb  c"
    assert "<h2>◌\u0301a: 3 bytes</h2>" in fragment(blocks)


@pytest.mark.parametrize("text", ["How `" + "a" * 70 + "` becomes", "日本語の長い文章を" * 8, "to be or not " * 9])
def test_a_heading_is_never_wider_than_the_screen(text: str) -> None:
    drawn = terminal([Heading(text), Paragraph(text)], Screen(colour=False, width=30))
    assert max(map(cell_len, drawn.split("\n"))) <= 30
    assert "".join(drawn.split()) == "".join((text + text).split())


def test_bars_grow_with_their_values_in_a_narrow_screen() -> None:
    points = tuple((float(2**i), float(i)) for i in range(4, 12))
    chart = Chart((Line("bytes/token", points),), "vocabulary size", "y", ((64.0, "knee: 64"),))
    lines = terminal([chart], Screen(colour=False, width=50)).split("\n")
    bars = [line.count("█") for line in lines if "█" in line]
    assert bars == sorted(bars) and len(set(bars)) > 4 and not any("…" in line for line in lines)


def test_a_screen_follows_the_customs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert Screen.of(io.StringIO()) == Screen(colour=False, width=None)
    assert Screen.of(Terminal()) == Screen(colour=True, width=60)
    monkeypatch.setenv("TERM", "dumb")
    assert not Screen.of(Terminal()).colour
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert Screen.of(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Screen.of(Terminal()).colour


def test_a_note_below_a_table_is_broken_and_not_cut() -> None:
    block = Table(("a",), (("b",),), note="to be or not to be that is the question")
    assert terminal([block], Screen(colour=False, width=20)) == "a\nb\nto be or not to be\nthat is the question"


def test_a_table_makes_its_widest_text_narrower_until_it_fits() -> None:
    block = Table(("text", "count"), (("x" * 50, 7),), right=(1,))
    assert terminal([block], Screen(colour=False, width=24)) == ("text             count\n" + "x" * 14 + "…      7")


def test_names_with_escapes_do_not_reach_the_terminal() -> None:
    blocks = [Heading("\x1b[2J"), Paragraph("a\x07\nb"), Table(("\x1b]0;",), (("\u202e",),), note="\x9b")]
    drawn = terminal(blocks, Screen(colour=False, width=40))
    assert all(each.isprintable() or each == "\n" for each in drawn)


def test_a_chart_has_its_marks_and_its_ends() -> None:
    chart = Chart((Line("y", tuple((float(2**i), float(i)) for i in range(4, 12))),), "x", "y", ((64.0, "here"),))
    drawn = chart_svg(chart)
    assert "here" in drawn and "stroke-dasharray" in drawn
    lines = terminal([chart], Screen(colour=False, width=60)).split("\n")
    assert lines[1].split()[0] == "16" and lines[-1].split()[0] == "2,048"
    assert next(line for line in lines if "here" in line).split()[0] == "64"


def test_a_chart_of_one_point_is_drawn() -> None:
    assert "<circle" in chart_svg(Chart((Line("y", ((1.0, 0.0),)),), "x", "y"))


def test_what_is_quoted_is_code_in_a_page_and_escaped() -> None:
    drawn = fragment([Heading("Token 1: `<b>`", 1), Paragraph("`a` or `")])
    assert '<h1>Token 1: <code class="bp-t">&lt;b&gt;</code></h1>' in drawn
    assert '<p><code class="bp-t">a</code> or `</p>' in drawn


def test_a_fragment_takes_the_colour_of_its_notebook() -> None:
    drawn = fragment([Paragraph("text")])
    assert ".bytepair{font:15px/1.5 system-ui,sans-serif;color:inherit" in drawn
