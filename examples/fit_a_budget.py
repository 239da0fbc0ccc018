"""Put together a prompt that fits: the instructions, then as much of the newest conversation as there is room for.

python fit_a_budget.py [BUDGET] [TOKENIZER]     100 tokens if not given, and a small tokenizer learned here
"""

import sys

import bytepair as bp

INSTRUCTIONS = "You are a helpful assistant. Answer in one sentence."
CONVERSATION = [
    "user: What is a token?",
    "assistant: A piece of text that a tokenizer has a number for.",
    "user: And what is byte-pair encoding?",
    "assistant: A way to find good pieces: join the two neighbours that stand side by side most often, and repeat.",
    "user: Why does my prompt have more tokens than words?",
]


def prompt(tok: bp.Tokenizer, budget: int) -> str:
    """The instructions and the newest messages, in at most `budget` tokens."""
    kept: list[str] = []
    for message in reversed(CONVERSATION):
        candidate = "\n".join([INSTRUCTIONS, message, *kept])
        # It stops counting as soon as there are too many, however long the text is.
        if not tok.fits(candidate, budget):
            break
        kept.insert(0, message)
    return "\n".join([INSTRUCTIONS, *kept])


def main(budget: int, tok: bp.Tokenizer) -> None:
    """Show the prompt, and what a single long text is cut to."""
    text = prompt(tok, budget)
    print(text)
    print(f"-- {tok.count(text)} of {budget} tokens")
    print("the end of it, in 10 tokens:", repr(tok.truncate(text, 10, side="left")))


if __name__ == "__main__":
    given = sys.argv[1:]
    small = bp.train([INSTRUCTIONS, *CONVERSATION], vocab_size=400)
    main(int(given[0]) if given else 100, bp.load(given[1]) if len(given) > 1 else small)
