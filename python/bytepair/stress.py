"""Texts on which tokenizers part: white space, contractions, scripts, marks, signs, control characters, names."""

from __future__ import annotations

from typing import Final

_SENTENCES: Final = (
    "The quick brown fox jumps over the lazy dog. It's 12345.67 o'clock, isn't it? I'LL say WE'VE done.",
    "  leading, trailing  \n\n\tand\r\nmixed   white space \u00a0\u2003\u3000here \n ",
    "def f(x):\n    return x**2 + 1  # comment\n\n\n\tif True: pass",
    "Größe café naïve Ελληνικά ΛΌΓΟΣ русский текст עִבְרִית العَرَبِيَّة हिन्दी ภาษาไทย",
    "日本語のテキスト、中文文本。한국어 텍스트 ①②③ ½ ٣٤٥ Ⅷ",
    "e\u0301 a\u0327\u0301 \u1e9b\u0323 \ufb01 \u0130 \u0131 \u1e9e \u017f \u212a \u01c5",
    "👍🏽 👨‍👩‍👧‍👦 🇩🇪 \u200d\u200c\ufe0f \U0001f9d1\u200d\U0001f4bb",
    "\x00\x01\x1b[0m\x7f\x85\u2028\u2029\ufeff\ufffd\ufffe\U0010ffff",
    "<|endoftext|><s></s><unk><pad>[INST] <0x0A> \u2581\u2581word \u0120word ##ing word</w>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa AAAAbbbbCCCC !!!???...---___ //// \\\\\\\\ \"\"\" '''",
    "http://example.org/a?b=c&d=e%20f#g name.surname+tag@example.com 192.168.0.1 0xDEADBEEF 1e-10 1,000,000",
)
STRESS: Final = ("", " ", "\n", "a", *_SENTENCES, "\n".join(_SENTENCES), *(text[::-1] for text in _SENTENCES))
