"""Lists of merges that are not quite right, beside what their own library does with them."""

from __future__ import annotations

import base64
import codecs
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from subword_nmt.apply_bpe import BPE
from tokenizers import models

import bytepair as bp

# subword-nmt

CODES = {
    "as it should be": "#version: 0.2\na b\nab c</w>\n",
    "no version": "a b\nab c\n",
    "a long version": "#version: 0.2.0\na b</w>\n",
    "a version that there is not": "#version: 0.3\na b\n",
    "a version that is none": "#version: x\na b\n",
    "a version without a space": "#version:0.2\na b\n",
    "version 0.1": "#version: 0.1\na b\n",
    "lines of Windows": "#version: 0.2 \r\na b\r\nab c</w>\r\n",
    "spaces round a line": "#version: 0.2\n a b\nab c</w> \n",
    "empty lines behind": "#version: 0.2\na b\nab c</w>\n\n\n",
    "an empty line between": "#version: 0.2\na b\n\nab c</w>\n",
    "an empty line first": "\na b\n",
    "two spaces": "#version: 0.2\na  b\n",
    "a tab": "#version: 0.2\na\tb\n",
    "three tokens": "#version: 0.2\na b c\n",
    "one token": "#version: 0.2\nab\n",
    "a merge twice": "#version: 0.2\na b\nab c</w>\na b\n",
    "no merges": "#version: 0.2\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", CODES.values(), ids=CODES)
def test_codes_are_read_as_by_subword_nmt_or_refused_as_there(text: str, tmp_path: Path) -> None:
    path = tmp_path / "codes"
    path.write_bytes(text.encode())
    try:
        with codecs.open(str(path), encoding="utf-8") as stream:
            theirs = BPE(stream)
            theirs.process_line("abc")
    except (Exception, SystemExit):  # it ends the process
        with pytest.raises(bp.FormatError, match=r"codes': (line \d+ is|it holds no merges)"):
            bp.load(path, format="subword-nmt")
        return
    ours = bp.load(path, format="subword-nmt")
    for line in ("abc ab", "abcabc c ba", " ab  abc"):
        found = [token.decode().removesuffix("</w>") for token in ours.tokens(line)]
        whole = [each.removesuffix("@@") for each in theirs.process_line(line).split()]
        # A character in no merge has no id here.
        pairs = list(zip(filter(None, found), whole, strict=True))
        assert all(here in (there, "<unk>") for here, there in pairs), pairs
        assert any(here != "<unk>" for here, _ in pairs)


# minbpe


def read_by_minbpe(text: str) -> dict[tuple[int, int], int]:
    """What minbpe does with a file: every line is stripped, and each of a pair is an id that there is."""
    lines = [line.strip() for line in text.removesuffix("\n").replace("\r\n", "\n").split("\n")]
    assert lines[0] == "minbpe v1"
    n_special = int(lines[2])
    for line in lines[3 : 3 + n_special]:
        _, number = line.split()
        int(number)
    pairs: dict[tuple[int, int], int] = {}
    for line in lines[3 + n_special :]:
        left, right = map(int, line.split())
        assert 0 <= min(left, right) <= max(left, right) < 256 + len(pairs)
        pairs[left, right] = 256 + len(pairs)
    return pairs


MINBPE = {
    "as it should be": "minbpe v1\na|.\n1\n<s> 300\n97 98\n256 99\n",
    "no pattern": "minbpe v1\n\n0\n97 98\n",
    "lines of Windows": "minbpe v1\r\na|.\r\n1\r\n<s> 300\r\n97 98\r\n",
    "spaces round lines": "minbpe v1 \n a|. \n 1\n<s>  300 \n 97  98 \n",
    "another version": "minbpe v10\na|.\n0\n97 98\n",
    "a BOM": "\ufeffminbpe v1\na|.\n0\n97 98\n",
    "a special with a space": "minbpe v1\na|.\n1\n<a b> 300\n97 98\n",
    "a special without an id": "minbpe v1\na|.\n1\n<s>\n97 98\n",
    "an id that is no number": "minbpe v1\na|.\n1\n<s> x\n97 98\n",
    "a number of specials that is none": "minbpe v1\na|.\nx\n97 98\n",
    "an empty line between": "minbpe v1\na|.\n0\n97 98\n\n256 99\n",
    "an empty line behind": "minbpe v1\na|.\n0\n97 98\n\n",
    "three ids": "minbpe v1\na|.\n0\n97 98 99\n",
    "one id": "minbpe v1\na|.\n0\n97\n",
    "an id that comes later": "minbpe v1\na|.\n0\n97 256\n",
    "an id below 0": "minbpe v1\na|.\n0\n97 -1\n",
    "no merges": "minbpe v1\na|.\n0\n",
}


