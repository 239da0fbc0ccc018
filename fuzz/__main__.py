"""Run fuzz targets, each for some seconds, and say what came: `python -m fuzz --seconds 60 split sentencepiece`.

The targets of the core are built with AddressSanitizer and coverage, on the stable toolchain; kept cases are replayed
first. What a target finds lies in `target/fuzz/findings`, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
WORK: Final = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "fuzz"
CASES: Final = ROOT / "fuzz" / "cases"
CORE: Final = sorted(
    path.stem for path in (ROOT / "fuzz/fuzz_targets").glob("*.rs") if "fuzz_target!(" in path.read_text()
)
# What cargo-fuzz passes, too: sanitizers of the compiler are open to the stable one only by RUSTC_BOOTSTRAP.
FLAGS: Final = (
    *("-Cpasses=sancov-module", "-Cllvm-args=-sanitizer-coverage-level=4", "-Ccodegen-units=1"),
    *("-Cllvm-args=-sanitizer-coverage-inline-8bit-counters", "-Cllvm-args=-sanitizer-coverage-pc-table"),
    *("-Cllvm-args=-sanitizer-coverage-trace-compares", "-Zsanitizer=address", "--cfg=fuzzing"),
)


def host() -> str:
    """The platform that is compiled for; naming it keeps the sanitizer out of build scripts."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^host: (.+)$", said, re.MULTILINE)
    assert found, said
    return found[1]


def build() -> Path:
    """The folder of the built targets of the core."""
    target = host()
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--target", target]
    command += ["--manifest-path", str(ROOT / "fuzz/Cargo.toml"), "--target-dir", str(WORK / "build")]
    subprocess.run(command, check=True, env={**os.environ, "RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": " ".join(FLAGS)})
    return WORK / "build" / target / "release"


def readers() -> list[str]:
    """The names of the readers of files, as they stand in `readers.py`."""
    return re.findall(r'^    "(\w+)": Reader\(', (ROOT / "fuzz/readers.py").read_text("utf-8"), re.MULTILINE)


def run(name: str, command: list[str], seconds: int) -> bool:
    """Fuzz one target; whether nothing was found."""
    corpus, findings, cases = WORK / "corpus" / name, WORK / "findings" / name, CASES / name
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    for case in cases.iterdir() if cases.is_dir() else ():
        shutil.copy(case, corpus / case.name)
    if not any(corpus.iterdir()):
        (corpus / "nothing").write_bytes(b"")
    options = [f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={findings}/", "-timeout=25"]
    options += ["-rss_limit_mb=4096", "-len_control=30", str(corpus)]
    log = WORK / f"{name}.log"
    with log.open("wb") as file:
        code = subprocess.run([*command, *options], stdout=file, stderr=file, check=False, cwd=ROOT).returncode
    said = log.read_text("utf-8", "replace")
    n_inputs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", said)
    coverage = re.findall(r"cov: (\d+)", said)
    print(
        f"{name:24} {(n_inputs or ['?'])[-1]:>10} inputs  coverage {(coverage or ['-'])[-1]:>6}  "
        f"{'nothing found' if code == 0 else f'FOUND: see {log}'}",
        flush=True,
    )
    return code == 0


def main() -> int:
    """Run the targets named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz the core and every reader of files.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join([*CORE, *readers()])}; else all")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    chosen = parser.parse_args()
    known = [*CORE, *readers()]
    names = chosen.targets or known
    if unknown := [name for name in names if name not in known]:
        parser.error(f"there is no target {unknown[0]!r}; the targets are {', '.join(known)}")
    built = build() if set(names) & set(CORE) else None
    clean = True
    for name in names:
        command = [str(built / name)] if built and name in CORE else [sys.executable, "-m", "fuzz.read", name]
        clean &= run(name, command, chosen.seconds)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
