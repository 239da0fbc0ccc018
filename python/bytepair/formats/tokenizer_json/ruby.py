r"""Which regular expressions cut text there as they do here, and what those that do not are spelled here.

`tokenizers` runs Oniguruma in Ruby's syntax: there `$` is the end of a line, `{1,3}+` is not possessive, `\w` holds
other characters. So a custom pattern is written for it only if every construct is known to mean the same, and what a
file says is read into such constructs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

# Those that hold the same characters there and here.
PROPERTIES: Final = frozenset(
    (
        *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe"),
        *("Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "C", "Cc", "Cf", "Co", "Cn"),
        *("Letter", "Mark", "Number", "Punctuation", "Symbol", "Separator", "Alphabetic", "Uppercase", "Lowercase"),
        *("Emoji", "Extended_Pictographic", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Latin", "Greek"),
        *("Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Syriac", "Ethiopic", "Devanagari", "Bengali"),
        *("Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao"),
        *("Tibetan", "Myanmar", "Khmer", "Mongolian", "Common", "Inherited"),
    )
)
# Of Latin-1's numbers Oniguruma takes more for word characters where no class is round them.
_WORD: Final = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_ALONE: Final = _WORD + r"\x{b2}\x{b3}\x{b9}\x{bc}-\x{be}"
# What stands for one of some characters there -> the same in a class here.
_CLASSES: Final = {
    r"\w": _WORD,
    r"\W": f"[^{_WORD}]",
    r"\h": "0-9A-Fa-f",
    r"\H": "[^0-9A-Fa-f]",
    "[:alpha:]": r"\p{Alphabetic}",
    "[:digit:]": r"\d",
    "[:alnum:]": r"\p{Alphabetic}\d",
    "[:upper:]": r"\p{Uppercase}",
    "[:lower:]": r"\p{Lowercase}",
    "[:space:]": r"\s",
    "[:punct:]": r"\p{P}\p{S}",
    "[:word:]": _WORD,
    "[:^space:]": r"\S",
    "[:^digit:]": r"\D",
    "[:^punct:]": r"[^\p{P}\p{S}]",
    "[:^alpha:]": r"\P{Alphabetic}",
}
_CHARACTERS: Final = {r"\w": f"[{_ALONE}]", r"\W": f"[^{_ALONE}]", r"\h": "[0-9A-Fa-f]", r"\H": "[^0-9A-Fa-f]"}
# Places there -> the same here.
_PLACES: Final = {
    "^": r"(?:\A|(?<=\n)(?!\z))",
    "$": r"(?=\n|\z)",
    r"\Z": r"(?=\n?\z)",
    r"\b": rf"(?:(?<=[{_ALONE}])(?![{_ALONE}])|(?<![{_ALONE}])(?=[{_ALONE}]))",
    r"\B": rf"(?:(?<=[{_ALONE}])(?=[{_ALONE}])|(?<![{_ALONE}])(?![{_ALONE}]))",
}
_CHARACTER_ESCAPE = re.compile(
    r"\\(?:[rntf]|x[0-7][0-9a-fA-F]|x\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|[^\w\s<>])", re.ASCII
)
_CLASS_ESCAPE = re.compile(r"\\(?:[sSdD]|[pP]\{(\w+)\})")
_REPEAT = re.compile(r"\{(\d{1,3})(?:,(\d{0,3}))?\}")
_FOLDED = re.compile(r"\(\?i:((?:[A-Za-z' |]|\[[A-Za-z]+\])*)\)")
# Neighbours that fold together with one character (ligatures, sharp s): Oniguruma matches it, others do not. A class
# beside a letter might be such neighbours.
_FOLDS_TOGETHER = re.compile(r"f[fil]|s[st]|[a-z]\[|\][a-z\[]", re.IGNORECASE)
_LITERAL: Final = frozenset(".*+?()[]{}|\\")
# How deep groups and classes are read that stand in each other: each takes a few calls, and Python has a limit of them.
MAX_DEPTH: Final = 50


def difference(regex: str) -> str | None:
    r"""Why a regular expression may cut text differently there; None if it is known not to.

    >>> difference(r" ?\p{L}+|\p{N}{1,3}|\s+(?!\S)|.")
    >>> difference(r"\w+")
    '`\\w` at 0 does not mean the same'
    """
    try:
        reader = _Reader(regex)
        reader.whole()
    except DifferentError as error:
        return str(error)
    return reader.translated


def translated(regex: str) -> tuple[str, bool]:
    r"""A regular expression of theirs in constructs that mean the same here, and whether it can match nothing.

    Raises:
        DifferentError: a construct is not known to mean the same, and has no translation.

    >>> translated(r"\p{N}{1,3}+|\s+$")
    ('(?:\\p{N}{1,3})+|\\s+(?=\\n|\\z)', False)
    """
    reader = _Reader(regex)
    nullable = reader.whole()
    return "".join(reader.made), nullable


class DifferentError(Exception):
    """What does not mean the same, and where it stands."""


class _Reader:
    """Walks the expression once; each method reads one construct and says whether it can match nothing."""

    def __init__(self, regex: str) -> None:
        self.regex = regex
        self.at = 0
        self.depth = 0
        self.made: list[str] = []
        # Of the first construct that was spelled otherwise.
        self.translated: str | None = None

    def refuse(self, construct: str) -> NoReturn:
        raise DifferentError(self.different(construct, self.at))

    @staticmethod
    def different(construct: str, at: int) -> str:
        return f"`{construct}` at {at} does not mean the same"

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Around what reads a group or a class."""
        if self.depth == MAX_DEPTH:
            found = f"`{self.regex[self.at]}` at {self.at} stands in {MAX_DEPTH} others"
            raise DifferentError(f"{found}, and no deeper one is known to mean the same")
        self.depth += 1
        yield
        self.depth -= 1

    def peek(self, text: str) -> bool:
        return self.regex.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Whether this comes next; it then means the same."""
        found = self.peek(text)
        if found:
            self.keep(len(text))
        return found

    def keep(self, n_chars: int) -> None:
        self.made.append(self.regex[self.at : self.at + n_chars])
        self.at += n_chars

    def translate(self, construct: str, spelled: str) -> None:
        self.translated = self.translated or self.different(construct, self.at)
        self.made.append(spelled)
        self.at += len(construct)

    def whole(self) -> bool:
        nullable = self.alternatives()
        if self.at < len(self.regex):
            self.refuse(self.regex[self.at])
        return nullable

    def alternatives(self) -> bool:
        nullable = self.sequence()
        while self.take("|"):
            nullable = self.sequence() or nullable
        return nullable

    def sequence(self) -> bool:
        nullable = True
        while self.at < len(self.regex) and not self.peek("|") and not self.peek(")"):
            nullable = self.repeated() and nullable
        return nullable

    def repeated(self) -> bool:
        looks = any(map(self.peek, ("(?=", "(?!", "(?<=", "(?<!")))
        first = len(self.made)
        nullable = self.atom()
        start = self.at
        least = self.quantifier(first)
        if start == self.at:
            return nullable
        if looks or nullable:
            self.refuse(self.regex[start : self.at])
        if self.at < len(self.regex) and self.regex[self.at] in "*+?{":
            self.refuse(self.regex[start : self.at + 1])
        return least == 0

    def quantifier(self, first: int) -> int:
        """The least number of times; `first` is where what it repeats begins. There `{1,3}+` is both, one by one."""
        for sign, least in (("*", 0), ("+", 1), ("?", 0)):
            if self.take(sign):
                _ = self.take("+") or self.take("?")
                return least
        found = _REPEAT.match(self.regex, self.at)
        if not found:
            return 1
        if self.regex.startswith("+", found.end()):
            self.made.insert(first, "(?:")
            self.translate(found[0] + "+", found[0] + ")+")
        else:
            self.keep(len(found[0]))
        return int(found[1])

    def atom(self) -> bool:
        for construct, place in _PLACES.items():
            if self.peek(construct):
                self.translate(construct, place)
                return True
        if self.peek("("):
            with self.nested():
                return self.group()
        if self.peek("["):
            with self.nested():
                self.character_class()
        elif self.take("\\A") or self.take("\\z"):
            return True
        elif (construct := self.regex[self.at : self.at + 2]) in _CHARACTERS:
            self.translate(construct, _CHARACTERS[construct])
        elif self.peek("\\"):
            self.escape()
        elif self.regex[self.at] in _LITERAL and not self.peek("."):
            self.refuse(self.regex[self.at])
        else:
            self.keep(1)
        return False

    def group(self) -> bool:
        folded = _FOLDED.match(self.regex, self.at)
        if folded:
            return self.case_folded(folded)
        looks = any(map(self.take, ("(?=", "(?!")))
        if not looks and (self.peek("(?<=") or self.peek("(?<!")):
            return self.look_behind()
        if not looks and not self.take("(?:"):
            if self.peek("(?") or self.peek("(*"):
                self.refuse(self.regex[self.at : self.at + 4])
            self.take("(")
        nullable = self.alternatives()
        if not self.take(")"):
            self.refuse("(")
        return looks or nullable

    def look_behind(self) -> bool:
        """Of one character, which no engine reads otherwise."""
        construct = self.regex[self.at : self.at + 4]
        self.keep(4)
        start = self.at
        if self.peek("(") or self.peek(")") or self.peek("|") or self.atom():
            self.at = start
            self.refuse(construct)
        if not self.take(")"):
            self.at = start
            self.refuse(construct)
        return True

    def case_folded(self, found: re.Match[str]) -> bool:
        inside = found[1]
        if _FOLDS_TOGETHER.search(inside):
            self.refuse(found[0])
        self.keep(len(found[0]))
        return "" in inside.split("|")

    def character_class(self) -> None:
        self.take("[")
        self.take("^")
        start = self.at
        while not self.take("]"):
            if self.at >= len(self.regex) or any(map(self.peek, ("--", "~~"))):
                self.refuse("[")
            if self.at > start and self.take("&&"):
                if self.peek("]") or self.peek("&&"):
                    self.refuse("&&")
            elif self.named_class():
                continue
            elif self.peek("["):  # Its members are members of the outer one, there and here.
                with self.nested():
                    self.character_class()
            else:
                self.class_range()
        if self.at == start + 1:
            self.refuse("[]")

    def class_range(self) -> None:
        """A member, or the first and the last of a range."""
        is_character = self.class_member()
        if self.peek("-") and not self.peek("-]"):
            if self.peek("--"):
                self.refuse("--")
            self.take("-")
            if not is_character or self.peek("[") or not self.class_member():
                self.refuse("-")

    def named_class(self) -> bool:
        """Whether one of the table stands here, within a class; it neither begins nor ends a range."""
        found = next((each for each in _CLASSES if self.peek(each)), None)
        if found is None:
            if self.peek("[:") or self.peek("&&"):
                self.refuse(self.regex[self.at : self.at + 2])
            return False
        self.translate(found, _CLASSES[found])
        if self.peek("-") and not self.peek("-]"):
            self.refuse("-")
        return True

    def class_member(self) -> bool:
        """Whether the member is one character, so that it may begin or end a range."""
        if self.peek("\\"):
            return self.escape()
        self.keep(1)
        return self.at <= len(self.regex)

    def escape(self) -> bool:
        """Whether it stands for one character."""
        character = _CHARACTER_ESCAPE.match(self.regex, self.at)
        named = _CLASS_ESCAPE.match(self.regex, self.at)
        if character is None and (named is None or named[1] not in {None, *PROPERTIES}):
            self.refuse(self.regex[self.at : self.at + 2])
        self.keep(len((character or named)[0]))  # type: ignore[index]  # one of them matched
        return character is not None
