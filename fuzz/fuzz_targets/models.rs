//! Bytes of a fuzzer -> a small model, made of choices.

use std::sync::Arc;

use bytepair_core::model::{Alphabet, EndOfWord, Kind, Parts};
use bytepair_core::split::Splitter;

use crate::slow_way::{MARKER, parts};

/// Small alphabets make every pair, tie and overlap common.
const CHARACTERS: [&str; 8] = ["a", "ab", "ab ", "é漢🙂", "</w>a ", "<a>b ", "ab\u{80}é", "'s \n1a"];

/// What bytes choose.
#[allow(dead_code)] // Each target uses some.
pub struct Chosen<'d> {
    pub parts: Parts,
    pub splitter: Arc<Splitter>,
    /// The ids of the specials that match.
    pub special: Vec<u32>,
    /// The model's characters.
    pub characters: &'static str,
    pub rest: &'d [u8],
}

pub fn chosen(data: &[u8]) -> Option<Chosen<'_>> {
    let [kind, splitter, special, n_merges, rest @ ..] = data else { return None };
    let (choices, rest) = rest.split_at_checked(2 * usize::from(n_merges % 64))?;
    let characters = CHARACTERS[usize::from(kind >> 4) % CHARACTERS.len()];
    let marker = MARKER.as_bytes().to_vec();
    let marker = match kind >> 2 & 3 {
        0 | 3 => None,
        1 => Some(EndOfWord::Symbol(marker)),
        _ => Some(EndOfWord::Suffix(marker)),
    };
    let choice = |pair: &[u8; 2]| {
        let [left, right] = pair.map(usize::from);
        move |n: usize| (left % n, right % n)
    };
    let model = parts(
        if kind & 1 == 0 { Kind::Merges } else { Kind::Ranks },
        if kind & 2 == 0 { Alphabet::Bytes } else { Alphabet::Chars },
        characters,
        marker,
        choices.as_chunks().0.iter().map(choice),
    );
    let name = Splitter::NAMES[usize::from(*splitter) % Splitter::NAMES.len()];
    let ids = model.specials[1..].iter().map(|(_, id)| *id);
    let special = ids.enumerate().filter(|(index, _)| special >> index & 1 == 1).map(|(_, id)| id).collect();
    Some(Chosen {
        parts: Parts { add_prefix_space: splitter & 128 != 0, ..model },
        splitter: Arc::new(Splitter::named(name).unwrap()),
        special,
        characters,
        rest,
    })
}
