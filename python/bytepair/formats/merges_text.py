"""Merges as text, a pair a line: GPT-2's merges.txt beside a vocab.json, and CLIP's gz, which needs none.

Source: openai/gpt-2, src/encoder.py; openai/CLIP, clip/simple_tokenizer.py.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError
from bytepair.formats.places import Place
from bytepair.formats.tokenizer_json.pipeline import spell
from bytepair.formats.tokenizer_json.spelling import as_bytes, has_all_bytes
from bytepair.formats.tokenizer_json.vocabulary import refuse_far
from bytepair.formats.tokenizer_json.writing import spell_id
from bytepair.frame import Added, Frame, Step
from bytepair.model import Model, byte_order_of, gpt2_characters
from bytepair.patterns import NAMED, NAMES, resolve

# Unpacked, CLIP's file has 3 MB; one that unpacks to more than this is no list of merges.
MAX_UNPACKED: Final = 64 << 20
SUFFIX: Final = "</w>"
_CLIP_MERGES: Final = 48_894


def lines_of(data: bytes, where: str) -> list[str]:
    """What stands before, between and behind the line ends of a text.

    Raises:
        FormatError: it is not UTF-8; names the byte.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{where}: byte {error.start} is not UTF-8; a file of merges is UTF-8") from None
    return text.replace("\r\n", "\n").split("\n")


def numbered(data: bytes, where: str) -> list[tuple[int, str]]:
    """The lines of a text and their numbers from 1, without those that begin with "#version".

    Raises:
        FormatError: it is not UTF-8; names the byte.
    """
    lines = lines_of(data, where)
    if not lines[-1]:
        lines.pop()
    return [(number, line) for number, line in enumerate(lines, 1) if not line.startswith("#version")]


def pairs_of(lines: Iterable[tuple[int, str]], where: str) -> list[tuple[str, str]]:
    """The merges of lines, a pair each.

    Args:
        lines: number and text of each.
        where: the file, for messages.

    Raises:
        FormatError: a line is no pair; names it.
    """
    pairs = []
    for number, line in lines:
        parts = line.split(" ")
        if len(parts) != 2 or not all(parts):
            found = shown(line) if line else "empty"
            raise FormatError(f"{where}: line {number} is {found}; expected two tokens with one space between")
        pairs.append((parts[0], parts[1]))
    return pairs


def with_vocabulary(
    vocab: Place,
    pairs: list[tuple[str, str]],
    where: str,
    pattern: str | None,
    special_tokens: Mapping[str, int] | None,
) -> Model:
    """The model of a vocab.json and its merges.

    Args:
        vocab: the parsed vocabulary.
        pairs: the merges.
        where: the file of merges, for messages.
        pattern: what cuts text; needed, as neither file says it.
        special_tokens: text -> id of those tokens of the vocabulary, or beside it, that are control tokens.

    Raises:
        ArgumentError: no pattern was given, or a special token has another id in the vocabulary.
        FormatError: a merge is of no tokens, or the files are broken.
    """
    if pattern is None:
        raise ArgumentError(
            f"{vocab.file}: vocab.json and merges.txt hold no split pattern; pass pattern=... (one of "
            f"{', '.join(NAMES)}, or a regular expression)"
        )
    ids = vocab.indices()
    refuse_far(vocab, ids, len(ids))
    specials = _specials(special_tokens, ids)
    suffix = SUFFIX if any(right.endswith(SUFFIX) for _, right in pairs) else ""
    by_bytes = has_all_bytes(ids, suffix)
    ordinary = {text: number for text, number in ids.items() if text not in specials}
    spelled = as_bytes(list(ordinary)) if by_bytes else None
    if spelled is None:
        by_bytes, spelled = False, [_encoded(text, vocab) for text in ordinary]
    tokens: list[bytes | None] = [None] * (max(ordinary.values(), default=-1) + 1)
    for number, token in zip(ordinary.values(), spelled, strict=True):
        if tokens[number] is not None:
            raise FormatError(f"{vocab.file}: two tokens have the id {number}; each needs an id of its own")
        tokens[number] = token
    return _model(tokens, _ranked(pairs, ordinary, where), specials, pattern, suffix, by_bytes, where)


def _encoded(text: str, vocab: Place) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FormatError(f"{vocab.file}: the token {shown(text)} holds a lone surrogate; expected text") from None


def _specials(given: Mapping[str, int] | None, ids: Mapping[str, int]) -> dict[str, int]:
    specials = dict(given or {})
    for text, number in specials.items():
        if ids.get(text, number) != number:
            raise ArgumentError(f"special_tokens[{text!r}] is {number}; the vocabulary gives it {ids[text]}")
    return specials


def _ranked(pairs: Iterable[tuple[str, str]], ids: Mapping[str, int], where: str) -> tuple[tuple[int, int], ...]:
    last: dict[tuple[int, int], int] = {}
    for rank, (left, right) in enumerate(pairs):
        for token in (left, right, left + right):
            if token not in ids:
                raise FormatError(
                    f"{where}: merge {rank} joins {left!r} and {right!r}, and {token!r} is not in the vocabulary; the "
                    "two files do not belong together"
                )
        last[ids[left], ids[right]] = rank
    return tuple(sorted(last, key=last.__getitem__))