@pytest.mark.parametrize("text", MINBPE.values(), ids=MINBPE)
def test_models_of_minbpe_are_read_as_there_or_refused_as_there(text: str) -> None:
    try:
        pairs = read_by_minbpe(text)
    except (AssertionError, ValueError):
        with pytest.raises(bp.FormatError, match=r"line \d+ (is|joins)|line 3 says"):
            bp.load(text.encode(), format="minbpe")
        return
    ours = bp.load(text.encode())
    assert ours.loaded.format == "minbpe"
    assert list(ours.model.merges) == list(pairs)
    assert ours.model.pattern.text == (text.splitlines()[1].strip() or "none")


def test_a_token_of_minbpe_that_is_made_in_two_ways_is_refused_by_name() -> None:
    text = "minbpe v1\n\n1\n<s> 300\n97 98\n256 99\n98 99\n97 258\n"
    assert read_by_minbpe(text)[97, 258] == 259
    with pytest.raises(bp.FormatError, match=r"line 8 makes the token b'abc', as line 6 does; minbpe gives .* two ids"):
        bp.load(text.encode())


def test_what_minbpe_cannot_read_back_is_not_written_for_it(tmp_path: Path) -> None:
    for options, lost in (
        ({"special_tokens": ["<a b>"]}, "the special token '<a b>'"),
        ({"special_tokens": ["\u2028"]}, r"the special token '\\u2028'"),
        ({"pattern": r"\S+| "}, r"the pattern .* "),
        ({"pattern": "\r|."}, "the pattern"),
    ):
        tok = bp.train(["ab ab"], num_merges=1, **{"pattern": "gpt2", **options})  # type: ignore[arg-type]
        with pytest.raises(bp.FormatError, match=lost):
            tok.export(tmp_path / "a.model", "minbpe")


# CLIP


def read_by_clip(text: str) -> dict[str, int]:
    """What CLIP does with the list: the first line is none of it, and every other one is a token."""
    lines = text.split("\n")[1 : 49_152 - 256 - 2 + 1]
    characters = [*map(chr, [*range(33, 127), *range(161, 173), *range(174, 256)])]
    characters += [chr(256 + index) for index in range(256 - len(characters))]
    tokens = [*characters, *(each + "</w>" for each in characters), *("".join(line.split()) for line in lines)]
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    return {token: number for number, token in enumerate(tokens)}


CLIP = {
    "as it should be": '"bpe_simple_vocab_16e6.txt#version: 0.2\na b\nab c</w>',
    "a line end behind": '"bpe#version: 0.2\na b\nab c</w>\n',
    "a first line that is a merge": "x y\na b\nab c</w>\n",
    "an empty line between": "#version\na b\n\nab c</w>\n",
    "lines of Windows": "#version\r\na b\r\nab c</w>\r\n",
}


@pytest.mark.parametrize("text", CLIP.values(), ids=CLIP)
def test_lists_of_clip_have_the_ids_that_clip_gives(text: str) -> None:
    expected = read_by_clip(text)
    ours = bp.load(gzip.compress(text.encode(), mtime=0))
    assert ours.special_tokens == {name: expected[name] for name in ("<|startoftext|>", "<|endoftext|>")}
    assert ours.encode("abc") == [expected["abc</w>"]]
    assert ours.encode("ab") == [expected["a"], expected["b</w>"]]
    assert ours.encode("abx") == [expected["ab"], expected["x</w>"]]
    assert ours.encode("xy") == [expected["x"], expected["y</w>"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#version\na b\nab  c\n", "line 3 is 'ab  c'; expected two tokens"),
        ("#version\na b\n\nab c d\n", "line 4 is 'ab c d'; expected two tokens"),
        ("#version\na b\na b\n", "two merges spell one token"),
        ("#version\na \u4e00\n", "spells no bytes"),
    ],
)
def test_what_is_no_list_of_clip_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(bp.FormatError, match=message):
        bp.load(gzip.compress(text.encode(), mtime=0))


