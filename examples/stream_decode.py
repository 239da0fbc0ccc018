"""Show text while ids come in one by one, as from a language model: never half a character.

python stream_decode.py [TEXT]
"""

import sys
from collections.abc import Iterator

import bytepair as bp

TEXT = "Tokens come one by one: naïve, 漢字, 👩‍🔬."


def from_a_model(ids: list[int]) -> Iterator[int]:
    """Stands for a model that is asked for one id after the other."""
    yield from ids


def main(text: str) -> None:
    """Print what each id adds; most bytes of a rare character add nothing yet."""
    tok = bp.train([text], num_merges=10)
    decoder = tok.decoder()
    shown = ""
    for number in from_a_model(tok.encode(text)):
        more = decoder.feed(number)
        shown += more
        print(f"{number:5}  {more!r}")
    shown += decoder.finish()
    print(shown)
    assert shown == text


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else TEXT)
