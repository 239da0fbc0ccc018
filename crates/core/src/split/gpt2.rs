//! The split pattern of GPT-2, as tiktoken spells it for r50k and p50k:
//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`

use super::classes::{LETTER, NUMBER, SIGN, class_at};
use super::runs::{last_character, letters_end, run_end, spaces_end};

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end(text: &[u8], start: usize) -> usize {
    if let Some(end) = contraction_end(text, start) {
        return end;
    }
    let body = start + usize::from(text[start] == b' ');
    if body < text.len() {
        let (class, n_bytes) = class_at(text, body);
        if LETTER.has(class) {
            return letters_end(text, body + n_bytes);
        }
        for set in [NUMBER, SIGN] {
            if set.has(class) {
                return run_end(text, body + n_bytes, set);
            }
        }
    }
    white_space_end(text, start)
}

/// `'(?:[sdmt]|ll|ve|re)`
#[inline]
fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    match text[start..] {
        [b'\'', b's' | b'd' | b'm' | b't', ..] => Some(start + 2),
        [b'\'', b'l', b'l', ..] | [b'\'', b'v' | b'r', b'e', ..] => Some(start + 3),
        _ => None,
    }
}

/// `\s++$|\s+(?!\S)|\s`: a run goes whole at the end of the text, else without its last character, which leads the next piece.
fn white_space_end(text: &[u8], start: usize) -> usize {
    let end = spaces_end(text, start);
    if end == text.len() {
        return end;
    }
    match last_character(text, end) {
        last if last > start => last,
        _ => end,
    }
}
