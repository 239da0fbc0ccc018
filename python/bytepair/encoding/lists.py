"""Ids as lists of ints, and how many there are: of texts, of texts in parts, and with dropout."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Final, TypeVar

from bytepair import arguments
from bytepair.arguments import Special as SpecialPolicy
from bytepair.arguments import kind, shown
from bytepair.encoding import template, text_parts
from bytepair.encoding.text_parts import Parts
from bytepair.errors import ArgumentError, ArgumentTypeError, ModelError, UnknownCharacterError
from bytepair.prepared import Prepared, ReadyTexts, SurrogateErrors, Text, Texts

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
    threads: int | None,
) -> list[int]:
    """The ids of a text or of parts, with or without dropout."""
    n_threads = arguments.threads(threads)
    work = _work(prepared, dropout, seed, n_threads)
    before, after = template.around(prepared, add_special_tokens)
    if not isinstance(text, list | tuple):
        return before + prepared.run(work, text, special, errors, add_special_tokens) + after

    def of_text(part: Text, index: int, where: str) -> list[int]:
        # Each part has chances of its own, which do not depend on how long the others are.
        work = _work(prepared, dropout, seed + index, n_threads)
        return prepared.run(work, part, special, errors, add_special_tokens, where)

    parts = text_parts.each(prepared, text, of_text, lambda number: [number])
    return [*before, *chain.from_iterable(parts), *after]


def count(
    prepared: Prepared,
    text: Text | Parts,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
    threads: int | None,
) -> int:
    """How many ids a text or parts have."""
    n_threads, n_around = arguments.threads(threads), template.n_around(prepared, add_special_tokens)

    def work(ready: Text, ids: Sequence[int] | None) -> int:
        return prepared.engine.count(ready, ids, n_threads)

    def of_text(part: Text, _: int, where: str) -> int:
        return prepared.run(work, part, special, errors, add_special_tokens, where)

    if not isinstance(text, list | tuple):
        return of_text(text, 0, "the text") + n_around
    return sum(text_parts.each(prepared, text, of_text, lambda _: 1)) + n_around


def encode_batch(
    prepared: Prepared,
    texts: Texts,
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

        def work(ready: ReadyTexts, ids: Sequence[int] | None) -> list[list[int]]:
            return prepared.engine.encode_batch(ready, ids, n_threads)

        return _framed(
            prepared, prepared.run_batch(work, texts, special, errors, add_special_tokens), add_special_tokens
        )

    def dropped(ready: ReadyTexts, ids: Sequence[int] | None) -> list[list[int]]:
        def one(indexed: tuple[int, Text]) -> list[int]:
            index, text = indexed
            try:
                return _work(prepared, dropout, seed + index)(text, ids)
            except UnknownCharacterError as error:
                # As the engine says it of a batch.
                said = re.sub(r"(?<= at index )[0-9]+", rf"\g<0> of text {index}", str(error), count=1)
                raise UnknownCharacterError(said) from None

        return _on_threads(one, [(index, ready[index]) for index in range(len(ready))], n_threads)

    return _framed(
        prepared, prepared.run_batch(dropped, texts, special, errors, add_special_tokens), add_special_tokens
    )


def _framed(prepared: Prepared, batch: list[list[int]], add_special_tokens: bool) -> list[list[int]]:
    before, after = template.around(prepared, add_special_tokens)
    return [before + ids + after for ids in batch] if before or after else batch


def count_batch(
    prepared: Prepared,
    texts: Texts,
    threads: int | None,
    special: SpecialPolicy,
    errors: SurrogateErrors,
    add_special_tokens: bool,
) -> list[int]:
    """How many ids each text has."""
    n_threads = arguments.threads(threads)

    def work(ready: ReadyTexts, ids: Sequence[int] | None) -> list[int]:
        return prepared.engine.count_batch(ready, ids, n_threads)

    counts = prepared.run_batch(work, texts, special, errors, add_special_tokens, "count_batch")
    n_around = template.n_around(prepared, add_special_tokens)
    return [count + n_around for count in counts] if n_around else counts


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


def _work(
    prepared: Prepared, dropout: float, seed: int, n_threads: int = 1
) -> Callable[[Text, Sequence[int] | None], list[int]]:
    probability = _probability(dropout)
    number = arguments.integer("seed", seed, 0, MAX_SEED)
    frame = prepared.model.frame
    if probability > 0 and frame is not None and frame.scores:
        raise ModelError(
            "dropout leaves merges of a list out, and this tokenizer merges by score, as some SentencePiece models do; "
            "leave dropout out"
        )
    if probability == 0:
        return lambda text, ids: prepared.engine.encode(text, ids, n_threads)
    return lambda text, ids: prepared.engine.encode_with_dropout(text, ids, probability, number)


def _probability(dropout: object) -> float:
    if isinstance(dropout, bool) or not isinstance(dropout, float | int):
        raise ArgumentTypeError(f"dropout is {shown(dropout)} ({kind(dropout)}); it must be a number from 0 to 1")
    if not 0 <= dropout <= 1:
        raise ArgumentError(f"dropout is {shown(dropout)}; it must be from 0 (every merge is made) to 1 (none is)")
    return float(dropout)
