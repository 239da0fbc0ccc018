"""One reader under the fuzzer: `python -m fuzz.read NAME [libFuzzer options] [folders or files]`.

Guided by coverage where atheris is installed; else the same changes, by chance, for `-max_total_time` seconds.
"""

from __future__ import annotations

import importlib
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any, Final

TESTS: Final = Path(__file__).parent.parent / "tests"
# Of address space: a file that makes a reader take more than this ends in MemoryError, as it should.
MOST_BYTES: Final = 6 << 30
# No small file may keep a reader busy for longer.
MOST_SECONDS: Final = 20


def _readers(atheris: Any) -> Any:
    """The module of the readers, with all of bytepair watched for coverage."""
    sys.path.insert(0, str(TESTS))
    if atheris is None:
        return importlib.import_module("fuzz.readers")
    with atheris.instrument_imports(include=["bytepair"]):
        return importlib.import_module("fuzz.readers")


def _by_coverage(atheris: Any, room: Any, reader: Any, arguments: list[str]) -> None:
    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        chance = random.Random(seed)
        made: bytes = room.changed(reader, data, chance, lambda part: atheris.Mutate(part, max(max_size, len(part))))
        return made[:max_size]

    atheris.Setup([sys.argv[0], *arguments], lambda data: room.read(reader, data), custom_mutator=mutate)
    atheris.Fuzz()


def _by_chance(room: Any, reader: Any, arguments: list[str]) -> None:
    options = dict(each.lstrip("-").split("=", 1) for each in arguments if each.startswith("-"))
    paths = [Path(each) for each in arguments if not each.startswith("-")]
    seeds = [file.read_bytes() for path in paths for file in ([path] if path.is_file() else path.iterdir())]
    end, n_read, chance = time.monotonic() + float(options.get("max_total_time", 5)), 0, random.Random(1)
    artifacts = options.get("artifact_prefix", "")
    while time.monotonic() < end:
        data = room.changed(reader, chance.choice(seeds), chance, lambda part: _changed(part, chance))
        start = time.monotonic()
        try:
            room.read(reader, data)
            assert time.monotonic() - start < MOST_SECONDS, f"{MOST_SECONDS} seconds for {len(data)} bytes"
        except BaseException:
            Path(f"{artifacts}crash-{n_read}").write_bytes(data)
            raise
        n_read += 1
    print(f"stat::number_of_executed_units: {n_read}")


def _changed(data: bytes, chance: random.Random) -> bytes:
    """Some bytes of it changed, left out, or said again."""
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(made) + 1)
        end = min(len(made), at + chance.choice([1, 2, 8, 100]))
        kind = chance.randrange(4)
        if kind == 0:
            made[at:end] = chance.randbytes(end - at)
        elif kind == 1:
            del made[at:end]
        elif kind == 2:
            made[at:at] = made[at:end]
        elif at < len(made):
            made[at] ^= 1 << chance.randrange(8)
    return bytes(made)


def main() -> None:
    """Fuzz the reader that the first argument names."""
    name, *arguments = sys.argv[1:]
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        atheris = None
    room = _readers(atheris)
    reader = room.READERS[name]
    # Once, so that all that is imported late is there before anything is watched.
    room.read(reader, reader.seed())
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    if atheris is None:
        _by_chance(room, reader, arguments)
    else:
        _by_coverage(atheris, room, reader, [f"-timeout={MOST_SECONDS}", "-rss_limit_mb=4096", *arguments])


if __name__ == "__main__":
    main()
