//! Short pieces of bytes, merged in registers: the ranks of all their pairs fit there, and what is left of their symbols is a
//! bit each. No memory is asked for but the symbols and the ranks of pairs.

use crate::model::{Model, NO_RANK};

/// Pieces of at most so many bytes.
pub(super) const MOST: usize = 16;

/// A rank and its place in one number, so that the least is the leftmost of the lowest rank.
const PLACE_BITS: u32 = MOST.ilog2();
/// No pair may merge here.
const NONE: u32 = u32::MAX;

/// Whether the ranks of a model leave room for a place.
pub(super) fn suits(model: &Model) -> bool {
    model.n_ranks() < 1 << (u32::BITS - PLACE_BITS)
}

/// The symbols of a piece, some of which are merged.
struct Symbols {
    by_place: [u32; MOST],
    /// A bit for each place that holds one; at least one is set.
    there: u32,
}

/// What a merge changes: the keys at three places.
struct Change {
    /// The pair on the left, where there is one, or as `at`.
    left: (u32, u32),
    at: (u32, u32),
    /// Where the right one was, which is no more.
    gone: u32,
}

impl Symbols {
    /// The symbols of the bytes, and the keys of their pairs.
    #[inline]
    fn new(model: &Model, byte_ids: &[u32; 256], piece: &[u8]) -> (Self, [u32; MOST]) {
        let (mut by_place, mut keys) = ([0; MOST], [NONE; MOST]);
        for (symbol, &byte) in by_place.iter_mut().zip(piece) {
            *symbol = byte_ids[usize::from(byte)];
        }
        for at in 1..piece.len().min(MOST) {
            keys[at - 1] = key(model.rank(by_place[at - 1], by_place[at]), at as u32 - 1);
        }
        (Self { by_place, there: (1 << piece.len()) - 1 }, keys)
    }

    /// Merges the pair with this key.
    #[inline]
    fn merge(&mut self, model: &Model, lowest: u32) -> Change {
        let at = lowest % MOST as u32;
        let joint = model.joint(lowest >> PLACE_BITS);
        self.by_place[at as usize] = joint;
        let behind = self.there & (!1 << at);
        let gone = behind.trailing_zeros();
        self.there ^= 1 << gone;
        let (behind, before) = (behind & behind.wrapping_sub(1), self.there & ((1 << at) - 1));
        let at_key = match behind {
            0 => NONE,
            behind => {
                let right = self.by_place[behind.trailing_zeros() as usize % MOST];
                key(model.far_rank(joint, right), at)
            }
        };
        let left = match before {
            0 => (at, at_key),
            before => {
                let left = before.ilog2();
                (left, key(model.far_rank(self.by_place[left as usize % MOST], joint), left))
            }
        };
        Change { left, at: (at, at_key), gone }
    }

    fn give(&self, ids: &mut Vec<u32>) {
        ids.clear();
        let mut there = self.there;
        while there != 0 {
            ids.push(self.by_place[there.trailing_zeros() as usize % MOST]);
            there &= there - 1;
        }
    }
}

#[inline]
fn key(rank: u32, at: u32) -> u32 {
    if rank == NO_RANK { NONE } else { rank << PLACE_BITS | at }
}

/// Replaces `ids` by those of a piece of at most [`MOST`] bytes, each of which is a symbol; the model [`suits`].
pub(super) fn merge(model: &Model, byte_ids: &[u32; 256], piece: &[u8], ids: &mut Vec<u32>) {
    debug_assert!(piece.len() <= MOST && !piece.is_empty());
    #[cfg(target_arch = "x86_64")]
    if crate::split::has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        unsafe {
            merge_avx2(model, byte_ids, piece, ids);
        }
        return;
    }
    merge_portable(model, byte_ids, piece, ids);
}

fn merge_portable(model: &Model, byte_ids: &[u32; 256], piece: &[u8], ids: &mut Vec<u32>) {
    let (mut symbols, mut keys) = Symbols::new(model, byte_ids, piece);
    loop {
        let lowest = keys.iter().copied().fold(NONE, u32::min);
        if lowest == NONE {
            return symbols.give(ids);
        }
        let Change { left, at, gone } = symbols.merge(model, lowest);
        keys[gone as usize] = NONE;
        keys[left.0 as usize] = left.1;
        keys[at.0 as usize] = at.1;
    }
}

/// The same with the keys in two registers: written one by one to memory, they could not be read together at once.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // Vector loads within an array.
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn merge_avx2(model: &Model, byte_ids: &[u32; 256], piece: &[u8], ids: &mut Vec<u32>) {
    #[allow(clippy::wildcard_imports)] // Intrinsics are named after their instructions.
    use std::arch::x86_64::*;

    let (mut symbols, keys) = Symbols::new(model, byte_ids, piece);
    let ([first, second], []) = keys.as_chunks::<8>() else { unreachable!("there are 16") };
    // SAFETY: unaligned loads of the 32 bytes that each reference covers.
    let mut first = unsafe { _mm256_loadu_si256(first.as_ptr().cast()) };
    let mut second = unsafe { _mm256_loadu_si256(second.as_ptr().cast()) };
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let eight = _mm256_set1_epi32(8);
    loop {
        let lowest = _mm256_min_epu32(first, second);
        let four = _mm_min_epu32(_mm256_castsi256_si128(lowest), _mm256_extracti128_si256::<1>(lowest));
        let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b1110>(four));
        let one = _mm_min_epu32(two, _mm_shuffle_epi32::<0b01>(two));
        let lowest = _mm_cvtsi128_si32(one).cast_unsigned();
        if lowest == NONE {
            return symbols.give(ids);
        }
        let Change { left, at, gone } = symbols.merge(model, lowest);
        for (place, key) in [(gone, NONE), left, at] {
            let key = _mm256_set1_epi32(key.cast_signed());
            let place = _mm256_set1_epi32(place.cast_signed());
            first = _mm256_blendv_epi8(first, key, _mm256_cmpeq_epi32(place, places));
            second = _mm256_blendv_epi8(second, key, _mm256_cmpeq_epi32(_mm256_sub_epi32(place, eight), places));
        }
    }
}
