"""The programs in examples/ run as they are, without arguments, in any folder, and show what they are there for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))

# What each must say, as a regular expression over all that it prints.
SAYS = {
    "chat_template.py": r"3 of them control tokens\npasted together: 5 control tokens",
    "chunk_for_retrieval.py": r'"n_tokens": ',
    "compare_tokenizers.py": r"README\.md: README needs the fewest tokens",
    "fit_a_budget.py": r"-- \d+ of 100 tokens",
    "pack_for_training.py": r"every hash is right: True\n\d+ batches",
    "stream_decode.py": r"'ï'",
    "teach_bpe.py": r"low\|est</w>",
    "train_and_export.py": r"proved: True, lossless: True\nranks\.tiktoken and the original: the same: ",
}


def run(program: str, *arguments: str, folder: Path) -> str:
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / program), *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_runs_and_shows_what_it_is_for(program: str, tmp_path: Path) -> None:
    assert re.search(SAYS[program], run(program, folder=tmp_path))


def test_the_readme_names_every_program() -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    assert sorted(SAYS) == PROGRAMS
    assert not [name for name in PROGRAMS if f"({name})" not in readme]


@pytest.mark.parametrize(
    "text", ["aaaa " * 400, "to be or not to be " * 60, "one"], ids=["one letter", "words", "short"]
)
def test_chunks_cover_the_file_and_are_where_they_say(text: str, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(text, "utf-8", newline="")
    parts = [json.loads(line) for line in run("chunk_for_retrieval.py", "book.txt", folder=tmp_path).splitlines()]
    reached = 0
    for part in parts:
        assert text[part["start"] : part["end"]] == part["text"]
        assert part["start"] <= reached <= part["end"]
        reached = part["end"]
    assert reached == len(text)


def test_a_budget_too_small_for_a_message_keeps_the_instructions(tmp_path: Path) -> None:
    shown = run("fit_a_budget.py", "20", folder=tmp_path)
    assert "Answer in one sentence." in shown
    assert "user:" not in shown
