# %% [markdown]
# # Byte-pair encoding, cell by cell
#
# Open this file in Jupyter or an editor that knows `# %%` cells, or run it: `python teach_bpe.py`. In a notebook the
# reports draw themselves in colour; the last expression of a cell is enough.

# %% The words of many textbooks, and how often each occurs
from pathlib import Path

import bytepair as bp
from bytepair.textbook import words as by_the_book

counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
table = {(*word, by_the_book.EOW): count for word, count in counts.items()}
print(table)

# %% Which two neighbours stand side by side most often?
pairs = by_the_book.get_pair_counts(table)
for pair, count in sorted(pairs.items(), key=lambda each: -each[1])[:5]:
    print(pair, count)

# %% Three pairs stand there nine times. Take the alphabetically smallest, and join it everywhere
best = min(pairs, key=lambda pair: (-pairs[pair], pair))
table = by_the_book.merge_pair(table, best)
print(best, "->", table)

# %% The same ten times, by the engine, with every table kept. In a notebook: just `steps`
counted = bp.Tally.from_counts(counts, pattern="whitespace")
steps = bp.trace(counted, 10, alphabet="chars", end_of_word="</w>")
for rank in range(3):
    print(rank, steps.sentence(rank))

# %% The list of merges is the tokenizer. A word that was never seen:
tok = bp.train(counted, num_merges=10, alphabet="chars", end_of_word="</w>")
print(tok.explain("lowest"))

# %% A question for the class: what happens to `newer`, and why? Decide first, then run
print(tok.tokens("newer"))

# %% A page to step through with the arrow keys
Path("trace.html").write_text(steps.html(), "utf-8")
print("wrote trace.html")
