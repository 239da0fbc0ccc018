//! The merge loop: of all neighbouring pairs the leftmost of the lowest rank becomes one symbol, until none may merge.
//!
//! Two ways, equal in result. Short pieces are scanned for the lowest rank after every merge: a few dozen ranks lie in one
//! or two cache lines. Long ones keep candidates in a heap and neighbours in links, O(n log n) whatever they hold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Error;
use crate::model::{FIRST_RESERVED, Model, NO_RANK};
use crate::stop::Countdown;

/// Up to this many symbols a scan is as fast as the heap.
const SCAN_AT_MOST: usize = 96;
/// The cost of one step on the heap, in bytes of plain text.
const STEP: usize = 16;
/// A symbol that was merged into its left neighbour; no pair holds it.
const GONE: u32 = FIRST_RESERVED;
/// No neighbour on that side.
const NOWHERE: u32 = u32::MAX;

/// Room for the merge loop, used again from piece to piece.
#[derive(Debug, Default)]
pub struct MergeRoom {
    ranks: Vec<u32>,
    before: Vec<u32>,
    after: Vec<u32>,
    candidates: BinaryHeap<Reverse<u64>>,
}

impl MergeRoom {
    /// Bytes held.
    pub(super) fn n_bytes(&self) -> usize {
        4 * (self.ranks.capacity() + self.before.capacity() + self.after.capacity()) + 8 * self.candidates.capacity()
    }
}

/// Merges `symbols` to the end, in the way that suits their number.
pub(super) fn merge(
    model: &Model,
    symbols: &mut Vec<u32>,
    room: &mut MergeRoom,
    countdown: &mut Countdown<'_>,
) -> Result<(), Error> {
    if symbols.len() <= SCAN_AT_MOST {
        merge_by_scan(model, symbols, room);
        return Ok(());
    }
    by_heap(model, symbols, room, countdown)
}

/// Merges `symbols` to the end, scanning all ranks for each merge: quadratic, for short pieces.
pub fn merge_by_scan(model: &Model, symbols: &mut Vec<u32>, room: &mut MergeRoom) {
    let ranks = &mut room.ranks;
    ranks.clear();
    ranks.extend(symbols.windows(2).map(|pair| model.rank(pair[0], pair[1])));
    while let Some((at, rank)) = lowest(ranks) {
        symbols[at] = model.joint(rank);
        symbols.remove(at + 1);
        ranks.remove(at);
        if at > 0 {
            ranks[at - 1] = model.rank(symbols[at - 1], symbols[at]);
        }
        if at < ranks.len() {
            ranks[at] = model.rank(symbols[at], symbols[at + 1]);
        }
    }
}

/// The leftmost of the lowest ranks, and its place.
#[inline]
fn lowest(ranks: &[u32]) -> Option<(usize, u32)> {
    let mut best = (0, NO_RANK);
    for (at, &rank) in ranks.iter().enumerate() {
        if rank < best.1 {
            best = (at, rank);
        }
    }
    (best.1 != NO_RANK).then_some(best)
}

/// Merges `symbols` to the end with a heap of candidates: O(n log n) for any piece.
///
/// # Errors
/// [`Error::TooManySymbols`] past 2^32 - 2 symbols.
pub fn merge_by_heap(model: &Model, symbols: &mut Vec<u32>, room: &mut MergeRoom) -> Result<(), Error> {
    by_heap(model, symbols, room, &mut Countdown::new(None))
}

fn by_heap(
    model: &Model,
    symbols: &mut Vec<u32>,
    room: &mut MergeRoom,
    countdown: &mut Countdown<'_>,
) -> Result<(), Error> {
    let limit = NOWHERE as usize;
    if symbols.len() >= limit {
        return Err(Error::TooManySymbols { symbols: symbols.len() as u64, limit: limit as u64 - 1 });
    }
    link(symbols.len() as u32, room, countdown)?;
    room.candidates.clear();
    // Pushed one by one, not made a heap at once, so that a huge piece can be stopped here, too.
    for (at, pair) in symbols.windows(2).enumerate() {
        countdown.spend(STEP)?;
        room.candidates.extend(candidate(model.rank(pair[0], pair[1]), at as u32));
    }
    while let Some(Reverse(candidate)) = room.candidates.pop() {
        countdown.spend(STEP)?;
        let (rank, at) = ((candidate >> 32) as u32, candidate as u32);
        // Older candidates of a place stay in the heap; one counts only if its pair is still there.
        if room.after[at as usize] != NOWHERE && rank_at(model, symbols, room, at) == rank {
            join(model, symbols, room, at, rank);
        }
    }
    symbols.retain(|&symbol| symbol != GONE);
    Ok(())
}

/// Chains all places to their neighbours.
fn link(n_symbols: u32, room: &mut MergeRoom, countdown: &mut Countdown<'_>) -> Result<(), Error> {
    room.before.clear();
    room.before.reserve(n_symbols as usize);
    room.after.clear();
    room.after.reserve(n_symbols as usize);
    for at in 0..n_symbols {
        countdown.spend(1)?;
        room.before.push(at.checked_sub(1).unwrap_or(NOWHERE));
        room.after.push(if at + 1 < n_symbols { at + 1 } else { NOWHERE });
    }
    Ok(())
}

/// Rank and place in one number: the least is the leftmost of the lowest rank.
#[inline]
fn candidate(rank: u32, at: u32) -> Option<Reverse<u64>> {
    (rank != NO_RANK).then_some(Reverse(u64::from(rank) << 32 | u64::from(at)))
}

/// The rank of the pair that starts at a place that has a right neighbour.
#[inline]
fn rank_at(model: &Model, symbols: &[u32], room: &MergeRoom, at: u32) -> u32 {
    model.rank(symbols[at as usize], symbols[room.after[at as usize] as usize])
}

/// Merges the pair at a place, and offers the two pairs that arise.
#[inline]
fn join(model: &Model, symbols: &mut [u32], room: &mut MergeRoom, at: u32, rank: u32) {
    let right = room.after[at as usize];
    let beyond = room.after[right as usize];
    symbols[at as usize] = model.joint(rank);
    symbols[right as usize] = GONE;
    room.after[at as usize] = beyond;
    room.after[right as usize] = NOWHERE;
    if beyond != NOWHERE {
        room.before[beyond as usize] = at;
        room.candidates.extend(candidate(rank_at(model, symbols, room, at), at));
    }
    let left = room.before[at as usize];
    if left != NOWHERE {
        room.candidates.extend(candidate(rank_at(model, symbols, room, left), left));
    }
}
