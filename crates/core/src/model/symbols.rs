//! Pieces -> their first symbols, before any merge.
//!
//! A marker that is glued on makes other symbols of the last bytes or characters of pieces: those are a table of their own.

use std::collections::HashMap;

use super::vocabulary::{Ids, Vocabulary};
use super::{Alphabet, UNKNOWN, fault};
use crate::Error;
use crate::hash::Seed;
use crate::stop::Countdown;

/// Bytes spelled between two looks whether to stop.
const STRETCH: usize = 1 << 14;

/// What each byte or character becomes.
#[derive(Debug, Clone)]
pub(super) enum Symbols {
    Bytes(Box<[u32; 256]>),
    Chars {
        /// `UNKNOWN` where the character is no token.
        ascii: Box<[u32; 128]>,
        others: HashMap<char, u32, Seed>,
    },
}

impl Symbols {
    /// The symbols of bytes or characters, each with `suffix` behind it.
    pub(super) fn new(
        alphabet: Alphabet,
        suffix: &[u8],
        vocabulary: &Vocabulary,
        ids: &Ids,
        seed: Seed,
    ) -> Result<Self, Error> {
        match alphabet {
            Alphabet::Bytes => Self::bytes(suffix, ids),
            Alphabet::Chars => Ok(Self::chars(suffix, vocabulary, seed)),
        }
    }

    /// The id of each byte, if it is bytes that have ids.
    pub(super) fn byte_ids(&self) -> Option<&[u32; 256]> {
        match self {
            Self::Bytes(ids) => Some(ids),
            Self::Chars { .. } => None,
        }
    }

    fn bytes(suffix: &[u8], ids: &Ids) -> Result<Self, Error> {
        let mut symbols = Box::new([UNKNOWN; 256]);
        for byte in 0..=255u8 {
            let id = ids.get(&[&[byte], suffix].concat()).ok_or_else(|| no_byte(byte, suffix))?;
            symbols[usize::from(byte)] = id;
        }
        Ok(Self::Bytes(symbols))
    }

    fn chars(suffix: &[u8], vocabulary: &Vocabulary, seed: Seed) -> Self {
        let (mut ascii, mut others) = (Box::new([UNKNOWN; 128]), HashMap::with_hasher(seed));
        let character = |token: &[u8]| only_character(token.strip_suffix(suffix)?);
        for (id, character) in vocabulary.iter().filter_map(|(id, token)| Some((id, character(token)?))) {
            match ascii.get_mut(character as usize) {
                Some(place) => *place = id,
                None => _ = others.insert(character, id),
            }
        }
        Self::Chars { ascii, others }
    }

    /// Appends the symbols of a piece, `UNKNOWN` for each character (or bad byte) that is no token.
    ///
    /// Returns the first such character and its byte offset.
    pub(super) fn spell<'a>(
        &self,
        piece: &'a [u8],
        into: &mut Vec<u32>,
        countdown: &mut Countdown<'_>,
    ) -> Result<Option<(&'a [u8], usize)>, Error> {
        match self {
            Self::Bytes(ids) => {
                for stretch in piece.chunks(STRETCH) {
                    countdown.spend(stretch.len())?;
                    into.extend(stretch.iter().map(|&byte| ids[usize::from(byte)]));
                }
                Ok(None)
            }
            Self::Chars { ascii, others } => {
                let id_of = |character: char| match ascii.get(character as usize) {
                    Some(&id) => id,
                    None => others.get(&character).copied().unwrap_or(UNKNOWN),
                };
                spell_characters(piece, id_of, into, countdown)
            }
        }
    }
}

fn spell_characters<'a>(
    piece: &'a [u8],
    id_of: impl Fn(char) -> u32,
    into: &mut Vec<u32>,
    countdown: &mut Countdown<'_>,
) -> Result<Option<(&'a [u8], usize)>, Error> {
    let (mut unknown, mut chunk_start) = (None, 0);
    for chunk in piece.utf8_chunks() {
        for (offset, character) in chunk.valid().char_indices() {
            countdown.spend(1)?;
            let id = id_of(character);
            if id == UNKNOWN && unknown.is_none() {
                let start = chunk_start + offset;
                unknown = Some((&piece[start..start + character.len_utf8()], start));
            }
            into.push(id);
        }
        chunk_start += chunk.valid().len();
        into.extend(chunk.invalid().iter().map(|_| UNKNOWN));
        if !chunk.invalid().is_empty() && unknown.is_none() {
            unknown = Some((&piece[chunk_start..=chunk_start], chunk_start));
        }
        chunk_start += chunk.invalid().len();
    }
    Ok(unknown)
}

fn no_byte(byte: u8, suffix: &[u8]) -> Error {
    let marked = match String::from_utf8_lossy(suffix) {
        suffix if suffix.is_empty() => String::new(),
        suffix => format!(" with the end-of-word marker {suffix:?}"),
    };
    fault(format!("the byte 0x{byte:02X}{marked} is no token; a model over bytes needs all 256 single bytes{marked}"))
}

/// Where the last unit of a piece begins: its last byte, or its last character (or bad byte).
pub(super) fn last_unit(alphabet: Alphabet, piece: &[u8]) -> usize {
    let is_character = |&start: &usize| std::str::from_utf8(&piece[start..]).is_ok();
    let last = piece.len().saturating_sub(1);
    match alphabet {
        Alphabet::Bytes => last,
        // The nearest start from which on all is UTF-8 is that of one whole character.
        Alphabet::Chars => (piece.len().saturating_sub(4)..=last).rev().find(is_character).unwrap_or(last),
    }
}

/// The character that the token is, if it is just one.
fn only_character(token: &[u8]) -> Option<char> {
    let mut characters = std::str::from_utf8(token).ok()?.chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}
