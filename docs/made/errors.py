"""Make docs/errors.md, the index of all messages, from the code: `python docs/made/errors.py`.

A test makes it again and compares: no message of the family is missing from the index, and none of it is out of date.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bytepair import errors

HERE = Path(__file__).parent
PAGE = HERE.parent / "errors.md"
ROOT = HERE.parent.parent
PYTHON = ROOT / "python" / "bytepair"
RUST = ROOT / "crates" / "python" / "src"
CORE_ERRORS = ROOT / "crates" / "core" / "src" / "error.rs"

# The command line says no in its own words; its users see a message, not a class.
REFUSAL = "Refusal"

# Class -> what leads to it, and what to do.
KINDS = {
    "ArgumentError": ("a value is out of range, or two arguments do not go together", "take a value that is named"),
    "ArgumentTypeError": ("a str where an int belongs, a text where a list belongs", "pass what the message names"),
    "PatternError": (
        "a pattern's name is misspelt, its regular expression does not compile, or it gave up on a text",
        "take a name, or mend the expression; [how-bpe-works.md](how-bpe-works.md#pieces) has both",
    ),
    "CorpusError": (
        "a folder without files, a text where a path belongs, a broken archive, a record without a text",
        'put a text in a list; say `field=`, `bad_records="skip"`; [scale.md](scale.md)',
    ),
    "MissingFileError": ("a path names nothing", "check the path and the folder that the program runs in"),
    "UnreadableFileError": ("a folder where a file belongs, a full disk, a device", "name another file, or make room"),
    "PermissionDeniedError": ("the file is another user's", "change its permissions, or copy it"),
    "EncodingError": (
        "a text is UTF-16, Latin-1 or no text at all",
        'convert it to UTF-8, or say `errors="replace"` or `"skip"`',
    ),
    "SurrogateError": (
        'half of a surrogate pair in a str, and `errors="raise"`',
        'mend the text where it was made, or say `errors="replace"`',
    ),
    "DecodingError": (
        'ids whose bytes are not UTF-8, and `errors="strict"`',
        "use `decode_bytes`, or a `decoder()` for ids that come one by one",
    ),
    "UnknownCharacterError": (
        "a model of characters meets one that it did not see, and has no unknown token",
        'train with `alphabet="bytes"`, or with `unk_token=`',
    ),
    "SpecialTokenError": (
        'a special token is misspelt, or stands in a text that may hold none (`special="raise"`)',
        "see [encoding.md](encoding.md)",
    ),
    "BadIdError": (
        "ids of another tokenizer, or of a model whose vocabulary is padded",
        'check that ids and tokenizer belong together; `bad_ids="skip"` leaves them out',
    ),
    "UnknownTokenError": (
        "a token is asked for that the vocabulary does not have",
        "`encode` gives the tokens of a text",
    ),
    "UnknownModelError": (
        "`bytepair.tiktoken` knows no encoding for a model's name",
        "name the encoding; [from-tiktoken.md](from-tiktoken.md)",
    ),
    "CountOverflowError": (
        "counts were multiplied beyond 2^63 - 1",
        "use smaller weights; only their proportion matters",
    ),
    "ModelError": (
        "a `Model` put together by hand, or by a file, contradicts itself",
        "mend the part that is named, or get the file again",
    ),
    "MissingPackageError": ("an extra is not installed", "the message has the `pip install` line"),
    "FormatError": (
        "a file is broken, of an unknown kind, or asks for a step that is not implemented; "
        "or a format cannot hold a tokenizer",
        "get the file again, name its `format=`, or write another format; [formats.md](formats.md)",
    ),
}

# What a caller was doing -> where the messages of it are written: the first that fits.
SUBJECTS = (
    ("Any argument", ("arguments", "patterns")),
    ("Reading a corpus", ("corpus",)),
    ("Tallies", ("tally",)),
    (
        "Training, tracing and extending",
        (
            "training",
            "checkpoint",
            "extension",
            "prefix",
            "progress",
            "proof",
            "analysis/trace",
            "analysis/by_hand",
            "tokenizer/resizing",
        ),
    ),
    ("Encoding, counting and cutting", ("encoding", "prepared", "arrow", "engine", "tokenizer")),
    ("Decoding", ("decoding",)),
    ("Looking into a tokenizer", ("analysis", "looking", "audit", "render")),
    ("Tokenizer files", ("formats", "export", "convert", "verify", "pretrained", "whole_file", "tokenizer/opening")),
    ("Models and frames", ("model", "parts", "frame", "frozen")),
    ("Packing", ("pack",)),
    ("Clusters", ("cluster",)),
    ("tiktoken's interface", ("tiktoken",)),
    ("The playground", ("play",)),
    ("The command line", ("cli",)),
    ("The engine", ("rust",)),
)

HEAD = """# Messages

Every error that bytepair raises on purpose is of one of these kinds. A message says what was found and where; behind
the last semicolon it says what to do next. `…` stands for what was found. This page is made from the code by
`make docs`, and a test holds it complete.

The command line says the same with options as they are typed (`--vocab-size` for `vocab_size`), and its exit code is 2.
A traceback that ends in another kind of error, or in a panic, is a fault of ours: please report it.

## Kinds

