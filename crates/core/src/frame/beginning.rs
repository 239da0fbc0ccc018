//! How much of a text, while it is rewritten, still comes of the document's first character.
//!
//! `Metaspace` with `prepend_scheme` "first" puts its character before every piece that begins there; `tokenizers` finds
//! them by the places in the document that it carries along. Those of the first character are always at the front, so
//! their number of bytes says all.

use unicode_normalization_alignments::UnicodeNormalization;

use super::normalizing::{BertStep, Form, Normalizer, is_mark};
use crate::Error;

impl Normalizer {
    /// The bytes at the front of the text after this step that come of the first character, where `n_first` of the
    /// text before it did.
    pub(super) fn begin(&self, text: &str, n_first: usize) -> Result<usize, Error> {
        if n_first == 0 {
            return Ok(0);
        }
        Ok(match self {
            Self::Unicode(Form::Nfc) => changed(text, n_first, text.nfc()),
            Self::Unicode(Form::Nfd) => changed(text, n_first, text.nfd()),
            Self::Unicode(Form::Nfkc) => changed(text, n_first, text.nfkc()),
            Self::Unicode(Form::Nfkd) => changed(text, n_first, text.nfkd()),
            Self::Lowercase | Self::LowercaseText => {
                text[..n_first].chars().flat_map(char::to_lowercase).map(char::len_utf8).sum()
            }
            Self::ByteLevel => super::bytes::spelled(&text.as_bytes()[..n_first]).len(),
            Self::Strip { left, right } => {
                let end = if *right { text.trim_end().len() } else { text.len() };
                let start = if *left { text.len() - text.trim_start().len() } else { 0 };
                n_first.min(end).saturating_sub(start)
            }
            Self::StripAccents => {
                text[..n_first].chars().filter(|&character| !is_mark(character)).map(char::len_utf8).sum()
            }
            Self::Prepend(front) => front.len() + n_first,
            Self::Replace(matcher, by) => replaced(n_first, by, |visit| matcher.for_each(text, visit))?,
            Self::Precompiled(charsmap) => changed(text, n_first, charsmap.changes(text).into_iter()),
            Self::Bert(steps) => {
                let (mut text, mut n_first) = (text.to_owned(), n_first);
                for step in steps {
                    n_first = bert(*step, &text, n_first);
                    text = step.run(&text);
                }
                n_first
            }
            // Made for another library, which has no such cut.
            Self::SentencePiece(_) => 0,
        })
    }
}

fn bert(step: BertStep, text: &str, n_first: usize) -> usize {
    if step != BertStep::Accents {
        return step.run(&text[..n_first]).len();
    }
    let n_decomposed = changed(text, n_first, text.nfd());
    let decomposed: String = text.nfd().map(|(character, _)| character).collect();
    step.run(&decomposed[..n_decomposed]).len()
}

/// By the changes of a step: each character it makes, with 1 where it is put in, else minus the number of characters
/// that go behind the one it stands for. What is put in is at the place of what is before it.
fn changed(text: &str, n_first: usize, changes: impl Iterator<Item = (char, isize)>) -> usize {
    let (mut at, mut n_bytes, mut characters) = (0, 0, text.chars());
    for (character, change) in changes {
        let place = if change > 0 { at.max(1) - 1 } else { at };
        if place >= n_first {
            break;
        }
        n_bytes += character.len_utf8();
        if change <= 0 {
            at += characters.by_ref().take(1 + change.unsigned_abs()).map(char::len_utf8).sum::<usize>();
        }
    }
    n_bytes
}

/// What replaces a match is at the place of the match's last byte.
fn replaced(
    n_first: usize,
    by: &str,
    for_each_match: impl FnOnce(&mut dyn FnMut(std::ops::Range<usize>)) -> Result<(), Error>,
) -> Result<usize, Error> {
    let (mut n_bytes, mut end) = (0, 0);
    for_each_match(&mut |found| {
        n_bytes += found.start.min(n_first).saturating_sub(end);
        n_bytes += if found.end <= n_first { by.len() } else { 0 };
        end = found.end;
    })?;
    Ok(n_bytes + n_first.saturating_sub(end))
}
