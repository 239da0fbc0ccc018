//! The split pattern `deepseek3`, which is three in turn: each cuts the pieces of the one before, its matches and what lies
//! between them are the pieces, and to each a piece is a text by itself.
//!
//! 1. `\p{N}{1,3}`
//! 2. `[一-龥\x{3040}-ゟ゠-ヿ]+`, which is `[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+`: the East Asian characters here
//! 3. ``[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|`` and
//!    `\s*[\r\n]+|\s+(?!\S)|\s+`
//!
//! So digits and East Asian characters are what the end of the text is to the rest, and the third cuts them too: a run of
//! East Asian characters has marks, punctuation and unassigned characters in it, but no digit and no white space.

use super::classes::{Class, LETTER_OR_MARK, NUMBER, PUNCTUATION_OR_SYMBOL, Set, class_at};
use super::runs::{all_but_last, digits_end, is_line_break, skip_letters, white_space_run};

/// Where the piece that begins at `start` ends.
#[inline]
pub(super) fn piece_end(text: &[u8], start: usize) -> usize {
    let (class, n_bytes) = class_at(text, start);
    let next = start + n_bytes;
    if NUMBER.has(class) {
        return digits_end(text, next, 3);
    }
    let east = is_east_asian(text, start);
    if LETTER_OR_MARK.has(class) {
        return words_end(text, next, east);
    }
    if text[start].is_ascii_punctuation() && text.get(next).is_some_and(u8::is_ascii_alphabetic) {
        return ascii_letters_end(text, next);
    }
    if PUNCTUATION_OR_SYMBOL.has(class) {
        return signs_end(text, next, east);
    }
    if !is_line_break(text[start]) && goes_on(text, next, LETTER_OR_MARK, east) {
        return words_end(text, next, east);
    }
    if class == Class::Space {
        if text[start] == b' ' && goes_on(text, next, PUNCTUATION_OR_SYMBOL, false) {
            return signs_end(text, next, false);
        }
        return white_space_end(text, start);
    }
    others_end(text, start, next, east)
}

/// U+3040 to U+30FF and U+4E00 to U+9FA5, at the start of a character.
#[inline]
pub(super) fn is_east_asian(text: &[u8], at: usize) -> bool {
    match text[at..] {
        [0xE3..=0xE9, second @ 0x80..=0xBF, third @ 0x80..=0xBF, ..] => {
            let code_point = u32::from(text[at] & 0xF) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
            matches!(code_point, 0x3040..=0x30FF | 0x4E00..=0x9FA5)
        }
        _ => false,
    }
}

/// Whether a character of the set, East Asian or not, begins at `at`, which may be the end of the text.
#[inline]
fn goes_on(text: &[u8], at: usize, set: Set, east: bool) -> bool {
    at < text.len() && set.has(class_at(text, at).0) && is_east_asian(text, at) == east
}

/// Where the run of such characters from `at` ends.
#[inline]
fn run_end(text: &[u8], mut at: usize, set: Set, east: bool) -> usize {
    while at < text.len() {
        let (class, n_bytes) = class_at(text, at);
        if !set.has(class) || is_east_asian(text, at) != east {
            break;
        }
        at += n_bytes;
    }
    at
}

/// The rest of `[\p{L}\p{M}]+`.
#[inline]
fn words_end(text: &[u8], at: usize, east: bool) -> usize {
    let at = if east { at } else { skip_letters(text, at) };
    run_end(text, at, LETTER_OR_MARK, east)
}

/// The rest of `[A-Za-z]+`.
#[inline]
fn ascii_letters_end(text: &[u8], at: usize) -> usize {
    let mut end = skip_letters(text, at);
    while text.get(end).is_some_and(u8::is_ascii_alphabetic) {
        end += 1;
    }
    end
}

/// The rest of `[\p{P}\p{S}]+[\r\n]*`.
#[inline]
fn signs_end(text: &[u8], at: usize, east: bool) -> usize {
    let mut end = run_end(text, at, PUNCTUATION_OR_SYMBOL, east);
    while !east && end < text.len() && is_line_break(text[end]) {
        end += 1;
    }
    end
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, where a digit and an East Asian character are no `\S` but the end.
fn white_space_end(text: &[u8], start: usize) -> usize {
    let (end, break_end) = white_space_run(text, start);
    let at_end = end == text.len() || NUMBER.has(class_at(text, end).0) || is_east_asian(text, end);
    break_end.unwrap_or_else(|| if at_end { end } else { all_but_last(text, start, end) })
}

/// What no alternative matches: a run of characters of no class, but for the one that letters follow.
fn others_end(text: &[u8], start: usize, next: usize, east: bool) -> usize {
    let (mut last, mut end) = (start, next);
    while goes_on(text, end, Set::of(&[Class::Other]), east) {
        last = end;
        end += class_at(text, end).1;
    }
    if last > start && goes_on(text, end, LETTER_OR_MARK, east) { last } else { end }
}
