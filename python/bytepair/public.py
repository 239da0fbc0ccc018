"""The public names and where they are: each is loaded when it is first asked for, so `import bytepair` is quick."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, Final

PLACES: Final = {
    name: module
    for module, names in {
        "_native": "__version__",
        "analysis.comparison": "Comparison Measure SpanDifference",
        "analysis.curve": "Curve CurvePoint",
        "analysis.explanation": "Explanation",
        "analysis.inspection": "Inspection",
        "analysis.pruning": "Pruning",
        "analysis.token": "TokenReport",
        "analysis.trace": "Trace trace",
        "audit": "Audit Finding",
        "convert": "convert",
        "decoding": "Decoder",
        "encoding.text_parts": "Special",
        "export": "Exported",
        "extension": "ExtensionReport",
        "frame": "Added Frame Step",
        "looking": "compare curve",
        "model": "Extension Model",
        "pack": "Pack PackedDocument load_pack pack",
        "patterns": "Pattern",
        "prepared": "CacheUse",
        "progress": "Progress",
        "proof": "Proof",
        "tally": "Sample Tally load_tally tally",
        "tokenizer": "Loaded Tokenizer load train",
        "training": "TrainingReport",
        "verify": "Difference Verification verify",
    }.items()
    for name in names.split()
}
"""Public name -> the module below `bytepair` that has it."""

MODULES: Final = ("presets", "textbook")
"""Modules that are public by their own name."""


class Package(ModuleType):
    """The module `bytepair`, which loads what it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name in MODULES:
            return import_module(f"bytepair.{name}")
        if name not in PLACES:
            raise AttributeError(f"module 'bytepair' has no attribute {name!r}", name=name, obj=self)
        value = getattr(import_module(f"bytepair.{PLACES[name]}"), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *PLACES, *MODULES})


def _call(name: str) -> property:
    """A call that has the name of its module: importing that would put the module in its place."""

    def get(package: Package) -> Any:
        own = vars(package)
        return own[name] if name in own else getattr(import_module(f"bytepair.{PLACES[name]}"), name)

    def put(package: Package, value: Any) -> None:
        # A value that a test puts there for a while counts.
        if not isinstance(value, ModuleType):
            vars(package)[name] = value

    def delete(package: Package) -> None:
        vars(package).pop(name, None)

    return property(get, put, delete)


for _name in PLACES.keys() & set(PLACES.values()):
    setattr(Package, _name, _call(_name))
