//! Where in a text each token comes from.

use std::ops::Range;

use super::document::{Visitor, Walk};
use super::sink::List;
use super::{Encoder, Encoding, characters};
use crate::Error;
use crate::decode::token_bytes;
use crate::model::Model;
use crate::split::Pieces;
use crate::stop::{Countdown, Stop};

/// Ids, and the part of the text that each stands for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Spans {
    /// The ids.
    pub ids: Vec<u32>,
    /// For each id (start, end) in the text that was given, half-open, in order. A prefix space and a marker are not in the
    /// text: they have no width.
    pub places: Vec<(usize, usize)>,
}

impl Encoder {
    /// The ids of a text with the bytes that each stands for.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_spans(&self, text: &[u8], special: &[u32], stop: Stop<'_>) -> Result<Spans, Error> {
        self.spans_up_to(usize::MAX, text, special, stop)
    }

    /// As [`Encoder::encode_spans`], but it may stop as soon as there are more than `most` ids.
    pub(super) fn spans_up_to(
        &self,
        most: usize,
        text: &[u8],
        special: &[u32],
        stop: Stop<'_>,
    ) -> Result<Spans, Error> {
        let subset = self.subsets.get(&self.model, special)?;
        let mut scratch = self.pool.take();
        let mut room = std::mem::take(&mut scratch.walk);
        let (mut ids, mut places) = (List::default(), Vec::new());
        let encoding = Encoding { encoder: self, scratch: &mut scratch, sink: &mut ids };
        let mut visitor = Placing { encoding, places: &mut places, most, start: 0, added: 0 };
        let countdown = &mut Countdown::new(stop);
        let walk =
            Walk { model: &self.model, text, subset: &subset, room: &mut room, countdown, visitor: &mut visitor };
        let result = walk.run();
        scratch.walk = room;
        self.pool.give(scratch);
        match result {
            Err(Error::Interrupted) if ids.as_slice().len() > most => {}
            other => other?,
        }
        Ok(Spans { ids: ids.into_ids(), places })
    }
}

impl Spans {
    /// Makes places in bytes of `text` places in its characters; those of a token that splits one cover all of it.
    pub fn in_characters(&mut self, text: &[u8]) {
        self.in_units(text, |_| 1);
    }

    /// Makes places in bytes of `text` places in UTF-16 units; those of a token that splits a character cover all of it.
    pub fn in_utf16(&mut self, text: &[u8]) {
        self.in_units(text, |character| character.map_or(1, char::len_utf16));
    }

    fn in_units(&mut self, text: &[u8], n_units: impl Fn(Option<char>) -> usize) {
        if text.is_ascii() {
            return;
        }
        let mut ruler = Ruler { text, at: 0, units: 0, n_units };
        for (start, end) in &mut self.places {
            (*start, *end) = (ruler.measured(*start, false), ruler.measured(*end, true));
        }
    }
}

/// Goes over a text once, counting units.
struct Ruler<'a, F> {
    text: &'a [u8],
    /// The first byte of a character, and the units before it.
    at: usize,
    units: usize,
    n_units: F,
}

impl<F: Fn(Option<char>) -> usize> Ruler<'_, F> {
    /// The units before a place that is not before an earlier one; inside a character down, or up.
    fn measured(&mut self, place: usize, up: bool) -> usize {
        while self.at < place {
            let (character, n_bytes) = characters::first(&self.text[self.at..]);
            let units = self.units + (self.n_units)(character);
            if self.at + n_bytes > place {
                return if up { units } else { self.units };
            }
            (self.at, self.units) = (self.at + n_bytes, units);
        }
        self.units
    }
}

/// Encodes pieces and notes where their tokens lie.
struct Placing<'a> {
    encoding: Encoding<'a, List>,
    places: &'a mut Vec<(usize, usize)>,
    most: usize,
    /// Where the segment begins in the text, and the bytes put in front of it.
    start: usize,
    added: usize,
}

impl Visitor for Placing<'_> {
    fn at(&mut self, start: usize, added: usize) {
        (self.start, self.added) = (start, added);
    }

    fn special(&mut self, id: u32, text: &[u8]) {
        self.encoding.special(id, text);
        self.places.push((self.start, self.start + text.len()));
    }

    fn pieces(&mut self, segment: &[u8], pieces: impl Pieces, countdown: &mut Countdown<'_>) -> Result<(), Error> {
        if self.encoding.encoder.model.marker().is_none() {
            self.encoding.pieces(segment, pieces.clone(), countdown)?;
            self.place_all(segment, pieces);
        } else {
            for range in pieces {
                self.encoding.pieces(segment, std::iter::once(range.clone()), countdown)?;
                self.place(segment, range);
            }
        }
        if self.encoding.sink.as_slice().len() > self.most { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl Placing<'_> {
    /// Notes the places of the ids that pieces have just become. Without markers each id takes some of its piece.
    fn place_all(&mut self, segment: &[u8], pieces: impl Pieces) {
        let in_text = |place: usize| self.start + place.saturating_sub(self.added);
        let mut ids = self.encoding.sink.as_slice()[self.places.len()..].iter();
        for range in pieces {
            let mut start = range.start;
            while start < range.end
                && let Some(&id) = ids.next()
            {
                let end = start + width(&self.encoding.encoder.model, id, &segment[start..range.end]);
                self.places.push((in_text(start), in_text(end)));
                start = end;
            }
        }
    }

    /// Notes the places of the ids that a piece has just become.
    fn place(&mut self, segment: &[u8], mut rest: Range<usize>) {
        let in_text = |place: usize| self.start + place.saturating_sub(self.added);
        for &id in &self.encoding.sink.as_slice()[self.places.len()..] {
            let end = rest.start + width(&self.encoding.encoder.model, id, &segment[rest.clone()]);
            self.places.push((in_text(rest.start), in_text(end)));
            rest.start = end;
        }
    }
}

/// The bytes that a token takes of the text that it begins: without its marker, unless the text itself spells that.
fn width(model: &Model, id: u32, rest: &[u8]) -> usize {
    let is_certain = model.unk_id().is_none() && model.marker().is_none();
    let literal = model.token(id).filter(|token| is_certain || rest.starts_with(token)).map(<[u8]>::len);
    let without_marker = || match token_bytes(model, id) {
        Some((before, true)) if rest.starts_with(before) => Some(before.len()),
        _ => None,
    };
    // What is left is the unknown token: it stands for one character.
    literal.or_else(without_marker).unwrap_or_else(|| if rest.is_empty() { 0 } else { characters::first(rest).1 })
}
