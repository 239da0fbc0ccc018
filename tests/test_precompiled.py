"""A map of characters compiled by sentencepiece, in a tokenizer.json: the texts and ids of tokenizers."""

from __future__ import annotations

import io
import unicodedata

import pytest
import sentencepiece
from hard_strings import EMOJI, HARD_ONES, LETTERS, MARKS, NUMBERS, characters, strings, whole
from tokenizers import Tokenizer, models
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp


@pytest.fixture(scope="module", params=["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"])
def pair(request: pytest.FixtureRequest) -> tuple[bp.Tokenizer, Tokenizer]:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab cd ef gh"] * 50),
        model_writer=model,
        vocab_size=20,
        model_type="bpe",
        hard_vocab_limit=False,
        minloglevel=2,
        normalization_rule_name=request.param,
    )
    frame = bp.load(model.getvalue()).model.frame
    assert frame is not None
    theirs = Tokenizer(models.BPE({each: i for i, each in enumerate(sorted(P.ByteLevel.alphabet()))}, []))
    theirs.normalizer = N.Precompiled(frame.normalizer[0].settings["precompiled_charsmap"])
    theirs.pre_tokenizer, theirs.decoder = P.ByteLevel(False, use_regex=False), D.ByteLevel()
    return bp.load(theirs.to_str().encode()), theirs


def test_every_character_becomes_what_it_becomes_there(pair: tuple[bp.Tokenizer, Tokenizer]) -> None:
    ours, theirs = pair
    changed = [each for each in characters() if unicodedata.normalize("NFKC", each).casefold() != each]
    assert len(changed) > 5_000
    for character in [*changed, *characters()[::50]]:
        for text in (character, f"a{character}\u0301b"):
            assert ours.normalized(text) == theirs.normalizer.normalize_str(text), text


def test_hard_strings_have_the_ids_there(pair: tuple[bp.Tokenizer, Tokenizer]) -> None:
    ours, theirs = pair
    parts = [each.encode() for each in (*EMOJI, *HARD_ONES, *LETTERS, *MARKS, *NUMBERS)]
    texts = list(map(whole, strings(parts * 40, ["<s>"], 1_500)))
    ids = ours.encode_batch(texts)
    assert ids == [each.ids for each in theirs.encode_batch_fast(texts)]
    assert ours.decode_batch(ids) == theirs.decode_batch(ids)


def test_it_is_saved_and_loaded_as_it_is(pair: tuple[bp.Tokenizer, Tokenizer], tmp_path: object) -> None:
    ours, theirs = pair
    path = f"{tmp_path}/tokenizer.json"
    ours.save(path)
    there = Tokenizer.from_file(path)
    assert bp.load(path) == ours and any("Precompiled" in loss for loss in ours.losses)
    assert there.normalizer.normalize_str("\ufb01\u00bd\u3000x") == theirs.normalizer.normalize_str(
        "\ufb01\u00bd\u3000x"
    )
