"""Why a text becomes these tokens: every step is the engine's own, and one token is known from all sides."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL, SPECIALS, policies, texts
from worked_example import COUNTS

import bytepair as bp
from bytepair.analysis.explanation import explain
from bytepair.cli import cli
from bytepair.prepared import Prepared
from bytepair.textbook import words

BOOK = bp.train(bp.Tally.from_counts(COUNTS, pattern="whitespace"), num_merges=5, alphabet="chars", end_of_word="</w>")

WITH_MARKER = """\
How `lowest` becomes 2 tokens

lowest

rank  merge       symbols
                  l o w e s t </w>
   0  e + s       l o w es t </w>
   1  es + t      l o w est </w>
   2  est + </w>  l o w est</w>
   3  l + o       lo w est</w>
   4  lo + w      low est</w>

No more merges apply: (low, est</w>) is in no merge.

low|est</w>

ids: 15 13"""

LOWEST = """\
How `lowest` becomes 2 tokens, without the marker `</w>`

lowest

rank  merge   symbols
              l o w e s t
   0  e + s   l o w es t
   1  es + t  l o w est
   3  l + o   lo w est
   4  lo + w  low est

No more merges apply: (low, est) is in no merge.

low|est

ids: 15 12"""

NEWEST = """\
How `newest` becomes 4 tokens, without the marker `</w>`

newest

rank  merge   symbols
              n e w e s t
   0  e + s   n e w es t
   1  es + t  n e w est

No more merges apply: (n, e), (e, w), (w, est) are in no merge.

n|e|w|est

