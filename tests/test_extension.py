"""Training that goes on: what was there stays, what is new comes behind, and the report says what can change."""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest
import slow_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from test_prefix import options_of
from test_training_rules import DOCUMENTS, N_MERGES, saved
from tokenizers import Tokenizer as OtherTokenizer

import bytepair as bp

OLD = ["low low lower"] * 5
NEW = ["lowest newest widest"] * 5


def slow_extension(tok: bp.Tokenizer, documents: list[str], n_new: int, **options: Any) -> list[slow_oracle.Pair]:
    """Old merges everywhere, in order; then the best pair again and again, recounted each time."""
    alphabet, end = options["alphabet"], (options["end_of_word"], options["end_of_word_style"])
    specials = list(tok.special_tokens)
    borders = [] if options["special"] == "text" else specials
    counts = slow_oracle.count_pieces(documents, options["pattern"], borders, options["add_prefix_space"])
    words = [(slow_oracle.symbols_of(piece, alphabet, *end), count) for piece, count in counts.items()]
    known = [token for token in tok.model.tokens if token is not None]
    seen = slow_oracle.alphabet_of(counts, alphabet, "value", *end)
    learned = slow_oracle.Learned([*known, *(token for token in seen if token not in known)])
    n_before = len(learned.tokens)
    new = []
    for pair in tok.merges:
        words = [(slow_oracle.merge_everywhere(symbols, pair), count) for symbols, count in words]
    unwanted = [name.encode() for name in specials]
    while len(learned.tokens) < n_before + n_new:
        pair_counts = slow_oracle.count_pairs(words)
        limits = options["min_count"], options["max_token_bytes"]
        pair = slow_oracle._choose(pair_counts, options["ties"], learned, *limits, unwanted)
        if pair is None:
            break
        if pair[0] + pair[1] not in learned.tokens:
            learned.tokens.append(pair[0] + pair[1])
        new.append(pair)
        words = [(slow_oracle.merge_everywhere(symbols, pair), count) for symbols, count in words]
    return new


def n_new_symbols(tok: bp.Tokenizer, documents: list[str], pattern: str, special: str) -> int:
    if tok.model.alphabet == "bytes":
        return 0
    borders = [] if special == "text" else list(tok.special_tokens)
    counts = slow_oracle.count_pieces(documents, pattern, borders, tok.model.add_prefix_space)
    marker = tok.model.end_of_word if tok.model.end_of_word_style == "suffix" else None
    symbols = slow_oracle.alphabet_of(counts, "chars", "value", marker, "suffix")
    return len([symbol for symbol in symbols if symbol not in tok.model.tokens])


@given(DOCUMENTS, DOCUMENTS, options_of(), N_MERGES, st.integers(0, 12))
@settings(max_examples=60)
def test_an_extension_is_what_recounting_gives(documents, more, options, num_merges, n_new):
    special = options["special"]
    try:
        tok = bp.train(documents, num_merges=num_merges, **options)
        size = tok.vocab_size + n_new_symbols(tok, more, options["pattern"], special) + n_new
        longer = tok.extend(more, size, special=special)
    except bp.SpecialTokenError:
        return  # a special token that is spelled like a character
    assert longer.merges == tok.merges + slow_extension(tok, more, n_new, **options)
    assert_old_parts_stay(tok, longer)
    assert_it_comes_back_from_a_file(longer)
    # Any smaller extension is a prefix.
    for n in range(size - n_new, longer.vocab_size + 1):
        assert saved(longer.at(n)) == saved(tok.extend(more, n, special=special))


def assert_old_parts_stay(tok: bp.Tokenizer, longer: bp.Tokenizer) -> None:
    assert longer.merges[: len(tok.merges)] == tok.merges
    assert longer.model.spellings()[: tok.model.n_ids] == tok.model.spellings()
    assert longer.special_tokens == tok.special_tokens
    assert longer.model.merge_counts[: len(tok.merges)] == tok.model.merge_counts


def assert_it_comes_back_from_a_file(tok: bp.Tokenizer) -> None:
    data = saved(tok)
    loaded = bp.load(data)
    assert loaded == tok
    assert loaded.model.extensions == tok.model.extensions
    assert saved(loaded) == data
    assert pickle.loads(pickle.dumps(tok)) == tok


