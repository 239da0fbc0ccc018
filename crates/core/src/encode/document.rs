//! One document, in the parts that are encoded one by one: matched specials, and pieces of the text between.

use std::ops::{ControlFlow, Range};

use super::subset::Subset;
use crate::Error;
use crate::model::Model;
use crate::specials::Segment;
use crate::stop::Countdown;

/// Takes the parts of a document from left to right.
pub(super) trait Visitor {
    /// What comes next begins at byte `start` of the document, with `added` bytes in front that are not in it.
    fn at(&mut self, _start: usize, _added: usize) {}

    fn special(&mut self, id: u32, text: &[u8]);

    /// Pieces that follow one another in a segment, none of them empty. Offsets in errors count from its first byte.
    fn pieces(&mut self, segment: &[u8], pieces: &[Range<usize>], countdown: &mut Countdown<'_>) -> Result<(), Error>;
}

/// Pieces handed on together: what takes them can ask for the memory that all need before it looks at the first.
const BATCH: usize = 128;

/// Room for a walk, used again from document to document.
#[derive(Debug, Default)]
pub(super) struct WalkRoom {
    /// A segment with the prefix space.
    prefixed: Vec<u8>,
    /// Pieces of the segment at hand that were not handed on yet.
    waiting: Vec<Range<usize>>,
}

impl WalkRoom {
    /// Bytes held.
    pub(super) fn n_bytes(&self) -> usize {
        self.prefixed.capacity() + self.waiting.capacity() * size_of::<Range<usize>>()
    }
}

/// A walk over one document.
pub(super) struct Walk<'a, 'stop, V> {
    pub(super) model: &'a Model,
    pub(super) text: &'a [u8],
    pub(super) subset: &'a Subset,
    pub(super) room: &'a mut WalkRoom,
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
                self.visitor.at(range.start, 0);
                self.visitor.special(self.subset.ids[index], &self.text[range]);
                self.countdown.spend(PIECE)
            }
            Segment::Text(range) if self.model.add_prefix_space() && self.text[range.start] != b' ' => {
                let mut prefixed = std::mem::take(&mut self.room.prefixed);
                prefixed.clear();
                prefixed.push(b' ');
                prefixed.extend_from_slice(&self.text[range.clone()]);
                self.visitor.at(range.start, 1);
                let result = self.pieces(&prefixed).map_err(|error| moved(error, range.start, 1));
                self.room.prefixed = prefixed;
                result
            }
            Segment::Text(range) => {
                let start = range.start;
                self.visitor.at(start, 0);
                self.pieces(&self.text[range]).map_err(|error| moved(error, start, 0))
            }
        }
    }

    fn pieces(&mut self, segment: &[u8]) -> Result<(), Error> {
        let model = self.model;
        let mut waiting = std::mem::take(&mut self.room.waiting);
        waiting.clear();
        let visit = |range: Range<usize>| {
            waiting.push(range);
            if waiting.len() < BATCH { ControlFlow::Continue(()) } else { flow(self.hand_on(segment, &mut waiting)) }
        };
        let walked = match model.splitter().for_each_piece(segment, visit) {
            Ok(ControlFlow::Continue(())) => self.hand_on(segment, &mut waiting),
            Ok(ControlFlow::Break(error)) | Err(error) => Err(error),
        };
        self.room.waiting = waiting;
        walked
    }

    fn hand_on(&mut self, segment: &[u8], waiting: &mut Vec<Range<usize>>) -> Result<(), Error> {
        let n_bytes = waiting.last().map_or(0, |last| last.end) - waiting.first().map_or(0, |first| first.start);
        self.visitor.pieces(segment, waiting, self.countdown)?;
        let cost = n_bytes + PIECE * waiting.len();
        waiting.clear();
        self.countdown.spend(cost)
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
pub(super) fn moved(error: Error, start: usize, added: usize) -> Error {
    match error {
        Error::UnknownCharacter { character, offset } => {
            Error::UnknownCharacter { character, offset: start + offset.saturating_sub(added) }
        }
        other => other,
    }
}