ids: 4 1 9 12"""


def test_the_chapter_explains_lowest_with_the_marker() -> None:
    assert str(BOOK.explain("lowest")) == WITH_MARKER


@pytest.mark.parametrize(("word", "expected"), [("lowest", LOWEST), ("newest", NEWEST)])
def test_the_chapter_walks_through_words_without_the_marker(word: str, expected: str) -> None:
    found = BOOK.explain(word, marker=False)
    assert str(found) == expected
    merges = [(left.decode(), right.decode()) for left, right in BOOK.merges]
    assert [token.decode() for token in found.tokens] == words.encode(word, merges, eow=None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["lowest"], WITH_MARKER), (["lowest", "--no-marker"], LOWEST), (["newest", "--no-marker"], NEWEST)],
)
def test_the_command_explains_the_chapter(
    arguments: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    BOOK.save("tokenizer.json")
    done = CliRunner().invoke(cli, ["explain", "--text", *arguments])
    assert (done.exit_code, done.stdout) == (0, expected + "\n")


@pytest.mark.parametrize("kind", sorted(ALL))
@given(text=texts, special=policies)
def test_an_explanation_comes_to_what_encode_gives(kind: str, text: str, special: Any) -> None:
    tok = ALL[kind]
    try:
        ids = tok.encode(text, special=special)
    except bp.UnknownCharacterError:
        with pytest.raises(bp.UnknownCharacterError):
            tok.explain(text, special=special)
        return
    found = tok.explain(text, special=special)
    assert found.ids == ids
    assert [piece.piece for piece in found.pieces] == [piece.encode() for piece in tok.pieces(text, special=special)]
    for piece in found.pieces:
        assert piece.kind != "unfollowed"
        # Drawn step by step, the last state is the tokens.
        state = list(piece.symbols)
        for each in piece.states():
            assert len(each) < len(state)
            state = each
        assert piece.kind != "merged" or tuple(state) == piece.tokens


def test_the_unknown_token_in_a_text_is_text_unless_it_is_asked_for() -> None:
    for special in ({"<|end|>"}, "all"):
        found = ALL["suffix"].explain("<unk>", special=special)  # type: ignore[arg-type]
        assert found.ids == ALL["suffix"].encode("<unk>", special=special)  # type: ignore[arg-type]
        assert "unfollowed" not in {piece.kind for piece in found.pieces}


@given(data=st.binary(max_size=30))
def test_bytes_of_any_kind_are_explained(data: bytes) -> None:
    for kind in ("cl100k", "ranks", "none"):
        found = ALL[kind].explain(data)
        assert found.ids == ALL[kind].encode(data)
        assert "unfollowed" not in {piece.kind for piece in found.pieces}


def test_the_first_merge_is_the_lowest_rank_and_never_the_leftmost() -> None:
    tok = bp.train(["bc bc bc ab ab"], num_merges=2, pattern="whitespace")
    assert [step.rank for step in tok.explain("abc").pieces[0].steps] == [0]
    assert tok.explain("abc").tokens == [b"a", b"bc"]


def test_places_of_one_merge_are_one_step() -> None:
    tok = bp.train(["aaaa"], num_merges=1, pattern="none")
    (step,) = tok.explain("aaaaa").pieces[0].steps
    assert step.n_places == 2
    assert "a + a ×2" in str(tok.explain("aaaaa"))


def test_specials_and_whole_pieces_are_said() -> None:
    drawn = str(ALL["cl100k"].explain("low<|end|>", special="all"))
    assert "`<|end|>` is a special token: id " in drawn
    assert "is a token itself, so no merge is looked for" in str(ALL["ranks"].explain("low"))


@pytest.mark.parametrize("text", ["", b""])
def test_an_empty_text_is_explained(text: str | bytes) -> None:
    found = BOOK.explain(text)
    assert found.ids == [] and "There is nothing to encode" in str(found)


def test_one_character_is_explained() -> None:
    assert "one symbol is left, and it has no neighbour" in str(bp.train(["ab"], num_merges=1).explain("a"))


def test_wrong_arguments_of_explain_are_named() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"the text is 3 \(int\); it must be str or bytes"):
        BOOK.explain(3)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"marker is 1 \(int\); it must be True or False"):
        BOOK.explain("low", marker=1)  # type: ignore[arg-type]
    with pytest.raises(bp.UnknownCharacterError, match='the character "z" at index 3'):
        BOOK.explain("lowz")


def test_an_explanation_can_be_json() -> None:
    record = json.loads(json.dumps(BOOK.explain("lowest").to_dict()))
    assert record["ids"] == [15, 13] and record["marker"] == "</w>"
    assert record["pieces"][0]["steps"][2] == {
        "rank": 2,
        "left": "est",
        "right": "</w>",
        "makes": "est</w>",
        "id": 13,
        "places": 1,
    }


def test_what_the_engine_does_otherwise_is_not_explained_away() -> None:
    """As with a loaded file whose rules go beyond merges: its tokens are shown, and no steps that did not happen."""
    prepared = Prepared(BOOK.model)
    prepared.engine = BOOK.at(num_merges=2).model.engine()
    found = explain(prepared, "lowest")
    assert [piece.kind for piece in found.pieces] == ["unfollowed"]
    assert found.tokens == [b"l", b"o", b"w", b"est", b"</w>"]
    assert "rules beyond its merges, which are not shown; these are its tokens" in str(found)
    # A character that only the engine has a rule for.
    prepared.engine = dataclasses.replace(BOOK.model, unk_token="<?>", specials={"<?>": 16}).engine()
    known = Prepared(dataclasses.replace(BOOK.model, specials={"<?>": 16}))
    known.engine = prepared.engine
    assert explain(known, "z").ids == [16, 10]


# One token


def test_a_token_knows_its_tree_its_count_and_its_neighbours() -> None:
    found = BOOK.token("est")
    assert (found.kind, found.rank, found.count) == ("merged", 1, 9)
    assert [part.token.spelling for part in found.tree.parts] == [b"es", b"t"]
    assert [(left.spelling, right.spelling, made.spelling) for left, right, made in found.parents] == [
        (b"est", b"</w>", b"est</w>")
    ]
    assert BOOK.token(found.token.id).to_dict() == found.to_dict()


@pytest.mark.parametrize("kind", sorted(ALL))
def test_a_reachable_token_has_an_example_and_others_a_reason(kind: str) -> None:
    tok = ALL[kind]
    for number, spelling in enumerate(tok.model.spellings()):
        if spelling is None:
            continue
        found = tok.token(number)
        if found.reach.example is not None:
            assert number in tok.encode(found.reach.example), (spelling, found.reach)
        if found.reach.reachable is False:
            assert number not in tok.encode(spelling)
        assert found.kind != "special" or spelling.decode() in SPECIALS or spelling == b"<unk>"
        assert str(found) and found.to_dict()["id"] == number


def test_a_token_that_no_merge_sequence_makes_is_found() -> None:
    """(b, c) comes first wherever b and c meet, so `abc` by (ab, c) is never made."""
    tokens = (*(bytes([byte]) for byte in range(256)), b"bc", b"ab", b"abc")
    model = bp.Model("merges", "bytes", tokens, ((98, 99), (97, 98), (257, 99)), {}, ALL["none"].model.pattern)
    found = bp.Tokenizer(model).token("abc")
    assert found.reach.reachable is False and found.kind == "unmade"
    assert "No text can reach it: its own spelling becomes `a`, `bc`." in str(found)


def test_a_token_across_a_border_of_the_pattern_is_not_ruled_out() -> None:
    tokens = (*(bytes([byte]) for byte in range(256)), b"a b")
    model = bp.Model("ranks", "bytes", tokens, (), {}, ALL["cl100k"].model.pattern)
    found = bp.Tokenizer(model).token("a b")
    assert found.reach.reachable is None
    assert "the split pattern cuts its spelling, which becomes `a`, `·`, `b`" in str(found)


def test_a_part_of_a_character_is_completed_to_a_text() -> None:
    tok = bp.train(["漢字漢字漢字"], num_merges=1)
    found = tok.token(256)
    assert found.reach.reachable and 256 in tok.encode(found.reach.example or "")
    assert "a part of a character" in str(found)


def test_a_wrong_token_is_one_error() -> None:
    with pytest.raises(bp.BadIdError, match="id 999 is no token"):
        BOOK.token(999)
    with pytest.raises(bp.UnknownTokenError, match="no token is spelled 'zz'"):
        BOOK.token("zz")
    with pytest.raises(bp.ArgumentTypeError, match="the id is True"):
        BOOK.token(True)


def test_a_part_that_stood_there_before_is_not_taken_apart_again() -> None:
    tok = bp.train(["abababab"], num_merges=3, pattern="none")
    drawn = str(tok.token("abababab"))
    assert drawn.count("as above") == 2 and drawn.count("a  97") == 1
    assert json.dumps(tok.token("abababab").to_dict()).count('"id": 97') == 4


def test_a_token_of_thousands_of_merges_is_shown_as_far_as_a_page_takes_it() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(2001))
    chain = bp.train([text], num_merges=2000, pattern="none", alphabet="chars")
    found = chain.token(text)
    assert (found.tree.rank, found.kind) == (1999, "merged")
    depth, tree = 0, found.tree
    while tree.parts:
        depth, tree = depth + 1, tree.parts[0]
    assert (depth, tree.rank) == (100, 1899)
    assert "its own report goes on from here" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["rank"] == 1999
    assert chain.token(text[:1901]).tree.rank == 1899


def test_what_is_said_of_a_long_token_is_seen_on_a_narrow_screen() -> None:
    tok = bp.train(["a" * 300], num_merges=8, pattern="none")
    lines = tok.token("a" * 128).draw(width=40).split("\n")
    assert any(line.startswith("aaaa") and "…  262, rank 6" in line for line in lines)
    assert max(map(len, lines)) <= 40
