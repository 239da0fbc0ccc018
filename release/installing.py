"""Install each file of a folder in a clean environment and try it: `python -m release.installing dist`.

With the core's dependencies alone, and with each extra; `--no-extras` leaves those out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent

CORE: Final = """
import importlib.util, sys, tempfile, pathlib
import bytepair as bp
assert "site-packages" in bp.__file__, bp.__file__
tok = bp.train(["low low lower newest widest"], num_merges=10, special_tokens=["<|end|>"])
text = "lower é 漢字 <|end|>"
assert tok.decode(tok.encode(text)) == text
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "tokenizer.json")
    tok.save(path)
    assert bp.load(path) == tok
for name in ("numpy", "pyarrow", "tokenizers"):
    assert importlib.util.find_spec(name) is None, f"{name} came along"
try:
    tok.encode_array("low")
except bp.MissingPackageError as error:
    assert "bytepair[numpy]" in str(error), error
"""
BEGIN: Final = "import bytepair as bp\ntok = bp.train(['low lower'], num_merges=3)\n"
# What each extra is for, tried.
EXTRAS: Final = {
    "numpy": "assert tok.encode_array('low').dtype == 'uint32'",
    "parquet": "t = bp.tally(['a b'], pattern='gpt2'); t.save('x.parquet'); assert bp.load_tally('x.parquet') == t",
    "arrow": "import pyarrow; assert tok.encode_batch(pyarrow.array(['low'])) == [tok.encode('low')]",
    "corpora": (
        "import pathlib, zstandard; pathlib.Path('x.zst').write_bytes(zstandard.compress(b'low'));"
        " bp.train('x.zst', num_merges=1)"
    ),
    "play": "import bytepair.play, starlette, uvicorn",
}
# Large, and tried by the tests.
LEFT_OUT: Final = {"ray", "transformers"}


def run(*command: object, cwd: Path | None = None) -> None:
    """Run a command; where it fails, so do we."""
    subprocess.run([str(each) for each in command], check=True, cwd=cwd)


def installed(folder: Path, file: Path, extra: str | None) -> Path:
    """The Python of a new environment that holds the file and nothing else."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", f"{file.resolve()}{f'[{extra}]' if extra else ''}")
    return python


def try_out(file: Path, extra: str | None) -> None:
    """Install a file, with an extra or without, and use what is there."""
    with tempfile.TemporaryDirectory(prefix="bytepair-install-") as folder:
        python = installed(Path(folder, "venv"), file, extra)
        run(python, "-I", "-c", CORE if extra is None else BEGIN + EXTRAS[extra], cwd=Path(folder))
        run(python, "-I", "-m", "bytepair", "--version", cwd=Path(folder))
    print(f"wheel: {file.name}{f' with {extra}' if extra else ''}: installed and tried", flush=True)


def main() -> int:
    """Try the files of the folder that is named."""
    folder, *options = sys.argv[1:]
    files = sorted([*Path(folder).glob("*.whl"), *Path(folder).glob("*.tar.gz")])
    if not files:
        print(f"wheel: there is no wheel and no source distribution in {folder!r}", file=sys.stderr)
        return 1
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    if missing := set(extras) - set(EXTRAS) - LEFT_OUT:
        print(f"wheel: no trial is written for the extras {sorted(missing)}", file=sys.stderr)
        return 1
    for file in files:
        try_out(file, None)
        if file.suffix == ".whl" and "--no-extras" not in options:
            for extra in EXTRAS:
                try_out(file, extra)
    return 0


if __name__ == "__main__":
    sys.exit(main())
