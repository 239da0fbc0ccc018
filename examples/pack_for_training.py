"""From text files to shards of ids, and from those to the batches that a training loop takes.

python pack_for_training.py [FILES...]     without files: the programs in this folder. Needs NumPy.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy

import bytepair as bp

END = "<|endoftext|>"
SEQUENCE, BATCH = 64, 4


def batches(folder: Path) -> Iterator[tuple[numpy.ndarray, numpy.ndarray]]:
    """Inputs and targets of a language model, `int64[BATCH, SEQUENCE]` each: every target is the next token."""
    for path in sorted(folder.glob("train-*.bin")):
        dtype = json.loads(path.with_suffix(".bin.json").read_text("utf-8"))["dtype"]
        ids = numpy.memmap(path, dtype=dtype, mode="r")
        step = SEQUENCE * BATCH
        for at in range(0, len(ids) - step, step):
            window = ids[at : at + step + 1].astype("int64")
            yield window[:-1].reshape(BATCH, SEQUENCE), window[1:].reshape(BATCH, SEQUENCE)


def main(files: list[Path], folder: Path) -> None:
    """Train, pack, check, read."""
    tok = bp.train(files, vocab_size=1000, special_tokens=[END])
    # The same call again does nothing; after a stop it goes on where it was.
    shards = bp.pack(tok, files, folder, format="bin", eos=END)
    print(f"{shards.n_tokens:,} tokens of {shards.n_documents} documents, every hash is right: {bool(shards.verify())}")
    n_batches = 0
    for inputs, targets in batches(folder):
        assert (inputs[:, 1:] == targets[:, :-1]).all()
        n_batches += 1
    print(f"{n_batches} batches of {BATCH} x {SEQUENCE} tokens")
    print("the last line of the first document:", tok.decode(next(shards.documents()).ids).split("\n")[-2:])


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.py")), Path("shards"))
