"""Long runs: stopped at any moment, they go on to the same bytes; a file of another training is refused."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_training_rules import RULES, name_of, saved

import bytepair as bp
from bytepair import checkpoint as room

LETTERS = bytes(ord("a") + byte % 16 for byte in range(256))


def words(n: int) -> bytes:
    """Words that hardly ever stand twice, so that learning takes its time."""
    letters = random.Random(5).randbytes(8 * n).translate(LETTERS)
    return b" ".join(letters[start : start + 8] for start in range(0, 8 * n, 8))


CORPUS = words(100_000)
OPTIONS: dict[str, Any] = {
    "vocab_size": 30_000,
    "pattern": "whitespace",
    "special_tokens": ["<e>", "ab"],
    "special": "text",
}


class StopError(Exception):
    """Raised by a callback."""


def stop_after(n_merges: int) -> Callable[[bp.Progress], object]:
    def report(step: bp.Progress) -> None:
        if step.stage == "learning" and step.done >= n_merges:
            raise StopError

    return report


def stopped(path: Path, n_merges: int = 1, **options: Any) -> dict[str, Any]:
    """A run that leaves a checkpoint, as the file holds it."""
    with pytest.raises(StopError):
        bp.train([CORPUS], checkpoint=path, progress=stop_after(n_merges), **{**OPTIONS, **options})
    return json.loads(path.read_bytes())


@pytest.mark.parametrize("rule", [*RULES, {"end_of_word": "</w>", "end_of_word_style": "suffix"}], ids=name_of)
def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path, rule: dict[str, str]) -> None:
    whole = bp.train([CORPUS], **OPTIONS, **rule)
    path = tmp_path / "run.ckpt"
    first = stopped(path, **rule)
    assert 0 < len(first["merges"]) < len(whole.merges)
    second = stopped(path, n_merges=len(first["merges"]) + 1, **rule)
    assert second["merges"][: len(first["merges"])] == first["merges"]
    assert len(second["merges"]) > len(first["merges"])
    tok = bp.train([CORPUS], checkpoint=path, **OPTIONS, **rule)
    assert saved(tok) == saved(whole)
    assert tok.training.merge_counts == whole.training.merge_counts
    assert tok.training.passed_over == whole.training.passed_over == (b"ab",)
    assert tok.training.resumed_merges == len(second["merges"])
    assert f"\n{len(second['merges']):,} of them were in the checkpoint" in str(tok.training)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_is_stopped_at_its_very_end_keeps_all(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    # So few merges are made between two ticks: the one event of learning is the last.
    kept = stopped(path, vocab_size=300)
    tok = bp.train([CORPUS], checkpoint=path, **{**OPTIONS, "vocab_size": 300})
    assert tok.training.resumed_merges == len(kept["merges"]) == len(tok.merges) > 0


def test_the_file_is_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SECONDS_BETWEEN_WRITES", 0.0)
    path = tmp_path / "run.ckpt"
    sizes = []
    add = room.Checkpoint.add

    def noted(kept: room.Checkpoint, *news: Any) -> None:
        add(kept, *news)
        sizes.append(len(json.loads(path.read_bytes())["merges"]))

    monkeypatch.setattr(room.Checkpoint, "add", noted)
    # It is written ten times a second at most: this takes a second.
    long = [words(800_000)]
    tok = bp.train(long, checkpoint=path, **OPTIONS)
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 1
    assert saved(tok) == saved(bp.train(long, **OPTIONS))


def test_a_run_that_is_not_stopped_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    tok = bp.train(["low lower"], num_merges=3, checkpoint=path)
    assert tok == bp.train(["low lower"], num_merges=3)
    assert not path.exists()
    assert tok.training.resumed_merges == 0


SCRIPT = """
import sys
from pathlib import Path
import bytepair as bp

def report(step):
    if step.stage not in told and step.done:
        told.append(step.stage)
        print(step.stage, file=sys.stderr, flush=True)