def _model(
    tokens: list[bytes | None],
    merges: tuple[tuple[int, int], ...],
    specials: Mapping[str, int],
    pattern: str,
    suffix: str,
    by_bytes: bool,
    where: str,
) -> Model:
    made = tuple(tokens)
    try:
        return Model(
            kind="merges",
            alphabet="bytes" if by_bytes else "chars",
            tokens=made,
            merges=merges,
            specials=specials,
            pattern=resolve(pattern),
            end_of_word=suffix or None,
            end_of_word_style="suffix" if suffix else "symbol",
            byte_order=byte_order_of(made) if by_bytes else None,
        )
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def recognise_gz(data: bytes) -> bool:
    """Whether it is packed by gzip."""
    return data[:2] == b"\x1f\x8b"


def read_clip(data: bytes, where: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read CLIP's list of merges, packed by gzip: the tokens follow from it.

    Raises:
        ArgumentError: a pattern or special tokens were given; CLIP's are known.
        FormatError: it is broken, or unpacks to far more than a list of merges has.
    """
    for name, value in (("pattern", pattern), ("special_tokens", special_tokens)):
        if value is not None:
            raise ArgumentError(
                f"{name} is {value!r}, and {where} is a CLIP vocabulary, whose is known; leave {name} out"
            )
    # As CLIP does: whatever the first line is, it is no merge, and an empty one has an id.
    lines = lines_of(_unpacked(data, where), where)[1 : _CLIP_MERGES + 1]
    pairs = pairs_of(((number, line) for number, line in enumerate(lines, 2) if line), where)
    characters = [*gpt2_characters().values()]
    texts = [*characters, *(each + SUFFIX for each in characters), *(line.replace(" ", "") for line in lines)]
    ids = {text: number for number, text in enumerate(texts) if text}
    if len(ids) != len(texts) - texts.count(""):
        raise FormatError(f"{where}: two merges spell one token; the list is no CLIP vocabulary")
    spelled = as_bytes(texts)
    if spelled is None:
        raise FormatError(f"{where}: a merge spells no bytes as GPT-2 does; the list is no CLIP vocabulary")
    begin, end = len(texts), len(texts) + 1
    specials = {"<|startoftext|>": begin, "<|endoftext|>": end}
    return Model(
        kind="merges",
        alphabet="bytes",
        tokens=tuple(token or None for token in spelled),
        merges=_ranked(pairs, ids, where),
        specials=specials,
        pattern=NAMED["clip"],
        end_of_word=SUFFIX,
        end_of_word_style="suffix",
        byte_order="gpt2",
        frame=Frame(
            normalizer=(Step("LowercaseText"),),
            added=tuple(Added(text, number, special=True) for text, number in specials.items()),
            before=(begin,),
            after=(end,),
        ),
    )


def _unpacked(data: bytes, where: str) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(data, MAX_UNPACKED)
    except zlib.error as error:
        raise FormatError(f"{where}: it is packed by gzip and broken ({error}); get the file again") from None
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise FormatError(
            f"{where}: it is cut short, or unpacks to more than {MAX_UNPACKED >> 20} MB; no vocabulary does"
        )
    return unpacked


def losses(model: Model) -> list[str]:
    """What vocab.json and merges.txt cannot hold; the pattern and what is special are said when they are loaded."""
    found = []
    if model.kind != "merges":
        found.append("ranks instead of merges")
    if model.end_of_word is not None and (model.end_of_word_style != "suffix" or model.end_of_word != SUFFIX):
        found.append(f"the marker {model.end_of_word!r}")
    if model.add_prefix_space:
        found.append("the prefix space")
    if model.unk_token is not None:
        found.append(f"that {model.unk_token!r} stands for unknown characters")
    if model.frame is not None:
        found.append("the steps, added tokens and options round the merges")
    found += _losses_of_lines(model)
    if len({*model.merges}) != len(model.merges):
        found.append("merges that were learned twice")
    return found


def _losses_of_lines(model: Model) -> Iterator[str]:
    """Merges that no line can hold."""
    merges = model.spelled_merges()
    for token in dict.fromkeys(chain.from_iterable(merges)) if model.alphabet == "chars" else ():
        if any(sign in token.decode() for sign in " \n\r"):
            yield f"the token {token.decode()!r} in a merge: a space or line end is what stands between there"
    for left, _ in merges:
        if left.startswith(b"#version"):
            yield f"a merge that begins with {left.decode(errors='replace')!r}: such a line is a comment there"


def write(model: Model) -> tuple[bytes, bytes]:
    """vocab.json and merges.txt of a model without losses; special tokens stand in the vocabulary."""
    pairs = [(spell(token, model), number) for number, token in enumerate(model.tokens) if token is not None]
    vocab = dict(sorted([*pairs, *model.specials.items()], key=lambda pair: pair[1]))
    lines = [
        "#version: 0.2",
        *(f"{spell_id(left, model)} {spell_id(right, model)}" for left, right in model.merges),
        "",
    ]
    return json.dumps(vocab, ensure_ascii=False).encode(), "\n".join(lines).encode()
