//! Steps from text to text.

use unicode_categories::UnicodeCategories;
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
    /// What BERT does to texts, those of it that are wanted.
    Bert(Vec<BertStep>),
    /// As sentencepiece does.
    SentencePiece(Box<Normalizing>),
}

/// A part of what BERT does to texts, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BertStep {
    /// Control characters are left out, all white space is a space.
    Clean,
    /// A space goes before and behind each ideograph.
    Ideographs,
    /// Marks that take no room are left out, after canonical decomposition.
    Accents,
    /// Every character into lower case by itself.
    Lowercase,
}

impl BertStep {
    pub(super) fn run(self, text: &str) -> String {
        match self {
            Self::Clean => cleaned(text),
            Self::Ideographs => with_ideographs_apart(text),
            Self::Accents => without_accents(text),
            Self::Lowercase => text.chars().flat_map(char::to_lowercase).collect(),
        }
    }
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
            Self::Bert(steps) => steps.iter().fold(text, |text, step| step.run(&text)),
            Self::SentencePiece(normalizing) => normalizing.run(&text),
        })
    }
}

fn cleaned(text: &str) -> String {
    let keeps = |each: char| matches!(each, '\t' | '\n' | '\r') || !each.is_other();
    let kept = text.chars().filter(|&each| each != '\0' && each != char::REPLACEMENT_CHARACTER && keeps(each));
    kept.map(|each| if each.is_whitespace() { ' ' } else { each }).collect()
}

fn with_ideographs_apart(text: &str) -> String {
    let mut made = String::with_capacity(text.len() + text.len() / 2);
    for each in text.chars() {
        if is_ideograph(each) {
            made.extend([' ', each, ' ']);
        } else {
            made.push(each);
        }
    }
    made
}

/// The blocks that `tokenizers` lists; the one that begins with U+2B920 begins there at U+2B820 in Unicode.
fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B73F | 0x2_B740..=0x2_B81F
        | 0x2_B920..=0x2_CEAF | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F)
}

fn without_accents(text: &str) -> String {
    text.nfd().map(|(character, _)| character).filter(|character| !character.is_mark_nonspacing()).collect()
}
