//! Which pairs may merge, in which order, into what.

use super::fault;
use super::vocabulary::{Ids, Vocabulary};
use crate::Error;
use crate::hash::Seed;

/// The rank of a pair that may not merge; above every rank.
pub const NO_RANK: u32 = u32::MAX;

/// (left id, right id) -> rank, and rank -> joint id.
///
/// Most questions are of a few kinds: pairs of the first ids, as bytes have them, are answered by a square table that stays
/// near; of the others most are no pairs, and a bit for each hash says so without a look into the large table.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    /// Rows of `N_NEAR` ranks.
    near: Vec<u32>,
    /// A bit is set if some pair has a hash that begins with its number.
    known: Vec<u64>,
    /// Open addressing, at most half full.
    slots: Vec<Slot>,
    /// The top bits of a hash that are left by it are the number of a slot.
    shift: u32,
    seed: Seed,
    /// The joint id of each rank; None where the rank is the id itself.
    joints: Option<Vec<u32>>,
}

/// Those of one word of bits.
const FEWEST_SLOTS: usize = 16;
/// Ids below this are answered by the square table.
const N_NEAR: u32 = 256;

#[derive(Debug, Clone, Copy)]
struct Slot {
    left: u32,
    right: u32,
    rank: u32,
}

/// Answers `NO_RANK`, also to a question for its own ids.
const EMPTY: Slot = Slot { left: u32::MAX, right: u32::MAX, rank: NO_RANK };

impl Pairs {
    /// A merge list: the rank of a pair is its first place in the list, the joint id that of the joint spelling, in which the
    /// right one has no `prefix`.
    pub(super) fn of_merges(
        merges: &[(u32, u32)],
        prefix: &[u8],
        vocabulary: &Vocabulary,
        ids: &Ids,
        seed: Seed,
    ) -> Result<Self, Error> {
        if merges.len() >= NO_RANK as usize {
            return Err(fault(format!("{} merges are too many; at most {} fit", merges.len(), NO_RANK - 1)));
        }
        let mut joint = Vec::new();
        let joints: Result<Vec<u32>, Error> = merges
            .iter()
            .enumerate()
            .map(|(rank, &pair)| joint_id(rank, pair, prefix, vocabulary, ids, &mut joint))
            .collect();
        let mut pairs = Self::empty(merges.len(), seed, Some(joints?));
        for (rank, &(left, right)) in merges.iter().enumerate() {
            pairs.insert(Slot { left, right, rank: rank as u32 });
        }
        Ok(pairs)
    }

