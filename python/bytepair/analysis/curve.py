"""Bytes per token at every vocabulary size, from one training, on text that it has not seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, Final

from bytepair import arguments
from bytepair.analysis.applications import Applications, applications
from bytepair.analysis.usage import Usage, used_in
from bytepair.analysis.vocabulary import Vocabulary
from bytepair.analysis.words import share
from bytepair.corpus import Source
from bytepair.errors import ModelError
from bytepair.model import Model
from bytepair.render import Block, Chart, Drawn, Heading, Line, Paragraph, Table, chart_svg, number_of, picture
from bytepair.tally import Tally

_MOST_POINTS: Final = 512


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A tokenizer of one size, on the text of the curve.

    Args:
        num_merges: how many merges it has.
        vocab_size: how many tokens, specials among them.
        n_tokens: what the text comes to.
        bytes_per_token: bytes of its pieces over tokens; 0.0 for a text without any.
        saved: tokens that the last merge saved.
        n_rare: ordinary tokens that stand in the text fewer than `rare_below` times.
        rare_share: the part of the ordinary tokens that they are, 0 to 1.
        embedding_parameters: `vocab_size` times the dimension.
    """

    num_merges: int
    vocab_size: int
    n_tokens: int
    bytes_per_token: float
    saved: int
    n_rare: int
    rare_share: float
    embedding_parameters: int


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Drawn):
    """What each size of a vocabulary comes to on a text. It prints, shows itself in a notebook, and gives `csv()`.

    Args:
        vocab_sizes: n_merges + 1 sizes: without merges, and after each.
        n_tokens: what the text comes to at each of them.
        n_rare: ordinary tokens below `rare_below` at each of them.
        n_specials: how many of the tokens are special.
        n_bytes: of the pieces of the text.
        rare_below: a token is rare if it stands in the text fewer times.
        dimension: of an embedding.

    >>> from bytepair.training import learn, Options
    >>> model, _ = learn(["low low lower"], Options(num_merges=3))
    >>> found = curve(model, ["slow low"])
    >>> found.vocab_sizes, found.n_tokens
    ((256, 257, 258, 259), (8, 6, 4, 3))
    """

    vocab_sizes: tuple[int, ...]
    n_tokens: tuple[int, ...]
    n_rare: tuple[int, ...]
    n_specials: int
    n_bytes: int
    rare_below: int
    dimension: int

    def __len__(self) -> int:
        return len(self.vocab_sizes)

    def __repr__(self) -> str:
        return f"Curve({self.vocab_sizes[0]:,} to {number_of(self.vocab_sizes[-1], 'token')}, knee={self.knee})"

    def point(self, num_merges: int) -> CurvePoint:
        """All about the tokenizer of so many merges, 0 to `len(curve) - 1`."""
        k = arguments.integer("num_merges", num_merges, 0, len(self) - 1)
        n_ordinary = self.vocab_sizes[k] - self.n_specials
        return CurvePoint(
            num_merges=k,
            vocab_size=self.vocab_sizes[k],
            n_tokens=self.n_tokens[k],
            bytes_per_token=self.n_bytes / self.n_tokens[k] if self.n_tokens[k] else 0.0,
            saved=self.n_tokens[k - 1] - self.n_tokens[k] if k else 0,
            n_rare=self.n_rare[k],
            rare_share=self.n_rare[k] / n_ordinary if n_ordinary else 0.0,
            embedding_parameters=self.vocab_sizes[k] * self.dimension,
        )

    def at(self, vocab_size: int) -> CurvePoint:
        """All about the tokenizer of this size.

        Raises:
            ArgumentError: it is outside the curve.
        """
        size = arguments.integer("vocab_size", vocab_size, self.vocab_sizes[0], self.vocab_sizes[-1])
        return self.point(bisect_left(self.vocab_sizes, size))

    @property
    def knee(self) -> int:
        """The vocabulary size at which the curve of bytes per token bends most.

        It is the largest distance above the straight line from the first point to the last: below it a further token
        gains more than on average over this curve, above it less. So it depends on where the curve ends.

        Source: Satopää, Albrecht, Irwin and Raghavan, "Finding a Kneedle in a Haystack" (2011), without smoothing.
        """
        ys = [self.n_bytes / n_tokens if n_tokens else 0.0 for n_tokens in self.n_tokens]
        width, height = (self.vocab_sizes[-1] - self.vocab_sizes[0]) or 1, (ys[-1] - ys[0]) or 1.0
        heights = [
            (y - ys[0]) / height - (size - self.vocab_sizes[0]) / width
            for size, y in zip(self.vocab_sizes, ys, strict=True)
        ]
        return self.vocab_sizes[max(range(len(heights)), key=heights.__getitem__)]

    @property
    def _is_flat(self) -> bool:
        return self.n_tokens[0] == self.n_tokens[-1]

    def rows(self) -> list[CurvePoint]:
        """Points to look at: the first and the last, every power of two between them, and the knee."""
        low, high = self.vocab_sizes[0], self.vocab_sizes[-1]
        powers = [2**power for power in range(low.bit_length(), high.bit_length())]
        return [
            self.at(size) for size in sorted({low, high, self.knee, *(size for size in powers if low < size < high)})
        ]

    def csv(self) -> str:
        """Every point as comma-separated values, a header first."""
        names = list(CurvePoint.__dataclass_fields__)
        lines = [",".join(names)]
        for k in range(len(self)):
            point = self.point(k)
            lines.append(",".join(_number(getattr(point, name)) for name in names))
        return "\n".join(lines) + "\n"

    def blocks(self) -> list[Block]:
        """The chart, the suggestion, and a table of sizes."""
        title = f"Bytes per token from {self.vocab_sizes[0]:,} to {number_of(self.vocab_sizes[-1], 'token')}"
        found: list[Block] = [Heading(title, 1)]
        if not self.n_bytes:
            return [*found, Paragraph("There is no text to measure on.")]
        points = tuple((float(p.vocab_size), p.bytes_per_token) for p in map(self.point, self._some()))
        line = Line("bytes/token", points)
        if self._is_flat:
            remark = "Every size comes to the same number of tokens here, so none is suggested."
            return [*found, Chart((line,), "vocabulary size", "bytes per token"), Paragraph(remark), self._table()]
        knee = self.at(self.knee)
        found.append(
            Chart((line,), "vocabulary size", "bytes per token", ((float(self.knee), f"knee: {self.knee:,}"),))
        )
        found.append(Paragraph(self._suggestion(knee)))
        return [*found, self._table()]

    def svg(self, width: int = 90) -> str:
        """The chart alone; without a text to measure on, what a terminal of so many columns shows."""
        charts = [block for block in self.blocks() if isinstance(block, Chart)]
        return chart_svg(charts[0]) + "\n" if charts else picture(self.draw(colour=True, width=width))

    def _some(self) -> Sequence[int]:
        """Points for a chart: close together at first, where the curve is steep."""
        last = len(self) - 1
        return sorted({round(last * (number / _MOST_POINTS) ** 3) for number in range(_MOST_POINTS + 1)})

    def _suggestion(self, knee: CurvePoint) -> str:
        last = self.point(len(self) - 1)
        return (
            f"The knee is at {number_of(knee.vocab_size, 'token')} with {knee.bytes_per_token:.3f} bytes per token "
            f"({last.bytes_per_token:.3f} at {last.vocab_size:,}): up to there a further token gains more than the "
            "mean of this curve, after it less."
        )

    def _table(self) -> Table:
        rows = self.rows()
        header = ("tokens", "bytes/token", "fewer", f"rare (<{self.rare_below})", f"parameters (d={self.dimension:,})")
        drawn = [
            (
                point.vocab_size,
                f"{point.bytes_per_token:.3f}",
                "" if before is None else f"{1 - point.n_tokens / before.n_tokens:.1%}",
                share(point.rare_share, 1),
                point.embedding_parameters,
            )
            for before, point in zip([None, *rows], rows, strict=False)
        ]
        marked = frozenset(i for i, point in enumerate(rows) if point.vocab_size == self.knee and not self._is_flat)
        note = '"fewer" is what the text loses in tokens from one row to the next.'
        return Table(header, tuple(drawn), right=(0, 1, 2, 3, 4), marked=marked, note=note)

    def to_dict(self) -> dict[str, Any]:
        """Every point as JSON can hold it, by columns."""
        return {
            "n_bytes": self.n_bytes,
            "knee": self.knee,
            "rare_below": self.rare_below,
            "dimension": self.dimension,
            "vocab_size": list(self.vocab_sizes),
            "tokens": list(self.n_tokens),
            "rare": list(self.n_rare),
        }


