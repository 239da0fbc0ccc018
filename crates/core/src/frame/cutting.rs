//! Steps that cut text into pieces, and may rewrite it.

use std::ops::Range;

use super::bytes;
use super::matching::{Behavior, Matcher};
use crate::Error;

/// When a step puts its character in front of a piece that does not begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prepend {
    /// Before every piece.
    Always,
    /// Before the piece that begins the document.
    First,
    /// Never.
    Never,
}

/// A step.
#[derive(Debug, Clone)]
pub enum Cut {
    /// Each piece is cut where something is found.
    Split {
        /// What is looked for.
        matcher: Matcher,
        /// What becomes of it.
        behavior: Behavior,
        /// The rest is meant instead.
        invert: bool,
    },
    /// Spaces become another character, and pieces begin with it.
    Metaspace {
        /// The character.
        replacement: char,
        /// Where it is put in front.
        prepend: Prepend,
        /// Whether to cut before it.
        split: bool,
    },
    /// Bytes become the characters that GPT-2 writes for them.
    ByteLevel {
        /// A space before each piece that does not begin with one.
        add_prefix_space: bool,
        /// The pattern that cuts before.
        matcher: Option<Matcher>,
        /// Whether bytes become characters; a model over bytes takes them as they are.
        spells: bool,
    },
}

/// A text and the ranges of it that are pieces, in order.
#[derive(Debug, Default, Clone)]
pub struct Pieces {
    /// The text.
    pub text: String,
    /// None is empty.
    pub ranges: Vec<Range<usize>>,
    /// So many bytes at the front come of the document's first character.
    pub n_first: usize,
}

impl Pieces {
    /// One piece, unless it is empty.
    #[must_use]
    pub fn whole(text: String, n_first: usize) -> Self {
        let whole = 0..text.len();
        Self { text, ranges: if whole.is_empty() { Vec::new() } else { vec![whole] }, n_first }
    }

    /// The pieces after a step.
    pub(crate) fn after(self, step: &Cut) -> Result<Self, Error> {
        match step {
            Cut::Split { matcher, behavior, invert } => self.split(matcher, *behavior, *invert),
            Cut::Metaspace { replacement, prepend, split } => {
                let prepends = |piece: &str, is_first: bool| {
                    (*prepend == Prepend::Always || *prepend == Prepend::First && is_first)
                        && !piece.starts_with([*replacement, ' '])
                };
                let front = |piece: &str, is_first: bool| prepends(piece, is_first).then_some(*replacement);
                let spaced =
                    self.rewritten(front, |each, text| text.push(if each == ' ' { *replacement } else { each }));
                if !split {
                    return Ok(spaced);
                }
                spaced.split(&Matcher::Text(replacement.to_string()), Behavior::MergedWithNext, false)
            }
            Cut::ByteLevel { add_prefix_space, matcher, spells } => {
                let front = |piece: &str, _: bool| (!piece.starts_with(' ')).then_some(' ');
                let spaced = if *add_prefix_space { self.rewritten(front, |each, text| text.push(each)) } else { self };
                let cut = match matcher {
                    Some(matcher) => spaced.split(matcher, Behavior::Isolated, false)?,
                    None => spaced,
                };
                if *spells {
                    let spell = |each: char, text: &mut String| {
                        text.extend(each.encode_utf8(&mut [0; 4]).bytes().map(bytes::character));
                    };
                    return Ok(cut.rewritten(|_, _| None, spell));
                }
                Ok(cut)
            }
        }
    }

    fn split(self, matcher: &Matcher, behavior: Behavior, invert: bool) -> Result<Self, Error> {
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for range in &self.ranges {
            let piece = &self.text[range.clone()];
            matcher
                .cut(piece, behavior, invert, |part| ranges.push(range.start + part.start..range.start + part.end))?;
        }
        Ok(Self { ranges, ..self })
    }

    /// Every piece written anew: what `front` says of it and of whether it begins with what comes of the first character,
    /// then each character as `write` does.
    fn rewritten(&self, front: impl Fn(&str, bool) -> Option<char>, write: impl Fn(char, &mut String)) -> Self {
        let mut made = Self { text: String::with_capacity(self.text.len() * 2), ..Self::default() };
        for range in &self.ranges {
            let (start, piece) = (made.text.len(), &self.text[range.clone()]);
            made.text.extend(front(piece, range.start < self.n_first));
            for (index, character) in piece.char_indices() {
                write(character, &mut made.text);
                if range.start + index < self.n_first {
                    made.n_first = made.text.len();
                }
            }
            made.ranges.push(start..made.text.len());
        }
        made
    }
}
