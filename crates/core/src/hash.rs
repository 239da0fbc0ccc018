//! A fast hash for small keys, seeded at random so that no text can be written to make a table slow.

use std::hash::{BuildHasher, Hasher, RandomState};

/// The seed of one table's hash. Nothing that a caller sees depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Seed {
    low: u64,
    high: u64,
}

impl Seed {
    /// A seed of its own for each table.
    #[must_use]
    pub fn random() -> Self {
        let state = RandomState::new();
        Self { low: state.hash_one(0), high: state.hash_one(1) | 1 }
    }

    /// A word multiplied: the top bits of the product are a hash of it.
    #[inline]
    pub(crate) fn product(self, word: u64) -> u64 {
        (word ^ self.low).wrapping_mul(self.high)
    }

    /// The hash of two words.
    #[inline]
    pub(crate) fn mix(self, low: u64, high: u64) -> u64 {
        fold(low ^ self.low, high ^ self.high)
    }
}

/// Both halves of the 128-bit product, folded into one word.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

impl Default for Seed {
    fn default() -> Self {
        Self::random()
    }
}

impl BuildHasher for Seed {
    type Hasher = FoldHasher;

    fn build_hasher(&self) -> FoldHasher {
        FoldHasher { seed: *self, state: 0 }
    }
}

/// [`Seed`] as a hasher of the standard maps.
#[derive(Debug)]
pub struct FoldHasher {
    seed: Seed,
    state: u64,
}

impl Hasher for FoldHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        let tail = rest.iter().fold(rest.len() as u64, |tail, &byte| tail << 8 | u64::from(byte));
        self.write_u64(tail);
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.state = self.seed.mix(word, self.state);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn near_keys_hash_apart() {
        let seed = Seed::random();
        let hashes: HashSet<u64> = (0..100_000u32).map(|key| seed.hash_one(key.to_le_bytes()) & 0xFFFF_FFFF).collect();
        assert!(hashes.len() > 99_900, "{} different hashes of 100,000 keys", hashes.len());
    }

    #[test]
    fn the_number_of_bytes_is_part_of_the_key() {
        let seed = Seed::random();
        let hashes: HashSet<u64> = (0..40).map(|n| seed.hash_one(&vec![0u8; n][..])).collect();
        assert_eq!(hashes.len(), 40);
    }
}
