"""Encoding text not seen before: one living process a peer, slice by slice in turn."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import bytepair as bp
from benchmarks.corpora import Corpus
from benchmarks.encoders import Vocabulary
from benchmarks.process import Child

PEERS = ("bytepair", "tiktoken", "tokenizers", "gigatoken")
OURS = "bytepair"

Row = dict[str, Any]


def vocabularies(corpus: Corpus, folder: Path) -> Iterator[Vocabulary]:
    """One learned from the corpus, and cl100k where the test data has it."""
    tok = bp.train(corpus.path, vocab_size=corpus.vocab_sizes[0], pattern="cl100k", document="line")
    ranks, file = folder / f"{corpus.name}.tiktoken", folder / f"{corpus.name}.json"
    tokens = (base64.b64encode(tok.token_bytes(i)).decode() for i in range(tok.vocab_size))
    ranks.write_text("".join(f"{token} {rank}\n" for rank, token in enumerate(tokens)), "ascii")
    tok.save(file)
    yield Vocabulary(f"learned {corpus.vocab_sizes[0]:,}", ranks, file)
    cl100k = Path(os.environ.get("BYTEPAIR_TEST_DATA", "."), "vocabs", "cl100k_base.tiktoken")
    if cl100k.exists():
        yield Vocabulary("cl100k", cl100k, None)


def measure(corpus: Corpus, vocabulary: Vocabulary, folder: Path) -> list[Row]:
    """Rows of one corpus and vocabulary: peer, equal, cpu (of all slices), peak_mb, ratio (median over slices)."""
    texts = corpus.slices()
    path = folder / f"{corpus.name}.slices.json"
    path.write_text(json.dumps(texts), "ascii")
    with ExitStack() as stack:
        children = dict(_opened(stack, vocabulary, path))
        # The first slice warms tables and caches up; it is compared, and not timed.
        answers = [{peer: child.ask(encode=i) for peer, child in children.items()} for i in range(len(texts))]
    n_bytes = sum(len(text.encode()) for text in texts[1:])
    return [_row(peer, answers, corpus, vocabulary, n_bytes) for peer in children]


def _opened(stack: ExitStack, vocabulary: Vocabulary, texts: Path) -> Iterator[tuple[str, Child]]:
    json_file = str(vocabulary.json) if vocabulary.json else None
    for peer in PEERS:
        child = stack.enter_context(Child())
        answer = child.ask(
            open=peer, name=vocabulary.name, ranks=str(vocabulary.ranks), json=json_file, texts=str(texts)
        )
        if "missing" not in answer:
            yield peer, child


def _row(peer: str, answers: list[dict[str, Row]], corpus: Corpus, vocabulary: Vocabulary, n_bytes: int) -> Row:
    differ = [i for i, answer in enumerate(answers) if answer[peer]["digest"] != answer[OURS]["digest"]]
    timed = answers[1:]
    return {
        "job": "encode",
        "corpus": corpus.name,
        "vocabulary": vocabulary.name,
        "n_bytes": n_bytes,
        "peer": peer,
        "equal": not differ,
        "note": f"ids of slice {differ[0]} differ" if differ else "",
        "cpu": sum(answer[peer]["cpu"] for answer in timed),
        "wall": sum(answer[peer]["wall"] for answer in timed),
        "peak_mb": answers[-1][peer]["peak_mb"],
        "ratio": median(answer[peer]["cpu"] / answer[OURS]["cpu"] for answer in timed),
    }
