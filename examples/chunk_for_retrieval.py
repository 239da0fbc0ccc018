"""Cut documents into parts for a search index: at most so many tokens each, overlapping, with their places in the file.

python chunk_for_retrieval.py [FILES...]     without files: the README of this folder. Prints JSON Lines.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import bytepair as bp

BUDGET, OVERLAP = 64, 12


def parts(tok: bp.Tokenizer, path: Path) -> Iterator[dict[str, object]]:
    """The parts of a file, with the place of each in characters."""
    text = path.read_text("utf-8")
    end = 0
    for part in tok.chunks(text, BUDGET, overlap=OVERLAP, unit="word"):
        # It begins where the last one ended, or before; of places with the same words the last one will do.
        start = text.rindex(part, 0, end + len(part))
        end = start + len(part)
        yield {"file": path.name, "start": start, "end": end, "n_tokens": tok.count(part), "text": part}


def main(files: list[Path]) -> None:
    """Print a line for each part."""
    tok = bp.train(files, vocab_size=1000)
    for path in files:
        for part in parts(tok, path):
            print(json.dumps(part, ensure_ascii=False))


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or [Path(__file__).parent / "README.md"])
