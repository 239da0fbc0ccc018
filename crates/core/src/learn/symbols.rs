//! Symbols by spelling: one id a spelling, whatever merges led to it.

use crate::hash::Seed;
use std::collections::HashMap;

/// The spellings of all symbols; ids are dense and in the order of creation.
#[derive(Debug)]
pub(super) struct Symbols {
    spellings: Vec<Box<[u8]>>,
    ids: HashMap<Box<[u8]>, u32, Seed>,
    /// The first eight bytes of each spelling, big-endian and padded with zeros: most ties are decided by them alone.
    prefixes: Vec<u64>,
}

impl Default for Symbols {
    fn default() -> Self {
        Self { spellings: Vec::new(), ids: HashMap::with_hasher(Seed::random()), prefixes: Vec::new() }
    }
}

impl Symbols {
    pub(super) fn len(&self) -> usize {
        self.spellings.len()
    }

    pub(super) fn spelling(&self, id: u32) -> &[u8] {
        &self.spellings[id as usize]
    }

    pub(super) fn prefix(&self, id: u32) -> u64 {
        self.prefixes[id as usize]
    }

    pub(super) fn joint(&self, left: u32, right: u32) -> Box<[u8]> {
        [self.spelling(left), self.spelling(right)].concat().into_boxed_slice()
    }

    pub(super) fn find(&self, spelling: &[u8]) -> Option<u32> {
        self.ids.get(spelling).copied()
    }

    /// The id of this spelling, a new one if it is new.
    pub(super) fn intern(&mut self, spelling: Box<[u8]>) -> u32 {
        if let Some(id) = self.find(&spelling) {
            return id;
        }
        let id = self.spellings.len() as u32;
        self.prefixes.push(prefix_of(&spelling));
        self.spellings.push(spelling.clone());
        self.ids.insert(spelling, id);
        id
    }

    pub(super) fn into_spellings(self) -> Vec<Box<[u8]>> {
        self.spellings
    }
}

fn prefix_of(spelling: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let n_bytes = spelling.len().min(8);
    bytes[..n_bytes].copy_from_slice(&spelling[..n_bytes]);
    u64::from_be_bytes(bytes)
}
