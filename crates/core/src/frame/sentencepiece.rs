//! How sentencepiece makes text ready, and text of pieces.

use std::collections::HashSet;

use super::charsmap::Charsmap;
use crate::specials::Specials;

/// What sentencepiece writes for U+0020.
const SPACE: &str = "\u{2581}";

/// The settings of a normalizer.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // They are independent, and named as in the files.
pub struct Normalizing {
    /// The map of characters; None keeps them.
    pub charsmap: Option<Charsmap>,
    /// A space before the text (or behind it).
    pub add_dummy_prefix: bool,
    /// Spaces at the ends are dropped, those in a row are one.
    pub remove_extra_whitespaces: bool,
    /// Spaces are written as U+2581.
    pub escape_whitespaces: bool,
    /// The added space is behind the text.
    pub whitespace_as_suffix: bool,
    /// Texts that are kept as they are.
    pub kept: Option<Specials>,
    /// No character changes but the space, and no kept text holds one.
    pub only_writes_spaces: bool,
}

impl Normalizing {
    /// The text, made ready.
    pub(super) fn run(&self, text: &str) -> String {
        let space = if self.escape_whitespaces { SPACE } else { " " };
        if self.only_writes_spaces {
            return self.with_spaces(text, space);
        }
        let mut rest = text;
        while self.remove_extra_whitespaces && !rest.is_empty() {
            let (n_bytes, becomes) = self.first(rest);
            if becomes != " " {
                break;
            }
            rest = &rest[n_bytes..];
        }
        let mut made = String::with_capacity(text.len() + 8);
        if rest.is_empty() {
            return made;
        }
        if self.add_dummy_prefix && !self.whitespace_as_suffix {
            made.push_str(space);
        }
        let mut after_space = self.remove_extra_whitespaces;
        while !rest.is_empty() {
            let (n_bytes, mut becomes) = self.first(rest);
            if after_space {
                becomes = becomes.trim_start_matches(' ');
            }
            if !becomes.is_empty() {
                for (index, part) in becomes.split(' ').enumerate() {
                    made.push_str(if index > 0 { space } else { "" });
                    made.push_str(part);
                }
                after_space = becomes.ends_with(' ');
            }
            after_space &= self.remove_extra_whitespaces;
            rest = &rest[n_bytes..];
        }
        while self.remove_extra_whitespaces && made.ends_with(space) {
            made.truncate(made.len() - space.len());
        }
        if self.add_dummy_prefix && self.whitespace_as_suffix {
            made.push_str(space);
        }
        made
    }

    /// What all of it comes to where nothing but spaces is written anew.
    fn with_spaces(&self, text: &str, space: &str) -> String {
        let mut made = String::with_capacity(text.len() + text.len() / 2 + 8);
        if text.is_empty() {
            return made;
        }
        if self.add_dummy_prefix && !self.whitespace_as_suffix {
            made.push_str(space);
        }
        let mut end = 0;
        for at in memchr::memchr_iter(b' ', text.as_bytes()) {
            made.push_str(&text[end..at]);
            made.push_str(space);
            end = at + 1;
        }
        made.push_str(&text[end..]);
        if self.add_dummy_prefix && self.whitespace_as_suffix {
            made.push_str(space);
        }
        made
    }

    /// How much of a text is taken together, in bytes, and what it becomes.
    fn first<'a>(&'a self, text: &'a str) -> (usize, &'a str) {
        if let Some(n_bytes) = self.kept.as_ref().and_then(|kept| kept.prefix_of(text.as_bytes())) {
            return (n_bytes, &text[..n_bytes]);
        }
        self.charsmap.as_ref().and_then(|map| map.longest(text)).unwrap_or_else(|| {
            let n_bytes = text.chars().next().map_or(0, char::len_utf8);
            (n_bytes, &text[..n_bytes])
        })
    }
}

/// The settings of a decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoding {
    /// A space in front was put there.
    pub add_dummy_prefix: bool,
    /// No text begins with a space.
    pub remove_extra_whitespaces: bool,
    /// What stands for the unknown token.
    pub unk_surface: String,
    /// Tokens that are no text.
    pub invisible: HashSet<String>,
}

/// Makes the text of tokens, piece by piece.
pub(super) fn decoded(tokens: &[String], decoding: &Decoding, unknown: Option<&str>) -> String {
    let (mut text, mut bytes, mut space_seen) = (String::new(), Vec::new(), false);
    for token in tokens {
        if let Some(byte) = super::decoding::fallback_byte(token) {
            bytes.push(byte);
            continue;
        }
        flush(&mut bytes, &mut text);
        if Some(token.as_str()) == unknown {
            text.push_str(&decoding.unk_surface);
            continue;
        }
        if decoding.invisible.contains(token) {
            continue;
        }
        let mut piece = token.as_str();
        let at_start = text.is_empty() && !space_seen;
        if at_start
            && (decoding.add_dummy_prefix || decoding.remove_extra_whitespaces)
            && let Some(rest) = piece.strip_prefix(SPACE)
        {
            piece = rest;
            space_seen = !decoding.remove_extra_whitespaces;
        }
        text.push_str(&piece.replace(SPACE, " "));
    }
    flush(&mut bytes, &mut text);
    text
}

/// Every byte that is part of no character becomes U+FFFD.
fn flush(bytes: &mut Vec<u8>, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    bytes.clear();
}
