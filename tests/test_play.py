"""The playground without a browser: what it answers, and how it trains, starts and ends."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest
from click.testing import CliRunner
from tokenizers_of_all_kinds import ALL

import bytepair as bp
from bytepair.analysis.comparison import differing
from bytepair.cli import cli
from bytepair.cli import playing as playing_command
from bytepair.errors import ArgumentError, BytepairError
from bytepair.play import Room, Shelf, courses, limits
from bytepair.play.calls import Call
from bytepair.play.exercises import exercise, parts_of
from bytepair.play.lessons import MODES, WORKED_EXAMPLE, Lesson
from bytepair.play.packed import packed
from bytepair.play.room import differing_parts
from bytepair.play.serving import ADDRESS, listener
from bytepair.play.shelf import opened

httpx = pytest.importorskip("httpx", reason="the package httpx is not installed")
pytest.importorskip("starlette", reason="the package starlette is not installed")
pytest.importorskip("uvicorn", reason="the package uvicorn is not installed")

from playground import TEXT, Running, running, shelf  # noqa: E402  # it needs the packages above

BOOK = {"text": WORKED_EXAMPLE, "mode": "words", "ties": "first-seen", "num_merges": 10}
HARD = ["", "a", "the lowest\n\ncafé 漢字 🙂", "<|end|> x<s>", "a" + "\u0301" * 500, "\0\x1b[31m\u202e", " " * 999]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture
def client(server: Running) -> Iterator[Any]:
    """What asks as the page does."""
    headers = {"origin": server.address.rstrip("/"), "x-bytepair": "play"}
    with httpx.Client(base_url=server.address, headers=headers, timeout=30) as made:
        yield made


def ask(client: Any, name: str, **fields: Any) -> Any:
    reply = client.post(f"/api/{name}", json=fields)
    assert reply.status_code == 200, reply.text
    return reply.json()


def unpacked(data: bytes, text: str) -> dict[str, Any]:
    """What `packed` packed, as the page reads it."""
    size = int.from_bytes(data[:4], "little")
    header: dict[str, Any] = json.loads(data[4 : 4 + size])
    n = header["n_tokens"]
    assert size % 4 == 0
    numbers = memoryview(data[4 + size : 4 + size + 12 * n]).cast("I").tolist() if n else []
    whole = data[4 + size + 12 * n :] if header["rewritten"] else text.encode()
    spans = list(zip(numbers[n : 2 * n], numbers[2 * n :], strict=True))
    return header | {"ids": numbers[:n], "spans": spans, "tokens": [whole[start:end] for start, end in spans]}


# Tokens


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_the_page_gets_the_ids_of_encode_and_every_token_can_be_shown(name: str, text: str) -> None:
    tok = ALL[name]
    for special in ("text", "all"):
        found = unpacked(packed(tok, text, special), text)  # type: ignore[arg-type]
        assert found["ids"] == tok.encode(text, special=special)  # type: ignore[arg-type]
        assert (found["n_tokens"], found["n_chars"], found["n_bytes"]) == (
            len(found["ids"]),
            len(text),
            len(text.encode()),
        )
        for number, token in zip(found["ids"], found["tokens"], strict=True):
            assert token or found["unseen"][str(number)] == tok.token_bytes(number).decode("utf-8", "backslashreplace")
        if tok.lossless:
            assert b"".join(found["tokens"]) == text.encode() and not found["rewritten"]


def test_a_tokenizer_that_rewrites_text_shows_its_own_tokens(test_data: Callable[[str], Path]) -> None:
    tok = bp.load(test_data("vocabs/mistral_v3.spm.model"))
    found = unpacked(packed(tok, "Two  words"), "Two  words")
    assert found["ids"] == tok.encode("Two  words") and all(found["tokens"])


def test_encode_answers_for_a_whole_tokenizer_and_for_a_smaller_one(client: Any, server: Running) -> None:
    entry = server.room.shelf.entries()[0]
    for query, tok in (({}, entry.tok), ({"size": "270"}, entry.tok.at(270))):
        reply = client.post("/api/encode", params={"tok": entry.key, **query}, content=TEXT.encode())
        assert unpacked(reply.content, TEXT)["ids"] == tok.encode(TEXT)


def test_special_tokens_are_text_unless_asked_for(client: Any, server: Running) -> None:
    entry = server.room.shelf.entries()[1]
    for special in ("text", "all"):
        reply = client.post("/api/encode", params={"tok": entry.key, "special": special}, content=b"a<|end|>")
        assert unpacked(reply.content, "a<|end|>")["ids"] == entry.tok.encode("a<|end|>", special=special)


def test_a_token_is_the_report_of_the_library(client: Any, server: Running) -> None:
    entry = server.room.shelf.entries()[0]
    reply = client.post("/api/token", params={"tok": entry.key, "id": "270"})
    assert reply.json() == entry.tok.token(270).to_dict()


# Learning


@pytest.mark.parametrize("ties", ["first-seen", "lexicographic"])
@pytest.mark.parametrize("mode", MODES)
def test_the_trace_of_the_page_is_the_trace_of_the_library(client: Any, mode: str, ties: Any) -> None:
    found = ask(client, "trace", **(BOOK | {"mode": mode, "ties": ties}))
    whole = bp.trace([WORKED_EXAMPLE], 10, ties=ties, **MODES[mode])
    assert found["trace"] == json.loads(json.dumps(whole.to_dict()))
    spelled = {int(number): symbol for number, symbol in found["spelled"].items()}
    pairs = [tuple(spelled[number] for number in made) for made in found["made"]]
    assert pairs == [(left.decode(), right.decode(), (left + right).decode()) for left, right in whole.merges]
    assert [[spelled[number] for number in row] for row in found["rows"]] == [
        [symbol.decode() for symbol in piece.symbols] for piece in whole.pieces
    ]


def test_the_worked_example_is_that_of_the_books() -> None:
    first = [("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o"), ("lo", "w")]
    for ties, rest in (
        ("first-seen", [("n", "e"), ("ne", "w"), ("new", "est</w>"), ("low", "</w>"), ("w", "i")]),
        ("lexicographic", [("e", "w"), ("ew", "est</w>"), ("n", "ewest</w>"), ("low", "</w>"), ("d", "est</w>")]),
    ):
        whole = Lesson(WORKED_EXAMPLE, "words", ties, 10).trace()  # type: ignore[arg-type]
        assert whole.merges == [(left.encode(), right.encode()) for left, right in first + rest]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["next", "count", "encode"])
def test_exercises_have_the_answers_of_the_engine(kind: str, mode: str) -> None:
    lesson = Lesson(WORKED_EXAMPLE, mode, "first-seen", 10)
    whole = lesson.trace()
    for number in range(30):
        asked = exercise(lesson, kind, number)
        assert asked == exercise(lesson, kind, number)
        assert asked.checked(" ".join(asked.answer))["right"], asked
        assert not asked.checked("wrong")["right"] and not asked.checked("")["right"]
        if kind == "next":
            assert asked.why == whole.sentence(asked.step)
            assert asked.checked(f"({', '.join(asked.answer)})")["right"]
        if kind == "count":
            times = {str(pair.times) for pair in whole.steps[asked.step].table}
            assert asked.answer[0] in times
    assert len({exercise(lesson, kind, number).question for number in range(30)}) > 3


def test_an_exercise_keeps_its_answer_until_it_is_asked(client: Any) -> None:
    posed = ask(client, "exercise", **BOOK, kind="next", number=0)
    assert set(posed) == {"question", "step", "n_parts"}
    left, right = Lesson(**BOOK).trace().merges[posed["step"]]  # type: ignore[arg-type]
    found = ask(client, "answer", **BOOK, kind="next", number=0, answer=f"{left.decode()} {right.decode()}")
    assert found["right"] and found["answer"] == [left.decode(), right.decode()]


def test_there_is_no_exercise_where_nothing_is_learned() -> None:
    with pytest.raises(ArgumentError, match="take a longer one"):
        exercise(Lesson("", "words", "first-seen", 5), "next", 0)
    with pytest.raises(ArgumentError, match="there are next, count, encode"):
        exercise(Lesson("aa", "text", "first-seen", 1), "essay", 0)


def test_answers_are_read_as_people_write_them() -> None:
    assert parts_of("( e, s )") == ("e", "s") and parts_of(",") == (",",) and parts_of("1,024") == ("1024",)


# Training


def trained(client: Any, text: bytes = TEXT.encode(), **query: Any) -> list[dict[str, Any]]:
    reply = client.post("/api/train", params=query, content=text)
    assert reply.status_code == 200, reply.text
    return [json.loads(line) for line in reply.text.splitlines()]


def test_training_tells_how_far_it_is_and_gives_what_train_gives(client: Any, server: Running) -> None:
    *news, last = trained(client, vocab_size=280, pattern="gpt2", ties="first-seen", name="mine")
    assert news and {record["stage"] for record in news} <= {"counting", "learning"}
    assert (last["entry"]["name"], last["entry"]["vocab_size"]) == ("mine", 280)
    expected = bp.train([TEXT], vocab_size=280, pattern="gpt2", ties="first-seen")
    assert server.room.shelf.entry(last["entry"]["key"]).tok == expected
    client.post("/api/remove", params={"tok": last["entry"]["key"]})


def test_training_says_what_is_wrong(client: Any, server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = client.post("/api/train", params={"vocab_size": "20"}, content=b"text")
    assert reply.status_code == 400 and "from 256 to 200,000" in reply.json()["error"]
    for fault, said in ((ArgumentError("no such luck"), "no such luck"), (MemoryError(), "train on less text")):

        def fail(*_: Any, fault: Exception = fault, **__: Any) -> None:
            raise fault

        monkeypatch.setattr(courses, "train", fail)
        assert said in trained(client)[-1]["error"]
        assert not server.room.courses.runs


def test_a_browser_that_goes_away_ends_its_training(client: Any, server: Running) -> None:
    before = len(server.room.shelf.entries())
    with client.stream("POST", "/api/train", params={"vocab_size": 200_000}, content=long_text()) as reply:
        # Kept: without it the reply is closed.
        lines = reply.iter_lines()
        assert next(lines)
        other = client.post("/api/train", content=b"text")
        assert other.status_code == 400 and "another training is under way" in other.json()["error"]
    wait_until(lambda: not server.room.courses.runs)
    assert len(server.room.shelf.entries()) == before


def long_text() -> bytes:
    """Some 20 MB of words that are hardly ever the same: it takes the engine a while."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return random.Random(7).randbytes(10_000_000).hex(" ", 5).translate(letters).encode()


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


