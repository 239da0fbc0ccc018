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
pub const SCAN_AT_MOST: usize = 96;
/// The cost of one step on the heap, in bytes of plain text.
const STEP: usize = 16;
/// A symbol that was merged into its left neighbour; no pair holds it.
const GONE: u32 = FIRST_RESERVED;
/// No neighbour on that side.
const NOWHERE: u32 = u32::MAX;

/// Room for the merge loop, used again from piece to piece.
#[derive(Debug, Default)]
pub struct MergeRoom {
    before: Vec<u32>,
    after: Vec<u32>,
    candidates: BinaryHeap<Reverse<u64>>,
}

impl MergeRoom {
    /// Bytes held.
    pub(super) fn n_bytes(&self) -> usize {
        4 * (self.before.capacity() + self.after.capacity()) + 8 * self.candidates.capacity()
    }
}

/// Merges `symbols` to the end, in the way that suits their number.
pub(super) fn merge(
    model: &Model,
    symbols: &mut Vec<u32>,
    room: &mut MergeRoom,
    countdown: &mut Countdown<'_>,
) -> Result<(), Error> {
    if symbols.len() <= SCAN_AT_MOST && model.n_ranks() < 1 << (32 - PLACE_BITS) {
        merge_by_scan(model, symbols);
        return Ok(());
    }
    by_heap(model, symbols, room, countdown)
}

/// Merges `symbols` to the end, scanning all ranks for each merge: quadratic, for at most [`SCAN_AT_MOST`] symbols.
pub fn merge_by_scan(model: &Model, symbols: &mut Vec<u32>) {
    #[cfg(target_arch = "x86_64")]
    if crate::split::has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        unsafe {
            scan_avx2(model, symbols);
        }
        return;
    }
    scan(model, symbols, |keys| keys.iter().copied().fold(NONE, u32::min));
}

/// The same with vectors of eight ranks.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // Vector loads within a slice.
#[target_feature(enable = "avx2")]
fn scan_avx2(model: &Model, symbols: &mut Vec<u32>) {
    #[allow(clippy::wildcard_imports)] // Intrinsics are named after their instructions.
    use std::arch::x86_64::*;

    scan(model, symbols, |keys| {
        let mut lowest = _mm256_set1_epi32(-1);
        for eight in keys.as_chunks::<LANES>().0 {
            // SAFETY: an unaligned load of the 32 bytes that the reference covers.
            lowest = _mm256_min_epu32(lowest, unsafe { _mm256_loadu_si256(eight.as_ptr().cast()) });
        }
        let four = _mm_min_epu32(_mm256_castsi256_si128(lowest), _mm256_extracti128_si256::<1>(lowest));
        let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b1110>(four));
        let one = _mm_min_epu32(two, _mm_shuffle_epi32::<0b01>(two));
        _mm_cvtsi128_si32(one).cast_unsigned()
    });
}

/// A rank and its place in one number, so that one pass finds the leftmost of the lowest.
const PLACE_BITS: u32 = 7;
/// No pair may merge here. Ranks are below it, or the heap is used.
const NONE: u32 = u32::MAX;
/// Ranks looked at together.
const LANES: usize = 8;

/// `lowest` finds the least of the keys, whose number is a multiple of `LANES`.
#[allow(clippy::inline_always)] // It is compiled for each set of instructions.
#[inline(always)]
fn scan(model: &Model, symbols: &mut Vec<u32>, lowest: impl Fn(&[u32]) -> u32) {
    let n_symbols = symbols.len();
    assert!(n_symbols <= SCAN_AT_MOST, "the heap takes longer pieces");
    // Symbols stay where they are; these chain the ones that are left. The borders are places, too.
    let mut before = [0_u8; SCAN_AT_MOST + 1];
    let mut after = [0_u8; SCAN_AT_MOST];
    let mut keys = [NONE; SCAN_AT_MOST];
    let key = |left: u32, right: u32, at: usize| {
        let rank = model.rank(left, right);
        if rank == NO_RANK { NONE } else { rank << PLACE_BITS | at as u32 }
    };
    for at in 0..n_symbols {
        before[at] = (at as u8).wrapping_sub(1);
        after[at] = at as u8 + 1;
        if at + 1 < n_symbols {
            keys[at] = key(symbols[at], symbols[at + 1], at);
        }
    }
    let n_lanes = n_symbols.next_multiple_of(LANES);
    loop {
        let lowest = lowest(&keys[..n_lanes]);
        if lowest == NONE {
            break;
        }
        let at = (lowest & ((1 << PLACE_BITS) - 1)) as usize;
        let right = usize::from(after[at]);
        let beyond = usize::from(after[right]);
        symbols[at] = model.joint(lowest >> PLACE_BITS);
        after[at] = beyond as u8;
        before[beyond] = at as u8;
        keys[right] = NONE;
        keys[at] = if beyond < n_symbols { key(symbols[at], symbols[beyond], at) } else { NONE };
        if at > 0 {
            let left = usize::from(before[at]);
            keys[left] = key(symbols[left], symbols[at], left);
        }
    }
    let (mut at, mut n_left) = (0, 0);
    while at < n_symbols {
        symbols[n_left] = symbols[at];
        n_left += 1;
        at = usize::from(after[at]);
    }
    symbols.truncate(n_left);
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
