//! What pieces became before. It is bounded by bytes and only saves time: ids never depend on it.

use crate::hash::Seed;
use crate::piece_key::Key;
use crate::piece_table::{Entry, Looked, LookedRoom, PieceTable, Vacancy};
use crate::split::Pieces;

/// The most memory of one worker's cache, in bytes, unless a caller says otherwise.
pub const MAX_BYTES: usize = 64 << 20;
/// A smaller cache is none.
const LEAST_BYTES: usize = 1 << 15;
/// Longer pieces are not kept.
const MAX_PIECE: usize = 256;
/// Pieces of more bytes seldom come again: in text of 22 languages those of up to 15 bytes come 20 times, longer ones than
/// this 1.1 times. They are kept as long as nothing has to be forgotten for them.
const RARE_PIECE: usize = 64;
/// Ids that an entry holds itself.
pub(super) const INLINE: usize = 3;

/// Piece -> ids; when it is full it starts anew.
#[derive(Debug)]
pub(super) struct Cache {
    pieces: PieceTable<Encoded>,
    /// The ids of pieces that have more than an entry holds.
    ids: Vec<u32>,
    /// Whether rare pieces are kept.
    with_rare: bool,
    max_bytes: usize,
}

/// Two to a line of cache, and never across two lines.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Encoded {
    key: [u8; 16],
    few: Few,
}

/// The ids of a piece; or, where there are more, the place of the first of them. Behind them, how many there are.
pub(super) type Few = [u32; INLINE + 1];

impl Entry for Encoded {
    #[inline]
    fn key_bytes(&self) -> &[u8; 16] {
        &self.key
    }
}

impl Cache {
    /// Of at most so many bytes; of few it remembers nothing.
    pub(super) fn new(seed: Seed, max_bytes: usize) -> Self {
        Self { pieces: PieceTable::new(seed), ids: Vec::new(), with_rare: true, max_bytes }
    }

    fn is_off(&self) -> bool {
        self.max_bytes < LEAST_BYTES
    }

    /// Pieces that are remembered, and the bytes in use.
    pub(super) fn statistics(&self) -> (usize, usize) {
        (self.pieces.len(), self.n_bytes())
    }

