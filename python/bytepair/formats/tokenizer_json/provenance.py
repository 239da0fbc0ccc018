"""What stands under `model.bytepair`: how the model was learned, and what structure cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from bytepair.formats.places import Place, as_json
from bytepair.formats.tokenizer_json.writing import FORMAT_VERSION
from bytepair.model import Extension, byte_order_of, special_ids_of
from bytepair.parts import SPECIAL_IDS, TIES, Alphabet
from bytepair.patterns import NAMED, Pattern, resolve


def of(model: Place) -> Place | None:
    """Ours, where it is there and of a version that we know; structure alone is enough without it."""
    place = model.maybe("bytepair")
    if not isinstance(place.value, dict) or place.value.get("format") != FORMAT_VERSION:
        return None
    return place


def with_repeats(merges: tuple[tuple[int, int], ...], ours: Place | None) -> tuple[tuple[int, int], ...]:
    """Put the merges back that were learned again."""
    if ours is None or not ours.maybe("repeated_merges"):
        return merges
    whole = list(merges)
    for entry in ours.at("repeated_merges").elements():
        rank, first = _two_ranks(entry)
        if not first < rank <= len(whole):
            entry.fail("[rank, an earlier rank]")
        whole.insert(rank, whole[first])
    return tuple(whole)


def _two_ranks(entry: Place) -> tuple[int, int]:
    ranks = [each.index() for each in entry.elements()]
    if len(ranks) != 2:
        entry.fail("[rank, an earlier rank]")
    return ranks[0], ranks[1]


def contradicts(place: Place, value: object) -> NoReturn:
    """Refuse what stands here: the rest of the file says otherwise."""
    place.fail(f"{as_json(value)}, as the rest of the file says", "take model.bytepair out if you changed the file")


def stored_pattern(place: Place) -> Pattern:
    """The pattern whose name and regular expression stand here."""
    name, regex = place.at("name").text(), place.at("regex").text()
    if name == "custom":
        return resolve(regex)
    if name not in NAMED or NAMED[name].regex != regex:
        place.at("name").fail(
            f"one of {', '.join(NAMED)} with its own regex, or 'custom'", "a newer bytepair may know it"
        )
    return NAMED[name]


def history(
    ours: Place | None,
    alphabet: Alphabet,
    tokens: tuple[bytes | None, ...],
    specials: Mapping[str, int],
    n_merges: int,
) -> dict[str, Any]:
    """How the model was learned, as far as the file tells."""
    order = byte_order_of(tokens) if alphabet == "bytes" else None
    if ours is None:
        return {"byte_order": order}
    if ours.maybe("byte_order") and ours.maybe("byte_order").value != order:
        contradicts(ours.maybe("byte_order"), order)
    extensions = _extensions(ours.maybe("extensions"))
    special_ids = _one_of(ours.maybe("special_ids"), SPECIAL_IDS)
    possible = special_ids_of(tokens, specials, extensions)
    if special_ids is not None and special_ids not in possible:
        contradicts(ours.maybe("special_ids"), possible[0])
    counts = ours.maybe("merge_counts")
    found = tuple(each.index() for each in counts.elements()) if counts else None
    if found is not None and len(found) != n_merges:
        counts.fail(f"one count for each of the {n_merges} merges", "take model.bytepair out if you changed the merges")
    return {
        "byte_order": order,
        "merge_counts": found,
        "extensions": extensions,
        "ties": _one_of(ours.maybe("ties"), TIES),
        "special_ids": special_ids,
        **{key: _text(ours.maybe(key)) for key in ("corpus_fingerprint", "version")},
        **{key: _positive(ours.maybe(key)) for key in ("min_count", "max_token_bytes")},
    }


def _extensions(place: Place) -> tuple[Extension, ...]:
    return tuple(
        Extension(
            first_id=each.at("first_id").index(),
            first_merge=each.at("first_merge").index(),
            ties=_one_of(each.maybe("ties"), TIES),
            **{key: _text(each.maybe(key)) for key in ("corpus_fingerprint", "version")},
        )
        for each in (place.elements() if place else ())
    )


def _one_of(place: Place, allowed: tuple[str, ...]) -> str | None:
    return place.one_of(*allowed) if place else None


def _text(place: Place) -> str | None:
    return place.text() if place else None


def _positive(place: Place) -> int | None:
    if place and place.index() == 0:
        place.fail("1 or more")
    return place.index() if place else None
