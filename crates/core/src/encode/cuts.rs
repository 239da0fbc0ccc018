//! Where a long text can be cut so that its parts have the ids of the whole: for threads, and for files larger than memory.

use std::ops::{ControlFlow, Range};

use super::Encoder;
use super::subset::Subset;
use crate::Error;
use crate::specials::Segment;

/// The most bytes of a special.
const LONGEST_SPECIAL: usize = 4096;

impl Encoder {
    /// The last place in the beginning of a text, above 0, where it can be cut whatever follows; None where there is none.
    ///
    /// # Errors
    /// [`Error::Model`] for an id in `special` that is no special.
    pub fn last_certain_cut(&self, text: &[u8], special: &[u32]) -> Result<Option<usize>, Error> {
        let subset = self.subsets.get(&self.model, special)?;
        if subset.framed.is_some() {
            return Ok(None);
        }
        // A special that begins here may end in what follows.
        let most = if subset.finder.is_empty() { text.len() } else { text.len().saturating_sub(LONGEST_SPECIAL) };
        let mut segments = Vec::new();
        let _ = subset.finder.for_each_segment(text, |segment| {
            segments.push(segment);
            ControlFlow::<()>::Continue(())
        });
        let place = |segment| match segment {
            Segment::Special(_, range) => Some(range.start).filter(|start| (1..=most).contains(start)),
            Segment::Text(range) => self.cut_within(text, range, most),
        };
        Ok(segments.into_iter().rev().find_map(place))
    }

    /// The last certain cut of a segment at or before byte `most` of the text.
    fn cut_within(&self, text: &[u8], segment: Range<usize>, most: usize) -> Option<usize> {
        let part = &text[segment.clone()];
        let mut end = most.checked_sub(segment.start)?;
        loop {
            end = self.model.splitter().last_certain_cut(part, end)?;
            // What comes behind another cut would get a prefix space.
            if !self.model.add_prefix_space() || part[end] == b' ' {
                return Some(segment.start + end);
            }
        }
    }

    /// Cuts a text into parts of about `n_bytes` or more.
    pub(super) fn certain_parts(&self, text: &[u8], subset: &Subset, n_bytes: usize) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        if subset.framed.is_some() {
            parts.push(0..text.len());
            return parts;
        }
        let _ = subset.finder.for_each_segment(text, |segment| {
            if let Segment::Text(range) = segment {
                while let Some(cut) = self.next_cut(text, start.max(range.start)..range.end, start + n_bytes) {
                    parts.push(start..cut);
                    start = cut;
                }
            }
            ControlFlow::<()>::Continue(())
        });
        parts.push(start..text.len());
        parts
    }

    /// A certain cut of a segment near byte `wanted` of the text, or behind it; None where the segment ends before.
    fn next_cut(&self, text: &[u8], segment: Range<usize>, wanted: usize) -> Option<usize> {
        let mut n_bytes = wanted.saturating_sub(segment.start).max(1);
        while segment.start + n_bytes < segment.end {
            let until = segment.start + n_bytes;
            if let Some(cut) = self.cut_within(text, segment.clone(), until) {
                return Some(cut);
            }
            n_bytes *= 2;
        }
        None
    }
}
