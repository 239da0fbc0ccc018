"""The part of a `Tokenizer` that shows what is in it."""

from __future__ import annotations

from bytepair import arguments
from bytepair.analysis import explanation, inspection, token
from bytepair.analysis.explanation import Explanation
from bytepair.analysis.inspection import Inspection
from bytepair.analysis.token import TokenReport
from bytepair.analysis.usage import used_where_given
from bytepair.arguments import Special as SpecialPolicy
from bytepair.audit import Audit, audit
from bytepair.corpus import FIELD, BadRecords, Document, Errors, Source
from bytepair.parts import Ties
from bytepair.prepared import SurrogateErrors, Text
from bytepair.progress import ProgressOption
from bytepair.proof import Proof, prove
from bytepair.tally import Tally
from bytepair.tokenizer.describing import Describing


class Looking(Describing):
    """What can be seen in it and proved of it."""

    __slots__ = ()

    def explain(
        self, text: Text, *, marker: bool = True, special: SpecialPolicy = "text", errors: SurrogateErrors = "replace"
    ) -> Explanation:
        """Follow a text to its tokens: pieces, symbols, each merge with its rank, and why no more apply.

        Args:
            text: as in `encode`.
            marker: whether the model's end-of-word marker is put behind each piece, as `encode` does. Books also show
                words without it.
            special: as in `encode`.
            errors: as in `encode`.

        Returns:
            What happens, as data: it prints, shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

        Raises:
            ArgumentTypeError, SpecialTokenError, SurrogateError, UnknownCharacterError: as in `encode`.

        Takes O(n log n) for each distinct piece, in Python: for texts that are looked at, not for a corpus.

        >>> from bytepair import train

        >>> found = train(["low low lower"], num_merges=2).explain("slow")
        >>> [(step.rank, step.left.spelling, step.right.spelling) for step in found.pieces[0].steps]
        [(0, b'l', b'o'), (1, b'lo', b'w')]
        """
        return explanation.explain(self._prepared, text, special=special, errors=errors, marker=marker)

    def token(self, token_or_id: int | Text) -> TokenReport:
        """Look at one token: what it is merged from, its rank and count, what is made of it, whether a text reaches it.

        Args:
            token_or_id: its id, or its spelling (bytes, or str in UTF-8).

        Returns:
            What there is to know, as data: it prints, shows itself in a notebook, and gives `html()` and `svg()`.

        Raises:
            BadIdError: no token has this id.
            UnknownTokenError: no token is spelled so.
            ArgumentTypeError: it is neither an int, str nor bytes.

        >>> from bytepair import train

        >>> found = train(["low low lower"], num_merges=2).token("low")
        >>> found.rank, found.count, [part.token.spelling for part in found.tree.parts]
        (1, 3, [b'lo', b'w'])
        """
        if isinstance(token_or_id, str | bytes):
            number = self.token_id(token_or_id)
        else:
            number = arguments.id_number(token_or_id)
            self.token_bytes(number)
        return token.token_report(self._prepared, number)

    def inspect(
        self,
        source: Source | Tally | None = None,
        *,
        rare_below: int = 1,
        document: Document = "file",
        field: str = FIELD,
        errors: Errors = "raise",
        bad_records: BadRecords = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Inspection:
        """Look through the vocabulary: what is in it, and what is wrong with it.

        Args:
            source: a corpus as in `train`, or a tally of it, whose use of the tokens is counted; None: none.
            rare_below: with a source: a merged token is under-used if it stands there fewer times, at least 1.
            document: as in `train`.
            field: as in `train`.
            errors: as in `train`.
            bad_records: as in `train`.
            threads: as in `train`.
            progress: as in `train`, while counting.

        Returns:
            The longest tokens, scripts, parts of characters, tokens that no text reaches, that stand only inside
            others, that differ by case or a space, and that the corpus hardly uses; `problems()` says what a check
            should stop at. It prints, shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

        Raises:
            ArgumentError, ArgumentTypeError: an argument is wrong.
            BytepairError: the source cannot be read, as in `train`.

        >>> from bytepair import train

        >>> found = train(["low low lower"], num_merges=3).inspect()
        >>> found.n_tokens, found.problems()
        (259, ())
        """
        least = arguments.integer("rare_below", rare_below, 1)
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
        return inspection.inspect(self._prepared, used, least)

    def audit(self) -> Audit:
        """Look for what is remarkable: gaps between ids, tokens that no merge reaches, and the like.

        Missing bytes too, special tokens that merges can spell, and why texts may not come back.

        Returns:
            The findings, and `lossless`. Printed, a line each.

        >>> from bytepair import train

        >>> print(train(["low low lower"], num_merges=3, special_tokens=["<|end|>"]).audit())
        nothing to say
        """
        return audit(self._prepared, self.losses)

    def prove(
        self,
        source: Source | Tally,
        *,
        ties: Ties | None = None,
        special: SpecialPolicy | None = None,
        document: Document = "file",
        field: str = FIELD,
        errors: Errors = "raise",
        bad_records: BadRecords = "raise",
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Proof:
        """Replay the merges on their corpus: was each the true choice?

        Args:
            source: the corpus as in `train`, or a tally of it.
            ties: the rule; None: the one that the tokenizer was learned by, where it is known.
            special: as in `train`; None: the special tokens that cut the tally, for documents all.
            document: as in `train`.
            field: as in `train`.
            errors: as in `train`.
            bad_records: as in `train`.
            threads: as in `train`.
            progress: as in `train`.

        Returns:
            A proof that is true or false, says in words what it found, and holds a receipt. After `extend` it is about
            the training that this corpus was used for, else about the last one.

        Raises:
            ArgumentError: the rule is not known.
            ModelError: the tokenizer holds ranks.
            BytepairError: as in `train`.

        Takes as long as training.

        >>> from bytepair import train

        >>> tok = train(["low low lower"], num_merges=3)
        >>> bool(tok.prove(["low low lower"])), bool(tok.prove(["slower"]))
        (True, False)
        """
        return prove(
            self._model,
            source,
            ties=ties,
            special=special,
            document=document,
            field=field,
            errors=errors,
            bad_records=bad_records,
            threads=threads,
            progress=progress,
        )
