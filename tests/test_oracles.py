"""Held against the public tools: tokenizers and tiktoken, on real text and on hard strings."""

from __future__ import annotations

import base64
import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from public_vocabularies import CL100K_REGEX, GPT2_REGEX, LLAMA3_REGEX, O200K_REGEX, QWEN2_REGEX, ranks_of
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Theirs

import bytepair as bp
from bytepair.cli.stdlib import standard_library

Locate = Callable[[str], Path]
SHAKESPEARE = "corpora/tinyshakespeare.txt"
CL100K = "vocabs/cl100k_base.tiktoken"
R50K = "vocabs/r50k_base.tiktoken"
O200K = "vocabs/o200k_base.tiktoken"
QWEN = "vocabs/qwen.tiktoken"
TEKKEN = "vocabs/tekken_240911.json"
DEEPSEEK = "vocabs/deepseek_v4.tokenizer.json"
TO_BE = "To be or not to be, that is the question"

HARD = [
    "",
    " ",
    "  ",
    "\n",
    " \n ",
    "a \n ",
    "a\n\n  b\r\n\r\n c \t",
    "don't DON'T I'll we'VE they're 'tis x'ſ y'K",
    "1234567 ١٢٣٤ ½²Ⅷ 12,345.67",
    "é e\u0301 ﬁ ﬀ ß ẞ İ ı ŉ ǰ",
    "漢字 かな 한국어 ไทย हिन्दी",
    "🙂🙂 👩‍👩‍👧 🇩🇪 \U000e0100",
    "\u00a0x\u3000y\u2028z\u2029w\x85v\x1c\x1d\x1e\x1fu\x0b\x0ct",
    "\u200b\ufeff\u00ad\u0378\ue000\U0010ffff\x00\x7f",
    "_" * 300 + "^" * 300 + "a" * 300 + " " * 300 + "\n" * 300,
    "<|endoftext|> <|fim_prefix|>x<|endofprompt|>",
    "      x\n\t\ty    \n    ",
    "Ġ Ċ ĉ Ā",
    " I'\u017f HTTPServer camelCase DON'T漢AB ʰA漢AB !!\u0301AB\u0301'LL",
    "a//\n/b/\n! \r\n/ x",
    "カ・カ\u3099 2漢3字\u3040\u0378a  漢  1  a .end !!end (é",
]

# Characters that the patterns, the two engines or the spelling of bytes might treat apart.
TRICKY = "abtsſKIlveé\u0301ßﬁŉ '’\n\r\t\x0b\x1c\x1f\x85\u00a0\u2028\u3000١1²½_-.<|>ĠĊ漢🙂\x00"
texts = st.lists(st.sampled_from([*TRICKY, "<|a|>", "<|a|><|b|>", "'ll", "  ", "123"]), max_size=25).map("".join)


