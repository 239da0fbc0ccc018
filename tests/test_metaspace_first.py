"""Metaspace with `prepend_scheme` "first": what begins the document, behind any normalizer and any cuts before it."""

from __future__ import annotations

import io
import random
from functools import cache
from typing import Any

import pytest
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, models
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

# Characters that normalizers take apart, put together, shrink and drop, beside letters, digits and signs.
CHARACTERS = "ab \u00e9\u00bd-1 \u0301\u0327\ufb01\u0130Ac_\u2581e\n"
BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")


@cache
def charsmap() -> bytes:
    """The map of characters that sentencepiece puts into its models by default."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["ab cd ef gh"] * 50),
        model_writer=model,
        vocab_size=20,
        model_type="bpe",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    frame = bp.load(model.getvalue()).model.frame
    assert frame is not None
    found: bytes = frame.normalizer[0].settings["precompiled_charsmap"]
    assert len(found) > 100_000
    return found


def drawn(seed: int) -> Tokenizer:
    """A tokenizer with random steps, one of them this one."""
    chance = random.Random(seed)
    pick = chance.choice
    flags = (True, False)
    normalizers = [
        *(N.NFC, N.NFD, N.NFKC, N.NFKD, N.Lowercase, N.StripAccents),
        lambda: N.Precompiled(charsmap()),
        lambda: N.Strip(pick(flags), pick(flags)),
        lambda: N.Prepend(pick(["\u2581", " ", "x", "xy"])),
        lambda: N.Replace(pick([" ", "a", "\u00bd", "ab", "\u00e9"]), pick(["\u2581", "", "zz", "-a"])),
        lambda: N.Replace(Regex(pick([r"\s+", "[a-c]", "[a-z]{2}"])), pick([" ", "", "b-"])),
    ]
    cuts = [
        lambda: P.Split(pick([" ", "a", "-", "e"]), pick(BEHAVIORS), chance.random() < 0.3),
        lambda: P.Split(Regex(pick([r"\p{L}", r"\p{M}", "[a-z]|[0-9]+"])), pick(BEHAVIORS)),
        lambda: P.Digits(pick(flags)),
        lambda: P.Punctuation(pick(["isolated", "removed"])),
        *(P.Whitespace, P.WhitespaceSplit),
        lambda: P.ByteLevel(pick(flags), use_regex=pick(flags)),
        lambda: P.Metaspace("_", pick(["first", "always"])),
    ]
    steps: list[Any] = [pick(cuts)() for _ in range(chance.randrange(3))]
    steps.append(P.Metaspace("\u2581", "first", split=pick(flags)))
    steps += [pick(cuts)() for _ in range(chance.random() < 0.3)]
    alphabet = [*map(chr, range(33, 127)), *"\u2581\u00e9\u00bd\u2044\u0301\u0327\ufb01\u0120\u0130\u0307\u00c3\u00a9"]
    made = Tokenizer(models.BPE({each: i for i, each in enumerate([*alphabet, "<unk>"])}, [], unk_token="<unk>"))
    made.normalizer = N.Sequence([pick(normalizers)() for _ in range(chance.randrange(4))])
    made.pre_tokenizer, made.decoder = P.Sequence(steps), D.Fuse()
    if chance.random() < 0.5:
        sides = {name: pick(flags) for name in ("normalized", "lstrip", "rstrip")}
        made.add_tokens([AddedToken(pick(["ab", "b\u00e9", "<m>"]), **sides)])
    return made


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 200, 25)], ids=str)
def test_the_ids_are_those_of_tokenizers(seeds: range) -> None:
    n_texts = 0
    for seed in seeds:
        theirs = drawn(seed)
        ours = bp.load(theirs.to_str().encode())
        chance = random.Random(seed)
        for _ in range(40):
            text = "".join(chance.choices(CHARACTERS, k=chance.randrange(1, 7)))
            assert ours.encode(text) == theirs.encode(text).ids, (seed, text)
            n_texts += 1
    assert n_texts == 40 * len(seeds)


@pytest.mark.parametrize(
    ("normalizer", "text", "pieces"),
    [
        (N.NFKD(), "\u00bd", ["\u25811", "\u2581\u2044", "\u25812"]),  # All three come of the first character.
        (N.Replace("a", ""), "a-b", ["-", "b"]),  # Which is gone here.
        (N.Prepend("x-"), "b", ["\u2581x", "\u2581-", "\u2581b"]),
        (N.Strip(), " b-", ["b", "-"]),
    ],
    ids=["taken apart", "dropped", "put in front", "stripped"],
)
def test_pieces_that_come_of_the_first_character(normalizer: Any, text: str, pieces: list[str]) -> None:
    theirs = drawn(0)
    theirs.normalizer = normalizer
    cut = P.Split(Regex(r"\p{N}|\p{L}|[^\p{L}\p{N}]"), "isolated")
    theirs.pre_tokenizer = P.Sequence([cut, P.Metaspace("\u2581", "first")])
    ours = bp.load(theirs.to_str().encode())
    assert ours.pieces(text) == pieces
    assert ours.encode(text) == theirs.encode(text).ids