# Comparing, choosing, files


def test_compare_is_the_comparison_of_the_library(client: Any, server: Running) -> None:
    entries = server.room.shelf.entries()[:2]
    texts = ["the newest and the lowest", "widest\n"]
    found = ask(client, "compare", tokenizers=[entry.key for entry in entries], texts=texts, shown=0)
    expected = bp.compare({entry.name: entry.tok for entry in entries}, {"text 1": texts[0], "text 2": texts[1]})
    rings = found.pop("rings")
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert rings[0] == rings[1] and rings[1]
    ours, theirs = ({tuple(span) for span in entry.tok.encode_spans(texts[0], "byte")[1].tolist()} for entry in entries)
    inside = {span for span in theirs if any(start <= span[0] and span[1] <= end for start, end in rings[1])}
    assert theirs - ours <= inside


def test_the_curve_is_that_of_the_library(client: Any, server: Running) -> None:
    entry = server.room.shelf.entries()[0]
    for body, source in ((b"", [TEXT]), (b"newest low", ["newest low"])):
        reply = client.post("/api/curve", params={"tok": entry.key}, content=body)
        assert reply.json() == json.loads(json.dumps(bp.curve(entry.tok, source, rare_below=1).to_dict()))
    given = server.room.shelf.entries()[1]
    reply = client.post("/api/curve", params={"tok": given.key})
    assert reply.status_code == 400 and "was not trained here" in reply.json()["error"]


