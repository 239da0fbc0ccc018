//! Words between white space, as Python's `str.split()` has them: `White_Space` and the separators U+001C to U+001F.

use std::ops::{ControlFlow, Range};

use super::classes::{Class, class_at};
use super::runs::skip_printed;

/// Calls `visit` with each word; what lies between words is in no piece.
pub(super) fn for_each_word<B>(text: &[u8], mut visit: impl FnMut(Range<usize>) -> ControlFlow<B>) -> ControlFlow<B> {
    let mut start = run_end(text, 0, true);
    while start < text.len() {
        let end = run_end(text, skip_printed(text, start), false);
        visit(start..end)?;
        start = run_end(text, end, true);
    }
    ControlFlow::Continue(())
}

/// The end of the run of characters from `at` that are all blank, or all not.
fn run_end(text: &[u8], mut at: usize, blank: bool) -> usize {
    while at < text.len() {
        let (class, n_bytes) = class_at(text, at);
        let is_blank = class == Class::Space || matches!(text[at], 0x1C..=0x1F);
        if is_blank != blank {
            break;
        }
        at += n_bytes;
    }
    at
}
