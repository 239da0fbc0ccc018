"""The part of a `Tokenizer` that makes other tokenizers of it: smaller, larger, without some tokens."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from bytepair import arguments
from bytepair.analysis import pruning
from bytepair.analysis.usage import used_where_given
from bytepair.arguments import Special as SpecialPolicy
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.encoding import arrays
from bytepair.extension import extend
from bytepair.prefix import prefix
from bytepair.prepared import Prepared, Text
from bytepair.progress import ProgressOption
from bytepair.tally import Tally
from bytepair.tokenizer.value import Value

if TYPE_CHECKING:
    from bytepair.encoding.arrays import SpanArray


class Resizing(Value):
    """Other tokenizers, made of this one."""

    __slots__ = ()

    def at(self, vocab_size: int | None = None, *, num_merges: int | None = None) -> Self:
        """Go back to a smaller size: exactly what training to it would have given.

        Args:
            vocab_size: tokens to keep: alphabet, merged, unknown and special ones together. This or `num_merges`.
            num_merges: merges to keep.

        Returns:
            The tokenizer that `train` would have given with this size and else the same arguments, byte for byte when
            saved. Special tokens that took the ids after all others do so again. After `extend`: the one that a smaller
            extension would have given.

        Raises:
            ArgumentError: the number is outside what was learned; names the limits.
            ModelError: the tokenizer holds ranks, or its ids are not in the order of learning.

        >>> from bytepair import train

        >>> tok = train(["low low low lower lowest"], num_merges=4)
        >>> tok.at(258).merges
        [(b'l', b'o'), (b'lo', b'w')]
        """
        return type(self)(prefix(self._model, vocab_size, num_merges))

    def extend(
        self,
        source: Source | Tally,
        vocab_size: int,
        *,
        special: SpecialPolicy = "all",
        document: Document = "file",
        field: str = FIELD,
        errors: Errors = "raise",
        bad_records: BadRecords = "raise",
        sample: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Self:
        """Learn more merges from another corpus; old ids and merges stay as they are.

        Args:
            source: as in `train`.
            vocab_size: tokens to reach, those there are included.
            special: as in `train`.
            document: as in `train`.
            field: as in `train`.
            errors: as in `train`.
            bad_records: as in `train`.
            sample: as in `train`.
            seed: as in `train`.
            threads: as in `train`.
            progress: as in `train`.

        Returns:
            A tokenizer whose merges begin with these, learned on by the same rule and limits (`ties="lexicographic"`
            where the rule is not known). New tokens take ids from the largest old one on, first the characters that are
            new to an alphabet of characters. Its `extension` says which old outputs can change.

        Raises:
            ArgumentError: `vocab_size` is below the tokens there are and the new characters.
            ModelError: the tokenizer holds ranks.
            BytepairError: as in `train`.

        >>> from bytepair import train

        >>> tok = train(["low low lower"], num_merges=3, special_tokens=["<|end|>"])
        >>> more = tok.extend(["slow slower"], vocab_size=263)
        >>> more.merges[:3] == tok.merges, more.token_id("<|end|>"), more.token_bytes(260), more.token_bytes(261)
        (True, 259, b'slow', b' slow')
        """
        made = extend(
            self._model,
            source,
            vocab_size,
            special=special,
            document=document,
            field=field,
            errors=errors,
            bad_records=bad_records,
            sample=sample,
            seed=seed,
            threads=threads,
            progress=progress,
        )
        return type(self)(*made)

    def prune(
        self,
        source: Source | Tally | None = None,
        *,
        min_count: int = 1,
        drop: Iterable[int | Text] = (),
        keep: Iterable[int | Text] = (),
        scripts: Iterable[str] = (),
        vocab_size: int | None = None,
        document: Document = "file",
        field: str = FIELD,
        errors: Errors = "raise",
        bad_records: BadRecords = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> tuple[Self, SpanArray]:
        """Take tokens out, by what a corpus uses, by a list, by script, or down to a size.

        A text whose tokens all stay has the same tokens as before, under their new ids.

        Args:
            source: a corpus as in `train`, or a tally of it. Merged tokens that stand in it fewer than `min_count`
                times go; with `vocab_size`, the least used go first instead.
            min_count: see there, at least 1.
            drop: ids or spellings of tokens that go.
            keep: ids or spellings of tokens that stay, whatever else is said.
            scripts: tokens with a letter of one of these go, such as "Cyrillic"; `inspect` lists those that there are.
            vocab_size: drop more tokens until so many are left: of those that no other is made of, the least used in
                the source, or without one the last learned.
            document: as in `train`.
            field: as in `train`.
            errors: as in `train`.
            bad_records: as in `train`.
            threads: as in `train`.
            progress: as in `train`, while counting.

        Returns:
            The tokenizer, and int64 of shape (n_ids,): for each old id the new one, -1 where it is gone. Ids keep their
            order and have no gaps. The alphabet stays, and so do tokens that others which stay are made of; the
            `pruning` of the new tokenizer lists those.

        Raises:
            ArgumentError: nothing says what to drop, a symbol of the alphabet or the unknown token is to go, a token is
                both in `drop` and `keep`, a script is unknown, or `vocab_size` is too small; names the least.
            UnknownTokenError: `drop` or `keep` names no token.
            MissingPackageError: NumPy is not installed.
            ArgumentTypeError: an argument has the wrong type.
            BytepairError: the source cannot be read, as in `train`.

        >>> from bytepair import train

        >>> tok = train(["low low lower"], num_merges=4)
        >>> smaller, new_ids = tok.prune(["low low"])
        >>> smaller.vocab_size, int(new_ids[tok.token_id(" low")]), smaller.token_id(" low")
        (259, 258, 258)
        """
        numpy = arrays.numpy_module()
        used = used_where_given(
            self._model,
            source,
            document=document,
            field=field,
            errors=errors,
            bad_records=bad_records,
            threads=threads,
            progress=progress,
        )
        model, new_ids, report = pruning.prune(
            self._model,
            used,
            min_count=min_count,
            drop=drop,
            keep=keep,
            scripts=scripts,
            vocab_size=vocab_size,
        )
        return type(self)(model, pruning=report), numpy.array(new_ids, dtype="int64")

    def with_cache(self, cache_bytes: int) -> Self:
        """The same tokenizer, remembering what pieces became in other bounds. The ids are the same.

        Args:
            cache_bytes: the most bytes for each thread that encodes at the same time, 0 or more; below 32,768 nothing
                is remembered. The default of all tokenizers is 64 MiB. It is no part of a pickle or a file.

        Returns:
            An equal tokenizer with a memory of its own, empty at first.

        Raises:
            ArgumentError, ArgumentTypeError: cache_bytes is negative, or no int.

        >>> from bytepair import train

        >>> tok = train(["low lower"], num_merges=3)
        >>> forgetful = tok.with_cache(0)
        >>> forgetful == tok, forgetful.encode("low low") == tok.encode("low low"), forgetful.cache.pieces
        (True, True, 0)
        """
        n_bytes = arguments.integer("cache_bytes", cache_bytes, 0)
        tok = object.__new__(type(self))
        tok._fill(Prepared(self._model, n_bytes), self._training, self._extension, self._pruning)
        object.__setattr__(tok, "_loaded", self._loaded)
        return tok
