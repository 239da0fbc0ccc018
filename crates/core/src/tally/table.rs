//! A table of pieces that is being filled.

use super::counts::{Entry, PieceCounts};
use super::key::{self, Key};
use crate::error::Error;
use crate::prefetch::prefetch;
use std::ops::Range;

/// Two to a line of cache, and never across two lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Slot {
    /// Little-endian bytes of a `Key`: for a short piece its own bytes come first.
    key: [u8; 16],
    /// 0 where the slot is empty.
    count: u64,
}

const EMPTY: Slot = Slot { key: [0; 16], count: 0 };

impl Slot {
    #[inline]
    fn key(&self) -> Key {
        Key::from_bytes(self.key)
    }
}

/// A count that would pass 63 bits, by its slot: small, since it is handed up on the hottest path.
#[derive(Debug, Clone, Copy)]
struct Overflow {
    place: u32,
}

/// Counts pieces, with 64 bits each.
///
/// Counting one is a single look into the table: keys and counts lie in its slots, and the order is a list of slots apart.
#[derive(Debug, Clone)]
pub struct PieceTable {
    slots: Vec<Slot>,
    /// The slots in use, in the order of first appearance.
    order: Vec<u32>,
    /// Pieces of more than 15 bytes with their sizes, one after the other.
    arena: Vec<u8>,
}

impl Default for PieceTable {
    fn default() -> Self {
        Self { slots: vec![EMPTY; 1 << 10], order: Vec::new(), arena: Vec::new() }
    }
}

