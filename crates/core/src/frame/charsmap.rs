//! A compiled map of characters, as sentencepiece stores it: a double-array trie of UTF-8 bytes, and the texts it leads to.
//!
//! Layout: the number of bytes of the trie (u32, little endian), its units (u32 each), then texts that end in a zero byte.
//! Source of the trie: Darts-clone, a unit holds a label, an offset and whether a value follows.

use unicode_segmentation::UnicodeSegmentation;

use crate::Error;

/// A map, checked to lie within its bytes when it is read.
#[derive(Debug, Clone, Default)]
pub struct Charsmap {
    units: Vec<u32>,
    texts: Vec<u8>,
}

/// Graphemes of fewer bytes are looked up as a whole.
const SHORT: usize = 6;

impl Charsmap {
    /// Reads a map.
    ///
    /// # Errors
    /// [`Error::Model`] where it is cut short or not of whole units.
    pub fn new(data: &[u8]) -> Result<Self, Error> {
        let fault = |reason: &str| Error::Model { reason: format!("the compiled map of characters {reason}") };
        let (head, rest) = data.split_first_chunk::<4>().ok_or_else(|| fault("has fewer than 4 bytes"))?;
        let n_bytes = u32::from_le_bytes(*head) as usize;
        if n_bytes > rest.len() || !n_bytes.is_multiple_of(4) {
            return Err(fault(&format!("claims {n_bytes} bytes of trie; {} follow, and a unit has 4", rest.len())));
        }
        let (units, texts) = rest.split_at(n_bytes);
        let units = units.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        if std::str::from_utf8(texts).is_err() {
            return Err(fault("holds texts that are not UTF-8"));
        }
        Ok(Self { units, texts: texts.to_vec() })
    }

    /// Calls `visit` with the bytes of each key that the text begins with, shortest first, and its value.
    fn for_each_prefix(&self, text: &[u8], mut visit: impl FnMut(usize, usize)) {
        let Some(&root) = self.units.first() else { return };
        let mut at = offset(root);
        for (index, &byte) in text.iter().enumerate() {
            at ^= usize::from(byte);
            let Some(&unit) = self.units.get(at) else { return };
            if unit & (1 << 31 | 0xFF) != u32::from(byte) {
                return;
            }
            at ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let Some(&leaf) = self.units.get(at) else { return };
                visit(index + 1, (leaf & !(1 << 31)) as usize);
            }
        }
    }

    fn text_at(&self, value: usize) -> &str {
        let rest = self.texts.get(value..).unwrap_or_default();
        let n_bytes = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        std::str::from_utf8(&rest[..n_bytes]).unwrap_or_default()
    }

    /// The longest key that the text begins with, in bytes, and what it becomes.
    pub(super) fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let mut longest = None;
        self.for_each_prefix(text.as_bytes(), |n_bytes, value| longest = Some((n_bytes, value)));
        longest.map(|(n_bytes, value)| (n_bytes, self.text_at(value)))
    }

    /// What the shortest key in front becomes.
    fn shortest(&self, text: &str) -> Option<&str> {
        let mut shortest = None;
        self.for_each_prefix(text.as_bytes(), |_, value| shortest = shortest.or(Some(value)));
        shortest.map(|value| self.text_at(value))
    }

    /// The text as `tokenizers` maps it: short graphemes whole, others by their characters; the shortest key stands for all
    /// that is looked up.
    pub(super) fn normalized(&self, text: &str) -> String {
        let mut normalized = String::with_capacity(text.len());
        self.for_each_part(text, |part, becomes| normalized.push_str(becomes.unwrap_or(part)));
        normalized
    }

    /// Each character of the mapped text, with what `tokenizers` notes of it: 1 where it is put in, else minus the number
    /// of characters that go behind the one it stands for.
    pub(super) fn changes(&self, text: &str) -> Vec<(char, isize)> {
        let mut changes: Vec<(char, isize)> = Vec::new();
        self.for_each_part(text, |part, becomes| {
            let before = changes.len();
            let n_replaced = part.chars().count();
            let made = becomes.unwrap_or(part).chars();
            changes.extend(made.enumerate().map(|(index, each)| (each, isize::from(index >= n_replaced))));
            let n_removed = (before + n_replaced).saturating_sub(changes.len());
            // What goes at the very front is not noted.
            if let Some((_, change)) = changes.last_mut() {
                *change -= isize::try_from(n_removed).unwrap_or_default();
            }
        });
        changes
    }

    /// Calls `visit` with each part that is looked up, and what it becomes.
    fn for_each_part(&self, text: &str, mut visit: impl FnMut(&str, Option<&str>)) {
        for grapheme in text.graphemes(true) {
            if grapheme.len() < SHORT
                && let Some(mapped) = self.shortest(grapheme)
            {
                visit(grapheme, Some(mapped));
                continue;
            }
            for (start, character) in grapheme.char_indices() {
                let part = &grapheme[start..start + character.len_utf8()];
                visit(part, self.shortest(part));
            }
        }
    }
}

/// Where the children of a unit are, from itself.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}
