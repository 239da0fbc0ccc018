"""A vocabulary looked through: what is found is there, and what is said to be unreachable is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tokenizers_of_all_kinds import ALL

import bytepair as bp
from bytepair.analysis.scripts import writing
from bytepair.cli import cli

CORPUS = ["low low lower lowest newest newest widest Low LOW é 漢字 漢字 12 12 I'll we're\n" * 3]
BYTES = tuple(bytes([byte]) for byte in range(256))


def broken(*tokens: bytes, kind: Any = "merges", merges: tuple[tuple[int, int], ...] = ()) -> bp.Tokenizer:
    pattern = bp.train([""], num_merges=0).model.pattern
    return bp.Tokenizer(bp.Model(kind, "bytes", (*BYTES, *tokens), merges, {}, pattern))


# Where b and c meet they are merged first, so `abc` of (ab, c) is never made.
LOST = broken(b"bc", b"ab", b"abc", merges=((98, 99), (97, 98), (257, 99)))


@pytest.mark.parametrize("kind", sorted(ALL))
@given(text=st.text(max_size=30))
def test_no_text_holds_an_unreachable_token(kind: str, text: str) -> None:
    lost = {each.token.id for each in INSPECTIONS[kind].unreachable}
    try:
        assert not lost & set(ALL[kind].encode(text))
    except bp.UnknownCharacterError:
        assert ALL[kind].model.alphabet == "chars"


INSPECTIONS = {kind: tok.inspect() for kind, tok in ALL.items()}


@pytest.mark.parametrize("kind", sorted(ALL))
def test_every_token_is_counted_once(kind: str) -> None:
    found = INSPECTIONS[kind]
    assert found.n_special + found.n_symbols + found.n_merged == found.n_tokens == ALL[kind].vocab_size
    assert sum(found.scripts.values()) == found.n_tokens - found.n_special
    # What was learned here can be reached, and each token says the same of itself.
    assert found.unreachable == ()
    for token in found.unsure:
        assert ALL[kind].token(token.id).reach.reachable is None


def test_an_unreachable_token_is_found_with_what_it_becomes() -> None:
    found = LOST.inspect()
    (lost,) = found.unreachable
    assert (lost.token.spelling, lost.becomes) == (b"abc", (b"a", b"bc"))
    assert found.problems() == ("1 token that no text can reach",)
    assert found.problems(max_unreachable=1) == ()
    assert "No text can reach these" in str(found)


def test_what_the_pattern_cuts_is_unsure_and_no_problem() -> None:
    found = broken(b"a b", kind="ranks").inspect()
    assert [token.spelling for token in found.unsure] == [b"a b"]
    assert found.problems() == ()


def test_tokens_that_stand_only_inside_others() -> None:
    tok = bp.train(["low low lower"], num_merges=3)
    # `lo` was merged three times, and each of them went into `low`; of three `low`, two went into ` low`.
    leftovers = tok.inspect().leftovers
    assert leftovers is not None and [token.spelling for token in leftovers] == [b"lo"]
    on_corpus = tok.inspect(["x low"]).leftovers
    assert on_corpus is not None and [token.spelling for token in on_corpus] == [b"lo", b"low"]
    tok_without_counts = bp.Tokenizer(bp.Model(**{**parts(tok), "merge_counts": None}))
    assert tok_without_counts.inspect().leftovers is None


def parts(tok: bp.Tokenizer) -> dict[str, Any]:
    names = ("kind", "alphabet", "tokens", "merges", "specials", "pattern", "merge_counts")
    return {name: getattr(tok.model, name) for name in names}


@given(texts=st.lists(st.text("abc ", max_size=12), max_size=6), num_merges=st.integers(0, 12))
def test_leftovers_by_counts_are_those_of_the_training_corpus(texts: list[str], num_merges: int) -> None:
    tok = bp.train(texts, num_merges=num_merges, pattern="gpt2")
    by_counts, on_corpus = tok.inspect().leftovers, tok.inspect(texts).leftovers
    assert by_counts is not None and on_corpus is not None
    # Pairs of a token with itself do not tell; all others do.
    selves = {left + right for left, right in tok.merges if left == right} | {
        left for left, right in tok.merges if left == right
    }
    assert {t.spelling for t in by_counts} - selves == {t.spelling for t in on_corpus} - selves


def test_near_duplicates_differ_by_case_or_a_space() -> None:
    tok = bp.train(["low low Low Low LOW LOW x low x Low"], num_merges=20)
    groups = [{token.spelling for token in group} for group in tok.inspect().near_duplicates]
    assert any({b"low", b" low", b" Low"} <= group for group in groups)
    assert {b"a", b"A"} in groups


def test_use_in_a_corpus_is_counted() -> None:
    tok = bp.train(CORPUS, num_merges=20)
    found = tok.inspect(["low low"], rare_below=2)
    assert found.n_corpus_tokens == tok.count("low low")
    assert found.under_used is not None
    rare = {token.spelling for token in found.under_used}
    ids = tok.encode("low low")
    assert rare == {token for number, token in enumerate(tok.model.tokens) if number >= 256 and ids.count(number) < 2}
    (problem,) = found.problems(max_under_used=0.5)
    assert "of the merged tokens stand in the corpus fewer than 2 times; 50.0% allowed" in problem


def test_parts_of_characters_and_scripts() -> None:
    tok = bp.train(["漢字漢字 漢字 жар жар 42 42"], num_merges=40)
    found = tok.inspect()
    assert all(b"\xe6\xbc".startswith(t.spelling[:1]) or t.spelling for t in found.partial)
    assert {token.spelling for token in found.partial} == {
        token for token in tok.model.tokens[256:] if token and not is_text(token)
    }
    assert found.scripts["Han"] and found.scripts["Cyrillic"] and found.scripts["digits"]


def is_text(token: bytes) -> bool:
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("naïve", "Latin"),
        (" Ελλάδα", "Greek"),
        ("한국", "Hangul"),
        ("कखग", "Devanagari"),
        ("ไทย", "Thai"),
        ("שלום", "Hebrew"),
        ("العربية", "Arabic"),
        ("カタカナ", "Katakana"),
        ("ABc", "Latin"),
        ("abж", "Cyrillic + Latin"),
        ("½3", "digits"),
        ("\u3000\t", "white space"),
        ("🙂", "symbols"),
        ("\u0301", "symbols"),
    ],
)
def test_what_a_token_is_written_in(text: str, expected: str) -> None:
    assert writing(text.encode()) == expected


def test_the_command_is_a_gate(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOST.save("lost.json")
    bp.train(CORPUS, num_merges=5).save("fine.json")
    (tmp_path / "text.txt").write_text("low low", "utf-8")

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(cli, ["inspect", *arguments])

    assert run("-t", "lost.json").exit_code == 0
    failed = run("-t", "lost.json", "--check")
    assert failed.exit_code == 1 and "check failed: 1 token that no text can reach" in failed.stderr
    assert run("-t", "lost.json", "--check", "--max-unreachable", "1").exit_code == 0
    assert run("-t", "fine.json", "--check").exit_code == 0
    used = run("-t", "fine.json", "--check", "--max-under-used", "0.1", "text.txt", "--json")
    assert used.exit_code == 1 and json.loads(used.stdout)["n_corpus_tokens"] > 0
    wrong = run("-t", "fine.json", "--check", "--max-under-used", "0.1")
    assert wrong.exit_code == 2 and "--max-under-used is 0.1, and nothing was counted" in wrong.stderr


def test_wrong_arguments_of_inspect_are_named() -> None:
    tok = bp.train(["ab"], num_merges=1)
    with pytest.raises(bp.ArgumentError, match="rare_below is 0; it must be at least 1"):
        tok.inspect(["a"], rare_below=0)
    with pytest.raises(bp.ArgumentError, match="max_unreachable is -1; it must be at least 0"):
        tok.inspect().problems(max_unreachable=-1)
    with pytest.raises(bp.ArgumentError, match="max_under_used is 2; it must be a number from 0 to 1"):
        tok.inspect(["a"]).problems(max_under_used=2)
    with pytest.raises(bp.ArgumentError, match=r"max_under_used is 0\.5, and nothing was counted"):
        tok.inspect().problems(max_under_used=0.5)


@pytest.mark.parametrize("width", [60, 80])
def test_an_inspection_keeps_to_the_width_of_a_terminal(width: int) -> None:
    found = bp.train(CORPUS, num_merges=50).inspect(CORPUS, rare_below=3)
    assert max(map(len, found.draw(width=width).split("\n"))) <= width
    assert json.dumps(found.to_dict()) and found._repr_html_()


def test_a_vocabulary_of_bytes_alone_is_inspected() -> None:
    found = bp.train([""], num_merges=0).inspect([])
    assert found.n_merged == 0 and found.problems(max_under_used=0.0) == () and str(found)
