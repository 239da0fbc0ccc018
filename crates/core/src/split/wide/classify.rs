//! 64 bytes -> one bit a byte for each class, with whatever vector instructions the processor has.

use super::super::classes::{Class, LETTER, NUMBER, SPACE};
use super::super::deepseek3::is_east_asian;
use super::blocks::Blocks;
use std::sync::OnceLock;

/// Bytes looked at together.
pub(in crate::split) const BLOCK: usize = 64;

/// The classes of the 64 bytes of a block, bit `i` for byte `i`. A character of several bytes has its class on all of them.
/// What is in none of `letter`, `number`, `space` is a sign: `[^\s\p{L}\p{N}]`. `D` is what else a pattern needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::split) struct Masks<D = ()> {
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
    pub(super) detail: D,
}

/// Masks that only some patterns need; `()` is none.
pub(in crate::split) trait Detail: Copy + Default {
    /// Whether `add` asks for nothing but the class.
    const BY_CLASS: bool;
    /// Of ASCII bytes.
    ///
    /// # Safety
    /// As for [`Lanes`].
    #[allow(unsafe_code)]
    unsafe fn of<L: Lanes>(lanes: L) -> Self;
    /// Adds the bytes of the character that begins at `at` in the text and is not ASCII; where it asks for nothing but the
    /// class, they may be those of several of that class.
    fn add(&mut self, class: Class, bits: u64, text: &[u8], at: usize);
    /// What is left without the bytes that are not in `kept`.
    fn keep(self, kept: u64) -> Self;
    /// The bytes of both.
    fn or(self, other: Self) -> Self;
}

impl Detail for () {
    const BY_CLASS: bool = true;

    #[allow(unsafe_code, clippy::inline_always)] // As for `classify`.
    #[inline(always)]
    unsafe fn of<L: Lanes>(_: L) -> Self {}
    #[inline]
    fn add(&mut self, _: Class, _: u64, _: &[u8], _: usize) {}
    fn keep(self, _: u64) -> Self {}
    #[inline]
    fn or(self, (): Self) -> Self {}
}

/// What tells letters apart, and marks from signs. A letter in neither `upper` nor `caseless` is a small one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::split) struct Case {
    pub(super) upper: u64,
    pub(super) caseless: u64,
    pub(super) mark: u64,
    /// U+002F.
    pub(super) slash: u64,
}

impl Detail for Case {
    const BY_CLASS: bool = true;

    #[allow(unsafe_code, clippy::inline_always)] // As for `classify`.
    #[inline(always)]
    unsafe fn of<L: Lanes>(lanes: L) -> Self {
        // SAFETY: the caller has seen that the processor has the instructions.
        unsafe { Self { upper: lanes.within(b'A', b'Z'), slash: lanes.within(b'/', b'/'), ..Self::default() } }
    }

    #[inline]
    fn add(&mut self, class: Class, bits: u64, _: &[u8], _: usize) {
        match class {
            Class::UpperTitle => self.upper |= bits,
            Class::LetterModOther => self.caseless |= bits,
            Class::Mark => self.mark |= bits,
            _ => {}
        }
    }

    fn keep(self, kept: u64) -> Self {
        Self {
            upper: self.upper & kept,
            caseless: self.caseless & kept,
            mark: self.mark & kept,
            slash: self.slash & kept,
        }
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        Self {
            upper: self.upper | other.upper,
            caseless: self.caseless | other.caseless,
            mark: self.mark | other.mark,
            slash: self.slash | other.slash,
        }
    }
}

/// What `deepseek3` tells apart among letters and signs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::split) struct Kinds {
    /// U+3040 to U+30FF and U+4E00 to U+9FA5.
    pub(super) east: u64,
    pub(super) mark: u64,
    /// Punctuation and symbols, and all ASCII from U+0021 to U+007E.
    pub(super) printed: u64,
    pub(super) not_ascii: u64,
}

impl Detail for Kinds {
    const BY_CLASS: bool = false;

    #[allow(unsafe_code, clippy::inline_always)] // As for `classify`.
    #[inline(always)]
    unsafe fn of<L: Lanes>(lanes: L) -> Self {
        // SAFETY: the caller has seen that the processor has the instructions.
        unsafe { Self { printed: lanes.within(b'!', b'~'), not_ascii: lanes.not_ascii(), ..Self::default() } }
    }

    #[inline]
    fn add(&mut self, class: Class, bits: u64, text: &[u8], at: usize) {
        match class {
            Class::Mark => self.mark |= bits,
            Class::Punctuation | Class::Symbol => self.printed |= bits,
            _ => {}
        }
        if is_east_asian(text, at) {
            self.east |= bits;
        }
    }

