"""Proofs: what was learned holds, what was changed is found, and the receipt says of what."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_prefix import options_of
from test_training_rules import DOCUMENTS, N_MERGES, saved
from tokenizers import Tokenizer as OtherTokenizer
from tokenizers import decoders, models, pre_tokenizers, trainers

import bytepair as bp

TEXTS = ["low low lower lowest", "newest widest"] * 4


@pytest.fixture
def tok() -> bp.Tokenizer:
    return bp.train(TEXTS, num_merges=6)


@given(DOCUMENTS, options_of(), N_MERGES)
def test_what_was_learned_is_proved(documents, options, num_merges):
    try:
        tok = bp.train(documents, num_merges=num_merges, **options)
    except bp.SpecialTokenError:
        return  # a special token that is spelled like a character
    proof = bp.load(saved(tok)).prove(documents, special=options["special"])
    assert proof
    assert proof.same_corpus
    assert (proof.n_merges, proof.ties) == (len(tok.merges), options["ties"])


@given(DOCUMENTS, options_of(), st.integers(2, 12), st.integers(0, 11))
def test_two_merges_that_changed_places_are_found(documents, options, num_merges, place):
    try:
        tok = bp.train(documents, num_merges=num_merges, **options)
    except bp.SpecialTokenError:
        return  # a special token that is spelled like a character
    if len(tok.merges) < 2:
        return
    place %= len(tok.merges) - 1
    merges = list(tok.model.merges)
    merges[place], merges[place + 1] = merges[place + 1], merges[place]
    proof = bp.Tokenizer(dataclasses.replace(tok.model, merges=tuple(merges))).prove(
        documents, special=options["special"]
    )
    if merges == list(tok.model.merges):
        assert proof
        return
    assert not proof
    assert (proof.rank, proof.given) == (place, tok.merges[place + 1])
    assert (proof.choice, proof.choice_count) == (tok.merges[place], tok.model.merge_counts[place])


def test_a_proof_in_words(tok: bp.Tokenizer) -> None:
    assert str(tok.prove(TEXTS)) == (
        'proved: each of 6 merges is the most frequent pair at its place, ties "lexicographic"; the corpus is the '
        "model's own"
    )
    assert str(tok.prove(["low lo lo"])) == (
        "broken at merge 1 of 6: ('lo', 'w') stands there once, and (' ', 'lo') 2 times; the corpus is not the "
        "model's own"
    )


def test_a_tie_that_was_decided_otherwise_in_words() -> None:
    tok = bp.train(["ab cd"], num_merges=1, ties="largest")
    proof = tok.prove(["ab cd"], ties="lexicographic")
    assert str(proof).startswith(
        "broken at merge 0 of 1: ('c', 'd') stands there once, as (' ', 'c') does, and ties \"lexicographic\" takes "
        "the second"
    )


def test_a_merge_that_is_too_rare_is_broken() -> None:
    tok = bp.train(["ab ab cd"], num_merges=3)
    strict = bp.Tokenizer(dataclasses.replace(tok.model, min_count=2))
    proof = strict.prove(["ab ab cd"])
    assert (proof.rank, proof.count, proof.choice, proof.choice_count) == (1, 1, None, None)
    assert "stands there once, and no pair that is frequent enough is left" in str(proof)


def test_the_receipt(tok: bp.Tokenizer) -> None:
    counted = bp.tally(TEXTS, pattern="cl100k")
    receipt = tok.prove(counted).receipt
    assert json.loads(json.dumps(dict(receipt))) == receipt
    assert receipt["corpus_fingerprint"] == receipt["corpus_fingerprint_of_model"] == counted.fingerprint
    assert receipt["model_fingerprint"] == tok.model.fingerprint
    assert (receipt["version"], receipt["holds"], receipt["n_merges"]) == (bp.__version__, True, 6)
    assert receipt["options"]["ties"] == "lexicographic"
    with pytest.raises(TypeError):
        receipt["holds"] = False


def test_each_part_of_an_extended_tokenizer_is_proved_on_its_own_corpus(tok: bp.Tokenizer) -> None:
    more = ["x yz xyz"] * 3
    longer = tok.extend(more, tok.vocab_size + 4)
    first, second = longer.prove(TEXTS), longer.prove(more)
    assert first
    assert (first.n_merges, first.receipt["first_merge"], first.same_corpus) == (6, 0, True)
    assert second
    assert (second.n_merges, second.receipt["first_merge"], second.same_corpus) == (4, 6, True)
    assert longer.prove(["zz top"]).rank == 6


def test_a_tokenizer_of_another_tool_is_proved_by_its_rule(tmp_path: Any) -> None:
    other = OtherTokenizer(models.BPE())
    other.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    other.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=alphabet, special_tokens=["<e>"], show_progress=False
    )
    other.train_from_iterator(TEXTS, trainer)
    other.save(str(tmp_path / "tokenizer.json"))
    tok = bp.load(tmp_path / "tokenizer.json")
    with pytest.raises(bp.ArgumentError, match=r'does not say by which rule.*pass it, as in ties="lowest-id"'):
        tok.prove(TEXTS)
    proof = tok.prove(TEXTS, ties="lowest-id")
    assert proof
    assert proof.same_corpus is None
    assert "the corpus is perhaps not the model's: it names none" in str(proof)
    assert not tok.prove(TEXTS, ties="lexicographic")


def test_the_special_tokens_that_cut_a_tally_are_taken_from_it() -> None:
    documents = ["low<e>low", "lower<e>"]
    tok = bp.train(documents, num_merges=4, special_tokens=["<e>"], special="text")
    assert tok.prove(bp.tally(documents, pattern="cl100k"))
    assert tok.prove(documents, special="text")
    assert not tok.prove(documents).same_corpus


def test_first_seen_needs_the_order() -> None:
    tok = bp.train(["low lower"], num_merges=3, ties="first-seen")
    assert tok.prove(["low lower"])
    with pytest.raises(bp.ArgumentError, match='ties="first-seen" needs the order'):
        tok.prove(bp.Tally.from_counts({("low", 1), (" lower", 1)}, pattern="cl100k"))


def test_ranks_have_nothing_to_prove(tok: bp.Tokenizer) -> None:
    ranks = bp.Tokenizer(dataclasses.replace(tok.model, kind="ranks", merges=(), merge_counts=None))
    with pytest.raises(bp.ModelError, match=r"holds ranks, and a proof is about merges.*tokenizer\.json"):
        ranks.prove(TEXTS)


def test_an_unknown_rule_is_refused(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.ArgumentError, match="ties is 'none'; it must be one of"):
        tok.prove(TEXTS, ties="none")
