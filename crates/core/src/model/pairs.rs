//! Which pairs may merge, in which order, into what.

use super::fault;
use super::vocabulary::{Ids, Vocabulary};
use crate::Error;
use crate::hash::Seed;

/// The rank of a pair that may not merge; above every rank.
pub const NO_RANK: u32 = u32::MAX;

/// (left id, right id) -> rank, and rank -> joint id. A flat table, at most half full.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    slots: Vec<Slot>,
    seed: Seed,
    /// The joint id of each rank; None where the rank is the id itself.
    joints: Option<Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    left: u32,
    right: u32,
    rank: u32,
}

/// Answers `NO_RANK`, also to a question for its own ids.
const EMPTY: Slot = Slot { left: u32::MAX, right: u32::MAX, rank: NO_RANK };

impl Pairs {
    /// A merge list: the rank of a pair is its first place in the list, the joint id that of the joint spelling.
    pub(super) fn of_merges(
        merges: &[(u32, u32)],
        vocabulary: &Vocabulary,
        ids: &Ids,
        seed: Seed,
    ) -> Result<Self, Error> {
        if merges.len() >= NO_RANK as usize {
            return Err(fault(format!("{} merges are too many; at most {} fit", merges.len(), NO_RANK - 1)));
        }
        let mut joint = Vec::new();
        let joints: Result<Vec<u32>, Error> =
            merges.iter().enumerate().map(|(rank, &pair)| joint_id(rank, pair, vocabulary, ids, &mut joint)).collect();
        let mut pairs = Self::empty(merges.len(), seed, Some(joints?));
        for (rank, &(left, right)) in merges.iter().enumerate() {
            pairs.insert(Slot { left, right, rank: rank as u32 });
        }
        Ok(pairs)
    }

    /// Ranks: every way to cut a token into two tokens is a pair, and its rank is the id of the token.
    pub(super) fn of_ranks(vocabulary: &Vocabulary, ids: &Ids, seed: Seed) -> Self {
        let lengths = Lengths::of(vocabulary);
        let mut found = Vec::new();
        for (rank, token) in vocabulary.iter() {
            for cut in (1..token.len()).filter(|&cut| lengths.both(cut, token.len() - cut)) {
                if let Some(left) = ids.get(&token[..cut])
                    && let Some(right) = ids.get(&token[cut..])
                {
                    found.push(Slot { left, right, rank });
                }
            }
        }
        let mut pairs = Self::empty(found.len(), seed, None);
        for slot in found {
            pairs.insert(slot);
        }
        pairs
    }

    fn empty(n_pairs: usize, seed: Seed, joints: Option<Vec<u32>>) -> Self {
        Self { slots: vec![EMPTY; (n_pairs * 2 + 1).next_power_of_two()], seed, joints }
    }

    /// Keeps the first rank of a pair.
    fn insert(&mut self, slot: Slot) {
        let at = self.find(slot.left, slot.right);
        if self.slots[at].rank == NO_RANK {
            self.slots[at] = slot;
        }
    }

    /// Where the pair is, or would be.
    #[inline]
    fn find(&self, left: u32, right: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.seed.mix(u64::from(left) << 32 | u64::from(right), 0) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.rank == NO_RANK || (slot.left == left && slot.right == right) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    pub(super) fn rank(&self, left: u32, right: u32) -> u32 {
        self.slots[self.find(left, right)].rank
    }

    #[inline]
    pub(super) fn joint(&self, rank: u32) -> u32 {
        self.joints.as_ref().map_or(rank, |joints| joints[rank as usize])
    }
}

/// The id of what a merge spells.
fn joint_id(
    rank: usize,
    (left, right): (u32, u32),
    vocabulary: &Vocabulary,
    ids: &Ids,
    joint: &mut Vec<u8>,
) -> Result<u32, Error> {
    joint.clear();
    for id in [left, right] {
        let Some(spelling) = vocabulary.spelling(id) else {
            let reason = format!("merge {rank} joins ids {left} and {right}, but {id} is no ordinary token");
            return Err(fault(format!("{reason}; a merge joins two tokens below {}", vocabulary.n_ids())));
        };
        joint.extend_from_slice(spelling);
    }
    ids.get(joint).ok_or_else(|| {
        let spelling = String::from_utf8_lossy(joint);
        fault(format!(
            "merge {rank} joins ids {left} and {right} into {spelling:?}, which is no token; add it to tokens"
        ))
    })
}

/// The numbers of bytes that tokens have: a cut into two can only be where both parts have one of them. It keeps a
/// vocabulary with very long tokens from costing their square, as different lengths are few.
struct Lengths(Vec<bool>);

impl Lengths {
    fn of(vocabulary: &Vocabulary) -> Self {
        let longest = vocabulary.iter().map(|(_, token)| token.len()).max().unwrap_or(0);
        let mut present = vec![false; longest + 1];
        for (_, token) in vocabulary.iter() {
            present[token.len()] = true;
        }
        Self(present)
    }

    fn both(&self, left: usize, right: usize) -> bool {
        self.0[left] && self.0[right]
    }
}
