//! What pieces became before. It is bounded by bytes and only saves time: ids never depend on it.

use crate::model::{Key, PieceTable, Seed};

/// The most memory of one worker's cache, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Longer pieces hardly come again.
const MAX_PIECE: usize = 256;

/// Piece -> ids; when it is full it starts anew.
#[derive(Debug)]
pub(super) struct Cache {
    spans: PieceTable<Span>,
    ids: Vec<u32>,
    max_bytes: usize,
    seed: Seed,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    n_tokens: u32,
}

impl Cache {
    pub(super) fn new(seed: Seed) -> Self {
        Self::bounded(seed, MAX_BYTES)
    }

    fn bounded(seed: Seed, max_bytes: usize) -> Self {
        Self { spans: PieceTable::new(seed), ids: Vec::new(), max_bytes, seed }
    }

    #[inline]
    pub(super) fn get(&self, key: &Key<'_>) -> Option<&[u32]> {
        let Span { start, n_tokens } = self.spans.get(key)?;
        self.ids.get(start as usize..start as usize + n_tokens as usize)
    }

    /// Remembers a piece that is not there yet.
    pub(super) fn insert(&mut self, key: &Key<'_>, ids: &[u32]) {
        if matches!(key, Key::Long(piece) if piece.len() > MAX_PIECE) {
            return;
        }
        // A table that grows holds two copies for a moment, the larger twice the smaller.
        if self.n_bytes() > self.max_bytes / 3 {
            *self = Self::bounded(self.seed, self.max_bytes);
        }
        self.spans.insert(key, Span { start: self.ids.len() as u32, n_tokens: ids.len() as u32 });
        self.ids.extend_from_slice(ids);
    }

    fn n_bytes(&self) -> usize {
        self.spans.n_bytes() + 4 * self.ids.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_within_its_bound() {
        let seed = Seed::random();
        let mut cache = Cache::bounded(seed, 1 << 20);
        for n in 0..50_000u32 {
            let piece = format!("{n}{}", "-".repeat(n as usize % 30));
            let key = Key::new(piece.as_bytes(), seed);
            cache.insert(&key, &[n, n + 1]);
            assert_eq!(cache.get(&key), Some([n, n + 1].as_slice()));
            assert!(cache.n_bytes() <= 1 << 20, "{} bytes after {n} pieces", cache.n_bytes());
        }
    }

    #[test]
    fn huge_pieces_are_not_kept() {
        let seed = Seed::random();
        let mut cache = Cache::new(seed);
        let piece = vec![b'a'; MAX_PIECE + 1];
        cache.insert(&Key::new(&piece, seed), &[1]);
        assert_eq!(cache.get(&Key::new(&piece, seed)), None);
    }
}
