//! A piece as 16 bytes: the piece itself where it fits, else its place in an arena.

use crate::hash::Seed;
use std::ops::Range;

/// Pieces up to this size live in the entry itself.
const INLINE: usize = 15;
/// In the last byte of a key: the piece is in the arena.
const LONG: u8 = 0xFF;

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
pub(crate) struct Key(u128);

impl Key {
    /// Of the piece of no bytes.
    pub(crate) const EMPTY: Self = Self(0);

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
    pub(crate) fn and_hash(text: &[u8], range: &Range<usize>, seed: Seed) -> (Self, u64) {
        if range.end - range.start > INLINE {
            return Self::long_and_hash(&text[range.clone()], seed);
        }
        let key = Self::inline(text, range);
        (key, key.short_hash(seed))
    }

    #[cold]
    fn long_and_hash(piece: &[u8], seed: Seed) -> (Self, u64) {
        let hash = hash_bytes(piece, seed);
        (Self::long(hash, 0), hash)
    }

    fn long(hash: u64, offset: usize) -> Self {
        Self(u128::from(hash) | (offset as u128) << 64 | u128::from(LONG) << 120)
    }

    /// Little-endian: the bytes of a short piece come first.
    #[inline]
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The hash of this key's piece.
    #[inline]
    pub(crate) fn hash(self, seed: Seed) -> u64 {
        if self.is_long() { self.0 as u64 } else { self.short_hash(seed) }
    }

    #[inline]
    fn short_hash(self, seed: Seed) -> u64 {
        seed.mix(self.0 as u64, (self.0 >> 64) as u64)
    }

    #[inline]
    pub(crate) fn is_long(self) -> bool {
        (self.0 >> 120) as u8 == LONG
    }

    /// Where the arena holds a long piece: its size in eight bytes, then itself.
    fn arena_offset(self) -> usize {
        ((self.0 >> 64) as u64 & ((1 << 56) - 1)) as usize
    }
}

/// The bytes of a piece, whose key is here as `bytes`.
#[inline]
pub(crate) fn piece<'a>(bytes: &'a [u8; 16], arena: &'a [u8]) -> &'a [u8] {
    let key = Key::from_bytes(*bytes);
    if !key.is_long() {
        return &bytes[..usize::from(bytes[15])];
    }
    let (size, rest) = arena[key.arena_offset()..].split_first_chunk().expect("the size stands before each piece");
    &rest[..usize::from_le_bytes(*size)]
}

/// Puts a long piece into the arena; its key.
pub(crate) fn store(piece: &[u8], hash: u64, arena: &mut Vec<u8>) -> Key {
    let key = Key::long(hash, arena.len());
    arena.extend_from_slice(&piece.len().to_le_bytes());
    arena.extend_from_slice(piece);
    key
}

/// Of a piece that is longer than a key.
fn hash_bytes(bytes: &[u8], seed: Seed) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    // The last word again where the size is no multiple of eight: it may overlap the one before.
    let last = bytes.last_chunk::<8>().unwrap_or(&[0; 8]);
    words.iter().chain([last]).fold(bytes.len() as u64, |hash, word| seed.mix(u64::from_le_bytes(*word), hash))
}
