//! Tokens in an order of preference -> the merges that make them.
//!
//! Where any two neighbours may merge that spell a token, and the earliest token of the order goes first, a token is only
//! ever made by one pair: up to then its symbols are merged as they would be alone. So a list of one merge a token is the
//! same model.

use std::collections::HashMap;

use crate::hash::Seed;
use crate::model::Alphabet;

/// Tokens of more symbols are left out: one takes time with the square of them.
const LONGEST: usize = 4096;

/// (left, right, token) as places in `tokens`, in its order, for each token that merging arrives at.
///
/// `tokens` stand in order of preference; `alphabet` says what symbols are before any merge.
#[must_use]
pub fn merges(tokens: &[Vec<u8>], alphabet: Alphabet) -> Vec<(u32, u32, u32)> {
    let mut places = HashMap::with_capacity_and_hasher(tokens.len(), Seed::random());
    for (place, token) in tokens.iter().enumerate() {
        places.entry(token.as_slice()).or_insert(place as u32);
    }
    let mut found = Vec::with_capacity(tokens.len());
    for (place, token) in tokens.iter().enumerate() {
        let mut borders = borders(token, alphabet);
        if borders.len() > LONGEST {
            continue;
        }
        let mut last = None;
        while borders.len() > 2 {
            let joint = |at: usize| places.get(&token[borders[at]..borders[at + 2]]).copied();
            let lowest = (0..borders.len() - 2).filter_map(|at| Some((joint(at)?, at))).min();
            let Some((_, at)) = lowest else { break };
            let part = |at: usize| places.get(&token[borders[at]..borders[at + 1]]).copied();
            last = part(at).zip(part(at + 1));
            borders.remove(at + 1);
        }
        if let (2, Some((left, right))) = (borders.len(), last) {
            found.push((left, right, place as u32));
        }
    }
    found
}

fn borders(token: &[u8], alphabet: Alphabet) -> Vec<usize> {
    match (alphabet, std::str::from_utf8(token)) {
        (Alphabet::Chars, Ok(text)) => text.char_indices().map(|each| each.0).chain([token.len()]).collect(),
        _ => (0..=token.len()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_merge_a_token_that_is_reached() {
        let tokens: Vec<Vec<u8>> = ["a", "b", "c", "bc", "abc", "ac", "xy"].map(Into::into).into();
        // `abc` is made of `a` and `bc`, `xy` of what is no token.
        assert_eq!(merges(&tokens, Alphabet::Bytes), [(1, 2, 3), (0, 3, 4), (0, 2, 5)]);
    }
}