def _number(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def curve(model: Model, source: Source | Tally, *, rare_below: int = 10, dimension: int = 768, **reading: Any) -> Curve:
    """What every size comes to, from the merges of one model; see `bytepair.curve`. `reading` is that of `used_in`.

    The text is encoded once, with all merges; what each of them does in it is worked out from its tokens.
    """
    least = arguments.integer("rare_below", rare_below, 1)
    width = arguments.integer("dimension", dimension, 1)
    vocabulary = Vocabulary(model)
    _refuse_unordered(vocabulary)
    return _curve(vocabulary, used_in(model, source, **reading), least, width)


def _refuse_unordered(vocabulary: Vocabulary) -> None:
    """Only what merges make by their ranks can be undone from the last to the first."""
    frame = vocabulary.model.frame
    if frame is None:
        return
    n_made = sum(each.id in vocabulary.ranks_of for each in frame.added)
    for n, what in (
        (len(frame.leftmost), "pairs that merge by their place, after all ranks"),
        (len(frame.replaced), "tokens that become others after all merges"),
        (n_made, "added tokens that merges make as well"),
    ):
        if n:
            raise ModelError(
                "curve goes back along the merges in the order in which they were learned, and this tokenizer has "
                f"{n:,} {what}: what a smaller size makes of them is not known; compare measures it as it is"
            )


def _curve(vocabulary: Vocabulary, used: Usage, rare_below: int, dimension: int) -> Curve:
    model = vocabulary.model
    made = _made(vocabulary)
    made_at = applications(vocabulary, made, used)
    saved = [sum((len(parts) - 1) * times for parts, _, times in each) for each in made_at]
    n_symbols = used.n_tokens + sum(saved)
    n_tokens = accumulate(saved, lambda left, less: left - less, initial=n_symbols)
    return Curve(
        vocab_sizes=_sizes(model, made),
        n_tokens=tuple(n_tokens),
        n_rare=tuple(_rare(vocabulary, made, used, made_at, rare_below)),
        n_specials=len(model.specials),
        n_bytes=used.n_bytes,
        rare_below=rare_below,
        dimension=dimension,
    )


def _made(vocabulary: Vocabulary) -> list[int]:
    """What each merge makes, by rank; in a model of ranks every token but the single bytes, by id."""
    model = vocabulary.model
    if model.kind == "ranks":
        return [number for number in vocabulary.ids if not vocabulary.is_symbol(number)]
    return [found[1] for pair in model.merges if (found := vocabulary.merging.merge(*pair))]


def _sizes(model: Model, made: list[int]) -> tuple[int, ...]:
    seen: set[int] = set()
    first = sum(token is not None for token in model.spellings()) - len(set(made))
    sizes = [first]
    for number in made:
        seen.add(number)
        sizes.append(first + len(seen))
    return tuple(sizes)


def _rare(
    vocabulary: Vocabulary, made: list[int], used: Usage, made_at: Applications, rare_below: int
) -> Iterator[int]:
    """How many ordinary tokens of the vocabulary are rare, at each size."""
    counts = list(used.counts)
    for parts, number, times in chain.from_iterable(made_at):
        counts[number] -= times
        for part in parts:
            counts[part] += times
    known = set(vocabulary.ids) - set(made)
    n_rare = sum(counts[number] < rare_below for number in known)
    yield n_rare
    for new, each in zip(made, made_at, strict=True):
        n_rare += new not in known and counts[new] < rare_below
        known.add(new)
        for parts, number, times in each:
            for changed, change in ((number, times), *((part, -times) for part in parts)):
                before = counts[changed] < rare_below
                counts[changed] += change
                n_rare += (counts[changed] < rare_below) - before
        yield n_rare
