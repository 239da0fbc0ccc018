//! Counting on several threads, with the order of first appearance as if there were one.
//!
//! Stretches of text are numbered in the order of the corpus and handed to whichever thread is free. Each thread has a
//! table for the whole run and notes which entries were new in which stretch; walking those notes in the order of the
//! stretches at the end meets every piece first where the corpus does.

use super::collector::Collector;
use super::counts::PieceCounts;
use super::rules::{Look, Rules, Stretch};
use super::runs::Spill;
use super::table::PieceTable;
use crate::error::Error;
use crate::progress::Pulse;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Below this many bytes a thread of its own costs more than it saves.
const MIN_BYTES_A_THREAD: usize = 1 << 17;

/// One thread's table.
#[derive(Debug)]
struct Shard {
    collector: Collector,
    /// (stretch, entries before it), for the stretches that brought new entries.
    stretches: Vec<(u64, usize)>,
}

/// Counts the pieces of documents; keeps a table a thread until `finish`.
#[derive(Debug)]
pub struct Counter {
    rules: Rules,
    shards: Vec<Shard>,
    /// Stretches numbered so far.
    n_stretches: u64,
    spill: Option<Spill>,
    /// Written so far.
    runs: Vec<PathBuf>,
}

/// How far along a source is, for the pulse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Along {
    pub(super) done: u64,
    pub(super) total: u64,
}

impl Counter {
    /// A counter that uses up to `threads` threads.
    #[must_use]
    pub fn new(rules: Rules, threads: usize) -> Self {
        let shard = |_| Shard { collector: Collector::default(), stretches: Vec::new() };
        Self { rules, shards: (0..threads.max(1)).map(shard).collect(), n_stretches: 0, spill: None, runs: Vec::new() }
    }

    /// The same; what does not fit in memory goes to files, and `finish_runs` names them.
    #[must_use]
    pub fn spilling(self, spill: Spill) -> Self {
        Self { spill: Some(spill), ..self }
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn threads(&self) -> usize {
        self.shards.len()
    }

    /// Counts the pieces of `documents`. `pulse` is told (bytes done, bytes in all of them).
    ///
    /// # Errors
    /// A pattern that gives up, a count past 63 bits, a refused border, an interrupt.
    pub fn add_documents(&mut self, documents: &[&[u8]], pulse: &mut Pulse<'_>) -> Result<(), Error> {
        let stretches: Vec<_> = documents.iter().map(|&text| (text, Stretch::Start)).collect();
        let total = documents.iter().map(|text| text.len() as u64).sum();
        self.add_stretches(&stretches, Along { done: 0, total }, pulse)
    }

    /// Counts stretches that follow one another in the corpus.
    pub(super) fn add_stretches(
        &mut self,
        stretches: &[(&[u8], Stretch)],
        along: Along,
        pulse: &mut Pulse<'_>,
    ) -> Result<(), Error> {
        let n_bytes: usize = stretches.iter().map(|(text, _)| text.len()).sum();
        let groups = groups(stretches);
        let threads = self.shards.len().min(groups.len()).min(n_bytes / MIN_BYTES_A_THREAD + 1);
        let first = self.n_stretches;
        self.n_stretches += groups.len() as u64;
        let jobs =
            Jobs { rules: &self.rules, stretches, groups, first, next: AtomicUsize::new(0), done: along.done.into() };
        if threads <= 1 {
            jobs.run_here(&mut self.shards[0], along, pulse)?;
        } else {
            jobs.run(&mut self.shards[..threads], along, pulse)?;
        }
        let n_bytes: usize = self.shards.iter().map(|shard| shard.collector.n_bytes()).sum();
        if self.spill.as_ref().is_some_and(|spill| n_bytes > spill.max_bytes) { self.write_runs() } else { Ok(()) }
    }

    /// Empties the tables into files, a run each.
    fn write_runs(&mut self) -> Result<(), Error> {
        let Some(spill) = &self.spill else { return Ok(()) };
        for shard in &mut self.shards {
            shard.stretches.clear();
            let counts = std::mem::take(&mut shard.collector).finish().finish();
            if !counts.is_empty() {
                let path = spill.folder.join(format!("{}.run", self.runs.len()));
                counts.write_run(&path)?;
                self.runs.push(path);
            }
        }
        Ok(())
    }

    /// The runs that hold all counts; None where all of them fitted in memory, and `finish` has them.
    ///
    /// # Errors
    /// `Error::Spill` where the last of them cannot be written.
    pub fn finish_runs(&mut self) -> Result<Option<Vec<PathBuf>>, Error> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        self.write_runs()?;
        Ok(Some(std::mem::take(&mut self.runs)))
    }

