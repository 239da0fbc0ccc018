"""OpenAI's encodings: all about each but its ranks, which stand in a file.

Source: openai/tiktoken 0.14, tiktoken_ext/openai_public.py, which the tests hold this against.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bytepair import patterns


@dataclass(frozen=True, slots=True)
class File:
    """A published file.

    Args:
        name: what its publisher calls it.
        key: what tiktoken calls it in its cache folder, the SHA-1 of the address it is fetched from.
        sha256: of its contents.
    """

    name: str
    key: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Published:
    """An encoding of OpenAI's.

    Args:
        files: any of these holds its ranks.
        pat_str: what cuts text into pieces.
        special_tokens: text -> id.
        n_vocab: how many tokens there are; None where ids have gaps.
    """

    files: tuple[File, ...]
    pat_str: str
    special_tokens: Mapping[str, int]
    n_vocab: int | None = None


VOCAB_BPE = File(
    "vocab.bpe",
    "6d1cbeee0f20b3d9449abfede4726ed8212e3aee",
    "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
)
_R50K = File(
    "r50k_base.tiktoken",
    "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
)
_P50K = File(
    "p50k_base.tiktoken",
    "ec7223a39ce59f226a68acc30dc1af2788490e15",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
)
_CL100K = File(
    "cl100k_base.tiktoken",
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
)
_O200K = File(
    "o200k_base.tiktoken",
    "fb374d419588a4632f3f557e76b4b70aebbca790",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)

_GPT2_PATTERN: Final = patterns.NAMED["gpt2"].regex
_CL100K_PATTERN: Final = patterns.NAMED["cl100k"].regex
_O200K_PATTERN: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_END: Final = "<|endoftext|>"
_FILL: Final = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_O200K_SPECIALS: Final = {_END: 199999, "<|endofprompt|>": 200018}
# Those with a meaning; the other ids to 201,087 are reserved. 200,018 has two names, as it has in tiktoken.
_HARMONY: Final = {
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
_RESERVED: Final = {
    f"<|reserved_{number}|>": number for number in range(200000, 201088) if number not in _HARMONY.values()
}

PUBLISHED: Final[Mapping[str, Published]] = {
    "gpt2": Published((VOCAB_BPE, _R50K), _GPT2_PATTERN, {_END: 50256}, 50257),
    "r50k_base": Published((_R50K,), _GPT2_PATTERN, {_END: 50256}, 50257),
    "p50k_base": Published((_P50K,), _GPT2_PATTERN, {_END: 50256}, 50281),
    "p50k_edit": Published((_P50K,), _GPT2_PATTERN, {_END: 50256} | dict(zip(_FILL, range(50281, 50284), strict=True))),
    "cl100k_base": Published(
        (_CL100K,),
        _CL100K_PATTERN,
        {_END: 100257} | dict(zip(_FILL, range(100258, 100261), strict=True)) | {"<|endofprompt|>": 100276},
    ),
    "o200k_base": Published((_O200K,), _O200K_PATTERN, _O200K_SPECIALS),
    "o200k_harmony": Published((_O200K,), _O200K_PATTERN, _O200K_SPECIALS | _HARMONY | _RESERVED),
}
