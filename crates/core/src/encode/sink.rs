//! Where ids go as they arise.

use super::cache::{Cache, Few};
use crate::piece_table::Looked;

/// Takes ids as they arise.
pub(super) trait Sink {
    /// The first of these pieces, as far as the cache has few ids for them; how many those are.
    fn few(&mut self, cache: &Cache, looked: &[Looked]) -> usize;

    /// The ids of a piece, or of a special.
    fn many(&mut self, ids: &[u32]);

    /// Whether no more is wanted; asked once for each handful of pieces. The walk then ends with
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    fn is_full(&self) -> bool {
        false
    }
}

/// Keeps ids.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The ids, and room behind them that is written before it is counted.
    ids: Vec<u32>,
    n_tokens: usize,
}

/// Room that is made at once, in ids.
const ROOM: usize = 1 << 10;
/// The most ids for which room is kept ahead.
const MOST_AHEAD: usize = 1 << 20;

impl List {
    /// An empty list, with room for the ids of most texts of so many bytes.
    pub(super) fn for_text(n_bytes: usize) -> Self {
        Self { ids: Vec::with_capacity((n_bytes / 2 + 16).min(MOST_AHEAD)), n_tokens: 0 }
    }

    /// An empty list in the memory of another.
    pub(super) fn in_room_of(ids: Vec<u32>) -> Self {
        Self { ids, n_tokens: 0 }
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        &self.ids[..self.n_tokens]
    }

    pub(super) fn into_ids(mut self) -> Vec<u32> {
        self.ids.truncate(self.n_tokens);
        self.ids
    }

    /// Makes room for so many more.
    #[inline]
    fn reserve(&mut self, n_tokens: usize) {
        let needed = self.n_tokens + n_tokens;
        if self.ids.len() < needed {
            // In memory that is there already, where it is enough.
            self.ids.resize(self.ids.capacity().min(needed + ROOM).max(needed), 0);
        }
    }
}

impl Sink for List {
    #[inline(never)] // Alone, it keeps all that it needs in registers.
    fn few(&mut self, cache: &Cache, looked: &[Looked]) -> usize {
        self.reserve(looked.len() * size_of::<Few>() / size_of::<u32>());
        let (room, mut n_tokens) = (&mut self.ids[self.n_tokens..], 0);
        let n_pieces = cache.few(looked, |few, n_meant| {
            // All are written and some not counted: how many are meant cannot be foreseen.
            room[n_tokens..][..few.len()].copy_from_slice(few);
            n_tokens += n_meant;
        });
        self.n_tokens += n_tokens;
        n_pieces
    }

    fn many(&mut self, ids: &[u32]) {
        self.reserve(ids.len());
        self.ids[self.n_tokens..][..ids.len()].copy_from_slice(ids);
        self.n_tokens += ids.len();
    }
}

/// Counts ids.
#[derive(Debug, Default)]
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    #[inline(never)]
    fn few(&mut self, cache: &Cache, looked: &[Looked]) -> usize {
        let mut n_tokens = 0;
        let n_pieces = cache.few(looked, |_, n_meant| n_tokens += n_meant);
        self.0 += n_tokens;
        n_pieces
    }

    fn many(&mut self, ids: &[u32]) {
        self.0 += ids.len();
    }
}
