//! Pieces counted a batch at a time.

use super::table::PieceTable;
use crate::error::Error;
use crate::piece_table::{Looked, LookedRoom};
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

    /// Counts these pieces of a text, some hundred at most.
    #[inline(never)]
    pub(super) fn count(&mut self, text: &[u8], pieces: impl Pieces) -> Result<(), Error> {
        let Self { table, room } = self;
        let looked = room.look(text, pieces.clone(), table.seed(), |hash| table.expect(hash));
        for piece in &mut *looked {
            piece.entry = table.likely(piece.hash);
        }
        for (range, &mut Looked { key, hash, entry }) in pieces.zip(looked) {
            if !table.count_at(entry, key) {
                table.add_keyed(key, hash, &text[range], 1)?;
            }
        }
        Ok(())
    }

    /// All counts.
    pub(super) fn finish(self) -> PieceTable {
        self.table
    }
}
