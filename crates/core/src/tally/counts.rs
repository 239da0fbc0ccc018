//! Distinct pieces and how often each occurs.

use crate::error::Error;
use crate::prefetch::prefetch;
use std::ops::Range;

/// Pieces up to this size live in the entry itself.
const INLINE: usize = 15;
/// In the last byte of a key: the piece is in the arena.
const LONG: u8 = 0xFF;
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The bits of the first so many bytes.
const MASKS: [u128; INLINE + 1] = {
    let mut masks = [0; INLINE + 1];
    let mut n_bytes = 0;
    while n_bytes <= INLINE {
        masks[n_bytes] = (1 << (8 * n_bytes)) - 1;
        n_bytes += 1;
    }
    masks
};

/// A piece of at most 15 bytes with its size in the last byte; or, for a longer one, its place in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key(u128);

impl Key {
    #[inline]
    fn inline(text: &[u8], range: &Range<usize>) -> Self {
        let n_bytes = range.end - range.start;
        // A load of 16 bytes and a mask where the text goes on; byte by byte only at its very end.
        let loaded = match text.get(range.start..range.start + 16).and_then(<[u8]>::first_chunk::<16>) {
            Some(chunk) => u128::from_le_bytes(*chunk) & MASKS[n_bytes],
            None => Self::pack(&text[range.clone()]),
        };
        Self(loaded | (n_bytes as u128) << 120)
    }

    #[cold]
    fn pack(piece: &[u8]) -> u128 {
        let mut bytes = [0; 16];
        bytes[..piece.len()].copy_from_slice(piece);
        u128::from_le_bytes(bytes)
    }

    /// The key of a piece and its hash. Of a long one the key is only good for the table once its place is known.
    #[allow(clippy::inline_always)] // Through memory, the key would have to wait for its own two halves.
    #[inline(always)]
    fn and_hash(text: &[u8], range: &Range<usize>) -> (Self, u64) {
        if range.end - range.start > INLINE {
            let hash = hash_bytes(&text[range.clone()]);
            return (Self::long(hash, 0), hash);
        }
        let key = Self::inline(text, range);
        (key, hash_key(key.0))
    }

    fn long(hash: u64, offset: usize) -> Self {
        Self(u128::from(hash) | (offset as u128) << 64 | u128::from(LONG) << 120)
    }

    fn is_long(self) -> bool {
        (self.0 >> 120) as u8 == LONG
    }

    /// Where the arena holds a long piece: its size in eight bytes, then itself.
    fn arena_offset(self) -> usize {
        ((self.0 >> 64) as u64 & ((1 << 56) - 1)) as usize
    }
}

/// Pieces whose slots are asked for before the first of them is looked at.
const BATCH: usize = 128;

/// Counts pieces a batch at a time.
///
/// A table of all pieces is larger than the nearest memory, so a look into it waits; a batch waits for all its looks at once.
#[derive(Debug)]
pub(super) struct Collector {
    counts: PieceCounts,
    /// Pieces not counted yet: where they stand in the text at hand.
    waiting: Vec<Range<usize>>,
}

impl Default for Collector {
    fn default() -> Self {
        Self { counts: PieceCounts::new(), waiting: Vec::with_capacity(BATCH) }
    }
}

impl Collector {
    /// How many distinct pieces there are so far.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Takes the piece at `range`; true if it is time to call `count_waiting`.
    #[inline]
    pub(super) fn push(&mut self, range: Range<usize>) -> bool {
        self.waiting.push(range);
        self.waiting.len() == BATCH
    }

    /// Counts the pieces taken from this text.
    #[inline(never)]
    pub(super) fn count_waiting(&mut self, text: &[u8]) -> Result<(), Error> {
        let mut keys = [(Key(0), 0); BATCH];
        for (range, key) in self.waiting.iter().zip(&mut keys) {
            *key = Key::and_hash(text, range);
            self.counts.expect(key.1);
        }
        for (range, &(key, hash)) in self.waiting.iter().zip(&keys) {
            let added = if key.is_long() {
                self.counts.add_long(hash, &text[range.clone()], 1)
            } else {
                self.counts.add_short(hash, key, 1)
            };
            added.map_err(|overflow| self.counts.explain(overflow))?;
        }
        self.waiting.clear();
        Ok(())
    }