def test_new_ids_follow_the_largest_old_one() -> None:
    tok = bp.train(OLD, num_merges=20, special_tokens=["<x>"])
    longer = tok.extend(NEW, tok.vocab_size + 5)
    assert longer.vocab_size == tok.vocab_size + 5
    assert longer.special_tokens == {"<x>": tok.vocab_size - 1}
    new = [longer.token_bytes(number) for number in range(tok.vocab_size, longer.vocab_size)]
    assert new == [token for _, token in longer.extension.new_tokens]
    assert longer.decode(longer.encode("lowest<x>", special="all")) == "lowest<x>"


def test_an_extension_changes_no_old_merge_and_no_old_id() -> None:
    """G32: elsewhere a vocabulary that is trained on gets other merges, and its old ids mean something else."""
    tok = bp.train(OLD, num_merges=20, special_tokens=["<x>"])
    longer = tok.extend(NEW, tok.vocab_size + 20)
    assert longer.merges[: len(tok.merges)] == tok.merges
    assert len(longer.merges) > len(tok.merges)
    assert [longer.token_bytes(number) for number in range(tok.vocab_size)] == [
        tok.token_bytes(number) for number in range(tok.vocab_size)
    ]
    assert {number for number, _ in longer.extension.new_tokens} == set(range(tok.vocab_size, longer.vocab_size))


def test_a_text_without_a_new_spelling_encodes_as_before() -> None:
    tok = bp.train(OLD, num_merges=20, special_tokens=["<x>"])
    longer = tok.extend(NEW, tok.vocab_size + 20)
    for text in ["low lower low", "slow lower<x>", "blower", "new wider"]:
        unchanged = not any(spelling in text.encode() for spelling in longer.extension.can_change)
        assert (longer.encode(text) == tok.encode(text)) or not unchanged
    assert longer.encode("low lower<x>", special="all") == tok.encode("low lower<x>", special="all")
    assert longer.encode("lowest") != tok.encode("lowest")


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(["bytes", "chars"]), st.sampled_from(["", "</w>", "a"]), N_MERGES)
def test_the_report_names_all_that_can_change(documents, more, alphabet, suffix, num_merges):
    end = {"end_of_word": suffix, "end_of_word_style": "suffix"} if suffix else {}
    tok = bp.train(documents, num_merges=num_merges, alphabet=alphabet, pattern="none", **end)
    size = tok.vocab_size + n_new_symbols(tok, more, "none", "all") + 9
    longer = tok.extend(more, size)
    n_changed = n_unknown = 0
    for text in [*documents, *more]:
        try:
            changed = tok.encode(text) != longer.encode(text)
        except bp.UnknownCharacterError:
            n_unknown += text in more
            continue
        spelled = (text + suffix).encode()
        assert not changed or any(spelling in spelled for spelling in longer.extension.can_change)
    for text in filter(None, more):
        with contextlib.suppress(bp.UnknownCharacterError):
            n_changed += tok.encode(text) != longer.encode(text)
    assert (longer.extension.n_changed, longer.extension.n_unknown) == (n_changed, n_unknown)
    assert longer.extension.n_pieces == len([text for text in more if text])


def test_the_report_in_words() -> None:
    tok = bp.train(["low low"], num_merges=2, alphabet="chars", pattern="whitespace")
    longer = tok.extend(["low slow slow"], 7)
    assert str(longer.extension) == (
        "2 tokens behind 5: 1 new character, 1 merge; old ids and merges are as they were\n"
        "0 of 3 pieces of this corpus (0.00%) encode differently now; 2 could not be encoded before"
    )
    assert longer.extension.can_change == ()
    marked = bp.train(["low"], num_merges=0, alphabet="chars", end_of_word="</w>", end_of_word_style="suffix")
    assert str(marked.extend(["lows"], 9).extension).startswith("3 tokens behind 6: 2 new symbols, 1 merge;")
    with pytest.raises(bp.ArgumentError, match="the 6 tokens there are and 2 new symbols of this corpus"):
        marked.extend(["lows"], 7)
    assert str(tok.extend(["lowlow"], 6).extension) == (
        "1 token behind 5: 1 merge; old ids and merges are as they were\n"
        "1 of 1 piece of this corpus (100.00%) encodes differently now\n"
        "a text encodes as before unless it holds one of 'lowlow'"
    )
    assert longer.training.unit == "vocab_size"
    assert longer.training.merge_counts == (2,)


def test_characters_that_were_unknown_can_change_a_text_that_was_encoded() -> None:
    tok = bp.train(["low"], num_merges=1, alphabet="chars", unk_token="<unk>")
    longer = tok.extend(["lox"], tok.vocab_size + 1)
    assert longer.extension.can_change == (b"x",)
    assert longer.extension.n_changed == 1
    assert longer.extension.changed_share == 1.0
    assert (tok.tokens("x"), longer.tokens("x")) == ([b"<unk>"], [b"x"])


