//! Pieces counted a batch at a time.

use super::table::PieceTable;
use crate::error::Error;
use crate::piece_table::LookedRoom;
use crate::split::Pieces;

/// Counts pieces a batch at a time, as the table of all pieces likes it.
#[derive(Debug, Default)]
pub(super) struct Collector {
    table: PieceTable,
    room: LookedRoom,
}

impl Collector {
    /// How many distinct pieces there are so far.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes that the table takes.
    pub(super) fn n_bytes(&self) -> usize {
        self.table.n_bytes()
    }

    /// Counts these pieces of a text, some hundred at most.
    #[inline(never)]
    pub(super) fn count(&mut self, text: &[u8], pieces: impl Pieces) -> Result<(), Error> {
        self.table.add_all(text, pieces, &mut self.room)
    }

    /// All counts.
    pub(super) fn finish(self) -> PieceTable {
        self.table
    }
}