# vocab.json and merges.txt

MERGES = {
    "as it should be": "#version: 0.2\na b\nab c\n",
    "no version": "a b\nab c\n",
    "two versions": "#version: 0.1\na b\n#version: 0.2\nab c",
    "lines of Windows": "#version: 0.2\r\na b\r\nab c\r\n",
    "an empty line between": "a b\n\nab c\n",
    "an empty line behind": "a b\nab c\n\n",
    "an empty line first": "\na b\n",
    "a space first": " a b\n",
    "two spaces": "a  b\n",
    "a space behind": "a b \n",
    "a tab": "a\tb\n",
    "a merge twice": "a b\nab c\na b\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", MERGES.values(), ids=MERGES)
def test_merges_are_read_as_by_tokenizers_or_refused_as_there(text: str, tmp_path: Path) -> None:
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text('{"a": 0, "b": 1, "ab": 2, "c": 3, "abc": 4}')
    merges.write_bytes(text.encode())
    try:
        theirs = models.BPE.from_file(str(vocab), str(merges))
    except Exception:
        with pytest.raises(bp.FormatError, match=r"merges.txt': line \d is"):
            bp.load(tmp_path, pattern="none")
        return
    ours = bp.load(tmp_path, pattern="none")
    for piece in ("abc", "ab", "cab", "abcab"):
        assert ours.encode(piece) == [token.id for token in theirs.tokenize(piece)]


# tekken


def tekken(change: Callable[[dict[str, Any]], Any]) -> bytes:
    ranks = [*(bytes([byte]) for byte in range(256)), b"ab"]
    file = {
        "config": {"pattern": "[a-z]+|.", "default_vocab_size": 267, "default_num_special_tokens": 10, "version": "v3"},
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(ranks)
        ],
        "special_tokens": [],
    }
    change(file)
    return json.dumps(file).encode()


TEKKEN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a byte elsewhere": (
        lambda file: file["vocab"][65].update(token_bytes="Qg=="),
        r"vocab\[65\]\.token_bytes is .*; expected the byte 65 in base64: the first 256 tokens are the bytes",
    ),
    "a rank out of order": (lambda file: file["vocab"].reverse(), r"vocab\[0\]\.rank is 256; expected 0"),
    "too few tokens": (lambda file: file["vocab"].pop(), "vocab has 256 tokens; config asks for 257"),
    "no base64": (lambda file: file["vocab"][256].update(token_bytes="!"), r"vocab\[256\]\.token_bytes .*base64"),
    "an empty token": (lambda file: file["vocab"][256].update(token_bytes=""), "expected at least one byte in base64"),
    "a token twice": (
        lambda file: file["vocab"][256].update(token_bytes="YQ=="),
        r"the token b'a' has the ids \[107, 266\]",
    ),
    "a special twice": (
        lambda file: file.update(special_tokens=[{"rank": rank, "token_str": "<s>"} for rank in (0, 1)]),
        "the special token '<s>' stands twice",
    ),
    "a special of a rank that is none": (
        lambda file: file.update(special_tokens=[{"rank": 10, "token_str": "<s>"}]),
        "expected an id of its own, below 10",
    ),
    "a pattern that is none": (lambda file: file["config"].update(pattern="("), r"the bytes given: .*\("),
}


def test_a_tekken_that_is_as_it_should_be_opens() -> None:
    assert bp.load(tekken(lambda file: None)).encode("aba") == [266, 107]


@pytest.mark.parametrize(("change", "message"), TEKKEN.values(), ids=TEKKEN)
def test_a_tekken_that_is_wrong_is_refused_with_its_place(
    change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    with pytest.raises(bp.FormatError, match=message):
        bp.load(tekken(change))
