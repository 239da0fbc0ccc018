//! The split pattern of CLIP:
//! `(?i:<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+`
//!
//! As in CLIP, only the matches are pieces: the white space between them is dropped. The two names of specials are
//! alternatives like the others: text that looks like one is one piece of ordinary text.

use std::ops::{ControlFlow, Range};

use super::cl100k::contraction_end;
use super::classes::{LETTER, NUMBER, SIGN, SPACE, class_at};
use super::runs::{letters_end, run_end, skip_blanks};

/// Calls `visit` with each match.
pub(super) fn for_each_match<B>(text: &[u8], mut visit: impl FnMut(Range<usize>) -> ControlFlow<B>) -> ControlFlow<B> {
    let mut start = white_space_end(text, 0);
    while start < text.len() {
        let end = piece_end(text, start);
        visit(start..end)?;
        start = white_space_end(text, end);
    }
    ControlFlow::Continue(())
}

fn white_space_end(text: &[u8], at: usize) -> usize {
    run_end(text, skip_blanks(text, at), SPACE)
}

/// Where the piece that begins at `start` ends; no white space begins there.
#[inline]
fn piece_end(text: &[u8], start: usize) -> usize {
    let (class, n_bytes) = class_at(text, start);
    let next = start + n_bytes;
    if LETTER.has(class) {
        return letters_end(text, next);
    }
    if NUMBER.has(class) {
        return next;
    }
    contraction_end(text, start).or_else(|| special_end(text, start)).unwrap_or_else(|| run_end(text, next, SIGN))
}

/// `<\|startoftext\|>|<\|endoftext\|>`: ignoring case, `s` is also U+017F.
#[inline]
fn special_end(text: &[u8], start: usize) -> Option<usize> {
    if !text[start..].starts_with(b"<|") {
        return None;
    }
    ["<|startoftext|>", "<|endoftext|>"].iter().find_map(|special| folded_end(text, start, special))
}

/// Where `small`, of ASCII, ends if it begins at `at` in letters of any case.
fn folded_end(text: &[u8], mut at: usize, small: &str) -> Option<usize> {
    for wanted in small.bytes() {
        at += match text[at..] {
            [byte, ..] if byte.to_ascii_lowercase() == wanted => 1,
            [0xC5, 0xBF, ..] if wanted == b's' => 2,
            _ => return None,
        };
    }
    Some(at)
}
