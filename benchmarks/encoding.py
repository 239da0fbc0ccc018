"""Encoding: text not seen before and seen, slice by slice in turn; hard texts at first sight; short calls and decoding.

Each peer is a living process. The first answer of each is compared with ours before any time counts.
"""

from __future__ import annotations

import base64
import json
import os
import random
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import bytepair as bp
from benchmarks import bars
from benchmarks.corpora import Corpus
from benchmarks.encoders import Vocabulary
from benchmarks.process import Child

OURS = "bytepair"
PORTABLE = "bytepair, portable"
PEERS = (OURS, PORTABLE, "gigatoken", "fastokens", "tiktoken", "tokenizers")
HARD_PEERS = (OURS, "gigatoken", "fastokens", "quicktok", "tiktoken")

Row = dict[str, Any]


def public(names: Collection[str] = ("cl100k", "o200k")) -> list[Vocabulary]:
    """Those of the test data."""
    folder = Path(os.environ.get("BYTEPAIR_TEST_DATA", "."), "vocabs")
    found = [(name, folder / f"{name}_base.tiktoken") for name in names]
    return [Vocabulary(name, name, path, None) for name, path in found if path.exists()]


def learned(corpus: Corpus, folder: Path) -> Vocabulary:
    """One learned from the corpus."""
    tok = bp.train(corpus.path, vocab_size=corpus.vocab_sizes[0], pattern="cl100k", document="line")
    ranks, file = folder / f"{corpus.name}.tiktoken", folder / f"{corpus.name}.json"
    tokens = (base64.b64encode(tok.token_bytes(i)).decode() for i in range(tok.vocab_size))
    ranks.write_text("".join(f"{token} {rank}\n" for rank, token in enumerate(tokens)), "ascii")
    tok.save(file)
    return Vocabulary(f"learned {corpus.vocab_sizes[0]:,}", "cl100k", ranks, file)


def measure(corpus: Corpus, vocabulary: Vocabulary, folder: Path, peers: Collection[str] | None) -> list[Row]:
    """Rows of one corpus and vocabulary.

    peer, equal, cpu (all slices, unseen), seen (again), peak_mb, ratio and seen_ratio (its CPU seconds over ours,
    medians over slices), bars.
    """
    texts = corpus.slices()
    with ExitStack() as stack:
        children = dict(_opened(stack, chosen(PEERS, peers), vocabulary, _written(texts, folder / "slices.json")))
        unseen, seen = (
            [{peer: child.ask(encode=i) for peer, child in children.items()} for i in range(len(texts))]
            for _ in range(2)
        )
    n_bytes = sum(len(text.encode()) for text in texts)
    rows = []
    for peer in children:
        rows.append(
            _compared(peer, unseen)
            | {
                "job": "encode",
                "corpus": corpus.name,
                "vocabulary": vocabulary.name,
                "n_bytes": n_bytes,
                "cpu": sum(answer[peer]["cpu"] for answer in unseen),
                "seen": sum(answer[peer]["cpu"] for answer in seen),
                "peak_mb": seen[-1][peer]["peak_mb"],
                "ratio": quotient(unseen, peer, OURS),
                "seen_ratio": quotient(seen, peer, OURS),
                "bars": [],
            }
        )
    rows[0]["bars"] = bars.encoding(corpus.name, {row["peer"]: row for row in rows})
    return rows


HARD = ("letters 1 MB", "a 10 MB", "CJK 1 MB", "base64 1 MB", "1M spaces and x", "^ 1 MB")


