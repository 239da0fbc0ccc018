//! Steps from text to text.

use unicode_normalization_alignments::UnicodeNormalization;
pub(super) use unicode_normalization_alignments::char::is_combining_mark as is_mark;

use super::bytes;
use super::charsmap::Charsmap;
use super::matching::Matcher;
use super::sentencepiece::Normalizing;
use crate::Error;

/// A normal form of Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatible composition.
    Nfkc,
    /// Compatible decomposition.
    Nfkd,
}

/// A step.
#[derive(Debug, Clone)]
pub enum Normalizer {
    /// Into a normal form, by the tables of `unicode-normalization-alignments`, as in `tokenizers`.
    Unicode(Form),
    /// Every character into lower case by itself.
    Lowercase,
    /// The text into lower case: a capital sigma at the end of a word becomes a final one.
    LowercaseText,
    /// White space is taken off the ends.
    Strip {
        /// Off the beginning.
        left: bool,
        /// Off the end.
        right: bool,
    },
    /// Combining marks are left out.
    StripAccents,
    /// This comes before text that is not empty.
    Prepend(String),
    /// What is found becomes another text.
    Replace(Matcher, String),
    /// The characters of a map become others.
    Precompiled(Charsmap),
    /// Bytes become the characters that GPT-2 writes for them.
    ByteLevel,
    /// As sentencepiece does.
    SentencePiece(Box<Normalizing>),
}

impl Normalizer {
    /// The text after this step.
    pub(super) fn run(&self, text: String) -> Result<String, Error> {
        Ok(match self {
            // Every form keeps ASCII.
            Self::Unicode(_) if text.is_ascii() => text,
            Self::Unicode(Form::Nfc) => text.nfc().map(|(character, _)| character).collect(),
            Self::Unicode(Form::Nfd) => text.nfd().map(|(character, _)| character).collect(),
            Self::Unicode(Form::Nfkc) => text.nfkc().map(|(character, _)| character).collect(),
            Self::Unicode(Form::Nfkd) => text.nfkd().map(|(character, _)| character).collect(),
            Self::Lowercase => text.chars().flat_map(char::to_lowercase).collect(),
            Self::LowercaseText => text.to_lowercase(),
            Self::Strip { left, right } => {
                let text = if *left { text.trim_start() } else { &text };
                let text = if *right { text.trim_end() } else { text };
                text.to_owned()
            }
            Self::StripAccents => text.chars().filter(|&character| !is_mark(character)).collect(),
            Self::Prepend(_) if text.is_empty() => text,
            Self::Prepend(front) => [front, text.as_str()].concat(),
            Self::Replace(matcher, by) => matcher.replaced(&text, by)?,
            Self::Precompiled(charsmap) => charsmap.normalized(&text),
            Self::ByteLevel => bytes::spelled(text.as_bytes()),
            Self::SentencePiece(normalizing) => normalizing.run(&text),
        })
    }
}
