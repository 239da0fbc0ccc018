//! Ordinary tokens: id -> spelling, and while a model is built spelling -> id.

use super::{FIRST_RESERVED, fault};
use crate::Error;
use crate::hash::Seed;
use crate::piece_key::Key;
use crate::piece_table::{Entry, PieceTable};

/// The spellings of the ordinary tokens, end to end.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    /// `starts[id]..starts[id + 1]` of `spellings`; empty where the id is no ordinary token.
    starts: Vec<u32>,
    /// With `CHUNK` bytes behind the last.
    spellings: Vec<u8>,
}

/// Bytes that can be read from the beginning of every spelling.
pub(crate) const CHUNK: usize = 16;

impl Vocabulary {
    pub(super) fn new(tokens: &[Option<Vec<u8>>]) -> Result<Self, Error> {
        if tokens.len() > FIRST_RESERVED as usize {
            return Err(fault(format!("{} tokens are too many; ids must be below {FIRST_RESERVED}", tokens.len())));
        }
        let mut vocabulary = Self { starts: vec![0], spellings: Vec::new() };
        for (id, token) in tokens.iter().enumerate() {
            if token.as_ref().is_some_and(Vec::is_empty) {
                return Err(fault(format!("token {id} is empty; a token must have at least one byte")));
            }
            vocabulary.spellings.extend_from_slice(token.as_deref().unwrap_or_default());
            let end = u32::try_from(vocabulary.spellings.len());
            let end = end.map_err(|_| fault(format!("the tokens up to {id} have more than 2^32 bytes together")))?;
            vocabulary.starts.push(end);
        }
        vocabulary.spellings.extend_from_slice(&[0; CHUNK]);
        Ok(vocabulary)
    }

    /// Ids are below this.
    pub(super) fn n_ids(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of an ordinary token.
    #[inline]
    pub(super) fn spelling(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        let range = *self.starts.get(id)? as usize..*self.starts.get(id + 1)? as usize;
        if range.is_empty() { None } else { Some(&self.spellings[range]) }
    }

    /// The bytes of an ordinary token of at most `CHUNK`, with what comes behind, and how many they are.
    #[inline]
    pub(super) fn short(&self, id: u32) -> Option<(&[u8; CHUNK], usize)> {
        let id = id as usize;
        let (start, end) = (*self.starts.get(id)? as usize, *self.starts.get(id + 1)? as usize);
        let n_bytes = end - start;
        if n_bytes.wrapping_sub(1) >= CHUNK {
            return None;
        }
        Some((self.spellings[start..].first_chunk()?, n_bytes))
    }

    /// All ordinary tokens, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> + Clone {
        (0..self.n_ids() as u32).filter_map(|id| Some((id, self.spelling(id)?)))
    }
}

/// Spelling -> id.
pub(super) struct Ids {
    table: PieceTable<Token>,
}

/// A spelling's id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) key: [u8; 16],
    pub(crate) id: u32,
}

impl Entry for Token {
    #[inline]
    fn key_bytes(&self) -> &[u8; 16] {
        &self.key
    }
}

impl Ids {
    /// The ids by spelling; two ids with one spelling are refused.
    pub(super) fn new(vocabulary: &Vocabulary, seed: Seed) -> Result<Self, Error> {
        let mut table: PieceTable<Token> = PieceTable::with_capacity(vocabulary.n_ids(), seed);
        for (id, spelling) in vocabulary.iter() {
            let (key, hash) = Key::and_hash(spelling, &(0..spelling.len()), seed);
            match table.find(key, hash, spelling) {
                Ok(number) => {
                    let first = table.entry(number).id;
                    let spelling = String::from_utf8_lossy(spelling);
                    return Err(fault(format!(
                        "ids {first} and {id} are both spelled {spelling:?}; a spelling has one id"
                    )));
                }
                Err(vacancy) => table.insert(vacancy, key, hash, spelling, |key| Token { key, id }),
            }
        }
        Ok(Self { table })
    }

    #[inline]
    pub(super) fn get(&self, spelling: &[u8]) -> Option<u32> {
        let (key, hash) = Key::and_hash(spelling, &(0..spelling.len()), self.table.seed());
        self.table.get(key, hash, spelling).map(|token| token.id)
    }
}