    /// Where the pieces of a text most likely are, which will be asked for soon.
    #[inline]
    pub(super) fn look<'a>(&self, text: &[u8], pieces: impl Pieces, room: &'a mut LookedRoom) -> &'a [Looked] {
        self.pieces.look(text, pieces, room)
    }

    /// Hands on the first of these pieces, as long as each is short, where it most likely is, and has few ids: those, and how
    /// many they are. How many pieces those are.
    #[inline]
    pub(super) fn few(&self, looked: &[Looked], mut take: impl FnMut(&Few, usize)) -> usize {
        let entries = self.pieces.entries();
        for (at, looked) in looked.iter().enumerate() {
            match entries.get(looked.entry as usize) {
                Some(entry) if entry.is_short(looked.key) && entry.few[INLINE] <= INLINE as u32 => {
                    take(&entry.few, entry.few[INLINE] as usize);
                }
                _ => return at,
            }
        }
        looked.len()
    }

    /// The ids of a piece, whatever its size; or where to remember them, until the next call of `make_room`.
    pub(super) fn get(&self, key: Key, hash: u64, piece: &[u8]) -> Result<&[u32], Vacancy> {
        let entry = self.pieces.entry(self.pieces.find(key, hash, piece)?);
        let n_tokens = entry.few[INLINE] as usize;
        Ok(if n_tokens <= INLINE { &entry.few[..n_tokens] } else { &self.ids[entry.few[0] as usize..][..n_tokens] })
    }

    /// Forgets rare pieces, or starts anew, if there is no room for another piece.
    pub(super) fn make_room(&mut self) {
        if self.is_off() {
            return;
        }
        // At half, as what stays is copied before the rest goes.
        if self.with_rare && 2 * self.n_bytes() > self.max_bytes {
            *self = self.without_rare();
        } else if self.n_bytes() > self.max_bytes {
            *self = Self::new(self.pieces.seed(), self.max_bytes);
        }
    }

    #[cold]
    fn without_rare(&self) -> Self {
        let seed = self.pieces.seed();
        let mut kept = Self { with_rare: false, ..Self::new(seed, self.max_bytes) };
        for entry in self.pieces.entries() {
            let piece = self.pieces.piece(entry.key_bytes());
            let (key, hash) = Key::and_hash(piece, &(0..piece.len()), seed);
            if let (Ok(ids), Err(vacancy)) = (self.get(key, hash, piece), kept.get(key, hash, piece)) {
                kept.insert(vacancy, key, hash, piece, ids);
            }
        }
        kept
    }

    /// Remembers a piece that is not there yet, and its ids.
    pub(super) fn insert(&mut self, vacancy: Vacancy, key: Key, hash: u64, piece: &[u8], ids: &[u32]) {
        let longest = if self.with_rare { MAX_PIECE } else { RARE_PIECE };
        if piece.len() > longest || self.is_off() {
            return;
        }
        let mut few = [0; INLINE + 1];
        few[INLINE] = ids.len() as u32;
        if ids.len() <= INLINE {
            few[..ids.len()].copy_from_slice(ids);
        } else {
            few[0] = self.ids.len() as u32;
            self.ids.extend_from_slice(ids);
        }
        self.pieces.insert(vacancy, key, hash, piece, |key| Encoded { key, few });
    }

    /// Bytes in use while one more piece is remembered, without its ids.
    fn n_bytes(&self) -> usize {
        self.pieces.n_bytes_to_insert() + 4 * self.ids.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn remembered(cache: &Cache, piece: &[u8]) -> Option<Vec<u32>> {
        let (key, hash) = Key::and_hash(piece, &(0..piece.len()), cache.pieces.seed());
        let (mut room, mut few) = (LookedRoom::default(), None);
        let looked = cache.look(piece, std::iter::once(0..piece.len()), &mut room);
        let n_pieces = cache.few(looked, |ids, n_tokens| few = Some(ids[..n_tokens].to_vec()));
        assert_eq!(n_pieces, usize::from(few.is_some()));
        let any = cache.get(key, hash, piece).ok().map(<[u32]>::to_vec);
        assert!(few.is_none() || few == any);
        any
    }

    fn remember(cache: &mut Cache, piece: &[u8], ids: &[u32]) {
        let (key, hash) = Key::and_hash(piece, &(0..piece.len()), cache.pieces.seed());
        cache.make_room();
        let vacancy = cache.get(key, hash, piece).unwrap_err();
        cache.insert(vacancy, key, hash, piece, ids);
    }

    #[test]
    fn stays_within_its_bound() {
        let mut cache = Cache::new(Seed::random(), 1 << 20);
        for n in 0..50_000u32 {
            let piece = format!("{n}{}", "-".repeat(n as usize % 20));
            let ids: Vec<u32> = (n..=n + n % 6).collect();
            remember(&mut cache, piece.as_bytes(), &ids);
            assert_eq!(remembered(&cache, piece.as_bytes()), Some(ids));
            assert!(cache.n_bytes() <= (1 << 20) + (1 << 10), "{} bytes after {n} pieces", cache.n_bytes());
        }
    }

    #[test]
    fn huge_pieces_are_not_kept() {
        let mut cache = Cache::new(Seed::random(), MAX_BYTES);
        let piece = vec![b'a'; MAX_PIECE + 1];
        remember(&mut cache, &piece, &[1]);
        assert_eq!(remembered(&cache, &piece), None);
    }

    #[test]
    fn rare_pieces_do_not_drive_out_the_others() {
        let mut cache = Cache::new(Seed::random(), 1 << 20);
        remember(&mut cache, b"often", &[7]);
        for n in 0..50_000u32 {
            let piece = format!("{n:0>100}");
            cache.make_room();
            let (key, hash) = Key::and_hash(piece.as_bytes(), &(0..piece.len()), cache.pieces.seed());
            if let Err(vacancy) = cache.get(key, hash, piece.as_bytes()) {
                cache.insert(vacancy, key, hash, piece.as_bytes(), &[n, n, n, n]);
            }
        }
        assert!(!cache.with_rare && cache.pieces.len() < 50_000 && cache.n_bytes() <= 1 << 20);
        assert_eq!(remembered(&cache, b"often"), Some(vec![7]));
    }

    #[test]
    fn none_remembers_nothing() {
        let mut cache = Cache::new(Seed::random(), 0);
        remember(&mut cache, b"a", &[1]);
        assert_eq!((remembered(&cache, b"a"), cache.statistics().0), (None, 0));
    }

    proptest! {
        #[test]
        fn behaves_as_a_map(pieces in prop::collection::vec(prop::collection::vec(0..3u8, 1..40), 0..2000)) {
            let (mut cache, mut map) = (Cache::new(Seed::random(), MAX_BYTES), HashMap::new());
            for (value, piece) in pieces.iter().enumerate() {
                let known = remembered(&cache, piece);
                prop_assert_eq!(&known, &map.get(piece).cloned());
                if known.is_none() {
                    let ids: Vec<u32> = (0..=value as u32 % 7).collect();
                    remember(&mut cache, piece, &ids);
                    map.insert(piece.clone(), ids);
                }
            }
        }
    }
}
