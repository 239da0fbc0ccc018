"""Imports go one way: text -> pieces -> tally -> merges -> model -> ids -> explain, compare, export."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Each group imports only from groups before it (and, in a folder, from the folder itself).
LADDER = [
    ["errors", "presets", "stress"],
    ["arguments", "frozen", "render"],
    ["whole_file", "progress"],
    ["patterns", "textbook", "_native", "checkpoint"],
    ["parts", "frame"],
    ["model"],
    ["corpus"],
    ["tally"],
    ["training", "formats"],
    ["prefix", "extension"],
    ["proof"],
    ["arrow"],
    ["prepared"],
    ["encoding", "decoding"],
    ["audit", "export", "pretrained"],
    ["analysis"],
    ["tokenizer"],
    ["convert", "verify"],
    ["looking", "pack", "tiktoken"],
    ["cluster"],
    ["play"],
    ["cli"],
    ["__init__"],
    ["__main__"],
]
STEP = {room: step for step, rooms in enumerate(LADDER) for room in rooms}

# Loaded by the functions that need them, so that `import bytepair` stays quick, and every command of `bytepair`.
LATE = {"numpy", "rich", "asyncio"}
# Packages of extras, each for the rooms that may import it late.
EXTRAS: dict[str, set[str]] = {
    "pyarrow": {"tally", "arrow", "corpus", "pack", "cluster"},
    "ray": {"cluster"},
    "zstandard": {"corpus"},
    "transformers": {"pretrained"},
    "tokenizers": {"pretrained"},
    "starlette": {"play"},
    "uvicorn": {"play"},
}

ROOT = Path(__file__).parent.parent / "python" / "bytepair"
FILES = sorted(ROOT.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(node: ast.AST, path: Path) -> Iterator[str]:
    """Absolute dotted names of what an import statement loads."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            package = ("bytepair", *path.relative_to(ROOT).parts)[: -node.level]
            base = ".".join((*package, base)).rstrip(".")
        # `from bytepair import errors` names a room; `from bytepair.errors import BytepairError` does not.
        yield from (f"{base}.{alias.name}" for alias in node.names) if base == "bytepair" else (base,)


def rooms_imported(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        for module in imported_modules(node, path):
            parts = module.split(".")
            if parts[0] == "bytepair":
                room = parts[1] if len(parts) > 1 and parts[1] in STEP else "__init__"
                yield node.lineno, room  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_has_its_place_on_the_ladder(path: Path) -> None:
    assert room_of(path) in STEP, f"{path} is in no group of the ladder"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_the_ladder(path: Path) -> None:
    own = room_of(path)
    wrong = [
        f"line {line}: {own} imports {room}"
        for line, room in rooms_imported(path)
        if STEP[room] >= STEP[own] and room != own
    ]
    assert not wrong, f"{path}: {wrong}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    wrong = []
    for function in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                for module in imported_modules(node, path):
                    package = module.split(".")[0]
                    if package not in LATE and room_of(path) not in EXTRAS.get(package, set()):
                        wrong.append(module)
    assert not wrong, f"{path} imports inside a function: {wrong}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_packages_are_not_imported_on_top(path: Path) -> None:
    late = LATE | set(EXTRAS)
    top = [module for node in ast.parse(path.read_bytes()).body for module in imported_modules(node, path)]
    assert not [module for module in top if module.split(".")[0] in late]


def test_the_textbook_imports_only_the_standard_library() -> None:
    for path in sorted((ROOT / "textbook").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            for module in imported_modules(node, path):
                assert module.split(".")[0] in sys.stdlib_module_names or module.startswith("bytepair.textbook"), module


def test_render_knows_no_bpe() -> None:
    for path in sorted((ROOT / "render").glob("*.py")):
        assert {room for _, room in rooms_imported(path)} <= {"render", "errors"}


def test_import_bytepair_loads_no_third_party_module() -> None:
    program = """
import sys
before = set(sys.modules)
import bytepair
print(*sorted({name.split(".")[0] for name in set(sys.modules) - before}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded - set(sys.stdlib_module_names) == {"bytepair"}
