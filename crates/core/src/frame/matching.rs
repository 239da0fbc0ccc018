//! Where a step finds what it looks for, and what becomes of it.

use std::ops::{ControlFlow, Range};

use unicode_categories::UnicodeCategories;

use crate::Error;
use crate::split::Splitter;

/// What is looked for.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// This text.
    Text(String),
    /// A regular expression, compiled as a custom pattern.
    Regex(Splitter),
    /// A pattern all of whose pieces are matches.
    Pieces(Splitter),
    /// Single characters: white space.
    WhiteSpace,
    /// Single characters: numbers of any kind.
    Numeric,
    /// Single characters: punctuation, and the signs of ASCII.
    Punctuation,
}

/// What becomes of matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// They are left out.
    Removed,
    /// Each is a piece.
    Isolated,
    /// Each belongs to what is before it.
    MergedWithPrevious,
    /// Each belongs to what follows it.
    MergedWithNext,
    /// Those in a row are one piece.
    Contiguous,
}

impl Matcher {
    /// Calls `visit` with every match, left to right.
    pub(super) fn for_each(&self, text: &str, mut visit: impl FnMut(Range<usize>)) -> Result<(), Error> {
        match self {
            Self::Text(wanted) if wanted.is_empty() => {}
            Self::Text(wanted) => {
                for (start, _) in text.match_indices(wanted.as_str()) {
                    visit(start..start + wanted.len());
                }
            }
            Self::Regex(splitter) => return splitter.for_each_match(text, visit),
            Self::Pieces(splitter) => {
                let _ = splitter.for_each_piece::<()>(text.as_bytes(), |piece| {
                    visit(piece);
                    ControlFlow::Continue(())
                })?;
            }
            Self::WhiteSpace => single(text, char::is_whitespace, visit),
            Self::Numeric => single(text, char::is_numeric, visit),
            Self::Punctuation => single(text, is_punctuation, visit),
        }
        Ok(())
    }

    /// The text with all matches replaced.
    pub(super) fn replaced(&self, text: &str, by: &str) -> Result<String, Error> {
        let (mut replaced, mut end) = (String::with_capacity(text.len()), 0);
        self.for_each(text, |found| {
            replaced.push_str(&text[end..found.start]);
            replaced.push_str(by);
            end = found.end;
        })?;
        replaced.push_str(&text[end..]);
        Ok(replaced)
    }

    /// The ranges of a text that remain, in order.
    pub(super) fn cut(
        &self,
        text: &str,
        behavior: Behavior,
        invert: bool,
        mut visit: impl FnMut(Range<usize>),
    ) -> Result<(), Error> {
        let (mut parts, mut end) = (Vec::new(), 0);
        self.for_each(text, |found| {
            if end < found.start {
                parts.push((end..found.start, invert));
            }
            end = found.end;
            parts.push((found, !invert));
        })?;
        if end < text.len() {
            parts.push((end..text.len(), invert));
        }
        for part in behaved(parts, behavior) {
            if !part.is_empty() {
                visit(part);
            }
        }
        Ok(())
    }
}

fn single(text: &str, is_match: impl Fn(char) -> bool, mut visit: impl FnMut(Range<usize>)) {
    for (start, character) in text.char_indices() {
        if is_match(character) {
            visit(start..start + character.len_utf8());
        }
    }
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || character.is_punctuation()
}

/// Parts of a text, each with whether it is a match, as pieces.
fn behaved(parts: Vec<(Range<usize>, bool)>, behavior: Behavior) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    let mut before = None;
    match behavior {
        Behavior::Removed => return parts.into_iter().filter(|part| !part.1).map(|part| part.0).collect(),
        Behavior::Isolated => return parts.into_iter().map(|part| part.0).collect(),
        Behavior::Contiguous => {
            for (range, is_match) in parts {
                match pieces.last_mut() {
                    Some(last) if before == Some(is_match) => last.end = range.end,
                    _ => pieces.push(range),
                }
                before = Some(is_match);
            }
        }
        Behavior::MergedWithPrevious => {
            for (range, is_match) in parts {
                match pieces.last_mut() {
                    Some(last) if is_match && before != Some(true) => last.end = range.end,
                    _ => pieces.push(range),
                }
                before = Some(is_match);
            }
        }
        Behavior::MergedWithNext => {
            for (range, is_match) in parts.into_iter().rev() {
                match pieces.last_mut() {
                    Some(last) if is_match && before != Some(true) => last.start = range.start,
                    _ => pieces.push(range),
                }
                before = Some(is_match);
            }
            pieces.reverse();
        }
    }
    pieces
}
