//! Merged pieces without merging: the longest token that fits is taken, and taken back where nothing fits behind it.
//!
//! A sequence of tokens is what merging arrives at if and only if each two neighbours may stand side by side
//! ([`Makings`](super::makings::Makings)). So there is exactly one such sequence for each beginning of a piece, and whether the
//! rest can follow depends on the place alone: a place from which it cannot is never tried twice, and the work is linear.

use super::makings::Makings;
use super::trie::{MAX_IDS, NO_TOKEN, Trie};
use crate::Error;
use crate::model::Model;
use crate::stop::Countdown;

/// The cost of one try, in bytes of plain text.
const TRY: usize = 8;

/// What the search needs beside the model.
#[derive(Debug, Clone)]
pub(super) struct Backtracker {
    trie: Trie,
    makings: Makings,
    prefixes: Vec<Prefix>,
}

/// A token, as the beginning of a text.
#[derive(Debug, Clone, Copy)]
struct Prefix {
    n_bytes: u32,
    /// The next shorter token that it begins with.
    shorter: u32,
}

/// Room for the search, used again from piece to piece.
#[derive(Debug, Default)]
pub(super) struct SearchRoom {
    /// Places from which the rest cannot follow, a bit each.
    dead: Vec<u64>,
    /// Pairs of tokens asked for before, and the answers.
    known: Box<[u64]>,
}

/// Pairs remembered; a power of two.
const N_KNOWN: usize = 1 << 14;

impl SearchRoom {
    /// Bytes held.
    pub(super) fn n_bytes(&self) -> usize {
        8 * (self.dead.capacity() + self.known.len())
    }
}

impl Backtracker {
    /// None for a model of which it cannot be said that the search finds what merging does.
    pub(super) fn new(model: &Model) -> Option<Self> {
        if model.n_token_ids() > MAX_IDS {
            return None;
        }
        let makings = Makings::new(model)?;
        let trie = Trie::new(model.tokens().filter(|&(id, _)| makings.is_made(id)))?;
        let mut prefixes = vec![Prefix { n_bytes: 0, shorter: NO_TOKEN }; model.n_token_ids()];
        for (id, spelling) in model.tokens() {
            let (shorter, _) = trie.longest(&spelling[..spelling.len() - 1]);
            prefixes[id as usize] = Prefix { n_bytes: spelling.len() as u32, shorter };
        }
        Some(Self { trie, makings, prefixes })
    }

    /// Whether a piece that is this token is found as this token.
    pub(super) fn finds(&self, id: u32) -> bool {
        self.makings.is_made(id)
    }

    /// Replaces `ids` by those of a piece, which is not empty; whether they were found. Merging finds them in any case.
    pub(super) fn search(
        &self,
        model: &Model,
        piece: &[u8],
        ids: &mut Vec<u32>,
        room: &mut SearchRoom,
        countdown: &mut Countdown<'_>,
    ) -> Result<bool, Error> {
        let SearchRoom { dead, known } = room;
        if known.is_empty() {
            *known = vec![NOT_KNOWN; N_KNOWN].into();
        }
        dead.clear();
        dead.resize(piece.len() / 64 + 1, 0);
        ids.clear();
        let mut start = 0;
        let (mut token, mut n_bytes) = self.trie.longest(piece);
        loop {
            countdown.spend(TRY)?;
            let end = start + n_bytes;
            let fits = dead[end / 64] >> (end % 64) & 1 == 0
                && ids.last().is_none_or(|&last| self.may_be_neighbours(model, last, token, known));
            if fits {
                self.makings.expect(token);
                ids.push(token);
                if end == piece.len() {
                    return Ok(true);
                }
                start = end;
                (token, n_bytes) = self.trie.longest(&piece[start..]);
                continue;
            }
            token = self.prefixes[token as usize].shorter;
            while token == NO_TOKEN {
                // No token fits here: what was taken last was wrong.
                dead[start / 64] |= 1 << (start % 64);
                let Some(last) = ids.pop() else {
                    debug_assert!(false, "what merging arrives at fits");
                    return Ok(false);
                };
                start -= self.n_bytes(last);
                token = self.prefixes[last as usize].shorter;
            }
            n_bytes = self.n_bytes(token);
        }
    }

    #[inline]
    fn n_bytes(&self, token: u32) -> usize {
        self.prefixes[token as usize].n_bytes as usize
    }

    #[inline]
    fn may_be_neighbours(&self, model: &Model, left: u32, right: u32, known: &mut [u64]) -> bool {
        let pair = u64::from(left) << 32 | u64::from(right) << 1;
        let place = (pair.wrapping_mul(MIX) >> (64 - N_KNOWN.ilog2())) as usize;
        let found = known[place];
        if found & !1 == pair {
            return found & 1 == 1;
        }
        let answer = self.makings.may_be_neighbours(model, left, right);
        known[place] = pair | u64::from(answer);
        answer
    }
}

/// The pair of the largest ids, which are none.
const NOT_KNOWN: u64 = u64::MAX;
/// An odd number without a pattern: its product moves all bits of a pair to the top. (2^64 / golden ratio.)
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Alphabet, EndOfWord, Kind, Parts};
    use crate::split::Splitter;
    use std::sync::Arc;

    fn model(kind: Kind, made: &[&str], merges: &[(u32, u32)], end_of_word: Option<EndOfWord>) -> Model {
        let bytes = (0..=255).map(|byte| vec![byte]);
        let tokens: Vec<_> = bytes.chain(made.iter().map(|token| token.as_bytes().to_vec())).map(Some).collect();
        let parts = Parts {
            kind,
            alphabet: Alphabet::Bytes,
            tokens,
            merges: merges.to_vec(),
            specials: Vec::new(),
            unk_id: None,
            end_of_word,
            add_prefix_space: false,
        };
        Model::new(Arc::new(Splitter::named("none").unwrap()), parts).unwrap()
    }

    fn found(model: &Model, piece: &str) -> Option<Vec<u32>> {
        let (mut ids, mut room) = (Vec::new(), SearchRoom::default());
        let backtracker = Backtracker::new(model)?;
        let found = backtracker.search(model, piece.as_bytes(), &mut ids, &mut room, &mut Countdown::new(None));
        assert_eq!(found, Ok(true));
        Some(ids)
    }

    #[test]
    fn the_longest_token_is_taken_back_where_nothing_fits_behind_it() {
        // c d is merged first, so `abc` never stands before `d`; and where it does not, `abc` is found.
        let ranks = model(Kind::Ranks, &["cd", "ab", "abc"], &[], None);
        assert_eq!(found(&ranks, "abcd"), Some(vec![257, 256]));
        assert_eq!(found(&ranks, "abcabcd"), Some(vec![258, 257, 256]));
    }

    #[test]
    fn merges_out_of_order_are_not_searched_for() {
        // `ab` is made after the merge that takes it.
        let late = model(Kind::Merges, &["ab", "abc"], &[(256, 99), (97, 98)], None);
        assert_eq!(found(&late, "abc"), None);
        let in_time = model(Kind::Merges, &["ab", "abc"], &[(97, 98), (256, 99)], None);
        assert_eq!(found(&in_time, "abc"), Some(vec![257]));
    }

    #[test]
    fn a_marker_is_not_searched_for() {
        let marked = model(Kind::Merges, &["ab"], &[(97, 98)], Some(EndOfWord::Symbol(b"_".to_vec())));
        assert_eq!(found(&marked, "ab"), None);
    }
}
