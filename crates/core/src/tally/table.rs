//! A table of pieces that is being filled.

use super::counts::{Counted, PieceCounts};
use crate::error::Error;
use crate::hash::Seed;
use crate::piece_key::Key;
use crate::piece_table::{self, Entry, Looked, LookedRoom, NO_ENTRY};
use crate::split::Pieces;
use std::ops::Range;

/// Counts pieces, with 64 bits each.
#[derive(Debug, Clone)]
pub struct PieceTable {
    pieces: piece_table::PieceTable<Counted>,
}

impl Default for PieceTable {
    fn default() -> Self {
        Self { pieces: piece_table::PieceTable::new(Seed::random()) }
    }
}

impl PieceTable {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What its hashes begin with.
    pub(super) fn seed(&self) -> Seed {
        self.pieces.seed()
    }

    /// How many distinct pieces there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The most bytes in use while one more piece is added.
    pub(super) fn n_bytes(&self) -> usize {
        self.pieces.n_bytes_to_insert()
    }

    /// Whether no piece was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All counts.
    #[must_use]
    pub fn finish(self) -> PieceCounts {
        let (entries, arena) = self.pieces.into_parts();
        PieceCounts::new(entries, arena)
    }

    /// Counts the piece at `range` of `text`, `count` times; a piece that occurs 0 times is not there at all.
    ///
    /// # Errors
    /// `Error::CountOverflow` if its count passes 2^63 - 1; `Error::TooManySymbols` past 2^32 - 1 distinct pieces.
    pub fn add(&mut self, text: &[u8], range: Range<usize>, count: u64) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let (key, hash) = Key::and_hash(text, &range, self.seed());
        self.add_keyed(key, hash, &text[range], count)
    }

    /// Adds all these counts.
    ///
    /// # Errors
    /// As `add`.
    pub fn merge(&mut self, other: &PieceCounts) -> Result<(), Error> {
        other.iter().try_for_each(|(piece, count)| self.add(piece, 0..piece.len(), count))
    }

    /// Counts pieces of a text, some hundred at most.
    pub(super) fn add_all(&mut self, text: &[u8], pieces: impl Pieces, room: &mut LookedRoom) -> Result<(), Error> {
        let (looked, mut rest) = (self.pieces.look(text, pieces.clone(), room), pieces);
        let mut at = 0;
        loop {
            let n_counted = self.add_known(&looked[at..]);
            let Some((looked, range)) = looked.get(at + n_counted).zip(rest.nth(n_counted)) else { return Ok(()) };
            self.add_keyed(looked.key, looked.hash, &text[range], 1)?;
            at += n_counted + 1;
        }
    }

    /// Counts the first of these pieces that are where they most likely are; how many those are.
    #[inline(never)]
    fn add_known(&mut self, looked: &[Looked]) -> usize {
        let entries = self.pieces.entries_mut();
        let mut add = |looked: &Looked| {
            let entry = entries.get_mut(looked.entry as usize);
            let known = entry.filter(|entry| entry.is_short(looked.key) && entry.count < i64::MAX as u64);
            known.map(|entry| entry.count += 1).is_some()
        };
        looked.iter().position(|looked| !add(looked)).unwrap_or(looked.len())
    }

    /// Counts a piece, whatever its size.
    pub(super) fn add_keyed(&mut self, key: Key, hash: u64, piece: &[u8], count: u64) -> Result<(), Error> {
        match self.pieces.find(key, hash, piece) {
            Ok(number) => {
                let entry = self.pieces.entry_mut(number);
                let sum = entry.count.checked_add(count).filter(|&sum| i64::try_from(sum).is_ok());
                entry.count = sum.ok_or_else(|| overflow(piece))?;
            }
            Err(_) if i64::try_from(count).is_err() => return Err(overflow(piece)),
            Err(_) if self.len() >= NO_ENTRY as usize => {
                let limit = u64::from(NO_ENTRY);
                return Err(Error::TooManySymbols { symbols: limit + 1, limit });
            }
            Err(vacancy) => self.pieces.insert(vacancy, key, hash, piece, |key| Counted { key, count }),
        }
        Ok(())
    }
}

#[cold]
pub(super) fn overflow(piece: &[u8]) -> Error {
    Error::CountOverflow { what: format!("the count of {:?}", String::from_utf8_lossy(piece)) }
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
        assert_eq!(counted(&[b"a", b"a\0", b"a\0\0", b""]).len(), 4);
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
        assert!(counts.is_empty());
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
