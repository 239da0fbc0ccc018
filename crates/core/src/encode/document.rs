//! One document, in the parts that are encoded one by one: matched specials, and pieces of the text between.

use std::ops::{ControlFlow, Range};

use super::subset::Subset;
use crate::Error;
use crate::model::Model;
use crate::specials::Segment;
use crate::split::{PieceVisitor, Pieces};
use crate::stop::Countdown;

/// Takes the parts of a document from left to right.
pub(super) trait Visitor {
    /// What comes next begins at byte `start` of the document, with `added` bytes in front that are not in it.
    fn at(&mut self, _start: usize, _added: usize) {}

    fn special(&mut self, id: u32, text: &[u8]);

    /// Pieces that follow one another in a segment, none of them empty. Offsets in errors count from its first byte.
    fn pieces(&mut self, segment: &[u8], pieces: impl Pieces, countdown: &mut Countdown<'_>) -> Result<(), Error>;
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

/// The cost of a piece in bytes. What takes longer for long ones says so itself.
const PIECE: usize = 8;
/// The cost of a stretch searched for specials, in bytes of encoding.
pub(super) const SEARCHED: usize = 1 << 14;

impl<V: Visitor> Walk<'_, '_, V> {
    pub(super) fn run(mut self) -> Result<(), Error> {
        let subset = self.subset;
        if let Some(framed) = &subset.framed {
            return framed.run(&mut self);
        }
        let (finder, text) = (&self.subset.finder, self.text);
        let visit = |walk: &mut Self, segment| flow(walk.segment(segment));
        let go_on = |walk: &mut Self| flow(walk.countdown.spend(SEARCHED));
        match finder.walk(text, &mut self, visit, go_on) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(error) => Err(error),
        }
    }

    pub(super) fn segment(&mut self, segment: Segment) -> Result<(), Error> {
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

    pub(super) fn pieces(&mut self, segment: &[u8]) -> Result<(), Error> {
        let model = self.model;
        let mut waiting = std::mem::take(&mut self.room.waiting);
        waiting.clear();
        let mut batches = Batches { walk: self, segment, waiting };
        let walked = match model.splitter().walk(segment, &mut batches) {
            Ok(ControlFlow::Continue(())) => batches.hand_on_waiting(),
            Ok(ControlFlow::Break(error)) | Err(error) => Err(error),
        };
        self.room.waiting = batches.waiting;
        walked
    }

    /// Some hundred pieces at most.
    pub(super) fn hand_on(&mut self, segment: &[u8], pieces: impl Pieces) -> Result<(), Error> {
        let cost = PIECE * pieces.len();
        self.visitor.pieces(segment, pieces, self.countdown)?;
        self.countdown.spend(cost)
    }
}

/// Pieces of a segment on their way to the visitor.
struct Batches<'w, 'a, 'stop, V> {
    walk: &'w mut Walk<'a, 'stop, V>,
    segment: &'w [u8],
    /// Those that came one by one and were not handed on yet.
    waiting: Vec<Range<usize>>,
}

impl<V: Visitor> Batches<'_, '_, '_, V> {
    fn hand_on_waiting(&mut self) -> Result<(), Error> {
        let done = self.walk.hand_on(self.segment, self.waiting.iter().cloned());
        self.waiting.clear();
        done
    }
}

impl<V: Visitor> PieceVisitor<Error> for Batches<'_, '_, '_, V> {
    fn piece(&mut self, range: Range<usize>) -> ControlFlow<Error> {
        self.waiting.push(range);
        if self.waiting.len() < BATCH { ControlFlow::Continue(()) } else { flow(self.hand_on_waiting()) }
    }

    fn pieces(&mut self, pieces: impl Pieces) -> ControlFlow<Error> {
        flow(self.walk.hand_on(self.segment, pieces))
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
