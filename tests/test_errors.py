"""Bad input: every parameter out of range or of the wrong type is one clear error of the family, before any work."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import bytepair as bp
from bytepair import errors

Case = tuple[dict[str, Any], type[bp.BytepairError], str]

TRAIN: list[Case] = [
    ({}, bp.ArgumentError, "neither of vocab_size and num_merges was given; give exactly one"),
    ({"vocab_size": 300, "num_merges": 3}, bp.ArgumentError, "both of vocab_size and num_merges"),
    ({"vocab_size": "300"}, bp.ArgumentTypeError, r"vocab_size is '300' \(str\); it must be an int"),
    ({"vocab_size": True}, bp.ArgumentTypeError, r"vocab_size is True \(bool\)"),
    ({"vocab_size": 300.0}, bp.ArgumentTypeError, r"vocab_size is 300\.0 \(float\)"),
    ({"vocab_size": -1}, bp.ArgumentError, "vocab_size is -1; it must be at least 0"),
    ({"vocab_size": 2**40}, bp.ArgumentError, "vocab_size is 1099511627776; it must be at most 2147483647"),
    ({"vocab_size": 200}, bp.ArgumentError, "vocab_size is 200; it must be at least 256: 256 bytes"),
    (
        {"vocab_size": 10, "special_tokens": ["<e>"]},
        bp.ArgumentError,
        "vocab_size is 10; it must be at least 257: 256 bytes, 1 special token",
    ),
    (
        {"vocab_size": 257, "special_tokens": ["<e>"], "end_of_word": "</w>"},
        bp.ArgumentError,
        "vocab_size is 257; it must be at least 258: 256 bytes, 1 end-of-word marker, 1 special token",
    ),
    (
        {"vocab_size": 3, "alphabet": "chars", "unk_token": "<unk>", "end_of_word": "_"},
        bp.ArgumentError,
        "vocab_size is 3; it must be at least 7: 5 different characters, 1 end-of-word marker, 1 special token",
    ),
    (
        {"vocab_size": 0, "alphabet": "chars", "unk_token": "<unk>"},
        bp.ArgumentError,
        "vocab_size is 0; it must be at least",
    ),
    ({"num_merges": "3"}, bp.ArgumentTypeError, r"num_merges is '3' \(str\)"),
    ({"num_merges": False}, bp.ArgumentTypeError, r"num_merges is False \(bool\)"),
    ({"num_merges": -3}, bp.ArgumentError, "num_merges is -3; it must be at least 0"),
    ({"pattern": 3}, bp.ArgumentTypeError, r"pattern is 3 \(int\); it must be a str: one of 'gpt2'"),
    ({"pattern": ""}, bp.PatternError, "pattern is ''; pass one of 'gpt2', 'cl100k', 'o200k', 'llama3', 'qwen2', "),
    ({"pattern": "cl100kk"}, bp.PatternError, r"no named pattern \(did you mean 'cl100k'\?\); the names are"),
    ({"pattern": "cl100k_base"}, bp.PatternError, "did you mean 'cl100k'"),
    ({"pattern": "gpt-2"}, bp.PatternError, "did you mean 'gpt2'"),
    ({"pattern": "GPT2"}, bp.PatternError, "did you mean 'gpt2'"),
    ({"pattern": "p50k"}, bp.PatternError, "the names are .*'deepseek3', 'tekken', 'clip', 'whitespace', 'none'"),
    ({"pattern": "word"}, bp.PatternError, r"If it is a regular expression, write it as '\(\?:word\)'"),
    (
        {"pattern": r"\N{DIGIT ONE}+"},
        bp.PatternError,
        r"\\N\{DIGIT ONE\} names a character, which this syntax does not",
    ),
    ({"pattern": r"\X"}, bp.PatternError, r"Invalid escape: \\X"),
    ({"pattern": "("}, bp.PatternError, r"pattern .*\(.*failed"),
    ({"pattern": "[z-a]"}, bp.PatternError, r"\[z-a\]"),
    (
        {"ties": "random"},
        bp.ArgumentError,
        "ties is 'random'; it must be one of 'lexicographic', 'first-seen', 'largest'",
    ),
    ({"ties": None}, bp.ArgumentTypeError, r"ties is None \(NoneType\)"),
    ({"alphabet": "words"}, bp.ArgumentError, "alphabet is 'words'; it must be one of 'bytes', 'chars'"),
    ({"alphabet": 256}, bp.ArgumentTypeError, r"alphabet is 256 \(int\)"),
    ({"byte_order": "random"}, bp.ArgumentError, "byte_order is 'random'; it must be one of 'value', 'gpt2'"),
    ({"byte_order": 1}, bp.ArgumentTypeError, r"byte_order is 1 \(int\)"),
    ({"end_of_word": ""}, bp.ArgumentError, "end_of_word is ''; it must have at least one character"),
    ({"end_of_word": b"</w>"}, bp.ArgumentTypeError, r"end_of_word is b'</w>' \(bytes\)"),
    ({"end_of_word": True}, bp.ArgumentTypeError, r"end_of_word is True \(bool\)"),
    ({"end_of_word": "\ud83d"}, bp.SurrogateError, "end_of_word holds a lone surrogate"),
    (
        {"end_of_word_style": "suffix"},
        bp.ArgumentError,
        "end_of_word_style is 'suffix', and no end_of_word was given; name the marker, as in",
    ),
    (
        {"end_of_word_style": "both"},
        bp.ArgumentError,
        "end_of_word_style is 'both'; it must be one of 'symbol', 'suffix'",
    ),
    ({"end_of_word_style": None}, bp.ArgumentTypeError, "end_of_word_style is None"),
    ({"unk_token": "<unk>"}, bp.ArgumentError, r'unk_token is .*alphabet="bytes" knows every byte'),
    ({"unk_token": "", "alphabet": "chars"}, bp.ArgumentError, "unk_token is ''"),
    ({"unk_token": 3, "alphabet": "chars"}, bp.ArgumentTypeError, r"unk_token is 3 \(int\)"),
    (
        {"unk_token": "a", "alphabet": "chars", "special": "text"},
        bp.SpecialTokenError,
        "'a' is spelled like a symbol of the alphabet",
    ),
    ({"add_prefix_space": 1}, bp.ArgumentTypeError, r"add_prefix_space is 1 \(int\); it must be True or False"),
    ({"add_prefix_space": "yes"}, bp.ArgumentTypeError, r"add_prefix_space is 'yes' \(str\)"),
    ({"special_tokens": "<e>"}, bp.ArgumentTypeError, r"special_tokens is '<e>' \(str\); put it in a list: \['<e>'\]"),
    ({"special_tokens": None}, bp.ArgumentTypeError, r"special_tokens is None \(NoneType\)"),
    ({"special_tokens": 3}, bp.ArgumentTypeError, r"special_tokens is 3 \(int\)"),
    ({"special_tokens": {"<e>"}}, bp.ArgumentTypeError, "their order gives their ids"),
    ({"special_tokens": ["<e>", 3]}, bp.ArgumentTypeError, r"special_tokens\[1\] is 3 \(int\)"),
    ({"special_tokens": ["<e>", ""]}, bp.ArgumentError, r"special_tokens\[1\] is ''"),
    ({"special_tokens": ["<e>", "<e>"]}, bp.ArgumentError, r"special_tokens\[1\] is '<e>', as is an earlier one"),
    ({"special_tokens": ["\ud83d<"]}, bp.SurrogateError, r"special_tokens\[0\] holds a lone surrogate"),
    ({"special_tokens": ["a"]}, bp.SpecialTokenError, "'a' is spelled like a symbol of the alphabet"),
    (
        {"special_tokens": ["b"], "alphabet": "chars", "special": "text"},
        bp.SpecialTokenError,
        "'b' is spelled like a symbol",
    ),
    (
        {"special_tokens": ["</w>"], "end_of_word": "</w>"},
        bp.SpecialTokenError,
        "both the end-of-word marker and a special",
    ),
    ({"special_ids": "middle"}, bp.ArgumentError, "special_ids is 'middle'; it must be one of 'last', 'first'"),
    ({"special_ids": 0}, bp.ArgumentTypeError, r"special_ids is 0 \(int\)"),
    ({"special": "none"}, bp.ArgumentError, "special is 'none'; it must be 'text', 'all', 'raise' or a set"),
    ({"special": 1}, bp.ArgumentTypeError, r"special is 1 \(int\)"),
    ({"special": {"<x>"}}, bp.SpecialTokenError, "special names '<x>', which is no special token here"),
    ({"min_count": 0}, bp.ArgumentError, "min_count is 0; it must be at least 1"),
    ({"min_count": 2**63}, bp.ArgumentError, "min_count is 9223372036854775808; it must be at most"),
    ({"min_count": 1.5}, bp.ArgumentTypeError, r"min_count is 1\.5 \(float\)"),
    ({"min_count": None}, bp.ArgumentTypeError, "min_count is None"),
    ({"max_token_bytes": 0}, bp.ArgumentError, "max_token_bytes is 0; it must be at least 1"),
    ({"max_token_bytes": "4"}, bp.ArgumentTypeError, r"max_token_bytes is '4' \(str\)"),
    ({"document": "page"}, bp.ArgumentError, "document is 'page'; it must be one of 'file', 'line'"),
    ({"document": None}, bp.ArgumentTypeError, "document is None"),
    ({"field": ""}, bp.ArgumentError, "field is ''; it must have at least one character"),
    ({"bad_records": "drop"}, bp.ArgumentError, "bad_records is 'drop'; it must be one of 'raise', 'skip', 'replace'"),
    ({"errors": "strict"}, bp.ArgumentError, "errors is 'strict'; it must be one of 'raise', 'replace', 'skip'"),
    ({"errors": None}, bp.ArgumentTypeError, "errors is None"),
    ({"threads": 0}, bp.ArgumentError, "threads is 0; it must be at least 1"),
    ({"threads": 10**6}, bp.ArgumentError, "threads is 1000000; it must be at most 1024"),
    ({"threads": "2"}, bp.ArgumentTypeError, r"threads is '2' \(str\)"),
    ({"threads": True}, bp.ArgumentTypeError, r"threads is True \(bool\)"),
    (
        {"progress": 3},
        bp.ArgumentTypeError,
        r'progress is 3 \(int\); it must be True or "auto", "log", None or False, or a function that takes one',
    ),
    ({"sample": 0}, bp.ArgumentError, "sample is 0; it must be above 0 and at most 1"),
    ({"sample": 10}, bp.ArgumentError, r"sample is 10; it must be above 0 and at most 1; 10 % is sample=0\.1"),
    ({"sample": float("nan")}, bp.ArgumentError, "sample is nan; it must be above 0"),
    ({"sample": 1e-30}, bp.ArgumentError, "sample is 1e-30; it must be above 0"),
    ({"sample": "10%"}, bp.ArgumentTypeError, r"sample is '10%' \(str\); it must be a number above 0 and at most 1"),
    ({"sample": True}, bp.ArgumentTypeError, r"sample is True \(bool\)"),
    ({"seed": 7}, bp.ArgumentError, "seed is 7, and no sample is drawn; pass sample="),
    ({"sample": 0.5, "seed": -1}, bp.ArgumentError, "seed is -1; it must be at least 0"),
    ({"sample": 0.5, "seed": "x"}, bp.ArgumentTypeError, r"seed is 'x' \(str\)"),
    ({"checkpoint": 3}, bp.ArgumentTypeError, r"checkpoint is 3 \(int\); it must be a str or a path, or None"),
]


@pytest.mark.parametrize(("options", "error", "message"), TRAIN, ids=[f"{case[0]}" for case in TRAIN])
def test_a_wrong_option_of_train_is_named(options: dict[str, Any], error: type[bp.BytepairError], message: str) -> None:
    sized = {"vocab_size", "num_merges"} & set(options) or not options
    with pytest.raises(error, match=message):
        bp.train(["abab cd"], **({} if sized else {"num_merges": 3}), **{"pattern": "none", **options})


def test_every_option_of_train_is_tried() -> None:
    tried = {name for options, *_ in TRAIN for name in options}
    assert tried == set(inspect.signature(bp.train).parameters) - {"source"}


def test_options_are_checked_before_the_source_is_touched() -> None:
    def source() -> Iterator[str]:
        raise AssertionError("the source was read")
        yield ""

    for options, error, _ in TRAIN:
        if options.get("alphabet") == "chars":
            continue
        sized = {"vocab_size", "num_merges"} & set(options) or not options
        with pytest.raises(error):
            bp.train(source(), **({} if sized else {"num_merges": 3}), **options)


TALLY: list[Case] = [
    ({"pattern": None}, bp.ArgumentTypeError, "pattern was not given; pass one of"),
    ({"special_tokens": "<e>"}, bp.ArgumentTypeError, "special_tokens is '<e>'"),
    ({"special": "some"}, bp.ArgumentError, "special is 'some'"),
    ({"add_prefix_space": 0}, bp.ArgumentTypeError, "add_prefix_space is 0"),
    ({"document": "page"}, bp.ArgumentError, "document is 'page'"),
    ({"field": None}, bp.ArgumentTypeError, r"field is None \(NoneType\); it must be a str"),
    ({"bad_records": True}, bp.ArgumentTypeError, "bad_records is True"),
    ({"max_memory": "much"}, bp.ArgumentError, "max_memory is 'much'; it must be a number of bytes"),
    ({"errors": "ignore"}, bp.ArgumentError, "errors is 'ignore'"),
    ({"threads": -1}, bp.ArgumentError, "threads is -1"),
    ({"progress": "bar"}, bp.ArgumentError, "progress is 'bar'"),
    ({"sample": -0.1}, bp.ArgumentError, r"sample is -0\.1; it must be above 0"),
    ({"seed": 1}, bp.ArgumentError, "seed is 1, and no sample is drawn"),
    ({"source": 3}, bp.ArgumentTypeError, r"source is 3 \(int\); it must be a str"),
    ({"shard": ""}, bp.ArgumentError, "shard is ''; it must have at least one character"),
]


@pytest.mark.parametrize(("options", "error", "message"), TALLY, ids=[f"{case[0]}" for case in TALLY])
def test_a_wrong_option_of_tally_is_named(options: dict[str, Any], error: type[bp.BytepairError], message: str) -> None:
    with pytest.raises(error, match=message):
        bp.tally(["text"], **{"pattern": "gpt2", **options})


def test_every_option_of_tally_is_tried() -> None:
    assert {name for options, *_ in TALLY for name in options} == set(inspect.signature(bp.tally).parameters) - {
        "corpus"
    }


@pytest.fixture(scope="module")
def tok() -> bp.Tokenizer:
    return bp.train(["a b see below"], num_merges=5, special_tokens=["<|end|>"])


ENCODE: list[Case] = [
    ({"text": None}, bp.ArgumentTypeError, r"the text is None \(NoneType\); it must be str or bytes"),
    ({"text": 3}, bp.ArgumentTypeError, r"the text is 3 \(int\)"),
    ({"text": ["a"]}, bp.ArgumentTypeError, r"the text is \['a'\] \(list\)"),
    ({"special": "some"}, bp.ArgumentError, "special is 'some'"),
    ({"special": 0}, bp.ArgumentTypeError, r"special is 0 \(int\)"),
    ({"special": {"<nope>"}}, bp.SpecialTokenError, "special names '<nope>'"),
    ({"errors": "skip"}, bp.ArgumentError, "errors is 'skip'; it must be one of 'replace', 'raise'"),
    ({"errors": None}, bp.ArgumentTypeError, "errors is None"),
    ({"add_special_tokens": 1}, bp.ArgumentTypeError, r"add_special_tokens is 1 \(int\)"),
]


@pytest.mark.parametrize(("options", "error", "message"), ENCODE, ids=[f"{case[0]}" for case in ENCODE])
def test_a_wrong_argument_of_encode_is_named(
    tok: bp.Tokenizer, options: dict[str, Any], error: type[bp.BytepairError], message: str
) -> None:
    calls = (tok.encode, tok.count, tok.pieces, tok.tokens, tok.encode_array, tok.encode_spans)
    within = [partial(call, budget=3) for call in (tok.fits, tok.truncate, tok.chunks)]
    for call in (*calls, *within):
        with pytest.raises(error, match=message):
            call(**{"text": "text", **options})  # type: ignore[operator]
    for batch in (tok.encode_batch, tok.encode_ragged, tok.count_batch) if "text" not in options else ():
        with pytest.raises(error, match=message):
            batch(["text"], **options)


def test_every_argument_of_encode_is_tried() -> None:
    tried = {name for options, *_ in ENCODE for name in options}
    more = {
        "encode": {"dropout", "seed", "threads"},
        "count": {"threads"},
        "pieces": set(),
        "tokens": set(),
        "fits": {"budget"},
        "truncate": {"budget", "side"},
        "chunks": {"budget", "overlap", "unit"},
        "encode_array": {"dtype", "threads"},
        "encode_spans": {"unit"},
    }
    for name, own in more.items():
        assert set(inspect.signature(getattr(bp.Tokenizer, name)).parameters) - {"self"} == tried | own
    batch = tried - {"text"} | {"self", "texts", "threads"}
    assert set(inspect.signature(bp.Tokenizer.encode_batch).parameters) == batch | {"dropout", "seed"}
    assert set(inspect.signature(bp.Tokenizer.encode_ragged).parameters) == batch | {"dtype"}
    assert set(inspect.signature(bp.Tokenizer.count_batch).parameters) == batch


@pytest.mark.parametrize(
    ("texts", "threads", "error", "message"),
    [
        ("a text", None, bp.ArgumentTypeError, r"texts is one str; encode_batch takes a list: \['a text'\]"),
        (b"a text", None, bp.ArgumentTypeError, "texts is one bytes"),
        (None, None, bp.ArgumentTypeError, r"texts is None \(NoneType\)"),
        (3, None, bp.ArgumentTypeError, r"texts is 3 \(int\)"),
        (["a", 3], None, bp.ArgumentTypeError, r"texts\[1\] is 3 \(int\); it must be str or bytes"),
        (["a"], 0, bp.ArgumentError, "threads is 0; it must be at least 1"),
        (["a"], "2", bp.ArgumentTypeError, r"threads is '2' \(str\)"),
    ],
)
def test_a_wrong_argument_of_encode_batch_is_named(
    tok: bp.Tokenizer, texts: Any, threads: Any, error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        tok.encode_batch(texts, threads=threads)


@pytest.mark.parametrize(
    ("ids", "options", "error", "message"),
    [
        (None, {}, bp.ArgumentTypeError, r"ids is None \(NoneType\); it must be a list or an array of ints"),
        (97, {}, bp.ArgumentTypeError, r"ids is 97 \(int\)"),
        ("97", {}, bp.ArgumentTypeError, r"ids is '97' \(str\)"),
        (b"a", {}, bp.ArgumentTypeError, r"ids is b'a' \(bytes\)"),
        ({97}, {}, bp.ArgumentTypeError, r"ids is \{97\} \(set\)"),
        ({97: 1}, {}, bp.ArgumentTypeError, r"ids is \{97: 1\} \(dict\)"),
        (["a"], {}, bp.ArgumentTypeError, "'a'|str"),
        ([1.0], {}, bp.ArgumentTypeError, "1.0|float"),
        ([[97]], {}, bp.ArgumentTypeError, "list"),
        ([None], {}, bp.ArgumentTypeError, "None"),
        (
            [97],
            {"errors": "raise"},
            bp.ArgumentError,
            "errors is 'raise'; it must be one of 'replace', 'strict', 'ignore'",
        ),
        ([97], {"errors": None}, bp.ArgumentTypeError, "errors is None"),
        (
            [97],
            {"bad_ids": "ignore"},
            bp.ArgumentError,
            "bad_ids is 'ignore'; it must be one of 'raise', 'replace', 'skip'",
        ),
        ([97], {"bad_ids": 0}, bp.ArgumentTypeError, r"bad_ids is 0 \(int\)"),
    ],
)
def test_a_wrong_argument_of_decode_is_named(
    tok: bp.Tokenizer, ids: Any, options: dict[str, Any], error: type[bp.BytepairError], message: str
) -> None:
    with pytest.raises(error, match=message):
        tok.decode(ids, **options)
    with pytest.raises(error, match=message) as caught:
        tok.decode_batch([[97], ids], **options)
    assert caught.value.__notes__[-1] in ("in batch[0]", "in batch[1]")


def test_a_batch_that_is_none_is_named(tok: bp.Tokenizer) -> None:
    for batch in (None, 3, "abc"):
        with pytest.raises(bp.ArgumentTypeError, match="it must be a list of lists of ids"):
            tok.decode_batch(batch)  # type: ignore[arg-type]


def test_what_is_no_model_makes_no_tokenizer() -> None:
    with pytest.raises(bp.ArgumentTypeError, match=r"Tokenizer takes a Model, not 'gpt2' \(str\); train"):
        bp.Tokenizer("gpt2")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": (b"a", b"b", b"a")}, r"the token b'a' has the ids \[0, 2\]"),
        ({"specials": {"<s>": -1}}, "the special token '<s>' has the id -1; ids are 0 or more"),
        ({"specials": {"<s>": 0}}, "the special token '<s>' has the id 0 of the token b'a'"),
        ({"specials": {"<s>": 5, "<t>": 5}}, "'<s>' and '<t>' both have the id 5"),
        ({"specials": {"<s>": 10**8}}, "the special token '<s>' has the id 100000000"),
        ({"unk_token": "<unk>"}, r"the unknown token '<unk>' is not among the special tokens \[\]"),
        ({"alphabet": "bytes"}, "the byte 0x00 and 253 more has no token; a byte-level model needs all 256"),
        ({"kind": "ranks"}, "its alphabet cannot be characters"),
        ({"end_of_word": "</w>"}, "the end-of-word marker '</w>' is no token"),
        ({"end_of_word_style": "suffix"}, "end_of_word_style is 'suffix', and there is no end_of_word to glue"),
        (
            {
                "alphabet": "bytes",
                "tokens": tuple(bytes([byte]) for byte in range(256)),
                "end_of_word": "_",
                "end_of_word_style": "suffix",
            },
            r"b'\\x00_', a byte with the end-of-word marker, is no token; a byte-level model needs all 256",
        ),
        ({"merges": ((0, 7),)}, "merge 0 joins the ids 0 and 7, one of which is no ordinary token"),
        ({"merges": ((1, 0),)}, "merge 0 makes b'ba' of b'b' and b'a', which is no token"),
        ({"merge_counts": (1,)}, "1 merge count for 0 merges"),
        ({"kind": "words"}, r"kind is 'words' \(str\); it must be 'merges' or 'ranks'"),
        ({"kind": None}, r"kind is None \(NoneType\)"),
        ({"kind": ["merges"]}, r"kind is \['merges'\] \(list\)"),
        ({"alphabet": "runes"}, r"alphabet is 'runes' \(str\); it must be 'bytes' or 'chars'"),
        ({"tokens": [b"a"]}, r"tokens is \[b'a'\] \(list\); it must be a tuple"),
        ({"tokens": (b"a", "b")}, r"tokens\[1\] is 'b' \(str\); it must be None, or bytes"),
        ({"tokens": (b"a", b"")}, r"tokens\[1\] is b'' \(bytes\); it must be None, or bytes, at least one"),
        ({"tokens": (b"a", b"\xff")}, r"tokens\[1\] is b'\\xff' \(bytes\); it must be UTF-8"),
        ({"merges": [(0, 1)]}, r"merges is \[\(0, 1\)\] \(list\)"),
        ({"merges": ((0,),)}, r"merges\[0\] is \(0,\) \(tuple\); it must be a tuple of two ids"),
        ({"merges": ((0, "b"),)}, r"merges\[0\] is \(0, 'b'\)"),
        ({"merges": ((0, True),)}, r"merges\[0\] is \(0, True\)"),
        ({"merges": ((0, 1),), "kind": "ranks"}, "there are 1 merges, and a model of ranks has none"),
        ({"specials": ["<s>"]}, r"specials is \['<s>'\] \(list\); it must be a mapping"),
        ({"specials": {3: 5}}, r"a special token is 3 \(int\)"),
        ({"specials": {"": 5}}, r"a special token is '' \(str\); it must be a str of at least one character"),
        ({"specials": {"\ud83d": 5}}, "a special token is .*without lone surrogates"),
        ({"specials": {"<s>": "5"}}, r"the id of '<s>' is '5' \(str\); it must be an int"),
        ({"specials": {"<s>": True}}, r"the id of '<s>' is True \(bool\)"),
        ({"pattern": "gpt2"}, r"pattern is 'gpt2' \(str\); it must be a Pattern"),
        ({"end_of_word": b"</w>"}, r"end_of_word is b'</w>' \(bytes\); it must be None, or a str"),
        ({"end_of_word": ""}, r"end_of_word is '' \(str\)"),
        ({"end_of_word_style": "other"}, r"end_of_word_style is 'other' \(str\)"),
        ({"unk_token": 3}, r"unk_token is 3 \(int\); it must be None, or a str"),
        ({"add_prefix_space": 1}, r"add_prefix_space is 1 \(int\); it must be True or False"),
        ({"byte_order": "random"}, r"byte_order is 'random' \(str\); it must be 'value' or 'gpt2'"),
        ({"byte_order": "value"}, "byte_order is 'value', and the ids of the tokens say None"),
        ({"ties": "random"}, r"ties is 'random' \(str\); it must be 'lexicographic' or"),
        ({"special_ids": "middle"}, r"special_ids is 'middle' \(str\); it must be 'last' or 'first'"),
        ({"special_ids": "first", "specials": {"<s>": 5}}, r"special_ids is 'first', and the special tokens are"),
        ({"min_count": 0}, r"min_count is 0 \(int\); it must be None, or an int of at least 1"),
        ({"min_count": True}, r"min_count is True \(bool\)"),
        ({"max_token_bytes": "4"}, r"max_token_bytes is '4' \(str\)"),
        ({"corpus_fingerprint": b"f"}, r"corpus_fingerprint is b'f' \(bytes\)"),
        ({"version": 1}, r"version is 1 \(int\)"),
        ({"merge_counts": [1]}, r"merge_counts is \[1\] \(list\); it must be None or a tuple"),
        ({"merge_counts": (-1,)}, r"merge_counts\[0\] is -1 \(int\)"),
        ({"extensions": [1]}, r"extensions is \[1\] \(list\); it must be a tuple of Extension"),
        ({"extensions": (1,)}, r"extensions is \(1,\) \(tuple\); it must be a tuple of Extension"),
    ],
)
def test_parts_that_contradict_each_other_make_no_model(changes: dict[str, Any], message: str) -> None:
    whole: dict[str, Any] = {
        "kind": "merges",
        "alphabet": "chars",
        "tokens": (b"a", b"b"),
        "merges": (),
        "specials": {},
        "pattern": bp.train([""], num_merges=0).model.pattern,
    }
    with pytest.raises(bp.ModelError, match=message):
        bp.Model(**{**whole, **changes})


# The family


# A warning is no error: `except BytepairError` must not catch it.
FAMILY = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, Exception) and not issubclass(each, Warning)
]


@pytest.mark.parametrize("kind", FAMILY, ids=lambda kind: str(kind.__name__))
def test_the_family_is_public_and_each_is_a_built_in_kind_too(kind: type[Exception]) -> None:
    assert issubclass(kind, bp.BytepairError)
    if kind is bp.BytepairError or kind.__name__.startswith("_"):
        return
    assert getattr(bp, kind.__name__) is kind
    assert kind.__name__ in bp.__all__
    assert any(base.__module__ == "builtins" and base not in (Exception, object) for base in kind.__mro__[1:-3])


@pytest.mark.parametrize(
    ("kind", "built_in"),
    [
        ("ArgumentError", ValueError),
        ("ArgumentTypeError", TypeError),
        ("PatternError", ValueError),
        ("MissingFileError", FileNotFoundError),
        ("UnreadableFileError", OSError),
        ("PermissionDeniedError", PermissionError),
        ("EncodingError", UnicodeError),
        ("DecodingError", UnicodeDecodeError),
        ("SurrogateError", UnicodeEncodeError),
        ("BadIdError", IndexError),
        ("UnknownTokenError", KeyError),
        ("CountOverflowError", OverflowError),
        ("FormatError", ValueError),
        ("MissingPackageError", ImportError),
    ],
)
def test_except_clauses_for_built_in_kinds_keep_working(kind: str, built_in: type[Exception]) -> None:
    assert issubclass(getattr(bp, kind), built_in)
