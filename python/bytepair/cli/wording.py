"""Messages of the library in the words of the command line: options as they were typed."""

from __future__ import annotations

import re

import click

_REPR = r"(?<!\w)'(?:[^'\\\n]|\\.)*'" + r'|(?<![\w=])"(?:[^"\\\n]|\\.)*"'
_VALUE = r'"[^"]*"|\'[^\']*\'|[\w.]+'


def as_typed(message: str, command: click.Command) -> str:
    """Write the arguments of the library that a message names as the options of a command.

    Args:
        message: what the library says.
        command: the command that was called; what it has no option for stays as it is, and so do quoted values.

    Returns:
        The message, with `--vocab-size` for `vocab_size` and `--errors replace` for `errors="replace"`.

    Example:
        >>> train = click.Command("train", params=[click.Option(["--vocab-size"])])
        >>> as_typed("vocab_size is 7; it must be at least 256", train)
        '--vocab-size is 7; it must be at least 256'
        >>> as_typed("pass lossy=True", click.Command("convert", params=[click.Option(["--lossy"], is_flag=True)]))
        'pass --lossy'
    """
    options = {
        each.name: next((text for text in each.opts if text.startswith("--")), each.opts[0])
        for each in command.params
        if isinstance(each, click.Option) and each.name is not None
    }
    flags = {each.name for each in command.params if isinstance(each, click.Option) and each.is_flag}
    names = "|".join(map(re.escape, options))
    # A name of one word may be just a word, unless it stands where a message names an argument.
    compound = "|".join(re.escape(name) for name in options if "_" in name) or r"(?!)"
    named = rf"^(?P<first>{names})(?= is )|\b(?P<name>{compound})\b"
    pattern = rf"(?P<quoted>{_REPR})|\b(?P<set>{names})=(?P<value>{_VALUE})|{named}"

    def typed(found: re.Match[str]) -> str:
        if found["quoted"]:
            return found["quoted"]
        if found["set"] in flags and found["value"] == "True":
            return options[found["set"]]
        if found["set"]:
            return f"{options[found['set']]} {found['value'].strip(chr(34) + chr(39))}"
        return options[found["first"] or found["name"]]

    return re.sub(pattern, typed, message) if options else message
