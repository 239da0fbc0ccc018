"""Messages of the library in the words of the command line: options as they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

import click

# A value as it is shown: what is in it is nobody's option. The value of an argument stands behind an equals sign.
_SHOWN: Final = re.compile(r"(?<![\w=])'(?:[^'\\\n]|\\.)*'" + r'|(?<![\w=])"(?:[^"\\\n]|\\.)*"')
# Of an argument that a message names; "..." and nothing stand for any.
_VALUE: Final = r'"[^"]*"|\'[^\']*\'|\.\.\.|[\w.]*\w|'
_ANY_SET: Final = re.compile(rf"\b([a-z][a-z_]*)=(?:{_VALUE})")
# What comes before another way out in the same clause.
_OR: Final = re.compile(r",? or |[:,] ")

# Ways out that only Python has, and those that stand here for them.
_WAYS: Final = {
    "extend(source, vocab_size) learns more": "`bytepair extend` learns more",
    "encode(text) gives the tokens of a text": "`bytepair encode --tokens` shows those of a text",
    "; encode and encode_batch give lists without it": "",
    'bad_ids="replace" or "skip" decodes': 'bad_ids="replace" or bad_ids="skip" decodes',
    "keep all of it with save()": "keep all of it in a tokenizer.json",
    "give a source, drop, scripts or vocab_size": "name files, or give --drop, --script or --vocab-size",
    "and what keep names with": "and what --keep names with",
    "give sample to the call that counts": "give --sample to `bytepair tally`",
    "pass a list or a dict, or use another tie rule": "name the texts themselves, or use another tie rule",
    "put it in a list: [text]": "pipe it in, and name - for it",
    "read it yourself and pass its text in a list": "copy it to a file, or pipe it in and name - for it",
}


def as_typed(message: str, command: click.Command, others: Iterable[click.Command] = ()) -> str:
    """Write the arguments of the library that a message names as the options of a command.

    Args:
        message: what the library says.
        command: the command that was called. A way out by an argument for which it has no option is left out.
        others: commands whose options are named where this one has none.

    Returns:
        The message, with `--vocab-size` for `vocab_size` and `--errors replace` for `errors="replace"`; values that it
        quotes stay as they are.

    Example:
        >>> train = click.Command("train", params=[click.Option(["--vocab-size"])])
        >>> as_typed("vocab_size is 7; it must be at least 256", train)
        '--vocab-size is 7; it must be at least 256'
        >>> as_typed("pass lossy=True", click.Command("convert", params=[click.Option(["--lossy"], is_flag=True)]))
        'pass --lossy'
        >>> as_typed("it is of no known format; format=... forces one", train)
        'it is of no known format'
    """
    for way, here in _WAYS.items():
        message = message.replace(way, here)
    shown: list[str] = []

    def masked(found: re.Match[str]) -> str:
        shown.append(found[0])
        # No message has a NUL: values are shown as Python writes them.
        return f"\0{len(shown) - 1}\0"

    own, flags = _options([command])
    anywhere = {**_options(others)[0], **own}
    first, *rest = _SHOWN.sub(masked, message).split("; ")
    clauses = [first, *filter(None, (_without_strange(clause, own) for clause in rest))]
    named = _named("; ".join(clauses), own, flags, anywhere)
    return re.sub("\0([0-9]+)\0", lambda found: shown[int(found[1])], named)


def _options(commands: Iterable[click.Command]) -> tuple[dict[str, str], set[str]]:
    """Python's name of each option -> how it is typed; and the names of those that are flags."""
    options = [each for command in commands for each in command.params if isinstance(each, click.Option) and each.name]
    typed = {str(each.name): next((text for text in each.opts if text.startswith("--")), "") for each in options}
    # One that may be repeated has a name of many in Python, and a message may speak of one of them.
    alone = {text.strip("-").replace("-", "_"): text for text in typed.values()}
    return {**alone, **typed}, {str(each.name) for each in options if each.is_flag}


def _without_strange(clause: str, own: Mapping[str, str]) -> str:
    """The clause up to the way out that sets an argument for which there is no option."""
    strange = next((found for found in _ANY_SET.finditer(clause) if found[1] not in own), None)
    if strange is None:
        return clause
    breaks = [found.start() for found in _OR.finditer(clause, 0, strange.start())]
    return clause[: breaks[-1]] if breaks else ""


def _named(text: str, own: Mapping[str, str], flags: set[str], anywhere: Mapping[str, str]) -> str:
    if not anywhere:
        return text
    names = "|".join(map(re.escape, own)) or r"(?!)"
    # A name of one word may be just a word, unless it stands where a message names an argument.
    compound = "|".join(re.escape(name) for name in anywhere if "_" in name) or r"(?!)"
    places = rf"(?:^|(?<=: ))(?:{names})(?= (?:is|are|names|draws)\b|\[)|(?<=leave )(?:{names})(?= out)"
    settable = "|".join(map(re.escape, anywhere))
    pattern = rf"\b(?P<set>{settable})=(?P<value>{_VALUE})|(?P<name>{places}|\b(?:{compound})\b)"

    def typed(found: re.Match[str]) -> str:
        if found["name"]:
            return anywhere[found["name"]]
        value = found["value"].strip("\"'")
        is_alone = value in ("", "...") or (found["set"] in flags and value == "True")
        return anywhere[found["set"]] + ("" if is_alone else f" {value}")

    return re.sub(pattern, typed, text)
