//! Encoding with dropout: merges are left out by chance, so that a model sees the same text in many forms.
//!
//! Before every merge each pair that may merge is dropped with probability p, all by themselves; of those kept the leftmost
//! of the lowest rank is merged; where none is kept, the piece is done. Drawing in the order of ranks until one is kept is
//! the same by chance, and does not look at all pairs.
//!
//! Source: Provilkov, Emelianenko, Voita: BPE-Dropout, ACL 2020.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Encoder;
use super::document::{Visitor, Walk, WalkRoom, moved};
use crate::Error;
use crate::model::{FIRST_RESERVED, Model, NO_RANK, UNKNOWN};
use crate::split::Pieces;
use crate::stop::{Countdown, Stop};

/// How often pairs are dropped, and the seed of the chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// From 0, never, to 1, always.
    pub probability: f64,
    /// The same seed and text give the same ids, on every machine.
    pub seed: u64,
}

impl Encoder {
    /// The ids of a text with dropout. A piece that is a token is merged like others.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_with_dropout(
        &self,
        text: &[u8],
        special: &[u32],
        dropout: Dropout,
        stop: Stop<'_>,
    ) -> Result<Vec<u32>, Error> {
        let subset = self.subsets.get(&self.model, special)?;
        let chance = Chance { state: dropout.seed, probability: dropout.probability };
        let mut visitor = Dropping { model: &self.model, chance, symbols: Vec::new(), ids: Vec::new() };
        let (room, countdown) = (&mut WalkRoom::default(), &mut Countdown::new(stop));
        Walk { model: &self.model, text, subset: &subset, room, countdown, visitor: &mut visitor }.run()?;
        Ok(visitor.ids)
    }
}

/// Whether a pair is dropped, pair after pair: `SplitMix64` (Steele, Lea, Flood 2014).
struct Chance {
    state: u64,
    probability: f64,
}

impl Chance {
    fn drops(&mut self) -> bool {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // 53 bits make a number from 0 up to 1, which is never 1.
        ((bits >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < self.probability
    }
}

struct Dropping<'a> {
    model: &'a Model,
    chance: Chance,
    symbols: Vec<u32>,
    ids: Vec<u32>,
}

impl Visitor for Dropping<'_> {
    fn special(&mut self, id: u32, _: &[u8]) {
        self.ids.push(id);
    }

    fn pieces(&mut self, segment: &[u8], mut pieces: impl Pieces, countdown: &mut Countdown<'_>) -> Result<(), Error> {
        pieces.try_for_each(|range| {
            let start = range.start;
            self.piece(&segment[range], countdown).map_err(|error| moved(error, start, 0))
        })
    }
}

impl Dropping<'_> {
    fn piece(&mut self, piece: &[u8], countdown: &mut Countdown<'_>) -> Result<(), Error> {
        self.model.spell(piece, &mut self.symbols, countdown)?;
        merge(self.model, &mut self.symbols, &mut self.chance, countdown)?;
        let unk_id = self.model.unk_id().unwrap_or(UNKNOWN);
        self.ids.extend(self.symbols.iter().map(|&symbol| if symbol == UNKNOWN { unk_id } else { symbol }));
        Ok(())
    }
}

/// The cost of one draw, in bytes of plain text.
const DRAW: usize = 32;
/// A symbol that was merged into its left neighbour.
const GONE: u32 = FIRST_RESERVED;

/// A rank and a place, the lowest first.
type Candidate = Reverse<(u32, usize)>;

fn merge(
    model: &Model,
    symbols: &mut Vec<u32>,
    chance: &mut Chance,
    countdown: &mut Countdown<'_>,
) -> Result<(), Error> {
    let mut line = Line::new(model, symbols);
    let mut dropped = Vec::new();
    while let Some(candidate) = line.candidates.pop() {
        countdown.spend(DRAW)?;
        let Reverse((rank, at)) = candidate;
        if line.rank(at) != rank {
            continue;
        }
        if chance.drops() {
            dropped.push(candidate);
            continue;
        }
        line.join(at, rank);
        line.candidates.extend(dropped.drain(..));
    }
    symbols.retain(|&symbol| symbol != GONE);
    Ok(())
}

/// Symbols in a row, each with its neighbours, and the pairs that may merge; older candidates stay until they are met.
struct Line<'a> {
    model: &'a Model,
    symbols: &'a mut [u32],
    before: Vec<usize>,
    after: Vec<usize>,
    candidates: BinaryHeap<Candidate>,
}

impl<'a> Line<'a> {
    fn new(model: &'a Model, symbols: &'a mut [u32]) -> Self {
        let n = symbols.len();
        let before = (0..n).map(|at| at.checked_sub(1).unwrap_or(n)).collect();
        let mut line = Self { model, symbols, before, after: (1..=n).collect(), candidates: BinaryHeap::new() };
        (0..n).for_each(|at| line.offer(at));
        line
    }

    /// The rank of the pair that begins at a place.
    fn rank(&self, at: usize) -> u32 {
        match self.symbols.get(self.after[at]) {
            Some(&right) if self.symbols[at] != GONE => self.model.rank(self.symbols[at], right),
            _ => NO_RANK,
        }
    }

    fn offer(&mut self, at: usize) {
        let rank = self.rank(at);
        if rank != NO_RANK {
            self.candidates.push(Reverse((rank, at)));
        }
    }

    fn join(&mut self, at: usize, rank: u32) {
        let (n, right) = (self.symbols.len(), self.after[at]);
        let beyond = self.after[right];
        self.symbols[at] = self.model.joint(rank);
        self.symbols[right] = GONE;
        self.after[at] = beyond;
        if beyond < n {
            self.before[beyond] = at;
        }
        self.offer(at);
        if self.before[at] < n {
            self.offer(self.before[at]);
        }
    }
}
