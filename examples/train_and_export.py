"""Learn a tokenizer from text files, prove it, and write it for other libraries.

python train_and_export.py [FILES...]     without files: the programs in this folder
"""

import sys
from pathlib import Path

import bytepair as bp


def main(files: list[Path]) -> None:
    """Train, check, save."""
    tok = bp.train(files, vocab_size=1000, special_tokens=["<|endoftext|>"])
    print(tok.training)
    print(f"proved: {bool(tok.prove(files))}, lossless: {tok.lossless}")

    tok.save("tokenizer.json")  # opens in tokenizers and transformers
    done = tok.export("ranks.tiktoken", "tiktoken")
    again = bp.load("ranks.tiktoken", **done.load_with)
    texts = [path.read_text("utf-8") for path in files]
    print(f"ranks.tiktoken and the original: {bp.verify(tok, again, texts)}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.py")))
