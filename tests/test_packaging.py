"""What is installed: the parts a user and a type checker need, and no more."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import bytepair

ROOT = Path(__file__).parent.parent
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