def test_a_file_is_opened_saved_and_forgotten(client: Any, server: Running) -> None:
    key = server.room.shelf.entries()[0].key
    data = client.post("/api/file", params={"tok": key}).content
    found = client.post("/api/open", params={"name": "mine.json"}, content=data).json()
    assert (found["name"], found["origin"]) == ("mine.json", "dropped")
    assert server.room.shelf.entry(found["key"]).tok == server.room.shelf.entry(key).tok
    assert client.post("/api/open", params={"name": "mine.json"}, content=data).json()["name"] == "mine.json (2)"
    for entry in server.room.shelf.entries()[2:]:
        assert client.post("/api/remove", params={"tok": entry.key}).json() == {}
    reply = client.post("/api/token", params={"tok": found["key"], "id": 1})
    assert reply.status_code == 400 and "it was removed" in reply.json()["error"]


def test_what_is_odd_about_a_file_is_said(client: Any, server: Running) -> None:
    key = server.room.shelf.entries()[1].key
    file = json.loads(client.post("/api/file", params={"tok": key}).content)
    # Without our provenance it is a file of the library, which numbers added tokens itself.
    del file["model"]["bytepair"]
    del file["model"]["vocab"]["<|end|>"]
    file["added_tokens"][0]["id"] = 900
    found = client.post("/api/open", params={"name": "odd.json"}, json=file).json()
    assert "900" in found["remarks"][0] and found["name"] == "odd.json"
    client.post("/api/remove", params={"tok": found["key"]})


