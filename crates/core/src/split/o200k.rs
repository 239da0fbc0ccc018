//! The split patterns of o200k and Tekken, which are one but for contractions and digits.
//!
//! o200k, as tiktoken spells it, is these alternatives, where `C` is `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, `S` is
//! `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` and `E` is `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`:
//! `[^\r\n\p{L}\p{N}]?C*S+E|[^\r\n\p{L}\p{N}]?C+S*E|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
//! Tekken has no `E`, and `\p{N}` for `\p{N}{1,3}`.
//!
//! The first two never have to step back far: `C*` takes what it can, and where no small letter follows, `S+` needs the
//! last of its characters that are without case. What is behind that one is capitals only, and a piece by itself.

use super::cl100k::contraction_end;
use super::classes::{CAPITAL, CASELESS, Class, LETTER, NUMBER, SIGN, SMALL, class_at};
use super::runs::{digits_end, is_line_break, run_end, skip_small_letters, starts_with, white_space_end};

/// What tells the patterns apart.
pub(super) trait Rules {
    /// The most digits in a piece.
    const MAX_DIGITS: u8;
    /// Whether a word takes the contraction behind it.
    const CONTRACTIONS: bool;
}

#[derive(Debug)]
pub(super) struct O200k;
#[derive(Debug)]
pub(super) struct Tekken;

impl Rules for O200k {
    const MAX_DIGITS: u8 = 3;
    const CONTRACTIONS: bool = true;
}

impl Rules for Tekken {
    const MAX_DIGITS: u8 = 1;
    const CONTRACTIONS: bool = false;
}

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end<R: Rules>(text: &[u8], start: usize) -> usize {
    let (class, n_bytes) = class_at(text, start);
    let next = start + n_bytes;
    if NUMBER.has(class) {
        return digits_end(text, next, R::MAX_DIGITS);
    }
    if let Some(end) = word_end(text, start, class, next) {
        return if R::CONTRACTIONS { contraction_end(text, end).unwrap_or(end) } else { end };
    }
    if class != Class::Space || text[start] == b' ' && starts_with(text, next, SIGN) {
        return signs_end(text, next);
    }
    white_space_end(text, start)
}

/// `[^\r\n\p{L}\p{N}]?C*S+|[^\r\n\p{L}\p{N}]?C+S*`, where the character at `start` ends at `next` and is no number.
#[inline]
fn word_end(text: &[u8], start: usize, class: Class, next: usize) -> Option<usize> {
    let leads = !LETTER.has(class);
    if leads && is_line_break(text[start]) {
        return None;
    }
    let letters = if leads { next } else { start };
    let (capitals_end, caseless_end) = capitals(text, letters);
    if starts_with(text, capitals_end, SMALL) {
        return Some(run_end(text, skip_small_letters(text, capitals_end), SMALL));
    }
    match caseless_end {
        Some(end) => Some(end),
        // A mark in front is a word without it, rather than a lead to capitals.
        None if class == Class::Mark => Some(next),
        None => (capitals_end > letters).then_some(capitals_end),
    }
}

/// Where `C*` from `at` ends, and where the last of its characters without case does, if it has one.
#[inline]
fn capitals(text: &[u8], mut at: usize) -> (usize, Option<usize>) {
    let mut caseless_end = None;
    while at < text.len() {
        let (class, n_bytes) = class_at(text, at);
        if !CAPITAL.has(class) {
            break;
        }
        at += n_bytes;
        if CASELESS.has(class) {
            caseless_end = Some(at);
        }
    }
    (at, caseless_end)
}

/// The rest of `[^\s\p{L}\p{N}]+[\r\n/]*`.
#[inline]
fn signs_end(text: &[u8], at: usize) -> usize {
    let mut end = run_end(text, at, SIGN);
    while end < text.len() && (is_line_break(text[end]) || text[end] == b'/') {
        end += 1;
    }
    end
}
