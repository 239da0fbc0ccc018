"""Training by hand: the numbers of the chapter, and the merges that `train` learns in every mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from worked_example import COUNTS, FIRST_SEEN, LEXICOGRAPHIC, PAIRS

import bytepair as bp
from bytepair.cli import cli

WORDS = bp.Tally.from_counts(COUNTS, pattern="whitespace")
CHAPTER = Path(__file__).parent / "cases" / "chapter"
TIES = ["lexicographic", "first-seen", "largest", "lowest-id", "shortest"]


def chapter(ties: str = "lexicographic", num_merges: int = 10) -> bp.Trace:
    return bp.trace(WORDS, num_merges, alphabet="chars", end_of_word="</w>", ties=ties)  # type: ignore[arg-type]


def spelled(*pairs: tuple[bytes, bytes]) -> list[str]:
    return [f"{left.decode()} {right.decode()}" for left, right in pairs]


def test_the_counted_words_of_the_chapter() -> None:
    assert [(piece.count, " ".join(symbol.decode() for symbol in piece.symbols)) for piece in chapter().pieces] == [
        (5, "l o w </w>"),
        (2, "l o w e r </w>"),
        (6, "n e w e s t </w>"),
        (3, "w i d e s t </w>"),
    ]


def test_the_pair_table_of_step_1() -> None:
    first = chapter().steps[0]
    table = {(pair.left.decode(), pair.right.decode()): pair.times for pair in first.table}
    assert table == PAIRS
    assert spelled(*first.tied) == ["e s", "s t", "t </w>"] and first.n_tied == 3


def test_the_ten_steps_with_their_counts() -> None:
    by_order = chapter("first-seen")
    assert spelled(*by_order.merges) == [" ".join(pair) for pair in FIRST_SEEN]
    assert list(by_order.merge_counts) == [9, 9, 9, 7, 7, 6, 6, 6, 5, 3]


def test_the_lexicographic_rule_parts_at_step_6_and_says_so() -> None:
    by_order, by_spelling = chapter("first-seen"), chapter()
    assert by_spelling.merges[:5] == by_order.merges[:5]
    assert spelled(by_spelling.merges[5], by_order.merges[5]) == ["e w", "n e"]
    assert by_spelling.sentence(5) == (
        '(e, w), (n, e) and (w, est</w>) all stand 6 times. The rule "lexicographic" takes the smallest one, compared '
        'byte by byte, the left part first: (e, w). By "first-seen" it would be (n, e). By "largest" it would be '
        "(w, est</w>)."
    )
    assert spelled(*by_spelling.merges) == [" ".join(pair) for pair in LEXICOGRAPHIC]


@pytest.mark.parametrize("ties", ["first-seen", "lexicographic"])
def test_the_command_prints_the_chapter(ties: str) -> None:
    done = CliRunner().invoke(cli, ["trace", "--textbook", "--ties", ties])
    assert done.exit_code == 0, done.output
    assert done.stdout == (CHAPTER / f"trace-{ties}.txt").read_text("utf-8")


def test_the_command_shows_single_steps() -> None:
    done = CliRunner().invoke(cli, ["trace", "--textbook", "--step", "6", "--pairs", "3"])
    assert done.stdout.startswith("Step 6: merge (e, w)\n\n(e, w), (n, e) and (w, est</w>) all stand 6 times.")
    assert "Step 5" not in done.stdout and "7 rarer pairs not shown" in done.stdout


def test_symbols_go_back_to_any_step() -> None:
    found = chapter()
    assert found.symbols(0) == [piece.symbols for piece in found.pieces]
    assert found.symbols(10)[2] == (b"newest</w>",)
    with pytest.raises(bp.ArgumentError, match="n_merges is 11; it must be at most 10"):
        found.symbols(11)


documents = st.lists(
    st.lists(
        st.sampled_from(["low", "lower", "aaaa", "aab", "é", "漢字", " ", "  ", "<s>", "\n", "b"]), max_size=8
    ).map("".join),
    max_size=4,
)
options = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(TIES),
        "alphabet": st.sampled_from(["bytes", "chars"]),
        "byte_order": st.sampled_from(["value", "gpt2"]),
        "pattern": st.sampled_from(["whitespace", "none", "gpt2", "cl100k"]),
        "min_count": st.integers(1, 4),
        "max_token_bytes": st.sampled_from([None, 2, 3, 6]),
        "special_tokens": st.sampled_from([[], ["<s>"], ["lo", "aa"]]),
        "special": st.sampled_from(["all", "text"]),
        "add_prefix_space": st.booleans(),
        "marker": st.sampled_from([None, ("</w>", "symbol"), ("</w>", "suffix"), ("b", "symbol")]),
    }
)


@given(texts=documents, chosen=options, num_merges=st.integers(0, 25))
@settings(max_examples=400)
def test_a_trace_learns_what_train_learns(texts: list[str], chosen: dict[str, Any], num_merges: int) -> None:
    marker = chosen.pop("marker")
    if marker is not None:
        chosen |= {"end_of_word": marker[0], "end_of_word_style": marker[1]}
    try:
        tok = bp.train(texts, num_merges=num_merges, **chosen)
    except bp.BytepairError as error:
        with pytest.raises(type(error)):
            bp.trace(texts, num_merges, **chosen)
        return
    found = bp.trace(texts, num_merges, **chosen)
    assert found.merges == tok.merges
    assert tok.training is not None
    assert tuple(found.merge_counts) == tok.training.merge_counts
    assert found.reason == tok.training.reason
    for step in found.steps:
        assert step.tied[0] == step.pair and len(step.tied) == min(step.n_tied, 50)
        assert step.n_tied > 1 or not step.others


@given(texts=documents, ties=st.sampled_from(TIES), other=st.sampled_from(TIES))
def test_what_another_rule_would_take_is_what_it_takes(texts: list[str], ties: str, other: str) -> None:
    found = bp.trace(texts, 1, ties=ties)  # type: ignore[arg-type]
    if found.steps and other in found.steps[0].others:
        assert found.steps[0].others[other] == bp.train(texts, num_merges=1, ties=other).merges[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", [[], [""], ["a"]])
def test_nothing_to_merge_is_said(texts: list[str]) -> None:
    found = bp.trace(texts, 3)
    assert found.merges == [] and found.reason == "no-pairs"
    assert "asked for 3 merges, made 0: no pair of neighbours is left to merge" in str(found)
    assert found.html() and found._repr_html_()


def test_a_binary_file_is_traced_as_bytes_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(bytes(range(256)) * 3)
    with pytest.raises(bp.EncodingError, match=r"data\.bin"):
        bp.trace(path, 2)
    assert bp.trace([path.read_bytes()], 2, pattern="none").merge_counts == [3, 3]


def test_passed_over_pairs_are_shown() -> None:
    found = bp.trace(["abab"], 2, pattern="none", special_tokens=["ab"], special="text")
    assert found.steps[0].passed_over[0][:3] == (b"a", b"b", 2)
    assert "Passed over: (a, b), 2 times; it spells a special token." in str(found)


@pytest.mark.parametrize(
    ("given_options", "error", "message"),
    [
        ({"num_merges": -1}, bp.ArgumentError, "num_merges is -1; it must be at least 0"),
        ({"num_merges": None}, bp.ArgumentError, "neither of vocab_size and num_merges"),
        ({"n_shown": 0}, bp.ArgumentError, "n_shown is 0; it must be at least 1"),
        ({"ties": "best"}, bp.ArgumentError, "ties is 'best'"),
    ],
)
def test_wrong_options_of_trace_are_named(
    given_options: dict[str, Any], error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        bp.trace(["a"], **{"num_merges": 1, **given_options})


def test_many_steps_are_a_table_in_a_terminal_and_a_page_of_their_own() -> None:
    found = bp.trace(["the cat sat on the mat with the hat that the rat had " * 3], 20)
    assert "There are too many steps to show each" in str(found)
    assert str(found).count("Step ") == 0 and found.html().count('class="bp-slide"') == 21
    assert found.draw_steps([20]).startswith("Step 20: merge (")
    with pytest.raises(bp.ArgumentError, match="step is 21; it must be at most 20"):
        found.draw_steps([21])


@pytest.mark.parametrize("width", [60, 80])
def test_a_trace_keeps_to_the_width_of_a_terminal(width: int) -> None:
    lines = chapter().draw(width=width).split("\n")
    assert max(map(len, lines)) <= width


def test_a_trace_can_be_json() -> None:
    record = json.loads(json.dumps(chapter().to_dict()))
    assert record["steps"][5]["pair"] == ["e", "w"] and record["steps"][5]["other_rules"]["first-seen"] == ["n", "e"]
    assert record["steps"][0]["pairs"][3] == ["w", "e", 8]


def test_a_trace_of_nothing_says_so() -> None:
    found = bp.trace([""], 3)
    assert "There is no text to learn from." in str(found) and not found.steps
    assert "There is no text to learn from." in found.html()
