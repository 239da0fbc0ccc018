//! Pieces, and something about each: small slots, spread out by a hash, lead to entries in the order in which they came.
//!
//! Frequent pieces come early: so most looks go to few lines of memory, and only the small slots are spread out. A table is
//! larger than the nearest memory, so a look into it waits. Whoever has many pieces at hand asks for all their slots before
//! he looks at the first, then for all their entries ([`PieceTable::look`]).

use crate::hash::Seed;
use crate::piece_key::{self, Key};
use crate::prefetch::prefetch;
use crate::split::Pieces;

/// What is known of a piece, with the bytes of its [`Key`].
pub(crate) trait Entry {
    fn key_bytes(&self) -> &[u8; 16];

    /// Whether it is the entry of the short piece with this key.
    #[inline]
    fn is_short(&self, key: Key) -> bool {
        Key::from_bytes(*self.key_bytes()) == key
    }
}

/// Where a piece is, and some bits of its hash, so that most others are told apart without a look there.
#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    entry: u32,
}

/// Entries have numbers below this.
pub(crate) const NO_ENTRY: u32 = u32::MAX;
const EMPTY: Slot = Slot { tag: 0, entry: NO_ENTRY };
/// Slots of a new table.
const FIRST: usize = 1 << 10;

/// A piece that is being looked up, with others of its batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looked {
    pub(crate) key: Key,
    pub(crate) hash: u64,
    /// Where it most likely is.
    pub(crate) entry: u32,
}

/// Room for the pieces of a batch, used again from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct LookedRoom(Vec<Looked>);

impl LookedRoom {
    #[inline]
    fn get(&mut self, n_pieces: usize) -> &mut [Looked] {
        if self.0.len() < n_pieces {
            self.0.resize(n_pieces, Looked { key: Key::EMPTY, hash: 0, entry: NO_ENTRY });
        }
        &mut self.0[..n_pieces]
    }
}

#[derive(Debug, Clone)]
pub(crate) struct PieceTable<E> {
    /// Open addressing; a power of two, at most half full: then nearly every piece lies where it is looked for first.
    slots: Vec<Slot>,
    entries: Vec<E>,
    /// Pieces of more than 15 bytes with their sizes, one after the other.
    arena: Vec<u8>,
    seed: Seed,
}

/// The slot where a piece belongs that has none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vacancy(usize);

