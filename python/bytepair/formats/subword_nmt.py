"""subword-nmt's codes: merges of characters, with `</w>` as a symbol in version 0.1 and glued on in 0.2.

The file numbers nothing. Here ids go to `<unk>`, the characters that the merges hold, and what these make, in that
order.

Source: rsennrich/subword-nmt 0.3.8, subword_nmt/apply_bpe.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError
from bytepair.formats.merges_text import numbered, pairs_of
from bytepair.frame import Added, Frame, Step
from bytepair.model import Model
from bytepair.patterns import NAMED

MARKER: Final = "</w>"
UNKNOWN: Final = "<unk>"
_SPACES: Final = Step("Split", {"pattern": ("text", " "), "behavior": "Removed", "invert": False})
_SUFFIX_DECODER: Final = (Step("BPEDecoder", {"suffix": MARKER}), Step("Fuse"))
# What subword-nmt takes off the ends of a line.
_ENDS: Final = (
    Step("Replace", {"pattern": ("regex", r"\A[\r\n ]+"), "content": ""}),
    Step("Replace", {"pattern": ("regex", r"[\r\n ]+\z"), "content": ""}),
)


def recognise(data: bytes) -> bool:
    """Whether one of the first lines is a merge of characters with the marker."""
    head = data[:65_536].split(b"\n")[:-1]
    first = [line.rstrip(b"\r") for line in head[:1000] if not line.startswith(b"#version")]
    return bool(first) and first[0].count(b" ") == 1 and any(b"</w>" in line for line in first)


def read(
    data: bytes,
    where: str,
    vocabulary: Mapping[str, int] | None = None,
    threshold: int | None = None,
    glossaries: Sequence[str] = (),
) -> Model:
    """Read codes.

    Args:
        data: the file.
        where: the file, for messages.
        vocabulary: token, with "@@" at its end where it ends no word, -> how often it occurred. Tokens that are not in
            it are taken apart again.
        threshold: the least count that a token of the vocabulary must have; None: 1.
        glossaries: texts that are tokens wherever they stand.

    Raises:
        FormatError: it is broken; names the line.
    """
    style = _style(data, where)
    pairs = pairs_of(_stripped(data, where), where)
    if not pairs:
        raise FormatError(f"{where}: it holds no merges; get the file again")
    symbols = _symbols(pairs, style)
    ids = {UNKNOWN: 0} | {text: number for number, text in enumerate(symbols, 1)}
    merges: list[tuple[int, int]] = []
    for rank, (left, right) in enumerate(pairs):
        for part in (left, right):
            if part not in ids:
                raise FormatError(f"{where}: merge {rank} joins {shown(part)}, which no merge before it makes")
        ids.setdefault(left + right, len(ids))
        merges.append((ids[left], ids[right]))
    first = len(ids)
    glossed = {text: first + index for index, text in enumerate(dict.fromkeys(glossaries))}
    tokens = tuple(None if text == UNKNOWN else text.encode() for text in ids)
    # Of a merge that stands twice the first counts.
    merges = list(dict.fromkeys(merges))
    try:
        return Model(
            kind="merges",
            alphabet="chars",
            tokens=tokens,
            merges=tuple(merges),
            specials={UNKNOWN: 0},
            pattern=NAMED["none"],
            end_of_word=MARKER,
            end_of_word_style="suffix" if style == "suffix" else "symbol",
            unk_token=UNKNOWN,
            frame=Frame(
                normalizer=_ENDS,
                cutting=(_SPACES,),
                decoder=_SUFFIX_DECODER if style == "suffix" else None,
                added=(Added(UNKNOWN, 0, special=True), *(Added(text, number) for text, number in glossed.items())),
                replaced=() if vocabulary is None else _taken_apart(ids, pairs, vocabulary, threshold or 1),
            ),
        )
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _style(data: bytes, where: str) -> str:
    """How the version marks the ends of words: 0.1 with a symbol, 0.2 with a suffix."""
    first = data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    if not first.startswith(b"#version:"):
        return "symbol"
    version = first.split()[-1].decode("ascii", "replace")
    style = {"0.1": "symbol", "0.2": "suffix"}.get(re.sub(r"(\.0+)*$", "", version))
    if style is None:
        raise FormatError(f"{where}: line 1 is {shown(first)}; expected '#version: 0.1' or '#version: 0.2'")
    return style


def _stripped(data: bytes, where: str) -> Iterator[tuple[int, str]]:
    """The lines of merges, without the spaces at their ends, and without empty ones at the end of all."""
    lines = numbered(data, where)
    while lines and not lines[-1][1]:
        lines.pop()
    return ((number, line.strip("\r\n ")) for number, line in lines)


def _symbols(pairs: Iterable[tuple[str, str]], style: str) -> list[str]:
    """What stands before any merge, in the order of first appearance; with a suffix each character with it as well."""
    found: dict[str, None] = {}
    made: set[str] = set()
    for left, right in pairs:
        for part in (left, right):
            if part in made:
                continue
            character = part.removesuffix(MARKER) or part
            if len(character) > 1 and character != MARKER:
                continue  # what no merge made is told by the reader
            found |= dict.fromkeys([part] if style == "symbol" else [character, character + MARKER])
        made.add(left + right)
    if style == "symbol":
        found.setdefault(MARKER)
    return list(found)


def _taken_apart(
    ids: Mapping[str, int], pairs: Sequence[tuple[str, str]], vocabulary: Mapping[str, int], threshold: int
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """(id, ids) of the tokens that are not in the vocabulary: the merge that made each is undone, and so on."""
    known = {text for text, count in vocabulary.items() if count >= threshold}
    if not known:
        # As there: a vocabulary of nothing is none.
        return ()
    halves = {left + right: (left, right) for left, right in dict.fromkeys(pairs)}

    def is_known(token: str) -> bool:
        return token.removesuffix(MARKER) in known if token.endswith(MARKER) else token + "@@" in known

    def parts(token: str) -> list[str]:
        if is_known(token) or token not in halves:
            return [token]
        return [part for half in halves[token] for part in parts(half)]

    replaced = ((number, tuple(ids[part] for part in parts(token))) for token, number in ids.items())
    return tuple((number, made) for number, made in replaced if made != (number,))


def read_vocabulary(data: bytes, where: str) -> dict[str, int]:
    """A vocabulary as `subword-nmt get-vocab` writes it: a token and its count a line.

    Raises:
        FormatError: a line is something else; names it.
    """
    vocabulary: dict[str, int] = {}
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        parts = line.strip("\r\n ").split(" ")
        if parts == [""]:
            continue
        if len(parts) != 2 or not parts[1].isdecimal():
            raise FormatError(f"{where}: line {number} is {shown(line)}; expected a token, a space and a count")
        vocabulary[parts[0]] = int(parts[1])
    return vocabulary


def check_glossaries(glossaries: object) -> tuple[str, ...]:
    """Texts, none with a space: in a file that is cut at spaces such a one is never found."""
    if isinstance(glossaries, str) or not isinstance(glossaries, Iterable):
        raise ArgumentError(f"glossaries is {shown(glossaries)}; it must be a list of texts")
    checked = tuple(glossaries)
    for each in checked:
        if not isinstance(each, str) or not each or " " in each:
            raise ArgumentError(f"glossaries holds {shown(each)}; each must be a text without spaces")
    return checked
