"""What a TemplateProcessing puts round a text."""

from __future__ import annotations

from bytepair.formats.places import Place

Ids = tuple[int, ...]


def read(place: Place) -> tuple[Ids, Ids]:
    """The ids before and behind a text.

    Raises:
        FormatError: it is of a form that its library does not know, or leaves the text out.
    """
    known = place.at("special_tokens")
    ids = {name: _ids(known.entry(name), name) for name in known.keys()}  # noqa: SIM118  # of a place, not of a dict
    for each in place.at("pair").elements():
        _piece(each, ids)
    sides: tuple[list[int], list[int]] = ([], [])
    seen = 0
    for each in place.at("single").elements():
        found = _piece(each, ids)
        seen += found is None
        sides[min(seen, 1)].extend(found or ())
    if seen != 1:
        place.at("single").fail("one Sequence, the text", "a template that leaves the text out is not implemented")
    return tuple(sides[0]), tuple(sides[1])


def _ids(place: Place, name: str) -> Ids:
    place.at("id").one_of(name)
    for token in place.at("tokens").elements():
        token.text()
    return tuple(number.id() for number in place.at("ids").elements())


def _piece(place: Place, ids: dict[str, Ids]) -> Ids | None:
    """The ids of a special token; None for the text, or the second text of a pair."""
    kinds = place.keys()
    if kinds not in (["Sequence"], ["SpecialToken"]):
        place.fail('{"SpecialToken": ...} or {"Sequence": ...}')
    inner = place.at(kinds[0])
    inner.at("type_id").id()
    if kinds == ["Sequence"]:
        inner.at("id").one_of("A", "B")
        return None
    name = inner.at("id")
    if name.text() not in ids:
        name.fail("one of special_tokens of the post-processor")
    return ids[name.text()]
