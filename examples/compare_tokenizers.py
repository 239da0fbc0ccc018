"""Which of two tokenizers is better for your text? A table, and a page to look at.

python compare_tokenizers.py [A.json B.json FILES...]

A tokenizer may be any file that bytepair opens. Without arguments: two of 500 tokens that are learned here, one from a
program and one from the README of this folder, on both.
"""

import sys
from pathlib import Path

import bytepair as bp

HERE = Path(__file__).parent


def main(tokenizers: dict[str, bp.Tokenizer], files: list[Path]) -> None:
    """Print the table, say who is ahead, and write compare.html."""
    found = bp.compare(tokenizers, {path.name: path for path in files})
    print(found)
    for path in files:
        best = min(tokenizers, key=lambda name: found.measure(name, path.name).n_tokens)
        print(f"{path.name}: {best} needs the fewest tokens")
    Path("compare.html").write_text(found.html(), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        main({name: bp.load(name) for name in sys.argv[1:3]}, [Path(name) for name in sys.argv[3:]])
    else:
        code, prose = HERE / "fit_a_budget.py", HERE / "README.md"
        main({path.stem: bp.train(path, vocab_size=500) for path in (code, prose)}, [code, prose])
