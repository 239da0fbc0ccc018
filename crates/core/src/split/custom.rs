//! Split patterns that are regular expressions given by a user.

use std::borrow::Cow;
use std::error::Error as _;
use std::ops::{ControlFlow, Range};

use fancy_regex::{CompileError, Match, Regex, RegexBuilder};

use crate::error::Error;

/// A compiled regular expression. A clone has its own scratch space, so that threads with a clone each never wait.
#[derive(Debug, Clone)]
pub(super) struct Custom {
    regex: Regex,
}

/// The longest pattern taken. What compiling one costs grows with it, by up to a tenth of a megabyte a byte.
const MAX_PATTERN_BYTES: usize = 16_384;
/// The most instructions of the matching machine; calls of groups (`\g<name>`) double them at will.
const MAX_INSTRUCTIONS: usize = 100_000;
/// The most backtracking steps in the search for one match, as in tiktoken; they take some tens of milliseconds.
const MAX_STEPS: usize = 1_000_000;

impl Custom {
    pub(super) fn new(pattern: &str) -> Result<Self, Error> {
        if pattern.len() > MAX_PATTERN_BYTES {
            let reason = format!("it has {} bytes; the most is {MAX_PATTERN_BYTES}: shorten it", pattern.len());
            return Err(failure(pattern, reason));
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.max_prog_size(MAX_INSTRUCTIONS).backtrack_limit(MAX_STEPS).delegate_dfa_skip_cache_capacity_check(false);
        let regex = builder.build().map_err(|error| failure(pattern, why_not_compiled(&error)))?;
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
            let found = self.checked(found, || readable.offset(cut))?;
            // A `\K` in a look-behind can begin a match before the end of the last one.
            let start = found.start.max(cut);
            if start >= found.end {
                continue;
            }
            for piece in [cut..start, start..found.end] {
                if let ControlFlow::Break(reason) = visit(piece) {
                    return Ok(ControlFlow::Break(reason));
                }
            }
            cut = found.end;
        }
        Ok(visit(cut..readable.text.len()))
    }

    /// The range of a match, unless the engine gave up or the match begins behind its end, after which it would repeat.
    fn checked(
        &self,
        found: Result<Match<'_>, fancy_regex::Error>,
        offset: impl Fn() -> usize,
    ) -> Result<Range<usize>, Error> {
        let reason = match found.map(|found| found.range()) {
            Ok(range) if range.start <= range.end => return Ok(range),
            Ok(_) => r"a \K in a look-ahead makes a match begin behind its end: move the \K out of it".to_owned(),
            Err(error) => format!(
                "{error}, looking for a match from byte {} on; write it so that it need not step back: possessive \
                 repetitions (`\\s++`), alternatives that begin differently, none that matches only rarely",
                offset()
            ),
        };
        Err(failure(self.regex.as_str(), reason))
    }
}

/// The engine's reason with the causes below it, which it leaves out.
fn why_not_compiled(error: &fancy_regex::Error) -> String {
    let mut reason = error.to_string();
    let mut cause = match error {
        fancy_regex::Error::CompileError(compile) => match compile.as_ref() {
            CompileError::InnerError(inner) => inner.source(),
            _ => None,
        },
        _ => None,
    };
    while let Some(error) = cause {
        reason = format!("{reason}: {error}");
        cause = error.source();
    }
    reason
}

/// The error of a pattern, of which a long one is told in part.
fn failure(pattern: &str, reason: String) -> Error {
    const MOST_CHARS: usize = 200;
    let mut told: String = pattern.chars().take(MOST_CHARS).collect();
    if told.len() < pattern.len() {
        told.push('…');
    }
    Error::Pattern { pattern: told, reason }
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
