//! Special tokens in text: where they are, and what lies between them.

use std::ops::{ControlFlow, Range};

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use crate::Error;

/// Bytes searched before a walk hands control back, so that a walk over a huge text can be stopped.
const WINDOW: usize = 1 << 20;

/// The most bytes of a special: the time to build the automaton grows with the square of the longest.
const MAX_BYTES: usize = 4096;

/// A set of special texts, ready to be found: leftmost first, then longest, whatever the order of definition.
///
/// ```
/// use bytepair_core::specials::Specials;
/// let specials = Specials::new(&[b"<a>".to_vec(), b"<a><b>".to_vec()])?;
/// assert_eq!(specials.find_at(b"x<a><b>", 0), Some((1, 1..7)));
/// # Ok::<(), bytepair_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Specials {
    /// None where there is nothing to find.
    automaton: Option<AhoCorasick>,
}

/// A part of a document, as ranges of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Ordinary text, never empty.
    Text(Range<usize>),
    /// A special: its index in the texts given to [`Specials::new`], and where it is.
    Special(usize, Range<usize>),
}

impl Specials {
    /// Builds the automaton of `texts`. Of two equal texts the first is the one that is found.
    ///
    /// # Errors
    /// [`Error::Model`] for an empty text or one of more than 4,096 bytes, or where the automaton would be too large to build.
    pub fn new(texts: &[Vec<u8>]) -> Result<Self, Error> {
        if let Some(index) = texts.iter().position(Vec::is_empty) {
            return Err(Error::Model { reason: format!("special token {index} is empty; it must have text") });
        }
        if let Some((index, text)) = texts.iter().enumerate().find(|(_, text)| text.len() > MAX_BYTES) {
            let reason = format!("special token {index} has {} bytes; it may have {MAX_BYTES}", text.len());
            return Err(Error::Model { reason });
        }
        if texts.is_empty() {
            return Ok(Self { automaton: None });
        }
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts);
        let automaton = built.map_err(|error| Error::Model {
            reason: format!("the {} special tokens cannot be searched for: {error}", texts.len()),
        })?;
        Ok(Self { automaton: Some(automaton) })
    }

    /// As [`Specials::new`], ready for [`Specials::prefix_of`] alone.
    ///
    /// # Errors
    /// As [`Specials::new`].
    pub fn of_prefixes(texts: &[Vec<u8>]) -> Result<Self, Error> {
        let whole = Self::new(texts)?;
        if whole.is_empty() {
            return Ok(whole);
        }
        let mut builder = AhoCorasick::builder();
        let built = builder.match_kind(MatchKind::LeftmostLongest).start_kind(StartKind::Anchored).build(texts);
        let automaton = built.map_err(|error| Error::Model { reason: error.to_string() })?;
        Ok(Self { automaton: Some(automaton) })
    }

    /// Whether there is nothing to find.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// The leftmost, then longest special that starts at byte `from` or later: (index in the texts, range in `text`).
    #[must_use]
    pub fn find_at(&self, text: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        self.find_between(text, from, text.len())
    }

    /// The bytes of the longest that the text begins with.
    #[must_use]
    pub fn prefix_of(&self, text: &[u8]) -> Option<usize> {
        let found = self.automaton.as_ref()?.find(Input::new(text).anchored(Anchored::Yes))?;
        Some(found.end())
    }

    /// As [`Specials::find_at`], for specials that start before byte `until`.
    fn find_between(&self, text: &[u8], from: usize, until: usize) -> Option<(usize, Range<usize>)> {
        let automaton = self.automaton.as_ref()?;
        let end = until.saturating_add(automaton.max_pattern_len()).min(text.len());
        let found = automaton.find(Input::new(text).range(from.min(end)..end))?;
        (found.start() < until).then(|| (found.pattern().as_usize(), found.range()))
    }

    /// Walks `text` from left to right, segment by segment; together they are the text.
    ///
    /// ```
    /// use bytepair_core::specials::{Segment, Specials};
    /// use std::ops::ControlFlow;
    /// let specials = Specials::new(&[b"<s>".to_vec()])?;
    /// let mut seen = Vec::new();
    /// let _ = specials.for_each_segment(b"a<s>", |segment| -> ControlFlow<()> {
    ///     seen.push(segment);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(seen, [Segment::Text(0..1), Segment::Special(0, 1..4)]);
    /// # Ok::<(), bytepair_core::Error>(())
    /// ```
    pub fn for_each_segment<B>(&self, text: &[u8], mut visit: impl FnMut(Segment) -> ControlFlow<B>) -> ControlFlow<B> {
        self.walk(text, &mut visit, |visit, segment| visit(segment), |_| ControlFlow::Continue(()))
    }

    /// [`Specials::for_each_segment`] over some `state`, which is also asked now and then whether to go on.
    pub(crate) fn walk<S, B>(
        &self,
        text: &[u8],
        state: &mut S,
        mut visit: impl FnMut(&mut S, Segment) -> ControlFlow<B>,
        mut go_on: impl FnMut(&mut S) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (mut start, mut from) = (0, 0);
        while !self.is_empty() && from < text.len() {
            let until = text.len().min(from.saturating_add(WINDOW));
            let Some((index, range)) = self.find_between(text, from, until) else {
                go_on(state)?;
                from = until;
                continue;
            };
            if start < range.start {
                visit(state, Segment::Text(start..range.start))?;
            }
            (start, from) = (range.end, range.end);
            visit(state, Segment::Special(index, range))?;
        }
        if start < text.len() { visit(state, Segment::Text(start..text.len())) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(specials: &[&str]) -> Vec<Vec<u8>> {
        specials.iter().map(|text| text.as_bytes().to_vec()).collect()
    }

    fn walk(specials: &[&str], text: &[u8]) -> Vec<Segment> {
        let mut seen = Vec::new();
        let _ = Specials::new(&texts(specials)).unwrap().for_each_segment(text, |segment| -> ControlFlow<()> {
            seen.push(segment);
            ControlFlow::Continue(())
        });
        seen
    }

    #[test]
    fn longest_of_the_leftmost_whatever_the_order() {
        for specials in [["<a>", "<a><b>", "a<b>"], ["a<b>", "<a><b>", "<a>"]] {
            let built = Specials::new(&texts(&specials)).unwrap();
            let (index, range) = built.find_at(b"..<a><b>", 0).unwrap();
            assert_eq!((specials[index], range), ("<a><b>", 2..8));
            let (index, range) = built.find_at(b"..<a<b>", 0).unwrap();
            assert_eq!((specials[index], range), ("a<b>", 3..7));
        }
    }

    #[test]
    fn segments_are_the_text() {
        assert_eq!(walk(&["<s>"], b""), []);
        assert_eq!(walk(&[], b"ab"), [Segment::Text(0..2)]);
        assert_eq!(walk(&["<s>"], b"<s><s>"), [Segment::Special(0, 0..3), Segment::Special(0, 3..6)]);
        let around = [Segment::Text(0..1), Segment::Special(0, 1..4), Segment::Text(4..5)];
        assert_eq!(walk(&["<s>"], b"a<s>b"), around);
    }

    #[test]
    fn a_window_border_hides_nothing() {
        for start in WINDOW - 7..=WINDOW + 1 {
            let text = [vec![b'.'; start], b"<a><b>.<a>.".to_vec()].concat();
            let expected = [
                Segment::Text(0..start),
                Segment::Special(1, start..start + 6),
                Segment::Text(start + 6..start + 7),
                Segment::Special(0, start + 7..start + 10),
                Segment::Text(start + 10..start + 11),
            ];
            assert_eq!(walk(&["<a>", "<a><b>"], &text), expected, "special at {start}");
        }
    }

    #[test]
    fn from_past_the_end_finds_nothing() {
        assert_eq!(Specials::new(&texts(&["a"])).unwrap().find_at(b"aa", 9), None);
    }

    #[test]
    fn an_empty_special_is_refused() {
        let error = Specials::new(&texts(&["a", ""])).unwrap_err();
        assert_eq!(error, Error::Model { reason: "special token 1 is empty; it must have text".into() });
    }
}