    /// All counts.
    pub(super) fn finish(self) -> PieceCounts {
        self.counts
    }
}

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
        Key(u128::from_le_bytes(self.key))
    }
}

/// A count that would pass 63 bits, by its slot: small, since it is handed up on the hottest path.
#[derive(Debug, Clone, Copy)]
struct Overflow {
    place: u32,
}

/// Distinct pieces with 64-bit counts, in the order of their first appearance.
///
/// Counting one is a single look into the table: keys and counts lie in its slots, and the order is a list of slots apart.
#[derive(Debug, Clone)]
pub struct PieceCounts {
    slots: Vec<Slot>,
    /// The slots in use, in the order of first appearance.
    order: Vec<u32>,
    /// Pieces of more than 15 bytes with their sizes, one after the other.
    arena: Vec<u8>,
}

impl Default for PieceCounts {
    fn default() -> Self {
        Self { slots: vec![EMPTY; 1 << 10], order: Vec::new(), arena: Vec::new() }
    }
}

impl PieceCounts {
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

    /// The pieces and their counts, in the order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.iter_range(0..self.len())
    }

    /// Those from the given places in the order.
    pub(super) fn iter_range(&self, places: Range<usize>) -> impl Iterator<Item = (&[u8], u64)> {
        self.order[places].iter().map(|&slot| {
            let slot = &self.slots[slot as usize];
            (self.piece(slot), slot.count)
        })
    }

    /// The sum of all counts; None if it passes 64 bits.
    #[must_use]
    pub fn n_occurrences(&self) -> Option<u64> {
        self.iter().try_fold(0u64, |sum, (_, count)| sum.checked_add(count))
    }

    fn piece<'a>(&'a self, slot: &'a Slot) -> &'a [u8] {
        let key = slot.key();
        if key.is_long() { long_piece(&self.arena, key) } else { &slot.key[..usize::from(slot.key[15])] }
    }

    /// Counts the piece at `range` of `text`, `count` times; a piece that occurs 0 times is not there at all.
    ///
    /// # Errors
    /// `Error::CountOverflow` if its count passes 2^63 - 1.
    pub fn add(&mut self, text: &[u8], range: Range<usize>, count: u64) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        self.add_piece(text, range, count).map_err(|overflow| self.explain(overflow))
    }

    fn add_piece(&mut self, text: &[u8], range: Range<usize>, count: u64) -> Result<(), Overflow> {
        let (key, hash) = Key::and_hash(text, &range);
        if key.is_long() { self.add_long(hash, &text[range], count) } else { self.add_short(hash, key, count) }
    }

    /// Says that a piece of this hash will be counted soon.
    #[inline]
    fn expect(&self, hash: u64) {
        prefetch(&self.slots, hash as usize & (self.slots.len() - 1));
    }

    #[inline]
    fn add_short(&mut self, hash: u64, key: Key, count: u64) -> Result<(), Overflow> {
        let place = self.find(hash, |slot, _| slot.key() == key);
        if self.slots[place].count == 0 { self.insert(place, key, count) } else { self.increase(place, count) }
    }

    fn add_long(&mut self, hash: u64, piece: &[u8], count: u64) -> Result<(), Overflow> {
        let wanted = Key::long(hash, 0);
        let place = self.find(hash, |slot, arena| {
            let key = slot.key();
            key.is_long() && key.0 as u64 == wanted.0 as u64 && long_piece(arena, key) == piece
        });
        if self.slots[place].count != 0 {
            return self.increase(place, count);
        }
        let key = Key::long(hash, self.arena.len());
        self.arena.extend_from_slice(&piece.len().to_le_bytes());
        self.arena.extend_from_slice(piece);
        self.insert(place, key, count)
    }

    /// Adds all counts of another table.
    ///
    /// # Errors
    /// `Error::CountOverflow` if a sum passes 2^63 - 1.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
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
        self.slots[place] = Slot { key: key.0.to_le_bytes(), count: 0 };
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
            let key = slot.key();
            let mut new = if key.is_long() { key.0 as u64 } else { hash_key(key.0) } as usize & (size - 1);
            while self.slots[new].count != 0 {
                new = (new + 1) & (size - 1);
            }
            self.slots[new] = slot;
            *place = new as u32;
        }
    }

    /// A hash of the set of (piece, count), blind to order: the sum of a 128-bit hash of each pair.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        self.iter().map(|(piece, count)| pair_fingerprint(piece, count)).fold(0, u128::wrapping_add)
    }
}

