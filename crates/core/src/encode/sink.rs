//! Where ids go as they arise.

use super::cache::INLINE;

/// Takes ids as they arise.
pub(super) trait Sink {
    /// So many pieces come next, each as `few` or `many`.
    fn expect(&mut self, _n_pieces: usize) {}

    /// The first `n_tokens` of these: of one of the pieces that were expected.
    fn few(&mut self, ids: &[u32; INLINE], n_tokens: usize);

    /// The ids of a piece, or of a special, which is not expected.
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
    /// Pieces still to come that have room.
    n_expected: usize,
}

/// Room that is made at once, in ids.
const ROOM: usize = 1 << 10;

impl List {
    /// An empty list in the memory of another.
    pub(super) fn in_room_of(ids: Vec<u32>) -> Self {
        Self { ids, n_tokens: 0, n_expected: 0 }
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
        if self.ids.len() < self.n_tokens + n_tokens {
            self.ids.resize(self.n_tokens + n_tokens + ROOM, 0);
        }
    }
}

impl Sink for List {
    fn expect(&mut self, n_pieces: usize) {
        self.n_expected = n_pieces;
        self.reserve(INLINE * n_pieces);
    }

    #[inline]
    fn few(&mut self, ids: &[u32; INLINE], n_tokens: usize) {
        // All are written and some not counted: how many are meant cannot be foreseen.
        self.ids[self.n_tokens..][..INLINE].copy_from_slice(ids);
        self.n_tokens += n_tokens;
    }

    fn many(&mut self, ids: &[u32]) {
        self.reserve(ids.len() + INLINE * self.n_expected);
        self.ids[self.n_tokens..][..ids.len()].copy_from_slice(ids);
        self.n_tokens += ids.len();
    }
}

/// Counts ids.
#[derive(Debug, Default)]
pub(super) struct Count(pub(super) usize);

impl Sink for Count {
    #[inline]
    fn few(&mut self, _: &[u32; INLINE], n_tokens: usize) {
        self.0 += n_tokens;
    }

    fn many(&mut self, ids: &[u32]) {
        self.0 += ids.len();
    }
}
