//! Tokens -> text by steps.

use super::matching::Matcher;
use super::sentencepiece::{self, Decoding};
use super::{Frame, bytes};
use crate::Error;
use crate::decode::BadIds;
use crate::model::{Alphabet, Model};
use crate::stop::{Countdown, Stop};

/// A step.
#[derive(Debug, Clone)]
pub enum DecodeStep {
    /// Characters become the bytes they stand for, then text.
    ByteLevel,
    /// The character becomes a space, or nothing in the first token if it was put in front.
    Metaspace {
        /// The character.
        replacement: char,
        /// Whether it was put in front of the text.
        prepends: bool,
    },
    /// What is found in a token becomes another text.
    Replace(Matcher, String),
    /// `<0x00>` to `<0xFF>` become bytes, then text.
    ByteFallback,
    /// All tokens become one.
    Fuse,
    /// A character is taken off the ends of every token.
    Strip {
        /// The character.
        content: char,
        /// Off the beginning, at most so many.
        start: usize,
        /// Off the end, at most so many.
        stop: usize,
    },
    /// A suffix becomes a space, nothing in the last token.
    Bpe {
        /// The suffix.
        suffix: String,
    },
    /// As sentencepiece does.
    SentencePiece(Decoding),
}

/// The text of ids, by the steps of the model's frame.
///
/// # Errors
/// [`Error::BadId`] as `decode`; [`Error::Pattern`]; [`Error::Interrupted`].
pub fn decode(
    model: &Model,
    frame: &Frame,
    ids: &[u32],
    bad_ids: BadIds,
    stop: Stop<'_>,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(steps) = &frame.decoder else { return Ok(None) };
    let mut countdown = Countdown::new(stop);
    let mut tokens = Vec::with_capacity(ids.len());
    for (position, &id) in ids.iter().enumerate() {
        countdown.spend(8)?;
        match (spelled(model, id), bad_ids) {
            (Some(token), _) => tokens.push(token),
            (None, BadIds::Raise) => return Err(Error::BadId { position, id: u64::from(id) }),
            (None, BadIds::Replace) => tokens.push(String::from(char::REPLACEMENT_CHARACTER)),
            (None, BadIds::Skip) => {}
        }
    }
    let unknown = model.unk_id().and_then(|id| spelled(model, id));
    for step in steps {
        countdown.spend(8 * tokens.len())?;
        tokens = step.run(tokens, unknown.as_deref())?;
    }
    let between = if steps.is_empty() { " " } else { "" };
    Ok(Some(tokens.join(between).into_bytes()))
}

/// A token as its file writes it.
fn spelled(model: &Model, id: u32) -> Option<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match (model.special(id), model.token(id)) {
        (Some(special), _) => Some(text(special)),
        (None, Some(token)) if model.alphabet() == Alphabet::Bytes => Some(bytes::spelled(token)),
        (None, token) => token.map(text),
    }
}

/// The byte of a token such as `<0x0A>`.
pub(super) fn fallback_byte(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>').filter(|digits| digits.len() == 2)?;
    u8::from_str_radix(digits, 16).ok()
}

impl DecodeStep {
    fn run(&self, mut tokens: Vec<String>, unknown: Option<&str>) -> Result<Vec<String>, Error> {
        match self {
            Self::ByteLevel => return Ok(vec![from_byte_level(&tokens)]),
            Self::Metaspace { replacement, prepends } => {
                for (index, token) in tokens.iter_mut().enumerate() {
                    let by = if index == 0 && *prepends { "" } else { " " };
                    *token = token.replace(*replacement, by);
                }
            }
            Self::Replace(matcher, by) => {
                for token in &mut tokens {
                    *token = matcher.replaced(token, by)?;
                }
            }
            Self::ByteFallback => return Ok(from_fallback(tokens)),
            Self::Fuse => return Ok(vec![tokens.concat()]),
            Self::Strip { content, start, stop } => {
                for token in &mut tokens {
                    *token = stripped(token, *content, *start, *stop);
                }
            }
            Self::Bpe { suffix } => {
                let last = tokens.len().saturating_sub(1);
                for (index, token) in tokens.iter_mut().enumerate() {
                    *token = token.replace(suffix, if index == last { "" } else { " " });
                }
            }
            Self::SentencePiece(decoding) => return Ok(vec![sentencepiece::decoded(&tokens, decoding, unknown)]),
        }
        Ok(tokens)
    }
}

/// A token with a character that stands for no byte is taken as it is.
fn from_byte_level(tokens: &[String]) -> String {
    let mut decoded = Vec::new();
    for token in tokens {
        let before = decoded.len();
        for character in token.chars() {
            if let Some(byte) = bytes::byte(character) {
                decoded.push(byte);
            } else {
                decoded.truncate(before);
                decoded.extend_from_slice(token.as_bytes());
                break;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Bytes in a row that are no text become U+FFFD, all of them.
fn from_fallback(tokens: Vec<String>) -> Vec<String> {
    let (mut made, mut held) = (Vec::with_capacity(tokens.len()), Vec::new());
    let flush = |held: &mut Vec<u8>, made: &mut Vec<String>| {
        if !held.is_empty() {
            let replaced = |bytes: &[u8]| bytes.iter().map(|_| char::REPLACEMENT_CHARACTER).collect();
            made.push(std::str::from_utf8(held).map_or_else(|_| replaced(held), str::to_owned));
            held.clear();
        }
    };
    for token in tokens {
        if let Some(byte) = fallback_byte(&token) {
            held.push(byte);
            continue;
        }
        flush(&mut held, &mut made);
        made.push(token);
    }
    flush(&mut held, &mut made);
    made
}

fn stripped(token: &str, content: char, start: usize, stop: usize) -> String {
    let (mut left, mut start) = (token, start);
    while let Some(rest) = left.strip_prefix(content).filter(|_| start > 0) {
        (left, start) = (rest, start - 1);
    }
    let (mut both, mut stop) = (left, stop);
    while let Some(rest) = both.strip_suffix(content).filter(|_| stop > 0) {
        (both, stop) = (rest, stop - 1);
    }
    both.to_owned()
}
