"""A small file of each format that holds a tokenizer, for tests that break them."""

from __future__ import annotations

import base64
import gzip
import io
import json
from functools import cache

import sentencepiece
from tokenizers import AddedToken, Tokenizer, models, processors
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp


@cache
def files() -> dict[str, bytes]:
    """Name of a format -> contents."""
    alphabet = sorted(P.ByteLevel.alphabet())
    ranks = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc", b" a"]
    whole = Tokenizer(
        models.BPE({each: i for i, each in enumerate([*alphabet, "ab", "abc"])}, [("a", "b"), ("ab", "c")])
    )
    whole.normalizer = N.Sequence([N.NFC(), N.Replace("x", "y"), N.Prepend("z")])
    whole.pre_tokenizer = P.Sequence([P.Digits(True), P.Metaspace("_", "first"), P.ByteLevel(False)])
    whole.decoder = D.Sequence([D.ByteLevel(), D.Strip("z", 1, 0)])
    whole.add_tokens([AddedToken("<s>", special=True), AddedToken("tok", lstrip=True)])
    whole.post_processor = processors.TemplateProcessing("<s> $A", None, [("<s>", 258)])
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest newest"] * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=300,
        hard_vocab_limit=False,
        byte_fallback=True,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    vocab = [{"rank": rank, "token_bytes": base64.b64encode(token).decode()} for rank, token in enumerate(ranks)]
    config = {
        "pattern": "a|.",
        "default_vocab_size": len(ranks) + 10,
        "default_num_special_tokens": 10,
        "version": "v3",
    }
    return {
        "tokenizer.json": _tokenizer_json(),
        "framed tokenizer.json": whole.to_str().encode(),
        "tiktoken": b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(ranks)),
        "tekken": json.dumps({"config": config, "vocab": vocab, "special_tokens": []}).encode(),
        "vocab+merges": b"#version: 0.2\na b\nab c\n",
        "vocab.json": json.dumps({each: i for i, each in enumerate([*alphabet, "ab", "abc"])}).encode(),
        "sentencepiece": model.getvalue(),
        "clip": gzip.compress(b'"bpe#version: 0.2\na b\nab c</w>\n', mtime=0),
        "subword-nmt": b"#version: 0.2\nl o\nlo w</w>\nlo w\n",
        "minbpe": b"minbpe v1\na|.\n1\n<s> 300\n97 98\n256 99\n",
    }


def _tokenizer_json() -> bytes:
    from bytepair.formats.tokenizer_json import write

    return write(bp.train(["low lower lowest"], num_merges=5, special_tokens=["<s>"]).model)
