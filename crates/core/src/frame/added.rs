//! Added tokens: where they are in a text.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use fancy_regex::Regex;

use crate::Error;

/// A token that is found in text before all else.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // They are independent, and named as in the files.
pub struct Added {
    /// Its text.
    pub text: String,
    /// Its id.
    pub id: u32,
    /// Found only where a call says so.
    pub special: bool,
    /// Found only where no word character is beside it.
    pub single_word: bool,
    /// It takes the white space before it.
    pub lstrip: bool,
    /// It takes the white space behind it.
    pub rstrip: bool,
    /// It is looked for, normalized itself, in the normalized text.
    pub normalized: bool,
}

/// Some added tokens, ready to be found.
#[derive(Debug, Clone)]
pub(crate) struct Finder {
    automaton: AhoCorasick,
    added: Vec<Added>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Text(Range<usize>),
    Token(u32, Range<usize>),
}

impl Finder {
    /// Each token with the text to look for; None where there is none.
    pub(crate) fn new(added: Vec<(String, Added)>) -> Result<Option<Self>, Error> {
        let (texts, added): (Vec<String>, Vec<Added>) = added.into_iter().unzip();
        if texts.is_empty() {
            return Ok(None);
        }
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts);
        let automaton = built.map_err(|error| Error::Model {
            reason: format!("the {} added tokens cannot be searched for: {error}", texts.len()),
        })?;
        Ok(Some(Self { automaton, added }))
    }

    /// The parts of a text, none of them empty text.
    pub(crate) fn parts(&self, text: &str) -> Vec<Found> {
        let (mut parts, mut end) = (Vec::new(), 0);
        for found in self.automaton.find_iter(text) {
            let added = &self.added[found.pattern().as_usize()];
            let (mut start, mut stop) = (found.start(), found.end());
            if added.single_word && (ends_in_word(&text[..start]) || begins_with_word(&text[stop..])) {
                continue;
            }
            if added.lstrip {
                start = text[..start].trim_end().len().max(end);
            }
            if added.rstrip {
                stop = text.len() - text[stop..].trim_start().len();
            }
            // All of it may have gone to the one before.
            if start >= stop {
                continue;
            }
            if end < start {
                parts.push(Found::Text(end..start));
            }
            parts.push(Found::Token(added.id, start..stop));
            end = stop;
        }
        if end < text.len() {
            parts.push(Found::Text(end..text.len()));
        }
        parts
    }
}

fn begins_with_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_word)
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_word)
}

/// What `\w` is to the engine that cuts.
fn is_word(character: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w").ok());
    let is_match = |word: &Regex| word.is_match(character.encode_utf8(&mut [0; 4])).unwrap_or(false);
    WORD.as_ref().is_some_and(is_match)
}
