//! Files -> documents, in windows.

use super::counter::{Along, Counter};
use super::rules::Stretch;
use crate::error::Error;
use crate::progress::Pulse;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes read at a time; a window that cannot be cut grows.
const WINDOW: usize = 4 << 20;
/// Parts of a window a thread, so that the slower one takes fewer.
const PARTS_A_THREAD: usize = 4;

/// What to do with bytes in a file that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadUtf8 {
    /// Stop and say where.
    Raise,
    /// U+FFFD for each maximal bad sequence.
    Replace,
    /// Leave them out.
    Skip,
}

/// How a file, or a stream of its contents, becomes documents.
#[derive(Debug)]
pub struct FileDocuments<'a> {
    /// The file, or what messages call the stream.
    pub path: &'a Path,
    /// A line, with its end, is a document; else the whole file is one.
    pub by_line: bool,
    /// What to do with bytes that are not UTF-8.
    pub bad_utf8: BadUtf8,
}

impl FileDocuments<'_> {
    /// Counts the pieces of the file; gives (documents, bytes read). `pulse` is told (bytes done, bytes in the file).
    ///
    /// # Errors
    /// A file that cannot be read or is not UTF-8, and what `Counter::add_documents` says.
    pub fn count(&self, counter: &mut Counter, pulse: &mut Pulse<'_>) -> Result<(u64, u64), Error> {
        let mut file = File::open(self.path).map_err(|error| self.io_error(&error))?;
        let total = file.metadata().map_err(|error| self.io_error(&error))?.len();
        self.count_stream(&mut file, total, counter, pulse)
    }

    /// The same of a stream of `total` bytes, 0 where that is not known.
    ///
    /// # Errors
    /// As `count`; an error of the stream becomes `Error::Io`.
    pub fn count_stream(
        &self,
        stream: &mut dyn Read,
        total: u64,
        counter: &mut Counter,
        pulse: &mut Pulse<'_>,
    ) -> Result<(u64, u64), Error> {
        let mut along = Along { done: 0, total };
        let mut lines = Lines::default();
        let mut window = Vec::new();
        let mut wanted = WINDOW * counter.threads();
        loop {
            let at_end = self.fill(stream, &mut window, wanted)?;
            pulse.tick(along.done, total)?;
            let end =
                if at_end { window.len() } else { counter.rules().last_cut(&window, window.len() - 1, self.by_line) };
            if end > 0 {
                self.count_window(&window[..end], lines.n_ends, counter, along, pulse)?;
                lines.add(&window[..end]);
                along.done += end as u64;
                window.drain(..end);
            }
            if at_end {
                return Ok((if self.by_line { lines.n_lines() } else { 1 }, along.done));
            }
            // No place to cut: twice as much, so that a document without one is not searched over and over.
            wanted = if end == 0 { window.len() * 2 } else { WINDOW * counter.threads() };
        }
    }

    /// Reads until the window has so many bytes; whether the end of the file is reached.
    fn fill(&self, stream: &mut dyn Read, window: &mut Vec<u8>, wanted: usize) -> Result<bool, Error> {
        let missing = wanted.saturating_sub(window.len());
        window.reserve(missing);
        let read = stream.take(missing as u64).read_to_end(window).map_err(|error| self.io_error(&error))?;
        Ok(read < missing)
    }

    fn count_window(
        &self,
        window: &[u8],
        lines_before: u64,
        counter: &mut Counter,
        along: Along,
        pulse: &mut Pulse<'_>,
    ) -> Result<(), Error> {
        let text = self.valid(window, along.done, lines_before)?;
        let first = match (self.by_line, along.done) {
            (true, _) => Stretch::Lines,
            (false, 0) => Stretch::Start,
            (false, _) => Stretch::Rest,
        };
        let rest = if self.by_line { Stretch::Lines } else { Stretch::Rest };
        let mut stretches = Vec::new();
        let part = text.len() / (counter.threads() * PARTS_A_THREAD) + 1;
        let mut start = 0;
        while start < text.len() {
            let end = self.part_end(counter, &text[start..], part);
            stretches.push((&text[start..start + end], if start == 0 { first } else { rest }));
            start += end;
        }
        counter.add_stretches(&stretches, along, pulse)
    }

    /// Where to cut off a part of about `wanted` bytes.
    fn part_end(&self, counter: &Counter, text: &[u8], wanted: usize) -> usize {
        if counter.threads() == 1 || text.len() <= wanted {
            return text.len();
        }
        match counter.rules().last_cut(text, wanted, self.by_line) {
            0 => text.len(),
            end => end,
        }
    }

    /// The window as UTF-8; borrowed where it is already. `offset`, `lines`: bytes and line ends before it.
    fn valid<'w>(&self, window: &'w [u8], offset: u64, lines: u64) -> Result<Cow<'w, [u8]>, Error> {
        let Err(error) = std::str::from_utf8(window) else { return Ok(Cow::Borrowed(window)) };
        let place = error.valid_up_to();
        match self.bad_utf8 {
            BadUtf8::Raise => Err(Error::FileNotUtf8 {
                path: self.path.display().to_string(),
                offset: offset + place as u64,
                line: 1 + lines + n_ends_in(&window[..place]),
                byte: window[place],
            }),
            BadUtf8::Replace => Ok(Cow::Owned(String::from_utf8_lossy(window).into_owned().into_bytes())),
            BadUtf8::Skip => Ok(Cow::Owned(window.utf8_chunks().flat_map(|chunk| chunk.valid().bytes()).collect())),
        }
    }

    fn io_error(&self, error: &std::io::Error) -> Error {
        Error::Io { path: self.path.display().to_string(), kind: error.kind(), reason: error.to_string() }
    }
}

/// The lines of what was read.
#[derive(Debug, Default)]
struct Lines {
    n_ends: u64,
    /// Whether a line was begun and has no end yet.
    open: bool,
}

impl Lines {
    fn add(&mut self, text: &[u8]) {
        self.n_ends += n_ends_in(text);
        self.open = text.last().map_or(self.open, |&byte| byte != b'\n');
    }

    fn n_lines(&self) -> u64 {
        self.n_ends + u64::from(self.open)
    }
}

fn n_ends_in(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}
