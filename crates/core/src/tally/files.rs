//! Files -> documents, in windows.

use super::{PieceCounts, Rules, count_documents};
use crate::error::Error;
use crate::progress::Pulse;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes read at a time; a longer line makes its window grow.
const WINDOW: usize = 8 << 20;

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

/// How a file becomes documents, and how far along the file is.
#[derive(Debug)]
pub struct FileDocuments<'a> {
    /// The file.
    pub path: &'a Path,
    /// A line, with its end, is a document; else the whole file is one.
    pub by_line: bool,
    /// What to do with bytes that are not UTF-8.
    pub bad_utf8: BadUtf8,
    /// Threads to use.
    pub threads: usize,
}

impl FileDocuments<'_> {
    /// Counts the pieces of the file; gives (documents, bytes read). `pulse` is told (bytes done, bytes in the file).
    ///
    /// # Errors
    /// A file that cannot be read or is not UTF-8, and what `count_documents` says.
    pub fn count(
        &self,
        rules: &Rules,
        into: &mut PieceCounts,
        pulse: &mut Pulse<'_>,
    ) -> Result<(u64, u64), Error> {
        let mut file = File::open(self.path).map_err(|error| self.io_error(&error))?;
        let total = file.metadata().map_err(|error| self.io_error(&error))?.len();
        let mut progress = Progress { total, ..Progress::default() };
        let mut window = Vec::new();
        let mut at_end = false;
        while !at_end {
            at_end = self.fill(&mut file, &mut window, pulse, &progress)?;
            let end = if at_end { window.len() } else { whole_lines(&window) };
            if end > 0 {
                self.count_window(&window[..end], rules, into, &mut progress, pulse)?;
                window.drain(..end);
            }
        }
        if !self.by_line {
            progress.documents = 1;
        }
        Ok((progress.documents, progress.bytes))
    }

    /// Reads more into the window: to its size by lines, to the end otherwise. Whether the end of the file is reached.
    fn fill(
        &self,
        file: &mut File,
        window: &mut Vec<u8>,
        pulse: &mut Pulse<'_>,
        progress: &Progress,
    ) -> Result<bool, Error> {
        loop {
            let read = file.take(WINDOW as u64).read_to_end(window).map_err(|error| self.io_error(&error))?;
            pulse.tick(progress.bytes, progress.total)?;
            if read < WINDOW {
                return Ok(true);
            }
            if self.by_line {
                return Ok(false);
            }
        }
    }

    fn count_window(
        &self,
        window: &[u8],
        rules: &Rules,
        into: &mut PieceCounts,
        progress: &mut Progress,
        pulse: &mut Pulse<'_>,
    ) -> Result<(), Error> {
        let text = self.valid(window, progress)?;
        let documents: Vec<&[u8]> =
            if self.by_line { text.split_inclusive(|&byte| byte == b'\n').collect() } else { vec![&text] };
        count_documents(rules, &documents, self.threads, into, (progress.bytes, progress.total), pulse)?;
        progress.documents += documents.len() as u64;
        progress.lines += window.iter().filter(|&&byte| byte == b'\n').count() as u64;
        progress.bytes += window.len() as u64;
        Ok(())
    }

    /// The window as UTF-8; borrowed where it is already.
    fn valid<'w>(&self, window: &'w [u8], progress: &Progress) -> Result<Cow<'w, [u8]>, Error> {
        let Err(error) = std::str::from_utf8(window) else { return Ok(Cow::Borrowed(window)) };
        let place = error.valid_up_to();
        match self.bad_utf8 {
            BadUtf8::Raise => Err(Error::FileNotUtf8 {
                path: self.path.display().to_string(),
                offset: progress.bytes + place as u64,
                line: progress.lines + 1 + window[..place].iter().filter(|&&byte| byte == b'\n').count() as u64,
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

#[derive(Debug, Default)]
struct Progress {
    documents: u64,
    lines: u64,
    bytes: u64,
    total: u64,
}

/// Where the last whole line of the window ends; 0 if it holds none.
fn whole_lines(window: &[u8]) -> usize {
    window.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1)
}
