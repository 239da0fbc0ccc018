//! Split patterns that are regular expressions given by a user.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use fancy_regex::{Regex, RegexBuilder};

use crate::error::Error;

/// A compiled regular expression. A clone has its own scratch space, so that threads with a clone each never wait.
#[derive(Debug, Clone)]
pub(super) struct Custom {
    regex: Regex,
}

impl Custom {
    pub(super) fn new(pattern: &str) -> Result<Self, Error> {
        let regex = RegexBuilder::new(pattern).build().map_err(|error| failure(pattern, &error))?;
        Ok(Self { regex })
    }

    /// Calls `visit` with each match that is not empty and each text between two of them.
    pub(super) fn for_each_piece<B>(
        &self,
        text: &[u8],
        mut visit: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let readable = Readable::new(text);
        let mut visit = |piece: Range<usize>| match piece.is_empty() {
            true => ControlFlow::Continue(()),
            false => visit(readable.offset(piece.start)..readable.offset(piece.end)),
        };
        let mut cut = 0;
        for found in self.regex.find_iter(readable.text.as_ref()) {
            let found = found.map_err(|error| failure(self.regex.as_str(), &error))?.range();
            if found.is_empty() {
                continue;
            }
            for piece in [cut..found.start, found.clone()] {
                if let ControlFlow::Break(reason) = visit(piece) {
                    return Ok(ControlFlow::Break(reason));
                }
            }
            cut = found.end;
        }
        Ok(visit(cut..readable.text.len()))
    }
}

fn failure(pattern: &str, error: &fancy_regex::Error) -> Error {
    Error::Pattern { pattern: pattern.to_owned(), reason: error.to_string() }
}

/// Stands for a byte that is not UTF-8: a noncharacter for ever, so neither letter, number nor space.
const BAD_BYTE: char = '\u{10FFFF}';

/// A text as the engine can read it: every byte that is not UTF-8 became a [`BAD_BYTE`].
struct Readable<'t> {
    text: Cow<'t, str>,
    /// Where in `text` the bad bytes stand, ascending.
    bad: Vec<usize>,
}

impl<'t> Readable<'t> {
    fn new(bytes: &'t [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self { text: Cow::Borrowed(text), bad: Vec::new() };
        }
        let (mut text, mut bad) = (String::with_capacity(bytes.len()), Vec::new());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            for _ in chunk.invalid() {
                bad.push(text.len());
                text.push(BAD_BYTE);
            }
        }
        Self { text: Cow::Owned(text), bad }
    }

    /// The offset in the original bytes of an offset in `text`.
    fn offset(&self, at: usize) -> usize {
        at - (BAD_BYTE.len_utf8() - 1) * self.bad.partition_point(|&bad| bad < at)
    }
}
