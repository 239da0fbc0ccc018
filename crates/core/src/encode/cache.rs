//! What pieces became before. It is bounded by bytes and only saves time: ids never depend on it.

use crate::hash::Seed;
use crate::piece_key::{self, Key};
use crate::prefetch::prefetch;

/// The most memory of one worker's cache, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Longer pieces hardly come again: in text of 22 languages 1.2 times, those of up to 15 bytes 20 times.
const MAX_PIECE: usize = 64;
/// Ids that a slot holds itself.
pub(super) const INLINE: usize = 3;
/// Slots of a new cache.
const FIRST: usize = 1 << 9;

/// Piece -> ids; when it is full it starts anew.
#[derive(Debug)]
pub(super) struct Cache {
    /// Open addressing; a power of two, at most three quarters full.
    slots: Vec<Slot>,
    n_pieces: usize,
    /// The ids of pieces that have more than a slot holds.
    ids: Vec<u32>,
    /// The bytes of pieces that are longer than a key.
    arena: Vec<u8>,
    max_bytes: usize,
    seed: Seed,
}

/// Two to a line of cache, and never across two lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Slot {
    key: [u8; 16],
    /// 0 where the slot is empty.
    n_tokens: u32,
    /// The ids; or, where there are more, the place of the first of them.
    ids: [u32; INLINE],
}

const EMPTY: Slot = Slot { key: [0; 16], n_tokens: 0, ids: [0; INLINE] };

impl Cache {
    pub(super) fn new(seed: Seed) -> Self {
        Self::bounded(seed, MAX_BYTES)
    }

    fn bounded(seed: Seed, max_bytes: usize) -> Self {
        Self { slots: vec![EMPTY; FIRST], n_pieces: 0, ids: Vec::new(), arena: Vec::new(), max_bytes, seed }
    }

    /// Says that a piece of this hash will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, hash: u64) {
        prefetch(&self.slots, hash as usize & (self.slots.len() - 1));
    }

    /// The ids of a piece, and how many of those are meant: the array has room for those that a slot holds.
    #[inline]
    pub(super) fn get(&self, key: Key, hash: u64, piece: &[u8]) -> Option<Found<'_>> {
        let slot = &self.slots[self.place(key, hash, piece)];
        match slot.n_tokens as usize {
            0 => None,
            n_tokens @ 1..=INLINE => Some(Found::Few(&slot.ids, n_tokens)),
            n_tokens => Some(Found::Many(&self.ids[slot.ids[0] as usize..][..n_tokens])),
        }
    }

    /// The slot of a piece, or the empty one where it belongs.
    #[inline]
    fn place(&self, key: Key, hash: u64, piece: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = &self.slots[place];
            let is_same = if key.is_long() {
                let other = Key::from_bytes(slot.key);
                other.is_long() && other.hash(self.seed) == hash && piece_key::piece(&slot.key, &self.arena) == piece
            } else {
                Key::from_bytes(slot.key) == key
            };
            if slot.n_tokens == 0 || is_same {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// Remembers a piece that is not there yet, and its ids, which are not none.
    pub(super) fn insert(&mut self, key: Key, hash: u64, piece: &[u8], ids: &[u32]) {
        if piece.len() > MAX_PIECE {
            return;
        }
        if 4 * (self.n_pieces + 1) > 3 * self.slots.len() {
            self.grow();
        }
        if self.n_bytes() > self.max_bytes {
            *self = Self::bounded(self.seed, self.max_bytes);
        }
        let place = self.place(key, hash, piece);
        let key = if key.is_long() { piece_key::store(piece, hash, &mut self.arena) } else { key };
        let mut slot = Slot { key: key.to_bytes(), n_tokens: ids.len() as u32, ids: [0; INLINE] };
        if ids.len() <= INLINE {
            slot.ids[..ids.len()].copy_from_slice(ids);
        } else {
            slot.ids[0] = self.ids.len() as u32;
            self.ids.extend_from_slice(ids);
        }
        self.slots[place] = slot;
        self.n_pieces += 1;
    }

    fn grow(&mut self) {
        let n_slots = self.slots.len() * 2;
        // For a moment there are two tables.
        if self.n_bytes() + n_slots * size_of::<Slot>() > self.max_bytes {
            *self = Self::bounded(self.seed, self.max_bytes);
            return;
        }
        for slot in std::mem::replace(&mut self.slots, vec![EMPTY; n_slots]) {
            if slot.n_tokens > 0 {
                let mut place = Key::from_bytes(slot.key).hash(self.seed) as usize & (n_slots - 1);
                while self.slots[place].n_tokens > 0 {
                    place = (place + 1) & (n_slots - 1);
                }
                self.slots[place] = slot;
            }
        }
    }

    /// Bytes in use. What a list has in reserve was never touched, and is not there.
    fn n_bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + 4 * self.ids.len() + self.arena.len()
    }
}

/// The ids of a piece.
pub(super) enum Found<'a> {
    /// So many of these.
    Few(&'a [u32; INLINE], usize),
    Many(&'a [u32]),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn remembered(cache: &Cache, piece: &[u8]) -> Option<Vec<u32>> {
        let (key, hash) = Key::and_hash(piece, &(0..piece.len()), cache.seed);
        cache.get(key, hash, piece).map(|found| match found {
            Found::Few(ids, n_tokens) => ids[..n_tokens].to_vec(),
            Found::Many(ids) => ids.to_vec(),
        })
    }

    fn remember(cache: &mut Cache, piece: &[u8], ids: &[u32]) {
        let (key, hash) = Key::and_hash(piece, &(0..piece.len()), cache.seed);
        cache.insert(key, hash, piece, ids);
    }

    #[test]
    fn stays_within_its_bound() {
        let mut cache = Cache::bounded(Seed::random(), 1 << 20);
        for n in 0..50_000u32 {
            let piece = format!("{n}{}", "-".repeat(n as usize % 20));
            let ids: Vec<u32> = (n..=n + n % 6).collect();
            remember(&mut cache, piece.as_bytes(), &ids);
            assert_eq!(remembered(&cache, piece.as_bytes()), Some(ids));
            assert!(cache.n_bytes() <= (1 << 20) + (1 << 10), "{} bytes after {n} pieces", cache.n_bytes());
        }
    }

    #[test]
    fn huge_pieces_are_not_kept() {
        let mut cache = Cache::new(Seed::random());
        let piece = vec![b'a'; MAX_PIECE + 1];
        remember(&mut cache, &piece, &[1]);
        assert_eq!(remembered(&cache, &piece), None);
    }

    proptest! {
        #[test]
        fn behaves_as_a_map(pieces in prop::collection::vec(prop::collection::vec(0..3u8, 1..40), 0..2000)) {
            let (mut cache, mut map) = (Cache::new(Seed::random()), HashMap::new());
            for (value, piece) in pieces.iter().enumerate() {
                let known = remembered(&cache, piece);
                prop_assert_eq!(&known, &map.get(piece).cloned());
                if known.is_none() {
                    let ids: Vec<u32> = (0..=value as u32 % 7).collect();
                    remember(&mut cache, piece, &ids);
                    map.insert(piece.clone(), ids);
                }
            }
        }
    }
}
