//! How each token is made, and which tokens may stand side by side.
//!
//! Wherever a symbol stands, its bytes were merged as they would be alone: until it was there no merge reached across its ends,
//! and the choice among merges within does not depend on the rest. So each token is made in one way if at all, by one last
//! pair. If moreover each is made at a higher rank than its parts, the merges of a text go in the order of their ranks, and
//! two tokens are neighbours in the end if and only if no pair across the border between them, of parts that are there at the
//! same time, has a rank at which it would merge before one of the two goes into something larger.

use crate::model::{Model, NO_RANK};
use crate::prefetch::prefetch;

/// How a token is made.
#[derive(Debug, Clone, Copy)]
struct Making {
    left: u32,
    right: u32,
    /// 0: it is there from the start. Else one more than the rank of its merge; or `NEVER`.
    when: u32,
}

/// Merging never makes it.
const NEVER: u32 = u32::MAX;

/// How every token is made.
#[derive(Debug, Clone)]
pub(super) struct Makings {
    by_id: Vec<Making>,
}

impl Makings {
    /// None for a model whose merges do not go in the order of their ranks, or that does not begin with bytes.
    pub(super) fn new(model: &Model) -> Option<Self> {
        let mut makings = Self { by_id: vec![Making { left: 0, right: 0, when: NEVER }; model.n_token_ids()] };
        for &id in model.byte_ids()? {
            makings.by_id[id as usize].when = 0;
        }
        // Parts that were not there when their merge came.
        let mut missed = Vec::new();
        for (left, right, rank) in model.pairs_by_rank() {
            for part in [left, right].into_iter().filter(|&part| makings.when(part) > rank) {
                missed.push(part);
            }
            let joint = model.joint(rank) as usize;
            let is_first = makings.by_id[joint].when == NEVER;
            if is_first
                && makings.when(left).max(makings.when(right)) <= rank
                && makings.border_stays(model, left, right)
            {
                makings.by_id[joint] = Making { left, right, when: rank + 1 };
            }
        }
        missed.iter().all(|&part| makings.when(part) == NEVER).then_some(makings)
    }

    #[inline]
    fn when(&self, id: u32) -> u32 {
        self.by_id[id as usize].when
    }

    /// Whether merging makes this token of its bytes.
    pub(super) fn is_made(&self, id: u32) -> bool {
        self.when(id) != NEVER
    }

    /// Says that it will be asked for the neighbours of this token soon.
    #[inline]
    pub(super) fn expect(&self, id: u32) {
        prefetch(&self.by_id, id as usize);
    }

    /// Whether two tokens that are made may stand side by side when all is merged.
    #[inline]
    pub(super) fn may_be_neighbours(&self, model: &Model, left: u32, right: u32) -> bool {
        model.rank(left, right) == NO_RANK && self.border_stays(model, left, right)
    }

    /// Whether both are made of their bytes side by side: no part of the one merges with a part of the other before.
    #[inline]
    fn border_stays(&self, model: &Model, mut left: u32, mut right: u32) -> bool {
        // When the parts at hand go into something larger.
        let (mut left_goes, mut right_goes) = (NEVER, NEVER);
        loop {
            // Back in time: what was made last is taken apart. Of the same token on both sides that is the right one, as merges
            // of one rank go from left to right.
            let (left_making, right_making) = (self.by_id[left as usize], self.by_id[right as usize]);
            if left_making.when > right_making.when {
                left_goes = left_making.when;
                left = left_making.right;
            } else if right_making.when > 0 {
                right_goes = right_making.when;
                right = right_making.left;
            } else {
                return true;
            }
            let rank = model.rank(left, right);
            // A pair of the same rank on its left comes before it, one on its right behind it.
            if rank != NO_RANK && rank + 1 < left_goes && rank < right_goes {
                return false;
            }
        }
    }
}
