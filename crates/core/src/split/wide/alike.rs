//! Characters that are not ASCII, many at once: text of one script has a few rows of 64 code points, which share all bytes but
//! the last, and whose classes are 64 bits each.

use super::super::classes::Class;
use super::super::rows::{Row, all_of_lead, row_of_three, row_of_two};
use super::classify::x86::bits;
use super::classify::{BLOCK, Detail, Masks};
#[allow(clippy::wildcard_imports)] // Intrinsics are named after their instructions.
use std::arch::x86_64::*;

/// Fewer bytes of such characters are looked at one by one.
pub(super) const FEWEST: u32 = 8;
/// Bytes behind a block that its last character may have.
const BEHIND: usize = 2;

/// 64 bytes.
#[derive(Clone, Copy)]
struct Bytes(__m256i, __m256i);

/// The characters of a block that begin in it, none of them of four bytes, all well-formed.
struct Characters {
    /// The first, second and third bytes from each place on.
    bytes: [Bytes; 3],
    two: u64,
    three: u64,
}

/// The classes of the characters of the block at `at` that are not ASCII, and where the last one begins if it goes on behind
/// the block. `straddling`: bytes that go on with a character from before, which are in no class here. None where there is a
/// character of four bytes, or a byte that is no character, or the text ends; nothing is said about those.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn classes<D: Detail>(
    text: &[u8],
    at: usize,
    not_ascii: u64,
    straddling: u64,
) -> Option<(Masks<D>, Option<usize>)> {
    let block = text.get(at..)?.first_chunk::<{ BLOCK + BEHIND }>()?;
    let characters = Characters::of(block, not_ascii, straddling)?;
    let mut masks: Masks<D> = Masks { space: 0, inside: characters.inside() | straddling, ..Masks::beyond() };
    characters.each_row(block, |class, bits| {
        masks.add(class, bits);
        masks.detail.add(class, bits, text, at);
    })?;
    let last = characters.two & 1 << (BLOCK - 1) | characters.three & 0b11 << (BLOCK - 2);
    Some((masks, (last != 0).then(|| last.trailing_zeros() as usize)))
}

impl Characters {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn of(block: &[u8; BLOCK + BEHIND], not_ascii: u64, straddling: u64) -> Option<Self> {
        let bytes = [0, 1, 2].map(|behind| Bytes::load(block, behind));
        let [first, second, third] = bytes.map(|bytes| bytes.continue_one());
        let (two, three) = (bytes[0].within(0xC2, 0xDF), bytes[0].within(0xE0, 0xEF));
        let characters = Self { bytes, two, three };
        let well_formed = not_ascii == first | two | three
            && (two | three) & !second == 0
            && three & !third == 0
            && first == straddling | characters.inside();
        well_formed.then_some(characters)
    }

    /// Second and third bytes.
    #[inline]
    fn inside(&self) -> u64 {
        (self.two | self.three) << 1 | self.three << 2
    }

    /// Hands on the bytes of the characters of one class, row by row; None where a row is of no characters.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn each_row(&self, block: &[u8; BLOCK + BEHIND], mut add: impl FnMut(Class, u64)) -> Option<()> {
        let mut rest = self.two | self.three;
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            let (lead, second) = (block[place], block[place + 1]);
            let same_lead = self.bytes[0].equal(lead) & rest;
            if lead < 0xE0 {
                rest &= !same_lead;
                each_class(row_of_two(lead), self.bytes[1], same_lead, |class, found| add(class, found | found << 1));
            } else if let Some(class) = all_of_lead(lead) {
                rest &= !same_lead;
                add(class, same_lead | same_lead << 1 | same_lead << 2);
            } else {
                let same = same_lead & self.bytes[1].equal(second);
                rest &= !same;
                each_class(row_of_three(lead, second)?, self.bytes[2], same, |class, found| {
                    add(class, found | found << 1 | found << 2);
                });
            }
        }
        Some(())
    }
}

/// Hands on the places of each class of a row.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn each_class(row: &Row, last: Bytes, mut places: u64, mut add: impl FnMut(Class, u64)) {
    let (most, others) = row.classes();
    for &(class, members) in others {
        let found = last.in_row(members) & places;
        places &= !found;
        add(class, found);
    }
    add(most, places);
}

