r"""Regular expressions of tokenizer.json files: read as Oniguruma reads them, in Ruby's syntax."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp
from bytepair.formats.tokenizer_json.ruby import PROPERTIES

TEXTS = [
    "Hello, World! it's 1234567.89\n",
    "The quick brown fox doesn't jump over 1234567 lazy dogs, does it?  Yes!\n",
    " \n a \r\n\n  b \t",
    "line\n\n  end \n",
    "Größe café ½ ﬁ Ａ 日本語のテキスト 中文文本 한국어 русский текст ⅠⅡ² \u200d",
    "DON'T don't x_1 __init__ 3.14 12 1234 $5 <a|b> `~^",
    "a",
    " ",
    "\n",
]

# The expressions of published files whose constructs do not mean the same in the syntax of this package.
PUBLISHED = {
    "cl100k as tiktoken has it": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
        r"|\s+(?!\S)|\s"
    ),
    "gpt2 as tiktoken has it": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "kimi": (
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?"
        r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "the first deepseek: the end of a line": r"\s+$",
    "words": r"\w+|[^\w\s]+",
    "no word": r"\W",
    "digits from the right": r"(?=(\d{3})+(?!\d))",
    "digits in threes": r"\d{1,3}(?=(?:\d{3})*\b)",
    "digits behind digits": r"(?<=\p{N})(?=(?:\p{N}{3})+(?!\p{N}))",
    "named classes": r"[[:alpha:]]+|[[:digit:]]+|[[:punct:]]+|[[:space:]]+",
    "scripts": r"[\p{Hiragana}\p{Katakana}]+|\p{Hangul}+|\p{Latin}+",
    "hexadecimal": r"\h+",
    "the beginning of a line": r"^ *",
    "the end of a text": r"\s+\Z",
    "borders of words": r"\b",
    "no borders of words": r"\B",
    "a repetition of a repetition": r"\p{N}{2}+|\p{L}{1,3}+",
}


def with_split(regex: str, behavior: str = "isolated", invert: bool = False) -> tuple[Any, Tokenizer]:
    """The step alone, and a tokenizer with it."""
    step = P.Split(Regex(regex), behavior, invert)
    made = Tokenizer(models.BPE({each: i for i, each in enumerate(sorted(P.ByteLevel.alphabet()))}, []))
    made.pre_tokenizer, made.decoder = P.Sequence([step, P.ByteLevel(False, use_regex=False)]), D.ByteLevel()
    return step, made


def pieces(step: Any, text: str) -> list[str]:
    return [piece for piece, _ in step.pre_tokenize_str(text)]


@pytest.mark.parametrize("regex", PUBLISHED.values(), ids=PUBLISHED)
def test_constructs_that_mean_something_else_are_read_as_they_are_meant(regex: str, tmp_path: Path) -> None:
    step, theirs = with_split(regex)
    ours = bp.load(theirs.to_str().encode())
    ours.save(tmp_path / "tokenizer.json")
    again, there = bp.load(tmp_path / "tokenizer.json"), Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert again == ours
    for text in TEXTS:
        assert ours.pieces(text) == again.pieces(text) == pieces(step, text)
        assert pieces(there.pre_tokenizer, text) == pieces(theirs.pre_tokenizer, text)


def test_a_name_goes_by_what_is_meant_and_not_by_the_letters() -> None:
    assert bp.load(with_split(PUBLISHED["cl100k as tiktoken has it"])[1].to_str().encode()).pattern != "cl100k"
    possessive = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    ours = bp.load(with_split(possessive + "+")[1].to_str().encode())
    assert ours.pieces("1234567") == ["1234567"]
    assert bp.load(with_split(possessive)[1].to_str().encode()).pieces("1234567") == ["123", "456", "7"]


MEMBERS = [
    *("a", "b", "a-c", r"\s", ".", ",", "|", "(", r"\d", r"\p{L}", "1", "é", r"\w", r"\W", r"\h", r"\H", r"\S"),
    *("[:alpha:]", "[:punct:]", "[:space:]", "[:^space:]", "[:^punct:]", "[:word:]", "[:alnum:]", "[:upper:]"),
    *(r"\p{Han}", r"\n", r"\p{Lu}", "中", r"\P{L}"),
]


class Draw:
    """Regular expressions at random, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def one_of(self, *parts: str) -> str:
        return self.chance.choice(parts)

    def members(self, depth: int) -> str:
        inside = self.chance.choices(MEMBERS, k=self.chance.randrange(1, 4))
        if depth:
            inside.insert(self.chance.randrange(len(inside) + 1), self.members(depth - 1))
        if self.chance.random() < 0.25:
            inside.insert(self.chance.randrange(1, len(inside) + 1), "&&")
            inside.append(self.one_of(*MEMBERS))
        return "[" + self.one_of("", "^", "") + "".join(inside) + "]"

    def atom(self, depth: int) -> str:
        kind = self.chance.randrange(3 if depth else 2)
        if kind == 0:
            return self.members(self.chance.randrange(2))
        if kind == 1:
            return self.one_of("a", "b", " ", "1", r"\n", r"\w", r"\s", r"\d", r"\p{L}", ".", r"\W", r"\h", "'")
        return self.one_of("(?:", "(") + self.regex(depth - 1) + self.one_of("", "|" + self.regex(depth - 1)) + ")"

    def regex(self, depth: int = 2) -> str:
        rest = self.regex(depth - 1) if depth else ""
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.one_of("^", "$", r"\b", r"\B", r"\Z", r"\z", r"\A") + rest
        if kind == 1 and depth:
            return self.one_of("(?=", "(?!") + self.regex(depth - 1) + ")" + self.one_of("", rest)
        if kind == 2:
            return self.one_of("(?<=", "(?<!") + self.one_of("a", r"\s", r"\d", "[ab]", r"\w") + ")" + rest
        times = self.one_of("", "", "+", "*", "?", "{1,3}", "{2}", "{1,3}+", "{2}+", "{1,}+", "++", "*+", "+?", "{2,}")
        return self.atom(depth) + times + self.one_of("", "|" + rest if rest else "", rest)


