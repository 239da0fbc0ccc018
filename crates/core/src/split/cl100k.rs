//! The split pattern of cl100k, as tiktoken spells it:
//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s`

use super::classes::{Class, LETTER, NUMBER, SIGN, class_at};
use super::runs::{last_character, letters_end, run_end, spaces_end, starts_with};

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end(text: &[u8], start: usize) -> usize {
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
fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    match text[start..] {
        [b'\'', b's' | b'd' | b'm' | b't' | b'S' | b'D' | b'M' | b'T', ..] => Some(start + 2),
        [b'\'', b'l' | b'L', b'l' | b'L', ..] => Some(start + 3),
        [b'\'', b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..] => Some(start + 3),
        [b'\'', 0xC5, 0xBF, ..] => Some(start + 3),
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

/// `\s++$|\s*[\r\n]|\s+(?!\S)|\s`: as in GPT-2, but inside a text a run is cut after its last line break first.
fn white_space_end(text: &[u8], start: usize) -> usize {
    let end = spaces_end(text, start);
    if end == text.len() {
        return end;
    }
    if let Some(at) = text[start..end].iter().rposition(|&byte| is_line_break(byte)) {
        return start + at + 1;
    }
    match last_character(text, end) {
        last if last > start => last,
        _ => end,
    }
}

#[inline]
fn is_line_break(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}
