"""Added tokens that stand in the vocabulary and decode to texts of their own: every way of decoding says the same."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, models
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

SPELLED = sorted(P.ByteLevel.alphabet())
# In the vocabulary, where ByteLevel spells other bytes by them than their own: "é" is 0xE9, "Ġa" is " a".
IN_VOCABULARY = ["ab", "\u00e9\u00e9", "\u0120a", "YES", "<s>", "\u4e00x", "caf\u00e9"]
FLAGS: dict[str, dict[str, Any]] = {
    "plain": {"normalized": False},
    "normalized": {"normalized": True},
    "special": {"normalized": False, "special": True},
}
DECODERS: dict[str, Any] = {
    "quick": D.ByteLevel(),
    "slow": D.Sequence([D.ByteLevel(), D.Replace("b", "[b]")]),
    "slowest": D.Sequence([D.Replace("\u0120", "_"), D.ByteLevel(), D.Strip("a", 1, 0)]),
}
NORMALIZERS: dict[str, Any] = {"none": None, "lowercase": N.Lowercase(), "bytes": N.Replace("Y", "\u0120y")}


def by_bytes(flags: dict[str, Any], decoder: Any, normalizer: Any) -> Tokenizer:
    """All bytes, the texts above as tokens that merges do not reach, and the same as added tokens."""
    vocab = {text: number for number, text in enumerate([*SPELLED, *IN_VOCABULARY])}
    whole = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    whole.pre_tokenizer, whole.decoder = P.ByteLevel(add_prefix_space=False, use_regex=False), decoder
    if normalizer is not None:
        whole.normalizer = normalizer
    whole.add_tokens([AddedToken(text, **flags) for text in IN_VOCABULARY])
    return whole


def by_characters(flags: dict[str, Any], decoder: Any, normalizer: Any) -> Tokenizer:
    texts = [*map(chr, range(32, 127)), "\u00e9", "\u0120", "<unk>", *IN_VOCABULARY]
    whole = Tokenizer(models.BPE(vocab={text: i for i, text in enumerate(texts)}, merges=[], unk_token="<unk>"))
    whole.decoder = D.Sequence([D.Fuse(), D.Replace("b", "[b]")]) if decoder is not DECODERS["quick"] else D.Fuse()
    if normalizer is not None:
        whole.normalizer = normalizer
    whole.add_tokens([AddedToken(text, **flags) for text in IN_VOCABULARY])
    return whole


@pytest.mark.parametrize("make", [by_bytes, by_characters])
@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("flags", FLAGS)
def test_every_way_of_decoding_gives_the_text_of_tokenizers(
    make: Any, flags: str, decoder: str, normalizer: str
) -> None:
    theirs = make(FLAGS[flags], DECODERS[decoder], NORMALIZERS[normalizer])
    ours = bp.load(theirs.to_str().encode())
    added = [theirs.token_to_id(text) for text in IN_VOCABULARY]
    a = theirs.token_to_id("a")
    lists = [*([number] for number in added), added, added * 60, *([a, number, a] for number in added)]
    texts = [theirs.decode(ids, skip_special_tokens=False) for ids in lists]
    assert [ours.decode(ids) for ids in lists] == texts
    assert ours.decode_batch(lists) == texts
    assert [ours.decode_bytes(ids).decode(errors="replace") for ids in lists] == texts
    for ids, text in zip(lists, texts, strict=True):
        stream = ours.decoder()
        assert "".join(map(stream.feed, ids)) + stream.finish() == text
    found = "".join(IN_VOCABULARY)
    ids = ours.encode(found, special="all")
    assert ids == theirs.encode(found).ids
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


def test_on_the_quick_way_the_text_that_was_added_comes_before_the_bytes_it_spells() -> None:
    ours = bp.load(by_bytes(FLAGS["plain"], DECODERS["quick"], None).to_str().encode())
    chinese, space_a = ours.encode("\u4e00x"), ours.encode("\u0120a")
    assert len(chinese) == len(space_a) == 1
    # No byte is spelled by the first, so its text stands; the other's spells a space.
    assert ours.decode(chinese) == "\u4e00x" and ours.decode_bytes(chinese) == "\u4e00x".encode()
    assert ours.decode(space_a) == " a" and ours.token_bytes(space_a[0]) == b" a"
