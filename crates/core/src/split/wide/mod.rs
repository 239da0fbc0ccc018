//! Piece borders by the bit: 64 bytes are classed at once, and the borders follow from the masks of classes.
//!
//! A border depends on the classes of neighbouring characters and on little else, so most of a pattern is a handful of
//! logical operations on 64 bytes; what needs the text itself (a contraction, an indent) is looked at where it stands.
//! Every scanner here gives exactly the pieces of its namesake beside this folder.

#[cfg(target_arch = "x86_64")]
mod alike;
mod blocks;
mod cl100k;
mod classify;
mod deepseek3;
mod digits;
mod gpt2;
mod mixed;
mod o200k;

pub(super) use cl100k::Cl100k;
pub use classify::instructions;
pub(super) use deepseek3::Deepseek3;
pub(super) use gpt2::Gpt2;
pub(super) use mixed::Mixed;
pub(super) use o200k::O200k;

use super::visitor::{Ends, PieceVisitor};
use blocks::Blocks;
use classify::{BLOCK, Detail, Instructions, Lanes, Masks, Portable};
use std::ops::ControlFlow;

/// A pattern as a rule for borders.
pub(super) trait Borders: Default {
    /// The masks that it needs beside those that all do.
    type Detail: Detail;

    /// The bytes of the block at `base` that begin a piece. `BY_LINE`: every line, with its end, is a document.
    fn starts<const BY_LINE: bool>(
        &mut self,
        text: &[u8],
        base: usize,
        masks: &Masks<Self::Detail>,
        next: &Masks<Self::Detail>,
    ) -> u64;
}

/// Hands on all pieces. `BY_LINE`: the text is lines, each a document.
#[inline]
pub(super) fn walk<R: Borders, const BY_LINE: bool, B>(
    text: &[u8],
    visitor: &mut impl PieceVisitor<B>,
) -> ControlFlow<B> {
    walk_by::<R, BY_LINE, B>(Instructions::best(), text, visitor)
}

#[inline]
fn walk_by<R: Borders, const BY_LINE: bool, B>(
    instructions: Instructions,
    text: &[u8],
    visitor: &mut impl PieceVisitor<B>,
) -> ControlFlow<B> {
    let mut walk = Walk::<R, BY_LINE>::new(text);
    let mut starts = [0; BATCH];
    let mut start = 0;
    while walk.base < text.len() {
        let base = walk.base;
        // Where one piece begins the one before ends.
        let n_starts = walk.find(instructions, &mut starts);
        if let Some(&last) = starts[..n_starts].last() {
            visitor.pieces(Ends { start, base, offsets: starts[..n_starts].iter() })?;
            start = base + usize::from(last);
        }
    }
    if start < text.len() { visitor.pieces(std::iter::once(start..text.len())) } else { ControlFlow::Continue(()) }
}

/// Blocks whose borders are found before any piece is visited: each half of the work has the processor to itself.
const BLOCKS: usize = 8;
/// Room for the borders of the blocks.
const BATCH: usize = BLOCKS * BLOCK;

/// A text under way.
struct Walk<'t, R: Borders, const BY_LINE: bool> {
    text: &'t [u8],
    blocks: Blocks<'t>,
    borders: R,
    /// Of the block at `base`.
    masks: Masks<R::Detail>,
    base: usize,
}

#[allow(unsafe_code)] // Vector instructions, behind the check that the processor has them.
impl<'t, R: Borders, const BY_LINE: bool> Walk<'t, R, BY_LINE> {
    fn new(text: &'t [u8]) -> Self {
        let mut blocks = Blocks::new(text);
        // SAFETY: every processor has what `Portable` needs.
        let masks = unsafe { blocks.next::<Portable, R::Detail>() };
        Self { text, blocks, borders: R::default(), masks, base: 0 }
    }

