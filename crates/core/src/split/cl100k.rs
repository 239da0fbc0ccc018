//! The split pattern of cl100k, as tiktoken spells it:
//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|` and for white space
//! `\s++$|\s*[\r\n]|\s+(?!\S)|\s`

use super::classes::{Class, LETTER, NUMBER, SIGN, class_at};
use super::runs::{all_but_last, letters_end, run_end, skip_blanks, starts_with, word_end};

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
pub(super) fn piece_end(text: &[u8], start: usize) -> usize {
    if let Some(end) = word_end(text, start, |byte| LEADS[usize::from(byte)]) {
        return end;
    }
    let (class, n_bytes) = class_at(text, start);
    let next = start + n_bytes;
    if LETTER.has(class) {
        return letters_end(text, next);
    }
    if NUMBER.has(class) {
        return digits_end(text, next);
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
    white_space_end(text, start)
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

/// The rest of `\p{N}{1,3}+` after its first character.
fn digits_end(text: &[u8], mut at: usize) -> usize {
    for _ in 0..2 {
        match text.get(at).map(|_| class_at(text, at)) {
            Some((class, n_bytes)) if NUMBER.has(class) => at += n_bytes,
            _ => break,
        }
    }
    at
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
fn white_space_end(text: &[u8], start: usize) -> usize {
    let (mut end, mut break_end) = (start, None);
    loop {
        end = skip_blanks(text, end);
        let Some(&byte) = text.get(end) else { return end };
        let (class, n_bytes) = class_at(text, end);
        if class != Class::Space {
            return break_end.unwrap_or_else(|| all_but_last(text, start, end));
        }
        end += n_bytes;
        if is_line_break(byte) {
            break_end = Some(end);
        }
    }
}

#[inline]
pub(super) const fn is_line_break(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}
