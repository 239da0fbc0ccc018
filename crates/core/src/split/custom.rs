//! Split patterns that are regular expressions given by a user.

use std::borrow::Cow;
use std::error::Error as _;
use std::ops::{ControlFlow, Range};
use std::panic::{self, AssertUnwindSafe};

use fancy_regex::{CompileError, Regex, RegexBuilder};

use crate::error::Error;

/// A compiled regular expression. A clone has its own scratch space, so that threads with a clone each never wait.
#[derive(Debug, Clone)]
pub(super) struct Custom {
    regex: Regex,
}

/// The longest pattern taken; what compiling one costs grows with it.
const MAX_PATTERN_BYTES: usize = 16_384;
/// The most look-behinds; one of varying width compiles for up to a second.
const MAX_LOOK_BEHINDS: usize = 32;
/// The most instructions of the matching machine; calls of groups (`\g<name>`) in groups double them at will.
const MAX_INSTRUCTIONS: usize = 100_000;
/// The most backtracking steps in the search for one match, as in tiktoken; they take a tenth of a second.
const MAX_STEPS: usize = 1_000_000;

impl Custom {
    pub(super) fn new(pattern: &str) -> Result<Self, Error> {
        let n_look_behinds = pattern.matches("(?<=").count() + pattern.matches("(?<!").count();
        for (found, most, what) in
            [(pattern.len(), MAX_PATTERN_BYTES, "bytes"), (n_look_behinds, MAX_LOOK_BEHINDS, "look-behinds")]
        {
            if found > most {
                return Err(failure(pattern, format!("it has {found} {what}; it may have {most}: simplify it")));
            }
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.max_prog_size(MAX_INSTRUCTIONS).backtrack_limit(MAX_STEPS);
        match shielded(pattern, || builder.build())? {
            Ok(regex) => Ok(Self { regex }),
            Err(error) => Err(failure(pattern, why_not_compiled(&error))),
        }
    }

    /// Calls `visit` with each match and each text between two of them; an empty match is a border and no piece.
    pub(super) fn for_each_piece<B>(
        &self,
        text: &[u8],
        mut visit: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let readable = Readable::new(text);
        let mut visit = |piece: Range<usize>| {
            if piece.is_empty() {
                return ControlFlow::Continue(());
            }
            visit(readable.offset(piece.start)..readable.offset(piece.end))
        };
        let mut cut = 0;
        let mut matches = self.regex.find_iter(readable.text.as_ref());
        let mut progress = Progress::default();
        while let Some(found) = shielded(self.regex.as_str(), || matches.next())? {
            let found = found.map_err(|error| self.gave_up(&error, readable.offset(cut)))?;
            progress.made(found.end()).map_err(|reason| failure(self.regex.as_str(), reason))?;
            // A `\K` in a look-behind begins a match before the end of the last one.
            let start = found.start().max(cut);
            if start > found.end() {
                continue;
            }
            for piece in [cut..start, start..found.end()] {
                if let ControlFlow::Break(reason) = visit(piece) {
                    return Ok(ControlFlow::Break(reason));
                }
            }
            cut = found.end();
        }
        Ok(visit(cut..readable.text.len()))
    }

    /// Calls `visit` with each match in a text.
    pub(super) fn for_each_match(&self, text: &str, mut visit: impl FnMut(Range<usize>)) -> Result<(), Error> {
        let (mut matches, mut cut, mut progress) = (self.regex.find_iter(text), 0, Progress::default());
        while let Some(found) = shielded(self.regex.as_str(), || matches.next())? {
            let found = found.map_err(|error| self.gave_up(&error, cut))?;
            progress.made(found.end()).map_err(|reason| failure(self.regex.as_str(), reason))?;
            cut = found.end();
            visit(found.range());
        }
        Ok(())
    }

    fn gave_up(&self, error: &fancy_regex::Error, offset: usize) -> Error {
        let reason = format!(
            "{error}, looking for a match from byte {offset} of a text on; rewrite it so that it steps back less: \
             possessive repetitions (`\\s++`), alternatives that begin differently, one for any other character"
        );
        failure(self.regex.as_str(), reason)
    }
}

/// Where the last match ended, and how many since did not end behind it: with a `\K` in a look-around the engine can be brought
/// to find the same ones for ever (0.20).
#[derive(Default)]
struct Progress {
    end: usize,
    n_stuck: u32,
}

impl Progress {
    fn made(&mut self, end: usize) -> Result<(), String> {
        // One empty match may stand where the last one ended.
        self.n_stuck = if end > self.end { 0 } else { self.n_stuck + 1 };
        self.end = self.end.max(end);
        if self.n_stuck <= 2 {
            return Ok(());
        }
        Err(format!("it finds matches before byte {} of a text again and again: write it without `\\K`", self.end))
    }
}

/// Runs the engine; a panic in it (of 0.20 one is known: a condition on a group that is not there) becomes an error.
fn shielded<T>(pattern: &str, run: impl FnOnce() -> T) -> Result<T, Error> {
    let reason = "the regular-expression engine has a fault that it meets: write it another way";
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|_| failure(pattern, reason.to_owned()))
}

/// The engine's reason with the causes below it, which it leaves out.
fn why_not_compiled(error: &fancy_regex::Error) -> String {
    let fancy_regex::Error::CompileError(compile) = error else { return error.to_string() };
    match compile.as_ref() {
        CompileError::PatternTooComplex => {
            format!("it compiles to more than {MAX_INSTRUCTIONS} instructions: call groups less often")
        }
        CompileError::InnerError(inner) => match inner.size_limit() {
            Some(limit) => format!("it compiles to more than {limit} bytes: use smaller repetitions"),
            None => format!("{error}{}", causes(inner.source())),
        },
        _ => error.to_string(),
    }
}

fn causes(error: Option<&(dyn std::error::Error + 'static)>) -> String {
    error.map_or_else(String::new, |error| format!(": {error}{}", causes(error.source())))
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
