"""What went wrong with the files of other tokenizers, for every format: G05, G14, G15, G19 and G22 of the reports."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from test_hostile_files import NAMES, NEEDS, files
from tokenizers import Tokenizer

import bytepair as bp

# G05: a file that lies here, and no network


@pytest.mark.parametrize("name", [*files()])
def test_no_format_opens_a_socket(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    path = tmp_path / NAMES.get(name, "a plain name")
    for each in {name, *NAMES} if name in NAMES else {name}:
        (tmp_path / NAMES.get(each, "a plain name")).write_bytes(files()[each])
    needs = NEEDS.get("vocab+merges" if name in NAMES else name, {})
    monkeypatch.setattr(socket, "socket", refuse)
    tok = bp.load(path, **needs)
    tok.save(tmp_path / "saved.json")
    assert bp.load(tmp_path / "saved.json") == tok
    assert bp.verify(tok, bp.load(path, **needs), ["ab abc"])
    if name not in NAMES:
        assert bp.load(files()[name], **needs) == bp.load(io.BytesIO(files()[name]), **needs) == tok
    with pytest.raises(FileNotFoundError, match="not there"):
        bp.load(tmp_path / "not there")


# G14: white space

SPACED = ["  Hello World.", "a\tb\n\n c ", "\n", " ", "x  \r\n  y", "", "\u3000a\u00a0", "   ", " \t "]


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("suffix", [True, False])
def test_a_sentencepiece_model_that_keeps_spaces_gives_every_text_back(prefix: bool, suffix: bool) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest newest"] * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=300,
        hard_vocab_limit=False,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=prefix,
        treat_whitespace_as_suffix=suffix,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ours = bp.load(model.getvalue())
    for text in SPACED:
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode(ours.encode(text)) == theirs.decode(theirs.encode(text))
        assert suffix or ours.decode(ours.encode(text)) == text
    assert not ours.lossless and any("\u2581" in loss for loss in ours.losses)


# G15: tokens that a text format cannot hold

UNWRITABLE = {
    "a space": (["a b a b a b"], {"alphabet": "chars"}, "a space or line end"),
    "a line feed": (["a\nb a\nb a\nb"], {"alphabet": "chars"}, "a space or line end"),
    "a carriage return": (["a\rb\ra\rb"], {"alphabet": "chars"}, "a space or line end"),
    "a comment": (["#version s #version s"], {"alphabet": "chars"}, "such a line is a comment"),
    "a comment in bytes": (["#versions #versions #versions"], {}, "such a line is a comment"),
}


@pytest.mark.parametrize(("corpus", "options", "message"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_a_merge_that_a_line_cannot_hold_is_named_before_anything_is_written(
    corpus: list[str], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    tok = bp.train(corpus, num_merges=40, pattern="none", **options)
    tok.save(tmp_path / "tokenizer.json")
    assert bp.load(tmp_path / "tokenizer.json") == tok
    with pytest.raises(bp.FormatError, match=message):
        tok.export(tmp_path / "model", "vocab+merges")
    assert not (tmp_path / "model").exists()


def test_merges_of_a_tokenizer_json_are_read_in_both_forms(tmp_path: Path) -> None:
    tok = bp.train(["low lower lowest"], num_merges=6)
    tok.save(tmp_path / "tokenizer.json")
    file = json.loads((tmp_path / "tokenizer.json").read_bytes())
    assert all(isinstance(each, list) for each in file["model"]["merges"])
    file["model"]["merges"] = [" ".join(each) for each in file["model"]["merges"]]
    assert bp.load(json.dumps(file).encode()) == tok


# G19: the encoding of the machine

PROGRAM = """
import sys, bytepair as bp
folder, = sys.argv[1:]
text = "na\\u00efve \\u65e5\\u672c na\\u00efve"
tok = bp.train([text] * 3, num_merges=8, pattern="gpt2", special_tokens=["<\\u00e9>"])
tok.save(folder + "/tokenizer.json")
assert bp.load(folder + "/tokenizer.json") == tok
for name, target in (("tiktoken", "a.tiktoken"), ("vocab+merges", "model"), ("minbpe", "a.model")):
    done = tok.export(folder + "/" + target, name)
    assert bp.load(folder + "/" + target, **done.load_with).encode("na\\u00efve") == tok.encode("na\\u00efve")
print(ascii(tok.tokens("na\\u00efve")))
"""


def test_files_are_utf_8_whatever_the_machine_says(tmp_path: Path) -> None:
    written = []
    for number, settings in enumerate(({"PYTHONUTF8": "0", "LC_ALL": "C"}, {"PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"})):
        folder = tmp_path / str(number)
        folder.mkdir()
        # Any file that is opened as text without saying its encoding is an error.
        command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", PROGRAM]
        done = subprocess.run([*command, str(folder)], env={**os.environ, **settings}, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        found = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert len(found) == 5 and not any(b"\r" in data for data in found.values())
        written.append(found)
    assert written[0] == written[1]


# G22: tokens that no merge arrives at


@pytest.mark.parametrize("seed", range(30))
def test_ranks_become_merges_with_the_same_ids_for_every_text(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    drawn = {"".join(chance.choices("ab.:", k=chance.randrange(2, 6))).encode() for _ in range(12)}
    tokens = [*(bytes([byte]) for byte in range(256)), *chance.sample(sorted(drawn), len(drawn))]
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    source = bp.load(data, pattern="none")
    theirs = tiktoken.Encoding(
        "x", pat_str="(?s:.+)", mergeable_ranks={token: i for i, token in enumerate(tokens)}, special_tokens={}
    )
    source.export(tmp_path / "tokenizer.json", "tokenizer.json")
    made, again = Tokenizer.from_file(str(tmp_path / "tokenizer.json")), bp.load(tmp_path / "tokenizer.json")
    for _ in range(60):
        text = "".join(chance.choices("ab.:x", k=chance.randrange(1, 12)))
        assert source.encode(text) == theirs.encode(text) == again.encode(text) == made.encode(text).ids
    again.export(tmp_path / "back.tiktoken", "tiktoken")
    assert (tmp_path / "back.tiktoken").read_bytes() == data