def readable(n_wanted: int) -> Iterator[tuple[Any, bp.Tokenizer, str]]:
    """Expressions that both sides read."""
    n_found = 0
    for seed in range(10 * n_wanted):
        draw = Draw(seed)
        regex = draw.regex()
        behavior = draw.one_of("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous")
        try:
            step, theirs = with_split(regex, behavior, invert=draw.chance.random() < 0.2)
            found = bp.load(theirs.to_str().encode())
        except Exception:  # theirs has no kind of its own
            continue
        yield step, found, regex
        n_found += 1
        if n_found == n_wanted:
            return
    raise AssertionError(f"{n_found} were readable")


@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
def test_random_expressions_cut_as_there() -> None:
    chance = random.Random(1)
    for step, ours, regex in readable(600):
        for _ in range(10):
            text = "".join(chance.choices("abcx1 23 .,|()é\n-dZ中[]^'¼\u200dⅠ_\r   ", k=chance.randrange(1, 25)))
            assert ours.pieces(text) == pieces(step, text), (regex, text)


@pytest.mark.parametrize("name", sorted(PROPERTIES))
def test_properties_hold_the_same_characters(name: str) -> None:
    step, theirs = with_split(rf"\p{{{name}}}", "removed", invert=True)
    ours = bp.load(theirs.to_str().encode())
    # Every block is begun; the blocks of most scripts are gone through.
    codes = [*range(0x3400), *range(0x3400, 0x110000, 97), *range(0xA000, 0xA100), *range(0x1F300, 0x1F700)]
    text = " ".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
    assert ours.pieces(text) == pieces(step, text)


@pytest.mark.parametrize(
    ("regex", "construct"),
    [
        (r"(?i)a", r"\(\?i\)"),
        (r"\p{Cherokee}", r"\\p"),
        (r"(?<=ab)c", r"\(\?<="),
        (r"(?<=a|b)c", r"\(\?<="),
        (r"a{1,3}?", r"\{1,3\}\?"),
        (r"(?>a)", r"\(\?>a"),
        (r"\Ga", r"\\G"),
        (r"(a)\1", r"\\1"),
    ],
)
def test_what_is_not_known_to_mean_the_same_is_refused_by_name(regex: str, construct: str) -> None:
    data = with_split(regex)[1].to_str().encode()
    with pytest.raises(bp.FormatError, match=rf"pattern\.Regex: in the pattern .* `{construct}` at \d+ does not mean"):
        bp.load(data)


def with_regex(regex: str) -> bytes:
    """The file of a tokenizer that cuts by it, whatever `tokenizers` says to it."""
    file = json.loads(with_split("a")[1].to_str())
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = regex
    return json.dumps(file).encode()


NESTED = {
    "groups": ("(", ")", ""),
    "groups that look ahead": ("(?=", ")", ""),
    "classes": ("[", "]", ""),
    "classes in groups": ("[", "]", "(?:" * 40),
}


@pytest.mark.parametrize(("opened", "closed", "before"), NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("n_levels", [51, 240, 20_000])
def test_groups_and_classes_that_stand_too_deep_are_refused_by_name(
    opened: str, closed: str, before: str, n_levels: int
) -> None:
    regex = before + opened * n_levels + "a" + closed * n_levels + ")" * before.count("(")
    # The engine has limits of its own, and what it says comes first.
    reason = r"in the pattern .* `[(\[]` at \d+ stands in 50 others, and no deeper|the split pattern .* failed: "
    with pytest.raises(bp.FormatError, match=rf"pattern\.Regex: (?:{reason})"):
        bp.load(with_regex(regex))


@pytest.mark.parametrize(("opened", "closed"), [("(", ")"), ("[", "]")])
def test_groups_and_classes_that_stand_side_by_side_or_less_deep_are_read(opened: str, closed: str) -> None:
    deep = opened * 49 + "a" + closed * 49
    ours = bp.load(with_regex(f"(?:{deep}|{opened}x{closed})|" + f"{opened}b{closed}" * 60))
    assert ours.pieces("cax" + "b" * 61) == ["c", "a", "x", "b" * 60, "b"]


def test_an_empty_match_is_a_border_where_text_is_cut_and_refused_where_it_is_replaced() -> None:
    _, theirs = with_split("a")
    theirs.normalizer = N.Replace(Regex("b*"), "x")
    with pytest.raises(bp.FormatError, match=r"normalizer\.pattern\.Regex: .* it can match the empty text"):
        bp.load(theirs.to_str().encode())


def test_what_this_package_means_otherwise_is_not_written_for_tokenizers(tmp_path: Path) -> None:
    for pattern in (r"\w+|\W+", r"\p{N}{1,3}+|.", r"\s+$|."):
        tok = bp.train(["a b"], num_merges=0, pattern=pattern)
        tok.save(tmp_path / "tokenizer.json")
        assert json.loads((tmp_path / "tokenizer.json").read_text())["model"]["type"] == "bytepair"
        assert bp.load(tmp_path / "tokenizer.json") == tok
