"""README and docs/*.md say what is true: every Python block and every console transcript is run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

import bytepair
from bytepair.cli import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

MODULES = sorted(
    name for _, name, _ in pkgutil.walk_packages(bytepair.__path__, "bytepair.") if not name.endswith("__main__")
)


def page_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run_transcript(example: Example) -> str | None:
    """`$ command` lines, each followed by what it prints; `...` stands for any text."""
    checker = doctest.OutputChecker()
    for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.quote(sys.executable) + " -m bytepair"
        shell = re.sub(r"(^|\| )bytepair\b", rf"\1{words}", command)
        environment = os.environ | {"NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(shell, shell=True, capture_output=True, env=environment, check=False)
        got = (done.stdout + done.stderr).decode()
        if not checker.check_output(expected.strip() + "\n", got.strip() + "\n", FLAGS):
            return f"$ {command}\nexpected:\n{expected}\ngot:\n{got}"
    return None


SYBIL = Sybil(
    parsers=[
        SkipParser(),
        PythonCodeBlockParser(doctest_optionflags=FLAGS),
        CodeBlockParser(language="console", evaluator=run_transcript),
    ]
)


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_what_a_page_shows_is_what_happens(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A page is read from top to bottom: its blocks share their names and a folder.
    monkeypatch.chdir(tmp_path)
    page = SYBIL.parse(path)
    # For `skip: next if(without_pyarrow)`: pyarrow is an extra, and not there for every Python.
    page.namespace["without_pyarrow"] = importlib.util.find_spec("pyarrow") is None
    for example in page.examples():
        example.evaluate()


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_links_lead_to_files(path: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text("utf-8"))
    assert not [target for target in targets if not (path.parent / target).exists()]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert not failed


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_documented(command: str) -> None:
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert f"## {command}\n" in page
    for option in cli.commands[command].params:
        longest = max(option.opts, key=len)
        assert not longest.startswith("--") or longest in page, f"{command} {longest}"


def test_every_public_name_is_documented() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    names = [f"bp.{name}" for name in bytepair.__all__ if not name.startswith("__")]
    names += [f".{name}" for name in dir(bytepair.Tokenizer) if not name.startswith("_")]
    assert not [name for name in names if not re.search(rf"{re.escape(name)}\b", page)]
