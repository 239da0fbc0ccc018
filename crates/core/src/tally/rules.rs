//! How a text becomes pieces to count.

use super::collector::Collector;
use crate::error::Error;
use crate::specials::{Segment, Specials};
use crate::split::{PieceVisitor, Pieces, Splitter};
use std::ops::{ControlFlow, Range};

/// Batches of pieces counted between two looks at whether to go on.
const BATCHES_A_LOOK: u32 = 1 << 7;

/// Pieces counted together that came one by one.
const BATCH: usize = 128;

/// Called now and then; an error ends the work.
pub(super) type Look<'a> = &'a dyn Fn() -> Result<(), Error>;

/// What a stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Lines with their ends, each a document.
    Lines,
    /// A document or its first part.
    Start,
    /// A later part of a document, from a certain cut on.
    Rest,
}

/// How documents become pieces.
#[derive(Debug, Clone)]
pub struct Rules {
    splitter: Splitter,
    borders: Specials,
    refuse_borders: bool,
    add_prefix_space: bool,
    /// Whether a border holds a line feed, so that it may lie across a cut between lines.
    borders_span_lines: bool,
}

impl Rules {
    /// `borders`: texts that cut a document and are not counted, or are an error if `refuse_borders`. With
    /// `add_prefix_space` U+0020 goes before each segment between borders that does not begin with it.
    ///
    /// # Errors
    /// `Error::Model` for an empty border.
    pub fn new(
        splitter: Splitter,
        borders: &[Vec<u8>],
        refuse_borders: bool,
        add_prefix_space: bool,
    ) -> Result<Self, Error> {
        let borders_span_lines = borders.iter().any(|text| text.contains(&b'\n'));
        let borders = Specials::new(borders)?;
        Ok(Self { splitter, borders, refuse_borders, add_prefix_space, borders_span_lines })
    }

    /// The last place at or before `end` where text of this kind can be cut so that both parts, counted alone, give the
    /// pieces of the whole; 0 if there is none.
    pub(super) fn last_cut(&self, text: &[u8], end: usize, by_line: bool) -> usize {
        if by_line {
            return memchr::memrchr(b'\n', &text[..end]).map_or(0, |place| place + 1);
        }
        if self.borders_span_lines { 0 } else { self.splitter.last_certain_cut(text, end).unwrap_or(0) }
    }

    /// Counts the pieces of a stretch of text.
    pub(super) fn count(
        &self,
        text: &[u8],
        stretch: Stretch,
        into: &mut Collector,
        look: Look<'_>,
    ) -> Result<(), Error> {
        let line_by_line = stretch == Stretch::Lines && (self.add_prefix_space || self.borders_span_lines);
        if !line_by_line {
            return self.count_segments(text, stretch, into, look);
        }
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            look()?;
            self.count_segments(line, Stretch::Start, into, look)?;
        }
        Ok(())
    }

    fn count_segments(&self, text: &[u8], stretch: Stretch, into: &mut Collector, look: Look<'_>) -> Result<(), Error> {
        let walked = self.borders.for_each_segment(text, |segment| {
            let done = match segment {
                Segment::Text(range) => {
                    let goes_on = range.start == 0 && stretch == Stretch::Rest;
                    let prefix = self.add_prefix_space && !goes_on && text[range.start] != b' ';
                    let segment = &text[range];
                    if prefix {
                        self.count_pieces(&[b" ", segment].concat(), stretch, into, look)
                    } else {
                        self.count_pieces(segment, stretch, into, look)
                    }
                }
                Segment::Special(index, range) if self.refuse_borders => {
                    Err(Error::SpecialFound { index, offset: range.start })
                }
                Segment::Special(..) => Ok(()),
            };
            to_flow(done)
        });
        to_result(walked)
    }

    fn count_pieces(&self, text: &[u8], stretch: Stretch, into: &mut Collector, look: Look<'_>) -> Result<(), Error> {
        let mut counting = Counting { text, into, look, until_look: BATCHES_A_LOOK, waiting: Vec::new() };
        let walked = if stretch == Stretch::Lines {
            self.splitter.walk_by_line(text, &mut counting)
        } else {
            self.splitter.walk(text, &mut counting)
        };
        to_result(walked?)?;
        counting.count_waiting()
    }
}

/// Pieces of a text on their way into a table.
struct Counting<'a> {
    text: &'a [u8],
    into: &'a mut Collector,
    look: Look<'a>,
    until_look: u32,
    /// Those that came one by one and were not counted yet.
    waiting: Vec<Range<usize>>,
}

impl Counting<'_> {
    #[inline]
    fn count(&mut self, pieces: impl Pieces) -> Result<(), Error> {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = BATCHES_A_LOOK;
            (self.look)()?;
        }
        self.into.count(self.text, pieces)
    }

    fn count_waiting(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let done = self.count(waiting.iter().cloned());
        self.waiting = waiting;
        self.waiting.clear();
        done
    }
}

impl PieceVisitor<Error> for Counting<'_> {
    fn piece(&mut self, range: Range<usize>) -> ControlFlow<Error> {
        self.waiting.push(range);
        if self.waiting.len() < BATCH { ControlFlow::Continue(()) } else { to_flow(self.count_waiting()) }
    }

    #[inline]
    fn pieces(&mut self, pieces: impl Pieces) -> ControlFlow<Error> {
        to_flow(self.count(pieces))
    }
}

fn to_flow(result: Result<(), Error>) -> ControlFlow<Error> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

fn to_result(flow: ControlFlow<Error>) -> Result<(), Error> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}