def hard_texts() -> dict[str, str]:
    """Texts that cost some encoders far more than others."""
    chance = random.Random(5)
    han = [chr(code) for code in range(0x4E00, 0x9FA6)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {
        HARD[0]: "".join(chance.choices(letters, k=1_000_000)),
        HARD[1]: "a" * 10_000_000,
        HARD[2]: "".join(chance.choices(han, k=333_333)),
        HARD[3]: base64.b64encode(chance.randbytes(750_000)).decode(),
        HARD[4]: " " * 1_000_000 + "x",
        HARD[5]: "^" * 1_000_000,
    }


def measure_hard(vocabulary: Vocabulary, folder: Path, seconds: float, peers: Collection[str] | None) -> Iterator[Row]:
    """First sight of hard texts, each in fresh processes."""
    texts = hard_texts()
    path = _written(list(texts.values()), folder / "hard.json")
    for index, (name, text) in enumerate(texts.items()):
        answers: dict[str, Row] = {}
        for peer in chosen(HARD_PEERS, peers):
            with ExitStack() as stack:
                children = dict(_opened(stack, [peer], vocabulary, path))
                try:
                    answers |= {peer: child.ask(seconds=seconds, encode=index) for peer, child in children.items()}
                except (TimeoutError, RuntimeError) as error:
                    answers[peer] = {"failed": str(error)}
        times = {peer: answer["cpu"] for peer, answer in answers.items() if "cpu" in answer}
        best = min((time for peer, time in times.items() if peer != OURS), default=None)
        for peer, answer in answers.items():
            row = {"job": "encode hard", "corpus": name, "vocabulary": vocabulary.name, "n_bytes": len(text.encode())}
            row |= {"peer": peer, "bars": []}
            if "failed" in answer:
                yield row | {"equal": None, "note": answer["failed"]}
                continue
            row |= _compared(peer, [answers]) | {"cpu": times[peer], "ratio": times[peer] / times[OURS]}
            if peer == OURS and best is not None:
                row["bars"] = [bars.Bar("of the best", 1, 1, least=False).judged(times[OURS] / best)]
            yield row


# Call, what it is called in the table, texts, times in a run.
CALLS = (
    ("encode", "short text, array", "short", 20_000),
    ("encode_list", "short text, list", "short", 20_000),
    ("encode_batch", "2,000 texts of 1 KB", "batch", 3),
    ("encode", "2 MB, array", "long", 3),
    ("encode_list", "2 MB, list", "long", 3),
    ("decode", "2 MB to str", "long", 3),
    ("decode_bytes", "2 MB to bytes", "long", 3),
)
CALL_ROUNDS = 7


def measure_calls(corpus: Corpus, vocabulary: Vocabulary, folder: Path, peers: Collection[str] | None) -> list[Row]:
    """What a call costs beside the text: seconds of one, the median of rounds in turn, all of it seen before."""
    text = corpus.slices()[0][:2_000_000]
    short = "The quick brown fox jumps over the lazy dog. It's 2026 already, isn't it?"
    texts = [short, [text[start : start + 1000] for start in range(0, len(text), 1000)], text]
    places = {"short": 0, "batch": 1, "long": 2}
    rows = []
    with ExitStack() as stack:
        path = _written(texts, folder / "calls.json")
        children = dict(_opened(stack, chosen(HARD_PEERS, peers), vocabulary, path))
        for call, title, kind, repeat in CALLS:
            request: dict[str, Any] = {"call": call, "encode": places[kind], "repeat": repeat}
            first = {peer: child.ask(**request) for peer, child in children.items()}
            able = {peer: children[peer] for peer, answer in first.items() if "missing" not in answer}
            rounds = [{peer: child.ask(**request) for peer, child in able.items()} for _ in range(CALL_ROUNDS)]
            found = []
            for peer in able:
                found.append(
                    _compared(peer, [first])
                    | {
                        "job": "encode calls",
                        "corpus": title,
                        "vocabulary": vocabulary.name,
                        "call_us": median(answer[peer]["cpu"] for answer in rounds) / repeat * 1e6,
                        "ratio": quotient(rounds, peer, OURS),
                        "bars": [],
                    }
                )
            found[0]["bars"] = bars.calls(title, {row["peer"]: row["call_us"] for row in found})
            rows += found
    return rows


def chosen(peers: Collection[str], wanted: Collection[str] | None) -> list[str]:
    """Ours, and those that are wanted."""
    return [peer for peer in peers if wanted is None or peer in (OURS, PORTABLE) or peer in wanted]


def quotient(answers: list[dict[str, Row]], peer: str, other: str) -> float:
    """CPU seconds of one over those of another, the median over answers side by side."""
    return float(median(answer[peer]["cpu"] / answer[other]["cpu"] for answer in answers))


def _written(texts: list[Any], path: Path) -> Path:
    path.write_text(json.dumps(texts), "ascii")
    return path


def _opened(
    stack: ExitStack, peers: Collection[str], vocabulary: Vocabulary, texts: Path
) -> Iterator[tuple[str, Child]]:
    json_file = str(vocabulary.json) if vocabulary.json else None
    for peer in peers:
        child = stack.enter_context(Child(portable=peer == PORTABLE))
        answer = child.ask(
            open=peer.removesuffix(", portable"),
            name=vocabulary.name,
            pattern=vocabulary.pattern,
            ranks=str(vocabulary.ranks),
            json=json_file,
            texts=str(texts),
        )
        if "missing" not in answer:
            yield peer, child


def _compared(peer: str, answers: list[dict[str, Row]]) -> Row:
    differ = [i for i, answer in enumerate(answers) if answer[peer]["digest"] != answer[OURS]["digest"]]
    return {"peer": peer, "equal": not differ, "note": f"slice {differ[0]} differs" if differ else ""}
