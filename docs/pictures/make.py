"""Make the pictures of the README and the docs with real commands: `python docs/pictures/make.py [FOLDER]`.

The texts are the project's own licences, which do not change, so the same release makes the same pictures.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from bytepair.cli import cli

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

COMMANDS = """
train {words} --num-merges 5 --pattern whitespace --alphabet chars --end-of-word </w> -o {work}/book.json
train {root}/LICENSE-APACHE --vocab-size 300 -o {work}/300.json
train {root}/LICENSE-APACHE --vocab-size 1024 -o {work}/1024.json
explain -t {work}/book.json --text lowest --svg {out}/explain.svg
trace --textbook --step 6 --svg {out}/trace.svg
token -t {work}/1024.json " Licensor" --svg {out}/token.svg
compare -t {work}/300.json -t {work}/1024.json --text "Licensed works are licensed as they are." --svg {out}/compare.svg
curve -t {work}/1024.json {root}/LICENSE-MIT --rare-below 1 --svg {out}/curve.svg
"""


def main(out: Path) -> None:
    """Run the commands, which write the pictures to a folder."""
    with tempfile.TemporaryDirectory() as work:
        words = Path(work, "words.txt")
        words.write_text("low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3, "utf-8")
        places = {
            "words": words.as_posix(),
            "work": Path(work).as_posix(),
            "root": ROOT.as_posix(),
            "out": out.as_posix(),
        }
        for line in COMMANDS.strip().split("\n"):
            done = CliRunner().invoke(cli, [word.format(**places) for word in shlex.split(line)], prog_name="bytepair")
            if done.exit_code:
                raise SystemExit(f"bytepair {line}: {done.output}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
