//! The borders of the patterns of o200k and Tekken as an algebra on bit masks.
//!
//! A mark goes on with a word if a letter stands before it, perhaps with other marks between: so it is in nearly all texts.
//! Elsewhere it may lead to a word, be one, or go on with signs, as the text before it decides. The blocks that hold such
//! a mark are left to the scanner; where it leaves off a piece begins, and what stands before a piece does not matter.

use super::super::cl100k::contraction_end;
use super::super::classes::{CAPITAL, Class, SMALL, class_at};
use super::super::o200k::{self, Rules};
use super::cl100k::{behind_last_break, breaks, swallow, whole_characters};
use super::classify::{BLOCK, Case, Masks};
use super::digits::DigitGroups;
use super::mixed::Algebra;
use super::{before, last_characters};
use std::marker::PhantomData;

/// What one block leaves to the next; `R` is the pattern.
#[derive(Debug)]
pub(in crate::split) struct O200k<R> {
    previous: Masks<Case>,
    /// Line breaks, and slashes behind them, that belong to the signs in front.
    swallowed: u64,
    /// Signs but for those.
    sign: u64,
    /// Bytes of a sign that begins a piece.
    leading_sign: u64,
    /// Bytes of contractions.
    taken: u64,
    /// Bytes of contractions in the next block.
    taken_beyond: u64,
    /// Letters and their marks but for contractions.
    word: u64,
    /// Small letters, and what has no case behind them.
    small: u64,
    digits: DigitGroups,
    rules: PhantomData<R>,
}

impl<R> Default for O200k<R> {
    fn default() -> Self {
        Self {
            previous: Masks::default(),
            swallowed: 0,
            sign: 0,
            leading_sign: 0,
            taken: 0,
            taken_beyond: 0,
            word: 0,
            small: 0,
            digits: DigitGroups::default(),
            rules: PhantomData,
        }
    }
}

impl<R: Rules> Algebra for O200k<R> {
    type Detail = Case;

    /// Marks that do not go on with a word.
    #[inline]
    fn strays(&self, masks: &Masks<Case>) -> u64 {
        let mark = masks.detail.mark;
        mark & !before(masks.letter | mark, self.previous.letter | self.previous.detail.mark)
    }

    #[inline]
    fn piece_end(text: &[u8], start: usize) -> usize {
        o200k::piece_end::<R>(text, start)
    }

    #[allow(clippy::inline_always)] // It is compiled anew for each set of instructions.
    #[inline(always)]
    fn starts<const BY_LINE: bool>(
        &mut self,
        text: &[u8],
        base: usize,
        masks: &Masks<Case>,
        next: &Masks<Case>,
    ) -> u64 {
        let previous = std::mem::replace(&mut self.previous, *masks);
        let after_line = if BY_LINE { before(masks.line_feed, previous.line_feed) } else { 0 };
        // Where the first character of the next block begins that did not begin in this one.
        let beyond = base + BLOCK + next.inside.trailing_ones() as usize;
        let previous_taken = self.taken;
        if R::CONTRACTIONS {
            self.take_contractions(masks, &previous, text, base);
        }

        let sign = masks.sign() & !masks.detail.mark & !self.taken;
        let previous_swallowed = self.swallowed;
        self.swallow(breaks(masks) & !after_line, masks.detail.slash & !after_line, sign);
        let sign = sign & !self.swallowed;
        let first_sign = sign & !before(sign, self.sign) & !before(masks.blank, previous.blank);
        self.sign = sign;

        let (breaks, previous_breaks) = (breaks(masks), breaks(&previous));
        let (space, previous_space) = (masks.space & !self.swallowed, previous.space & !previous_swallowed);
        // White space other than line breaks; a word may take one of these in front.
        let (gap, previous_gap) = (space & !breaks, previous_space & !previous_breaks);
        let first_space = space & !before(space, previous_space);
        let last_space = last_characters(space, masks, next) & !breaks;
        let after_break = gap & !after_line & before(space & breaks, previous_space & previous_breaks);
        let indents = behind_last_break(after_break, gap, space, text, beyond, true);

        let previous_leading = self.leading_sign;
        self.leading_sign = whole_characters(first_sign, masks.inside, previous_leading);
        let led = before(gap, previous_gap) | before(self.leading_sign, previous_leading);
        let previous_word = self.word;
        self.word = (masks.letter | masks.detail.mark) & !self.taken;
        let words = self.word & !before(self.word, previous_word) & !led;

        words
            | self.capitals(masks, &previous, previous_taken, text, beyond)
            | self.digits.starts(masks, &previous, R::MAX_DIGITS)
            | first_sign
            | first_space
            | last_space
            | indents
            | after_line
    }
}

