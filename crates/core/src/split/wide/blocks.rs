//! A text in blocks of 64 bytes, with characters that begin in one and go on in the next.

use super::super::classes::{Class, multibyte_class_at};
#[cfg(target_arch = "x86_64")]
use super::alike;
use super::classify::{BLOCK, Detail, Lanes, Masks, Portable, classify};

/// Gives the blocks of a text one after the other.
pub(in crate::split) struct Blocks<'t> {
    text: &'t [u8],
    at: usize,
    /// The class of a character that goes on in the next block, how many of its bytes are there, and where it began.
    straddling: (Class, usize, usize),
}

impl<'t> Blocks<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, straddling: (Class::Other, 0, 0) }
    }

    /// The masks of the next block; beyond the end all is white space.
    ///
    /// # Safety
    /// As for [`Lanes`].
    #[allow(unsafe_code)]
    #[allow(clippy::inline_always)] // As for `classify`.
    #[inline(always)]
    pub(super) unsafe fn next<L: Lanes, D: Detail>(&mut self) -> Masks<D> {
        // SAFETY: the caller's promise.
        unsafe { self.next_with::<L, D>(|blocks, not_ascii| L::long_characters(blocks, not_ascii)) }
    }

    /// The same, where `long_characters` says the classes of characters that are not ASCII.
    ///
    /// # Safety
    /// As for [`Lanes`].
    #[allow(unsafe_code)]
    #[allow(clippy::inline_always)] // As for `classify`.
    #[inline(always)]
    pub(super) unsafe fn next_with<L: Lanes, D: Detail>(
        &mut self,
        long_characters: impl FnOnce(&mut Self, u64) -> Masks<D>,
    ) -> Masks<D> {
        let rest = &self.text[self.at.min(self.text.len())..];
        let (mut masks, not_ascii) = match rest.first_chunk() {
            // SAFETY: the caller's promise.
            Some(block) => unsafe { classify::<L, D>(block) },
            None => last_block(rest),
        };
        if not_ascii != 0 {
            // Masks of their own: what is handed on by its address would lie in memory in all blocks.
            let long = long_characters(self, not_ascii);
            masks.letter |= long.letter;
            masks.number |= long.number;
            masks.space |= long.space;
            masks.inside |= long.inside;
            masks.detail = masks.detail.or(long.detail);
        }
        self.at += BLOCK;
        masks
    }

    /// Characters that are not ASCII, many at once where that is possible.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn at_once<D: Detail>(&mut self, not_ascii: u64) -> Masks<D> {
        let (class, n_bytes, begin) = self.straddling;
        let straddling = (1 << n_bytes) - 1;
        if D::BY_CLASS
            && not_ascii.count_ones() >= alike::FEWEST
            && let Some((mut masks, last)) = alike::classes::<D>(self.text, self.at, not_ascii, straddling)
        {
            masks.add(class, straddling);
            masks.detail.add(class, straddling, self.text, begin);
            self.straddling = last.map_or((Class::Other, 0, 0), |place| {
                let (class, n_bytes) = multibyte_class_at(self.text, self.at + place);
                (class, place + n_bytes - BLOCK, self.at + place)
            });
            return masks;
        }
        self.one_by_one(not_ascii)
    }

    /// Characters that are not ASCII, of whatever kind.
    #[inline(never)]
    pub(super) fn one_by_one<D: Detail>(&mut self, not_ascii: u64) -> Masks<D> {
        let mut masks: Masks<D> = Masks { space: 0, ..Masks::beyond() };
        let (class, n_bytes, at) = self.straddling;
        let mut rest = not_ascii;
        if n_bytes > 0 {
            let bits = (1 << n_bytes) - 1;
            masks.add(class, bits);
            masks.detail.add(class, bits, self.text, at);
            masks.inside |= bits;
            rest &= !bits;
            self.straddling.1 = 0;
        }
        // Neighbours mostly have the same class: those are added together.
        let mut alike = (Class::Other, 0);
        while rest != 0 {
            let place = rest.trailing_zeros() as usize;
            let (class, n_bytes) = multibyte_class_at(self.text, self.at + place);
            let bits = ((1 << n_bytes) - 1) << place;
            if class != alike.0 {
                masks.add(alike.0, alike.1);
                alike = (class, 0);
            }
            alike.1 |= bits;
            masks.detail.add(class, bits, self.text, self.at + place);
            masks.inside |= bits & (bits << 1);
            rest &= !bits;
            if place + n_bytes > BLOCK {
                self.straddling = (class, place + n_bytes - BLOCK, self.at + place);
            }
        }
        masks.add(alike.0, alike.1);
        masks
    }
}

/// The last bytes of a text, fewer than a block.
#[cold]
fn last_block<D: Detail>(rest: &[u8]) -> (Masks<D>, u64) {
    if rest.is_empty() {
        return (Masks::beyond(), 0);
    }
    let mut block = [b'\t'; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    #[allow(unsafe_code)]
    // SAFETY: every processor has what `Portable` needs.
    let (mut masks, not_ascii) = unsafe { classify::<Portable, D>(&block) };
    masks.valid = (1 << rest.len()) - 1;
    (masks, not_ascii)
}