def their_byte_level(*, add_prefix_space: bool) -> Theirs:
    tokenizer = Theirs(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def their_training(file: Path, vocab_size: int, *, add_prefix_space: bool, specials: list[str]) -> Theirs:
    tokenizer = their_byte_level(add_prefix_space=add_prefix_space)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train([str(file)], trainer)
    return tokenizer


def model_of(tokenizer: Theirs) -> dict[str, Any]:
    return dict(json.loads(tokenizer.to_str())["model"])


def saved(tok: bp.Tokenizer, folder: Path) -> dict[str, Any]:
    path = folder / "tokenizer.json"
    tok.save(path)
    return dict(json.loads(path.read_bytes()))


def opened_there(tok: bp.Tokenizer, folder: Path) -> Theirs:
    path = folder / "tokenizer.json"
    tok.save(path)
    return Theirs.from_file(str(path))


# The same training


@pytest.mark.parametrize(("vocab_size", "add_prefix_space"), [(4000, False)])
def test_training_by_lowest_id_is_their_training(
    test_data: Locate, tmp_path: Path, vocab_size: int, add_prefix_space: bool
) -> None:
    file = test_data(SHAKESPEARE)
    theirs = their_training(file, vocab_size, add_prefix_space=add_prefix_space, specials=[])
    ours = bp.train(file, vocab_size=vocab_size, pattern="gpt2", ties="lowest-id", byte_order="gpt2", document="line")
    written = saved(ours, tmp_path)["model"]
    assert written["merges"] == model_of(theirs)["merges"]
    assert written["vocab"] == model_of(theirs)["vocab"]


def assert_they_learn_the_same(file: Path, vocab_size: int, folder: Path) -> None:
    theirs = their_training(file, vocab_size, add_prefix_space=False, specials=[])
    ours = bp.train(file, vocab_size=vocab_size, pattern="gpt2", ties="lowest-id", byte_order="gpt2", document="line")
    assert saved(ours, folder)["model"]["merges"] == model_of(theirs)["merges"]


def test_training_on_many_programs_is_their_training(tmp_path: Path) -> None:
    """The standard library: code, a dozen scripts in its strings, long lines of numbers."""
    file = tmp_path / "stdlib.txt"
    texts = [path.read_bytes().decode("utf-8", "replace") for path in standard_library()]
    file.write_text("".join(texts)[:5_000_000], "utf-8", newline="")
    assert_they_learn_the_same(file, 8_000, tmp_path)


@pytest.mark.parametrize("name", ["en", "multi", "code"])
def test_training_on_ten_megabytes_is_their_training(tmp_path: Path, name: str) -> None:
    corpus = Path(os.environ.get("BYTEPAIR_BENCH_CORPORA", ""), f"{name}.txt")
    if not corpus.exists():
        pytest.skip(f"BYTEPAIR_BENCH_CORPORA names no folder with {name}.txt; CONTRIBUTING.md says what it is")
    with corpus.open("rb") as whole:
        data = whole.read(10_000_000)
    (tmp_path / "slice.txt").write_bytes(data[: data.rfind(b"\n") + 1])
    assert_they_learn_the_same(tmp_path / "slice.txt", 32_000, tmp_path)


def test_the_job_of_the_by_hand_chapter(test_data: Locate, tmp_path: Path) -> None:
    file = test_data(SHAKESPEARE)
    specials = ["<|endoftext|>", "<|pad|>"]
    theirs = their_training(file, 2000, add_prefix_space=True, specials=specials)
    ours = bp.train(
        file,
        vocab_size=2000,
        pattern="gpt2",
        ties="lowest-id",
        byte_order="gpt2",
        special_tokens=specials,
        special_ids="first",
        add_prefix_space=True,
        document="line",
    )
    assert ours.special_tokens == {"<|endoftext|>": 0, "<|pad|>": 1}
    assert ours.vocab_size == 2000
    written = saved(ours, tmp_path)
    assert written["model"]["merges"] == model_of(theirs)["merges"]
    assert written["model"]["vocab"] == model_of(theirs)["vocab"]
    text = file.read_text(encoding="utf-8")
    assert ours.encode(text) == theirs.encode(text).ids
    assert ours.count(TO_BE) == 13
    cl100k = bp.load(test_data(CL100K), pattern="cl100k")
    assert cl100k.count(TO_BE) == 11


# Their tools open our files


def test_our_file_gives_our_ids_there_on_all_of_shakespeare(test_data: Locate, tmp_path: Path) -> None:
    file = test_data(SHAKESPEARE)
    text = file.read_text(encoding="utf-8")
    for options in ({"pattern": "gpt2"}, {"pattern": "cl100k", "add_prefix_space": True}):
        ours = bp.train(file, vocab_size=1000, special_tokens=["<|end|>"], **options)
        theirs = opened_there(ours, tmp_path)
        ids = ours.encode(text)
        assert theirs.encode(text).ids == ids
        assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids)