    fn keep(self, kept: u64) -> Self {
        Self {
            east: self.east & kept,
            mark: self.mark & kept,
            printed: self.printed & kept,
            not_ascii: self.not_ascii & kept,
        }
    }

    #[inline]
    fn or(self, other: Self) -> Self {
        Self {
            east: self.east | other.east,
            mark: self.mark | other.mark,
            printed: self.printed | other.printed,
            not_ascii: self.not_ascii | other.not_ascii,
        }
    }
}

/// What stands before a text is what stands behind it.
impl<D: Detail> Default for Masks<D> {
    fn default() -> Self {
        Self::beyond()
    }
}

impl<D: Detail> Masks<D> {
    /// A block beyond the end of the text.
    pub(super) fn beyond() -> Self {
        Self {
            letter: 0,
            number: 0,
            space: !0,
            blank: 0,
            line_feed: 0,
            carriage_return: 0,
            apostrophe: 0,
            inside: 0,
            valid: 0,
            detail: D::default(),
        }
    }

    #[inline]
    pub(super) fn sign(&self) -> u64 {
        !(self.letter | self.number | self.space)
    }

    /// As if the text began `n_bytes` into the block.
    pub(super) fn without_first(&self, n_bytes: usize) -> Self {
        let kept = !0 << n_bytes;
        Self {
            letter: self.letter & kept,
            number: self.number & kept,
            space: self.space | !kept,
            blank: self.blank & kept,
            line_feed: self.line_feed & kept,
            carriage_return: self.carriage_return & kept,
            apostrophe: self.apostrophe & kept,
            inside: self.inside & kept,
            valid: self.valid,
            detail: self.detail.keep(kept),
        }
    }
}

/// 64 bytes in registers, and the questions that masks are made of.
///
/// # Safety
/// The processor must have the instructions of the type; [`Instructions::best`] says which it has. `load` is the one way to
/// a value, so the others are as safe as it was.
pub(in crate::split) trait Lanes: Copy {
    /// The bytes of a block.
    unsafe fn load(block: &[u8; BLOCK]) -> Self;
    /// Bytes from `low` to `high`, both below 0x80.
    unsafe fn within(self, low: u8, high: u8) -> u64;
    /// Letters of ASCII.
    unsafe fn letters(self) -> u64;
    /// Bytes of 0x80 and above.
    unsafe fn not_ascii(self) -> u64;
    /// The classes of characters that are not ASCII, on all of their bytes.
    unsafe fn long_characters<D: Detail>(blocks: &mut Blocks<'_>, not_ascii: u64) -> Masks<D> {
        blocks.one_by_one(not_ascii)
    }
    /// Writes the places of the bits, each plus `base`; what is behind the last of them means nothing.
    unsafe fn write_places(bits: u64, base: u16, places: &mut [u16; BLOCK]) {
        write_places(bits, base, places);
    }
}

/// Places written together, whether or not there are so many: that costs less than a loop whose end cannot be foreseen.
const WRITTEN: usize = 8;

#[inline]
fn write_places(mut bits: u64, base: u16, places: &mut [u16; BLOCK]) {
    for chunk in places.as_chunks_mut::<WRITTEN>().0 {
        if bits == 0 {
            return;
        }
        for place in chunk {
            *place = base + bits.trailing_zeros() as u16;
            bits &= bits.wrapping_sub(1);
        }
    }
}

/// The masks of ASCII bytes; the second result has the bytes that are not ASCII, which are in no class yet.
///
/// # Safety
/// As for [`Lanes`].
#[allow(unsafe_code)]
#[allow(clippy::inline_always)] // The vector instructions are known only where it is inlined.
#[inline(always)]
pub(super) unsafe fn classify<L: Lanes, D: Detail>(block: &[u8; BLOCK]) -> (Masks<D>, u64) {
    // SAFETY: the caller has seen that the processor has the instructions.
    unsafe {
        let lanes = L::load(block);
        let blank = lanes.within(b' ', b' ');
        let masks = Masks {
            letter: lanes.letters(),
            number: lanes.within(b'0', b'9'),
            space: blank | lanes.within(b'\t', b'\r'),
            blank,
            line_feed: lanes.within(b'\n', b'\n'),
            carriage_return: lanes.within(b'\r', b'\r'),
            apostrophe: lanes.within(b'\'', b'\''),
            inside: 0,
            valid: !0,
            detail: D::of(lanes),
        };
        (masks, lanes.not_ascii())
    }
}

