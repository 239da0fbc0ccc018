"""subword-nmt's codes: merges of characters, with `</w>` as a symbol in version 0.1 and glued on in 0.2.

The file numbers nothing. Here ids go to `<unk>`, the characters that the merges hold, and what these make, in that
order.

Source: rsennrich/subword-nmt 0.3.8, subword_nmt/apply_bpe.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError
from bytepair.formats.merges_text import pairs_of
from bytepair.frame import Added, Frame, Step
from bytepair.model import Model
from bytepair.patterns import NAMED

MARKER: Final = "</w>"
UNKNOWN: Final = "<unk>"
_SPACES: Final = Step("Split", {"pattern": ("text", " "), "behavior": "Removed", "invert": False})
# What subword-nmt takes off the ends of a line.
_ENDS: Final = (
    Step("Replace", {"pattern": ("regex", r"\A[\r\n ]+"), "content": ""}),
    Step("Replace", {"pattern": ("regex", r"[\r\n ]+\z"), "content": ""}),
)
# What a model with a glued marker does by itself; said, as its tokenizer.json says it, so that both are one model.
_DECODER: Final = (Step("BPEDecoder", {"suffix": MARKER}), Step("Fuse"))


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
    version, pairs = _version(data), pairs_of(data, where)
    style = "suffix" if version == "0.2" else "symbol"
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
                decoder=_DECODER if style == "suffix" else None,
                added=(Added(UNKNOWN, 0, special=True), *(Added(text, number) for text, number in glossed.items())),
                replaced=() if vocabulary is None else _taken_apart(ids, pairs, vocabulary, threshold or 1),
            ),
        )
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _version(data: bytes) -> str:
    first = data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return first.split(b":")[1].strip().decode("ascii", "replace") if first.startswith(b"#version:") else "0.1"


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
