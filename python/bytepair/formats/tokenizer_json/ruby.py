r"""Which regular expressions cut text there as they do here.

`tokenizers` runs Oniguruma in Ruby's syntax: there `$` is the end of a line, `{1,3}+` is not possessive, `\w` holds
other characters. So a custom pattern is written for it only if every construct is known to mean the same.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

_CATEGORIES: Final = {
    *("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe"),
    *("Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp"),
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
_LITERAL: Final = frozenset("^$.*+?()[]{}|\\")


def difference(regex: str) -> str | None:
    r"""Why a regular expression may cut text differently there; None if it is known not to.

    >>> difference(r" ?\p{L}+|\p{N}{1,3}|\s+(?!\S)|.")
    >>> difference(r"\w+")
    '`\\w` at 0 does not mean the same'
    """
    try:
        reader = _Reader(regex)
        nullable = reader.alternatives()
        if reader.at < len(regex):
            reader.refuse(regex[reader.at])
    except _DifferentError as error:
        return str(error)
    return "it can match the empty text" if nullable else None


class _DifferentError(Exception):
    pass


class _Reader:
    """Walks the expression once; each method reads one construct and says whether it can match nothing."""

    def __init__(self, regex: str) -> None:
        self.regex = regex
        self.at = 0

    def refuse(self, construct: str) -> NoReturn:
        raise _DifferentError(f"`{construct}` at {self.at} does not mean the same")

    def peek(self, text: str) -> bool:
        return self.regex.startswith(text, self.at)

    def take(self, text: str) -> bool:
        found = self.peek(text)
        self.at += len(text) if found else 0
        return found

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
        looks_ahead = self.peek("(?=") or self.peek("(?!")
        nullable = self.atom()
        start = self.at
        least = self.quantifier()
        if start == self.at:
            return nullable
        if looks_ahead or nullable:
            self.refuse(self.regex[start : self.at])
        if self.at < len(self.regex) and self.regex[self.at] in "*+?{":
            self.refuse(self.regex[start : self.at + 1])
        return least == 0

    def quantifier(self) -> int:
        """The least number of times; what follows `{...}` is read by nobody, so `{1,3}+` is refused."""
        for sign, least in (("*", 0), ("+", 1), ("?", 0)):
            if self.take(sign):
                _ = self.take("+") or self.take("?")
                return least
        found = _REPEAT.match(self.regex, self.at)
        if not found:
            return 1
        self.at = found.end()
        return int(found[1])

    def atom(self) -> bool:
        if self.peek("("):
            return self.group()
        if self.peek("["):
            self.character_class()
        elif self.peek("\\A") or self.peek("\\z"):
            self.at += 2
            return True
        elif self.peek("\\"):
            self.escape()
        elif self.regex[self.at] in _LITERAL and not self.peek("."):
            self.refuse(self.regex[self.at])
        else:
            self.at += 1
        return False

    def group(self) -> bool:
        folded = _FOLDED.match(self.regex, self.at)
        if folded:
            return self.case_folded(folded)
        ahead = self.take("(?=") or self.take("(?!")
        if not ahead and not self.take("(?:"):
            if self.peek("(?") or self.peek("(*"):
                self.refuse(self.regex[self.at : self.at + 4])
            self.take("(")
        nullable = self.alternatives()
        if not self.take(")"):
            self.refuse("(")
        return ahead or nullable

    def case_folded(self, found: re.Match[str]) -> bool:
        inside = found[1]
        if _FOLDS_TOGETHER.search(inside):
            self.refuse(found[0])
        self.at = found.end()
        return "" in inside.split("|")

    def character_class(self) -> None:
        self.take("[")
        self.take("^")
        start = self.at
        while not self.take("]"):
            if self.at >= len(self.regex) or any(self.peek(sign) for sign in ("[:", "[^", "&&", "--", "~~")):
                self.refuse("[")
            if self.peek("["):  # Its members are members of the outer one, there and here.
                self.character_class()
                continue
            is_character = self.class_member()
            if self.peek("-") and not self.peek("-]"):
                if self.peek("--"):
                    self.refuse("--")
                self.take("-")
                if not is_character or self.peek("[") or not self.class_member():
                    self.refuse("-")
        if self.at == start + 1:
            self.refuse("[]")

    def class_member(self) -> bool:
        """Whether the member is one character, so that it may begin or end a range."""
        if self.peek("\\"):
            return self.escape()
        self.at += 1
        return self.at <= len(self.regex)

    def escape(self) -> bool:
        """Whether it stands for one character."""
        character = _CHARACTER_ESCAPE.match(self.regex, self.at)
        named = _CLASS_ESCAPE.match(self.regex, self.at)
        if character is None and (named is None or named[1] not in {None, *_CATEGORIES}):
            self.refuse(self.regex[self.at : self.at + 2])
        self.at = (character or named).end()  # type: ignore[union-attr]  # one of them matched
        return character is not None
