"""The public files that are no ranks, each held against its own library; ranks against tokenizers, exported for it.

With BYTEPAIR_EXACT=full: 10,000 strings each, and 2 MB of each corpus in the folder that BYTEPAIR_BENCH_CORPORA names.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import regex
import sentencepiece
import tiktoken
from hard_strings import FULL, strings, whole
from public_vocabularies import VOCABULARIES
from tokenizers import Tokenizer, models
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

Locate = Callable[[str], Path]
N_STRINGS = 10_000 if FULL else 1_000
TEKKEN = "vocabs/tekken_240911.json"
CLIP = "vocabs/clip_bpe_simple_vocab_16e6.txt.gz"


@dataclass(frozen=True)
class Pair:
    """A tokenizer of ours and what its own library does; `special`: what that finds in text."""

    ours: bp.Tokenizer
    encode: Callable[[list[str]], list[list[int]]]
    decode: Callable[[list[int]], str]
    special: Any = "text"


def of_tokenizers(ours: bp.Tokenizer, theirs: Tokenizer) -> Pair:
    def encode(texts: list[str]) -> list[list[int]]:
        return [each.ids for each in theirs.encode_batch_fast(texts, add_special_tokens=False)]

    return Pair(ours, encode, lambda ids: theirs.decode(ids, skip_special_tokens=False), "all")


def deepseek(locate: Locate, _: Path) -> Pair:
    path = locate("vocabs/deepseek_v4.tokenizer.json")
    return of_tokenizers(bp.load(path), Tokenizer.from_file(str(path)))


def mistral(locate: Locate, _: Path) -> Pair:
    path = locate("vocabs/mistral_v3.spm.model")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return Pair(bp.load(path), theirs.encode, theirs.decode)


def mistral_in_tokenizers(locate: Locate, folder: Path) -> Pair:
    return exported(bp.load(locate("vocabs/mistral_v3.spm.model")), folder)


def tekken(locate: Locate, _: Path) -> Pair:
    """By tiktoken, which mistral-common encodes with: ids are ranks and a thousand."""
    path = locate(TEKKEN)
    file = json.loads(path.read_bytes())
    n_special = file["config"]["default_num_special_tokens"]
    n_ranks = file["config"]["default_vocab_size"] - n_special
    ranks = {base64.b64decode(each["token_bytes"]): each["rank"] for each in file["vocab"][:n_ranks]}
    theirs = tiktoken.Encoding("tekken", pat_str=file["config"]["pattern"], mergeable_ranks=ranks, special_tokens={})
    return Pair(
        bp.load(path),
        lambda texts: [[rank + n_special for rank in theirs.encode_ordinary(text)] for text in texts],
        lambda ids: theirs.decode([number - n_special for number in ids]),
    )


def tekken_by_mistral(locate: Locate, _: Path) -> Pair:
    module = pytest.importorskip("mistral_common.tokens.tokenizers.tekken", reason="mistral-common is not installed")
    theirs = module.Tekkenizer.from_file(locate(TEKKEN))
    return Pair(
        bp.load(locate(TEKKEN)),
        lambda texts: [theirs.encode(text, bos=False, eos=False) for text in texts],
        theirs.decode,
    )


def clip(locate: Locate, _: Path) -> Pair:
    """By what its own code does, without ftfy: lower case, words, and merges of GPT-2's characters within each."""
    lines = gzip.decompress(locate(CLIP).read_bytes()).decode().split("\n")[1 : 49_152 - 256 - 2 + 1]
    merges = [tuple(line.split()) for line in lines]
    printing = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printing]
    byte_of = {chr(byte): byte for byte in printing} | {chr(256 + i): byte for i, byte in enumerate(others)}
    texts = [*byte_of, *(each + "</w>" for each in byte_of), *(left + right for left, right in merges)]
    vocab = {text: number for number, text in enumerate(texts)}
    model = Tokenizer(models.BPE(vocab=vocab, merges=merges, end_of_word_suffix="</w>"))
    model.pre_tokenizer = P.ByteLevel(add_prefix_space=False, use_regex=False)
    words = regex.compile(
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        regex.IGNORECASE,
    )

    def encode(many: list[str]) -> list[list[int]]:
        cut = [words.findall(text.lower()) for text in many]
        return [each.ids for each in model.encode_batch_fast(cut, is_pretokenized=True)]

    def decode(ids: list[int]) -> str:
        spelled = "".join(texts[number] for number in ids)
        ended = spelled.replace("</w>", "\u0120").removesuffix("\u0120")
        return bytes(byte_of[each] for each in ended).decode("utf-8", "replace")

    return Pair(bp.load(locate(CLIP)), encode, decode)


