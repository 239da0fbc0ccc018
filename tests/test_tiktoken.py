"""`bytepair.tiktoken` is tiktoken: the same names, arguments, ids, texts and kinds of errors, on hard input too."""

from __future__ import annotations

import base64
import copy
import hashlib
import inspect
import multiprocessing
import pickle
import random
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bytepair as bp
import bytepair.tiktoken as ours
from bytepair import patterns
from bytepair.tiktoken import registry
from bytepair.tiktoken.published import PUBLISHED

theirs = pytest.importorskip("tiktoken", reason="the peer that this interface is held against is not installed")

Locate = Callable[[str], Path]

END = "<|endoftext|>"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT2 = patterns.NAMED["gpt2"].regex
VOCABULARIES: dict[str, tuple[str, str, dict[str, int]]] = {
    "r50k_base": ("vocabs/r50k_base.tiktoken", GPT2, {END: 50256}),
    "cl100k_base": (
        "vocabs/cl100k_base.tiktoken",
        patterns.NAMED["cl100k"].regex,
        dict(PUBLISHED["cl100k_base"].special_tokens),
    ),
    "o200k_base": (
        "vocabs/o200k_base.tiktoken",
        PUBLISHED["o200k_base"].pat_str,
        {END: 199999, "<|endofprompt|>": 200018},
    ),
    "qwen": (
        "vocabs/qwen.tiktoken",
        LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}"),
        {END: 151643, "<|im_start|>": 151644, "<|im_end|>": 151645},
    ),
}

HARD = [
    "",
    " ",
    "\n",
    "a \n ",
    "a\n\n  b\r\n\r\n c \t",
    "don't DON'T I'll we'VE they're 'tis I'\u017f x'\u212a",
    "1234567 ١٢٣٤ ½²Ⅷ 12,345.67",
    "é e\u0301 ﬁ ß ẞ İ ı ŉ",
    "漢字 かな 한국어 ไทย हिन्दी",
    "🙂🙂 👩‍👩‍👧 🇩🇪 \U000e0100",
    "\u00a0x\u3000y\u2028z\u2029w\x85v\x1c\x1d\x1e\x1fu\x0b\x0ct",
    "\u200b\ufeff\u00ad\ue000\U0010ffff\x00\x7f",
    "_" * 300 + "^" * 300 + "a" * 300 + " " * 300 + "\n" * 300,
    "      x\n\t\ty    \n    ",
    "ab\u088fcd a\U00011f50b a \U0001fae8",
    "\ud83d\udc4d pair, \ud83d alone, \udbc0 again, and a last \udc4d",
    f"{END} <|fim_prefix|>x<|endofprompt|>{END}{END} <|im_start|>\n<|im_end|>",
    f"a{END}b <|endofte<|endoftext|>xt|>",
    f"spaces  {END}  \n \n{END}\n",
]
TRICKY = "abtsſKIlveé\u0301ßﬁŉ '’\n\r\t\x0b\x1c\x1f\x85\u00a0\u2028\u3000١1²½_-.<|>ĠĊ漢🙂\x00\ud83d\udc4d"
PARTS = [*TRICKY, END, "<|endofprompt|>", "<|im_start|>", "<|endo", "'ll", "'S", "  ", "\n\n", "123", " the", "hello"]
texts = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)

POLICIES: list[dict[str, Any]] = [
    {},
    {"allowed_special": "all"},
    {"disallowed_special": ()},
    {"allowed_special": {END}},
    {"allowed_special": {END}, "disallowed_special": ()},
    {"allowed_special": frozenset({"<|endofprompt|>", "<|im_end|>"}), "disallowed_special": {END}},
    {"allowed_special": {"<|no such|>"}},
    {"allowed_special": "all", "disallowed_special": "all"},
    {"allowed_special": {END}, "disallowed_special": {END}},
    {"disallowed_special": ["hello", "a"]},
    {"allowed_special": set(), "disallowed_special": {"the", "<|endo"}},
]
policies = st.sampled_from(POLICIES)


def named(options: dict[str, Any]) -> str:
    """The options as a test's name: sets in order, since every worker of a run must give a test the same name."""
    return ", ".join(
        f"{key}={sorted(value) if isinstance(value, (set, frozenset)) else value!r}" for key, value in options.items()
    )


KINDS = (KeyError, UnicodeDecodeError, UnicodeEncodeError, ValueError, TypeError)


class Pair(NamedTuple):
    """The same encoding, here and there."""

    ours: Any
    theirs: Any