def test_another_tool_opens_an_extended_tokenizer(tmp_path: Path) -> None:
    tok = bp.train(OLD, num_merges=20, special_tokens=["<x>"]).extend(NEW, 290)
    tok.save(tmp_path / "tokenizer.json")
    other = OtherTokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*OLD, *NEW, "lowest<x>low"]:
        assert other.encode(text).ids == tok.encode(text, special="all")


def test_an_extension_can_be_extended() -> None:
    tok = bp.train(OLD, num_merges=3, special_tokens=["<x>"])
    twice = tok.extend(NEW, 265).extend(["x y z xyz"] * 4, 270)
    assert [(each.first_id, each.first_merge) for each in twice.model.extensions] == [(260, 3), (265, 8)]
    assert_it_comes_back_from_a_file(twice)
    assert twice.at(265) == tok.extend(NEW, 265)


def test_nothing_new_is_the_same_tokenizer() -> None:
    tok = bp.train(OLD, num_merges=3)
    assert saved(tok.extend(NEW, tok.vocab_size)) == saved(tok)
    assert saved(tok.extend([""], 300)) == saved(tok)


def test_a_tally_will_do() -> None:
    tok = bp.train(OLD, num_merges=3, special_tokens=["<x>"])
    counted = bp.tally(NEW, pattern="cl100k", special_tokens=["<x>"])
    assert saved(tok.extend(counted, 265)) == saved(tok.extend(NEW, 265))


def test_too_small_a_size_names_the_least() -> None:
    tok = bp.train(OLD, num_merges=3, special_tokens=["<x>"])
    with pytest.raises(
        bp.ArgumentError, match=r"vocab_size is 259; it must be at least 260: the 260 tokens there are$"
    ):
        tok.extend(NEW, 259)
    chars = bp.train(["low"], num_merges=1, alphabet="chars")
    message = "vocab_size is 5; it must be at least 6: the 4 tokens there are and 2 new characters of this corpus"
    with pytest.raises(bp.ArgumentError, match=message):
        chars.extend(["slew"], 5)


def test_below_an_extension_a_prefix_stops() -> None:
    longer = bp.train(OLD, num_merges=3).extend(NEW, 265)
    with pytest.raises(bp.ArgumentError, match="vocab_size is 258; it must be at least 259, all before its last ext"):
        longer.at(258)


def test_a_tokenizer_that_changes_text_first_is_not_extended(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers

    whole = Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "ab": 2}, merges=[("a", "b")]))
    whole.normalizer = normalizers.Lowercase()
    whole.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(bp.ModelError, match=r"rules that change or cut text .* train a new tokenizer"):
        bp.load(tmp_path / "tokenizer.json").extend(["ab"], 4)


def test_ranks_cannot_be_extended() -> None:
    tok = bp.train(OLD, num_merges=3)
    ranks = bp.Tokenizer(dataclasses.replace(tok.model, kind="ranks", merges=(), merge_counts=None))
    with pytest.raises(
        bp.ModelError, match=r"holds ranks, and extending goes on from a list of merges.*tokenizer\.json"
    ):
        ranks.extend(NEW, 300)


def test_another_pattern_of_a_tally_is_refused() -> None:
    tok = bp.train(OLD, num_merges=3)
    with pytest.raises(bp.ArgumentError, match="pattern is 'cl100k', and the tally was cut by 'gpt2'"):
        tok.extend(bp.tally(NEW, pattern="gpt2"), 300)


def test_a_new_character_that_is_spelled_like_a_special_token_is_refused() -> None:
    tok = bp.train(["low"], num_merges=1, alphabet="chars", special_tokens=["x"])
    with pytest.raises(bp.SpecialTokenError, match="'x' is spelled like a symbol"):
        tok.extend(["lox"], 20, special="text")


@pytest.mark.parametrize(
    "extensions", [(bp.Extension(259, 4),), (bp.Extension(261, 3), bp.Extension(260, 3))], ids=["merge", "order"]
)
def test_extensions_that_contradict_the_model_are_refused(extensions: tuple[bp.Extension, ...]) -> None:
    tok = bp.train(OLD, num_merges=3)
    with pytest.raises(bp.ModelError, match=r"extension \d begins with the id \d+ and the merge \d"):
        dataclasses.replace(tok.model, extensions=extensions)
