"""Tokenizers side by side: how many tokens, how evenly used, how fair between languages, and where they differ."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from bytepair.analysis.groups import groups
from bytepair.analysis.subjects import Place, Subject, colour_of, subjects
from bytepair.analysis.words import readable
from bytepair.arguments import shown
from bytepair.errors import ArgumentError
from bytepair.frozen import FrozenDict
from bytepair.render import Block, Cell, Drawn, Heading, Paragraph, Span, Spans, Strip, Table, number_of

ALPHA: Final = 2.5
# A text of at most so many characters is drawn token by token.
_SHORT: Final = 600
_MOST_DIFFERENCES: Final = 12
# Every token there is a Python tuple for a moment; what differs often shows long before.
_CHARACTERS_COMPARED: Final = 500_000
_WORD: Final = re.compile(r" ?\S+")


@dataclass(frozen=True, slots=True)
class Measure:
    """One tokenizer on one group of texts. Ratios are None where there is nothing to divide by.

    Args:
        tokenizer: its name.
        group: the name of the texts.
        n_tokens: tokens in all.
        n_bytes: bytes of the texts in UTF-8.
        n_chars: their characters.
        n_words: their words: what stands between white space.
        bytes_per_token: more is shorter.
        chars_per_token: the same in characters.
        fertility: tokens per word, each word encoded by itself with the one space before it where there is one. Source:
            Rust and others, "How Good is Your Tokenizer?" (2021), who count sub-words per word.
        single_token_words: the part of these words, as often as they occur, that are one token, 0 to 1.
        renyi_efficiency: how evenly the vocabulary is used, 0 to 1: the Rényi entropy of order 2.5 of the tokens over
            the logarithm of the vocabulary size. Where that is not known, of the number of tokens that were used.
            Source: Zouhar and others, "Tokenization and the Noiseless Channel" (2023).
        n_used: distinct tokens that were used.
        used_share: the part of the vocabulary that they are; None where its size is not known.
        parity: tokens over those of the reference group, for texts that say the same in several languages; 1 is as
            many. Source: Petrov and others, "Language Model Tokenizers Introduce Unfairness Between Languages" (2023).
    """

    tokenizer: str
    group: str
    n_tokens: int
    n_bytes: int
    n_chars: int
    n_words: int
    bytes_per_token: float | None
    chars_per_token: float | None
    fertility: float | None
    single_token_words: float | None
    renyi_efficiency: float | None
    n_used: int
    used_share: float | None
    parity: float | None


@dataclass(frozen=True, slots=True)
class SpanDifference:
    """A part of a text that two tokenizers cut differently, and agree on again at its end.

    Args:
        tokenizer: which one; the other is the first of the comparison.
        first: the tokens of the first one there.
        other: the tokens of this one.
        count: how often such a part stands in the texts.
    """

    tokenizer: str
    first: tuple[bytes, ...]
    other: tuple[bytes, ...]
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Drawn):
    """Tokenizers side by side. It prints, shows itself in a notebook, and gives `html()`, `svg()` and `to_dict()`.

    Args:
        tokenizers: their names, in order.
        groups: the names of the texts, in order.
        measures: for each group, and in it for each tokenizer.
        differences: the parts that the others cut differently from the first, the most frequent first.
        agreement: name -> the part of the bytes where it cuts as the first does, 0 to 1, in the first two million
            characters, as `differences`; None where it does not say where its tokens come from.
        cuts: for a short text: name -> its tokens as (spelling or token, colour).
        reference: the group that parity is about.
        remarks: what was mended or told apart.

    >>> found = compare({"words": str.split, "letters": list}, ["to be"])
    >>> [(each.tokenizer, each.n_tokens, each.fertility) for each in found.measures]
    [('words', 2, 1.0), ('letters', 5, 2.5)]
    """

    tokenizers: tuple[str, ...]
    groups: tuple[str, ...]
    measures: tuple[Measure, ...]
    differences: tuple[SpanDifference, ...]
    agreement: Mapping[str, float | None]
    cuts: Mapping[str, tuple[tuple[str | bytes, int], ...]]
    reference: str
    remarks: tuple[str, ...]

    def measure(self, tokenizer: str, group: str | None = None) -> Measure:
        """The measure of one tokenizer on one group; without a name, on the first."""
        wanted = self.groups[0] if group is None else group
        for each in self.measures:
            if (each.tokenizer, each.group) == (tokenizer, wanted):
                return each
        raise ArgumentError(
            f"there is no measure of {shown(tokenizer)} on {shown(wanted)}; the tokenizers are "
            f"{', '.join(self.tokenizers)}, the groups {', '.join(self.groups)}"
        )

    def __repr__(self) -> str:
        return f"Comparison({number_of(len(self.tokenizers), 'tokenizer')}, {number_of(len(self.groups), 'group')})"

    def blocks(self) -> list[Block]:
        """The tokens of a short text, a table for each group, parity, and the differences."""
        found: list[Block] = [Heading(f"{number_of(len(self.tokenizers), 'tokenizer')} side by side", 1)]
        found += [Paragraph(remark) for remark in self.remarks]
        for name, tokens in self.cuts.items():
            found.append(Heading(f"{name}: {number_of(len(tokens), 'token')}", 3))
            found.append(Strip(tuple(Span(text, key) for text, key in tokens)))
        for group in self.groups:
            found += [Heading(self._title(group), 2), *self._tables(group)]
        if len(self.groups) > 1:
            found += [Heading(f"Parity: tokens over those of {self.reference}"), self._parity()]
        if self.differences:
            found += [Heading("Where they differ"), *self._agreements(), self._differences()]
        return found

    def _title(self, group: str) -> str:
        first = self.measure(self.tokenizers[0], group)
        size = f"{number_of(first.n_bytes, 'byte')}, {number_of(first.n_chars, 'character')}"
        return f"{group}: {size}, {number_of(first.n_words, 'word')}"

    def _tables(self, group: str) -> Iterator[Block]:
        measures = [each for each in self.measures if each.group == group]
        sizes = ("tokens", "bytes/token", "chars/token", "tokens/word")
        rows = [(m.tokenizer, m.n_tokens, m.bytes_per_token, m.chars_per_token, m.fertility) for m in measures]
        yield Table(("tokenizer", *sizes), tuple(_filled(row) for row in rows), right=(1, 2, 3, 4))
        use = ("one-token words", "Rényi", "used", "of vocabulary")
        shares = [
            (m.tokenizer, _percent(m.single_token_words), m.renyi_efficiency, m.n_used, _percent(m.used_share))
            for m in measures
        ]
        yield Table(("tokenizer", *use), tuple(_filled(row) for row in shares), right=(1, 2, 3, 4))

    def _parity(self) -> Table:
        rows = [(group, *(self.measure(name, group).parity for name in self.tokenizers)) for group in self.groups]
        right = tuple(range(1, len(self.tokenizers) + 1))
        note = "It says something where the texts of all groups mean the same."
        return Table(("texts", *self.tokenizers), tuple(_filled(row) for row in rows), right=right, note=note)

    def _agreements(self) -> Iterator[Paragraph]:
        for name, part in self.agreement.items():
            if part is not None:
                yield Paragraph(f"{name} cuts {part:.1%} of the bytes as {self.tokenizers[0]} does.")

    def _differences(self) -> Table:
        rows = tuple(
            (each.tokenizer, each.count, _side_by_side(each.first), _side_by_side(each.other))
            for each in self.differences[:_MOST_DIFFERENCES]
        )
        n_more = len(self.differences) - len(rows)
        note = f"{n_more:,} more not shown" if n_more > 0 else ""
        return Table(("tokenizer", "times", self.tokenizers[0], "it"), rows, right=(1,), note=note)

    def to_dict(self) -> dict[str, Any]:
        """Measures and differences as JSON can hold them."""
        return {
            "tokenizers": list(self.tokenizers),
            "groups": list(self.groups),
            "reference": self.reference,
            "measures": [asdict(each) for each in self.measures],
            "agreement": dict(self.agreement),
            "differences": [
                {
                    "tokenizer": each.tokenizer,
                    "count": each.count,
                    "first": list(map(readable, each.first)),
                    "other": list(map(readable, each.other)),
                }
                for each in self.differences
            ],
            "remarks": list(self.remarks),
        }


def _filled(row: Iterable[Any]) -> tuple[Cell, ...]:
    return tuple("-" if cell is None else cell for cell in row)


def _percent(part: float | None) -> str | None:
    return None if part is None else f"{part:.1%}"


def _side_by_side(tokens: Sequence[bytes]) -> Spans:
    return Spans.of(*tokens)


def compare(tokenizers: object, texts: object, *, reference: str | None = None) -> Comparison:
    """Set tokenizers side by side; see `bytepair.compare`."""
    found, remarks = subjects(tokenizers)
    texts_by_group, mended = groups(texts)
    texts_by_group = texts_by_group or {"texts": []}
    if reference is not None and reference not in texts_by_group:
        raise ArgumentError(
            f"reference is {shown(reference)}, and no group of texts has that name; there are "
            f"{', '.join(map(repr, texts_by_group))}"
        )
    base = reference if reference is not None else next(iter(texts_by_group))
    every = [text for some in texts_by_group.values() for text in some]
    beginning = list(_first_characters(every, _CHARACTERS_COMPARED))
    differences, agreement = _all_differences(found, beginning)
    if len(found) > 1 and sum(map(len, beginning)) < sum(map(len, every)):
        mended.append(f"What they cut differently is looked for in the first {_CHARACTERS_COMPARED:,} characters.")
    return Comparison(
        tokenizers=tuple(each.name for each in found),
        groups=tuple(texts_by_group),
        measures=tuple(_measures(found, texts_by_group, base)),
        differences=tuple(differences),
        agreement=FrozenDict(agreement),
        cuts=FrozenDict(_cuts(found, every)),
        reference=base,
        remarks=(*remarks, *mended),
    )


def _first_characters(texts: list[str], most: int) -> Iterator[str]:
    """Texts, and of the last one a part, of at most so many characters together."""
    for text in texts:
        yield text[:most]
        most -= len(text)
        if most <= 0:
            return


def _measures(found: list[Subject], by_group: Mapping[str, list[str]], base: str) -> Iterator[Measure]:
    measures = [_measure(each, group, texts) for group, texts in by_group.items() for each in found]
    n_reference = {each.tokenizer: each.n_tokens for each in measures if each.group == base}
    for each in measures:
        yield replace(each, parity=_ratio(each.n_tokens, n_reference[each.tokenizer]))


def _measure(each: Subject, group: str, texts: list[str]) -> Measure:
    used = Counter(token for tokens in each.encode_all(list(texts)) for token in tokens)
    words = _as_it_takes_them(each, Counter(word for text in texts for word in _WORD.findall(text)))
    per_word = dict(zip(words, map(len, each.encode_all(list(words))), strict=True))
    n_words, n_tokens = words.total(), used.total()
    n_bytes, n_chars = sum(len(text.encode()) for text in texts), sum(map(len, texts))
    return Measure(
        tokenizer=each.name,
        group=group,
        n_tokens=n_tokens,
        n_bytes=n_bytes,
        n_chars=n_chars,
        n_words=n_words,
        bytes_per_token=_ratio(n_bytes, n_tokens),
        chars_per_token=_ratio(n_chars, n_tokens),
        fertility=_ratio(sum(per_word[word] * times for word, times in words.items()), n_words),
        single_token_words=_ratio(sum(times for word, times in words.items() if per_word[word] == 1), n_words),
        renyi_efficiency=renyi_efficiency(used.values(), each.vocab_size),
        n_used=len(used),
        used_share=None if each.vocab_size is None else _ratio(len(used), each.vocab_size),
        parity=None,
    )


def _as_it_takes_them(each: Subject, words: Counter[str]) -> Counter[str]:
    """Words without the space before them, for a tokenizer that puts one there itself: else they had two."""
    spaced = next((word for word in words if word.startswith(" ")), None)
    if spaced is None:
        return words
    bare = spaced[1:]
    alone, twice, given = map(list, each.encode_all([bare, bare + spaced, spaced]))
    if given == alone or twice != alone + alone:
        return words
    found: Counter[str] = Counter()
    for word, times in words.items():
        found[word.removeprefix(" ")] += times
    return found


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def renyi_efficiency(counts: Iterable[int], vocab_size: int | None = None, alpha: float = ALPHA) -> float | None:
    """The Rényi entropy of token counts over the largest that a vocabulary allows.

    H(alpha) = log(sum of p ** alpha) / (1 - alpha), over log(vocab_size). Where all tokens of the vocabulary are used
    equally often it is 1.

    Args:
        counts: how often each token that was used occurs.
        vocab_size: of the vocabulary; None: as many as were used.
        alpha: the order, not 1.

    Returns:
        0 to 1; None where fewer than two tokens exist, or none was used.

    Source: Zouhar, Meister, Gastaldi, Du, Sachan and Cotterell, "Tokenization and the Noiseless Channel" (2023).

    >>> renyi_efficiency([5, 5, 5, 5]), round(renyi_efficiency([3, 1], alpha=2.0), 4)
    (1.0, 0.6781)
    """
    given = [count for count in counts if count]
    total, size = sum(given), len(given) if vocab_size is None else vocab_size
    if not total or size < 2:
        return None
    entropy = math.log(math.fsum((count / total) ** alpha for count in given)) / (1 - alpha)
    return abs(entropy) / math.log(size)


def _cuts(found: list[Subject], texts: list[str]) -> dict[str, tuple[tuple[str | bytes, int], ...]]:
    if len(texts) != 1 or len(texts[0]) > _SHORT or not texts[0]:
        return {}
    return {each.name: tuple(_cut(each, texts[0])) for each in found}


def _cut(each: Subject, text: str) -> Iterator[tuple[str | bytes, int]]:
    tokens, places, data = each.encode_all([text])[0], each.places(text), text.encode()
    for number, token in enumerate(tokens):
        spelled: str | bytes = str(token)
        if places is not None and len(places) == len(tokens):
            spelled = data[slice(*places[number])]
        yield spelled, colour_of(token)


def _all_differences(found: list[Subject], texts: list[str]) -> tuple[list[SpanDifference], dict[str, float | None]]:
    counted: Counter[tuple[str, tuple[bytes, ...], tuple[bytes, ...]]] = Counter()
    agreement: dict[str, float | None] = {}
    first, *others = found
    own = [first.places(text) for text in texts] if others else []
    for other in others:
        n_same = n_all = 0
        for text, places in zip(texts, own, strict=True):
            theirs = other.places(text)
            if places is None or theirs is None:
                continue
            data = text.encode()
            n_all += len(data)
            n_same += len(data)
            for start, end, ours, its in differing(places, theirs):
                n_same -= end - start
                counted[other.name, _slices(data, ours), _slices(data, its)] += 1
        agreement[other.name] = n_same / n_all if n_all else None
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [SpanDifference(*parts, count) for parts, count in ordered], agreement


def _slices(data: bytes, places: Iterable[Place]) -> tuple[bytes, ...]:
    return tuple(data[start:end] for start, end in places)


def differing(ours: Sequence[Place], theirs: Sequence[Place]) -> Iterator[tuple[int, int, list[Place], list[Place]]]:
    """The smallest parts that two cuts agree on the borders of, and cut differently between.

    Args:
        ours: (start, end) of tokens in order.
        theirs: the same of another tokenizer.

    Yields:
        (start, end, our tokens there, their tokens there).

    >>> list(differing([(0, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)]))
    [(0, 2, [(0, 2)], [(0, 1), (1, 2)])]
    """
    ends = sorted({end for _, end in ours} & {end for _, end in theirs})
    last = max([0, *(end for _, end in (*ours, *theirs))])
    i = j = start = 0
    for end in dict.fromkeys([*ends, last]):
        i_end, j_end = _until(ours, i, end), _until(theirs, j, end)
        mine, its = list(ours[i:i_end]), list(theirs[j:j_end])
        if mine != its:
            yield start, end, mine, its
        i, j, start = i_end, j_end, end


def _until(places: Sequence[Place], at: int, end: int) -> int:
    while at < len(places) and places[at][1] <= end:
        at += 1
    return at
