//! Who takes the pieces of a text: one by one, or as they are found, many at a time.

use std::ops::{ControlFlow, Range};

/// Pieces in the order of the text; they can be gone through again.
pub(crate) trait Pieces: ExactSizeIterator<Item = Range<usize>> + Clone {}

impl<I: ExactSizeIterator<Item = Range<usize>> + Clone> Pieces for I {}

/// Takes the pieces of a text from left to right, until it breaks.
pub(crate) trait PieceVisitor<B> {
    fn piece(&mut self, range: Range<usize>) -> ControlFlow<B>;

    /// Some hundred pieces at most.
    #[inline]
    fn pieces(&mut self, mut pieces: impl Pieces) -> ControlFlow<B> {
        pieces.try_for_each(|range| self.piece(range))
    }
}

/// A function of each piece.
pub(super) struct Each<F>(pub(super) F);

impl<B, F: FnMut(Range<usize>) -> ControlFlow<B>> PieceVisitor<B> for Each<F> {
    #[inline]
    fn piece(&mut self, range: Range<usize>) -> ControlFlow<B> {
        (self.0)(range)
    }
}

/// Pieces without gaps, as where each ends: so many bytes behind `base`.
#[derive(Debug, Clone)]
pub(super) struct Ends<'a> {
    /// Where the next piece begins.
    pub(super) start: usize,
    pub(super) base: usize,
    pub(super) offsets: std::slice::Iter<'a, u16>,
}

impl Iterator for Ends<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let end = self.base + usize::from(*self.offsets.next()?);
        let start = std::mem::replace(&mut self.start, end);
        Some(start..end)
    }

    #[inline]
    fn nth(&mut self, n_skipped: usize) -> Option<Range<usize>> {
        if let Some(last_skipped) = n_skipped.checked_sub(1) {
            self.start = self.base + usize::from(*self.offsets.nth(last_skipped)?);
        }
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.offsets.size_hint()
    }
}

impl ExactSizeIterator for Ends<'_> {}
