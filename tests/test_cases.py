"""Worked examples as data, the same for Python and Rust: the engine, the slow oracle and the textbook all give them.

A file in `cases/` is a list of cases. A case has a name, `counts` (pieces and how often each occurs, in order) or
`documents`, the `options` of `train`, and what comes out: `merges` and `merge_counts` by rank, the `reason` to stop,
the specials `passed_over` (none where it is absent), and `encodings`: texts and their tokens, specials taken as text.
A symbol that is not UTF-8 is written {"hex": "c3"}.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import slow_oracle

import bytepair as bp
from bytepair.textbook import text, words

Case = dict[str, Any]


def load_cases() -> list[Any]:
    files = sorted(Path(__file__).with_name("cases").glob("*.json"))
    cases = [(file.stem, case) for file in files for case in json.loads(file.read_text(encoding="utf-8"))]
    return [pytest.param(case, id=f"{stem}: {case['name']}") for stem, case in cases]


CASES = load_cases()


def symbol(written: str | dict[str, str]) -> bytes:
    return written.encode() if isinstance(written, str) else bytes.fromhex(written["hex"])


def merges_of(case: Case) -> list[tuple[bytes, bytes]]:
    return [(symbol(left), symbol(right)) for left, right in case["merges"]]


@pytest.mark.parametrize("case", CASES)
def test_the_engine(case: Case):
    options = dict(case["options"])
    source = case.get("documents")
    if source is None:
        source = bp.Tally.from_counts(dict(case["counts"]), pattern=options.pop("pattern"))
    tok = bp.train(source, **options)
    assert tok.merges == merges_of(case)
    assert list(tok.training.merge_counts) == case["merge_counts"]
    assert tok.training.reason == case["reason"]
    assert list(tok.training.passed_over) == [symbol(special) for special in case.get("passed_over", [])]
    for document, tokens in case["encodings"]:
        assert tok.tokens(document) == [symbol(token) for token in tokens]


@pytest.mark.parametrize("case", CASES)
def test_the_slow_oracle(case: Case):
    options = dict(case["options"])
    pattern, unk_token = options.pop("pattern"), options.pop("unk_token", None)
    specials = [*options.pop("special_tokens", []), *([unk_token] if unk_token else [])]
    if "counts" in case:
        counts = {piece.encode(): count for piece, count in case["counts"]}
    else:
        counts = slow_oracle.count_pieces(case["documents"], pattern, specials)
    if "vocab_size" in options:
        options["max_tokens"] = options.pop("vocab_size") - len(specials)
    else:
        options["max_merges"] = options.pop("num_merges")
    learned = slow_oracle.learn(counts, forbidden=specials, **options)
    assert learned.merges == merges_of(case)
    assert learned.merge_counts == case["merge_counts"]
    assert learned.reason == case["reason"]
    assert learned.passed_over == [symbol(special) for special in case.get("passed_over", [])]
    how = {name: options[name] for name in ("alphabet", "end_of_word", "end_of_word_style") if name in options}
    for document, tokens in case["encodings"]:
        symbols = slow_oracle.encode(document, learned, pattern, unk_token=unk_token, **how)
        assert symbols == [symbol(token) for token in tokens]


# The textbook's two modes, as options of `train`.
WORDS = {"pattern": "whitespace", "alphabet": "chars", "end_of_word": "</w>"}
TEXT = {"pattern": "none", "alphabet": "chars", "ties": "first-seen"}


def cases_of(mode: dict[str, str]) -> list[Any]:
    def matches(case: Case) -> bool:
        return "documents" in case and case["options"] == {**mode, "num_merges": case["options"].get("num_merges")}

    return [parameters for parameters in CASES if matches(parameters.values[0])]


@pytest.mark.parametrize("case", cases_of(WORDS))
def test_the_textbook_of_words(case: Case):
    merges = words.train_bpe(case["documents"], case["options"]["num_merges"])
    assert [list(pair) for pair in merges] == case["merges"]
    for document, tokens in case["encodings"]:
        assert [token for word in document.split() for token in words.encode(word, merges)] == tokens


@pytest.mark.parametrize("case", cases_of(TEXT))
def test_the_textbook_of_whole_texts(case: Case):
    _, merges = text.train_bpe(*case["documents"], case["options"]["num_merges"])
    assert [list(pair) for pair in merges] == case["merges"]
