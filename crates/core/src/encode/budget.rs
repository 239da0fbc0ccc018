//! Texts and budgets of tokens: does it fit, where to cut it.
//!
//! A cut is found by encoding no more than a part of the text, and is proved by encoding what it leaves: a text that is cut
//! may have other pieces, and so other tokens, at the cut.

use std::collections::HashSet;
use std::ops::Range;

use super::cache::Cache;
use super::{Count, Encoder, Sink, characters};
use crate::Error;
use crate::model::Model;
use crate::piece_table::Looked;
use crate::stop::Stop;

/// Which end of a text is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The beginning.
    Left,
    /// The end.
    Right,
}

/// Where a text may be cut into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Between any two characters.
    Char,
    /// Before the white space that follows a word.
    Word,
    /// After a line feed.
    Line,
}

/// A part is taken to look for a cut: so many bytes for each token, and so many more. A special, which has at most 4,096
/// bytes, that crosses its end has no say in a cut that lies as far before it.
const BYTES_A_TOKEN: usize = 8;
const MARGIN: usize = 4096;

/// Counts ids, up to one more than the budget or a little further.
struct Bounded {
    count: Count,
    budget: usize,
}

impl Sink for Bounded {
    fn few(&mut self, cache: &Cache, looked: &[Looked]) -> usize {
        self.count.few(cache, looked)
    }

    fn many(&mut self, ids: &[u32]) {
        self.count.many(ids);
    }

    fn is_full(&self) -> bool {
        self.count.0 > self.budget
    }
}

impl Encoder {
    /// Whether a text has at most `budget` ids; it stops as soon as there are more.
    ///
    /// # Errors
    /// As [`Encoder::encode`], for the part of the text that was looked at.
    pub fn fits(&self, text: &[u8], special: &[u32], budget: usize, stop: Stop<'_>) -> Result<bool, Error> {
        // So long that ids of the longest tokens alone would be too many: not even one piece needs to be merged.
        if self.model.splitter().covers() && text.len() > budget.saturating_mul(self.longest) {
            return Ok(false);
        }
        let mut bounded = Bounded { count: Count::default(), budget };
        match self.encode_to(text, special, &mut bounded, stop) {
            Err(Error::Interrupted) if bounded.is_full() => Ok(false),
            other => other.map(|()| !bounded.is_full()),
        }
    }

    /// The byte at which to cut a text so that what is left, before it or behind it, has at most `budget` ids: as many whole
    /// tokens as fit, and whole characters.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn truncate(
        &self,
        text: &[u8],
        special: &[u32],
        budget: usize,
        side: Side,
        stop: Stop<'_>,
    ) -> Result<usize, Error> {
        let call = Call { encoder: self, special, budget, stop };
        match side {
            Side::Right => Ok(call.end(text, Unit::Char)?.unwrap_or(0)),
            Side::Left => call.start(text),
        }
    }

    /// Cuts a text into parts of at most `budget` ids, each of whole units. A part begins with up to `overlap` ids of the one
    /// before, where units allow; without overlap they are the text.
    ///
    /// # Errors
    /// [`Error::BudgetTooSmall`] if a unit has more than `budget` ids; as [`Encoder::encode`].
    pub fn chunks(
        &self,
        text: &[u8],
        special: &[u32],
        budget: usize,
        overlap: usize,
        unit: Unit,
        stop: Stop<'_>,
    ) -> Result<Vec<Range<usize>>, Error> {
        let call = Call { encoder: self, special, budget, stop };
        let (mut chunks, mut start, mut end) = (Vec::new(), 0, 0);
        while end < text.len() {
            call.ask()?;
            let mut next = call.end(&text[start..], unit)?.map(|n_bytes| start + n_bytes);
            if start < end && next.is_none_or(|next| next <= end) {
                start = end;
                next = call.end(&text[start..], unit)?.map(|n_bytes| start + n_bytes);
            }
            let Some(next) = next else {
                return Err(Error::BudgetTooSmall { minimum: call.minimum(text, unit)?, offset: start });
            };
            chunks.push(start..next);
            end = next;
            start = if overlap == 0 { end } else { call.overlap(text, start..end, overlap, unit)? };
        }
        Ok(chunks)
    }
}

/// The most bytes of text that one id of a model can stand for: an unknown token stands for a character.
pub(super) fn longest(model: &Model) -> usize {
    let tokens = model.tokens().map(|(_, token)| token.len());
    let specials = model.specials().iter().map(|(text, _)| text.len());
    tokens.chain(specials).max().unwrap_or(0).max(4)
}

/// What stays the same while a text is cut.
struct Call<'a> {
    encoder: &'a Encoder,
    special: &'a [u32],
    budget: usize,
    stop: Stop<'a>,
}

