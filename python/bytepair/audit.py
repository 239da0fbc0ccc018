"""What is remarkable about a model: gaps between ids, tokens that no merge reaches, missing bytes, and the like."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bytepair.model import Model, gpt2_characters
from bytepair.prepared import Prepared
from bytepair.render import number_of


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of remarkable thing.

    Args:
        kind: "gaps", "shared-ids", "unreachable", "missing-bytes", "special-in-reach" or "lossy".
        message: what it is and what it does, in a sentence.
        ids: the ids it is about, in order; none where it is about no ids.
    """

    kind: str
    message: str
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """All that was found, and whether texts come back exactly.

    Args:
        findings: in the order of their kinds; empty where there is nothing to say.
        lossless: whether `decode(encode(x)) == x` for every text; findings of the kind "lossy" say why not.
    """

    findings: tuple[Finding, ...]
    lossless: bool

    def __str__(self) -> str:
        return "\n".join(f"{each.kind}: {each.message}" for each in self.findings) or "nothing to say"


def audit(prepared: Prepared, losses: tuple[str, ...]) -> Audit:
    """Look at a model.

    Args:
        prepared: the model with its engine.
        losses: what may differ between a text and what comes back.
    """
    found = (*_findings(prepared), *(Finding("lossy", each) for each in losses))
    return Audit(found, not losses)


def _findings(prepared: Prepared) -> Iterator[Finding]:
    model = prepared.model
    free = [number for number, token in enumerate(prepared.spelled) if token is None]
    if free:
        yield Finding(
            "gaps",
            f"{number_of(len(free), 'id')} below the largest {_are(free)} no token ({_ranges(free)}); some tools fill "
            "or renumber them",
            tuple(free),
        )
    shared = shared_ids(model)
    if shared:
        listed = ", ".join(f"{token!r} has {number}" for token, number in shared[:3])
        yield Finding(
            "shared-ids",
            f"{number_of(len(shared), 'token')} {_have(shared)} the id of another one ({listed}{_more(shared)}); such "
            "an id decodes to the other",
            tuple(sorted({number for _, number in shared})),
        )
    own = {number for number, others in (model.frame.replaced if model.frame else ()) if len(others) == 1}
    by_score = model.frame is not None and bool(model.frame.scores)
    # What is merged by score is made of any two neighbours that spell it.
    unreachable = () if by_score else tuple(number for number in prepared.engine.unmerged() if number not in own)
    if unreachable:
        whole = model.kind == "ranks" or (model.frame is not None and model.frame.ignore_merges)
        use = "a piece that is such a token is found whole" if whole else "no text has such a token"
        first = ", ".join(repr(prepared.spelled[number]) for number in unreachable[:3])
        yield Finding(
            "unreachable",
            f"no order of merges arrives at {number_of(len(unreachable), 'token')} ({first}{_more(unreachable)}); "
            f"{use}",
            unreachable,
        )
    missing = _missing_bytes(model)
    if missing:
        how_many = number_of(len(missing), "byte")
        yield Finding("missing-bytes", f"{how_many} {_have(missing)} no token, the first is {missing[0]:#04x}")
    spelled = {model.tokens[left] + model.tokens[right] for left, right in model.merges}  # type: ignore[operator]
    reached = [(text, number) for text, number in model.specials.items() if text.encode() in spelled]
    for text, number in reached:
        yield Finding("special-in-reach", f"merges can spell the special token {text!r} in ordinary text", (number,))


def _are(found: Sized) -> str:
    return "is" if len(found) == 1 else "are"


def _more(found: Sized) -> str:
    """What stands behind the first three."""
    return " ..." if len(found) > 3 else ""


def _have(found: Sized) -> str:
    return "has" if len(found) == 1 else "have"


def shared_ids(model: Model) -> list[tuple[bytes, int]]:
    """The tokens that become another one's id, and that id: those that a file numbers like another one."""
    frame = model.frame
    if frame is None:
        return []
    tokens = dict(enumerate(model.tokens))
    found = [(tokens[number], others[0]) for number, others in frame.replaced if len(others) == 1]
    for each in frame.added:
        token = tokens.get(each.id)
        if token is not None and each.text not in _spellings(token, model.alphabet):
            found.append((token, each.id))
    return [(token, number) for token, number in found if token is not None]


def _spellings(token: bytes, alphabet: str) -> tuple[str, ...]:
    """How files may write a token."""
    text = token.decode(errors="replace")
    return (text, "".join(map(_CHARACTERS.__getitem__, token))) if alphabet == "bytes" else (text,)


_CHARACTERS: Final = gpt2_characters()


def _missing_bytes(model: Model) -> list[int]:
    """Of a model that falls back to bytes."""
    if model.frame is None or not model.frame.byte_fallback:
        return []
    known = {token for token in model.tokens if token is not None and len(token) == 6}
    return [byte for byte in range(256) if f"<0x{byte:02X}>".encode() not in known]


def _ranges(numbers: list[int]) -> str:
    """The first few, those in a row as a range."""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    shown = [f"{start}" if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=True)]
    return ", ".join(shown[:4]) + (" ..." if len(shown) > 4 else "")
