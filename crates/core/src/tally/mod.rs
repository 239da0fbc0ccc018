//! Documents -> distinct pieces and counts.
//!
//! A document is cut at specials, each segment is split by the pattern, and every piece is counted. Documents are shared out
//! to threads in runs of neighbours with a table each; the tables are merged in the order of the documents, so that the
//! order of first appearance is the same for any number of threads.

mod counts;
mod files;

pub use counts::PieceCounts;
pub use files::{BadUtf8, FileDocuments};

use crate::error::Error;
use crate::progress::Pulse;
use crate::specials::{Segment, Specials};
use crate::split::Splitter;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Below this a thread of its own costs more than it saves.
const MIN_BYTES_A_THREAD: usize = 1 << 16;
/// Pieces counted between two looks at the clock.
const PIECES_A_LOOK: u32 = 1 << 13;

/// How documents become pieces.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The split pattern.
    pub splitter: Splitter,
    /// Texts that cut a document and are not counted.
    pub borders: Specials,
    /// A border in a document is an error.
    pub refuse_borders: bool,
    /// U+0020 goes before each segment that does not begin with it.
    pub add_prefix_space: bool,
}

impl Rules {
    /// Counts the pieces of one document. `look` is called now and then and may end the work.
    fn count_document(
        &self,
        text: &[u8],
        into: &mut PieceCounts,
        look: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let walked = self.borders.for_each_segment(text, |segment| {
            let done = match segment {
                Segment::Text(range) => self.count_segment(&text[range], into, look),
                Segment::Special(index, range) if self.refuse_borders => {
                    Err(Error::SpecialFound { index, offset: range.start })
                }
                Segment::Special(..) => Ok(()),
            };
            to_flow(done)
        });
        to_result(walked)
    }

    fn count_segment(
        &self,
        text: &[u8],
        into: &mut PieceCounts,
        look: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.add_prefix_space && text.first().is_some_and(|&byte| byte != b' ') {
            return self.count_pieces(&[b" ", text].concat(), into, look);
        }
        self.count_pieces(text, into, look)
    }

    fn count_pieces(
        &self,
        text: &[u8],
        into: &mut PieceCounts,
        look: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut until_look = PIECES_A_LOOK;
        let flow = self.splitter.for_each_piece(text, |range: Range<usize>| {
            until_look -= 1;
            if until_look == 0 {
                until_look = PIECES_A_LOOK;
                to_flow(look())?;
            }
            to_flow(into.add(text, range, 1))
        })?;
        to_result(flow)
    }
}

fn to_flow(result: Result<(), Error>) -> ControlFlow<Error> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

fn to_result(flow: ControlFlow<Error>) -> Result<(), Error> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// Counts the pieces of `documents` into `into`. `pulse` is told (bytes done since `base`, total).
///
/// # Errors
/// A pattern that gives up, a count past 63 bits, a refused border, an interrupt.
pub fn count_documents(
    rules: &Rules,
    documents: &[&[u8]],
    threads: usize,
    into: &mut PieceCounts,
    (base, total): (u64, u64),
    pulse: &mut Pulse<'_>,
) -> Result<(), Error> {
    let n_bytes = documents.iter().map(|text| text.len()).sum::<usize>();
    let threads = threads.min(n_bytes / MIN_BYTES_A_THREAD).min(documents.len());
    if threads > 1 {
        return count_in_threads(rules, &shares(documents, n_bytes, threads), into, (base, total), pulse);
    }
    let mut done = base;
    for text in documents {
        rules.count_document(text, into, &mut || pulse.tick(done, total))?;
        done += text.len() as u64;
        pulse.tick(done, total)?;
    }
    Ok(())
}

/// Cuts the documents into runs of about the same number of bytes.
fn shares<'a, 'b>(documents: &'a [&'b [u8]], n_bytes: usize, threads: usize) -> Vec<&'a [&'b [u8]]> {
    let mut shares = Vec::with_capacity(threads);
    let (mut start, mut seen) = (0, 0);
    for (place, text) in documents.iter().enumerate() {
        seen += text.len();
        if seen >= n_bytes / threads * (shares.len() + 1) && shares.len() + 1 < threads {
            shares.push(&documents[start..=place]);
            start = place + 1;
        }
    }
    shares.push(&documents[start..]);
    shares
}

fn count_in_threads(
    rules: &Rules,
    shares: &[&[&[u8]]],
    into: &mut PieceCounts,
    (base, total): (u64, u64),
    pulse: &mut Pulse<'_>,
) -> Result<(), Error> {
    let stop = AtomicBool::new(false);
    let done = AtomicU64::new(base);
    let look = || if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) };
    let count_share = |share: &[&[u8]]| -> Result<PieceCounts, Error> {
        let mut counts = PieceCounts::new();
        for text in share {
            rules.count_document(text, &mut counts, &mut || look())?;
            done.fetch_add(text.len() as u64, Ordering::Relaxed);
        }
        Ok(counts)
    };
    std::thread::scope(|scope| {
        let (sender, finished) = mpsc::channel::<()>();
        let workers: Vec<_> = shares
            .iter()
            .map(|share| {
                let sender = sender.clone();
                let count_share = &count_share;
                scope.spawn(move || {
                    let result = count_share(share);
                    // The receiver may be gone after an error; the result is in the handle.
                    let _ = sender.send(());
                    result
                })
            })
            .collect();
        drop(sender);
        let watched = watch(&finished, &stop, &done, total, pulse);
        let results: Vec<_> = workers.into_iter().map(join).collect();
        watched?;
        results.into_iter().try_for_each(|counts| into.merge(&counts?))
    })
}

/// Ticks until every worker has finished; after an interrupt the workers are told to stop.
fn watch(
    finished: &mpsc::Receiver<()>,
    stop: &AtomicBool,
    done: &AtomicU64,
    total: u64,
    pulse: &mut Pulse<'_>,
) -> Result<(), Error> {
    loop {
        match finished.recv_timeout(Duration::from_millis(50)) {
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(()) | Err(mpsc::RecvTimeoutError::Timeout) => {
                if let Err(error) = pulse.tick(done.load(Ordering::Relaxed), total) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }
}

fn join<T>(worker: std::thread::ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