    /// Where pieces begin in the next blocks, as offsets from `base` before the call; how many there are. The very first
    /// byte of the text is left out.
    #[inline]
    fn find(&mut self, instructions: Instructions, starts: &mut [u16; BATCH]) -> usize {
        // SAFETY: `Instructions` are those that the processor was found to have.
        match instructions {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { find_avx512(self, starts) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { find_avx2(self, starts) },
            Instructions::Portable => unsafe { self.find_with::<Portable>(starts) },
        }
    }

    /// # Safety
    /// As for [`Lanes`].
    #[allow(clippy::inline_always)] // The vector instructions are known only where it is inlined.
    #[inline(always)]
    unsafe fn find_with<L: Lanes>(&mut self, starts: &mut [u16; BATCH]) -> usize {
        // In variables of its own: what is behind a reference would be written to memory in each block.
        let (mut borders, mut masks) = (std::mem::take(&mut self.borders), self.masks);
        let mut n_starts = 0;
        for block in 0..BLOCKS {
            if self.base >= self.text.len() {
                break;
            }
            // SAFETY: the caller's promise.
            let next = unsafe { self.blocks.next::<L, R::Detail>() };
            let found = borders.starts::<BY_LINE>(self.text, self.base, &masks, &next) & masks.valid;
            let found = found & !u64::from(self.base == 0);
            // There is room for as many as there are bytes in the blocks so far, and more.
            if let Some(places) = starts.get_mut(n_starts..).and_then(<[u16]>::first_chunk_mut) {
                // SAFETY: the caller's promise.
                unsafe { L::write_places(found, (block * BLOCK) as u16, places) };
            }
            n_starts += found.count_ones() as usize;
            masks = next;
            self.base += BLOCK;
        }
        (self.borders, self.masks) = (borders, masks);
        n_starts
    }
}

#[cfg(target_arch = "x86_64")]
use with_features::{find_avx2, find_avx512};

#[cfg(target_arch = "x86_64")]
mod with_features {
    //! The same code, compiled for the vector instructions that a processor may have.
    #![allow(unsafe_code)] // Callers have seen that the processor has them.

