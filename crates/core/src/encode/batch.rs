//! Many texts on many threads: same ids whatever their number.
//!
//! Threads live as long as the call, so that a process may fork at any time. The calling thread only waits and asks whether
//! to stop: a signal reaches Python on that thread alone.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{Builder, Scope};
use std::time::Duration;

use super::Encoder;
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

/// What the threads of one batch share.
struct Batch<'a, T> {
    encoder: &'a Encoder,
    texts: &'a [T],
    subset: &'a Subset,
    /// Texts taken at a time.
    take: usize,
    next: AtomicUsize,
    /// Index of the first text known to fail; later ones need not be encoded.
    failed: AtomicUsize,
}

/// The ids of some texts, by index of the text; or the error that ended the work.
type Done = Result<Vec<(usize, Vec<u32>)>, BatchError>;

pub(super) fn encode_batch<T: AsRef<[u8]> + Sync>(
    encoder: &Encoder,
    texts: &[T],
    subset: &Subset,
    threads: usize,
    stop: Stop<'_>,
) -> Result<Vec<Vec<u32>>, BatchError> {
    let n_bytes: usize = texts.iter().map(|text| text.as_ref().len() + 8).sum();
    let n_threads = threads.min(texts.len()).min(n_bytes / WORTH_A_THREAD + 1);
    let take = (texts.len() / (n_threads.max(1) * 8)).clamp(1, MAX_TAKE);
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let batch = Batch { encoder, texts, subset, take, next, failed };
    if n_threads <= 1 {
        return in_order(texts.len(), vec![batch.work(stop)]);
    }
    in_order(texts.len(), batch.on_threads(n_threads, stop))
}

impl<T: AsRef<[u8]> + Sync> Batch<'_, T> {
    /// Encodes texts until none is left.
    fn work(&self, stop: Stop<'_>) -> Done {
        let (mut countdown, mut scratch) = (Countdown::new(stop), self.encoder.pool.take());
        let mut done = Vec::new();
        while let Some(start) = self.take() {
            let end = self.texts.len().min(start + self.take);
            for (text, bytes) in (start..end).zip(&self.texts[start..end]) {
                let mut ids = Vec::new();
                let result = self.encoder.run(bytes.as_ref(), self.subset, &mut scratch, &mut ids, &mut countdown);
                if let Err(error) = result {
                    self.failed.fetch_min(text, Relaxed);
                    self.encoder.pool.give(scratch);
                    return Err(BatchError { text, error });
                }
                done.push((text, ids));
            }
        }
        self.encoder.pool.give(scratch);
        Ok(done)
    }

    /// The first of the texts to encode next. All before the first that fails are taken, so it is the same in every run.
    fn take(&self) -> Option<usize> {
        let start = self.next.fetch_add(self.take, Relaxed);
        (start < self.texts.len().min(self.failed.load(Relaxed))).then_some(start)
    }

    fn on_threads(&self, n_threads: usize, stop: Stop<'_>) -> Vec<Done> {
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
    fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        ask: &'scope (dyn Fn() -> bool + Sync),
        alive: Sender<()>,
    ) -> Option<std::thread::ScopedJoinHandle<'scope, Done>> {
        let work = move || {
            let _alive = alive;
            self.work(Some(ask))
        };
        Builder::new().name("bytepair".into()).spawn_scoped(scope, work).ok()
    }
}

/// All ids in the order of the texts, or the first error.
fn in_order(n_texts: usize, parts: Vec<Done>) -> Result<Vec<Vec<u32>>, BatchError> {
    let mut ids = vec![Vec::new(); n_texts];
    let mut first: Option<BatchError> = None;
    for part in parts {
        match part {
            Ok(done) => done.into_iter().for_each(|(text, of_text)| ids[text] = of_text),
            Err(error) if first.as_ref().is_some_and(|first| first.text < error.text) => {}
            Err(error) => first = Some(error),
        }
    }
    first.map_or(Ok(ids), Err)
}
