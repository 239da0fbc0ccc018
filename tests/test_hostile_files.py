"""Files of every format, broken in every way: one error of the family that names the file, or a tokenizer; no more."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_files import files

import bytepair as bp

NEEDS: dict[str, dict[str, Any]] = {"tiktoken": {"pattern": "gpt2"}, "vocab+merges": {"pattern": "gpt2"}}
NAMES = {"vocab+merges": "merges.txt", "vocab.json": "vocab.json"}


def opened(name: str, data: bytes, folder: Path) -> bp.Tokenizer | None:
    """The tokenizer, or None where there was an error of the family that names the file."""
    path = folder / NAMES.get(name, "the file")
    path.write_bytes(data)
    if name in NAMES:
        other = "vocab.json" if name == "vocab+merges" else "vocab+merges"
        (folder / NAMES[other]).write_bytes(files()[other])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bp.FormatWarning)
        try:
            tok = bp.load(path, **NEEDS.get("vocab+merges" if name in NAMES else name, {}))
        except bp.BytepairError as error:
            message = str(error)
            assert str(folder) in message, message
            # Most of the message is ours, however large the file, and it can be printed anywhere.
            assert len(message) < 1_000
            assert message.encode()
            return None
    try:
        assert isinstance(tok.encode("abc low \u00e9 <s>", special="all"), list)
        tok.audit()
    except bp.UnknownCharacterError:
        pass
    return tok


@pytest.mark.parametrize("name", files())
def test_as_it_is_it_opens(name: str, tmp_path: Path) -> None:
    assert opened(name, files()[name], tmp_path) is not None


@pytest.mark.parametrize("name", files())
def test_cut_short_anywhere(name: str, tmp_path: Path) -> None:
    data = files()[name]
    for part in range(50):
        tok = opened(name, data[: len(data) * part // 50], tmp_path)
        # Lines of text may end anywhere between two; all else must notice.
        assert tok is None or name in ("tiktoken", "vocab+merges", "subword-nmt", "minbpe", "sentencepiece")


@pytest.mark.parametrize("name", files())
def test_with_something_else_in_front(name: str, tmp_path: Path) -> None:
    for front in (
        b"\x00",
        b"PK\x03\x04",
        b"GGUF",
        b"\xff\xfe",
        b"{",
        b"\x1f\x8b",
        b"<html>",
        b"\x89PNG\r\n",
        b"minbpe v2\n",
    ):
        opened(name, front + files()[name], tmp_path)
        opened(name, front, tmp_path)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, put in, left out, or a stretch said again or moved."""
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        at = chance.randrange(len(made) + 1)
        end = min(len(made), at + chance.choice([1, 1, 2, 8, 100]))
        kind = chance.randrange(5)
        if kind == 0:
            made[at:end] = bytes(chance.choices(b'\x00\xff\x80"{}[]0129,:\\ \n\rae-', k=end - at))
        elif kind == 1:
            del made[at:end]
        elif kind == 2:
            made[at:at] = made[at:end]
        elif kind == 3:
            made[at:at] = chance.choice(
                [b"\xef\xbb\xbf", b"\r\n", b"9" * 30, b"-1", b"null", b"\xed\xa0\x80", b"\n\n", b'""']
            )
        elif at < len(made):
            made[at] ^= 1 << chance.randrange(8)
    return bytes(made)


