"""Ids as lists of ints: of texts, of parts with special tokens between them, and with dropout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from bytepair import arguments
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.errors import ArgumentError, ArgumentTypeError, BytepairError, SpecialTokenError, UnknownCharacterError
from bytepair.prepared import Prepared, SurrogateErrors, Text


@dataclass(frozen=True, slots=True)
class Special:
    """A special token in a list of parts: the token itself, whatever `special` says of text that looks like it.

    Args:
        text: its text, such as "<|end|>".

    Raises:
        ArgumentTypeError: it is no str.

    >>> from bytepair import train
    >>> tok = train(["a b"], num_merges=0, special_tokens=["<|end|>"])
    >>> tok.encode(["a", Special("<|end|>"), "b"])
    [97, 256, 98]
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ArgumentTypeError(
                f"Special takes the text of a special token, not {shown(self.text)} ({kind(self.text)})"
            )


Parts: TypeAlias = "list[Text | Special] | tuple[Text | Special, ...]"
Item = TypeVar("Item")
MAX_SEED: Final = 2**64 - 1


def encode(
    prepared: Prepared,
    text: Text | Parts,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
    dropout: float,
    seed: int,
) -> list[int]:
    """The ids of a text or of parts, with or without dropout."""
    work = _work(prepared, dropout, seed)
    if not isinstance(text, list | tuple):
        return prepared.run(work, text, special, errors, add_special_tokens)
    ids: list[int] = []
    for index, part in enumerate(_with_special(text)):
        if isinstance(part, Special):
            ids.append(_id_of(prepared, part, index))
            continue
        try:
            # Each part has chances of its own, which do not depend on how long the others are.
            work = _work(prepared, dropout, seed + index)
            ids += prepared.run(work, part, special, errors, add_special_tokens, f"part {index}")
        except BytepairError as error:
            error.add_note(f"in part {index} of the text")
            raise
    return ids


def encode_batch(
    prepared: Prepared,
    texts: Iterable[Text],
    threads: int | None,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
    dropout: float,
    seed: int,
) -> list[list[int]]:
    """The ids of each text; with dropout the text at `index` has the seed `seed + index`."""
    n_threads = arguments.threads(threads)
    _work(prepared, dropout, seed)
    if dropout == 0:

        def work(ready: list[Text], ids: Sequence[int] | None) -> list[list[int]]:
            return prepared.engine.encode_batch(ready, ids, n_threads)

        return prepared.run_batch(work, texts, special, errors, add_special_tokens)

    def dropped(ready: list[Text], ids: Sequence[int] | None) -> list[list[int]]:
        def one(indexed: tuple[int, Text]) -> list[int]:
            index, text = indexed
            try:
                return _work(prepared, dropout, seed + index)(text, ids)
            except UnknownCharacterError as error:
                # As the engine says it of a batch.
                said = re.sub(r"(?<= at index )[0-9]+", rf"\g<0> of text {index}", str(error), count=1)
                raise UnknownCharacterError(said) from None

        return _on_threads(one, list(enumerate(ready)), n_threads)

    return prepared.run_batch(dropped, texts, special, errors, add_special_tokens)


def _on_threads(one: Callable[[Item], list[int]], items: list[Item], n_threads: int) -> list[list[int]]:
    """The results in order; the first that fails ends the work."""
    if n_threads == 1:
        return [one(item) for item in items]
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            return list(pool.map(one, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _work(prepared: Prepared, dropout: float, seed: int) -> Callable[[Text, Sequence[int] | None], list[int]]:
    probability = _probability(dropout)
    number = arguments.integer("seed", seed, 0, MAX_SEED)
    if probability == 0:
        return prepared.engine.encode
    return lambda text, ids: prepared.engine.encode_with_dropout(text, ids, probability, number)


def _probability(dropout: object) -> float:
    if isinstance(dropout, bool) or not isinstance(dropout, float | int):
        raise ArgumentTypeError(f"dropout is {shown(dropout)} ({kind(dropout)}); it must be a number from 0 to 1")
    if not 0 <= dropout <= 1:
        raise ArgumentError(f"dropout is {shown(dropout)}; it must be from 0 (every merge is made) to 1 (none is)")
    return float(dropout)


def _with_special(parts: Parts) -> Parts:
    """A list without any special token is more often a batch that was given to the wrong call."""
    if not any(isinstance(part, Special) for part in parts):
        raise ArgumentTypeError(
            f"the text is {shown(parts)} ({kind(parts)}); it must be str or bytes, or a list of such parts with at "
            "least one Special between them; encode_batch takes a list of texts"
        )
    return parts


def _id_of(prepared: Prepared, part: Special, index: int) -> int:
    number = prepared.model.specials.get(part.text)
    if number is None:
        known = arguments.listed(prepared.model.specials)
        raise SpecialTokenError(f"part {index} is {shown(part)}, which is no special token here; {known}")
    return number
