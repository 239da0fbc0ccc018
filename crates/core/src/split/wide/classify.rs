//! 64 bytes -> one bit a byte for each class, with whatever vector instructions the processor has.

use super::super::classes::{Class, LETTER, NUMBER, SPACE, class_at};
use std::sync::OnceLock;

/// Bytes looked at together.
pub(in crate::split) const BLOCK: usize = 64;

/// The classes of the 64 bytes of a block, bit `i` for byte `i`. A character of several bytes has its class on all of them.
/// What is in none of `letter`, `number`, `space` is a sign: `[^\s\p{L}\p{N}]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::split) struct Masks {
    pub(super) letter: u64,
    pub(super) number: u64,
    /// `\s`, and every byte beyond the end of the text.
    pub(super) space: u64,
    /// U+0020.
    pub(super) blank: u64,
    /// U+000A.
    pub(super) line_feed: u64,
    /// U+000D.
    pub(super) carriage_return: u64,
    pub(super) apostrophe: u64,
    /// Bytes that go on with a character that began before.
    pub(super) inside: u64,
    /// Bytes of the text.
    pub(super) valid: u64,
}

/// What stands before a text is what stands behind it.
impl Default for Masks {
    fn default() -> Self {
        Self::BEYOND
    }
}

impl Masks {
    /// A block beyond the end of the text.
    pub(super) const BEYOND: Self = Self {
        letter: 0,
        number: 0,
        space: !0,
        blank: 0,
        line_feed: 0,
        carriage_return: 0,
        apostrophe: 0,
        inside: 0,
        valid: 0,
    };

    pub(super) fn sign(&self) -> u64 {
        !(self.letter | self.number | self.space)
    }
}

/// The masks of ASCII bytes; the second result has the bytes that are not ASCII, which are in no class yet.
type Classify = fn(&[u8; BLOCK]) -> (Masks, u64);

/// Gives the blocks of a text one after the other.
pub(super) struct Blocks<'t> {
    text: &'t [u8],
    classify: Classify,
    at: usize,
    /// The class of a character that goes on in the next block, and how many of its bytes are there.
    straddling: (Class, usize),
}

impl<'t> Blocks<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, classify: best_classify(), at: 0, straddling: (Class::Other, 0) }
    }

    /// The masks of the next block; beyond the end all is white space.
    #[inline]
    pub(super) fn next(&mut self) -> Masks {
        let rest = &self.text[self.at.min(self.text.len())..];
        let (mut masks, not_ascii) = match rest.first_chunk() {
            Some(block) => (self.classify)(block),
            None => self.last(rest),
        };
        if not_ascii != 0 {
            self.add_long_characters(&mut masks, not_ascii);
        }
        self.at += BLOCK;
        masks
    }

    #[cold]
    fn last(&self, rest: &[u8]) -> (Masks, u64) {
        if rest.is_empty() {
            return (Masks::BEYOND, 0);
        }
        let mut block = [b'\t'; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        let (mut masks, not_ascii) = (self.classify)(&block);
        masks.valid = (1 << rest.len()) - 1;
        (masks, not_ascii)
    }

    /// Gives each character that is not ASCII its class on all of its bytes.
    fn add_long_characters(&mut self, masks: &mut Masks, not_ascii: u64) {
        let (class, n_bytes) = self.straddling;
        let mut rest = not_ascii;
        if n_bytes > 0 {
            let bits = (1 << n_bytes) - 1;
            masks.add(class, bits);
            masks.inside |= bits;
            rest &= !bits;
            self.straddling.1 = 0;
        }
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            let (class, n_bytes) = class_at(self.text, self.at + place);
            let bits = ((1 << n_bytes) - 1) << place;
            masks.add(class, bits);
            masks.inside |= bits & (bits << 1);
            rest &= !bits;
            if place + n_bytes > BLOCK {
                self.straddling = (class, place + n_bytes - BLOCK);
            }
        }
    }
}

impl Masks {
    #[inline]
    fn add(&mut self, class: Class, bits: u64) {
        if LETTER.has(class) {
            self.letter |= bits;
        } else if NUMBER.has(class) {
            self.number |= bits;
        } else if SPACE.has(class) {
            self.space |= bits;
        }
    }
}

/// The vector instructions in use: "avx512", "avx2" or "portable". The environment variable `BYTEPAIR_INSTRUCTIONS`, read
/// once, chooses among those that the processor has.
#[must_use]
pub fn instructions() -> &'static str {
    best().0
}

fn best_classify() -> Classify {
    best().1
}

fn best() -> (&'static str, Classify) {
    static BEST: OnceLock<(&str, Classify)> = OnceLock::new();
    *BEST.get_or_init(|| {
        let wanted = std::env::var("BYTEPAIR_INSTRUCTIONS").ok();
        let named = available().into_iter().find(|(name, _)| wanted.as_deref() == Some(*name));
        named.unwrap_or(available()[0])
    })
}

/// What this processor can run, the fastest first.
fn available() -> Vec<(&'static str, Classify)> {
    let mut all: Vec<(&'static str, Classify)> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512f") {
            all.push(("avx512", x86::classify_avx512));
        }
        if is_x86_feature_detected!("avx2") {
            all.push(("avx2", x86::classify_avx2));
        }
    }
    all.push(("portable", classify_portable));
    all
}