SUFFIX = {"end_of_word": "</w>", "end_of_word_style": "suffix"}
SETUPS: list[dict[str, Any]] = [
    {"pattern": "gpt2"},
    {"pattern": "gpt2", "add_prefix_space": True, "special_ids": "first", "byte_order": "gpt2"},
    {"pattern": "cl100k"},
    {"pattern": "cl100k", "add_prefix_space": True},
    {"pattern": "none"},
    {"pattern": "none", "add_prefix_space": True},
    {"pattern": "whitespace"},
    {"pattern": "whitespace", "add_prefix_space": True},
    {"pattern": "llama3"},
    {"pattern": "qwen2", "add_prefix_space": True},
    {"pattern": "o200k", "add_prefix_space": True},
    {"pattern": "tekken"},
    {"pattern": "deepseek3"},
    {"pattern": "deepseek3", "alphabet": "chars", "unk_token": "<unk>"},
    {"pattern": "clip"},
    {"pattern": "clip", **SUFFIX},
    {"pattern": "clip", "alphabet": "chars", "unk_token": "<unk>", **SUFFIX},
    {"pattern": r"\p{L}+|\d"},
    {"pattern": r"[a-b\u00e9]++|(?:x|.)(?=t)|\s{2,3}"},
    {"pattern": "gpt2", "alphabet": "chars", "unk_token": "<unk>"},
    {"pattern": "cl100k", "alphabet": "chars", "unk_token": "<unk>", "add_prefix_space": True},
    {"pattern": "none", "alphabet": "chars", "unk_token": "<unk>", "special_ids": "first"},
    {"pattern": "none", "alphabet": "chars", "unk_token": "?", "add_prefix_space": True},
    {"pattern": "whitespace", "alphabet": "chars", "unk_token": "<unk>"},
    {"pattern": "whitespace", "alphabet": "chars", "unk_token": "<unk>", **SUFFIX},
    {"pattern": "none", "alphabet": "chars", "unk_token": "<unk>", "add_prefix_space": True, **SUFFIX},
    {"pattern": "whitespace", **SUFFIX},
    {"pattern": "gpt2", "add_prefix_space": True, "byte_order": "gpt2", **SUFFIX},
    {"pattern": "cl100k", "end_of_word": "é§", "end_of_word_style": "suffix"},
]
CORPUS = ["ab abab tb sb I'll don't <|a| 123 1234 漢漢 éé  \n\n  \n aa <<|a|| ||  a", "'ſ ĠĠĠ stst it's ab\r\n\r\nab"]


@pytest.fixture(scope="module", params=range(len(SETUPS)), ids=lambda index: str(SETUPS[index]))
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bp.Tokenizer, Theirs]:
    """One of our tokenizers, and its file opened in tokenizers."""
    ours = bp.train(CORPUS, num_merges=40, special_tokens=["<|a|>", "<|a|><|b|>"], **SETUPS[request.param])
    return ours, opened_there(ours, tmp_path_factory.mktemp("saved"))


@settings(max_examples=100)
@given(texts)
def test_our_file_gives_our_ids_there(pair: tuple[bp.Tokenizer, Theirs], text: str) -> None:
    ours, theirs = pair
    theirs.encode_special_tokens = False
    ids = ours.encode(text, special="all")
    assert theirs.encode(text).ids == ids
    assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids)
    theirs.encode_special_tokens = True
    assert theirs.encode(text).ids == ours.encode(text)


@pytest.mark.parametrize("text", HARD)
def test_our_file_gives_our_ids_there_on_hard_strings(pair: tuple[bp.Tokenizer, Theirs], text: str) -> None:
    ours, theirs = pair
    theirs.encode_special_tokens = False
    assert theirs.encode(text).ids == ours.encode(text, special="all")


@given(st.data())
def test_our_file_decodes_there_as_here(pair: tuple[bp.Tokenizer, Theirs], data: st.DataObject) -> None:
    ours, theirs = pair
    ids = data.draw(st.lists(st.integers(0, ours.vocab_size - 1), max_size=12))
    assert theirs.decode(ids, skip_special_tokens=False) == ours.decode(ids)


def test_a_file_that_they_saved_again_is_the_same_tokenizer(pair: tuple[bp.Tokenizer, Theirs]) -> None:
    ours, theirs = pair
    theirs.encode_special_tokens = False
    again = bp.load(theirs.to_str().encode())
    spaced_for_nothing = ours.pattern in ("whitespace", "clip") and ours.model.add_prefix_space
    assert again == ours or spaced_for_nothing
    assert again.encode(CORPUS[0], special="all") == ours.encode(CORPUS[0], special="all")


def test_their_file_with_a_suffix_gives_their_ids_here() -> None:
    theirs = Theirs(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    theirs.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\x1c-\x1f]+"), "removed")
    theirs.decoder = decoders.Sequence([decoders.BPEDecoder("</w>"), decoders.Fuse()])
    options = {"special_tokens": ["<unk>"], "end_of_word_suffix": "</w>", "show_progress": False}
    corpus = "low low lower lowest newer newest"
    theirs.train_from_iterator([corpus], trainers.BpeTrainer(vocab_size=40, **options))
    ours = bp.load(theirs.to_str().encode())
    assert (ours.model.end_of_word, ours.model.end_of_word_style) == ("</w>", "suffix")
    for text in [corpus, "slow", "s e w", "lowx", "", "newest lo"]:
        # No word of the corpus ends with an o or an s: both are unknown there, at the end of a word.
        ids = theirs.encode(text).ids
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


