"""Anything that turns text into tokens, seen in one way: ours, tiktoken's, tokenizers', sentencepiece's, a function."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias, cast

from bytepair import formats
from bytepair.arguments import kind, shown
from bytepair.encoding.template import rewrites
from bytepair.errors import ArgumentError, ArgumentTypeError
from bytepair.frame import Frame
from bytepair.model import Model
from bytepair.prepared import Prepared, ReadyTexts

# Where a token comes from in a text, in bytes of its UTF-8: half-open.
Place: TypeAlias = "tuple[int, int]"
TokenList: TypeAlias = "Sequence[Hashable]"


@dataclass(frozen=True)
class Subject:
    """A tokenizer under a name.

    Args:
        name: what it is called in reports.
        vocab_size: how many tokens it has; None where it does not say.
        encode_all: many texts -> the tokens of each; special tokens are text, and none are added.
        places: a text -> where each of its tokens comes from; None where the tokenizer does not say.
    """

    name: str
    vocab_size: int | None
    encode_all: Callable[[list[str]], list[TokenList]]
    places: Callable[[str], list[Place] | None]


def subjects(tokenizers: object) -> tuple[list[Subject], list[str]]:
    """The tokenizers of a mapping or an iterable, each under a name of its own.

    Args:
        tokenizers: name -> tokenizer, or an iterable of tokenizers, or one. A path is a file to load.

    Returns:
        The subjects, and remarks on names that had to be told apart.

    Raises:
        ArgumentError: there is none.
        ArgumentTypeError: one is nothing that turns text into tokens.
    """
    named: list[tuple[str | None, Any]]
    if isinstance(tokenizers, Mapping):
        named = [(_checked_name(name), tok) for name, tok in tokenizers.items()]
    elif _is_one(tokenizers) or not isinstance(tokenizers, Iterable):
        named = [(None, tokenizers)]
    else:
        named = [(None, tok) for tok in tokenizers]
    if not named:
        raise ArgumentError("tokenizers is empty; name at least one, as in compare([tok], texts)")
    found = [subject(tok, name) for name, tok in named]
    return _told_apart(found)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise ArgumentTypeError(f"the name {shown(name)} ({kind(name)}) of a tokenizer must be a str, and not empty")
    return name


def _is_one(value: object) -> bool:
    return isinstance(value, str | PathLike) or callable(value) or hasattr(value, "encode")


def _told_apart(found: list[Subject]) -> tuple[list[Subject], list[str]]:
    seen: dict[str, int] = {}
    apart, remarks = [], []
    for each in found:
        seen[each.name] = seen.get(each.name, 0) + 1
        name = each.name if seen[each.name] == 1 else f"{each.name} ({seen[each.name]})"
        if name != each.name:
            remarks.append(f"Two tokenizers are named {each.name}: the later one is {name} here.")
        apart.append(Subject(name, each.vocab_size, each.encode_all, each.places))
    return apart, remarks


def subject(tok: Any, name: str | None = None) -> Subject:
    """One tokenizer.

    Raises:
        ArgumentTypeError: it is nothing that turns text into tokens; says what is.

    >>> subject(str.split).encode_all(["to be"])
    [['to', 'be']]
    """
    if isinstance(tok, str | PathLike):
        return _ours(Prepared(formats.read(tok).model), name or Path(fspath(tok)).stem)
    if isinstance(getattr(tok, "model", None), Model):
        return _ours(tok._prepared, name or f"bytepair {tok.vocab_size:,}")
    for has, made in _KINDS:
        if all(hasattr(tok, attribute) for attribute in has):
            return made(tok, name)
    if callable(tok):
        return _function(tok, name)
    raise ArgumentTypeError(
        f"{shown(tok)} ({kind(tok)}) is nothing that turns text into tokens; pass a Tokenizer, a path, a tokenizer of "
        "tiktoken, tokenizers, transformers or sentencepiece, or a function from a text to a list"
    )


def _ours(prepared: Prepared, name: str) -> Subject:
    def encode_all(texts: list[str]) -> list[TokenList]:
        found: list[TokenList] = list(prepared.run_batch(_batch(prepared), texts, "text", "replace", False))
        return found

    def places(text: str) -> list[Place] | None:
        if rewrites(prepared.model):
            first, *others = [*_decoded(prepared, text)] or [b""]
            # The space before a text may be the one that is put there, and is not decoded then.
            spaced = (_one_after_another([lead + first, *others], text) for lead in (b"", b" "))
            return next((found for found in spaced if found is not None), None) if text else []
        _, spans = prepared.run(
            lambda ready, ids: prepared.engine.encode_spans(ready, ids, "byte"), text, "text", "replace", False
        )
        return _paired(list(memoryview(spans).cast("q")))

    size = sum(token is not None for token in prepared.spelled)
    return Subject(name, size, encode_all, places)


def _batch(prepared: Prepared) -> Callable[[ReadyTexts, Sequence[int] | None], list[list[int]]]:
    return lambda ready, ids: prepared.engine.encode_batch(ready, ids, 1)


def _decoded(prepared: Prepared, text: str) -> Iterator[bytes]:
    """What each token of a text stands for behind the first one, of a model that rewrites texts before it merges."""
    frame, decode = cast("Frame", prepared.model.frame), prepared.engine.decode_bytes
    first, *others = prepared.run(prepared.engine.encode, text, "text", "replace", False) or (None,)
    if first is None:
        return
    said: dict[int, bytes] = {}
    before = len(decode([first], "raise"))
    for number in others:
        if number not in said:
            said[number] = decode([first, number], "raise")[before:]
    for place, number in enumerate((first, *others)):
        byte = frame.byte_of(prepared.spelled[number] or b"")
        if byte is not None:
            yield bytes([byte])
        else:
            yield said[number] if place else decode([first], "raise")


def _paired(numbers: list[int]) -> list[Place]:
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _tiktoken(tok: Any, name: str | None) -> Subject:
    def places(text: str) -> list[Place] | None:
        return _one_after_another([tok.decode_single_token_bytes(token) for token in tok.encode_ordinary(text)], text)

    return Subject(name or tok.name, tok.n_vocab, lambda texts: list(map(tok.encode_ordinary, texts)), places)


def _tokenizers(tok: Any, name: str | None) -> Subject:
    def encode_all(texts: list[str]) -> list[TokenList]:
        return [found.ids for found in tok.encode_batch(texts, add_special_tokens=False)]

    def places(text: str) -> list[Place] | None:
        return _of_characters(tok.encode(text, add_special_tokens=False).offsets, text)

    return Subject(name or _named_after(tok), tok.get_vocab_size(), encode_all, places)


def _sentencepiece(tok: Any, name: str | None) -> Subject:
    return Subject(name or "sentencepiece", tok.get_piece_size(), lambda texts: list(map(tok.encode, texts)), _nowhere)


def _transformers(tok: Any, name: str | None) -> Subject:
    def encode_all(texts: list[str]) -> list[TokenList]:
        return [tok.encode(text, add_special_tokens=False) for text in texts]

    own = getattr(tok, "name_or_path", "") or _named_after(tok)
    return Subject(name or own, len(tok), encode_all, _nowhere)


def _function(tok: Callable[[str], Any], name: str | None) -> Subject:
    def encode_all(texts: list[str]) -> list[TokenList]:
        return [_listed(tok(text), name or _named_after(tok)) for text in texts]

    def places(text: str) -> list[Place] | None:
        tokens = list(tok(text))
        if not all(isinstance(token, str | bytes) for token in tokens):
            return None
        return _one_after_another([t.encode() if isinstance(t, str) else t for t in tokens], text)

    return Subject(name or _named_after(tok), None, encode_all, places)


def _listed(tokens: object, name: str) -> TokenList:
    if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
        raise ArgumentTypeError(
            f"{name} gave {shown(tokens)} ({kind(tokens)}) for a text; a tokenizer gives a list of tokens or ids"
        )
    return list(tokens)


def _named_after(tok: Any) -> str:
    return str(getattr(tok, "__name__", type(tok).__name__))


def _nowhere(_: str) -> None:
    return None


def _one_after_another(tokens: list[bytes], text: str) -> list[Place] | None:
    """Places of tokens that spell the text; None where they do not."""
    if b"".join(tokens) != text.encode("utf-8", "surrogatepass"):
        return None
    ends = list(accumulate(map(len, tokens)))
    return list(zip([0, *ends], ends, strict=False))


def _of_characters(offsets: Iterable[Place], text: str) -> list[Place]:
    before = [0, *accumulate(len(character.encode("utf-8", "surrogatepass")) for character in text)]
    return [(before[start], before[end]) for start, end in offsets]


def colour_of(token: Hashable) -> int:
    """A key for the colour of a token that may be no id."""
    return token if isinstance(token, int) else zlib.crc32(str(token).encode())


_KINDS: tuple[tuple[tuple[str, ...], Callable[[Any, str | None], Subject]], ...] = (
    (("encode_ordinary", "decode_single_token_bytes", "n_vocab"), _tiktoken),
    (("encode_batch", "get_vocab_size"), _tokenizers),
    (("encode", "get_piece_size"), _sentencepiece),
    (("encode", "convert_ids_to_tokens", "__len__"), _transformers),
)
