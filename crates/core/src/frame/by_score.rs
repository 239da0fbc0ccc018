//! Merging as sentencepiece does where no list of merges says the same: any two neighbours may merge that spell a token, the
//! best score first, of equal ones the leftmost; in the end tokens that may not be used are taken apart again.
//!
//! Slower than the merge loop, and exact. Source: google/sentencepiece 0.2, `src/bpe_model.cc`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;

use crate::Error;
use crate::hash::Seed;
use crate::stop::Countdown;

/// What two neighbours may become.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The least comes first; equal scores have equal places.
    place: u32,
    id: u32,
    is_unused: bool,
}

/// The tokens that merging may make, by their spelling.
#[derive(Debug, Clone)]
pub(super) struct ByScore {
    entries: HashMap<Box<str>, Entry, Seed>,
}

/// A part of the text; an empty one went into the one before.
#[derive(Debug, Clone)]
struct Symbol {
    range: Range<usize>,
    before: Option<usize>,
    after: Option<usize>,
}

/// Two neighbours that may merge: place, index of the left one, of the right one, bytes of both. The least is next.
type Candidate = Reverse<(u32, usize, usize, usize)>;

impl ByScore {
    /// `scores`: id and place of the tokens; `unused`: ids of those that may not stay.
    pub(super) fn new<'a>(
        tokens: impl Iterator<Item = (u32, &'a [u8])>,
        scores: &[(u32, u32)],
        unused: &[u32],
        seed: Seed,
    ) -> Self {
        let places: HashMap<u32, u32> = scores.iter().copied().collect();
        let unused: HashSet<u32> = unused.iter().copied().collect();
        let mut entries = HashMap::with_hasher(seed);
        for (id, token) in tokens {
            if let (Some(&place), Ok(text)) = (places.get(&id), std::str::from_utf8(token)) {
                entries.insert(text.into(), Entry { place, id, is_unused: unused.contains(&id) });
            }
        }
        Self { entries }
    }

    /// Calls `visit` with the tokens of a text in order: the id, or None where a character is none, and the spelling.
    pub(super) fn merge<'t>(
        &self,
        text: &'t str,
        countdown: &mut Countdown<'_>,
        mut visit: impl FnMut(Option<u32>, &'t str),
    ) -> Result<(), Error> {
        let mut work =
            Work { table: self, text, symbols: characters(text), waiting: BinaryHeap::new(), halves: HashMap::new() };
        for right in 1..work.symbols.len() {
            work.consider(Some(right - 1), Some(right));
        }
        while let Some(Reverse((_, left, right, n_bytes))) = work.waiting.pop() {
            countdown.spend(16)?;
            work.join(left, right, n_bytes);
        }
        for symbol in work.symbols.iter().filter(|symbol| !symbol.range.is_empty()) {
            self.put(&text[symbol.range.clone()], &work.halves, &mut visit);
        }
        Ok(())
    }

    /// A token, or what it is made of where it may not stay.
    fn put<'t>(
        &self,
        spelling: &'t str,
        halves: &HashMap<&'t str, (&'t str, &'t str)>,
        visit: &mut impl FnMut(Option<u32>, &'t str),
    ) {
        // As many levels as characters are possible, so they are not levels of calls.
        let mut waiting = vec![spelling];
        while let Some(spelling) = waiting.pop() {
            let entry = self.entries.get(spelling);
            match halves.get(spelling).filter(|_| entry.is_some_and(|entry| entry.is_unused)) {
                Some((left, right)) => waiting.extend([right, left]),
                // A character that may not stay is as unknown as one that is no token.
                None => visit(entry.filter(|entry| !entry.is_unused).map(|entry| entry.id), spelling),
            }
        }
    }
}

fn characters(text: &str) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(text.len());
    for (start, character) in text.char_indices() {
        let at = symbols.len();
        symbols.push(Symbol {
            range: start..start + character.len_utf8(),
            before: at.checked_sub(1),
            after: Some(at + 1),
        });
    }
    if let Some(last) = symbols.last_mut() {
        last.after = None;
    }
    symbols
}

struct Work<'w, 't> {
    table: &'w ByScore,
    text: &'t str,
    symbols: Vec<Symbol>,
    waiting: BinaryHeap<Candidate>,
    /// Of tokens that may not stay: what they were last seen to be made of.
    halves: HashMap<&'t str, (&'t str, &'t str)>,
}

impl Work<'_, '_> {
    /// Lets two neighbours wait, if they may merge.
    fn consider(&mut self, left: Option<usize>, right: Option<usize>) {
        let (Some(left), Some(right)) = (left, right) else { return };
        let (first, second) = (self.symbols[left].range.clone(), self.symbols[right].range.clone());
        let whole = first.start..second.end;
        let Some(entry) = self.table.entries.get(&self.text[whole.clone()]) else { return };
        self.waiting.push(Reverse((entry.place, left, right, whole.len())));
        if entry.is_unused {
            self.halves.insert(&self.text[whole], (&self.text[first], &self.text[second]));
        }
    }

    /// Makes one symbol of two, if both are as they were when they came to wait.
    fn join(&mut self, left: usize, right: usize, n_bytes: usize) {
        let (first, second) = (&self.symbols[left].range, &self.symbols[right].range);
        if first.is_empty() || second.is_empty() || first.len() + second.len() != n_bytes {
            return;
        }
        self.symbols[left].range.end = self.symbols[right].range.end;
        let after = self.symbols[right].after;
        self.symbols[left].after = after;
        if let Some(after) = after {
            self.symbols[after].before = Some(left);
        }
        self.symbols[right].range = 0..0;
        self.consider(self.symbols[left].before, Some(left));
        self.consider(Some(left), after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(scores: &[(&str, u32)], unused: &[u32], text: &str) -> Vec<String> {
        let tokens = scores.iter().zip(0..).map(|(&(token, _), id)| (id, token.as_bytes()));
        let places: Vec<_> = scores.iter().zip(0..).map(|(&(_, place), id)| (id, place)).collect();
        let table = ByScore::new(tokens, &places, unused, Seed::random());
        let mut found = Vec::new();
        let visit =
            |id: Option<u32>, spelling: &str| found.push(format!("{spelling}{}", if id.is_some() { "" } else { "?" }));
        table.merge(text, &mut Countdown::new(None), visit).unwrap();
        found
    }

    #[test]
    fn of_equal_scores_the_leftmost_merges_first() {
        assert_eq!(merged(&[("a", 2), ("b", 2), ("ab", 1), ("ba", 1)], &[], "bab"), ["ba", "b"]);
        assert_eq!(merged(&[("a", 2), ("b", 2), ("ab", 1), ("ba", 0)], &[], "aba"), ["a", "ba"]);
    }

    #[test]
    fn characters_that_are_no_tokens_merge_and_are_unknown_alone() {
        assert_eq!(merged(&[("a", 1), ("xy", 0)], &[], "xyax"), ["xy", "a", "x?"]);
    }

    #[test]
    fn what_may_not_stay_is_taken_apart_and_a_character_is_unknown() {
        let scores = [("a", 9), ("b", 9), ("c", 9), ("ab", 0), ("abc", 1)];
        assert_eq!(merged(&scores, &[4], "abc"), ["ab", "c"]);
        assert_eq!(merged(&scores, &[3, 4], "abc"), ["a", "b", "c"]);
        assert_eq!(merged(&scores, &[2], "cab"), ["c?", "ab"]);
    }
}