# One character at a time


def characters() -> list[str]:
    """All but those of the long uniform stretches (unassigned, private, CJK, Hangul), of which one in 64."""
    codes = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    uniform = ("Lo", "Cn", "Co")
    return [chr(code) for code in codes if code % 64 == 0 or unicodedata.category(chr(code)) not in uniform]


@pytest.mark.parametrize(
    "pattern", ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "deepseek3", "tekken", "clip", "whitespace"]
)
def test_the_spelling_for_their_engine_cuts_all_characters_alike(pattern: str, tmp_path: Path) -> None:
    ours = bp.train([""], num_merges=0, pattern=pattern, special_tokens=["<|end|>"])
    cutting = opened_there(ours, tmp_path).pre_tokenizer
    everything = characters()
    for start in range(0, len(everything), 2048):
        text = "".join(
            f"a{each}B{each}1{each} '{each}{each}!{each}漢{each}\n" for each in everything[start : start + 2048]
        )
        theirs = [text[begin:end] for _, (begin, end) in cutting.pre_tokenize_str(text)]
        assert theirs == ours.pieces(text)


# Patterns that would not cut the same there are not handed over


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+",
        r"^a",
        r"a$",
        r"\p{N}{1,3}+",
        r"(?i)a",
        r"(?i:ss)|a",
        r"(?i:f[i])|a",
        r"\bword",
        r"[[:alpha:]]+",
        r"(?P<name>a)",
        r"a{1,3}?",
        r"a{,3}b",
        r"(?:a?)+b",
        r"\x80",
        r"(a)\1",
        r"\h+",
        r"[\w]+",
    ],
)
def test_a_pattern_that_may_mean_something_else_there_is_not_written_for_them(pattern: str, tmp_path: Path) -> None:
    ours = bp.train(["aab"], num_merges=1, pattern=pattern)
    assert saved(ours, tmp_path)["model"]["type"] == "bytepair"
    with pytest.raises(Exception, match="did not match any variant"):
        Theirs.from_file(str(tmp_path / "tokenizer.json"))
    assert bp.load(tmp_path / "tokenizer.json") == ours


@pytest.mark.parametrize("pattern", [r"(?<=a)b", r"[a&&b]", r"\p{Greek}+", "a*"])
def test_a_pattern_that_means_the_same_there_is_written_for_them(pattern: str, tmp_path: Path) -> None:
    ours = bp.train(["aab αβγ b"], num_merges=2, pattern=pattern)
    theirs = opened_there(ours, tmp_path)
    for text in ("aab", "ab αβ b", "baaab", "", "ααx b", "aaa", "&a&&b"):
        assert theirs.encode(text).ids == ours.encode(text)
    assert bp.load(tmp_path / "tokenizer.json") == ours


_parts = st.sampled_from(
    [
        "a",
        "b",
        "é",
        r"\s",
        r"\S",
        r"\d",
        r"\p{L}",
        r"\P{N}",
        r"\p{Lu}",
        "[ab]",
        "[^a\\s]",
        "[a-c]",
        ".",
        " ",
        r"\n",
        r"\x41",
    ]
)
_items = st.tuples(_parts, st.sampled_from(["", "?", "+", "*", "++", "*+", "?+", "+?", "{2}", "{1,2}", "{2,}"])).map(
    "".join
)
_sequences = st.lists(_items, min_size=1, max_size=3).map("".join)
_groups = st.tuples(_sequences, _sequences, st.sampled_from(["", "+", "?", "(?!a)", "(?=\\s)"])).map(
    lambda parts: f"(?:{parts[0]}|{parts[1]}){parts[2]}"
)
regexes = st.lists(_sequences | _groups, min_size=1, max_size=3).map("|".join).filter(lambda regex: not regex.isalnum())


@settings(max_examples=200)
@given(regex=regexes, text=st.text(alphabet="abcéA1 \n\t\u3000\x85٣", max_size=20))
def test_a_pattern_that_is_written_for_them_cuts_the_same_there(
    tmp_path_factory: pytest.TempPathFactory, regex: str, text: str
) -> None:
    ours = bp.train([""], num_merges=0, pattern=regex)
    folder = tmp_path_factory.getbasetemp()
    if saved(ours, folder)["model"]["type"] == "BPE":
        cutting = Theirs.from_file(str(folder / "tokenizer.json")).pre_tokenizer
        assert [text[begin:end] for _, (begin, end) in cutting.pre_tokenize_str(text)] == ours.pieces(text)


