"""Texts at which rules of normalizers, pre-tokenizers and added tokens part."""

from __future__ import annotations

# By what is hard about them.
_SPACES = [
    *(
        "",
        "a",
        " ",
        "  a  b ",
        "\n\n",
        "\t x\u00a0y\u3000z",
        "  Hello World.",
        "a\tb\n\n c ",
        "x  \r\n  y",
        "a\r\nb\r c",
    ),
]
_MARKS = ["\u2581", "\u2581a \u2581", "<0x0A> \x01 \x7f", "<0x0A> \x00 \x7f", " \u2047 ", "\ufffd\ud7ff"]
_LETTERS = [
    *("Hello World", "caf\u00e9 cafe\u0301 \u1e9b\u0323 \ufb01 \uff21", "don't DON'T", "\u0130I \u03a3\u03c3\u03c2"),
    *(
        "\U0001f600\U0001f468\u200d\U0001f469",
        "\u4e00\u4e8c\u3042\u30a2",
        "a\u0301\u0327",
        "\u0e33\u0e19\u0e49",
        "x" * 50,
    ),
]
_DIGITS = ["1234 5", "1234 5 67.89", "!!??..,;", "w w_w w.w"]
_ADDED = [
    *("<s>a</s> <unk>", "<s>a</s> <mask> b", "<mask>", "<mask>x <mask>  y", "foo<mask>bar <mask>  baz"),
    *("tok tok", "tok en tok", "_tok_ tok"),
]
HARD = [*_SPACES, *_MARKS, *_LETTERS, *_DIGITS, *_ADDED]
