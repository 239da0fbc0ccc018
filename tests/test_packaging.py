"""What is installed: the parts a user and a type checker need, and no more."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import pytest

import bytepair

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
INSTALLED = distribution("bytepair")


def test_one_version_everywhere() -> None:
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
    assert INSTALLED.version == bytepair.__version__ == version


def test_one_minimum_of_rust_everywhere() -> None:
    rust = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["rust-version"]
    assert f"MINIMUM_RUST := {rust}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert f"Rust {rust} or newer" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_needs_click_and_rich_only() -> None:
    needed = [re.match(r"[\w-]+", each) for each in INSTALLED.requires or [] if "extra ==" not in each]
    assert {match.group() for match in needed if match} == {"click", "rich"}


def test_types_are_installed() -> None:
    assert files("bytepair").joinpath("py.typed").is_file()
    assert files("bytepair").joinpath("_native.pyi").is_file()


def test_the_page_of_the_playground_is_installed() -> None:
    kept = {path.name for path in (ROOT / "python" / "bytepair" / "play" / "static").iterdir()}
    assert {file.name for file in (files("bytepair.play") / "static").iterdir()} == kept >= {"index.html", "main.js"}


def test_there_is_a_command() -> None:
    assert [point.value for point in INSTALLED.entry_points if point.name == "bytepair"] == ["bytepair.cli:main"]


def test_licences_come_along() -> None:
    assert INSTALLED.metadata["License-Expression"] == "MIT OR Apache-2.0"
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= set(INSTALLED.metadata.get_all("License-File") or [])


def test_every_extra_is_tried_in_an_environment_of_its_own_before_a_release() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    tried = importlib.import_module("release.installing")
    assert set(extras) == set(tried.EXTRAS) | tried.LEFT_OUT


@pytest.mark.parametrize(
    ("licence", "is_allowed"),
    [
        ("MIT", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0 OR MIT", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception OR GPL-2.0", True),
        ("GPL-3.0", False),
        ("MIT AND GPL-3.0", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_by_a_way_of_allowed_ones(licence: str, is_allowed: bool) -> None:
    assert importlib.import_module("release.audit").is_allowed(licence) == is_allowed


def test_the_release_workflow_runs_what_the_makefile_has() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    for part in ("release.installing", "release.audit", ".ci/run", "cargo audit", "pip-audit", "id-token: write"):
        assert part in workflow
    for system in ("manylinux", "musllinux", "macos", "windows", "3.14t", "abi3"):
        assert system in workflow