@pytest.mark.parametrize("name", files())
def test_changed_by_chance(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    n_refused = sum(opened(name, mutated(files()[name], chance), tmp_path) is None for _ in range(300))
    assert n_refused > 10


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value, of the tables only the first few."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for index, (key, each) in enumerate(items):
        if index < 12:
            yield from places(each, (*path, key))


WRONG: list[Any] = [
    None,
    True,
    -1,
    2**31,
    2**64,
    1.5,
    "",
    "\ud800",
    "x" * 2_000,
    [],
    [[]],
    {},
    {"type": "No"},
    ["a", "b"],
]


@pytest.mark.parametrize("name", ["tokenizer.json", "framed tokenizer.json", "tekken", "vocab.json"])
def test_a_value_of_the_wrong_kind_anywhere(name: str, tmp_path: Path) -> None:
    data = json.loads(files()[name])
    for number, path in enumerate(places(data)):
        for wrong in WRONG[number % 2 :: 2]:
            changed = json.loads(files()[name])
            if not path:
                changed = wrong
            else:
                inner = changed
                for key in path[:-1]:
                    inner = inner[key]
                inner[path[-1]] = wrong
            opened(name, json.dumps(changed).encode(), tmp_path)


def key_changed(value: Any, path: tuple[Any, ...], key: str) -> Any:
    """The value where one key of an object in it is another, or None where the path leads to no key."""
    if not path or not isinstance(path[-1], str):
        return None
    inner = value
    for each in path[:-1]:
        inner = inner[each]
    inner[key] = inner.pop(path[-1])
    return value


@pytest.mark.parametrize("key", ["\ud800", "x" * 2_000, "\n\x1b[31m"], ids=["surrogate", "long", "control"])
@pytest.mark.parametrize("name", ["tokenizer.json", "framed tokenizer.json", "tekken", "vocab.json"])
def test_a_key_of_strangers_is_told_in_part_and_can_be_printed(name: str, key: str, tmp_path: Path) -> None:
    for path in places(json.loads(files()[name])):
        changed = key_changed(json.loads(files()[name]), path, key)
        if changed is not None:
            opened(name, json.dumps(changed).encode(), tmp_path)


@pytest.mark.parametrize("depth", [1_000, 1_000_000])
@pytest.mark.parametrize(
    ("front", "again", "back"),
    [
        (b"", b"[", b""),
        (b"", b'{"model":', b""),
        (b'{"model":{"type":"BPE","vocab":{},"merges":[]},"normalizer":', b'{"type":"Sequence","normalizers":[', b"]}"),
        (b'{"model":{"type":"BPE","vocab":{},"merges":', b"[", b"]"),
        (b'{"config":{},"vocab":', b"[", b"]"),
    ],
    ids=["lists", "objects", "steps", "merges", "tekken"],
)
def test_nested_without_end(front: bytes, again: bytes, back: bytes, depth: int, tmp_path: Path) -> None:
    data = front + again * depth + back * depth + (b"}" if front else b"")
    assert opened("nested", data, tmp_path) is None


def varint(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


CLAIMS = {
    "a piece of 2 GB": ("sentencepiece", b"\x0a\x7f\x0a" + varint(2**31) + b"abc"),
    "a message of 2 GB": ("sentencepiece", b"\x0a\x05\x0a\x03abc\x0a" + varint(2**31)),
    "a number without end": ("sentencepiece", b"\x0a\x05\x0a\x03abc" + b"\xff" * 40),
    "a rank of 2^31": ("tiktoken", b"YQ== 2147483647\n"),
    "an id of 2^31": ("vocab.json", b'{"a": 2147483647}'),
    "a gzip that unpacks to 300 MB": ("clip", gzip.compress(b"\n" * 300_000_000, compresslevel=9, mtime=0)),
    "a merge of ids that are not there": ("minbpe", b"minbpe v1\n.\n0\n2147483647 2147483647\n"),
}


@pytest.mark.parametrize(("name", "data"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_of_much_takes_little(name: str, data: bytes, tmp_path: Path) -> None:
    tracemalloc.start()
    assert opened(name, data, tmp_path) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (200 if name == "clip" else 20) * 1_000_000


@pytest.mark.parametrize(
    "name", ["tokenizer.json", "framed tokenizer.json", "tekken", "vocab.json", "vocab+merges", "tiktoken"]
)
def test_a_bom_and_lines_of_windows_change_nothing(name: str, tmp_path: Path) -> None:
    data = files()[name]
    whole = opened(name, data, tmp_path)
    assert opened(name, data.replace(b"\n", b"\r\n"), tmp_path) == whole
    if name != "tiktoken":
        assert opened(name, b"\xef\xbb\xbf" + data, tmp_path) == whole