def ranks_in_tokenizers(name: str) -> Callable[[Locate, Path], Pair]:
    def made(locate: Locate, folder: Path) -> Pair:
        each = VOCABULARIES[name]
        return exported(bp.load(locate(each.path), pattern=each.pattern, special_tokens=each.specials), folder)

    return made


def exported(ours: bp.Tokenizer, folder: Path) -> Pair:
    path = folder / "tokenizer.json"
    result = ours.export(path, "tokenizer.json", lossy=True)
    pair = of_tokenizers(bp.load(path), Tokenizer.from_file(str(path)))
    return Pair(pair.ours if result.losses else ours, pair.encode, pair.decode, "all")


PAIRS: dict[str, Callable[[Locate, Path], Pair]] = {
    "deepseek": deepseek,
    "mistral": mistral,
    "mistral in tokenizers": mistral_in_tokenizers,
    "tekken": tekken,
    "tekken by mistral-common": tekken_by_mistral,
    "clip": clip,
    **{f"{name} in tokenizers": ranks_in_tokenizers(name) for name in VOCABULARIES},
}


@pytest.fixture(scope="module", params=PAIRS)
def pair(request: pytest.FixtureRequest, test_data: Locate, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return PAIRS[request.param](test_data, tmp_path_factory.mktemp("exported"))


def assert_same(pair: Pair, texts: list[str]) -> None:
    """Equal ids, and equal texts of them."""
    ours, theirs = pair.ours.encode_batch(texts, special=pair.special), pair.encode(texts)
    wrong = next((i for i, (left, right) in enumerate(zip(ours, theirs, strict=True)) if left != right), None)
    if wrong is not None:
        at = next((i for i, both in enumerate(zip(ours[wrong], theirs[wrong], strict=False)) if both[0] != both[1]), 0)
        raise AssertionError(
            f"{texts[wrong][:200]!r}: at {at} {ours[wrong][at:][:20]}, and theirs {theirs[wrong][at:][:20]}"
        )
    for text, ids in zip(texts, theirs, strict=True):
        assert pair.ours.decode(ids) == pair.decode(ids), text[:200]


def test_generated_strings(pair: Pair) -> None:
    tokens = [token for token in map(pair.ours.token_bytes, range(2_000, 32_000)) if token]
    specials = [*pair.ours.special_tokens][:50]
    # Their libraries take no lone surrogates; here they are U+FFFD.
    texts = list(map(whole, strings(tokens, specials, N_STRINGS)))
    assert_same(pair, texts)
    given = strings(tokens, specials, N_STRINGS)[:500]
    assert pair.ours.encode_batch(given) == pair.ours.encode_batch(texts[:500])


def test_a_part_of_shakespeare(pair: Pair, test_data: Locate) -> None:
    text = test_data("corpora/tinyshakespeare.txt").read_text(encoding="utf-8")[: 1_000_000 if FULL else 100_000]
    assert_same(pair, [text, *text.splitlines(keepends=True)[:1_000]])


@pytest.mark.parametrize("name", ["en", "multi", "code"])
def test_two_megabytes_of_each_corpus(pair: Pair, name: str) -> None:
    corpus = Path(os.environ.get("BYTEPAIR_BENCH_CORPORA", ""), f"{name}.txt")
    if not FULL or not corpus.exists():
        pytest.skip(f"needs BYTEPAIR_EXACT=full, and BYTEPAIR_BENCH_CORPORA with {name}.txt; it takes a minute")
    with corpus.open("rb") as stream:
        text = stream.read(2_000_000).decode("utf-8", "ignore")
    assert_same(pair, [text[start : start + 2_000] for start in range(0, len(text), 2_000)])
    assert_same(pair, [text])
