//! The borders of GPT-2's pattern as an algebra on bit masks.

use super::super::gpt2::contraction_end;
use super::classify::Masks;
use super::{Borders, Contractions, before, last_characters};

/// What one block leaves to the next.
#[derive(Debug, Default)]
pub(in crate::split) struct Gpt2 {
    previous: Masks,
    contractions: Contractions,
}

impl Borders for Gpt2 {
    type Detail = ();

    #[allow(clippy::inline_always)] // It is compiled anew for each set of instructions.
    #[inline(always)]
    fn starts<const BY_LINE: bool>(&mut self, text: &[u8], base: usize, masks: &Masks, next: &Masks) -> u64 {
        let previous = std::mem::replace(&mut self.previous, *masks);
        let sign = masks.sign();
        let runs = masks.letter & !before(masks.letter, previous.letter)
            | masks.number & !before(masks.number, previous.number)
            | sign & !before(sign, previous.sign());
        let runs = runs & !before(masks.blank, previous.blank);
        let first_space = masks.space & !before(masks.space, previous.space);
        let mut last_space = last_characters(masks.space, masks, next);
        let mut line_starts = 0;
        if BY_LINE {
            // The end of a line is the end of a document: its white space is one piece, whatever begins the next line.
            last_space &= !masks.line_feed;
            line_starts = before(masks.line_feed, previous.line_feed);
        }
        let starts = runs | first_space | last_space | line_starts;
        // A contraction takes the letters behind its apostrophe, which would begin a piece of their own.
        let (ends, inner) = self.contractions.find(masks.apostrophe & runs, text, base, contraction_end);
        starts & !inner | ends
    }
}
