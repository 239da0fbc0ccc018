"""Make docs/reference.md from signatures and docstrings: `python docs/made/reference.py`.

A test makes it again and compares, so the page cannot fall behind the code.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).parent.parent / "reference.md"
MODULES = (
    "bytepair",
    "bytepair.presets",
    "bytepair.textbook.words",
    "bytepair.textbook.text",
    "bytepair.cluster",
    "bytepair.tiktoken",
)
HEAD = """# Reference

Every public name, with its signature and its docstring. This page is made from the code by `make docs`, and the
examples in it are run by the tests. What belongs together, and how to use it, is in [python.md](python.md).
"""


def page() -> str:
    """The page, module by module."""
    modules = [importlib.import_module(name) for name in MODULES]
    index = "\n".join(f"- [{module.__name__}](#{_anchor(module.__name__)}): {_first(module)}" for module in modules)
    return "\n".join([HEAD, index, *(_module(module) for module in modules)])


def _first(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def names_of(module: ModuleType) -> list[str]:
    """The public names: those of `__all__`, else what was defined there."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("__")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and (getattr(value, "__module__", None) == module.__name__ or name.isupper())
    ]


def _module(module: ModuleType) -> str:
    parts = [f"\n## {module.__name__}\n\n{_prose(module)}"]
    parts += [_entry(module, name) for name in sorted(names_of(module), key=_order)]
    return "\n".join(parts)


def _order(name: str) -> tuple[int, str]:
    """Functions first, then classes, errors last."""
    return (name[0].isupper() + name.endswith(("Error", "Warning")), name)


def _entry(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    prefix = module.__name__.replace("bytepair", "bp", 1)
    if inspect.isclass(value):
        return _class(f"{prefix}.{name}", value)
    if callable(value):
        return f"### {prefix}.{name}\n\n{_code(f'{prefix}.{name}', value)}\n{_prose(value)}"
    return f"### {prefix}.{name}\n\n{_said_in_source(module, name)}\n"


def _class(title: str, kind: type) -> str:
    parts = [f"### {title}\n"]
    if issubclass(kind, Exception | Warning):
        bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if not base.__name__.startswith("_"))
        return "\n".join([*parts, f"{_prose(kind).rstrip()} Built on {bases}.\n"])
    parts += [_prose(kind), *(_member(name, value) for name, value in members(kind))]
    return "\n".join(parts)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that say what they do, in the order of their names."""
    for name in sorted(dir(kind)):
        value = inspect.getattr_static(kind, name)
        is_ours = (getattr(_function(value), "__module__", None) or "").startswith("bytepair")
        if not name.startswith("_") and is_ours and inspect.getdoc(value):
            yield name, value


def _function(value: Any) -> Any:
    """What is behind a property, a class method or a static method."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return f"#### .{name}\n\n{_prose(value)}"
    shown = _code(f".{name}", _function(value), bound=not isinstance(value, staticmethod))
    return f"#### .{name}\n\n{shown}\n{_prose(value)}"


def _code(title: str, call: Any, *, bound: bool = False) -> str:
    return f"```py\n{title}{_signature(call, bound)}\n```\n"


def _signature(call: Any, bound: bool) -> str:
    """A line if there is room, else a parameter a line."""
    signature = inspect.signature(call)
    parameters = list(signature.parameters.values())[bound:]
    shown, kind = [], None
    for each in parameters:
        if kind is each.POSITIONAL_ONLY and each.kind is not kind:
            shown.append("/")
        if each.kind is each.KEYWORD_ONLY and kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            shown.append("*")
        shown.append(_parameter(each))
        kind = each.kind
    returns = signature.return_annotation
    end = "" if returns is signature.empty else f" -> {_annotation(returns)}"
    line = f"({', '.join(shown)}){end}"
    return line if len(line) <= 80 else "(\n" + "".join(f"    {each},\n" for each in shown) + f"){end}"


def _parameter(each: inspect.Parameter) -> str:
    star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    shown = star + each.name
    if each.annotation is not each.empty:
        shown += f": {_annotation(each.annotation)}"
    return shown if each.default is each.empty else f"{shown} = {each.default!r}"


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


_SECTION = re.compile(r"(Args|Returns|Yields|Raises|Example|Examples|Source):(?: (.*))?$")


def _prose(thing: Any) -> str:
    """A docstring as Markdown: sections become headed lists, examples blocks."""
    blocks = re.split(r"\n\s*\n", (inspect.getdoc(thing) or "").strip("\n"))
    return "\n\n".join(filter(None, map(_block, _examples_joined(blocks)))) + "\n"


def _examples_joined(blocks: list[str]) -> list[str]:
    """Examples that follow one another are one block."""
    joined: list[str] = []
    for block in blocks:
        if joined and _is_example(block) and _is_example(joined[-1]):
            joined[-1] += "\n\n" + block
        else:
            joined.append(block)
    return joined


def _is_example(block: str) -> bool:
    return block.lstrip().startswith(">>>") or block.startswith("Example:\n    >>>")


def _block(block: str) -> str:
    if _is_example(block):
        return "```pycon\n" + textwrap.dedent(block.removeprefix("Example:\n")) + "\n```"
    first, _, rest = block.partition("\n")
    if found := _SECTION.match(first):
        return _section(found[1], found[2] or "", textwrap.dedent(rest))
    if block.startswith("    "):
        return f"```text\n{textwrap.dedent(block)}\n```"
    return _escaped(block)


def _section(name: str, beside: str, text: str) -> str:
    """`Args` and `Raises` are lists, an item a line that is not indented; the others are paragraphs."""
    if name not in ("Args", "Raises"):
        return f"**{name}.** {_escaped(f'{beside} {text}'.strip())}"
    items = re.split(r"\n(?! )", text)
    shown = []
    for item in items:
        what, _, said = textwrap.dedent(item).partition(": ")
        shown.append(f"- `{what}`: {_escaped(' '.join(said.split()))}")
    return f"**{name}.**\n\n" + "\n".join(shown)


def _escaped(text: str) -> str:
    """Prose in which `<`, `*` and `_` are themselves, but not within back quotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(each if index % 2 else re.sub(r"([<*_|\[\]])", r"\\\1", each) for index, each in enumerate(parts))


def _said_in_source(module: ModuleType, name: str) -> str:
    """What stands below a constant."""
    source = inspect.getsource(module)
    found = re.search(rf'^{name}\b.*?^"""(.*?)"""', source, re.MULTILINE | re.DOTALL)
    return _escaped(found[1]) if found else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8", newline="\n")