    /// Ranks: two tokens whose joint bytes are a token are a pair, and its rank is the id of that token.
    ///
    /// Of all the pairs that spell a token only one is ever met: up to the merge that makes the token, its bytes are merged as
    /// they would be alone, since no merge reached across its borders and the choice among those within does not depend on
    /// the rest. So the pair is the one that merging the token alone ends with, if it gets that far. `starts_as_bytes`: the
    /// first symbols are single bytes. Otherwise, and for very long tokens, all pairs are entered.
    pub(super) fn of_ranks(vocabulary: &Vocabulary, ids: &Ids, seed: Seed, starts_as_bytes: bool) -> Self {
        let lengths = Lengths::of(vocabulary);
        let mut found = Vec::new();
        let mut replay = Replay::default();
        for (rank, token) in vocabulary.iter() {
            if starts_as_bytes && token.len() <= LONGEST_REPLAYED {
                let last = replay.last_pair(token, ids);
                found.extend(last.map(|(left, right)| Slot { left, right, rank }));
                continue;
            }
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
        let n_slots = (n_pairs * 2 + 1).next_power_of_two().max(FEWEST_SLOTS);
        let near = vec![NO_RANK; (N_NEAR * N_NEAR) as usize];
        Self {
            near,
            known: vec![0; n_slots / 16],
            shift: u64::BITS - n_slots.ilog2(),
            slots: vec![EMPTY; n_slots],
            seed,
            joints,
        }
    }

    /// Keeps the first rank of a pair.
    fn insert(&mut self, slot: Slot) {
        let hash = self.hash(slot.left, slot.right);
        let at = self.find(hash, slot.left, slot.right);
        if self.slots[at].rank != NO_RANK {
            return;
        }
        self.slots[at] = slot;
        let (word, bit) = self.bit(hash);
        self.known[word] |= bit;
        if slot.left < N_NEAR && slot.right < N_NEAR {
            self.near[(slot.left * N_NEAR + slot.right) as usize] = slot.rank;
        }
    }

    /// One multiplication by a secret odd number: its top bits depend on all of both ids.
    #[inline]
    fn hash(&self, left: u32, right: u32) -> u64 {
        self.seed.product(u64::from(left) << 32 | u64::from(right))
    }

    /// Where the bit of a hash is: four bits a slot.
    #[inline]
    fn bit(&self, hash: u64) -> (usize, u64) {
        ((hash >> self.shift) as usize / 16, 1 << (hash >> (self.shift - 6) & 63))
    }

    /// Where the pair is, or would be.
    #[inline]
    fn find(&self, hash: u64, left: u32, right: u32) -> usize {
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at];
            if slot.rank == NO_RANK || (slot.left == left && slot.right == right) {
                return at;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    pub(super) fn rank(&self, left: u32, right: u32) -> u32 {
        if left < N_NEAR && right < N_NEAR {
            return self.near[(left * N_NEAR + right) as usize];
        }
        self.far_rank(left, right)
    }

    /// The same, for pairs of which most are not near.
    #[inline]
    pub(super) fn far_rank(&self, left: u32, right: u32) -> u32 {
        let hash = self.hash(left, right);
        let (word, bit) = self.bit(hash);
        if self.known[word] & bit == 0 { NO_RANK } else { self.slots[self.find(hash, left, right)].rank }
    }

    /// (left id, right id, rank), the lowest rank first.
    pub(super) fn by_rank(&self) -> Vec<(u32, u32, u32)> {
        let pairs = self.slots.iter().filter(|slot| slot.rank != NO_RANK);
        let mut pairs: Vec<_> = pairs.map(|slot| (slot.left, slot.right, slot.rank)).collect();
        pairs.sort_unstable_by_key(|&(left, right, rank)| (rank, left, right));
        pairs
    }

    /// How many there are, unless they are ids.
    pub(super) fn n_ranks(&self) -> Option<usize> {
        self.joints.as_ref().map(Vec::len)
    }

    #[inline]
    pub(super) fn joint(&self, rank: u32) -> u32 {
        self.joints.as_ref().map_or(rank, |joints| joints[rank as usize])
    }
}

/// Tokens up to this many bytes are merged alone to find their pair, which takes time with the square of that.
const LONGEST_REPLAYED: usize = 256;

/// Merges a token alone, by spellings.
#[derive(Default)]
struct Replay {
    /// Where each symbol starts, and where the last one ends.
    borders: Vec<usize>,
    /// What the pair that begins with each symbol spells: the id of that token, or `NO_RANK`.
    ranks: Vec<u32>,
}

impl Replay {
    /// The two symbols whose merge makes the token; None if merging its bytes does not make it.
    fn last_pair(&mut self, token: &[u8], ids: &Ids) -> Option<(u32, u32)> {
        let rank = |spelling: &[u8]| ids.get(spelling).unwrap_or(NO_RANK);
        self.borders.clear();
        self.borders.extend(0..=token.len());
        self.ranks.clear();
        self.ranks.extend(token.windows(2).map(rank));
        while self.ranks.len() > 1 {
            let lowest = *self.ranks.iter().min().filter(|&&lowest| lowest != NO_RANK)?;
            let at = self.ranks.iter().position(|&rank| rank == lowest)?;
            self.borders.remove(at + 1);
            self.ranks.remove(at);
            if at > 0 {
                self.ranks[at - 1] = rank(&token[self.borders[at - 1]..self.borders[at + 1]]);
            }
            if at < self.ranks.len() {
                self.ranks[at] = rank(&token[self.borders[at]..self.borders[at + 2]]);
            }
        }
        let cut = (self.ranks.len() == 1).then(|| self.borders[1])?;
        Some((ids.get(&token[..cut])?, ids.get(&token[cut..])?))
    }
}

/// The id of what a merge spells.
fn joint_id(
    rank: usize,
    (left, right): (u32, u32),
    prefix: &[u8],
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
        let follows = !joint.is_empty();
        joint.extend_from_slice(spelling.strip_prefix(prefix).filter(|_| follows).unwrap_or(spelling));
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
