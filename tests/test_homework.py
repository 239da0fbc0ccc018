"""The homework for a class cannot rot: its checks pass a right solution and fail the starter and usual mistakes."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from bytepair.textbook import text

HOMEWORK = Path(__file__).parent.parent / "examples" / "homework"
FUNCTIONS = ["most_frequent_pair", "merge_pair", "train_bpe"]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def failures(monkeypatch, **solution) -> list[str]:
    """The names of the homework's tests that a solution fails; the textbook stands in for what it leaves out."""
    bpe = ModuleType("bpe")
    for name in FUNCTIONS:
        setattr(bpe, name, solution.get(name, getattr(text, name)))
    monkeypatch.setitem(sys.modules, "bpe", bpe)
    checks = {name: check for name, check in vars(load(HOMEWORK / "test_bpe.py")).items() if name.startswith("test_")}
    return [name for name, check in checks.items() if fails(check)]


def fails(check) -> bool:
    try:
        check()
    except Exception:
        return True
    return False


def run_pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    """As a student does it, with nothing of this test run around it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def copy_homework(folder: Path) -> Path:
    for name in ("bpe.py", "test_bpe.py"):
        shutil.copy(HOMEWORK / name, folder / name)
    return folder / "bpe.py"


# The checks tell right from wrong


def test_the_textbook_passes(monkeypatch):
    assert failures(monkeypatch) == []


def test_every_check_fails_on_the_starter(monkeypatch):
    starter = load(HOMEWORK / "bpe.py")
    functions = {name: getattr(starter, name) for name in FUNCTIONS}
    assert len(failures(monkeypatch, **functions)) == len(ast.parse((HOMEWORK / "test_bpe.py").read_text()).body) - 2


def last_seen(tokens):
    counts = Counter(reversed(list(pairwise(tokens))))
    return max(counts, key=counts.__getitem__, default=None)


def smallest(tokens):
    counts = Counter(pairwise(tokens))
    return min(counts, key=lambda pair: (-counts[pair], pair), default=None)


def no_overlaps(tokens):
    joined = Counter({pair: count_apart(tokens, pair) for pair in pairwise(tokens)})
    return max(joined, key=joined.__getitem__, default=None)


def count_apart(tokens, pair):
    return len(tokens) - len(text.merge_pair(tokens, pair))


def crash_when_alone(tokens):
    counts = Counter(pairwise(tokens))
    return max(counts, key=counts.__getitem__)


def merge_overlaps(tokens, pair):
    merged = []
    for i, token in enumerate(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            merged.append("".join(pair))
        elif i == 0 or tuple(tokens[i - 1 : i + 1]) != pair:
            merged.append(token)
    return merged


def merge_first_only(tokens, pair):
    for i in range(len(tokens)):
        if tuple(tokens[i : i + 2]) == pair:
            return [*tokens[:i], "".join(pair), *tokens[i + 2 :]]
    return list(tokens)


def merge_in_place(tokens, pair):
    tokens[:] = text.merge_pair(tokens, pair)
    return tokens


def merge_by_spelling(tokens, pair):
    merged = []
    for token in tokens:
        if merged and merged[-1] + token == "".join(pair):
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def merge_either_way(tokens, pair):
    return text.merge_pair(text.merge_pair(tokens, pair), pair[::-1])


def counts_taken_once(document, num_merges):
    tokens = list(document)
    merges = [pair for pair, _ in Counter(pairwise(tokens)).most_common(num_merges)]
    for pair in merges:
        tokens = text.merge_pair(tokens, pair)
    return tokens, merges


def never_stop(document, num_merges):
    tokens, merges = list(document), []
    for _ in range(num_merges):
        merges.append(text.most_frequent_pair(tokens))
        tokens = text.merge_pair(tokens, merges[-1])
    return tokens, merges


def merges_only(document, num_merges):
    return text.train_bpe(document, num_merges)[1]


@pytest.mark.parametrize(
    ("function", "mistake"),
    [
        ("most_frequent_pair", last_seen),
        ("most_frequent_pair", smallest),
        ("most_frequent_pair", no_overlaps),
        ("most_frequent_pair", crash_when_alone),
        ("merge_pair", merge_overlaps),
        ("merge_pair", merge_first_only),
        ("merge_pair", merge_in_place),
        ("merge_pair", merge_by_spelling),
        ("merge_pair", merge_either_way),
        ("train_bpe", counts_taken_once),
        ("train_bpe", never_stop),
        ("train_bpe", merges_only),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_usual_mistake_is_caught(monkeypatch, function, mistake):
    assert failures(monkeypatch, **{function: mistake})


# The files as a student sees them


def test_the_starter_holds_the_three_functions_of_the_textbook_unwritten():
    starter = load(HOMEWORK / "bpe.py")
    assert [name for name, value in vars(starter).items() if inspect.isfunction(value)] == FUNCTIONS
    for name in FUNCTIONS:
        written, unwritten = getattr(text, name), getattr(starter, name)
        assert list(inspect.signature(unwritten).parameters) == list(inspect.signature(written).parameters)
        assert len(unwritten.__doc__.splitlines()) > 3
        with pytest.raises(NotImplementedError, match="write me"):
            unwritten(*inspect.signature(unwritten).parameters)


def test_pytest_in_the_folder_fails_on_the_starter(tmp_path):
    copy_homework(tmp_path)
    run = run_pytest(tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    assert " passed" not in run.stdout
    assert "write me" in run.stdout


def test_pytest_in_the_folder_passes_on_a_solution(tmp_path):
    shutil.copy(text.__file__, copy_homework(tmp_path))
    run = run_pytest(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
