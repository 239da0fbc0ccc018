//! Ordinary tokens: id -> spelling, and while a model is built spelling -> id.

use super::table::{Key, PieceTable};
use super::{FIRST_RESERVED, fault};
use crate::Error;
use crate::hash::Seed;

/// The spellings of the ordinary tokens, end to end.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    /// `starts[id]..starts[id + 1]` of `spellings`; empty where the id is no ordinary token.
    starts: Vec<usize>,
    spellings: Vec<u8>,
}

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
            vocabulary.starts.push(vocabulary.spellings.len());
        }
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
        let range = *self.starts.get(id)?..*self.starts.get(id + 1)?;
        if range.is_empty() { None } else { Some(&self.spellings[range]) }
    }

    /// All ordinary tokens, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..self.n_ids() as u32).filter_map(|id| Some((id, self.spelling(id)?)))
    }
}

/// Spelling -> id.
pub(super) struct Ids {
    table: PieceTable<u32>,
    seed: Seed,
}

impl Ids {
    /// The ids by spelling; two ids with one spelling are refused.
    pub(super) fn new(vocabulary: &Vocabulary, seed: Seed) -> Result<Self, Error> {
        let mut table = PieceTable::with_capacity(vocabulary.n_ids(), seed);
        for (id, spelling) in vocabulary.iter() {
            let key = Key::new(spelling, seed);
            if let Some(first) = table.get(&key) {
                let spelling = String::from_utf8_lossy(spelling);
                return Err(fault(format!(
                    "ids {first} and {id} are both spelled {spelling:?}; a spelling has one id"
                )));
            }
            table.insert(&key, id);
        }
        Ok(Self { table, seed })
    }

    #[inline]
    pub(super) fn get(&self, spelling: &[u8]) -> Option<u32> {
        self.table.get(&Key::new(spelling, self.seed))
    }
}
