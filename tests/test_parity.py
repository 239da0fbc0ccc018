"""The presets, each against the package it is named for: the same merges on small random corpora and on real text."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import regex
import slow_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Theirs

import bytepair as bp
from bytepair import presets

Locate = Callable[[str], Path]
Pair = tuple[bytes, bytes]

# Small, so that ties, overlaps and spellings that are made twice are everywhere.
ALPHABETS = ["a ", "ab ", "abc  ", "aé漢🙂 ", "abcdef '1\n"]
documents = st.sampled_from(ALPHABETS).flatmap(
    lambda characters: st.lists(st.text(characters, max_size=60), max_size=4)
)
N_MERGES = 40


@pytest.fixture
def shakespeare(test_data: Locate) -> str:
    """200,000 characters of it, all of them ASCII."""
    return test_data("corpora/tinyshakespeare.txt").read_text(encoding="utf-8")[:200_000]


def needed(name: str) -> ModuleType:
    """The package that a preset is named for."""
    return pytest.importorskip(name, reason=f"{name} is not installed, and this test compares with it")


def in_text(merges: Iterable[Pair]) -> list[tuple[str, str]]:
    return [(left.decode(), right.decode()) for left, right in merges]


def until_a_spelling_is_made_twice(merges: Sequence[Pair]) -> list[Pair]:
    """Packages that tell symbols apart by id, not by spelling, may go another way from there."""
    known = {bytes([byte]) for byte in range(256)}
    kept = []
    for pair in merges:
        kept.append(pair)
        if pair[0] + pair[1] in known:
            break
        known.add(pair[0] + pair[1])
    return kept


# tokenizers


def their_byte_level(texts: Iterable[str], **options: Any) -> list[tuple[str, str]]:
    tokenizer = Theirs(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])


def their_characters(texts: Iterable[str], **options: Any) -> Theirs:
    tokenizer = Theirs(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s+"), "removed")
    trainer = trainers.BpeTrainer(special_tokens=["<unk>"], show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def vocabulary_in_file(tok: bp.Tokenizer) -> list[tuple[str, int]]:
    model = tok.model
    byte_to_character = dict(enumerate(sorted_gpt2_characters()))
    spelled = [
        token.decode() if model.alphabet == "chars" else "".join(byte_to_character[byte] for byte in token)
        for token in (tok.token_bytes(number) for number in range(tok.vocab_size))
        if token.decode(errors="replace") not in tok.special_tokens
    ]
    ordinary = [number for number in range(tok.vocab_size) if number not in tok.special_tokens.values()]
    return sorted([*tok.special_tokens.items(), *zip(spelled, ordinary, strict=True)], key=lambda item: item[1])


def sorted_gpt2_characters() -> list[str]:
    """By byte: the character that stands for it."""
    others = iter(range(256, 512))
    printable = {token[0] for token in slow_oracle.gpt2_byte_order()[:188]}
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


@settings(max_examples=60)
@given(
    texts=documents,
    least=st.integers(0, 4),
    longest=st.one_of(st.none(), st.integers(1, 6)),
    specials=st.sampled_from([[], ["<|end|>"], ["<|end|>", "<|pad|>"]]),
)
def test_tokenizers(texts, least, longest, specials):
    texts = [text + "<|end|>" for text in texts]  # counted as text there, whether it is a special token or not
    size = 256 + len(specials) + N_MERGES
    options = {} if longest is None else {"max_token_length": longest}
    theirs = their_byte_level(texts, vocab_size=size, min_frequency=least, special_tokens=specials, **options)
    ours = bp.train(
        texts,
        vocab_size=size,
        min_count=max(least, 1),
        max_token_bytes=None if longest is None else max(longest - 1, 2),
        special_tokens=specials,
        **presets.TOKENIZERS,
    )
    assert vocabulary_in_file(ours) == theirs


@settings(max_examples=60)
@given(texts=documents, more=st.lists(st.characters(categories=["Lu"]), max_size=3, unique=True))
def test_tokenizers_initial_alphabet_is_a_document_for_each_character(texts, more):
    theirs = their_characters(texts, vocab_size=60, initial_alphabet=more)
    ours = bp.train(
        [*texts, *more],
        vocab_size=60,
        alphabet="chars",
        unk_token="<unk>",
        **{**presets.TOKENIZERS, "pattern": "whitespace"},
    )
    assert vocabulary_in_file(ours) == sorted(theirs.get_vocab().items(), key=lambda item: item[1])


def test_tokenizers_limit_alphabet_takes_rare_characters_out_of_the_words():
    text = "abab abcab abcad bad aXb " * 3 + "bb a"
    theirs = their_characters([text], vocab_size=20, limit_alphabet=2)
    ours = bp.train(
        [regex.sub("[^ab ]", "", text)],
        vocab_size=20,
        alphabet="chars",
        unk_token="<unk>",
        **{**presets.TOKENIZERS, "pattern": "whitespace"},
    )
    assert vocabulary_in_file(ours) == sorted(theirs.get_vocab().items(), key=lambda item: item[1])


def test_tokenizers_max_token_length_counts_characters():
    """And with 4 it learns nothing longer than 3. Ours counts bytes: the same of a byte alphabet only."""
    theirs = their_characters(["ééé ééé"], vocab_size=10, max_token_length=4)
    options = {**presets.TOKENIZERS, "pattern": "whitespace", "alphabet": "chars", "unk_token": "<unk>"}
    assert [token for token in theirs.get_vocab() if len(token) == 3] == ["ééé"]
    for most, spelled in ((3, []), (4, ["éé"]), (6, ["éé", "ééé"])):
        tok = bp.train(["ééé ééé"], vocab_size=10, max_token_bytes=most, **options)
        assert [left + right for left, right in in_text(tok.merges)] == spelled


def test_tokenizers_on_shakespeare(shakespeare: str):
    options = {"vocab_size": 3000, "special_tokens": ["<|endoftext|>"]}
    ours = bp.train([shakespeare], **options, **presets.TOKENIZERS)
    assert vocabulary_in_file(ours) == their_byte_level([shakespeare], **options)


def test_tokenizers_with_a_suffix_where_no_pair_is_tied():
    """Its ids of marked characters differ from run to run, so its ties do too: only a corpus without any is fair."""
    counts = {"bbbb": 31, "acaa": 9, "bbb": 92, "bc": 20, "cca": 4, "acca": 98, "cbcb": 77, "bcca": 94, "acb": 18}
    counts |= {"bcb": 81, "babc": 69}
    num_merges = 10
    words = [(slow_oracle.symbols_of(word.encode(), "chars", "</w>", "suffix"), n) for word, n in counts.items()]
    text = " ".join(word for word, n in counts.items() for _ in range(n))
    options = {**presets.TOKENIZERS, "pattern": "whitespace", "end_of_word": "</w>", "end_of_word_style": "suffix"}
    ours = bp.train([text], num_merges=num_merges, alphabet="chars", unk_token="<unk>", **options)
    for pair in ours.merges:
        best = Counter(slow_oracle.count_pairs(words)).most_common(2)
        assert best[0][1] > best[1][1], "the corpus of this test has a tie"
        words = [(slow_oracle.merge_everywhere(symbols, pair), n) for symbols, n in words]
    symbols = {"<unk>", *"".join(counts), *(word[-1] + "</w>" for word in counts)}
    theirs = their_characters([text], vocab_size=len(symbols) + num_merges, end_of_word_suffix="</w>")
    in_order = sorted(set(theirs.get_vocab()) - symbols, key=theirs.get_vocab().__getitem__)
    assert [left + right for left, right in in_text(ours.merges)] == in_order


# subword-nmt


def their_codes(text: str, num_merges: int, **options: Any) -> list[tuple[str, ...]]:
    learn_bpe = needed("subword_nmt.learn_bpe")
    out = io.StringIO()
    learn_bpe.learn_bpe(io.StringIO(text), out, num_merges, **options)
    return [tuple(line.split(" ")) for line in out.getvalue().splitlines()[1:]]


def has_a_pair(text: str) -> bool:
    """Without one, theirs fails."""
    return any(len(word) > 1 for word in text.split())


@settings(max_examples=60)
@given(texts=documents, least=st.integers(1, 4))
def test_subword_nmt(texts, least):
    text = "\n".join(texts)
    if not has_a_pair(text):
        return
    theirs = their_codes(text, N_MERGES, min_frequency=least)
    ours = bp.train([text], num_merges=N_MERGES, **{**presets.SUBWORD_NMT, "min_count": least})
    assert in_text(ours.merges) == theirs


@settings(max_examples=60)
@given(counts=st.dictionaries(st.text("abcé", min_size=2, max_size=8), st.integers(1, 50), min_size=1, max_size=8))
def test_subword_nmt_with_words_that_are_counted(counts):
    lines = "".join(f"{word} {count}\n" for word, count in counts.items())
    theirs = their_codes(lines, N_MERGES, is_dict=True)
    tally = bp.Tally.from_counts(counts, pattern="whitespace")
    assert in_text(bp.train(tally, num_merges=N_MERGES, **presets.SUBWORD_NMT).merges) == theirs


def test_subword_nmt_on_shakespeare(shakespeare: str):
    theirs = their_codes(shakespeare, 3000)
    assert in_text(bp.train([shakespeare], num_merges=3000, **presets.SUBWORD_NMT).merges) == theirs


def their_segments(word: str, merges: Sequence[Pair], version: str) -> list[str]:
    apply_bpe = needed("subword_nmt.apply_bpe")
    lines = [f"#version: {version}", *(f"{left} {right}" for left, right in in_text(merges))]
    return list(apply_bpe.BPE(io.StringIO("\n".join(lines))).segment_tokens([word]))


def as_their_segments(tokens: Sequence[bytes]) -> list[str]:
    """Without the marker, and `@@` behind all but the last."""
    segments = [token.decode() for token in tokens]
    segments = segments[:-1] if segments[-1] == "</w>" else [*segments[:-1], segments[-1].removesuffix("</w>")]
    return [*(segment + "@@" for segment in segments[:-1]), segments[-1]]


@pytest.mark.parametrize(("preset", "version"), [(presets.SUBWORD_NMT, "0.2"), (presets.SUBWORD_NMT_01, "0.1")])
@settings(max_examples=60)
@given(texts=documents, unseen=st.text("abcé", min_size=1, max_size=12))
def test_subword_nmt_cuts_words_as_these_merges_do(preset, version, texts, unseen):
    tok = bp.train([*texts, "abcé a b c é"], num_merges=N_MERGES, **preset)
    if len({left + right for left, right in tok.merges}) < max(len(tok.merges), 1):
        return  # where two merges spell one symbol, theirs merges every occurrence before it looks again
    for word in {unseen, *" ".join(texts).split()}:
        assert as_their_segments(tok.tokens(word)) == their_segments(word, tok.merges, version)


def test_subword_nmt_01_is_the_textbook_with_another_tie_rule():
    counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    tally = bp.Tally.from_counts(counts, pattern="whitespace")
    slow = slow_oracle.learn(
        {word.encode(): count for word, count in counts.items()},
        alphabet="chars",
        end_of_word="</w>",
        ties="largest",
        min_count=2,
        max_merges=N_MERGES,
    )
    assert bp.train(tally, num_merges=N_MERGES, **presets.SUBWORD_NMT_01).merges == slow.merges


# sentencepiece


def their_pieces(lines: Iterable[str], num_merges: int) -> list[str]:
    """What merges have made, in the order of learning; once none is left, what it fills the vocabulary up with."""
    sentencepiece = needed("sentencepiece")
    lines = list(lines)
    characters = {*"▁", *"".join(lines).replace(" ", "▁")}
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=file,
        model_type="bpe",
        vocab_size=1 + num_merges + len(characters),
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        character_coverage=1.0,
        split_by_unicode_script=False,
        split_by_number=False,
        max_sentencepiece_length=512,
        hard_vocab_limit=False,
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    pieces = [processor.id_to_piece(number) for number in range(1, processor.get_piece_size())]
    return [piece for piece in pieces if len(piece) > 1]


def escaped(line: str) -> str:
    """As it stands in its pieces: a space is U+2581, and one goes before the line."""
    return "▁" + line.replace(" ", "▁")


def check_sentencepiece(lines: Sequence[str], num_merges: int) -> None:
    theirs = their_pieces(lines, num_merges)
    ours = bp.train([escaped(line) for line in lines], num_merges=num_merges, **presets.SENTENCEPIECE)
    made = [(left + right).decode() for left, right in ours.merges]
    assert made == theirs[: len(made)]
    assert len(made) == num_merges or ours.training.reason == "no-pairs"


def made_lines(characters: str, n_lines: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    words = ["".join(chance.choices(characters, k=chance.randint(1, 7))) for _ in range(40)]
    return [" ".join(chance.choices(words, k=8)) for _ in range(n_lines)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("characters", ["a", "ab", "abcd", "é漢🙂", "abcdefghij'1,"])
def test_sentencepiece(characters: str, seed: int):
    check_sentencepiece(made_lines(characters, 6, seed), N_MERGES)


def test_sentencepiece_on_shakespeare(shakespeare: str):
    check_sentencepiece([line for line in shakespeare.split("\n") if line], 2000)


# rustbpe


def their_ranks(texts: Iterable[str], num_merges: int) -> list[bytes]:
    tokenizer = needed("rustbpe").Tokenizer()
    tokenizer.train_from_iterator(iter(texts), vocab_size=256 + num_merges)
    assert tokenizer.get_pattern() == presets.RUSTBPE["pattern"]
    return [bytes(token) for token, _ in tokenizer.get_mergeable_ranks()[256:]]


def check_rustbpe(texts: Sequence[str], num_merges: int) -> None:
    theirs = their_ranks(texts, num_merges)
    ours = bp.train(texts, num_merges=num_merges, **presets.RUSTBPE)
    same = until_a_spelling_is_made_twice(ours.merges)
    assert [left + right for left, right in same] == theirs[: len(same)]
    assert len(same) < len(ours.merges) or len(ours.merges) == len(theirs)


@settings(max_examples=60)
@given(texts=documents)
def test_rustbpe(texts):
    check_rustbpe(texts, N_MERGES)


def test_rustbpe_on_shakespeare(shakespeare: str):
    check_rustbpe([shakespeare], 3000)


# minbpe: not a package, so its rule is written here from its description


def minbpe_merges(text: str, num_merges: int) -> list[Pair]:
    """Every chunk of the text in order, ids for symbols; `max` gives the pair that was counted first among equals."""
    chunks = [list(match.encode()) for match in regex.findall(presets.MINBPE["pattern"], text)]
    spellings = {byte: bytes([byte]) for byte in range(256)}
    merges = []
    for new in range(256, 256 + num_merges):
        counts: dict[tuple[int, int], int] = {}
        for ids in chunks:
            for pair in pairwise(ids):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=counts.__getitem__)
        chunks = [with_new_id(ids, best, new) for ids in chunks]
        spellings[new] = spellings[best[0]] + spellings[best[1]]
        merges.append((spellings[best[0]], spellings[best[1]]))
    return merges


def with_new_id(ids: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    merged = []
    at = 0
    while at < len(ids):
        found = tuple(ids[at : at + 2]) == pair
        merged.append(new if found else ids[at])
        at += 2 if found else 1
    return merged


def check_minbpe(text: str, num_merges: int) -> None:
    ours = bp.train([text], num_merges=num_merges, **presets.MINBPE)
    theirs = minbpe_merges(text, num_merges)
    same = until_a_spelling_is_made_twice(ours.merges)
    assert same == theirs[: len(same)]
    assert len(same) < len(ours.merges) or len(ours.merges) == len(theirs)


@settings(max_examples=100)
@given(texts=documents)
def test_minbpe(texts):
    check_minbpe("".join(texts), N_MERGES)


def test_minbpe_on_shakespeare(shakespeare: str):
    check_minbpe(shakespeare, 25)


# Presets


@pytest.mark.parametrize("name", [name for name in vars(presets) if name.isupper() and not name.startswith("_")])
def test_a_preset_cannot_be_changed_and_leaves_the_size_open(name: str):
    preset: Mapping[str, Any] = getattr(presets, name)
    with pytest.raises(TypeError):
        preset["ties"] = "largest"  # type: ignore[index]
    assert not {"vocab_size", "num_merges"} & set(preset)
    bp.train(["low lower"], num_merges=2, **preset)
