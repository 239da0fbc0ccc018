"""Licences and sources of all that is built on and installed along: `python -m release.audit`.

Crates as Cargo.lock has them, packages as they are installed beside bytepair. Known faults (advisories) need the
network: the release workflow asks for them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
# Licences that let everyone use, change and pass on, in either of ours.
ALLOWED: Final = {
    *("MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "0BSD"),
    *(
        "Unicode-3.0",
        "Unicode-DFS-2016",
        "Unlicense",
        "CC0-1.0",
        "BSL-1.0",
        "MIT-0",
        "PSF-2.0",
        "MPL-2.0",
        "CNRI-Python",
    ),
}
# Older packages say it in words.
WORDS: Final = {"MIT License": "MIT", "Apache Software License": "Apache-2.0", "BSD License": "BSD-3-Clause"}


def is_allowed(expression: str) -> bool:
    """Whether a licence expression leaves a way by the allowed ones alone."""
    words = re.findall(r"\(|\)|[^\s()]+(?: WITH [^\s()]+)?", expression.replace("/", " OR "))
    logic = {"OR": "or", "AND": "and", "(": "(", ")": ")"}
    said = [logic.get(word, str(word in ALLOWED)) for word in words]
    try:
        # Only these words are left, so this is no more than a truth table.
        return bool(eval(" ".join(said), {"__builtins__": {}})) if said else False
    except SyntaxError:
        # It is in words, of which nothing is known.
        return False


def crates() -> Iterator[tuple[str, str]]:
    """What is wrong: the crate, and why."""
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    said = subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    for package in json.loads(said)["packages"]:
        name, source = f"{package['name']} {package['version']}", package["source"]
        if not is_allowed(package["license"] or ""):
            yield name, f"its licence is {package['license']!r}"
        if source is not None and not source.startswith("registry+"):
            yield name, f"it comes from {source}, not from the registry"


def licence_of(package: Distribution) -> str:
    """As its metadata has it."""
    if said := package.metadata.get("License-Expression"):
        return said
    kinds = [each for each in package.metadata.get_all("Classifier") or () if each.startswith("License ::")]
    words = [each.rpartition(" :: ")[2] for each in kinds]
    return " AND ".join(WORDS.get(each, each) for each in words) or package.metadata.get("License") or ""


def packages() -> Iterator[tuple[str, str]]:
    """What is wrong with bytepair's dependencies and theirs, but for those of extras, or of some systems alone."""
    waiting, seen = ["bytepair"], {"bytepair"}
    while waiting:
        try:
            package = distribution(waiting.pop())
        except PackageNotFoundError as error:
            yield str(error), "it is not installed"
            continue
        licence = licence_of(package)
        if not is_allowed(licence):
            yield f"{package.name} {package.version}", f"its licence is {licence!r}"
        for needed in package.requires or ():
            name = re.match(r"[\w.-]+", needed)
            if name and ";" not in needed and name[0] not in seen:
                seen.add(name[0])
                waiting.append(name[0])


def main() -> int:
    """Say what is wrong; 1 where something is."""
    wrong = [*crates(), *packages()]
    for name, reason in wrong:
        print(f"audit: {name}: {reason}; leave it out, or allow it in release/audit.py", file=sys.stderr)
    print(f"audit: {'nothing' if not wrong else len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
