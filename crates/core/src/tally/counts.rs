//! Distinct pieces and how often each occurs.

use crate::piece_key;
use crate::piece_table::Entry;
use std::ops::Range;

/// One piece and its count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counted {
    pub(super) key: [u8; 16],
    pub(super) count: u64,
}

impl Entry for Counted {
    #[inline]
    fn key_bytes(&self) -> &[u8; 16] {
        &self.key
    }
}

/// Distinct pieces with 64-bit counts, in the order of their first appearance: 24 bytes each, and those of more than 15 bytes
/// once more with their size.
#[derive(Debug, Clone, Default)]
pub struct PieceCounts {
    entries: Vec<Counted>,
    /// Pieces of more than 15 bytes with their sizes, one after the other.
    arena: Vec<u8>,
}

impl PieceCounts {
    pub(super) fn new(mut entries: Vec<Counted>, mut arena: Vec<u8>) -> Self {
        entries.shrink_to_fit();
        arena.shrink_to_fit();
        Self { entries, arena }
    }

    /// How many distinct pieces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no piece was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The pieces and their counts, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.iter_range(0..self.len())
    }

    /// Those from the given places in the order.
    pub(super) fn iter_range(&self, places: Range<usize>) -> impl Iterator<Item = (&[u8], u64)> {
        self.entries[places].iter().map(|entry| (piece_key::piece(&entry.key, &self.arena), entry.count))
    }

    /// Sorts the pieces; the order of first appearance is lost.
    pub(super) fn sort(&mut self) {
        let Self { entries, arena } = self;
        entries
            .sort_unstable_by(|one, other| piece_key::piece(&one.key, arena).cmp(piece_key::piece(&other.key, arena)));
    }

    /// The sum of all counts; None if it passes 64 bits.
    #[must_use]
    pub fn n_occurrences(&self) -> Option<u64> {
        self.entries.iter().try_fold(0u64, |sum, entry| sum.checked_add(entry.count))
    }

    /// A hash of the set of (piece, count), blind to order: the sum of a 128-bit hash of each pair.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        self.iter().map(|(piece, count)| pair_fingerprint(piece, count)).fold(0, u128::wrapping_add)
    }
}

/// FNV-1a in 128 bits over size, piece and count, then scattered so that sums of similar pairs do not cancel out.
pub(super) fn pair_fingerprint(piece: &[u8], count: u64) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    let size = (piece.len() as u64).to_le_bytes();
    let bytes = size.iter().chain(piece).chain(&count.to_le_bytes()).copied().collect::<Vec<u8>>();
    let hash = bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let scattered = (hash ^ (hash >> 67)).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    scattered ^ (scattered >> 61)
}