def ranks_of(file: Path) -> dict[bytes, int]:
    lines = (line.split() for line in file.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


@pytest.fixture(scope="session")
def toy_parts() -> dict[str, Any]:
    text = "hello the others, it's 12345 o'clock!  \n\n  don't; né 漢字 🙂🙂 the hello there\r\n" * 2
    tok = bp.train([text], vocab_size=330, pattern="gpt2")
    ranks = {tok.token_bytes(number): number for number in range(tok.vocab_size)}
    specials = {END: len(ranks), "<|im_start|>": len(ranks) + 1, "<|endofprompt|>": len(ranks) + 20}
    return {"name": "toy", "pat_str": GPT2, "mergeable_ranks": ranks, "special_tokens": specials}


@pytest.fixture(scope="session")
def toy(toy_parts: dict[str, Any]) -> Pair:
    return Pair(ours.Encoding(**toy_parts), theirs.Encoding(**toy_parts))


@pytest.fixture(scope="session")
def published(test_data: Locate) -> Callable[[str], Pair]:
    made: dict[str, Pair] = {}

    def get(name: str) -> Pair:
        if name not in made:
            file, pat_str, specials = VOCABULARIES[name]
            parts = {"pat_str": pat_str, "mergeable_ranks": ranks_of(test_data(file)), "special_tokens": specials}
            made[name] = Pair(ours.Encoding(name, **parts), theirs.Encoding(name, **parts))
        return made[name]

    return get


@pytest.fixture(scope="session", params=["toy", *VOCABULARIES])
def pair(request: pytest.FixtureRequest, toy: Pair, published: Callable[[str], Pair]) -> Pair:
    return toy if request.param == "toy" else published(request.param)


@pytest.fixture
def no_encodings() -> Iterator[None]:
    """As in a new process: none made, none registered."""
    kept = dict(registry._made), dict(registry._registered)
    registry._made.clear()
    registry._registered.clear()
    yield
    registry._made.clear()
    registry._registered.clear()
    registry._made.update(kept[0])
    registry._registered.update(kept[1])


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "value", call()
    except KINDS as error:
        return "error", next(kind for kind in KINDS if isinstance(error, kind))


def both(pair: Pair, method: str, *args: Any, **options: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    mine, other = (outcome(lambda each=each: getattr(each, method)(*args, **options)) for each in pair)
    return mine, other


# The same names


def public_names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_every_public_name_is_there(toy: Pair) -> None:
    assert public_names(toy.theirs) <= public_names(toy.ours)
    assert public_names(theirs) <= public_names(ours)
    assert ours.__version__ == theirs.__version__


@pytest.mark.parametrize("name", sorted(name for name in public_names(theirs.Encoding)))
def test_methods_take_the_same_arguments_with_the_same_defaults(name: str) -> None:
    mine, other = getattr(ours.Encoding, name), getattr(theirs.Encoding, name)
    assert callable(mine) == callable(other)
    if callable(other):
        plain = [
            [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]
            for method in (mine, other)
        ]
        assert plain[0] == plain[1]


def test_the_constructor_takes_the_same_arguments() -> None:
    plain = [
        [(each.name, each.kind, each.default) for each in inspect.signature(kind).parameters.values()]
        for kind in (ours.Encoding, theirs.Encoding)
    ]
    assert plain[0] == plain[1]


def test_properties_are_equal(pair: Pair) -> None:
    for name in ("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set"):
        assert getattr(pair.ours, name) == getattr(pair.theirs, name)
    assert repr(pair.ours) == repr(pair.theirs)
    assert pair.ours.token_byte_values() == pair.theirs.token_byte_values()
    # Private in tiktoken, and what its README tells people to build further encodings from.
    for name in ("_pat_str", "_mergeable_ranks", "_special_tokens"):
        assert getattr(pair.ours, name) == getattr(pair.theirs, name)


# The same ids


@pytest.mark.parametrize("options", POLICIES, ids=named)
def test_hard_strings_under_every_policy(pair: Pair, options: dict[str, Any]) -> None:
    for text in HARD:
        mine, other = both(pair, "encode", text, **options)
        assert mine == other, text
    for text in HARD:
        assert pair.ours.encode_ordinary(text) == pair.theirs.encode_ordinary(text)
    mine, other = both(pair, "encode_batch", HARD, num_threads=2, **options)
    assert mine == other
    assert pair.ours.encode_ordinary_batch(HARD) == pair.theirs.encode_ordinary_batch(HARD)


@settings(max_examples=150)
@given(data=st.data())
def test_any_text_under_any_policy(pair: Pair, data: st.DataObject) -> None:
    text, options = data.draw(texts), data.draw(policies)
    mine, other = both(pair, "encode", text, **options)
    assert mine == other
    assert pair.ours.encode_ordinary(text) == pair.theirs.encode_ordinary(text)


@settings(max_examples=100)
@given(text=st.text(st.characters(exclude_categories=["Cn"]), max_size=60))
def test_any_assigned_characters(pair: Pair, text: str) -> None:
    assert pair.ours.encode(text, disallowed_special=()) == pair.theirs.encode(text, disallowed_special=())


@settings(max_examples=50)
@given(data=st.data())
def test_batches(pair: Pair, data: st.DataObject) -> None:
    batch, options = data.draw(st.lists(texts, max_size=5)), data.draw(policies)
    mine, other = both(pair, "encode_batch", batch, num_threads=data.draw(st.integers(1, 4)), **options)
    assert mine == other


def test_arrays(pair: Pair) -> None:
    for text in HARD:
        array = pair.ours.encode_to_numpy(text, disallowed_special=())
        assert array.dtype == np.uint32
        assert not array.flags.writeable
        assert array.tolist() == pair.theirs.encode(text, disallowed_special=())
        assert pair.ours.decode_bytes(array) == pair.theirs.decode_bytes(array)
    assert both(pair, "encode_to_numpy", END)[0] == ("error", ValueError)


def test_specials_that_share_an_id_as_in_harmony(toy_parts: dict[str, Any]) -> None:
    end = toy_parts["special_tokens"][END]
    parts = toy_parts | {"special_tokens": {"<|endofprompt|>": end, "<|reserved|>": end, END: end + 1}}
    pair = Pair(ours.Encoding(**parts), theirs.Encoding(**parts))
    text = f"a<|endofprompt|>b<|reserved|>c{END}"
    for names in ("all", {"<|reserved|>"}, {"<|endofprompt|>", END}, set()):
        for method in ("encode", "encode_with_unstable"):
            mine, other = both(pair, method, text, allowed_special=names, disallowed_special=())
            assert mine == other
        assert pair.ours.encode_batch([text], allowed_special=names, disallowed_special=()) == [
            pair.theirs.encode(text, allowed_special=names, disallowed_special=())
        ]
    # Which of the two it decodes to is the order of a hash table there.
    assert pair.ours.decode([end]) == "<|endofprompt|>"
    assert pair.theirs.decode([end]) in ("<|endofprompt|>", "<|reserved|>")
    assert pair.ours.n_vocab == pair.theirs.n_vocab == end + 2
    assert [outcome(lambda each=each: each.decode([97, end + 2])) for each in pair] == [("error", KeyError)] * 2
    with pytest.raises(KeyError, match=f"the id {end + 2} at position 1 is no token; ids go from 0 to {end + 1}"):
        pair.ours.decode([97, end + 2])
    for name in ("<|endofprompt|>", "<|reserved|>"):
        assert pair.ours.encode_single_token(name) == pair.theirs.encode_single_token(name) == end


def test_single_tokens(pair: Pair) -> None:
    ranks, specials = pair.theirs._mergeable_ranks, pair.theirs._special_tokens
    for token in random.Random(4).sample(sorted(ranks), 300):
        assert pair.ours.encode_single_token(token) == ranks[token]
        assert pair.ours.decode_single_token_bytes(ranks[token]) == token
    for name, number in specials.items():
        assert pair.ours.encode_single_token(name) == pair.ours.encode_single_token(name.encode()) == number
        assert pair.ours.decode_single_token_bytes(number) == name.encode()
    for wrong in ("no token is spelled so", b"\xff\xff\xff\xff", ""):
        assert both(pair, "encode_single_token", wrong) == (("error", KeyError),) * 2
    assert both(pair, "encode_single_token", "\ud800") == (("error", UnicodeEncodeError),) * 2
    for number in (0, 255, pair.ours.eot_token, pair.ours.max_token_value, 10**9):
        assert pair.ours.is_special_token(number) == pair.theirs.is_special_token(number)


# The same texts


@settings(max_examples=150)
@given(data=st.data())
def test_decoding(pair: Pair, data: st.DataObject) -> None:
    known = st.sampled_from([*range(300), *pair.theirs._special_tokens.values()])
    ids = data.draw(st.lists(st.one_of(known, st.integers(0, pair.theirs.max_token_value + 3)), max_size=20))
    for errors in ("replace", "strict", "ignore", "backslashreplace"):
        mine, other = both(pair, "decode", ids, errors)
        assert mine == other
    for method in ("decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
        mine, other = both(pair, method, ids)
        assert mine == other
    for method in ("decode_batch", "decode_bytes_batch"):
        mine, other = both(pair, method, [ids, ids[::-1]], num_threads=2)
        assert mine == other


def test_offsets_of_hard_strings(pair: Pair) -> None:
    for text in HARD:
        ids = pair.ours.encode(text, allowed_special="all")
        assert pair.ours.decode_with_offsets(ids) == pair.theirs.decode_with_offsets(ids)


# The same completions


def as_a_set(found: tuple[list[int], list[list[int]]]) -> tuple[list[int], set[tuple[int, ...]]]:
    assert len({*map(tuple, found[1])}) == len(found[1])
    return found[0], {*map(tuple, found[1])}


UNSTABLE = [
    "",
    "hello fanta",
    "hello",
    "hello  ",
    "a \n ",
    "a\n\n  \t ",
    "don'",
    "12",
    "x ١",
    "漢",
    "né",
    "🙂",
    "a\u3000",
    "a\u00a0\u2003",
    "a\x1f",
    f"a{END}",
    f"{END} \n",
    "end <|endo",
]


def test_completions_of_hard_strings(pair: Pair) -> None:
    for text in UNSTABLE:
        mine, other = (each.encode_with_unstable(text, allowed_special="all") for each in pair)
        assert as_a_set(mine) == as_a_set(other), text


@pytest.mark.parametrize("options", POLICIES, ids=named)
def test_completions_under_every_policy(toy: Pair, options: dict[str, Any]) -> None:
    for text in UNSTABLE:
        mine, other = both(toy, "encode_with_unstable", text, **options)
        assert mine[0] == other[0], text
        if mine[0] == "value":
            assert as_a_set(mine[1]) == as_a_set(other[1]), text


@settings(max_examples=20)
@given(data=st.data())
def test_completions_of_any_text(pair: Pair, data: st.DataObject) -> None:
    parts = [part for part in PARTS if part.isascii() or part in "é漢🙂\u3000\u2028"]
    text = "".join(data.draw(st.lists(st.sampled_from(parts), max_size=4)))
    mine, other = (each.encode_with_unstable(text, disallowed_special=()) for each in pair)
    assert as_a_set(mine) == as_a_set(other)


def test_completions_spell_the_text(toy: Pair) -> None:
    settled, completions = toy.ours.encode_with_unstable("it's the o")
    assert completions == sorted(completions)
    for each in completions:
        assert toy.ours.decode(settled + each).startswith("it's the o")


# Patterns


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_patterns_run_as_scanners(name: str) -> None:
    scanner = {"cl100k_base": "cl100k", "o200k_base": "o200k", "o200k_harmony": "o200k"}.get(name, "gpt2")
    if scanner not in patterns.NAMES:
        pytest.skip(f"there is no scanner for {scanner} yet: its text runs as a regular expression")
    assert patterns.resolve(PUBLISHED[name].pat_str).name == scanner


@pytest.mark.parametrize("pat_str", [LLAMA3, r"\w+|\W+", r"(?s:.)", r"[a-m]+|[^a-m]+", r" ?\p{L}+|[^\p{L}]"])
def test_other_patterns_that_cover_all_text_give_the_same_ids(toy_parts: dict[str, Any], pat_str: str) -> None:
    pair = Pair(*(face.Encoding(**(toy_parts | {"pat_str": pat_str})) for face in (ours, theirs)))
    for text in HARD:
        assert pair.ours.encode(text, allowed_special="all") == pair.theirs.encode(text, allowed_special="all")


def test_text_between_the_matches_is_kept_where_tiktoken_drops_it(toy_parts: dict[str, Any]) -> None:
    mine, other = (face.Encoding(**(toy_parts | {"pat_str": "[a-z]+"})) for face in (ours, theirs))
    assert mine.decode(mine.encode("ab 12 cd")) == "ab 12 cd"
    assert other.decode(other.encode("ab 12 cd")) == "abcd"


# Encodings and models by name


def test_models_are_those_of_tiktoken() -> None:
    assert ours.model.MODEL_TO_ENCODING == theirs.model.MODEL_TO_ENCODING
    assert ours.model.MODEL_PREFIX_TO_ENCODING == theirs.model.MODEL_PREFIX_TO_ENCODING
    names = [*theirs.model.MODEL_TO_ENCODING, *(f"{start}x" for start in theirs.model.MODEL_PREFIX_TO_ENCODING)]
    for name in names:
        assert ours.encoding_name_for_model(name) == theirs.encoding_name_for_model(name)


def test_unknown_models() -> None:
    with pytest.raises(KeyError) as caught:
        ours.encoding_for_model("gpt-1")
    assert isinstance(caught.value, bp.UnknownModelError)
    assert str(caught.value) == (
        "no encoding is known for the model 'gpt-1'; get_encoding(name) gives an encoding by its own name, "
        "list_encoding_names() lists them"
    )
    with pytest.raises(bp.ArgumentTypeError, match=r"model_name is 4 \(int\); it must be a str"):
        ours.encoding_name_for_model(4)  # type: ignore[arg-type]


def test_published_encodings_are_those_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pattern, special tokens, size, the address of each file and what it must hold: all but the ranks."""
    public = pytest.importorskip("tiktoken_ext.openai_public")
    asked: list[tuple[str, str]] = []

    def no_ranks(*addresses: str, **options: str) -> dict[bytes, int]:
        asked.append((addresses[0] if addresses else options["vocab_bpe_file"], options.get("expected_hash") or ""))
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", no_ranks)
    monkeypatch.setattr(public, "data_gym_to_mergeable_bpe_ranks", no_ranks)
    assert list(PUBLISHED) == list(public.ENCODING_CONSTRUCTORS)
    for name, constructor in public.ENCODING_CONSTRUCTORS.items():
        parts, mine = constructor(), PUBLISHED[name]
        assert mine.pat_str == parts["pat_str"]
        assert mine.special_tokens == parts["special_tokens"]
        assert mine.n_vocab == parts.get("explicit_n_vocab")
        address, sha256 = asked.pop()
        assert mine.files[0].key == hashlib.sha1(address.encode()).hexdigest()
        assert mine.files[0].name == address.rpartition("/")[2]
        assert mine.files[0].sha256 == (sha256 or mine.files[0].sha256)


@pytest.mark.usefixtures("no_encodings")
@pytest.mark.parametrize("name", ["r50k_base", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_file_that_tiktoken_cached_opens(
    name: str, variable: str, published: Callable[[str], Pair], test_data: Locate, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    shutil.copy(test_data(VOCABULARIES[name][0]), tmp_path / PUBLISHED[name].files[0].key)
    monkeypatch.setattr(socket, "socket", None)
    encoding = ours.get_encoding(name)
    assert encoding == published(name).ours
    assert encoding is ours.get_encoding(name)
    # tiktoken itself finds the file there.
    theirs.registry.ENCODINGS.pop(name, None)
    assert theirs.get_encoding(name).encode("hello there") == encoding.encode("hello there")


@pytest.mark.usefixtures("no_encodings")
def test_a_file_under_its_plain_name_opens(test_data: Locate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(test_data("vocabs")))
    assert ours.encoding_for_model("gpt-4").encode("hello there") == [15339, 1070]
    harmony = ours.get_encoding("o200k_harmony")
    assert harmony.encode("<|start|>user<|reserved_200018|>", allowed_special="all") == [200006, 1428, 200018]
    assert harmony.decode([200018, 201087]) == "<|endofprompt|><|reserved_201087|>"
    assert harmony.n_vocab == 201088


def merges_text(ranks: dict[bytes, int]) -> str:
    """GPT-2's own file, made again from its ranks: the two tokens that each merge joins."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    printing = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    others = [byte for byte in range(256) if byte not in printing]
    spelled = {byte: chr(byte) for byte in printing} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    lines = ["#version: 0.2"]
    for token in tokens[256:]:
        parts = [token[at : at + 1] for at in range(len(token))]
        while len(parts) > 2:
            joint = [ranks.get(parts[at] + parts[at + 1], len(ranks)) for at in range(len(parts) - 1)]
            at = joint.index(min(joint))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        lines.append(" ".join("".join(spelled[byte] for byte in part) for part in parts))
    return "\n".join(lines) + "\n"


@pytest.mark.usefixtures("no_encodings")
def test_gpt2_opens_from_its_own_file_of_merges(
    test_data: Locate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranks = ranks_of(test_data("vocabs/r50k_base.tiktoken"))
    path = tmp_path / PUBLISHED["gpt2"].files[0].key
    # As bytes, so that no line end is translated: its SHA-256 is checked.
    path.write_bytes(merges_text(ranks).encode())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    encoding = ours.get_encoding("gpt2")
    assert encoding._mergeable_ranks == ranks
    assert encoding.n_vocab == 50257


@pytest.mark.usefixtures("no_encodings")
def test_a_file_that_is_not_there_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", None)
    with pytest.raises(bp.MissingFileError) as caught:
        ours.encoding_for_model("gpt-4o")
    assert str(caught.value) == (
        "'o200k_base': there is no fb374d419588a4632f3f557e76b4b70aebbca790 (o200k_base.tiktoken) in "
        f"{str(tmp_path)!r} (TIKTOKEN_CACHE_DIR), and nothing is fetched from a network. Set TIKTOKEN_CACHE_DIR to the "
        "folder where tiktoken keeps its files or where you put o200k_base.tiktoken, or say where it lies: "
        "bytepair.tiktoken.register('o200k_base', 'path/to/o200k_base.tiktoken')"
    )
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    with pytest.raises(bp.MissingFileError, match="'gpt2': TIKTOKEN_CACHE_DIR is '', which means no folder, and"):
        ours.get_encoding("gpt2")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(bp.MissingFileError, match=r"data-gym-cache' \(the default\)"):
        ours.get_encoding("gpt2")


@pytest.mark.usefixtures("no_encodings")
def test_a_file_that_is_another_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, "cl100k_base.tiktoken").write_bytes(b"IQ== 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(bp.FormatError, match=r"has the SHA-256 6835.* and 223921b7.* was expected: it is cut off or"):
        ours.get_encoding("cl100k_base")
    assert Path(tmp_path, "cl100k_base.tiktoken").exists()


def test_unknown_encodings() -> None:
    with pytest.raises(ValueError, match="there is no encoding 'cl99k'; the names are gpt2, r50k_base, p50k_base"):
        ours.get_encoding("cl99k")
    with pytest.raises(ValueError, match=r"encoding_name is 5 \(int\); it must be a str"):
        ours.get_encoding(5)  # type: ignore[arg-type]


# Registering


@pytest.mark.usefixtures("no_encodings")
def test_register_a_function(toy: Pair, toy_parts: dict[str, Any]) -> None:
    calls = []

    def constructor() -> dict[str, Any]:
        calls.append(1)
        return toy_parts

    ours.register("mine", constructor)
    assert ours.list_encoding_names() == [*PUBLISHED, "mine"]
    assert not calls
    assert ours.get_encoding("mine") is ours.get_encoding("mine")
    assert ours.get_encoding("mine") == toy.ours
    assert calls == [1]
    ours.register("mine", lambda: toy_parts | {"name": "other"})
    assert ours.get_encoding("mine").name == "other"


@pytest.mark.usefixtures("no_encodings")
def test_register_a_file(toy: Pair, toy_parts: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "toy.tiktoken"
    ours.load.dump_tiktoken_bpe(toy_parts["mergeable_ranks"], path)
    ours.register("toy", path, pat_str=toy_parts["pat_str"], special_tokens=toy_parts["special_tokens"])
    assert ours.get_encoding("toy") == toy.ours
    ours.register("plain", str(path), pat_str="gpt2")
    assert ours.get_encoding("plain").special_tokens_set == set()


@pytest.mark.usefixtures("no_encodings")
def test_register_where_a_published_file_lies(
    test_data: Locate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    ours.register("r50k_base", test_data("vocabs/r50k_base.tiktoken"))
    ours.register("gpt2", test_data("vocabs/r50k_base.tiktoken"))
    assert ours.get_encoding("r50k_base").eot_token == ours.get_encoding("gpt2").eot_token == 50256
    assert ours.list_encoding_names() == list(PUBLISHED)
    ours.register("cl100k_base", test_data("vocabs/r50k_base.tiktoken"))
    with pytest.raises(bp.FormatError, match="was expected: it is cut off or another file"):
        ours.get_encoding("cl100k_base")


def test_what_cannot_be_registered() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"name is 3 \(int\); it must be a str"):
        ours.register(3, "x")  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentTypeError, match=r"source is 3 \(int\); it must be a path or a function"):
        ours.register("x", 3)  # type: ignore[arg-type]
    with pytest.raises(bp.ArgumentError, match="a function gives pat_str and special_tokens itself; leave them out"):
        ours.register("x", dict, pat_str="gpt2")
    with pytest.raises(bp.ArgumentError, match="holds no split pattern, and 'x' is none of OpenAI's encodings"):
        ours.register("x", "x.tiktoken", special_tokens={})
    assert "x" not in ours.list_encoding_names()


def test_ranks_are_read_and_written_as_by_tiktoken(toy_parts: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "toy.tiktoken"
    ours.load.dump_tiktoken_bpe(toy_parts["mergeable_ranks"], path)
    assert ours.load.load_tiktoken_bpe(path) == theirs.load.load_tiktoken_bpe(str(path)) == toy_parts["mergeable_ranks"]
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    assert ours.load.load_tiktoken_bpe(str(path), expected_hash=right) == toy_parts["mergeable_ranks"]
    with pytest.raises(bp.FormatError, match=f"has the SHA-256 {right}, and {'0' * 64} was expected"):
        ours.load.load_tiktoken_bpe(path, "0" * 64)
    with pytest.raises(bp.MissingFileError, match="there is no file"):
        ours.load.load_tiktoken_bpe(tmp_path / "none", "0" * 64)
    with pytest.raises(bp.UnreadableFileError, match="cannot be read: Is a directory"):
        ours.load.load_tiktoken_bpe(tmp_path)


def test_an_address_is_looked_up_and_never_fetched(
    toy_parts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", None)
    address = "https://example.org/toy.tiktoken"
    key = hashlib.sha1(address.encode()).hexdigest()
    with pytest.raises(bp.MissingFileError, match=f"is an address, and nothing is fetched.*would keep it as {key} in"):
        ours.load.load_tiktoken_bpe(address)
    ours.load.dump_tiktoken_bpe(toy_parts["mergeable_ranks"], tmp_path / key)
    assert ours.load.load_tiktoken_bpe(address) == toy_parts["mergeable_ranks"]


# A value that never changes


def test_pickles_copies_and_compares(toy: Pair, toy_parts: dict[str, Any]) -> None:
    enc = toy.ours
    again = pickle.loads(pickle.dumps(enc))
    assert again == enc
    assert hash(again) == hash(enc)
    assert again.encode("hello the", disallowed_special=()) == enc.encode("hello the")
    assert (again._pat_str, again._special_tokens) == (enc._pat_str, enc._special_tokens)
    assert pickle.dumps(again) == pickle.dumps(enc)
    assert copy.copy(enc) is enc
    assert copy.deepcopy([enc])[0] is enc
    for other in ({"name": "b"}, {"pat_str": "none"}, {"special_tokens": {}}):
        assert ours.Encoding(**(toy_parts | other)) != enc
    assert enc != "toy"


def test_an_encoding_never_changes(toy: Pair) -> None:
    with pytest.raises(AttributeError, match="an Encoding never changes; 'name' cannot be set"):
        toy.ours.name = "other"
    with pytest.raises(AttributeError, match="an Encoding never changes; 'name' cannot be deleted"):
        del toy.ours.name
    toy.ours.special_tokens_set.clear()
    assert END in toy.ours.special_tokens_set


def test_what_was_handed_in_may_change_afterwards(toy_parts: dict[str, Any]) -> None:
    specials = dict(toy_parts["special_tokens"])
    enc = ours.Encoding(**(toy_parts | {"special_tokens": specials}))
    specials.clear()
    assert enc.encode(END, allowed_special="all") == [enc.eot_token]


def encoded_elsewhere(enc: Any) -> list[int]:
    return list(enc.encode("hello the others"))


def test_goes_to_another_process(toy: Pair) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(encoded_elsewhere, [toy.ours]) == [toy.ours.encode("hello the others")]


def test_import_bytepair_does_not_load_it() -> None:
    program = "import sys, bytepair; print('bytepair.tiktoken' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    program = "import sys, bytepair.tiktoken; print({'tiktoken', 'numpy', 'regex', 'requests'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


# Errors


def test_a_refused_special_is_named_with_its_place_and_the_way_out(toy: Pair) -> None:
    with pytest.raises(bp.SpecialTokenError) as caught:
        toy.ours.encode(f"see {END}")
    assert str(caught.value) == (
        f"the text holds '{END}' at character 4, which disallowed_special forbids; pass allowed_special={{'{END}'}} to "
        "encode it as its id, or disallowed_special=() to encode it as ordinary text"
    )
    with pytest.raises(bp.SpecialTokenError, match=r"text\[1\] holds '<\|endoftext\|>' at character 0, which"):
        toy.ours.encode_batch(["a", END])
    with pytest.raises(bp.SpecialTokenError, match=r"'lo' at character 3, which .* forbids; pass disallowed_special="):
        toy.ours.encode("hello", disallowed_special=["o", "lo"])


CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda enc: enc.encode(b"x"), r"the text is b'x' \(bytes\); it must be a str: bytepair.Tokenizer encodes bytes"),
    (lambda enc: enc.encode_ordinary(None), r"the text is None \(NoneType\); it must be a str$"),
    (lambda enc: enc.encode_with_unstable(7), r"the text is 7 \(int\); it must be a str$"),
    (lambda enc: enc.encode("x", allowed_special=["a"]), r"allowed_special is \['a'\] \(list\); it must be 'all' or a"),
    (lambda enc: enc.encode("x", allowed_special="x"), r"allowed_special is 'x' \(str\); it must be 'all' or a set"),
    (lambda enc: enc.encode("x", disallowed_special="x"), r"disallowed_special is 'x' \(str\); it must be .*: \{'x'\}"),
    (lambda enc: enc.encode("x", disallowed_special=5), r"disallowed_special is 5 \(int\); it must be 'all' or"),
    (lambda enc: enc.encode("x", disallowed_special=[5]), r"disallowed_special holds 5 \(int\); it must hold str"),
    (lambda enc: enc.encode_batch("ab"), r"text is 'ab' \(str\); it must be a list of str"),
    (lambda enc: enc.encode_batch(["a", 5]), r"text\[1\] is 5 \(int\); it must be a str"),
    (lambda enc: enc.encode_ordinary_batch(5), r"text is 5 \(int\); it must be a list of str"),
    (lambda enc: enc.encode_single_token(5), r"text_or_bytes is 5 \(int\); it must be str or bytes"),
    (lambda enc: enc.decode(5), r"tokens is 5 \(int\); it must be a list or an array of ints"),
    (lambda enc: enc.decode({1}), r"tokens is \{1\} \(set\); it must be a list"),
    (lambda enc: enc.decode_bytes("ab"), r"tokens is 'ab' \(str\); it must be a list"),
    (lambda enc: enc.decode_tokens_bytes(5), r"tokens is 5 \(int\); it must be a list"),
    (lambda enc: enc.decode([1.5]), "ids must hold ints"),
    (lambda enc: enc.decode_single_token_bytes(1.5), r"token is 1.5 \(float\); it must be an int"),
    (lambda enc: enc.is_special_token("x"), r"token is 'x' \(str\); it must be an int"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_a_wrong_type_is_a_type_error(toy: Pair, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(bp.ArgumentTypeError, match=message):
        call(toy.ours)


def test_ids_that_are_no_token(toy: Pair) -> None:
    top = toy.ours.max_token_value
    for number in (top - 1, top + 1, 2**31, 2**40, -1):
        with pytest.raises(KeyError, match=f"^the id {number} at position 1 is no token; ids go from 0 to {top}$"):
            toy.ours.decode([97, number])
        with pytest.raises(KeyError, match=f"^the id {number} is no token; ids go from 0 to {top}$"):
            toy.ours.decode_tokens_bytes([97, number])


def test_bytes_that_are_not_utf8(toy: Pair) -> None:
    with pytest.raises(bp.DecodingError, match=r'invalid start byte; pass errors="replace" to decode, or use decode_'):
        toy.ours.decode([toy.ours.encode_single_token(b"\xff")], errors="strict")


def test_tokens_that_are_not_there(toy_parts: dict[str, Any]) -> None:
    enc = ours.Encoding(**(toy_parts | {"special_tokens": {"<|x|>": 1000}}))
    with pytest.raises(KeyError, match=r"'toy' has no special token '<\|endoftext\|>'; special_tokens_set says which"):
        enc.eot_token  # noqa: B018
    with pytest.raises(
        KeyError, match="no token is spelled 'zzz'; encode\\(text\\) gives the ids of a text of several"
    ):
        enc.encode_single_token("zzz")


def test_threads_out_of_range(toy: Pair) -> None:
    for call in (toy.ours.encode_batch, toy.ours.decode_batch):
        with pytest.raises(bp.ArgumentError, match="num_threads is 0; it must be at least 1"):
            call([], num_threads=0)


BYTES = {bytes([byte]): byte for byte in range(256)}
WRONG: list[tuple[dict[str, Any], type[bp.BytepairError], str]] = [
    ({"explicit_n_vocab": 300}, bp.ArgumentError, "explicit_n_vocab is 300, and there are 257 tokens, the largest id"),
    ({"explicit_n_vocab": "300"}, bp.ArgumentTypeError, r"explicit_n_vocab is '300' \(str\)"),
    ({"mergeable_ranks": {}}, bp.ArgumentError, "mergeable_ranks is empty; it must give a rank to each of the 256"),
    ({"mergeable_ranks": [b"a"]}, bp.ArgumentTypeError, r"mergeable_ranks is \[b'a'\] \(list\); it must map bytes"),
    ({"mergeable_ranks": {"a": 0}}, bp.ArgumentTypeError, r"gives 'a' \(str\) the rank 0 \(int\); it must map bytes"),
    ({"mergeable_ranks": {b"a": 0.5}}, bp.ArgumentTypeError, r"gives b'a' \(bytes\) the rank 0.5 \(float\)"),
    ({"mergeable_ranks": {b"a": 0, b"b": 0}}, bp.ArgumentError, "gives the rank 0 to b'a' and to b'b'"),
    ({"mergeable_ranks": {b"a": 0}}, bp.ModelError, "the byte 0x00 and 254 more has no token; a byte-level model"),
    ({"mergeable_ranks": BYTES | {b"ab": -1}}, bp.ArgumentError, "257 tokens with ranks from -1 to 255; ranks are 0"),
    ({"mergeable_ranks": BYTES | {b"ab": 10**9}}, bp.ArgumentError, "ranks from 0 to 1000000000; ranks are 0 or more"),
    ({"special_tokens": ["x"]}, bp.ArgumentTypeError, r"special_tokens is \['x'\] \(list\); it must map texts to ids"),
    ({"special_tokens": {"": 300}}, bp.ArgumentError, "a name in special_tokens is ''; it must have at least one"),
    ({"special_tokens": {"x": "1"}}, bp.ArgumentTypeError, r"special_tokens\['x'\] is '1' \(str\)"),
    ({"special_tokens": {"<x>": 97}}, bp.ModelError, "the special token '<x>' has the id 97 of the token b'a'"),
    ({"pat_str": "("}, bp.PatternError, "Opening parenthesis without closing parenthesis"),
    ({"pat_str": 5}, bp.ArgumentTypeError, r"pattern is 5 \(int\); it must be a str"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), WRONG, ids=[message for _, _, message in WRONG])
def test_parts_that_make_no_encoding(wrong: dict[str, Any], kind: type[Exception], message: str) -> None:
    parts = {"pat_str": r"\w+|\W+", "mergeable_ranks": BYTES, "special_tokens": {"<|x|>": 256}}
    assert ours.Encoding("right", **parts, explicit_n_vocab=257).n_vocab == 257
    with pytest.raises(kind, match=message):
        ours.Encoding("wrong", **(parts | wrong))
