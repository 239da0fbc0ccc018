//! A map from pieces to small values. Most pieces are short: those lie in a flat table as two words, without a pointer.

use std::collections::HashMap;

use crate::hash::Seed;

/// A piece, made ready to be looked up in any table of the same seed.
pub(crate) enum Key<'a> {
    /// 1 to 16 bytes, and their hash.
    Short(Packed, u64),
    /// Anything else.
    Long(&'a [u8]),
}

impl<'a> Key<'a> {
    #[inline]
    pub(crate) fn new(piece: &'a [u8], seed: Seed) -> Self {
        match Packed::new(piece) {
            Some(packed) => Self::Short(packed, seed.mix(packed.low, packed.high ^ (u64::from(packed.n_bytes) << 32))),
            None => Self::Long(piece),
        }
    }
}

/// A piece of 1 to 16 bytes in two words; with the number of bytes it stands for no other piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Packed {
    low: u64,
    high: u64,
    /// 0 marks an empty slot.
    n_bytes: u32,
}

impl Packed {
    /// Reads whole words from both ends, which overlap where the piece is shorter than both: no loop, no copy.
    #[inline]
    fn new(piece: &[u8]) -> Option<Self> {
        if piece.is_empty() || piece.len() > 16 {
            return None;
        }
        let (low, high) = if let (Some(first), Some(last)) = (piece.first_chunk::<8>(), piece.last_chunk::<8>()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (piece.first_chunk::<4>(), piece.last_chunk::<4>()) {
            (u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32, 0)
        } else {
            let [first, middle, last] = [0, piece.len() / 2, piece.len() - 1].map(|at| u64::from(piece[at]));
            (first | middle << 8 | last << 16, 0)
        };
        Some(Self { low, high, n_bytes: piece.len() as u32 })
    }
}

/// Pieces -> values.
#[derive(Debug, Clone)]
pub(crate) struct PieceTable<V> {
    /// Open addressing, a power of two or none, at most half full.
    slots: Vec<Slot<V>>,
    n_short: usize,
    long: HashMap<Box<[u8]>, V, Seed>,
    longest: usize,
    seed: Seed,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot<V> {
    key: Packed,
    value: V,
}

impl<V: Copy + Default> PieceTable<V> {
    pub(crate) fn new(seed: Seed) -> Self {
        Self::with_capacity(0, seed)
    }

    /// With room for so many short pieces.
    pub(crate) fn with_capacity(n_pieces: usize, seed: Seed) -> Self {
        let n_slots = if n_pieces == 0 { 0 } else { (2 * n_pieces).next_power_of_two() };
        let long = HashMap::with_hasher(seed);
        Self { slots: vec![Slot::default(); n_slots], n_short: 0, long, longest: 0, seed }
    }

    #[inline]
    pub(crate) fn get(&self, key: &Key<'_>) -> Option<V> {
        match *key {
            Key::Short(packed, hash) => {
                let slot = self.slots.get(self.find(packed, hash))?;
                (slot.key.n_bytes != 0).then_some(slot.value)
            }
            Key::Long(piece) if piece.len() > self.longest => None,
            Key::Long(piece) => self.long.get(piece).copied(),
        }
    }

    /// Adds a piece that is not there yet.
    pub(crate) fn insert(&mut self, key: &Key<'_>, value: V) {
        match *key {
            Key::Short(packed, hash) => {
                if self.slots.len() < 2 * (self.n_short + 1) {
                    self.grow();
                }
                let at = self.find(packed, hash);
                self.slots[at] = Slot { key: packed, value };
                self.n_short += 1;
            }
            Key::Long(piece) => {
                self.longest = self.longest.max(piece.len());
                self.long.insert(piece.into(), value);
            }
        }
    }

    /// Where the piece is, or would be; 0 in a table without slots.
    #[inline]
    fn find(&self, packed: Packed, hash: u64) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get(at) {
            if slot.key == packed || slot.key.n_bytes == 0 {
                return at;
            }
            at = (at + 1) & mask;
        }
        0
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); (self.slots.len() * 2).max(64)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.key.n_bytes != 0 {
                let hash = self.seed.mix(slot.key.low, slot.key.high ^ (u64::from(slot.key.n_bytes) << 32));
                let at = self.find(slot.key, hash);
                self.slots[at] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_as_a_map(pieces in prop::collection::vec(prop::collection::vec(0..3u8, 0..20), 0..300)) {
            let seed = Seed::random();
            let (mut table, mut map) = (PieceTable::new(seed), HashMap::new());
            for (value, piece) in pieces.iter().enumerate() {
                let key = Key::new(piece, seed);
                prop_assert_eq!(table.get(&key), map.get(piece).copied());
                if table.get(&key).is_none() {
                    table.insert(&key, value);
                    map.insert(piece.clone(), value);
                }
            }
            for piece in &pieces {
                prop_assert_eq!(table.get(&Key::new(piece, seed)), map.get(piece).copied());
            }
        }
    }
}