    use super::classify::x86::{Avx2, Avx512};
    use super::{BATCH, Borders, Walk};

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn find_avx512<R: Borders, const BY_LINE: bool>(
        walk: &mut Walk<'_, R, BY_LINE>,
        starts: &mut [u16; BATCH],
    ) -> usize {
        // SAFETY: the features of this function.
        unsafe { walk.find_with::<Avx512>(starts) }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn find_avx2<R: Borders, const BY_LINE: bool>(
        walk: &mut Walk<'_, R, BY_LINE>,
        starts: &mut [u16; BATCH],
    ) -> usize {
        // SAFETY: the features of this function.
        unsafe { walk.find_with::<Avx2>(starts) }
    }
}

/// The bits moved on by one byte; the last one of the block before comes in.
#[inline]
fn before(bits: u64, previous: u64) -> u64 {
    bits << 1 | previous >> 63
}

/// The first bytes of the characters of white space that other text follows.
#[inline]
fn last_characters<D>(space: u64, masks: &Masks<D>, next: &Masks<D>) -> u64 {
    last_characters_before(space, space, next.space, masks, next)
}

/// The first bytes of the characters of white space that text other than `silent` follows; `next_silent` is of the next
/// block.
#[inline]
fn last_characters_before<D>(space: u64, silent: u64, next_silent: u64, masks: &Masks<D>, next: &Masks<D>) -> u64 {
    // What follows the block's last character, which may end in the next block.
    let following = next_silent >> next.inside.trailing_ones();
    let mut last = space & !(silent >> 1 | following << 63);
    while last & masks.inside != 0 {
        last = last & !masks.inside | (last & masks.inside) >> 1;
    }
    last
}

/// Contractions found so far, and what they mean for the next block.
#[derive(Debug, Default)]
struct Contractions {
    ends: u64,
    inner: u64,
}

impl Contractions {
    /// Where contractions at these apostrophes end, and where their letters begin.
    #[inline]
    fn find(
        &mut self,
        mut apostrophes: u64,
        text: &[u8],
        base: usize,
        contraction_end: impl Fn(&[u8], usize) -> Option<usize>,
    ) -> (u64, u64) {
        let (mut ends, mut inner) = (u128::from(self.ends), u128::from(self.inner));
        while apostrophes != 0 {
            let place = apostrophes.trailing_zeros() as usize;
            apostrophes &= apostrophes - 1;
            if let Some(end) = contraction_end(text, base + place) {
                ends |= 1 << (end - base);
                inner |= 2 << place;
            }
        }
        (self.ends, self.inner) = ((ends >> 64) as u64, (inner >> 64) as u64);
        (ends as u64, inner as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::visitor::Each;
    use super::super::{cl100k, deepseek3, gpt2, o200k, scan};
    use super::*;
    use proptest::prelude::*;
    use std::ops::Range;

    type Pieces = Vec<Range<usize>>;

    fn collect(walk: impl FnOnce(&mut dyn FnMut(Range<usize>) -> ControlFlow<()>) -> ControlFlow<()>) -> Pieces {
        let mut pieces = Vec::new();
        let _ = walk(&mut |piece| {
            pieces.push(piece);
            ControlFlow::Continue(())
        });
        pieces
    }

    /// The pieces that every set of instructions finds.
    fn wide<R: Borders, const BY_LINE: bool>(text: &[u8]) -> Pieces {
        let with = |each| collect(|visit| walk_by::<R, BY_LINE, ()>(each, text, &mut Each(visit)));
        let pieces = with(Instructions::Portable);
        for each in Instructions::available() {
            assert_eq!(with(each), pieces, "{each:?}");
        }
        pieces
    }

    fn slow(text: &[u8], piece_end: impl Fn(&[u8], usize) -> usize) -> Pieces {
        collect(|visit| scan(text, piece_end, visit))
    }

    fn slow_by_line(text: &[u8], piece_end: impl Fn(&[u8], usize) -> usize + Copy) -> Pieces {
        let mut start = 0;
        let mut pieces = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            pieces.extend(slow(line, piece_end).into_iter().map(|piece| piece.start + start..piece.end + start));
            start += line.len();
        }
        pieces
    }

    fn check(text: &[u8]) -> Result<(), TestCaseError> {
        check_one::<Gpt2>(text, gpt2::piece_end)?;
        check_one::<Cl100k<cl100k::Cl100k>>(text, cl100k::piece_end::<cl100k::Cl100k>)?;
        check_one::<Cl100k<cl100k::Llama3>>(text, cl100k::piece_end::<cl100k::Llama3>)?;
        check_one::<Cl100k<cl100k::Qwen2>>(text, cl100k::piece_end::<cl100k::Qwen2>)?;
        check_one::<Mixed<O200k<o200k::O200k>>>(text, o200k::piece_end::<o200k::O200k>)?;
        check_one::<Mixed<O200k<o200k::Tekken>>>(text, o200k::piece_end::<o200k::Tekken>)?;
        check_one::<Mixed<Deepseek3>>(text, deepseek3::piece_end)
    }

    fn check_one<R: Borders>(
        text: &[u8],
        piece_end: impl Fn(&[u8], usize) -> usize + Copy,
    ) -> Result<(), TestCaseError> {
        prop_assert_eq!(wide::<R, false>(text), slow(text, piece_end));
        prop_assert_eq!(wide::<R, true>(text), slow_by_line(text, piece_end));
        Ok(())
    }

    /// Characters around which the patterns differ, of every size in bytes.
    const HARD: &str = "'sdmtlvreSTLſK \t\r\n\u{a0}\u{2028}\u{3000}\u{85}1٣४½azABéßǅʰ漢\
        かヿ・\u{3040}\u{3099}🙂!./“\u{301}\u{1d7d8}\0\u{1c}";
    /// Those of them that some patterns leave to the scanner.
    const STRAYS: &[char] = &['\u{301}', '\u{3099}', '\u{3040}', '\0', '\u{1c}'];

    fn any_text() -> impl Strategy<Value = String> {
        let hard = prop::sample::select(HARD.chars().collect::<Vec<_>>());
        let one = prop_oneof![
            6 => hard.prop_map(String::from),
            1 => "[ \t]{1,70}",
            1 => "[a-z]{1,70}",
            1 => "[0-9]{1,70}",
            1 => "[!?]{1,5}[\r\n]{0,70}",
            1 => "([a-z]?'(s|ll|ve|re|LL|x|t)){1,4}",
            1 => "[A-Z]{1,70}",
            1 => "[漢ʰ]{1,3}[A-Z]{1,70}[a漢]?",
            1 => "([a漢]\u{301}{0,3}){1,5}",
            1 => "(![\r\n]{0,3}/{0,3}){1,5}",
            1 => "\n[ \t\u{3000}]{0,70}",
            1 => "[漢é]{1,30}",
            1 => "[かヿ・]{1,30}",
            1 => "[!'“][a-z]{1,70}é?",
        ];
        prop::collection::vec(one, 0..60).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn wide_borders_are_the_scanners(text in any_text()) {
            check(text.as_bytes())?;
            check(text.replace(STRAYS, "").as_bytes())?;
        }

        #[test]
        fn wide_borders_are_the_scanners_on_bad_bytes(text in prop::collection::vec(
            prop_oneof![any::<u8>(), Just(b' '), Just(b'\n'), Just(b'a'), Just(0xE3), Just(0x80), Just(b'\'')], 0..200)) {
            check(&text)?;
        }
    }
}
