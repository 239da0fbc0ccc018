"""minbpe's `.model`: a line each for version, pattern, number of specials, specials, and pairs of ids.

Source: karpathy/minbpe, minbpe/base.py, save and load.
"""

from __future__ import annotations

from collections.abc import Mapping

from bytepair.arguments import shown
from bytepair.errors import ArgumentError, FormatError, ModelError
from bytepair.model import Model
from bytepair.patterns import NAMED, of_regex, resolve

_VERSION = "minbpe v1"


def recognise(data: bytes) -> bool:
    """Whether the first line names the format."""
    return data.removeprefix(b"\xef\xbb\xbf").startswith(_VERSION.encode())


def read(data: bytes, where: str, pattern: str | None, special_tokens: Mapping[str, int] | None) -> Model:
    """Read a minbpe model.

    Args:
        data: the file; line ends of any kind.
        where: the file, for messages.
        pattern: where the file holds none, as of a `BasicTokenizer`: None for the whole text as one piece.
        special_tokens: must be None: the file says them.

    Raises:
        ArgumentError: special tokens were given, or a pattern besides that of the file.
        FormatError: it is broken; names the line.
    """
    if special_tokens is not None:
        raise ArgumentError(f"special_tokens is {special_tokens!r}, and {where} has its own; leave special_tokens out")
    lines = _lines(data, where)
    if len(lines) < 3:
        raise FormatError(
            f"{where}: it ends with line {len(lines)}; expected version, pattern and the number of specials"
        )
    n_specials = _numbers(lines[2], 1, where, 3)[0]
    specials = _specials(lines[3 : 3 + n_specials], n_specials, where)
    pairs = _pairs(lines[3 + n_specials :], where, 4 + n_specials)
    if lines[1] and pattern is not None:
        raise ArgumentError(f"pattern is {pattern!r}, and {where} has its own; leave pattern out")
    split = of_regex(lines[1]) if lines[1] else resolve(pattern or NAMED["none"])
    tokens = _spelled(pairs, len(data), where, 4 + n_specials)
    try:
        return Model("merges", "bytes", tuple(tokens), tuple(pairs), specials, split, byte_order="value")
    except ModelError as error:
        raise FormatError(f"{where}: {error}") from None


def _lines(data: bytes, where: str) -> list[str]:
    """The lines, without white space at their ends, as minbpe reads them."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{where}: byte {error.start} is not UTF-8; a minbpe model is UTF-8") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    lines = [line.strip() for line in text.split("\n")]
    if lines[0] != _VERSION:
        raise FormatError(f"{where}: line 1 is {shown(lines[0])}; expected {_VERSION!r}, and nothing before it")
    return lines


def _pairs(lines: list[str], where: str, first: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for number, line in enumerate(lines, first):
        left, right = _numbers(line, 2, where, number)
        following = 256 + len(pairs)
        if max(left, right) >= following:
            raise FormatError(f"{where}: line {number} joins {left} and {right}; expected ids below {following}")
        pairs.append((left, right))
    return pairs


def _spelled(pairs: list[tuple[int, int]], n_bytes: int, where: str, first: int) -> list[bytes]:
    """The tokens by id; `first` is the number of the first pair's line."""
    tokens = [bytes([byte]) for byte in range(256)]
    lines: dict[bytes, int] = {}
    for number, (left, right) in enumerate(pairs, first):
        tokens.append(tokens[left] + tokens[right])
        # A token twice as long with every line would fill the memory of the world.
        if len(tokens[-1]) > n_bytes * 64 + 4096:
            raise FormatError(f"{where}: the merges make a token of {len(tokens[-1])} bytes; the file is wrong")
        if lines.setdefault(tokens[-1], number) != number:
            raise FormatError(
                f"{where}: line {number} makes the token {shown(tokens[-1])}, as line {lines[tokens[-1]]} does; minbpe "
                "gives such a token two ids, by the way it was made, which is not implemented"
            )
    return tokens


def _numbers(line: str, n_numbers: int, where: str, number: int) -> list[int]:
    parts = line.split()
    if len(parts) != n_numbers or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        what = "a whole number" if n_numbers == 1 else f"{n_numbers} ids"
        raise FormatError(f"{where}: line {number} is {shown(line)}; expected {what}")
    return [int(part) for part in parts]


def _specials(lines: list[str], n_specials: int, where: str) -> dict[str, int]:
    if len(lines) != n_specials:
        raise FormatError(f"{where}: line 3 says {n_specials} special tokens, and {len(lines)} of them follow")
    specials: dict[str, int] = {}
    for number, line in enumerate(lines, 4):
        parts = line.split()
        if len(parts) != 2 or parts[0] in specials:
            raise FormatError(
                f"{where}: line {number} is {shown(line)}; expected a special token of its own, without white space, "
                "and its id"
            )
        specials[parts[0]] = _numbers(parts[1], 1, where, number)[0]
    return specials


def losses(model: Model) -> list[str]:
    """What the format cannot hold of a model."""
    found = []
    if model.kind != "merges" or model.alphabet != "bytes" or model.byte_order != "value":
        found.append("anything but merges over bytes that are numbered by value")
    elif list(model.tokens) != _made(model):
        found.append("ids that are not 256 and on, in the order of the merges")
    if model.end_of_word is not None or model.add_prefix_space or model.frame is not None:
        found.append("a marker, a prefix space, or steps round the merges")
    regex = model.pattern.regex
    if not model.pattern.covers or "\n" in regex or "\r" in regex or regex.strip() != regex:
        found.append(f"the pattern {model.pattern.text!r}")
    found += [
        f"the special token {text!r}" for text in model.specials if len(text.split()) != 1 or text.strip() != text
    ]
    return found


def _made(model: Model) -> list[bytes | None]:
    return [*(bytes([byte]) for byte in range(256)), *(left + right for left, right in model.spelled_merges())]


def write(model: Model) -> bytes:
    """The contents of a file for a model without losses."""
    regex = "" if model.pattern.name == "none" else model.pattern.regex
    specials = [f"{text} {number}" for text, number in model.specials.items()]
    pairs = [f"{left} {right}" for left, right in model.merges]
    return "\n".join([_VERSION, regex, str(len(specials)), *specials, *pairs, ""]).encode()
