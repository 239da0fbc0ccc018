//! Most blocks by an algebra on masks, the others by the scanner.
//!
//! A piece does not depend on what stands before it, so the algebra takes over again at any border that the scanner found,
//! as if the text began there.

use super::Borders;
use super::classify::{BLOCK, Detail, Masks};

/// What one block leaves to the next, of a pattern that is an algebra on masks where there are no strays.
pub(in crate::split) trait Algebra: Default {
    type Detail: Detail;

    /// The characters for which the scanner is needed.
    fn strays(&self, masks: &Masks<Self::Detail>) -> u64;

    /// Where the piece that begins at `start` ends, as the scanner has it.
    fn piece_end(text: &[u8], start: usize) -> usize;

    /// As [`Borders::starts`], in a block without strays.
    fn starts<const BY_LINE: bool>(
        &mut self,
        text: &[u8],
        base: usize,
        masks: &Masks<Self::Detail>,
        next: &Masks<Self::Detail>,
    ) -> u64;
}

/// Both together.
#[derive(Debug, Default)]
pub(in crate::split) struct Mixed<A> {
    algebra: A,
    /// Where the last piece begins that began before the block.
    last_start: usize,
    /// Where the last piece ends that the scanner found; if that is not behind us, a piece begins there.
    scanned: usize,
    /// Where the line ends that the scanner was in.
    line_end: usize,
}

impl<A: Algebra> Borders for Mixed<A> {
    type Detail = A::Detail;

    #[allow(clippy::inline_always)] // It is compiled anew for each set of instructions.
    #[inline(always)]
    fn starts<const BY_LINE: bool>(
        &mut self,
        text: &[u8],
        base: usize,
        masks: &Masks<A::Detail>,
        next: &Masks<A::Detail>,
    ) -> u64 {
        let (mut masks, mut begin) = (*masks, 0);
        if self.scanned >= base {
            begin = self.scanned - base;
            if begin >= BLOCK {
                return 0;
            }
            (self.algebra, self.last_start) = (A::default(), self.scanned);
            masks = masks.without_first(begin);
        }
        let starts = if self.algebra.strays(&masks) == 0 {
            let first = u64::from(self.last_start == base + begin) << begin;
            self.algebra.starts::<BY_LINE>(text, base, &masks, next) & !0 << begin | first
        } else {
            self.scan::<BY_LINE>(text, base)
        };
        if starts != 0 {
            self.last_start = base + starts.ilog2() as usize;
        }
        starts
    }
}

impl<A: Algebra> Mixed<A> {
    /// The starts in the block as the scanner has them.
    #[cold]
    fn scan<const BY_LINE: bool>(&mut self, text: &[u8], base: usize) -> u64 {
        let (mut at, mut starts) = (self.last_start, 0);
        while at < text.len().min(base + BLOCK) {
            if at >= base {
                starts |= 1 << (at - base);
            }
            if at >= self.line_end {
                let line_feed = if BY_LINE { memchr::memchr(b'\n', &text[at..]) } else { None };
                self.line_end = line_feed.map_or(text.len(), |n_bytes| at + n_bytes + 1);
            }
            at = A::piece_end(&text[..self.line_end], at);
        }
        self.scanned = at;
        starts
    }
}
