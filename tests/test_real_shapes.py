"""tokenizer.json in the shapes that published models have, with small vocabularies: ids, texts, spans, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Regex, Tokenizer, models, processors, trainers
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

CORPUS = [
    "The quick brown fox doesn't jump over 1234567 lazy dogs, does it?  Yes!\n",
    "def f(x):\n\treturn x ** 2  # comment\n\n\n    while True: pass\r\n",
    "Größe café naïve \u00bd \ufb01 \uff21 日本語のテキスト 中文文本 한국어 텍스트 русский текст",
    "low lower lowest newest widest <s> </s> [MASK] <|endoftext|>",
] * 30
TEXTS = [
    *(
        "",
        " ",
        "a",
        "  two  spaces ",
        "\n\n\t x\r\n y",
        "Hello, World! it's 1234567.89",
        "\u2581a \u2581",
        "don't DON'T",
    ),
    *(
        "Größe café cafe\u0301 \u1e9b\u0323 \ufb01 \uff21",
        "日本語のテキスト 中文",
        "\U0001f600\U0001f468\u200d\U0001f469",
    ),
    *("<s>a</s> <pad>", "x<|endoftext|>y", "a [MASK]b", " [MASK] [MASK] ", "<0x0A> \x00\x7f", "x" * 40, "!!??..,;"),
    *(
        "1 12 123 1234 12345",
        "\u4e00\u4e8c\u0e33\u0e19\u0e49",
        "a\u00a0b\u3000c",
        "    indented\n        more",
        "\ufeffbom",
    ),
    *(
        "<|im_start|>user\nhi<|im_end|>\n",
        "[INST] hello [/INST]",
        "<fim_prefix>def<fim_suffix>",
        "don\u2019t \u017f \u212a",
    ),
    *CORPUS[:4],
]
CL100K_LIKE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2_LIKE = CL100K_LIKE.replace("{1,3}", "")
GPT4O_LIKE = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
BLOOM = " ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+"


def trained(
    specials: list[str],
    *,
    by_bytes: bool = True,
    fallback: bool = False,
    model: dict[str, Any] | None = None,
    **parts: Any,
) -> Tokenizer:
    """A tokenizer of these parts, with about 500 tokens."""
    decoder, processor = parts.pop("decoder"), parts.pop("post_processor", None)
    options = {**(model or {})}
    made = Tokenizer(models.BPE(**options))
    for name, part in parts.items():
        setattr(made, name, part)
    suffix = {"end_of_word_suffix": options["end_of_word_suffix"]} if options.get("end_of_word_suffix") else {}
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=specials,
        initial_alphabet=P.ByteLevel.alphabet() if by_bytes else [],
        show_progress=False,
        **suffix,
    )
    made.train_from_iterator(CORPUS, trainer)
    if decoder is not None:
        made.decoder = decoder
    if processor is not None:
        made.post_processor = processor
    return with_fallback(made, len(specials)) if fallback else made


def with_fallback(made: Tokenizer, first: int) -> Tokenizer:
    """The same with the tokens of bytes behind the special ones, as Llama has them."""
    file = json.loads(made.to_str())
    vocab = file["model"]["vocab"]
    moved = {text: number if number < first else number + 256 for text, number in vocab.items()}
    file["model"]["vocab"] = moved | {f"<0x{byte:02X}>": first + byte for byte in range(256)}
    file["model"] |= {"byte_fallback": True, "fuse_unk": True}
    return Tokenizer.from_str(json.dumps(file))


def byte_level(prefix: bool = False, regex: bool = True) -> Any:
    return P.ByteLevel(add_prefix_space=prefix, use_regex=regex)


def split(regex: str, behavior: str = "isolated", invert: bool = False) -> Any:
    return P.Split(Regex(regex), behavior, invert)


def around(before: str, number: int, after: str | None = None, other: int = 0) -> Any:
    single = f"{before} $A" + (f" {after}" if after else "")
    return processors.TemplateProcessing(
        single, f"{single} $B:1", [(before, number), *([(after, other)] if after else [])]
    )


def gpt2() -> Tokenizer:
    return trained(
        ["<|endoftext|>"],
        pre_tokenizer=byte_level(),
        decoder=D.ByteLevel(),
        post_processor=processors.ByteLevel(trim_offsets=False),
    )


def roberta() -> Tokenizer:
    made = trained(
        ["<s>", "<pad>", "</s>", "<unk>"],
        pre_tokenizer=byte_level(),
        decoder=D.ByteLevel(),
        post_processor=processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False),
    )
    made.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
    return made


def bart_prefix_space() -> Tokenizer:
    return trained(
        ["<s>", "<pad>", "</s>", "<unk>"],
        pre_tokenizer=byte_level(prefix=True),
        decoder=D.ByteLevel(add_prefix_space=True),
        post_processor=processors.BertProcessing(("</s>", 2), ("<s>", 0)),
    )


def llama_decoder(strips: bool = True) -> Any:
    strip = [D.Strip(" ", 1, 0)] if strips else []
    return D.Sequence([D.Replace("\u2581", " "), D.ByteFallback(), D.Fuse(), *strip])


def llama2() -> Tokenizer:
    return trained(
        ["<unk>", "<s>", "</s>"],
        by_bytes=False,
        fallback=True,
        model={"unk_token": "<unk>"},
        normalizer=N.Sequence([N.Prepend("\u2581"), N.Replace(" ", "\u2581")]),
        decoder=llama_decoder(),
        post_processor=around("<s>", 1),
    )


def llama2_metaspace() -> Tokenizer:
    return trained(
        ["<unk>", "<s>", "</s>"],
        by_bytes=False,
        fallback=True,
        model={"unk_token": "<unk>"},
        pre_tokenizer=P.Metaspace("\u2581", "first", split=False),
        decoder=llama_decoder(),
        post_processor=around("<s>", 1),
    )


def codellama() -> Tokenizer:
    made = llama2()
    made.add_special_tokens(
        [AddedToken(text, normalized=False) for text in ("\u2581<PRE>", "\u2581<SUF>", "\u2581<MID>")]
    )
    made.post_processor = around("<s>", 1, "</s>", 2)
    return made


def mistral_v3() -> Tokenizer:
    made = llama2_metaspace()
    made.add_special_tokens(["[INST]", "[/INST]", "[TOOL_CALLS]"])
    return made


def gemma() -> Tokenizer:
    made = trained(
        ["<pad>", "<eos>", "<bos>", "<unk>"],
        by_bytes=False,
        fallback=True,
        model={"unk_token": "<unk>"},
        normalizer=N.Replace(" ", "\u2581"),
        pre_tokenizer=P.Split(" ", "merged_with_previous"),
        decoder=llama_decoder(strips=False),
        post_processor=around("<bos>", 2),
    )
    made.add_tokens([AddedToken("\n\n", normalized=False), AddedToken("\u2581\u2581", normalized=False)])
    return made


def split_and_bytes(
    regex: str, normalizer: Any = None, specials: list[str] | None = None, ignore: bool = False
) -> Tokenizer:
    made = trained(
        [],
        model={"ignore_merges": ignore},
        pre_tokenizer=P.Sequence([split(regex), byte_level(regex=False)]),
        decoder=D.ByteLevel(),
        **({"normalizer": normalizer} if normalizer else {}),
    )
    made.add_special_tokens(specials or ["<|begin_of_text|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>"])
    return made


def llama3() -> Tokenizer:
    made = split_and_bytes(CL100K_LIKE, ignore=True)
    number = made.token_to_id("<|begin_of_text|>")
    made.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=True), around("<|begin_of_text|>", number)]
    )
    return made


def starcoder() -> Tokenizer:
    return trained(
        ["<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>"],
        pre_tokenizer=P.Sequence([P.Digits(individual_digits=True), byte_level()]),
        decoder=D.ByteLevel(),
        post_processor=processors.ByteLevel(),
    )


def falcon() -> Tokenizer:
    steps = [P.Punctuation("contiguous"), byte_level(), P.Digits(False), split("[0-9][0-9][0-9]")]
    return trained(
        [">>TITLE<<", "<|endoftext|>"],
        pre_tokenizer=P.Sequence(steps),
        decoder=D.ByteLevel(),
        post_processor=processors.ByteLevel(),
    )


def bloom() -> Tokenizer:
    return trained(
        ["<unk>", "<s>", "</s>", "<pad>"],
        pre_tokenizer=P.Sequence([split(BLOOM), byte_level(regex=False)]),
        decoder=D.ByteLevel(),
        post_processor=processors.ByteLevel(),
    )


def deepseek() -> Tokenizer:
    punctuation = (
        r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    steps = [split(r"\p{N}{1,3}"), split("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"), split(punctuation)]
    made = trained([], pre_tokenizer=P.Sequence([*steps, byte_level(regex=False)]), decoder=D.ByteLevel())
    made.add_special_tokens(["<\uff5cbegin\u2581of\u2581sentence\uff5c>"])
    made.add_tokens([AddedToken("<think>", normalized=False)])
    made.post_processor = around("<\uff5cbegin\u2581of\u2581sentence\uff5c>", made.get_vocab_size() - 2)
    return made


def gpt_neox() -> Tokenizer:
    made = trained(
        ["<|endoftext|>", "<|padding|>"],
        normalizer=N.NFC(),
        pre_tokenizer=byte_level(),
        decoder=D.ByteLevel(),
        post_processor=processors.ByteLevel(),
    )
    made.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    return made


def modernbert() -> Tokenizer:
    made = gpt_neox()
    made.add_special_tokens(["[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)])
    made.post_processor = around("[CLS]", made.token_to_id("[CLS]"), "[SEP]", made.token_to_id("[SEP]"))
    return made


def clip() -> Tokenizer:
    words = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    made = trained(
        ["<|startoftext|>", "<|endoftext|>"],
        model={"unk_token": "<|endoftext|>", "end_of_word_suffix": "</w>", "continuing_subword_prefix": ""},
        normalizer=N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()]),
        pre_tokenizer=P.Sequence([split(words, "removed", True), byte_level()]),
        decoder=D.ByteLevel(),
    )
    made.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False
    )
    return made


def whisper() -> Tokenizer:
    made = gpt2()
    made.add_special_tokens(["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"])
    made.add_tokens([AddedToken(f"<|{i / 50:.2f}|>", normalized=False) for i in range(20)])
    ids = [(text, made.token_to_id(text)) for text in ("<|startoftranscript|>", "<|notimestamps|>", "<|endoftext|>")]
    made.post_processor = processors.TemplateProcessing(
        "<|startoftranscript|>:0 <|notimestamps|>:0 $A:0 <|endoftext|>:0", None, ids
    )
    return made


def xglm_like() -> Tokenizer:
    return trained(
        ["<s>", "<pad>", "</s>", "<unk>"],
        by_bytes=False,
        model={"unk_token": "<unk>", "fuse_unk": True},
        normalizer=N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")]),
        pre_tokenizer=P.Metaspace("\u2581", "always"),
        decoder=D.Metaspace("\u2581", "always"),
        post_processor=around("</s>", 2),
    )


def codegen() -> Tokenizer:
    """CodeGen and Phi 2: runs of spaces as added tokens of the text as it is."""
    made = gpt2()
    made.add_tokens([AddedToken(" " * n, normalized=True) for n in range(31, 1, -1)])
    made.add_tokens([AddedToken("\t" * n, normalized=True) for n in range(9, 1, -1)])
    return made


def phi3() -> Tokenizer:
    made = llama2()
    flags = [("<|endoftext|>", False), ("<|assistant|>", True), ("<|system|>", True), ("<|end|>", True)]
    made.add_special_tokens([AddedToken(text, rstrip=rstrip, normalized=False) for text, rstrip in flags])
    return made


def yi() -> Tokenizer:
    made = trained(
        ["<unk>", "<|startoftext|>", "<|endoftext|>"],
        by_bytes=False,
        fallback=True,
        model={"unk_token": "<unk>"},
        normalizer=N.Sequence([N.Replace(" ", "\u2581")]),
        decoder=llama_decoder(strips=False),
    )
    made.add_special_tokens([AddedToken("<|im_start|>", normalized=False), AddedToken("<fim>", single_word=True)])
    return made


def command_r() -> Tokenizer:
    made = trained(
        ["<PAD>", "<UNK>", "<CLS>", "<BOS_TOKEN>", "<EOS_TOKEN>"],
        normalizer=N.NFC(),
        pre_tokenizer=P.Sequence([P.Digits(individual_digits=True), byte_level()]),
        decoder=D.ByteLevel(),
        post_processor=around("<BOS_TOKEN>", 3),
    )
    made.add_tokens([AddedToken("<|START_OF_TURN_TOKEN|>", normalized=False)])
    return made


def glm4() -> Tokenizer:
    made = split_and_bytes(CL100K_LIKE, specials=["[gMASK]", "<sop>", "<|user|>", "<|endoftext|>"])
    ids = [(text, made.token_to_id(text)) for text in ("[gMASK]", "<sop>")]
    made.post_processor = processors.Sequence(
        [processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing("[gMASK] <sop> $A", None, ids)]
    )
    return made


def of_splits(*regexes: str, digits: bool = False) -> Tokenizer:
    """As the first models of DeepSeek: many cuts in a row."""
    steps = [split(regex) for regex in regexes] + ([P.Digits(individual_digits=True)] if digits else [])
    made = trained([], pre_tokenizer=P.Sequence([*steps, byte_level(regex=False)]), decoder=D.ByteLevel())
    made.add_special_tokens(["<\uff5cbegin\u2581of\u2581sentence\uff5c>"])
    made.add_tokens([AddedToken("\u00f8", normalized=True), AddedToken("<\uff5cUser\uff5c>", normalized=False)])
    return made


EAST = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"


def deepseek_llm() -> Tokenizer:
    letters = r"\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u0370-\u0373\u0400-\u0481]+"
    signs = r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"
    return of_splits("[\\r\\n]", letters, signs, r"\s+$", EAST, digits=True)


def deepseek_coder() -> Tokenizer:
    return of_splits("[\\r\\n]", r"\s?\p{L}+", r"\s?\p{P}+", EAST, digits=True)


def openai_gpt() -> Tokenizer:
    return trained(
        ["<unk>"],
        by_bytes=False,
        model={"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
        normalizer=N.BertNormalizer(),
        pre_tokenizer=P.BertPreTokenizer(),
        decoder=D.BPEDecoder(suffix="</w>"),
    )


def herbert() -> Tokenizer:
    return trained(
        ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        by_bytes=False,
        model={"unk_token": "<unk>", "end_of_word_suffix": "</w>"},
        normalizer=N.BertNormalizer(clean_text=False, strip_accents=False, lowercase=False),
        pre_tokenizer=P.BertPreTokenizer(),
        decoder=D.BPEDecoder(suffix="</w>"),
        post_processor=processors.BertProcessing(("</s>", 2), ("<s>", 0)),
    )


def dnabert() -> Tokenizer:
    return trained(
        ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"],
        by_bytes=False,
        model={"unk_token": "[UNK]"},
        pre_tokenizer=P.Whitespace(),
        decoder=None,
        post_processor=around("[CLS]", 1, "[SEP]", 2),
    )


def nllb() -> Tokenizer:
    made = xglm_like()
    made.normalizer = N.Sequence([N.NFKC(), N.Replace(Regex(r" {2,}"), "\u2581"), N.Strip(False, True)])
    made.add_special_tokens(["ace_Arab", "eng_Latn", AddedToken("<mask>", lstrip=True)])
    ids = [("</s>", 2), ("eng_Latn", made.token_to_id("eng_Latn"))]
    made.post_processor = processors.TemplateProcessing("$A </s> eng_Latn", "$A $B </s> eng_Latn", ids)
    return made


# What other models cut with; each is followed by bytes.
CUTS = {
    "qwen3_5": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "mistral_nemo": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "ling": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    ),
    "exaone": (
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "kimi": (
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
        r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

SHAPES: dict[str, Callable[[], Tokenizer]] = {
    each.__name__: each
    for each in (
        *(gpt2, roberta, bart_prefix_space, llama2, llama2_metaspace, codellama, mistral_v3, gemma, llama3, starcoder),
        *(falcon, bloom, deepseek, gpt_neox, modernbert, clip, whisper, xglm_like, codegen, phi3, yi, command_r, glm4),
        *(deepseek_llm, deepseek_coder, openai_gpt, herbert, dnabert, nllb),
    )
} | {
    **{name: partial(split_and_bytes, regex) for name, regex in CUTS.items()},
    "stablelm2": lambda: split_and_bytes(CL100K_LIKE, N.NFC()),
    "qwen2": lambda: split_and_bytes(QWEN2_LIKE, N.NFC()),
    "phi4": lambda: split_and_bytes(CL100K_LIKE),
    "gpt_oss": lambda: split_and_bytes(GPT4O_LIKE, ignore=True),
}


@pytest.fixture(scope="module", params=SHAPES)
def pair(request: pytest.FixtureRequest) -> tuple[bp.Tokenizer, Tokenizer]:
    theirs = SHAPES[request.param]()
    return bp.load(theirs.to_str().encode()), theirs


def test_ids_with_the_template_and_without(pair: tuple[bp.Tokenizer, Tokenizer]) -> None:
    ours, theirs = pair
    for text in TEXTS:
        assert ours.encode(text, special="all") == theirs.encode(text, add_special_tokens=False).ids, text
        ids = ours.encode(text, special="all", add_special_tokens=True)
        assert ids == theirs.encode(text).ids, text
    batch = ours.encode_batch(TEXTS, special="all", add_special_tokens=True)
    assert batch == [each.ids for each in theirs.encode_batch(TEXTS)]


def test_texts_with_the_special_tokens_and_without(pair: tuple[bp.Tokenizer, Tokenizer]) -> None:
    ours, theirs = pair
    specials = {*ours.special_tokens.values()}
    for text in TEXTS:
        ids = theirs.encode(text).ids
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), text
        kept = [number for number in ids if number not in specials]
        assert ours.decode(kept) == theirs.decode(ids, skip_special_tokens=True), text
        stream = ours.decoder()
        assert "".join(map(stream.feed, ids)) + stream.finish() == ours.decode(ids)


def test_spans_where_texts_are_not_rewritten(pair: tuple[bp.Tokenizer, Tokenizer]) -> None:
    ours, theirs = pair
    file = json.loads(theirs.to_str())
    # Spans in tokenizers are trimmed by some post-processors.
    file["post_processor"] = None
    plain = Tokenizer.from_str(json.dumps(file))
    try:
        ours.encode_spans("a")
    except bp.ModelError as error:
        assert "rewrites texts" in str(error)
        return
    for text in TEXTS:
        found = plain.encode(text, add_special_tokens=False)
        ids, spans = ours.encode_spans(text, special="all")
        assert ids.tolist() == found.ids
        # A space that was put in front has no width here; there it has that of what it was put before.
        places = zip(spans.tolist(), found.offsets, strict=True)
        assert all(tuple(here) == there for here, there in places if here[0] < here[1]), text
        assert ours.model.add_prefix_space or all(start < end for start, end in spans), text


def test_saved_and_loaded_it_is_the_same_here_and_there(pair: tuple[bp.Tokenizer, Tokenizer], tmp_path: Path) -> None:
    ours, theirs = pair
    path = tmp_path / "tokenizer.json"
    ours.save(path)
    again, there = bp.load(path), Tokenizer.from_file(str(path))
    assert again == ours and again.losses == ours.losses
    for text in TEXTS:
        ids = theirs.encode(text).ids
        assert again.encode(text, special="all", add_special_tokens=True) == there.encode(text).ids == ids
        assert there.decode(ids, skip_special_tokens=False) == theirs.decode(ids, skip_special_tokens=False)
