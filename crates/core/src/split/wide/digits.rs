//! Digits in groups.

use super::before;
use super::classify::Masks;

/// Digits in the group so far, from 0 to one fewer than a group may have.
#[derive(Debug, Default)]
pub(super) struct DigitGroups(u8);

impl DigitGroups {
    /// The first digit of every group of at most `most`.
    #[inline]
    pub(super) fn starts<D>(&mut self, masks: &Masks<D>, previous: &Masks<D>, most: u8) -> u64 {
        let first = masks.number & !before(masks.number, previous.number);
        let mut digits = masks.number & !masks.inside;
        if most == 1 {
            return digits;
        }
        let mut starts = 0;
        while digits != 0 {
            let digit = digits & digits.wrapping_neg();
            digits ^= digit;
            if first & digit != 0 {
                self.0 = 0;
            }
            if self.0 == 0 {
                starts |= digit;
            }
            self.0 = (self.0 + 1) % most;
        }
        starts
    }
}