impl PieceTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many distinct pieces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether no piece was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    fn piece<'a>(&'a self, slot: &'a Slot) -> &'a [u8] {
        key::piece(&slot.key, &self.arena)
    }

    /// All counts.
    #[must_use]
    pub fn finish(self) -> PieceCounts {
        let entry = |&slot: &u32| {
            let Slot { key, count } = self.slots[slot as usize];
            Entry { key, count }
        };
        PieceCounts::from_entries(self.order.iter().map(entry).collect(), self.arena)
    }

    /// Counts the piece at `range` of `text`, `count` times; a piece that occurs 0 times is not there at all.
    ///
    /// # Errors
    /// `Error::CountOverflow` if its count passes 2^63 - 1.
    pub fn add(&mut self, text: &[u8], range: Range<usize>, count: u64) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let (key, hash) = Key::and_hash(text, &range);
        let added =
            if key.is_long() { self.add_long(hash, &text[range], count) } else { self.add_short(hash, key, count) };
        added.map_err(|overflow| self.explain(overflow))
    }

    /// Counts a piece once; `piece` is asked for if it is long.
    #[inline]
    pub(super) fn add_keyed<'t>(&mut self, key: Key, hash: u64, piece: impl FnOnce() -> &'t [u8]) -> Result<(), Error> {
        let added = if key.is_long() { self.add_long(hash, piece(), 1) } else { self.add_short(hash, key, 1) };
        added.map_err(|overflow| self.explain(overflow))
    }

    /// Says that a piece of this hash will be counted soon.
    #[inline]
    pub(super) fn expect(&self, hash: u64) {
        prefetch(&self.slots, hash as usize & (self.slots.len() - 1));
    }

    #[inline]
    fn add_short(&mut self, hash: u64, key: Key, count: u64) -> Result<(), Overflow> {
        let place = self.find(hash, |slot, _| slot.key() == key);
        if self.slots[place].count == 0 { self.insert(place, key, count) } else { self.increase(place, count) }
    }

    fn add_long(&mut self, hash: u64, piece: &[u8], count: u64) -> Result<(), Overflow> {
        let place = self.find(hash, |slot, arena| {
            slot.key().is_long() && slot.key().hash() == hash && key::piece(&slot.key, arena) == piece
        });
        if self.slots[place].count != 0 {
            return self.increase(place, count);
        }
        let key = key::store(piece, hash, &mut self.arena);
        self.insert(place, key, count)
    }

    /// Adds all these counts.
    ///
    /// # Errors
    /// `Error::CountOverflow` if a sum passes 2^63 - 1.
    pub fn merge(&mut self, other: &PieceCounts) -> Result<(), Error> {
        other.iter().try_for_each(|(piece, count)| self.add(piece, 0..piece.len(), count))
    }

    /// The slot of the piece, or the empty one where it belongs.
    #[inline]
    fn find(&self, hash: u64, is_same: impl Fn(&Slot, &[u8]) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = &self.slots[place];
            if slot.count == 0 || is_same(slot, &self.arena) {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[inline]
    fn increase(&mut self, place: usize, count: u64) -> Result<(), Overflow> {
        let slot = &mut self.slots[place];
        match slot.count.checked_add(count) {
            Some(sum) if i64::try_from(sum).is_ok() => {
                slot.count = sum;
                Ok(())
            }
            _ => Err(Overflow { place: place as u32 }),
        }
    }

    #[cold]
    fn explain(&self, overflow: Overflow) -> Error {
        let piece = String::from_utf8_lossy(self.piece(&self.slots[overflow.place as usize])).into_owned();
        Error::CountOverflow { what: format!("the count of {piece:?}") }
    }

    #[cold]
    fn insert(&mut self, place: usize, key: Key, count: u64) -> Result<(), Overflow> {
        self.slots[place] = Slot { key: key.to_bytes(), count: 0 };
        self.increase(place, count)?;
        self.order.push(place as u32);
        // Half full at most: then nearly every piece lies where it is looked for first.
        if self.order.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(())
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for place in &mut self.order {
            let slot = old[*place as usize];
            let mut new = slot.key().hash() as usize & (size - 1);
            while self.slots[new].count != 0 {
                new = (new + 1) & (size - 1);
            }
            self.slots[new] = slot;
            *place = new as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(pieces: &[&[u8]]) -> PieceTable {
        let mut counts = PieceTable::new();
        for piece in pieces {
            counts.add(piece, 0..piece.len(), 1).unwrap();
        }
        counts
    }

    #[test]
    fn pieces_of_every_size_come_back() {
        let text: Vec<u8> = (0..=255).collect();
        let mut counts = PieceTable::new();
        for n_bytes in 0..=40 {
            counts.add(&text, 3..3 + n_bytes, 2).unwrap();
            counts.add(&text[..3 + n_bytes], 3..3 + n_bytes, 1).unwrap();
        }
        let found: Vec<_> = counts.clone().finish().iter().map(|(piece, count)| (piece.to_vec(), count)).collect();
        let wanted: Vec<_> = (0..=40).map(|n_bytes| (text[3..3 + n_bytes].to_vec(), 3)).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn zero_bytes_at_the_end_matter() {
        assert_eq!(counted(&[b"a", b"a\0", b"a\0\0", b""]).order.len(), 4);
    }

    #[test]
    fn growing_keeps_order_and_counts() {
        let pieces: Vec<String> = (0..10_000).map(|i| format!("{i}-{}", "x".repeat(i % 30))).collect();
        let mut counts = PieceTable::new();
        for _ in 0..2 {
            for piece in &pieces {
                counts.add(piece.as_bytes(), 0..piece.len(), 1).unwrap();
            }
        }
        assert!(counts.clone().finish().iter().map(|(piece, _)| piece).eq(pieces.iter().map(String::as_bytes)));
        assert!(counts.clone().finish().iter().all(|(_, count)| count == 2));
    }

    #[test]
    fn a_piece_that_occurs_0_times_is_not_there() {
        let mut counts = PieceTable::new();
        counts.add(b"a", 0..1, 0).unwrap();
        assert!(counts.order.is_empty());
    }

    #[test]
    fn a_count_past_63_bits_is_an_error() {
        let mut counts = counted(&[b"a"]);
        assert!(counts.add(b"a", 0..1, i64::MAX as u64 - 1).is_ok());
        assert!(matches!(counts.add(b"a", 0..1, 1), Err(Error::CountOverflow { .. })));
        assert!(matches!(PieceTable::new().add(b"b", 0..1, 1 << 63), Err(Error::CountOverflow { .. })));
    }

    #[test]
    fn the_fingerprint_is_blind_to_order_and_sharding_only() {
        let whole = counted(&[b"a", b"b", b"a", b"long piece of more than fifteen bytes"]);
        let mut shards = counted(&[b"long piece of more than fifteen bytes", b"a"]);
        shards.merge(&counted(&[b"a", b"b"]).finish()).unwrap();
        assert_eq!(whole.clone().finish().fingerprint(), shards.clone().finish().fingerprint());
        assert_ne!(whole.clone().finish().fingerprint(), counted(&[b"a", b"b", b"b"]).clone().finish().fingerprint());
    }
}