impl<D: Detail> Masks<D> {
    #[inline]
    pub(super) fn add(&mut self, class: Class, bits: u64) {
        if LETTER.has(class) {
            self.letter |= bits;
        } else if NUMBER.has(class) {
            self.number |= bits;
        } else if SPACE.has(class) {
            self.space |= bits;
        }
    }
}

/// A set of vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::split) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Instructions {
    /// The fastest that the processor has. The environment variable `BYTEPAIR_INSTRUCTIONS`, read once, chooses another.
    pub(super) fn best() -> Self {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| {
            let wanted = std::env::var("BYTEPAIR_INSTRUCTIONS").ok();
            let available = Self::available();
            let named = available.iter().find(|each| wanted.as_deref() == Some(each.name()));
            *named.unwrap_or(&available[0])
        })
    }

    /// What this processor can run, the fastest first.
    pub(super) fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let bits = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
            let bits = bits && is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("lzcnt");
            if bits && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi2") {
                all.push(Self::Avx512);
            }
            if bits && is_x86_feature_detected!("avx2") {
                all.push(Self::Avx2);
            }
        }
        all.push(Self::Portable);
        all
    }

    fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        }
    }
}

/// The vector instructions in use: "avx512", "avx2" or "portable". The environment variable `BYTEPAIR_INSTRUCTIONS`, read
/// once, chooses among those that the processor has.
#[must_use]
pub fn instructions() -> &'static str {
    Instructions::best().name()
}

/// Eight bytes at a time in ordinary registers.
#[derive(Clone, Copy)]
pub(super) struct Portable([u64; 8]);

#[allow(unsafe_code)] // The trait's; nothing here needs more than the language.
impl Lanes for Portable {
    #[inline]
    unsafe fn load(block: &[u8; BLOCK]) -> Self {
        let mut words = [0; 8];
        for (word, eight) in words.iter_mut().zip(block.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*eight);
        }
        Self(words)
    }

    #[inline]
    unsafe fn within(self, low: u8, high: u8) -> u64 {
        self.gather(|eight| within(eight, low, high) & !eight)
    }

    #[inline]
    unsafe fn letters(self) -> u64 {
        self.gather(|eight| within(eight | each(0x20), b'a', b'z') & !eight)
    }

    #[inline]
    unsafe fn not_ascii(self) -> u64 {
        self.gather(|eight| eight)
    }
}

