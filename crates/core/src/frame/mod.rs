//! What a loaded file does round the merges, beyond a model's own parts: text is normalized and cut by steps, added tokens
//! always match, ids are decoded by steps. Slower than the named patterns, and exact.
//!
//! The steps mean what they mean in Hugging Face's `tokenizers` 0.23, whose files they come from; `SentencePiece` steps mean
//! what they mean in sentencepiece 0.2.

mod added;
mod beginning;
mod by_score;
mod bytes;
mod charsmap;
mod cutting;
mod decoding;
mod matching;
mod normalizing;
mod sentencepiece;
mod spelling;

pub use added::Added;
pub(crate) use added::{Finder, Found};
pub use bytes::byte as byte_of;
pub use charsmap::Charsmap;
pub use cutting::{Cut, Pieces, Prepend};
pub use decoding::{DecodeStep, decode};
pub use matching::{Behavior, Matcher};
pub use normalizing::{BertStep, Form, Normalizer};
pub use sentencepiece::{Decoding as SentencePieceDecoding, Normalizing as SentencePieceNormalizing};
pub(crate) use spelling::Speller;

use crate::Error;
use crate::stop::Countdown;

/// The steps and options; the default changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// What happens to the text between added tokens, in order.
    pub normalizer: Vec<Normalizer>,
    /// What cuts it, in order; None: the model's own pattern.
    pub cutting: Option<Vec<Cut>>,
    /// How tokens become text; None: their bytes in a row.
    pub decoder: Option<Vec<DecodeStep>>,
    /// Tokens that are found in text before all else.
    pub added: Vec<Added>,
    /// What else the merges go by.
    pub options: Options,
}

/// What else the merges go by.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // They are independent, and named as in the files.
pub struct Options {
    /// An unknown character becomes the tokens of its bytes, `<0x00>` to `<0xFF>`, where all are there.
    pub byte_fallback: bool,
    /// Unknown characters in a row become one unknown token.
    pub fuse_unk: bool,
    /// A piece that is a token is that token.
    pub ignore_merges: bool,
    /// What is in front of every symbol but the first of a piece.
    pub subword_prefix: Option<Vec<u8>>,
    /// What is behind the last symbol of a piece.
    pub suffix: Option<Vec<u8>>,
    /// (left, right) of pairs that merge when no others can any more, the leftmost first.
    pub leftmost: Vec<(u32, u32)>,
    /// (id, place) of tokens that are merged by score and not by pairs: the least place first, of equal ones the leftmost.
    pub scores: Vec<(u32, u32)>,
    /// Tokens that are merged by score, and taken apart again at the end.
    pub unused: Vec<u32>,
    /// Tokens that become others at the very end.
    pub replaced: Vec<(u32, Vec<u32>)>,
    /// Symbols are spelled here: characters that are unknown and have no token are left out.
    pub spells: bool,
}

impl Frame {
    /// Whether text comes to the merges as it is, but for added tokens.
    #[must_use]
    pub fn keeps_text(&self) -> bool {
        self.normalizer.is_empty() && self.cutting.is_none()
    }

    /// Whether added tokens are normalized themselves before they are looked for; sentencepiece takes them as they are.
    pub(crate) fn normalizes_added(&self) -> bool {
        !self.normalizer.iter().any(|step| matches!(step, Normalizer::SentencePiece(_)))
    }

    /// Whether some step goes by what comes of the document's first character.
    fn asks_for_start(&self) -> bool {
        let mut steps = self.cutting.iter().flatten();
        steps.any(|step| matches!(step, Cut::Metaspace { prepend: Prepend::First, .. }))
    }

    /// The bytes at the front of the normalized text that come of the first character of a text that begins a document;
    /// 0 where no step asks.
    ///
    /// # Errors
    /// [`Error::Pattern`] where a regular expression gives up; [`Error::Interrupted`].
    pub(crate) fn start(&self, text: &str, countdown: &mut Countdown<'_>) -> Result<usize, Error> {
        if !self.asks_for_start() {
            return Ok(0);
        }
        let (mut text, mut n_first) = (text.to_owned(), text.chars().next().map_or(0, char::len_utf8));
        for step in &self.normalizer {
            countdown.spend(text.len())?;
            n_first = step.begin(&text, n_first)?;
            text = step.run(text)?;
        }
        Ok(n_first)
    }

    /// What an added token decodes to: its text as it is found, through a decoder of bytes where there are no steps.
    pub(crate) fn decoded(&self, added: &Added) -> Result<Vec<u8>, Error> {
        let found = if added.normalized && self.normalizes_added() {
            self.normalized(&added.text, &mut Countdown::new(None))?
        } else {
            added.text.clone()
        };
        if self.decoder.is_some() || self.options.spells {
            return Ok(found.into_bytes());
        }
        let bytes: Option<Vec<u8>> = found.chars().map(bytes::byte).collect();
        Ok(bytes.unwrap_or_else(|| found.into_bytes()))
    }

    /// The text after all steps of the normalizer.
    ///
    /// # Errors
    /// [`Error::Pattern`] where a regular expression gives up; [`Error::Interrupted`].
    pub(crate) fn normalized(&self, text: &str, countdown: &mut Countdown<'_>) -> Result<String, Error> {
        let Some((first, others)) = self.normalizer.split_first() else { return Ok(text.to_owned()) };
        countdown.spend(text.len())?;
        let mut text = match first {
            // The one step of a SentencePiece model needs no copy.
            Normalizer::SentencePiece(normalizing) => normalizing.run(text),
            _ => first.run(text.to_owned())?,
        };
        for step in others {
            countdown.spend(text.len())?;
            text = step.run(text)?;
        }
        Ok(text)
    }
}