@pytest.mark.parametrize("data", [b"", b"hello", b"{", b'{"a": 1}', b"\x00" * 99, b"[1]", b"\xff\xfe", b"{" * 9999])
def test_a_dropped_file_that_is_no_tokenizer_is_refused_by_name(client: Any, data: bytes) -> None:
    reply = client.post("/api/open", params={"name": "holiday.json"}, content=data)
    assert reply.status_code == 400
    assert "holiday.json" in reply.json()["error"]


def test_ranks_need_a_pattern_unless_their_name_says_it(test_data: Callable[[str], Path]) -> None:
    data = test_data("vocabs/r50k_base.tiktoken").read_bytes()
    assert opened("r50k_base.tiktoken", data, None).encode("hello world") == [31373, 995]
    with pytest.raises(ArgumentError, match="choose its pattern, and drop the file again"):
        opened("other.tiktoken", data, None)
    assert opened("other.tiktoken", data, "gpt2").encode("hello world") == [31373, 995]


def test_the_shelf_has_an_end() -> None:
    made, tok = Shelf(), bp.train([""], num_merges=0)
    for _ in range(limits.SHELF):
        made.add("same", tok, "given")
    assert len({entry.name for entry in made.entries()}) == limits.SHELF
    with pytest.raises(ArgumentError, match="remove one"):
        made.add("one more", tok, "given")


# Starting and ending


def test_it_listens_on_this_computer_alone_at_a_port_that_is_free() -> None:
    first, second = listener(None), listener(None)
    try:
        assert {each.getsockname()[0] for each in (first, second)} == {ADDRESS}
        port = first.getsockname()[1]
        assert second.getsockname()[1] != port
        with pytest.raises(ArgumentError, match=f"port {port} is in use by another program.*--port"):
            listener(port)
    finally:
        first.close()
        second.close()


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "numpy"])
def test_without_its_packages_it_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    done = CliRunner().invoke(cli, ["play", "--no-browser"])
    assert done.exit_code == 2 and f"needs {package}, which is missing: pip install 'bytepair[play]'" in done.output


@pytest.mark.parametrize("screen", ["", ":0"])
def test_a_browser_is_opened_only_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch, screen: str) -> None:
    opened: list[str] = []
    monkeypatch.setattr(playing_command.webbrowser, "open", opened.append)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", screen)
    playing_command.welcome("http://127.0.0.1:1/", True)
    playing_command.welcome("http://127.0.0.1:2/", False)
    if screen:
        wait_until(lambda: bool(opened))
    assert opened == (["http://127.0.0.1:1/"] if screen else [])