| error | also a | how it comes about | what to do |
| --- | --- | --- | --- |"""


class Message(NamedTuple):
    """One that the code can give."""

    subject: str
    kind: str
    text: str


def page() -> str:
    """The whole index."""
    found = sorted(set(messages()), key=lambda each: (each.text.strip("… ").lower(), each))
    parts = [HEAD, *map(_kind, sorted(KINDS))]
    for title, _ in SUBJECTS:
        rows = [each for each in found if each.subject == title]
        if rows:
            parts.append(f"\n## {title}\n\n| message | what to do | error |\n| --- | --- | --- |")
            parts += map(_row, rows)
    return "\n".join(parts) + "\n"


def _kind(name: str) -> str:
    bases = [base.__name__ for base in getattr(errors, name).__mro__ if base.__module__ == "builtins"]
    cause, cure = KINDS[name]
    return f"| `{name}` | `{bases[0]}` | {cause} | {cure} |"


def _row(each: Message) -> str:
    said, _, cure = each.text.rpartition("; ")
    if not _says_something(cure):
        said, cure = "", each.text
    kind = "" if each.kind == REFUSAL else f"`{each.kind}`"
    return f"| {_cell(said or cure)} | {_cell(cure) if said else ''} | {kind} |"


def _cell(text: str) -> str:
    return re.sub(r"([<*_|\[\]`])", r"\\\1", " ".join(text.split()))


def messages() -> Iterator[Message]:
    """All messages of the Python package and of the compiled module."""
    for path in sorted(PYTHON.rglob("*.py")):
        where = path.relative_to(PYTHON).with_suffix("").as_posix()
        yield from (Message(_subject(where), *each) for each in _of_python(path.read_text("utf-8")))
    for path in sorted(RUST.rglob("*.rs")):
        yield from (Message(_subject("rust"), *each) for each in _of_rust(path.read_text("utf-8")))
    yield from (Message(_subject("rust"), *each) for each in _of_core())


def _subject(where: str) -> str:
    """By the longest beginning of a path that a subject names."""
    fitting = [
        (len(start), title)
        for title, starts in SUBJECTS
        for start in starts
        if where == start or where.startswith(f"{start}/")
    ]
    if not fitting:
        raise SystemExit(f"no subject of docs/made/errors.py holds {where}; give it one")
    return max(fitting)[1]


def _of_python(source: str) -> Iterator[tuple[str, str]]:
    """Kind and message of each error that a module makes."""
    tree = ast.parse(source)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for call in _own_calls(function):
                kind = _name(call.func)
                if (kind in KINDS or kind == REFUSAL) and call.args:
                    yield from ((kind, text) for text in _texts(call.args, function, tree) if _says_something(text))


def _own_calls(function: ast.AST) -> Iterator[ast.Call]:
    """Calls in a function, but not in those that it defines."""
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from _own_calls(child)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _texts(arguments: list[ast.expr], function: ast.AST, tree: ast.AST) -> list[str]:
    """What the message may be: the last argument of those that Unicode errors have, else the first."""
    node = arguments[-1] if len(arguments) == 5 else arguments[0]
    if isinstance(node, ast.Name):
        given = [
            each.value
            for each in ast.walk(function)
            if isinstance(each, ast.Assign) and _name(each.targets[0]) == node.id
        ]
        return [_text(each) for each in given]
    if isinstance(node, ast.Call):
        made = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name == _name(node.func)]
        return [
            _text(each.value) for body in made for each in ast.walk(body) if isinstance(each, ast.Return) and each.value
        ]
    if isinstance(node, ast.IfExp):
        return [_text(node.body), _text(node.orelse)]
    return [_text(node)]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    return "…"


def _says_something(text: str) -> bool:
    return re.search(r"[a-z]{2}", text) is not None


_NEW = re.compile(r'(\w+Error)::new_err\(\s*(?:format!\(\s*)?"((?:[^"\\]|\\.)*)"', re.DOTALL)


def _of_rust(source: str) -> Iterator[tuple[str, str]]:
    for kind, text in _NEW.findall(source):
        if kind in KINDS and not text.startswith("{message}"):
            yield kind, _plain(text)


def _plain(text: str) -> str:
    """A format string of Rust as what it prints."""
    joined = re.sub(r"\\\n\s*", "", text).replace('\\"', '"')
    return re.sub(r"\{[^{}]*\}", "…", joined)


def _of_core() -> Iterator[tuple[str, str]]:
    """What an error of the core says, with what the binding adds to it."""
    binding = (RUST / "errors.rs").read_text("utf-8")
    binding = binding[binding.index("match error") :]
    arms = re.findall(
        r"((?:\|?\s*Error::\w+ \{[^}]*\}\s*)+)=>\s*(?:\{\s*)?(\w+)::new_err\((.*?)\)\s*[,}]", binding, re.DOTALL
    )
    kinds = {
        variant: (kind, _plain("".join(re.findall(r'"\{message\}((?:[^"\\]|\\.)*)"', rest, re.DOTALL))))
        for variants, kind, rest in arms
        for variant in re.findall(r"Error::(\w+)", variants)
    }
    said = re.findall(
        r'Self::(\w+) \{[^}]*\} =>\s*\{?\s*write!\(\s*f,\s*"((?:[^"\\]|\\.)*)"', CORE_ERRORS.read_text("utf-8")
    )
    for variant, text in said:
        kind, more = kinds[variant]
        if _says_something(_plain(text)):
            yield kind, _plain(text) + more


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8", newline="\n")