impl<R: Rules> O200k<R> {
    /// Finds the contractions behind words.
    #[inline]
    fn take_contractions(&mut self, masks: &Masks<Case>, previous: &Masks<Case>, text: &[u8], base: usize) {
        let word = masks.letter | masks.detail.mark;
        let mut apostrophes = masks.apostrophe & before(word, previous.letter | previous.detail.mark);
        // The byte before the block is the lowest bit.
        let mut taken = u128::from(self.taken_beyond) << 1 | u128::from(self.taken >> 63);
        while apostrophes != 0 {
            let place = apostrophes.trailing_zeros() as usize;
            apostrophes &= apostrophes - 1;
            // Behind a contraction begins another piece.
            if taken >> place & 1 == 0
                && let Some(end) = contraction_end(text, base + place)
            {
                taken |= ((1 << (end - base - place)) - 1) << (place + 1);
            }
        }
        (self.taken, self.taken_beyond) = ((taken >> 1) as u64, (taken >> 65) as u64);
    }

    /// The line breaks and slashes that go on from behind a sign; the first of them is a line break.
    #[inline]
    fn swallow(&mut self, breaks: u64, slash: u64, sign: u64) {
        let previous = self.swallowed;
        let mut swallowed = swallow(breaks, before(sign, self.sign) | before(0, previous));
        loop {
            let more = slash & !swallowed & before(swallowed, previous);
            if more == 0 {
                break;
            }
            swallowed |= swallow(breaks | slash, more & more.wrapping_neg());
        }
        self.swallowed = swallowed;
    }

    /// Capitals that begin a piece within a word: behind small letters, or where only capitals are left and what is before
    /// them has no case.
    #[inline]
    fn capitals(
        &mut self,
        masks: &Masks<Case>,
        previous: &Masks<Case>,
        previous_taken: u64,
        text: &[u8],
        beyond: usize,
    ) -> u64 {
        let upper = masks.detail.upper & !self.taken;
        let caseless = (masks.detail.caseless | masks.detail.mark) & !self.taken;
        let small = self.word & !(upper | caseless);
        let previous_small = self.small;
        self.small = small | swallow(caseless, before(small, previous_small));
        let first = upper & !before(upper, previous.detail.upper & !previous_taken);
        let behind_small = first & before(self.small, previous_small);
        let previous_caseless = (previous.detail.caseless | previous.detail.mark) & !previous_taken;
        let mut in_doubt = first & before(caseless, previous_caseless) & !behind_small;
        let mut starts = behind_small;
        while in_doubt != 0 {
            let place = in_doubt.trailing_zeros();
            in_doubt &= in_doubt - 1;
            let end = place + (upper >> place).trailing_ones();
            let goes_on =
                if (end as usize) < BLOCK { self.word >> end & 1 != 0 } else { goes_on_behind_capitals(text, beyond) };
            starts |= u64::from(!goes_on) << place;
        }
        starts
    }
}

/// Whether something else of a word follows the capitals at `at`.
#[cold]
fn goes_on_behind_capitals(text: &[u8], mut at: usize) -> bool {
    while at < text.len() {
        let (class, n_bytes) = class_at(text, at);
        if class != Class::UpperTitle {
            return CAPITAL.has(class) || SMALL.has(class);
        }
        at += n_bytes;
    }
    false
}
