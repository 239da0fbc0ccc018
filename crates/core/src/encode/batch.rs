//! Many texts on many threads: same ids whatever their number. A long text is cut where its ids allow.
//!
//! Threads live as long as the call, so that a process may fork at any time. The calling thread only waits and asks whether
//! to stop: a signal reaches Python on that thread alone.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{Builder, Scope};
use std::time::Duration;

use super::Encoder;
use super::document::moved;
use super::ragged::Ragged;
use super::sink::{Count, List, Sink};
use super::subset::Subset;
use crate::Error;
use crate::stop::{Countdown, Stop};

/// What went wrong in which text; of several the first in the order of the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchError {
    /// Index of the text.
    pub text: usize,
    /// What went wrong.
    pub error: Error,
}

/// Less work than this, in bytes, is not worth another thread.
const WORTH_A_THREAD: usize = 1 << 15;
/// The time between two questions whether to stop.
const PATIENCE: Duration = Duration::from_millis(20);
/// Texts that a thread takes at a time, at most.
const MAX_TAKE: usize = 256;

/// A text of more bytes is cut for several threads, into parts of about so many.
const LONG: usize = 1 << 20;
const PART: usize = 1 << 18;

/// What the threads of one batch share.
struct Batch<'a, T> {
    encoder: &'a Encoder,
    texts: &'a [T],
    /// The parts of the texts in order; None where each text is one.
    parts: Option<Vec<Part>>,
    subset: &'a Subset,
    /// Parts taken at a time.
    take: usize,
    next: AtomicUsize,
    /// Index of the first part known to fail; later ones need not be encoded.
    failed: AtomicUsize,
}

/// Some bytes of a text.
#[derive(Debug, Clone)]
struct Part {
    text: usize,
    bytes: Range<usize>,
}

/// What is kept of the ids of a run of parts.
trait Gather: Sink + Default + Send {
    fn n_tokens(&self) -> usize;
}

impl Gather for List {
    fn n_tokens(&self) -> usize {
        self.as_slice().len()
    }
}

impl Gather for Count {
    fn n_tokens(&self) -> usize {
        self.0
    }
}

/// The ids of neighbouring parts, one after the other, and where those of each end.
struct Run<G> {
    /// Index of the first part.
    first: usize,
    ids: G,
    ends: Vec<usize>,
}

/// What a thread has encoded; or the part and error that ended its work.
type Done<G> = Result<Vec<Run<G>>, (usize, BatchError)>;

pub(super) fn encode_batch<T: AsRef<[u8]> + Sync>(
    encoder: &Encoder,
    texts: &[T],
    subset: &Subset,
    threads: usize,
    stop: Stop<'_>,
) -> Result<Ragged, BatchError> {
    let (runs, starts) = gather::<List, _>(encoder, texts, subset, threads, stop)?;
    Ok(Ragged::new(runs.into_iter().map(|run| run.ids.into_ids()).collect(), starts))
}

/// How many ids each text has.
pub(super) fn count_batch<T: AsRef<[u8]> + Sync>(
    encoder: &Encoder,
    texts: &[T],
    subset: &Subset,
    threads: usize,
    stop: Stop<'_>,
) -> Result<Vec<usize>, BatchError> {
    let (_, starts) = gather::<Count, _>(encoder, texts, subset, threads, stop)?;
    Ok(starts.windows(2).map(|ends| ends[1] - ends[0]).collect())
}

/// The runs in order, and where the ids of each text begin.
fn gather<G: Gather, T: AsRef<[u8]> + Sync>(
    encoder: &Encoder,
    texts: &[T],
    subset: &Subset,
    threads: usize,
    stop: Stop<'_>,
) -> Result<(Vec<Run<G>>, Vec<usize>), BatchError> {
    let n_bytes: usize = texts.iter().map(|text| text.as_ref().len() + 8).sum();
    let worth_it = threads.min(n_bytes / WORTH_A_THREAD + 1);
    let parts = (worth_it > 1).then(|| cut(encoder, texts, subset)).flatten();
    let n_parts = parts.as_ref().map_or(texts.len(), Vec::len);
    let n_threads = worth_it.min(n_parts);
    let take = (n_parts / (n_threads.max(1) * 8)).clamp(1, MAX_TAKE);
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let batch = Batch { encoder, texts, parts, subset, take, next, failed };
    let done = if n_threads <= 1 { vec![batch.work(stop)] } else { batch.on_threads(n_threads, stop) };
    let runs = in_order(done)?;
    let starts = batch.starts(&runs);
    Ok((runs, starts))
}

