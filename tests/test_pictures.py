"""The pictures of the README and the docs are what the commands draw today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
NAMES = sorted(path.name for path in PICTURES.glob("*.svg"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    spec = importlib.util.spec_from_file_location("make_pictures", PICTURES / "make.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("pictures")
    module.main(folder)
    return folder


def test_every_picture_is_made_by_the_script(made: Path) -> None:
    assert sorted(path.name for path in made.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_its_command_draws(made: Path, name: str) -> None:
    drawn, kept = (folder.joinpath(name).read_text("utf-8") for folder in (made, PICTURES))
    assert drawn == kept, f"{name} has changed; run python docs/pictures/make.py and look at it"


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_whole_and_asks_for_nothing(name: str) -> None:
    text = (PICTURES / name).read_text("utf-8")
    tags = {element.tag.rsplit("}", 1)[-1] for element in ElementTree.fromstring(text).iter()}
    assert tags <= {"svg", "rect", "text", "path", "polyline", "circle"}
    assert "href" not in text and "url(" not in text