fn long_piece(arena: &[u8], key: Key) -> &[u8] {
    let (size, rest) = arena[key.arena_offset()..].split_first_chunk().expect("the size stands before each piece");
    &rest[..usize::from_le_bytes(*size)]
}

#[inline]
fn hash_key(key: u128) -> u64 {
    mix(key as u64 ^ MULTIPLIER, (key >> 64) as u64 ^ 0xD1B5_4A32_D192_ED03)
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ MULTIPLIER, u64::from_le_bytes(word) ^ 0xD1B5_4A32_D192_ED03);
    }
    hash
}

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// FNV-1a in 128 bits over size, piece and count, then scattered so that sums of similar pairs do not cancel out.
fn pair_fingerprint(piece: &[u8], count: u64) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    let size = (piece.len() as u64).to_le_bytes();
    let bytes = size.iter().chain(piece).chain(&count.to_le_bytes()).copied().collect::<Vec<u8>>();
    let hash = bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let scattered = (hash ^ (hash >> 67)).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    scattered ^ (scattered >> 61)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(pieces: &[&[u8]]) -> PieceCounts {
        let mut counts = PieceCounts::new();
        for piece in pieces {
            counts.add(piece, 0..piece.len(), 1).unwrap();
        }
        counts
    }

    #[test]
    fn pieces_of_every_size_come_back() {
        let text: Vec<u8> = (0..=255).collect();
        let mut counts = PieceCounts::new();
        for n_bytes in 0..=40 {
            counts.add(&text, 3..3 + n_bytes, 2).unwrap();
            counts.add(&text[..3 + n_bytes], 3..3 + n_bytes, 1).unwrap();
        }
        let found: Vec<_> = counts.iter().map(|(piece, count)| (piece.to_vec(), count)).collect();
        let wanted: Vec<_> = (0..=40).map(|n_bytes| (text[3..3 + n_bytes].to_vec(), 3)).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn zero_bytes_at_the_end_matter() {
        assert_eq!(counted(&[b"a", b"a\0", b"a\0\0", b""]).len(), 4);
    }

    #[test]
    fn growing_keeps_order_and_counts() {
        let pieces: Vec<String> = (0..10_000).map(|i| format!("{i}-{}", "x".repeat(i % 30))).collect();
        let mut counts = PieceCounts::new();
        for _ in 0..2 {
            for piece in &pieces {
                counts.add(piece.as_bytes(), 0..piece.len(), 1).unwrap();
            }
        }
        assert!(counts.iter().map(|(piece, _)| piece).eq(pieces.iter().map(String::as_bytes)));
        assert!(counts.iter().all(|(_, count)| count == 2));
    }

    #[test]
    fn a_piece_that_occurs_0_times_is_not_there() {
        let mut counts = PieceCounts::new();
        counts.add(b"a", 0..1, 0).unwrap();
        assert!(counts.is_empty());
    }

    #[test]
    fn a_count_past_63_bits_is_an_error() {
        let mut counts = counted(&[b"a"]);
        assert!(counts.add(b"a", 0..1, i64::MAX as u64 - 1).is_ok());
        assert!(matches!(counts.add(b"a", 0..1, 1), Err(Error::CountOverflow { .. })));
        assert!(matches!(PieceCounts::new().add(b"b", 0..1, 1 << 63), Err(Error::CountOverflow { .. })));
    }

    #[test]
    fn the_fingerprint_is_blind_to_order_and_sharding_only() {
        let whole = counted(&[b"a", b"b", b"a", b"long piece of more than fifteen bytes"]);
        let mut shards = counted(&[b"long piece of more than fifteen bytes", b"a"]);
        shards.merge(&counted(&[b"a", b"b"])).unwrap();
        assert_eq!(whole.fingerprint(), shards.fingerprint());
        assert_ne!(whole.fingerprint(), counted(&[b"a", b"b", b"b"]).fingerprint());
    }
}
