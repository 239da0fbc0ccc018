//! The borders of the pattern `deepseek3` as an algebra on bit masks.
//!
//! Characters of no class are rare, and it takes their neighbours to say what they are part of: they are left to the scanner.

use super::super::deepseek3::piece_end;
use super::cl100k::{behind_last_break, breaks, swallow};
use super::classify::{BLOCK, Kinds, Masks};
use super::digits::DigitGroups;
use super::mixed::Algebra;
use super::{before, last_characters_before};

/// What one block leaves to the next.
#[derive(Debug, Default)]
pub(in crate::split) struct Deepseek3 {
    previous: Masks<Kinds>,
    /// Line breaks that belong to the signs in front of them.
    swallowed: u64,
    /// ASCII signs that begin a piece.
    leading_sign: u64,
    /// ASCII letters behind such a sign.
    led: u64,
    digits: DigitGroups,
}

impl Algebra for Deepseek3 {
    type Detail = Kinds;

    /// Characters of no class.
    #[inline]
    fn strays(&self, masks: &Masks<Kinds>) -> u64 {
        masks.sign() & !masks.detail.mark & !masks.detail.printed
    }

    #[inline]
    fn piece_end(text: &[u8], start: usize) -> usize {
        piece_end(text, start)
    }

    #[allow(clippy::inline_always)] // It is compiled anew for each set of instructions.
    #[inline(always)]
    fn starts<const BY_LINE: bool>(
        &mut self,
        text: &[u8],
        base: usize,
        masks: &Masks<Kinds>,
        next: &Masks<Kinds>,
    ) -> u64 {
        let previous = std::mem::replace(&mut self.previous, *masks);
        let after_line = if BY_LINE { before(masks.line_feed, previous.line_feed) } else { 0 };
        let east = masks.detail.east;
        let (word, previous_word) = (masks.word(), previous.word());
        let (sign, previous_sign) = (masks.solid_sign(), previous.solid_sign());
        let east_starts = east
            & (word & !before(word & east, previous_word & previous.detail.east)
                | sign & !before(sign & east, previous_sign & previous.detail.east));

        let (word, previous_word) = (word & !east, previous_word & !previous.detail.east);
        let (sign, previous_sign) = (sign & !east, previous_sign & !previous.detail.east);
        let (breaks, previous_breaks) = (breaks(masks), breaks(&previous));
        let previous_swallowed = self.swallowed;
        let after_sign = before(sign, previous_sign);
        self.swallowed = swallow(breaks & !after_line, after_sign | before(0, previous_swallowed));
        let (space, previous_space) = (masks.space & !self.swallowed, previous.space & !previous_swallowed);
        // White space other than line breaks; a word may take one of these in front.
        let (gap, previous_gap) = (space & !breaks, previous_space & !previous_breaks);
        let first_space = space & !before(space, previous_space);
        let last_space = last_characters_before(space, space | masks.ends(), next.space | next.ends(), masks, next);
        let after_break = gap & !after_line & before(space & breaks, previous_space & previous_breaks);
        // Where the first character of the next block begins that did not begin in this one.
        let beyond = base + BLOCK + next.inside.trailing_ones() as usize;
        let indents = behind_last_break(after_break, gap, space, text, beyond, true);

        let first_sign = sign & !after_sign & !before(masks.blank, previous.blank);
        // An ASCII sign takes the ASCII letters behind it, and no others.
        let ascii_letters = masks.letter & !masks.detail.not_ascii;
        let (previous_leading, previous_led) = (self.leading_sign, self.led);
        self.leading_sign = first_sign & !masks.detail.not_ascii;
        let first_led = ascii_letters & before(self.leading_sign, previous_leading);
        self.led = swallow(ascii_letters, first_led | before(0, previous_led));
        let behind_led = word & masks.detail.not_ascii & before(self.led, previous_led);
        let words = word & !before(word, previous_word) & !before(gap, previous_gap) & !first_led;

        east_starts
            | words
            | behind_led
            | self.digits.starts(masks, &previous, 3)
            | first_sign
            | first_space
            | last_space & !breaks
            | indents
            | after_line
    }
}

impl Masks<Kinds> {
    /// Letters and marks.
    #[inline]
    fn word(&self) -> u64 {
        self.letter | self.detail.mark
    }

    /// Punctuation and symbols.
    #[inline]
    fn solid_sign(&self) -> u64 {
        self.sign() & self.detail.printed
    }

    /// What is the end of the text to what stands before it.
    #[inline]
    fn ends(&self) -> u64 {
        self.number | self.detail.east
    }
}