def playing(*options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bytepair", "play", "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_the_command_serves_a_file_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    bp.train([TEXT], vocab_size=280).save(path)
    process = playing(f"given={path}")
    assert process.stdout is not None
    line = process.stdout.readline()
    address = line.split(" is at ")[1].split()[0]
    origin = {"origin": address.rstrip("/"), "x-bytepair": "play"}
    names = [each["name"] for each in httpx.post(f"{address}api/start", headers=origin).json()["tokenizers"]]
    assert names == ["given", "Python source 4,000", "Python source 1,000"]
    port = address.rstrip("/").rsplit(":", 1)[1]
    other = playing("--port", port)
    _, said = other.communicate(timeout=60)
    assert other.returncode == 2 and f"port {port} is in use" in said
    with httpx.stream(
        "POST", f"{address}api/train", params={"vocab_size": 200_000}, content=long_text(), headers=origin, timeout=30
    ) as reply:
        # Kept: without it the reply is closed.
        lines = reply.iter_lines()
        assert next(lines)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    assert (process.returncode, said) == (0, "The playground is closed.\n")


def test_a_tokenizer_that_is_not_there_is_said_before_anything_is_served() -> None:
    process = playing("nowhere.json")
    out, said = process.communicate(timeout=60)
    assert process.returncode == 2 and out == "" and "nowhere.json" in said


def test_every_answer_refuses_nonsense_with_a_sentence() -> None:
    room = Room(shelf())
    key = room.shelf.entries()[0].key
    for call in (
        *(
            Call({}, body)
            for body in (b"", b"\xff", b"[]", b"1", b'{"text": 1}', b"[" * 100_000, b'{"tokenizers": [1]}')
        ),
        Call({"tok": "t99"}),
        Call({"tok": key, "id": "x"}),
        Call({"tok": key, "id": "99999999999999999999999"}),
        Call({"tok": key, "id": "4000000", "size": "-1", "special": "some"}),
    ):
        for answer in (room.token, room.trace, room.exercise, room.answer, room.compare):
            with pytest.raises(BytepairError, match=r"\w+ .*"):
                answer(call)


def test_more_requests_than_are_worked_on_at_once_wait_for_each_other(client: Any, server: Running) -> None:
    keys = [entry.key for entry in server.room.shelf.entries()][:1]

    def asked(number: int) -> int:
        texts = [f"the newest and the lowest {number} " * 200]
        return int(client.post("/api/compare", json={"tokenizers": keys, "texts": texts}).status_code)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(asked, range(16))) == [200] * 16


def test_without_a_text_there_is_nothing_to_compare(client: Any, server: Running) -> None:
    keys = [entry.key for entry in server.room.shelf.entries()][:1]
    reply = client.post("/api/compare", json={"tokenizers": keys, "texts": []})
    assert reply.status_code == 400 and "at least one text" in reply.json()["error"]


def test_a_text_is_too_long_to_learn_from_by_hand(client: Any) -> None:
    reply = client.post("/api/trace", json=BOOK | {"text": "a" * (limits.LESSON + 1)})
    assert reply.status_code == 400 and "train on all of it" in reply.json()["error"]


def test_a_whole_text_is_too_long_for_so_many_merges_by_hand(client: Any) -> None:
    reply = client.post("/api/trace", json=BOOK | {"text": "a" * 30_000, "mode": "text", "num_merges": 500})
    assert reply.status_code == 400 and "take 2,000 characters, fewer merges" in reply.json()["error"]


def test_lone_surrogates_of_a_page_are_replaced(client: Any) -> None:
    reply = client.post("/api/trace", content=b'{"text": "a\\ud800 a\\ud800", "num_merges": 1}')
    assert reply.json()["trace"]["pieces"][0]["piece"] == "a\ufffd"


def test_the_listener_frees_its_port() -> None:
    made = listener(None)
    port = made.getsockname()[1]
    made.close()
    again = listener(port)
    assert isinstance(again, socket.socket) and again.getsockname()[1] == port
    again.close()


def cut_at_random(draw: random.Random, n_bytes: int) -> list[tuple[int, int]]:
    """Tokens one after the other, some with a gap before them, which may end before the text does."""
    places, at = [], 0
    while at < n_bytes and draw.random() < 0.97:
        start = at + (draw.random() < 0.1)
        at = start + draw.randrange(1, 4)
        places.append((start, at))
    return places


def test_the_parts_that_are_ringed_are_those_of_the_definition() -> None:
    draw = random.Random(7)
    for _ in range(2000):
        cuts = [cut_at_random(draw, draw.randrange(12)) for _ in range(2)]
        ours, theirs = (numpy.array(cut, dtype="int64").reshape(-1, 2) for cut in cuts)
        parts = differing_parts(ours, theirs)
        assert parts == [(start, end) for start, end, _, _ in differing(*cuts)], cuts
        assert all(type(number) is int for part in parts for number in part)
