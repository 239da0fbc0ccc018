//! The split patterns of cl100k, Llama 3 and Qwen 2, which are one but for digits and the white space at the end of a text.
//!
//! cl100k, as tiktoken spells it: `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|` and then
//! ` ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`.
//!
//! Llama 3: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|` and then
//! ` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`. Qwen 2 has `\p{N}` for `\p{N}{1,3}`.

use super::classes::{Class, LETTER, NUMBER, SIGN, class_at};
use super::runs::{
    all_but_last, digits_end, is_line_break, letters_end, run_end, starts_with, white_space_end, white_space_run,
    word_end,
};

/// What tells the patterns apart.
pub(super) trait Rules {
    /// The most digits in a piece.
    const MAX_DIGITS: u8;
    /// `\s++$`: white space at the end of a text is one piece, even where it holds a line break that more follows.
    const END_IS_WHOLE: bool;
}

#[derive(Debug)]
pub(super) struct Cl100k;
#[derive(Debug)]
pub(super) struct Llama3;
#[derive(Debug)]
pub(super) struct Qwen2;

impl Rules for Cl100k {
    const MAX_DIGITS: u8 = 3;
    const END_IS_WHOLE: bool = true;
}

impl Rules for Llama3 {
    const MAX_DIGITS: u8 = 3;
    const END_IS_WHOLE: bool = false;
}

impl Rules for Qwen2 {
    const MAX_DIGITS: u8 = 1;
    const END_IS_WHOLE: bool = false;
}

/// The ASCII bytes in `[^\r\n\p{L}\p{N}]` but the apostrophe, behind which letters may be a contraction.
static LEADS: [bool; 256] = {
    let mut leads = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        leads[byte as usize] = !(byte.is_ascii_alphanumeric() || is_line_break(byte) || byte == b'\'');
        byte += 1;
    }
    leads
};

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end<R: Rules>(text: &[u8], start: usize) -> usize {
    if let Some(end) = word_end(text, start, |byte| LEADS[usize::from(byte)]) {
        return end;
    }
    let (class, n_bytes) = class_at(text, start);
    let next = start + n_bytes;
    if LETTER.has(class) {
        return letters_end(text, next);
    }
    if NUMBER.has(class) {
        return digits_end(text, next, R::MAX_DIGITS);
    }
    if let Some(end) = contraction_end(text, start) {
        return end;
    }
    if !is_line_break(text[start]) && starts_with(text, next, LETTER) {
        return letters_end(text, next);
    }
    if class != Class::Space {
        return signs_end(text, next);
    }
    if text[start] == b' ' && starts_with(text, next, SIGN) {
        return signs_end(text, next);
    }
    if R::END_IS_WHOLE { white_space_end_of_cl100k(text, start) } else { white_space_end(text, start) }
}

/// `'(?i:[sdmt]|ll|ve|re)`: ignoring case, `s` is also U+017F.
#[inline]
pub(super) fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    match text[start..] {
        [b'\'', b's' | b'd' | b'm' | b't' | b'S' | b'D' | b'M' | b'T', ..] => Some(start + 2),
        [b'\'', b'l' | b'L', b'l' | b'L', ..]
        | [b'\'', b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..]
        | [b'\'', 0xC5, 0xBF, ..] => Some(start + 3),
        _ => None,
    }
}

/// The rest of `[^\s\p{L}\p{N}]++[\r\n]*+`.
fn signs_end(text: &[u8], at: usize) -> usize {
    let mut end = run_end(text, at, SIGN);
    while end < text.len() && is_line_break(text[end]) {
        end += 1;
    }
    end
}

/// `\s++$|\s*[\r\n]|\s+(?!\S)|\s`: as in GPT-2, but a run within the text goes up to its last line break if it has one.
fn white_space_end_of_cl100k(text: &[u8], start: usize) -> usize {
    let (end, break_end) = white_space_run(text, start);
    if end == text.len() { end } else { break_end.unwrap_or_else(|| all_but_last(text, start, end)) }
}
