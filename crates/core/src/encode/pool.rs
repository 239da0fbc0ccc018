//! What a worker needs beside the model, kept from call to call.

use std::sync::{Mutex, TryLockError};

use super::backtrack::SearchRoom;
use super::cache::Cache;
use super::document::WalkRoom;
use super::merge::MergeRoom;
use crate::hash::Seed;
use crate::piece_table::LookedRoom;

/// One worker's cache and room. Nothing in it is wrong after an error or a panic: rooms are emptied before use, and the
/// cache holds only finished pieces.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) cache: Cache,
    pub(super) symbols: Vec<u32>,
    pub(super) room: MergeRoom,
    pub(super) search: SearchRoom,
    pub(super) walk: WalkRoom,
    pub(super) looked: LookedRoom,
}

/// Rooms above this many bytes are given back to the system after the call that needed them.
const MAX_ROOM: usize = 4 << 20;

impl Scratch {
    fn new(seed: Seed, cache_bytes: usize) -> Self {
        Self {
            cache: Cache::new(seed, cache_bytes),
            symbols: Vec::new(),
            room: MergeRoom::default(),
            search: SearchRoom::default(),
            walk: WalkRoom::default(),
            looked: LookedRoom::default(),
        }
    }

    fn shed_large_rooms(&mut self) {
        let n_bytes = self.room.n_bytes() + self.search.n_bytes() + self.walk.n_bytes();
        if 4 * self.symbols.capacity() + n_bytes > MAX_ROOM {
            (self.symbols, self.room, self.walk) = (Vec::new(), MergeRoom::default(), WalkRoom::default());
            self.search = SearchRoom::default();
        }
    }
}

/// The idle scratches. The lock is never waited for: after a fork in another thread it might never be free.
#[derive(Debug)]
pub(super) struct Pool {
    idle: Mutex<Vec<Scratch>>,
    most: usize,
    seed: Seed,
    cache_bytes: usize,
}

/// How often a lock that is held for nanoseconds is tried.
const TRIES: usize = 32;

impl Pool {
    pub(super) fn new(seed: Seed, cache_bytes: usize) -> Self {
        let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { idle: Mutex::new(Vec::new()), most, seed, cache_bytes }
    }

    pub(super) fn take(&self) -> Scratch {
        with_lock(&self.idle, Vec::pop).flatten().unwrap_or_else(|| Scratch::new(self.seed, self.cache_bytes))
    }

    /// Pieces in the caches at rest, and the bytes of those.
    pub(super) fn statistics(&self) -> (usize, usize) {
        let sum = |idle: &mut Vec<Scratch>| {
            let each = idle.iter().map(|scratch| scratch.cache.statistics());
            each.fold((0, 0), |(pieces, bytes), (more, and_more)| (pieces + more, bytes + and_more))
        };
        with_lock(&self.idle, sum).unwrap_or_default()
    }

    pub(super) fn give(&self, mut scratch: Scratch) {
        scratch.shed_large_rooms();
        let surplus = with_lock(&self.idle, |idle| {
            if idle.len() < self.most {
                idle.push(scratch);
                return None;
            }
            Some(scratch)
        });
        drop(surplus);
    }
}

/// Runs `work` under the lock, or not at all if it is not to be had at once.
pub(super) fn with_lock<T, R>(mutex: &Mutex<T>, work: impl FnOnce(&mut T) -> R) -> Option<R> {
    for _ in 0..TRIES {
        match mutex.try_lock() {
            Ok(mut guard) => return Some(work(&mut guard)),
            Err(TryLockError::Poisoned(poisoned)) => return Some(work(&mut poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_never_freed_does_not_block() {
        let pool = Pool::new(Seed::random(), 0);
        let held = pool.idle.lock().unwrap();
        let scratch = pool.take();
        pool.give(scratch);
        drop(held);
        assert_eq!(pool.idle.lock().unwrap().len(), 0);
    }

    #[test]
    fn scratches_come_back_without_large_rooms() {
        let pool = Pool::new(Seed::random(), 0);
        let mut scratch = pool.take();
        scratch.symbols.reserve(MAX_ROOM);
        pool.give(scratch);
        assert_eq!(pool.take().symbols.capacity(), 0);
    }

    #[test]
    fn idle_scratches_are_few() {
        let pool = Pool::new(Seed::random(), 0);
        let scratches: Vec<_> = (0..pool.most + 5).map(|_| pool.take()).collect();
        for scratch in scratches {
            pool.give(scratch);
        }
        assert_eq!(pool.idle.lock().unwrap().len(), pool.most);
    }
}
