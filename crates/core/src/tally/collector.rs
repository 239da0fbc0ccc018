//! Pieces counted a batch at a time.

use super::key::Key;
use super::table::PieceTable;
use crate::error::Error;
use std::ops::Range;

/// Pieces whose slots are asked for before the first of them is looked at.
const BATCH: usize = 128;

/// Counts pieces a batch at a time.
///
/// A table of all pieces is larger than the nearest memory, so a look into it waits; a batch waits for all its looks at once.
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
        let mut keys = [(Key::default(), 0); BATCH];
        for (range, key) in self.waiting.iter().zip(&mut keys) {
            *key = Key::and_hash(text, range);
            self.table.expect(key.1);
        }
        for (range, &(key, hash)) in self.waiting.iter().zip(&keys) {
            self.table.add_keyed(key, hash, || &text[range.clone()])?;
        }
        self.waiting.clear();
        Ok(())
    }

    /// All counts.
    pub(super) fn finish(self) -> PieceTable {
        self.table
    }
}
