//! One document, in the parts that are encoded one by one: matched specials, and pieces of the text between.

use std::ops::{ControlFlow, Range};

use super::subset::Subset;
use crate::Error;
use crate::model::Model;
use crate::specials::Segment;
use crate::stop::Countdown;

/// Takes the parts of a document from left to right.
pub(super) trait Visitor {
    fn special(&mut self, id: u32, text: &[u8]);

    /// A piece, never empty. Offsets in errors count from its first byte.
    fn piece(&mut self, piece: &[u8], countdown: &mut Countdown<'_>) -> Result<(), Error>;
}

/// A walk over one document. `prefixed` is room for a segment with the prefix space.
pub(super) struct Walk<'a, 'stop, V> {
    pub(super) model: &'a Model,
    pub(super) text: &'a [u8],
    pub(super) subset: &'a Subset,
    pub(super) prefixed: &'a mut Vec<u8>,
    pub(super) countdown: &'a mut Countdown<'stop>,
    pub(super) visitor: &'a mut V,
}

/// The cost of a piece beside its bytes, in bytes.
const PIECE: usize = 4;
/// The cost of a stretch searched for specials, in bytes of encoding.
pub(super) const SEARCHED: usize = 1 << 14;

impl<V: Visitor> Walk<'_, '_, V> {
    pub(super) fn run(mut self) -> Result<(), Error> {
        let (finder, text) = (&self.subset.finder, self.text);
        let visit = |walk: &mut Self, segment| flow(walk.segment(segment));
        let go_on = |walk: &mut Self| flow(walk.countdown.spend(SEARCHED));
        match finder.walk(text, &mut self, visit, go_on) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    fn segment(&mut self, segment: Segment) -> Result<(), Error> {
        match segment {
            Segment::Special(index, range) => {
                self.visitor.special(self.subset.ids[index], &self.text[range]);
                self.countdown.spend(PIECE)
            }
            Segment::Text(range) if self.model.add_prefix_space() && self.text[range.start] != b' ' => {
                let mut prefixed = std::mem::take(self.prefixed);
                prefixed.clear();
                prefixed.push(b' ');
                prefixed.extend_from_slice(&self.text[range.clone()]);
                let result = self.pieces(&prefixed).map_err(|error| moved(error, range.start, 1));
                *self.prefixed = prefixed;
                result
            }
            Segment::Text(range) => {
                let start = range.start;
                self.pieces(&self.text[range]).map_err(|error| moved(error, start, 0))
            }
        }
    }

    fn pieces(&mut self, segment: &[u8]) -> Result<(), Error> {
        let visit = |range: Range<usize>| {
            let piece = &segment[range.clone()];
            let done = self.visitor.piece(piece, self.countdown);
            flow(done.and_then(|()| self.countdown.spend(piece.len() + PIECE)).map_err(|e| moved(e, range.start, 0)))
        };
        match self.model.splitter().for_each_piece(segment, visit)? {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

#[inline]
fn flow(result: Result<(), Error>) -> ControlFlow<Error> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

/// An offset in a part as an offset in the whole, less what was put in front of the part.
fn moved(error: Error, start: usize, added: usize) -> Error {
    match error {
        Error::UnknownCharacter { character, offset } => {
            Error::UnknownCharacter { character, offset: start + offset.saturating_sub(added) }
        }
        other => other,
    }
}
