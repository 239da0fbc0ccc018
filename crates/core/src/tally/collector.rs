//! Pieces counted a batch at a time.

use super::table::PieceTable;
use crate::error::Error;
use crate::piece_key::Key;
use std::ops::Range;

/// Pieces whose slots are asked for before the first of them is looked at.
const BATCH: usize = 128;

/// Counts pieces a batch at a time.
///
/// A table of all pieces is larger than the nearest memory, so a look into it waits; a batch asks for all its slots before it
/// looks at the first, and then for all its entries.
#[derive(Debug)]
pub(super) struct Collector {
    table: PieceTable,
    /// Pieces not counted yet: where they stand in the text at hand.
    waiting: Vec<Range<usize>>,
}

impl Default for Collector {
    fn default() -> Self {
        Self { table: PieceTable::new(), waiting: Vec::with_capacity(BATCH) }
    }
}

impl Collector {
    /// How many distinct pieces there are so far.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Leaves out what was taken from a text that is gone.
    pub(super) fn forget_waiting(&mut self) {
        self.waiting.clear();
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
        let mut keys = [(Key::NOTHING, 0, 0); BATCH];
        for (range, looked) in self.waiting.iter().zip(&mut keys) {
            let (key, hash) = Key::and_hash(text, range, self.table.seed());
            self.table.expect(hash);
            *looked = (key, hash, 0);
        }
        let keys = &mut keys[..self.waiting.len()];
        for (_, hash, entry) in &mut *keys {
            *entry = self.table.likely(*hash);
        }
        for (range, &mut (key, hash, entry)) in self.waiting.iter().zip(keys) {
            if !self.table.count_at(entry, key) {
                self.table.add_keyed(key, hash, &text[range.clone()], 1)?;
            }
        }
        self.waiting.clear();
        Ok(())
    }

    /// All counts.
    pub(super) fn finish(self) -> PieceTable {
        self.table
    }
}
