"""tekken.json: Mistral's ranks with their pattern; ids are ranks behind the special tokens.

Source: mistralai/mistral-common 1.13, src/mistral_common/tokens/tokenizers/tekken.py.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Final, NoReturn

from bytepair._native import Splitter
from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError, PatternError
from bytepair.formats.places import Place
from bytepair.model import Model, byte_order_of
from bytepair.patterns import of_regex

# What files without a list of their own have, by id; the ids after them have no names.
_OLD_SPECIALS: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
MAX_TOKENS: Final = 4_000_000
_BYTES: Final = [bytes([byte]) for byte in range(256)]


def read(top: Place, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read a tekken.json.

    Args:
        top: the file, parsed.
        pattern: must be None: the file says it.
        special_tokens: must be None: the file says them.

    Raises:
        ArgumentError: a pattern or special tokens were given.
        FormatError: it is broken; names the place.
    """
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(
                f"{name} is {value!r}, and {top.file} is a tekken.json, which has its own; leave {name} out"
            )
    config = top.at("config")
    size, n_special = config.at("default_vocab_size").index(), config.at("default_num_special_tokens").index()
    if not n_special < size <= MAX_TOKENS:
        config.at("default_vocab_size").fail(f"from {n_special + 1}, one more than the special tokens, to {MAX_TOKENS}")
    ranks = _ranks(top.at("vocab"), size - n_special)
    regex = config.at("pattern")
    split = of_regex(regex.text())
    try:
        Splitter(split.name, split.regex)
        tokens = (*[None] * n_special, *ranks)
        return Model(
            kind="ranks",
            alphabet="bytes",
            tokens=tokens,
            merges=(),
            specials=_specials(top.maybe("special_tokens"), n_special),
            pattern=split,
            byte_order=byte_order_of(tokens),
        )
    except (ModelError, PatternError) as error:
        raise FormatError(f"{top.file}: {error}") from None


def _ranks(place: Place, n_ranks: int) -> list[bytes]:
    """The first tokens; the file has more, for larger models."""
    entries = place.list()
    if len(entries) < n_ranks:
        raise FormatError(f"{place.file}: {place.path} has {len(entries)} tokens; config asks for {n_ranks}")
    try:
        in_order = all(entry["rank"] == rank for rank, entry in enumerate(entries[:n_ranks]))
        tokens = [binascii.a2b_base64(entry["token_bytes"], strict_mode=True) for entry in entries[:n_ranks]]
    except (KeyError, TypeError, ValueError):
        in_order, tokens = False, []
    if not in_order or b"" in tokens or tokens[:256] != _BYTES[:n_ranks]:
        _refuse(place, n_ranks)
    return tokens


def _refuse(place: Place, n_ranks: int) -> NoReturn:
    for rank in range(n_ranks):
        entry = place.element(rank)
        if entry.at("rank").index() != rank:
            entry.at("rank").fail(f"{rank}, its place in the list")
        spelled = entry.at("token_bytes")
        try:
            token = binascii.a2b_base64(spelled.text(), strict_mode=True)
            if rank < 256 and token != bytes([rank]):
                spelled.fail(f"the byte {rank} in base64: the first 256 tokens are the bytes")
            if token:
                continue
        except (binascii.Error, ValueError) as error:
            spelled.fail("base64", str(error))
        spelled.fail("at least one byte in base64")
    raise AssertionError("a token is wrong")


def _specials(place: Place, n_special: int) -> dict[str, int]:
    names: dict[int, str] = {}
    if place:
        for each in place.elements():
            number, name = each.at("rank").index(), each.at("token_str").text()
            if number >= n_special or number in names:
                each.at("rank").fail(f"an id of its own, below {n_special}")
            names[number] = name
    else:
        names = dict(enumerate(_OLD_SPECIALS[:n_special]))
    # Ids without a name get the one that mistral-common gives them.
    specials = {names.get(number, f"<SPECIAL_{number}>"): number for number in range(n_special)}
    if len(specials) != n_special:
        twice = next(name for name in names.values() if list(names.values()).count(name) > 1)
        raise FormatError(f"{place.file}: the special token {shown(twice)} stands twice; each may stand once")
    return specials