/// Eight bytes at a time in ordinary registers.
fn classify_portable(block: &[u8; BLOCK]) -> (Masks, u64) {
    let mut not_ascii = 0;
    let mut masks = Masks { space: 0, valid: !0, ..Masks::BEYOND };
    for (place, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        let shift = 8 * place;
        let ascii = !eight & HIGH;
        not_ascii |= gather(eight) << shift;
        masks.letter |= gather(within(eight | each(0x20), b'a', b'z') & ascii) << shift;
        masks.number |= gather(within(eight, b'0', b'9') & ascii) << shift;
        let blank = within(eight, b' ', b' ') & ascii;
        masks.blank |= gather(blank) << shift;
        masks.space |= gather(blank | within(eight, b'\t', b'\r') & ascii) << shift;
        masks.line_feed |= gather(within(eight, b'\n', b'\n') & ascii) << shift;
        masks.carriage_return |= gather(within(eight, b'\r', b'\r') & ascii) << shift;
        masks.apostrophe |= gather(within(eight, b'\'', b'\'') & ascii) << shift;
    }
    (masks, not_ascii)
}

const HIGH: u64 = each(0x80);

const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of each byte whose low seven bits lie between the two; the other bits mean nothing.
#[inline]
fn within(eight: u64, low: u8, high: u8) -> u64 {
    let seven = eight & !HIGH;
    (seven + each(0x80 - low)) & !(seven + each(0x7F - high))
}

/// The high bits of the eight bytes, side by side.
#[inline]
fn gather(eight: u64) -> u64 {
    ((eight & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // Vector instructions; each call is behind the check that the processor has them.
mod x86 {
    use super::{BLOCK, Masks};
    #[allow(clippy::wildcard_imports)]
    // Intrinsics are named after their instructions and prefixed; a list says less.
    use std::arch::x86_64::*;

    pub(super) fn classify_avx512(block: &[u8; BLOCK]) -> (Masks, u64) {
        // SAFETY: `available` offers this function only where avx512f and avx512bw were found.
        unsafe { avx512(block) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn avx512(block: &[u8; BLOCK]) -> (Masks, u64) {
        // SAFETY: an unaligned load of the 64 bytes that the reference covers.
        let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte.cast_signed()));
        let within = |bytes, low: u8, high: u8| {
            let moved = _mm512_sub_epi8(bytes, _mm512_set1_epi8(low.cast_signed()));
            _mm512_cmple_epu8_mask(moved, _mm512_set1_epi8((high - low).cast_signed()))
        };
        let small = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
        let blank = is(b' ');
        let masks = Masks {
            letter: within(small, b'a', b'z'),
            number: within(bytes, b'0', b'9'),
            space: blank | within(bytes, b'\t', b'\r'),
            blank,
            line_feed: is(b'\n'),
            carriage_return: is(b'\r'),
            apostrophe: is(b'\''),
            inside: 0,
            valid: !0,
        };
        (masks, _mm512_movepi8_mask(bytes))
    }

    pub(super) fn classify_avx2(block: &[u8; BLOCK]) -> (Masks, u64) {
        // SAFETY: `available` offers this function only where avx2 was found.
        unsafe { avx2(block) }
    }

    #[target_feature(enable = "avx2")]
    fn avx2(block: &[u8; BLOCK]) -> (Masks, u64) {
        // SAFETY: two unaligned loads of 32 bytes each within the 64 that the reference covers.
        let halves =
            unsafe { [_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())] };
        let bits = |half: [__m256i; 2]| {
            let half = half.map(|bytes| u64::from(_mm256_movemask_epi8(bytes).cast_unsigned()));
            half[0] | half[1] << 32
        };
        let is = |byte: u8| bits(halves.map(|half| _mm256_cmpeq_epi8(half, _mm256_set1_epi8(byte.cast_signed()))));
        let within = |halves: [__m256i; 2], low: u8, high: u8| {
            let span = _mm256_set1_epi8((high - low).cast_signed());
            bits(halves.map(|half| {
                let moved = _mm256_sub_epi8(half, _mm256_set1_epi8(low.cast_signed()));
                _mm256_cmpeq_epi8(_mm256_min_epu8(moved, span), moved)
            }))
        };
        let small = halves.map(|half| _mm256_or_si256(half, _mm256_set1_epi8(0x20)));
        let blank = is(b' ');
        let masks = Masks {
            letter: within(small, b'a', b'z'),
            number: within(halves, b'0', b'9'),
            space: blank | within(halves, b'\t', b'\r'),
            blank,
            line_feed: is(b'\n'),
            carriage_return: is(b'\r'),
            apostrophe: is(b'\''),
            inside: 0,
            valid: !0,
        };
        (masks, bits(halves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_instructions_see_the_same(block in prop::array::uniform32(any::<[u8; 2]>())) {
            let block: [u8; BLOCK] = block.concat().try_into().unwrap();
            let wanted = classify_portable(&block);
            for (name, classify) in available() {
                prop_assert_eq!(classify(&block), wanted, "{}", name);
            }
        }
    }

    #[test]
    fn each_byte_has_the_class_of_the_table() {
        for byte in 0..=255_u8 {
            for (name, classify) in available() {
                let (masks, not_ascii) = classify(&[byte; BLOCK]);
                let class = if byte.is_ascii() { class_at(&[byte], 0).0 } else { Class::Other };
                let all = |yes: bool| if yes { !0_u64 } else { 0 };
                assert_eq!(masks.letter, all(LETTER.has(class)), "{name} {byte}");
                assert_eq!(masks.number, all(NUMBER.has(class)), "{name} {byte}");
                assert_eq!(masks.space, all(SPACE.has(class)), "{name} {byte}");
                assert_eq!(not_ascii, all(!byte.is_ascii()), "{name} {byte}");
            }
        }
    }
}
