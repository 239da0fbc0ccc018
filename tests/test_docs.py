"""README and docs/*.md say what is true: every Python block and every console transcript is run."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
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
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
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


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_block_is_run_or_cannot_be(path: Path) -> None:
    for language, block in re.findall(
        r"^[ >]*```([^\n]*)\n(.*?)^[ >]*```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language in ("python", "console"):
            continue
        # The examples of docstrings, which are run where they stand, and signatures.
        if path.name == "reference.md" and language in ("pycon", "py", "text"):
            continue
        # Programs of others, what a long run printed, and commands that set up or do not end.
        assert language in ("py", "text", "sh"), f"a block begins with ```{language}; is it python or console?"
        assert language != "py" or "bytepair" not in block, block
        assert language != "sh" or re.match(NOT_TO_RUN, block), block


# Set-up, what does not end, what needs a file that may not be had here, and commands of others.
NOT_TO_RUN = r"(make|pip|python -m venv|python examples/\S+|subword-nmt|spm_train|bytepair (play|COMMAND|compare))\s"


@pytest.mark.parametrize("name", ["reference", "errors"])
def test_a_page_that_is_made_from_the_code_is_as_the_code(name: str) -> None:
    spec = importlib.util.spec_from_file_location(f"make_{name}", ROOT / "docs" / "made" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    stale = f"docs/{name}.md is not what the code says now; run `make docs`"
    assert (ROOT / "docs" / f"{name}.md").read_text("utf-8") == script.page(), stale


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    assert not [path.name for path in (ROOT / "docs").glob("[a-z]*.md") if f"({path.name})" not in index]


SECTIONS = dict(
    re.findall(
        r"^## (\w+)\n(.*?)(?=^## |\Z)",
        (ROOT / "docs" / "command-line.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_documented_with_each_of_its_options(command: str) -> None:
    names = {max(option.opts, key=len) for option in cli.commands[command].params}
    assert not [name for name in sorted(names) if name.startswith("--") and f"`{name}" not in SECTIONS[command]]


def test_every_section_is_a_command() -> None:
    assert sorted(SECTIONS) == sorted(cli.commands)


def test_every_public_name_is_documented() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    names = [f"bp.{name}" for name in bytepair.__all__ if not name.startswith("__")]
    names += [f".{name}" for name in dir(bytepair.Tokenizer) if not name.startswith("_")]
    assert not [name for name in names if not re.search(rf"{re.escape(name)}\b", page)]


@pytest.mark.parametrize(
    ("module", "page"),
    [("cluster", "clusters.md"), ("tiktoken", "from-tiktoken.md"), ("presets", "parity.md"), ("textbook", "python.md")],
)
def test_every_name_of_a_module_is_on_its_page(module: str, page: str) -> None:
    room = importlib.import_module(f"bytepair.{module}")
    names = getattr(room, "__all__", None) or [
        name for name in vars(room) if re.fullmatch("[A-Z][A-Z_]*|words|text", name)
    ]
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert not [name for name in names if not re.search(rf"\b{re.escape(name)}\b", text)]


def test_every_public_docstring_says_what_it_is_for() -> None:
    named = {name: getattr(bytepair, name) for name in bytepair.__all__ if not name.startswith("__")}
    methods = {
        f"{name}.{each}": value
        for name, thing in named.items()
        if inspect.isclass(thing) and not issubclass(thing, Exception)
        for each, value in vars(thing).items()
        if not each.startswith("_") and (callable(value) or isinstance(value, property))
    }
    assert not [name for name, thing in (named | methods).items() if not inspect.getdoc(thing)]