/// The parts of all texts, if some text is long.
fn cut<T: AsRef<[u8]>>(encoder: &Encoder, texts: &[T], subset: &Subset) -> Option<Vec<Part>> {
    texts.iter().any(|text| text.as_ref().len() > LONG).then(|| {
        let parts_of = |(text, bytes): (usize, &T)| {
            let bytes = bytes.as_ref();
            let whole = || std::iter::once(0..bytes.len()).collect();
            let ranges: Vec<_> = if bytes.len() > LONG { encoder.certain_parts(bytes, subset, PART) } else { whole() };
            ranges.into_iter().map(move |bytes| Part { text, bytes })
        };
        texts.iter().enumerate().flat_map(parts_of).collect()
    })
}

impl<T: AsRef<[u8]> + Sync> Batch<'_, T> {
    fn n_parts(&self) -> usize {
        self.parts.as_ref().map_or(self.texts.len(), Vec::len)
    }

    fn part(&self, index: usize) -> Part {
        let whole = || Part { text: index, bytes: 0..self.texts[index].as_ref().len() };
        self.parts.as_ref().map_or_else(whole, |parts| parts[index].clone())
    }

    /// Encodes parts until none is left.
    fn work<G: Gather>(&self, stop: Stop<'_>) -> Done<G> {
        let (mut countdown, mut scratch) = (Countdown::new(stop), self.encoder.pool.take());
        let mut done = Vec::new();
        while let Some(first) = self.take() {
            let (mut ids, mut ends) = (G::default(), Vec::with_capacity(self.take));
            for index in first..self.n_parts().min(first + self.take) {
                let Part { text, bytes } = self.part(index);
                let from = bytes.start;
                let part = &self.texts[text].as_ref()[bytes];
                let result = self.encoder.run(part, self.subset, &mut scratch, &mut ids, &mut countdown);
                if let Err(error) = result {
                    self.failed.fetch_min(index, Relaxed);
                    self.encoder.pool.give(scratch);
                    return Err((index, BatchError { text, error: moved(error, from, 0) }));
                }
                ends.push(ids.n_tokens());
            }
            done.push(Run { first, ids, ends });
        }
        self.encoder.pool.give(scratch);
        Ok(done)
    }

    /// Where the ids of each text begin, and the end of the last.
    fn starts<G>(&self, runs: &[Run<G>]) -> Vec<usize> {
        let (mut starts, mut n_tokens) = (vec![0; self.texts.len() + 1], 0);
        for run in runs {
            for (index, end) in run.ends.iter().enumerate() {
                let part = run.first + index;
                let text = self.parts.as_ref().map_or(part, |parts| parts[part].text);
                starts[text + 1] = n_tokens + end;
            }
            n_tokens += run.ends.last().copied().unwrap_or_default();
        }
        starts
    }

    /// The first of the parts to encode next. All before the first that fails are taken, so it is the same in every run.
    fn take(&self) -> Option<usize> {
        let start = self.next.fetch_add(self.take, Relaxed);
        (start < self.n_parts().min(self.failed.load(Relaxed))).then_some(start)
    }

    fn on_threads<G: Gather>(&self, n_threads: usize, stop: Stop<'_>) -> Vec<Done<G>> {
        let stopped = AtomicBool::new(false);
        let ask = || stopped.load(Relaxed);
        std::thread::scope(|scope| {
            let (alive, ended) = mpsc::channel();
            let workers: Vec<_> = (0..n_threads).map_while(|_| self.start(scope, &ask, alive.clone())).collect();
            drop(alive);
            if workers.is_empty() {
                return vec![self.work(stop)];
            }
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PATIENCE) {
                if stop.is_some_and(|stop| stop()) {
                    stopped.store(true, Relaxed);
                }
            }
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    /// A worker, or None if the system has no thread left. `alive` is dropped when it ends, however it ends.
    fn start<'scope, G: Gather + 'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        ask: &'scope (dyn Fn() -> bool + Sync),
        alive: Sender<()>,
    ) -> Option<std::thread::ScopedJoinHandle<'scope, Done<G>>> {
        let work = move || {
            let _alive = alive;
            self.work(Some(ask))
        };
        Builder::new().name("bytepair".into()).spawn_scoped(scope, work).ok()
    }
}

/// All runs in the order of the parts, or the first error.
fn in_order<G>(all: Vec<Done<G>>) -> Result<Vec<Run<G>>, BatchError> {
    let (mut runs, mut first): (Vec<Run<G>>, Option<(usize, BatchError)>) = (Vec::new(), None);
    for done in all {
        match done {
            Ok(done) => runs.extend(done),
            Err((part, _)) if first.as_ref().is_some_and(|first| first.0 < part) => {}
            Err(error) => first = Some(error),
        }
    }
    runs.sort_unstable_by_key(|run| run.first);
    first.map_or(Ok(runs), |(_, error)| Err(error))
}
