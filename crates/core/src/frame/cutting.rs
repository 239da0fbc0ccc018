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
}

impl Pieces {
    /// One piece, unless it is empty.
    #[must_use]
    pub fn whole(text: String) -> Self {
        let whole = 0..text.len();
        Self { text, ranges: if whole.is_empty() { Vec::new() } else { vec![whole] } }
    }

    /// The pieces after a step; `begins`: the text begins the document.
    pub(crate) fn after(self, step: &Cut, begins: bool) -> Result<Self, Error> {
        match step {
            Cut::Split { matcher, behavior, invert } => self.split(matcher, *behavior, *invert),
            Cut::Metaspace { replacement, prepend, split } => {
                let spaced = self.rewritten(|piece, is_first, text| {
                    let prepends = match prepend {
                        Prepend::Always => true,
                        Prepend::First => is_first && begins,
                        Prepend::Never => false,
                    };
                    if prepends && !piece.starts_with([*replacement, ' ']) {
                        text.push(*replacement);
                    }
                    text.extend(piece.chars().map(|each| if each == ' ' { *replacement } else { each }));
                });
                if !split {
                    return Ok(spaced);
                }
                spaced.split(&Matcher::Text(replacement.to_string()), Behavior::MergedWithNext, false)
            }
            Cut::ByteLevel { add_prefix_space, matcher, spells } => {
                let spaced = if *add_prefix_space {
                    self.rewritten(|piece, _, text| {
                        text.push_str(if piece.starts_with(' ') { "" } else { " " });
                        text.push_str(piece);
                    })
                } else {
                    self
                };
                let cut = match matcher {
                    Some(matcher) => spaced.split(matcher, Behavior::Isolated, false)?,
                    None => spaced,
                };
                if *spells {
                    return Ok(cut.rewritten(|piece, _, text| text.push_str(&bytes::spelled(piece.as_bytes()))));
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
        Ok(Self { text: self.text, ranges })
    }

    /// Every piece written anew; the first one that begins the text is told.
    fn rewritten(&self, write: impl Fn(&str, bool, &mut String)) -> Self {
        let mut made = Self { text: String::with_capacity(self.text.len() * 2), ranges: Vec::new() };
        for range in &self.ranges {
            let start = made.text.len();
            write(&self.text[range.clone()], range.start == 0, &mut made.text);
            made.ranges.push(start..made.text.len());
        }
        made
    }
}
