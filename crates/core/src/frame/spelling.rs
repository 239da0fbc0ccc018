//! Pieces of characters -> first symbols, where a file says more of them than a model's own parts do.

use std::collections::HashMap;

use super::Options;
use super::by_score::ByScore;
use crate::Error;
use crate::hash::Seed;
use crate::stop::Countdown;

/// What each character becomes, by its place in the piece.
#[derive(Debug, Clone)]
pub(crate) struct Speller {
    /// By [not the first][the last].
    characters: [[HashMap<char, u32, Seed>; 2]; 2],
    options: Options,
    /// The tokens `<0x00>` to `<0xFF>`.
    bytes: Vec<Option<u32>>,
    unk_id: Option<u32>,
    /// What merges here and not in the merge loop.
    by_score: Option<ByScore>,
}

impl Speller {
    pub(crate) fn new<'a>(
        tokens: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        options: &Options,
        unk_id: Option<u32>,
        seed: Seed,
    ) -> Self {
        let empty = || HashMap::with_hasher(seed);
        let mut characters = [[empty(), empty()], [empty(), empty()]];
        let mut bytes = vec![None; 256];
        let prefixes = [&[][..], options.subword_prefix.as_deref().unwrap_or_default()];
        let suffixes = [&[][..], options.suffix.as_deref().unwrap_or_default()];
        let by_score =
            (!options.scores.is_empty()).then(|| ByScore::new(tokens.clone(), &options.scores, &options.unused, seed));
        for (id, token) in tokens {
            let text = std::str::from_utf8(token).unwrap_or_default();
            if let Some(byte) = super::decoding::fallback_byte(text)
                && text == format!("<{byte:#04X}>")
            {
                bytes[usize::from(byte)] = Some(id);
            }
            for (rows, prefix) in characters.iter_mut().zip(prefixes) {
                for (table, suffix) in rows.iter_mut().zip(suffixes) {
                    let between = token.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
                    if let Some(character) = between.and_then(only_character) {
                        table.insert(character, id);
                    }
                }
            }
        }
        Self { characters, options: options.clone(), bytes, unk_id, by_score }
    }

    /// Appends the symbols of a piece.
    pub(crate) fn spell(
        &self,
        piece: &[u8],
        symbols: &mut Vec<u32>,
        countdown: &mut Countdown<'_>,
    ) -> Result<(), Error> {
        let text = String::from_utf8_lossy(piece);
        // An unknown token that is put down when the next known character comes, as in `tokenizers`.
        let mut unknown = false;
        if let Some(by_score) = &self.by_score {
            by_score.merge(&text, countdown, |id, spelling| self.put(id, spelling, &mut unknown, symbols))?;
            self.put_unknown(&mut unknown, symbols);
            return Ok(());
        }
        for (start, character) in text.char_indices() {
            countdown.spend(1)?;
            let is_last = start + character.len_utf8() == text.len();
            let table = &self.characters[usize::from(start > 0)][usize::from(is_last)];
            if let Some(&id) = table.get(&character) {
                self.put_unknown(&mut unknown, symbols);
                symbols.push(id);
            } else if !self.fall_back(character, start > 0, is_last, symbols) {
                if !self.options.fuse_unk {
                    self.put_unknown(&mut unknown, symbols);
                }
                unknown = true;
            }
        }
        self.put_unknown(&mut unknown, symbols);
        Ok(())
    }

    /// Appends a token, or a character that is none; bytes and what is unknown stand in the order of the text.
    fn put(&self, id: Option<u32>, spelling: &str, unknown: &mut bool, symbols: &mut Vec<u32>) {
        if let Some(id) = id {
            self.put_unknown(unknown, symbols);
            symbols.push(id);
            return;
        }
        for character in spelling.chars() {
            *unknown |= !self.fall_back(character, false, false, symbols);
        }
    }

    fn put_unknown(&self, unknown: &mut bool, symbols: &mut Vec<u32>) {
        if *unknown {
            symbols.extend(self.unk_id);
        }
        *unknown = false;
    }

    /// Appends the tokens of the bytes of a character, if all are there.
    fn fall_back(&self, character: char, follows: bool, is_last: bool, symbols: &mut Vec<u32>) -> bool {
        if !self.options.byte_fallback {
            return false;
        }
        let n_before = symbols.len();
        let mut buffer = [0; 4];
        let prefix = self.options.subword_prefix.as_deref().filter(|_| follows).unwrap_or_default();
        let suffix = self.options.suffix.as_deref().filter(|_| is_last).unwrap_or_default();
        for part in [prefix, character.encode_utf8(&mut buffer).as_bytes(), suffix] {
            for &byte in part {
                let Some(id) = self.bytes[usize::from(byte)] else {
                    symbols.truncate(n_before);
                    return false;
                };
                symbols.push(id);
            }
        }
        true
    }
}

fn only_character(token: &[u8]) -> Option<char> {
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}