impl<E: Entry> PieceTable<E> {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { slots: vec![EMPTY; FIRST], entries: Vec::new(), arena: Vec::new(), seed }
    }

    /// With room for so many pieces.
    pub(crate) fn with_capacity(n_pieces: usize, seed: Seed) -> Self {
        let n_slots = (2 * n_pieces).next_power_of_two().max(FIRST);
        Self { slots: vec![EMPTY; n_slots], entries: Vec::with_capacity(n_pieces), arena: Vec::new(), seed }
    }

    /// What its hashes begin with.
    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }

    /// How many distinct pieces there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it is so large that most of it is not near.
    pub(crate) fn is_far(&self) -> bool {
        self.slots.len() > FIRST
    }

    /// The entries in the order in which they came, and the long pieces.
    pub(crate) fn into_parts(self) -> (Vec<E>, Vec<u8>) {
        (self.entries, self.arena)
    }

    /// The most bytes in use while one more piece is added. What a list has in reserve was never touched, and is not there.
    pub(crate) fn n_bytes_to_insert(&self) -> usize {
        // While the slots are doubled, the old ones are still there.
        let n_slots = if self.is_full() { 3 * self.slots.len() } else { self.slots.len() };
        n_slots * size_of::<Slot>() + (self.len() + 1) * size_of::<E>() + self.arena.len()
    }

    /// Whether the next piece makes it grow.
    fn is_full(&self) -> bool {
        2 * (self.entries.len() + 1) > self.slots.len()
    }

    /// Says that a piece of this hash will be looked for soon.
    #[inline]
    pub(crate) fn expect(&self, hash: u64) {
        prefetch(&self.slots, hash as usize & (self.slots.len() - 1));
    }

    /// Where the pieces of a text most likely are, which will be looked at soon.
    pub(crate) fn look<'a>(&self, text: &[u8], pieces: impl Pieces, room: &'a mut LookedRoom) -> &'a [Looked] {
        let looked = room.get(pieces.len());
        self.hash_all(text, pieces, looked);
        self.find_likely(looked);
        looked
    }

    // Three short loops, each alone: together they would not find room in the processor's registers.
    #[inline(never)]
    fn hash_all(&self, text: &[u8], pieces: impl Pieces, looked: &mut [Looked]) {
        let (slots, mask, seed) = (&self.slots[..], self.slots.len() - 1, self.seed);
        for (looked, range) in looked.iter_mut().zip(pieces) {
            let (key, hash) = Key::and_hash(text, &range, seed);
            prefetch(slots, hash as usize & mask);
            (looked.key, looked.hash) = (key, hash);
        }
    }

    #[inline(never)]
    fn find_likely(&self, looked: &mut [Looked]) {
        let (slots, entries, mask) = (&self.slots[..], &self.entries[..], self.slots.len() - 1);
        for looked in looked {
            let hash = looked.hash;
            looked.entry = match slots.get(hash as usize & mask) {
                Some(slot) if slot.tag == tag(hash) => slot.entry,
                _ => self.slots[self.place(hash, |_| true)].entry,
            };
            prefetch(entries, looked.entry as usize);
        }
    }

    /// All entries, to be changed.
    #[inline]
    pub(crate) fn entries_mut(&mut self) -> &mut [E] {
        &mut self.entries
    }

    /// All entries, in the order in which they came.
    #[inline]
    pub(crate) fn entries(&self) -> &[E] {
        &self.entries
    }

    /// The number of the entry of a piece, or where it belongs.
    #[inline]
    pub(crate) fn find(&self, key: Key, hash: u64, piece: &[u8]) -> Result<u32, Vacancy> {
        let place = self.place(hash, |entry| {
            let bytes = self.entries[entry as usize].key_bytes();
            if key.is_long() { self.piece(bytes) == piece } else { Key::from_bytes(*bytes) == key }
        });
        let entry = self.slots[place].entry;
        if entry == NO_ENTRY { Err(Vacancy(place)) } else { Ok(entry) }
    }

    /// The entry of this number.
    #[inline]
    pub(crate) fn entry(&self, number: u32) -> &E {
        &self.entries[number as usize]
    }

    /// The entry of this number, to be changed.
    #[inline]
    pub(crate) fn entry_mut(&mut self, number: u32) -> &mut E {
        &mut self.entries[number as usize]
    }

    /// What is known of a piece.
    #[inline]
    pub(crate) fn get(&self, key: Key, hash: u64, piece: &[u8]) -> Option<&E> {
        let number = self.find(key, hash, piece).ok()?;
        self.entries.get(number as usize)
    }

    /// Adds a piece where it belongs; `entry` makes what is known of it, from the bytes of its key. There are fewer than
    /// `NO_ENTRY`.
    pub(crate) fn insert(
        &mut self,
        Vacancy(place): Vacancy,
        key: Key,
        hash: u64,
        piece: &[u8],
        entry: impl FnOnce([u8; 16]) -> E,
    ) {
        let key = if key.is_long() { piece_key::store(piece, hash, &mut self.arena) } else { key };
        let is_full = self.is_full();
        self.slots[place] = Slot { tag: tag(hash), entry: self.entries.len() as u32 };
        self.entries.push(entry(key.to_bytes()));
        if is_full {
            self.grow();
        }
    }

    /// The bytes of the piece with this key.
    pub(crate) fn piece<'a>(&'a self, key_bytes: &'a [u8; 16]) -> &'a [u8] {
        piece_key::piece(key_bytes, &self.arena)
    }

    /// The slot of the piece of this hash for which `is_same(entry)` holds, or the empty one where it belongs.
    #[inline]
    fn place(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot.entry == NO_ENTRY || (slot.tag == tag(hash) && is_same(slot.entry)) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for (number, entry) in self.entries.iter().enumerate() {
            let hash = Key::from_bytes(*entry.key_bytes()).hash(self.seed);
            let place = self.place(hash, |_| false);
            self.slots[place] = Slot { tag: tag(hash), entry: number as u32 };
        }
    }
}

/// The bits of a hash that choose no slot.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[derive(Debug, Clone)]
    struct Numbered([u8; 16], usize);

    impl Entry for Numbered {
        fn key_bytes(&self) -> &[u8; 16] {
            &self.0
        }
    }

    proptest! {
        #[test]
        fn behaves_as_a_map(pieces in prop::collection::vec(prop::collection::vec(0..3u8, 0..40), 0..2000)) {
            let mut table: PieceTable<Numbered> = PieceTable::new(Seed::random());
            let mut map: HashMap<Vec<u8>, usize> = HashMap::new();
            for (number, piece) in pieces.iter().enumerate() {
                let (key, hash) = Key::and_hash(piece, &(0..piece.len()), table.seed());
                prop_assert_eq!(table.get(key, hash, piece).map(|entry| entry.1), map.get(piece).copied());
                let likely = table.look(piece, std::iter::once(0..piece.len()), &mut LookedRoom::default())[0].entry;
                if let Err(vacancy) = table.find(key, hash, piece) {
                    table.insert(vacancy, key, hash, piece, |key| Numbered(key, number));
                    map.insert(piece.clone(), number);
                } else if let Some(entry) = table.entries().get(likely as usize).filter(|entry| entry.is_short(key)) {
                    prop_assert_eq!(Some(&entry.1), map.get(piece));
                }
            }
            prop_assert_eq!(table.len(), map.len());
            let (entries, arena) = table.into_parts();
            prop_assert!(entries.is_sorted_by_key(|entry| entry.1));
            for entry in &entries {
                prop_assert_eq!(map.get(piece_key::piece(&entry.0, &arena)), Some(&entry.1));
            }
        }
    }
}
