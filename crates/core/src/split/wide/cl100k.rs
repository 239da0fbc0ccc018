//! The borders of the patterns of cl100k, Llama 3 and Qwen 2 as an algebra on bit masks.

use super::super::cl100k::{Rules, contraction_end};
use super::super::classes::{SPACE, class_at};
use super::super::runs::is_line_break;
use super::classify::{BLOCK, Masks};
use super::digits::DigitGroups;
use super::{Borders, Contractions, before, last_characters};
use std::marker::PhantomData;

/// What one block leaves to the next; `R` is the pattern.
#[derive(Debug)]
pub(in crate::split) struct Cl100k<R> {
    previous: Masks,
    /// Of the block before: line breaks that belong to the signs in front of them.
    swallowed: u64,
    /// Of the block before: bytes of a sign that begins a piece.
    leading_sign: u64,
    digits: DigitGroups,
    contractions: Contractions,
    rules: PhantomData<R>,
}

impl<R> Default for Cl100k<R> {
    fn default() -> Self {
        Self {
            previous: Masks::default(),
            swallowed: 0,
            leading_sign: 0,
            digits: DigitGroups::default(),
            contractions: Contractions::default(),
            rules: PhantomData,
        }
    }
}

impl<R: Rules> Borders for Cl100k<R> {
    type Detail = ();

    #[allow(clippy::inline_always)] // It is compiled anew for each set of instructions.
    #[inline(always)]
    fn starts<const BY_LINE: bool>(&mut self, text: &[u8], base: usize, masks: &Masks, next: &Masks) -> u64 {
        let previous = std::mem::replace(&mut self.previous, *masks);
        let (breaks, previous_breaks) = (breaks(masks), breaks(&previous));
        let after_line = if BY_LINE { before(masks.line_feed, previous.line_feed) } else { 0 };
        let sign = masks.sign();
        let after_sign = before(sign, previous.sign());

        let previous_swallowed = self.swallowed;
        self.swallowed = swallow(breaks & !after_line, after_sign | before(0, previous_swallowed));
        let (space, previous_space) = (masks.space & !self.swallowed, previous.space & !previous_swallowed);
        // White space other than line breaks; a word may take one of these in front.
        let (gap, previous_gap) = (space & !breaks, previous_space & !previous_breaks);
        let first_space = space & !before(space, previous_space);
        let last_space = last_characters(space, masks, next) & !breaks;
        let after_break = gap & !after_line & before(space & breaks, previous_space & previous_breaks);
        // Where the first character of the next block begins that did not begin in this one.
        let beyond = base + BLOCK + next.inside.trailing_ones() as usize;
        let indents = behind_last_break(after_break, gap, space, text, beyond, !R::END_IS_WHOLE);

        let first_sign = sign & !after_sign & !before(masks.blank, previous.blank);
        let previous_leading = self.leading_sign;
        self.leading_sign = whole_characters(first_sign, masks.inside, previous_leading);
        let led = before(gap, previous_gap) | before(self.leading_sign, previous_leading);
        let words = masks.letter & !before(masks.letter, previous.letter) & !led;
        // The letters of a contraction are led by its apostrophe already; what follows it begins anew.
        let (ends, _) = self.contractions.find(masks.apostrophe & first_sign, text, base, contraction_end);

        words
            | self.digits.starts(masks, &previous, R::MAX_DIGITS)
            | first_sign
            | first_space
            | last_space
            | indents
            | ends
            | after_line
    }
}

pub(super) fn breaks<D>(masks: &Masks<D>) -> u64 {
    masks.line_feed | masks.carriage_return
}

/// The line breaks that go on without a gap from behind a sign.
#[inline]
pub(super) fn swallow(breaks: u64, after: u64) -> u64 {
    // Adding the first bit of a run flips the whole run and carries out of it.
    breaks & !breaks.wrapping_add(breaks & after)
}

/// The bytes of the characters that begin at `leads`.
#[inline]
pub(super) fn whole_characters(leads: u64, inside: u64, previous: u64) -> u64 {
    let mut whole = leads;
    if inside != 0 {
        for _ in 0..3 {
            whole |= before(whole, previous) & inside;
        }
    }
    whole
}

/// Those of `after_break` from which white space without a line break leads to other text, or to the end if `end_counts`.
#[inline]
pub(super) fn behind_last_break(
    mut after_break: u64,
    gap: u64,
    space: u64,
    text: &[u8],
    beyond: usize,
    end_counts: bool,
) -> u64 {
    let mut starts = 0;
    while after_break != 0 {
        let place = after_break.trailing_zeros();
        after_break &= after_break - 1;
        let end = place + (gap >> place).trailing_ones();
        let leads_to_text =
            if (end as usize) < BLOCK { space >> end & 1 == 0 } else { gap_leads_to_text(text, beyond, end_counts) };
        starts |= u64::from(leads_to_text) << place;
    }
    starts
}

/// As above, where the gap goes on beyond the block.
#[cold]
fn gap_leads_to_text(text: &[u8], mut at: usize, end_counts: bool) -> bool {
    while at < text.len() {
        let (class, n_bytes) = class_at(text, at);
        if !SPACE.has(class) {
            return true;
        }
        if is_line_break(text[at]) {
            return false;
        }
        at += n_bytes;
    }
    end_counts
}