    /// All counts, in the order of first appearance.
    ///
    /// # Errors
    /// `Error::CountOverflow` if the sum of the threads' counts passes 63 bits.
    pub fn finish(self) -> Result<PieceCounts, Error> {
        let mut tables = Vec::new();
        let mut news: Vec<(u64, usize, Range<usize>)> = Vec::new();
        for (place, shard) in self.shards.into_iter().enumerate() {
            let counts = shard.collector.finish().finish();
            let ends = shard.stretches.iter().skip(1).map(|&(_, start)| start).chain([counts.len()]);
            news.extend(shard.stretches.iter().zip(ends).map(|(&(stretch, start), end)| (stretch, place, start..end)));
            tables.push(counts);
        }
        if tables.iter().skip(1).all(PieceCounts::is_empty) {
            return Ok(tables.swap_remove(0));
        }
        news.sort_unstable_by_key(|&(stretch, ..)| stretch);
        let mut all = PieceTable::new();
        for (_, place, entries) in news {
            for (piece, count) in tables[place].iter_range(entries) {
                all.add(piece, 0..piece.len(), count)?;
            }
        }
        Ok(all.finish())
    }
}

/// Runs of neighbouring stretches, so that tiny documents are not handed out one by one.
fn groups(stretches: &[(&[u8], Stretch)]) -> Vec<Range<usize>> {
    const GROUP: usize = 1 << 16;
    let mut groups = Vec::new();
    let (mut start, mut n_bytes) = (0, 0);
    for (place, (text, _)) in stretches.iter().enumerate() {
        n_bytes += text.len();
        if n_bytes >= GROUP {
            groups.push(start..place + 1);
            (start, n_bytes) = (place + 1, 0);
        }
    }
    if start < stretches.len() {
        groups.push(start..stretches.len());
    }
    groups
}

/// Groups of stretches that threads take one by one.
struct Jobs<'a> {
    rules: &'a Rules,
    stretches: &'a [(&'a [u8], Stretch)],
    groups: Vec<Range<usize>>,
    /// The number of the first group.
    first: u64,
    next: AtomicUsize,
    done: AtomicU64,
}

impl Jobs<'_> {
    fn work(&self, shard: &mut Shard, look: Look<'_>) -> Result<(), Error> {
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = self.groups.get(place) else { return Ok(()) };
            let before = shard.collector.len();
            for &(text, stretch) in &self.stretches[group.clone()] {
                self.rules.count(text, stretch, &mut shard.collector, look)?;
                self.done.fetch_add(text.len() as u64, Ordering::Relaxed);
                look()?;
            }
            if shard.collector.len() > before {
                shard.stretches.push((self.first + place as u64, before));
            }
        }
    }

    fn run_here(&self, shard: &mut Shard, along: Along, pulse: &mut Pulse<'_>) -> Result<(), Error> {
        let pulse = std::cell::RefCell::new(pulse);
        self.work(shard, &|| pulse.borrow_mut().tick(self.done.load(Ordering::Relaxed), along.total))
    }

    fn run(&self, shards: &mut [Shard], along: Along, pulse: &mut Pulse<'_>) -> Result<(), Error> {
        let stop = AtomicBool::new(false);
        let look = || if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) };
        std::thread::scope(|scope| {
            let (sender, finished) = mpsc::channel::<()>();
            let workers: Vec<_> = shards
                .iter_mut()
                .map(|shard| {
                    let sender = sender.clone();
                    let look = &look;
                    scope.spawn(move || {
                        let result = self.work(shard, look);
                        // Dropped with the thread: the watcher sees that all are gone.
                        drop(sender);
                        result
                    })
                })
                .collect();
            drop(sender);
            let watched = watch(&finished, || pulse.tick(self.done.load(Ordering::Relaxed), along.total));
            stop.store(watched.is_err(), Ordering::Relaxed);
            let results: Vec<_> = workers.into_iter().map(join).collect();
            watched?;
            results.into_iter().collect()
        })
    }
}

/// Ticks until every worker has finished or the tick fails.
fn watch(finished: &mpsc::Receiver<()>, mut tick: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    while finished.recv_timeout(Duration::from_millis(50)) == Err(mpsc::RecvTimeoutError::Timeout) {
        tick()?;
    }
    Ok(())
}

fn join<T>(worker: std::thread::ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