impl Call<'_> {
    /// Asks whether to stop: each cut is too little work to do so by itself.
    fn ask(&self) -> Result<(), Error> {
        if self.stop.is_some_and(|stop| stop()) { Err(Error::Interrupted) } else { Ok(()) }
    }

    fn fits(&self, text: &[u8]) -> Result<bool, Error> {
        self.encoder.fits(text, self.special, self.budget, self.stop)
    }

    /// Where the longest beginning ends that fits and is cut at a token; None if not even one unit fits.
    fn end(&self, text: &[u8], unit: Unit) -> Result<Option<usize>, Error> {
        let Some(end) = self.token_end(text)? else { return Ok(Some(text.len())) };
        let mut step = 1;
        let mut end = unit.border_before(text, end);
        while end > 0 {
            if self.fits(&text[..end])? {
                return Ok(Some(end));
            }
            end = unit.border_before(text, end.saturating_sub(step));
            step *= 2;
        }
        let one = unit.border_after(text, 1);
        Ok(self.fits(&text[..one])?.then_some(one))
    }

    /// Where the last token within the budget ends; None if all are.
    fn token_end(&self, text: &[u8]) -> Result<Option<usize>, Error> {
        let mut n_bytes = self.window();
        loop {
            let end = characters::border_before(text, n_bytes);
            let spans = self.encoder.spans_up_to(self.budget, &text[..end], self.special, self.stop)?;
            if spans.ids.len() > self.budget {
                let place = self.budget.checked_sub(1).map_or(0, |last| spans.places[last].1);
                if end == text.len() || place + MARGIN <= end {
                    return Ok(Some(place));
                }
            } else if end == text.len() {
                return Ok(None);
            }
            n_bytes = n_bytes.saturating_mul(2);
        }
    }

    /// Where the longest end begins that fits and is cut at a token; the end of the text if not even one character fits.
    fn start(&self, text: &[u8]) -> Result<usize, Error> {
        let Some(start) = self.token_start(text)? else { return Ok(0) };
        let mut start = characters::border_after(text, start);
        let mut step = 1;
        while start < text.len() && !self.fits(&text[start..])? {
            start = characters::border_after(text, start.saturating_add(step));
            step *= 2;
        }
        Ok(start)
    }

    /// Where the first of the last tokens within the budget begins; None if all are.
    fn token_start(&self, text: &[u8]) -> Result<Option<usize>, Error> {
        let mut n_bytes = self.window();
        loop {
            let start = characters::border_before(text, text.len().saturating_sub(n_bytes));
            let spans = self.encoder.encode_spans(&text[start..], self.special, self.stop)?;
            if spans.ids.len() > self.budget {
                let first = spans.ids.len() - self.budget;
                let place = spans.places.get(first).map_or(text.len(), |place| start + place.0);
                if start == 0 || place >= start + MARGIN {
                    return Ok(Some(place));
                }
            } else if start == 0 {
                return Ok(None);
            }
            n_bytes = n_bytes.saturating_mul(2);
        }
    }

    /// Bytes that most often hold more than the budget.
    fn window(&self) -> usize {
        self.budget.saturating_mul(BYTES_A_TOKEN).saturating_add(2 * MARGIN)
    }

    /// Where the chunk after this one begins, so that it repeats at most `overlap` ids.
    fn overlap(&self, text: &[u8], chunk: Range<usize>, overlap: usize, unit: Unit) -> Result<usize, Error> {
        let spans = self.encoder.encode_spans(&text[chunk.clone()], self.special, self.stop)?;
        let first = spans.ids.len().saturating_sub(overlap);
        let place = spans.places.get(first).map_or(chunk.end, |place| chunk.start + place.0);
        Ok(unit.border_after(text, place.max(chunk.start + 1)).min(chunk.end))
    }

    /// The ids of the unit that has most.
    fn minimum(&self, text: &[u8], unit: Unit) -> Result<usize, Error> {
        let (mut start, mut most, mut known) = (0, 0, HashSet::new());
        while start < text.len() {
            let end = unit.border_after(text, start + 1);
            let part = &text[start..end];
            self.ask()?;
            if unit != Unit::Char || known.insert(part) {
                most = most.max(self.encoder.count(part, self.special, self.stop)?);
            }
            start = end;
        }
        Ok(most)
    }
}

impl Unit {
    fn is_border(self, text: &[u8], place: usize) -> bool {
        if place == 0 || place == text.len() {
            return true;
        }
        match self {
            Self::Char => characters::is_border(text, place),
            Self::Line => text[place - 1] == b'\n',
            Self::Word => {
                let is_space = |character: Option<char>| character.is_some_and(char::is_whitespace);
                characters::is_border(text, place)
                    && is_space(characters::first(&text[place..]).0)
                    && !is_space(characters::last(&text[..place]))
            }
        }
    }

    /// The last border at or before a place.
    fn border_before(self, text: &[u8], place: usize) -> usize {
        (0..=place).rev().find(|&place| self.is_border(text, place)).unwrap_or(0)
    }

    /// The first border at or after a place.
    fn border_after(self, text: &[u8], place: usize) -> usize {
        (place..text.len()).find(|&place| self.is_border(text, place)).unwrap_or(text.len())
    }
}