impl Portable {
    /// The high bits of what `of` gives for each eight bytes, side by side.
    #[inline]
    fn gather(self, of: impl Fn(u64) -> u64) -> u64 {
        let high_bits = |eight: u64| ((eight & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (0..8).fold(0, |bits, place| bits | high_bits(of(self.0[place])) << (8 * place))
    }
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

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    #![allow(unsafe_code)] // Vector instructions; whoever uses these types has seen that the processor has them.

    use super::{BLOCK, Blocks, Detail, Lanes, Masks};
    #[allow(clippy::wildcard_imports)]
    // Intrinsics are named after their instructions and prefixed; a list says less.
    use std::arch::x86_64::*;

    /// The places of a block.
    static PLACES: [u8; BLOCK] = {
        let mut places = [0; BLOCK];
        let mut place = 0;
        while place < BLOCK {
            places[place] = place as u8;
            place += 1;
        }
        places
    };

    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);

    impl Lanes for Avx512 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        unsafe fn load(block: &[u8; BLOCK]) -> Self {
            // SAFETY: an unaligned load of the 64 bytes that the reference covers.
            Self(unsafe { _mm512_loadu_si512(block.as_ptr().cast()) })
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        unsafe fn within(self, low: u8, high: u8) -> u64 {
            if low == high {
                return _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(low.cast_signed()));
            }
            let moved = _mm512_sub_epi8(self.0, _mm512_set1_epi8(low.cast_signed()));
            _mm512_cmple_epu8_mask(moved, _mm512_set1_epi8((high - low).cast_signed()))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        unsafe fn letters(self) -> u64 {
            // SAFETY: the same instructions.
            unsafe { Self(_mm512_or_si512(self.0, _mm512_set1_epi8(0x20))).within(b'a', b'z') }
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        unsafe fn not_ascii(self) -> u64 {
            _mm512_movepi8_mask(self.0)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn long_characters<D: Detail>(blocks: &mut Blocks<'_>, not_ascii: u64) -> Masks<D> {
            blocks.at_once(not_ascii)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
        unsafe fn write_places(bits: u64, base: u16, places: &mut [u16; BLOCK]) {
            // SAFETY: unaligned loads and stores of what the references cover.
            unsafe {
                let bytes = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(PLACES.as_ptr().cast()));
                let base = _mm512_set1_epi16(base.cast_signed());
                let (first, rest) = places.split_at_mut(BLOCK / 2);
                let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes));
                _mm512_storeu_si512(first.as_mut_ptr().cast(), _mm512_add_epi16(low, base));
                if bits.count_ones() > 32 {
                    let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes));
                    _mm512_storeu_si512(rest.as_mut_ptr().cast(), _mm512_add_epi16(high, base));
                }
            }
        }
    }

    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i, __m256i);

    impl Lanes for Avx2 {
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn load(block: &[u8; BLOCK]) -> Self {
            let start: *const u8 = block.as_ptr();
            // SAFETY: two unaligned loads of 32 bytes each within the 64 that the reference covers.
            unsafe { Self(_mm256_loadu_si256(start.cast()), _mm256_loadu_si256(start.add(32).cast())) }
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn within(self, low: u8, high: u8) -> u64 {
            if low == high {
                let wanted = _mm256_set1_epi8(low.cast_signed());
                return bits(_mm256_cmpeq_epi8(self.0, wanted), _mm256_cmpeq_epi8(self.1, wanted));
            }
            // Among signed bytes those below 0x80 are the positive ones, and all others are below `low`.
            let below = _mm256_set1_epi8((low - 1).cast_signed());
            let above = _mm256_set1_epi8((high + 1).cast_signed());
            bits(
                _mm256_and_si256(_mm256_cmpgt_epi8(self.0, below), _mm256_cmpgt_epi8(above, self.0)),
                _mm256_and_si256(_mm256_cmpgt_epi8(self.1, below), _mm256_cmpgt_epi8(above, self.1)),
            )
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn letters(self) -> u64 {
            let small = _mm256_set1_epi8(0x20);
            // SAFETY: the same instructions.
            unsafe { Self(_mm256_or_si256(self.0, small), _mm256_or_si256(self.1, small)).within(b'a', b'z') }
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn not_ascii(self) -> u64 {
            bits(self.0, self.1)
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
        unsafe fn long_characters<D: Detail>(blocks: &mut Blocks<'_>, not_ascii: u64) -> Masks<D> {
            blocks.at_once(not_ascii)
        }
    }

    /// The high bits of both halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn bits(low: __m256i, high: __m256i) -> u64 {
        let [low, high] = [_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)];
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code)] // Each call is for instructions that the processor has.
    use super::*;
    use proptest::prelude::*;

    fn classify_with(instructions: Instructions, block: &[u8; BLOCK]) -> (Masks<Case>, u64) {
        // SAFETY: the callers take them from `available`.
        unsafe {
            match instructions {
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => classify::<x86::Avx512, Case>(block),
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => classify::<x86::Avx2, Case>(block),
                Instructions::Portable => classify::<Portable, Case>(block),
            }
        }
    }

    proptest! {
        #[test]
        fn all_instructions_see_the_same(block in prop::array::uniform32(any::<[u8; 2]>())) {
            let block: [u8; BLOCK] = block.concat().try_into().unwrap();
            let wanted = classify_with(Instructions::Portable, &block);
            for each in Instructions::available() {
                prop_assert_eq!(classify_with(each, &block), wanted, "{:?}", each);
            }
        }
    }

    #[test]
    fn each_byte_has_the_class_of_the_table() {
        for byte in 0..=255_u8 {
            for each in Instructions::available() {
                let (masks, not_ascii) = classify_with(each, &[byte; BLOCK]);
                let class = if byte.is_ascii() { Class::of(char::from(byte)) } else { Class::Other };
                let all = |yes: bool| if yes { !0_u64 } else { 0 };
                assert_eq!(masks.letter, all(LETTER.has(class)), "{each:?} {byte}");
                assert_eq!(masks.number, all(NUMBER.has(class)), "{each:?} {byte}");
                assert_eq!(masks.space, all(SPACE.has(class)), "{each:?} {byte}");
                assert_eq!(masks.blank, all(byte == b' '), "{each:?} {byte}");
                assert_eq!(masks.detail.upper, all(class == Class::UpperTitle), "{each:?} {byte}");
                assert_eq!(masks.detail.slash, all(byte == b'/'), "{each:?} {byte}");
                assert_eq!(not_ascii, all(!byte.is_ascii()), "{each:?} {byte}");
            }
        }
    }
}
