//! The split pattern of GPT-2, as tiktoken spells it for r50k and p50k:
//! `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`

use super::classes::{LETTER, NUMBER, SIGN, SPACE, class_at};
use super::runs::{all_but_last, letters_end, run_end, skip_blanks, word_end};

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end(text: &[u8], start: usize) -> usize {
    if let Some(end) = word_end(text, start, |byte| byte == b' ').or_else(|| contraction_end(text, start)) {
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
pub(super) fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    match text[start..] {
        [b'\'', b's' | b'd' | b'm' | b't', ..] => Some(start + 2),
        [b'\'', b'l', b'l', ..] | [b'\'', b'v' | b'r', b'e', ..] => Some(start + 3),
        _ => None,
    }
}

/// `\s++$|\s+(?!\S)|\s`: at the end of the text a run goes whole, elsewhere all but its last character.
fn white_space_end(text: &[u8], start: usize) -> usize {
    let end = run_end(text, skip_blanks(text, start), SPACE);
    if end == text.len() { end } else { all_but_last(text, start, end) }
}
