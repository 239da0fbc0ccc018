//! Pieces -> symbols before any merge.

use super::EndOfWord;
use super::symbols::Symbols;
use crate::error::Error;
use crate::tally::PieceCounts;

/// What the first symbols are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// All 256 bytes, in this order.
    Bytes(ByteOrder),
    /// The characters of the corpus, by code point.
    Chars,
}

/// How the 256 byte tokens are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// By value.
    Value,
    /// Printable characters of Latin-1 first, then the rest: the order of GPT-2's byte-to-character table by code point.
    Gpt2,
}

impl ByteOrder {
    /// The bytes in the order of their ids.
    #[must_use]
    pub fn bytes(self) -> [u8; 256] {
        let mut bytes: [u8; 256] = std::array::from_fn(|i| i as u8);
        if self == Self::Gpt2 {
            bytes.sort_by_key(|&byte| (!is_printable_latin1(byte), byte));
        }
        bytes
    }
}

/// Source: the ranges of `bytes_to_unicode` in the release of GPT-2.
fn is_printable_latin1(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// Turns pieces into symbols; a mark, if any, ends each piece.
pub(super) struct Speller {
    map: Map,
    end: End,
}

/// What the end of a piece does to its symbols.
enum End {
    Nothing,
    Symbol(u32),
    /// The last symbol is replaced by the one of its spelling and the mark, by id.
    Suffix(Vec<u32>),
}

enum Map {
    Bytes(Box<[u32; 256]>),
    /// Indexed by code point; `NO_SYMBOL` where the corpus holds no such character.
    Chars(Vec<u32>),
}

const NO_SYMBOL: u32 = u32::MAX;

impl Speller {
    /// Fills `symbols` with the alphabet and the marks.
    pub(super) fn new(
        alphabet: Alphabet,
        end_of_word: Option<&EndOfWord>,
        pieces: &PieceCounts,
        symbols: &mut Symbols,
    ) -> Result<Self, Error> {
        let map = match alphabet {
            Alphabet::Bytes(order) => Map::Bytes(intern_bytes(order, symbols)),
            Alphabet::Chars => Map::Chars(intern_chars(pieces, symbols)?),
        };
        let end = match end_of_word {
            None => End::Nothing,
            Some(EndOfWord::Symbol(mark)) => End::Symbol(symbols.intern(mark.as_slice().into())),
            Some(EndOfWord::Suffix(mark)) => End::Suffix(map.intern_suffixed(mark, symbols)),
        };
        Ok(Self { map, end })
    }

    /// The most symbols that a piece of so many bytes becomes.
    pub(super) fn max_symbols(&self, n_bytes: usize) -> usize {
        n_bytes + usize::from(matches!(self.end, End::Symbol(_)))
    }

    /// Appends the symbols of one piece; the alphabet was made from it, so each is there.
    pub(super) fn spell(&self, piece: &[u8], into: &mut Vec<u32>) {
        self.map.spell(piece, into);
        match &self.end {
            End::Nothing => {}
            End::Symbol(mark) => into.push(*mark),
            End::Suffix(suffixed) => {
                if let Some(last) = into.last_mut() {
                    *last = suffixed[*last as usize];
                }
            }
        }
    }
}

impl Map {
    fn spell(&self, piece: &[u8], into: &mut Vec<u32>) {
        match self {
            Self::Bytes(ids) => into.extend(piece.iter().map(|&byte| ids[usize::from(byte)])),
            Self::Chars(ids) => {
                let text = std::str::from_utf8(piece).expect("checked when the alphabet was made");
                into.extend(text.chars().map(|character| ids[character as usize]));
            }
        }
    }

    /// A symbol with the mark for each byte or character, in the order of their ids.
    fn intern_suffixed(&self, mark: &[u8], symbols: &mut Symbols) -> Vec<u32> {
        let ids = match self {
            Self::Bytes(ids) => ids.as_slice(),
            Self::Chars(ids) => ids.as_slice(),
        };
        let mut plain: Vec<u32> = ids.iter().copied().filter(|&id| id != NO_SYMBOL).collect();
        plain.sort_unstable();
        let mut suffixed = vec![NO_SYMBOL; symbols.len()];
        for id in plain {
            let spelling = [symbols.spelling(id), mark].concat();
            suffixed[id as usize] = symbols.intern(spelling.into());
        }
        suffixed
    }
}

fn intern_bytes(order: ByteOrder, symbols: &mut Symbols) -> Box<[u32; 256]> {
    let mut ids = Box::new([0; 256]);
    for byte in order.bytes() {
        ids[usize::from(byte)] = symbols.intern(Box::new([byte]));
    }
    ids
}

fn intern_chars(pieces: &PieceCounts, symbols: &mut Symbols) -> Result<Vec<u32>, Error> {
    let mut ids = vec![NO_SYMBOL; 0x11_0000];
    for (piece, _) in pieces.iter() {
        let text = std::str::from_utf8(piece)
            .map_err(|error| Error::NotUtf8 { piece: piece.to_vec(), offset: error.valid_up_to() })?;
        for character in text.chars() {
            ids[character as usize] = 0;
        }
    }
    for (code_point, id) in ids.iter_mut().enumerate().filter(|(_, id)| **id != NO_SYMBOL) {
        let character = char::from_u32(code_point as u32).expect("it came from a str");
        *id = symbols.intern(character.encode_utf8(&mut [0; 4]).as_bytes().into());
    }
    Ok(ids)
}