impl Bytes {
    #[inline]
    #[allow(unsafe_code)] // Vector loads within an array.
    #[target_feature(enable = "avx2")]
    fn load(block: &[u8; BLOCK + BEHIND], behind: usize) -> Self {
        let (low, high) = block[behind..][..BLOCK].split_at(BLOCK / 2);
        // SAFETY: unaligned loads of the 32 bytes that each slice has.
        unsafe { Self(_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())) }
    }

    /// Bytes that go on with a character: as signed numbers the lowest.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn continue_one(self) -> u64 {
        let first_lead = _mm256_set1_epi8(0xC0_u8.cast_signed());
        bits(_mm256_cmpgt_epi8(first_lead, self.0), _mm256_cmpgt_epi8(first_lead, self.1))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal(self, byte: u8) -> u64 {
        let byte = _mm256_set1_epi8(byte.cast_signed());
        bits(_mm256_cmpeq_epi8(self.0, byte), _mm256_cmpeq_epi8(self.1, byte))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn within(self, low: u8, high: u8) -> u64 {
        let (low, most) = (_mm256_set1_epi8(low.cast_signed()), _mm256_set1_epi8((high - low).cast_signed()));
        let [first, second] = [self.0, self.1].map(|bytes| {
            let moved = _mm256_sub_epi8(bytes, low);
            _mm256_cmpeq_epi8(_mm256_min_epu8(moved, most), moved)
        });
        bits(first, second)
    }

    /// Places whose byte has its bit, the one of its last six bits, in `members`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn in_row(self, members: u64) -> u64 {
        let members = _mm256_set1_epi64x(members.cast_signed());
        let (powers, seven) =
            (_mm256_set1_epi64x(i64::from_le_bytes([1, 2, 4, 8, 16, 32, 64, 128])), _mm256_set1_epi8(7));
        let [first, second] = [self.0, self.1].map(|bytes| {
            let eights = _mm256_and_si256(_mm256_srli_epi16::<3>(bytes), seven);
            let bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(bytes, seven));
            _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(members, eights), bit), bit)
        });
        bits(first, second)
    }
}

#[cfg(test)]
mod tests {
    #![allow(unsafe_code)] // Each call is for instructions that the processor has.
    use super::super::blocks::Blocks;
    use super::super::classify::Case;
    use super::super::classify::x86::Avx2;
    use super::*;
    use proptest::prelude::*;

    /// Masks of all blocks, many characters at once and one by one.
    fn both<D: Detail>(text: &[u8]) -> [Vec<Masks<D>>; 2] {
        [true, false].map(|at_once| {
            let mut blocks = Blocks::new(text);
            let next = |_| {
                // SAFETY: `check` has seen that the processor has the instructions.
                unsafe {
                    blocks.next_with::<Avx2, D>(|blocks, not_ascii| {
                        if at_once { blocks.at_once(not_ascii) } else { blocks.one_by_one(not_ascii) }
                    })
                }
            };
            (0..=text.len() / BLOCK).map(next).collect()
        })
    }

    fn check(text: &[u8]) -> Result<(), TestCaseError> {
        if !crate::split::has_avx2() {
            return Ok(());
        }
        let [at_once, one_by_one] = both::<Case>(text);
        prop_assert_eq!(at_once, one_by_one);
        let [at_once, one_by_one] = both::<()>(text);
        prop_assert_eq!(at_once, one_by_one);
        Ok(())
    }

    /// Runs of neighbours, as text of one script has, and others between.
    fn text_of_scripts() -> impl Strategy<Value = String> {
        let run = (0..0x3_0000_u32, 1..200_u32, prop::collection::vec(0..200_u32, 1..40));
        let run = run.prop_map(|(start, n_near, offsets)| {
            offsets.iter().filter_map(|offset| char::from_u32(start + offset % n_near)).collect::<String>()
        });
        let low = (0x80..0x3400_u32, prop::collection::vec(0..100_u32, 1..60));
        let low = low.prop_map(|(start, offsets)| {
            offsets.iter().filter_map(|offset| char::from_u32(start + offset)).collect::<String>()
        });
        prop::collection::vec(prop_oneof![run, low, "[ -~]{0,9}"], 0..12).prop_map(|runs| runs.concat())
    }

    proptest! {
        #[test]
        fn many_at_once_are_what_they_are_one_by_one(text in text_of_scripts()) {
            check(text.as_bytes())?;
        }

        #[test]
        fn bytes_that_are_no_characters_are_none(text in text_of_scripts(), broken in prop::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
            let mut text = text.into_bytes();
            for (at, byte) in broken {
                let n_bytes = text.len().max(1);
                if let Some(place) = text.get_mut(usize::from(at) % n_bytes) {
                    *place = byte;
                }
            }
            check(&text)?;
        }
    }

    #[test]
    fn every_character_has_its_class_at_every_place() {
        let all: String = (0x80..=0xFFFF).filter_map(char::from_u32).collect();
        for before in 0..4 {
            check(format!("{}{all}", " ".repeat(before)).as_bytes()).unwrap();
        }
    }
}