# tiktoken


@pytest.mark.parametrize(
    ("vocabulary", "name", "regex"),
    [
        (CL100K, "cl100k", CL100K_REGEX),
        (R50K, "gpt2", GPT2_REGEX),
        (O200K, "o200k", O200K_REGEX),
        (CL100K, "llama3", LLAMA3_REGEX),
        (QWEN, "qwen2", QWEN2_REGEX),
    ],
)
def test_a_tiktoken_file_gives_their_ids(test_data: Locate, vocabulary: str, name: str, regex: str) -> None:
    file = test_data(vocabulary)
    specials = {"<|endoftext|>": 200257, "<|fim_prefix|>": 200258, "<|endofprompt|>": 200276}
    ours = bp.load(file, pattern=name, special_tokens=specials)
    theirs = tiktoken.Encoding(name, pat_str=regex, mergeable_ranks=ranks_of(file), special_tokens=specials)
    for text in [*HARD, test_data(SHAKESPEARE).read_text(encoding="utf-8")]:
        assert ours.encode(text) == theirs.encode(text, disallowed_special=())
        ids = theirs.encode(text, allowed_special="all")
        assert ours.encode(text, special="all") == ids
        assert ours.decode(ids) == theirs.decode(ids) == text
    assert bp.load(file, pattern=regex, special_tokens=specials) == ours


def test_a_contraction_with_a_long_s_in_o200k(test_data: Locate) -> None:
    assert bp.load(test_data(O200K), pattern="o200k").encode(" I'\u017f") == [3413, 70067]


def test_the_ranks_of_tekken_give_their_ids(test_data: Locate) -> None:
    file = json.loads(test_data(TEKKEN).read_bytes())
    n_ranks = file["config"]["default_vocab_size"] - file["config"]["default_num_special_tokens"]
    ranks = {base64.b64decode(each["token_bytes"]): each["rank"] for each in file["vocab"][:n_ranks]}
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items())
    ours = bp.load("".join(lines).encode(), pattern="tekken")
    regex = file["config"]["pattern"]
    theirs = tiktoken.Encoding("tekken", pat_str=regex, mergeable_ranks=ranks, special_tokens={})
    for text in [*HARD, test_data(SHAKESPEARE).read_text(encoding="utf-8")]:
        assert ours.encode(text) == theirs.encode(text)
    assert bp.train([""], num_merges=0, pattern=regex).pattern == "tekken"


def test_the_pieces_of_deepseek(test_data: Locate) -> None:
    theirs = Theirs.from_file(str(test_data(DEEPSEEK))).pre_tokenizer
    ours = bp.train([""], num_merges=0, pattern="deepseek3")
    for text in [*HARD, test_data(SHAKESPEARE).read_text(encoding="utf-8")]:
        assert [text[begin:end] for _, (begin, end) in theirs.pre_tokenize_str(text)] == ours.pieces(text)


def test_the_three_steps_of_deepseek_are_one_expression() -> None:
    """Which the pattern's definition is; given as a custom one it would be named, so it is put in a group."""
    named = bp.train([""], num_merges=0, pattern="deepseek3")
    custom = bp.train([""], num_merges=0, pattern=f"(?:{named.model.pattern.regex})")
    assert custom.pattern != "deepseek3"
    for text in HARD:
        assert custom.pieces(text) == named.pieces(text)


def test_tiktoken_built_from_our_ranks_gives_our_ids(test_data: Locate) -> None:
    file = test_data(SHAKESPEARE)
    ours = bp.train(file, vocab_size=2000, special_tokens=["<|end|>"])
    ranks = {ours.token_bytes(number): number for number in range(1999)}
    theirs = tiktoken.Encoding("ours", pat_str=CL100K_REGEX, mergeable_ranks=ranks, special_tokens={"<|end|>": 1999})
    for text in [*HARD, file.read_text(encoding="utf-8")]:
        assert ours.encode(text) == theirs.encode(text, disallowed_special=())
        assert ours.encode(text + "<|end|>", special="all") == theirs.encode(text + "<|end|>", allowed_special="all")
