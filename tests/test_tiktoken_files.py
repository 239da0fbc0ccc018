"""`bytepair.tiktoken.load` on GPT-2's two files and on files by path and address, against tiktoken's functions."""

from __future__ import annotations

import hashlib
import json
import socket
from pathlib import Path
from typing import Any

import pytest
import tiktoken.load as theirs

import bytepair as bp
from bytepair.model import gpt2_characters
from bytepair.tiktoken import load as ours

SPELLED = gpt2_characters()


def written(folder: Path, ids: dict[bytes, int], merges: list[tuple[bytes, bytes]]) -> tuple[Path, Path]:
    """`vocab.bpe` and `encoder.json`."""

    def spell(token: bytes) -> str:
        return "".join(SPELLED[byte] for byte in token)

    lines = ["#version: 0.2", *(f"{spell(left)} {spell(right)}" for left, right in merges), ""]
    (folder / "vocab.bpe").write_text("\n".join(lines), encoding="utf-8")
    tokens = {spell(token): number for token, number in ids.items()} | {"<|endoftext|>": len(ids)}
    (folder / "encoder.json").write_text(json.dumps(tokens), encoding="utf-8")
    return folder / "vocab.bpe", folder / "encoder.json"


@pytest.fixture
def trained() -> tuple[dict[bytes, int], list[tuple[bytes, bytes]]]:
    tok = bp.train(["low lower lowest é 漢字 \x85\xa0  \n"] * 3, num_merges=20, pattern="gpt2", byte_order="gpt2")
    return {tok.token_bytes(number): number for number in range(tok.vocab_size)}, tok.merges


def test_the_files_of_gpt2_are_read_as_by_tiktoken(trained: Any, tmp_path: Path) -> None:
    files = written(tmp_path, *trained)
    ranks = ours.data_gym_to_mergeable_bpe_ranks(*files)
    assert ranks == theirs.data_gym_to_mergeable_bpe_ranks(*map(str, files)) == trained[0]
    hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    assert ours.data_gym_to_mergeable_bpe_ranks(*files, *hashes) == ranks
    for wrong in (["0" * 64, hashes[1]], [hashes[0], "0" * 64]):
        with pytest.raises(bp.FormatError, match=r"has the SHA-256 .* and 0{64} was expected"):
            ours.data_gym_to_mergeable_bpe_ranks(*files, *wrong)


def test_single_bytes_may_have_ids_of_their_own(trained: Any, tmp_path: Path) -> None:
    ids, merges = trained
    by_value = {token: token[0] if len(token) == 1 else number for token, number in ids.items()}
    files = written(tmp_path, by_value, merges)
    ranks = ours.data_gym_to_mergeable_bpe_ranks(*files, clobber_one_byte_tokens=True)
    assert ranks == theirs.data_gym_to_mergeable_bpe_ranks(*map(str, files), clobber_one_byte_tokens=True) == by_value
    with pytest.raises(bp.FormatError, match=r"encoder.json' says that b'!' has the id 33, and the merges of .* say 0"):
        ours.data_gym_to_mergeable_bpe_ranks(*files)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("vocab.bpe", "#version: 0.2\nl o\nlo w x\n", r"vocab.bpe', line 3: 'lo w x' is no merge of two tokens"),
        ("vocab.bpe", "#version: 0.2\nlow\n", "line 2: 'low' is no merge"),
        ("vocab.bpe", "#version: 0.2\nl \u4e00\n", "line 2: 'l \u4e00' is no merge"),
        ("encoder.json", "[", "encoder.json' is no JSON object of tokens and ids"),
        ("encoder.json", "[1]", "is no JSON object of tokens and ids"),
        ("encoder.json", '{"\u4e00": 1}', "a token holds '\u4e00', which GPT-2 does not spell a byte by"),
        ("encoder.json", "{}", "says that b'!' has the id None, and the merges of .* say 0"),
    ],
)
def test_a_broken_file_of_gpt2_is_named(trained: Any, tmp_path: Path, name: str, data: str, message: str) -> None:
    files = written(tmp_path, *trained)
    (tmp_path / name).write_text(data, encoding="utf-8")
    with pytest.raises(bp.FormatError, match=message):
        ours.data_gym_to_mergeable_bpe_ranks(*files)


def test_files_are_read_by_path_and_looked_up_by_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", None)
    address = "https://example.org/some.file"
    path = tmp_path / hashlib.sha1(address.encode()).hexdigest()
    for read in (ours.read_file, ours.read_file_cached):
        with pytest.raises(bp.MissingFileError, match="is an address, and nothing is fetched from a network"):
            read(address)
    path.write_bytes(b"contents")
    sha256 = hashlib.sha256(b"contents").hexdigest()
    assert ours.check_hash(b"contents", sha256) is theirs.check_hash(b"contents", sha256) is True
    assert ours.check_hash(b"content", sha256) is theirs.check_hash(b"content", sha256) is False
    assert ours.read_file(address) == ours.read_file(path) == theirs.read_file(str(path)) == b"contents"
    assert ours.read_file_cached(address, sha256) == theirs.read_file_cached(address, sha256) == b"contents"
    with pytest.raises(bp.FormatError, match=f"has the SHA-256 {sha256}, and 0{{64}} was expected"):
        ours.read_file_cached(address, "0" * 64)
    with pytest.raises(bp.MissingFileError, match="there is no file"):
        ours.read_file(tmp_path / "none")


def test_every_public_function_of_their_module_is_here() -> None:
    public = {name for name, value in vars(theirs).items() if callable(value) and value.__module__ == theirs.__name__}
    assert public <= set(vars(ours))
