"""What a file has its library do to every text that is no rule of the model: truncation, padding, dropout.

None of it is done here: ids are those of the whole text, as in transformers, which sets them anew in each call. It is
kept, and written again.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from bytepair.errors import FormatWarning
from bytepair.formats.places import Place

_SIDES = ("Left", "Right")


def read(top: Place, model: Place) -> str | None:
    """The settings as JSON; None where there are none. Each is said.

    Raises:
        FormatError: one is of a form that its library does not know.
    """
    given = (
        (top.maybe("truncation"), _truncation),
        (top.maybe("padding"), _padding),
        (model.maybe("dropout"), dropout),
    )
    found: dict[str, Any] = {}
    for place, check in given:
        # A dropout of 0 leaves no merge out.
        if place and not (check is dropout and place.value == 0):
            what = check(place)
            found[place.path.rpartition(".")[2]] = place.value
            warnings.warn(
                f"{place.file}: {place.path} has tokenizers {what}; it is kept for saving", FormatWarning, stacklevel=2
            )
    return json.dumps(found, ensure_ascii=False, sort_keys=True) if found else None


def written(stored: str | None) -> dict[str, Any]:
    """Truncation, padding and dropout as a file has them."""
    found: dict[str, Any] = json.loads(stored) if stored else {}
    return {name: found.get(name) for name in ("truncation", "padding", "dropout")}


def _truncation(place: Place) -> str:
    n_tokens = place.at("max_length").index()
    place.at("strategy").one_of("LongestFirst", "OnlyFirst", "OnlySecond")
    place.at("stride").index()
    if "direction" in place.value:
        place.at("direction").one_of(*_SIDES)
    return f"cut every text to {n_tokens} tokens, which is not done here: use tok.truncate(text, {n_tokens})"


def _padding(place: Place) -> str:
    strategy = place.at("strategy")
    if strategy.value != "BatchLongest":
        if not isinstance(strategy.value, dict) or strategy.keys() != ["Fixed"]:
            strategy.fail('"BatchLongest" or {"Fixed": ...}')
        strategy.at("Fixed").index()
    place.at("direction").one_of(*_SIDES)
    for name in ("pad_id", "pad_type_id"):
        place.at(name).id()
    if place.maybe("pad_to_multiple_of"):
        place.at("pad_to_multiple_of").index()
    token = place.at("pad_token").text()
    return f"fill every text up with {token!r}, which is not done here: fill up the ids that encode gives"


def dropout(place: Place) -> str:
    """What a dropout does, checked."""
    if isinstance(place.value, bool) or not isinstance(place.value, int | float) or not 0 <= place.value <= 1:
        place.fail("null, or a number from 0 to 1")
    return f"leave merges out by chance, which is not done here: pass dropout={place.value} to encode"