told = []
source = [Path("corpus.txt")] * {times}
tok = bp.train(source, vocab_size=100_000, pattern="whitespace", checkpoint="run.ckpt", progress=report)
tok.save("out.json")
"""


def interrupted(run: list[str], folder: Path, begun: str) -> tuple[int, str, float]:
    """Ctrl-C half a second after a line that begins so on stderr: exit code, what was said then, seconds it took."""
    child = subprocess.Popen(run, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    while not child.stderr.readline().startswith(begun):
        assert child.poll() is None
    time.sleep(0.5)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, messages = child.communicate()
    return child.returncode, messages, time.monotonic() - start


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_ctrl_c_ends_within_a_second_and_resuming_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_bytes(words(800_000))
    run = [sys.executable, "-c", SCRIPT.format(times=1)]
    _, messages, seconds = interrupted(run, tmp_path, "learning")
    assert seconds < 1
    assert "KeyboardInterrupt" in messages
    assert names_in(tmp_path) == ["corpus.txt", "run.ckpt"]
    assert len(json.loads((tmp_path / "run.ckpt").read_bytes())["merges"]) > 0
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    assert names_in(tmp_path) == ["corpus.txt", "out.json"]
    whole = bp.train(tmp_path / "corpus.txt", vocab_size=100_000, pattern="whitespace")
    assert (tmp_path / "out.json").read_bytes() == saved(whole)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_ctrl_c_while_counting_ends_within_a_second_and_leaves_nothing(tmp_path: Path) -> None:
    # The same file over and over: 36 GB of text.
    (tmp_path / "corpus.txt").write_bytes(words(400_000))
    _, messages, seconds = interrupted([sys.executable, "-c", SCRIPT.format(times=10_000)], tmp_path, "counting")
    assert seconds < 1
    assert "KeyboardInterrupt" in messages
    assert names_in(tmp_path) == ["corpus.txt"]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
def test_ctrl_c_of_the_command_names_the_command_that_goes_on(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_bytes(words(800_000))
    typed = "train corpus.txt --vocab-size 100000 --pattern whitespace --checkpoint run.ckpt -o out.json --progress log"
    run = [sys.executable, "-m", "bytepair", *typed.split()]
    # The last line about counting is written when learning has begun.
    code, messages, seconds = interrupted(run, tmp_path, "counting:")
    assert seconds < 1
    assert code == 130
    assert "Traceback" not in messages
    assert f"'run.ckpt' keeps the merges so far. To go on from there:\n  bytepair {typed}\n" in messages
    assert names_in(tmp_path) == ["corpus.txt", "run.ckpt"]
    done = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "of them were in the checkpoint" in done.stdout
    assert names_in(tmp_path) == ["corpus.txt", "out.json"]
    whole = bp.train(tmp_path / "corpus.txt", vocab_size=100_000, pattern="whitespace")
    assert (tmp_path / "out.json").read_bytes() == saved(whole)


# What does not fit is refused, and left as it is


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab_size": 30_001}, "vocab_size is 30001 here and 30000 there"),
        ({"ties": "largest"}, "ties is 'largest' here and 'lexicographic' there"),
        ({"pattern": "gpt2"}, "pattern is 'gpt2' here and 'whitespace' there"),
        ({"special_tokens": ["<e>"]}, r"special_tokens is \['<e>'\] here and \['<e>', 'ab'\] there"),
        ({"special": "all"}, r"special is \['<e>', 'ab'\] here and \[\] there"),
        ({"min_count": 2}, "min_count is 2 here and 1 there"),
        (
            {"end_of_word": "_", "end_of_word_style": "suffix"},
            "end_of_word is '_' here and None there",
        ),
    ],
)
def test_other_options_are_refused_before_any_work(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "run.ckpt"
    stopped(path)
    before = path.read_bytes()
    with pytest.raises(bp.ArgumentError, match=rf"is of another training: {message}; name another file, or delete it"):
        # The source is not looked at, or it would be the one that is missing.
        bp.train(tmp_path / "nothing", checkpoint=path, **{**OPTIONS, **change})
    assert path.read_bytes() == before


def test_another_corpus_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    stopped(path)
    with pytest.raises(
        bp.ArgumentError, match=r"is of another training: corpus fingerprint is '.*' here and '.*' there"
    ):
        bp.train([CORPUS + b" x"], checkpoint=path, **OPTIONS)


def test_another_order_matters_only_where_the_rule_looks_at_it(tmp_path: Path) -> None:
    parts = [CORPUS[: len(CORPUS) // 2], CORPUS[len(CORPUS) // 2 :]]
    parts = [parts[0].rpartition(b" ")[0], parts[0].rpartition(b" ")[2] + parts[1]]
    path = tmp_path / "run.ckpt"
    stopped(path)
    assert bp.train(parts[::-1], checkpoint=path, **OPTIONS).training.resumed_merges > 0
    stopped(path, ties="first-seen")
    with pytest.raises(bp.ArgumentError, match="is of another training: order of pieces is"):
        bp.train(parts[::-1], checkpoint=path, ties="first-seen", **OPTIONS)


def test_a_tally_and_its_corpus_are_one(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    stopped(path)
    counted = bp.tally([CORPUS], pattern="whitespace", special_tokens=["<e>", "ab"], special="text")
    options = {**OPTIONS, "pattern": None}
    assert saved(bp.train(counted, checkpoint=path, **options)) == saved(bp.train([CORPUS], **OPTIONS))


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"my notes",
        b"{}",
        b"[1]",
        b'{"bytepair_checkpoint": 1, "options": {}, "corpus": {}, "merges": [["a"]]}',
        b'{"bytepair_checkpoint": 1, "options": {}, "corpus": {}, "merges": [["a", "b", 1e999]], "passed_over": []}',
        b'{"bytepair_checkpoint": ' + b"[" * 100_000,
        b"\xff",
    ],
    ids=["empty", "notes", "no keys", "list", "short merge", "endless count", "deep", "no UTF-8"],
)
def test_a_file_that_is_no_checkpoint_is_left_alone(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(contents)
    with pytest.raises(bp.FormatError, match=r"notes\.txt' is no checkpoint of a training; name another file"):
        bp.train(["low"], num_merges=1, checkpoint=path)
    assert path.read_bytes() == contents


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    path.write_text('{"bytepair_checkpoint": 2}')
    with pytest.raises(bp.FormatError, match="has the version 2; expected 1; use the bytepair that wrote it"):
        bp.train(["low"], num_merges=1, checkpoint=path)


def test_a_folder_that_is_not_there_is_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(bp.MissingFileError, match=r"there is no folder '.*/no'; make it first"):
        bp.train(tmp_path / "nothing", num_merges=1, checkpoint=tmp_path / "no" / "run.ckpt")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(bp.UnreadableFileError, match=r"the checkpoint '.*' cannot be read: .*name another file"):
        bp.train(["low"], num_merges=1, checkpoint=tmp_path)
