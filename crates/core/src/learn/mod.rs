//! Symbol sequences with counts -> merges, in the order of the rule.
//!
//! One kernel serves every alphabet, marker and tie rule. Pair counts are kept exactly from step to step: a merge visits the
//! places of its pair and changes the counts around them, so a run costs O(changes x log) and never rescans the corpus.

mod alphabet;
mod pairs;
mod queue;
mod sequences;
mod step;
mod symbols;

pub use alphabet::{Alphabet, ByteOrder};

use crate::error::Error;
use crate::progress::Pulse;
use crate::tally::PieceCounts;
use alphabet::Speller;
use pairs::Pairs;
use queue::{Queue, TieContext};
use sequences::Sequences;
use step::Step;
use symbols::Symbols;

/// Which of several pairs with the highest count is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The smallest (left, right), compared as byte strings.
    Lexicographic,
    /// The pair whose first occurrence comes first in the pieces as merged so far.
    FirstSeen,
    /// The greatest (left, right), compared as byte strings.
    Largest,
    /// The smallest (left id, right id).
    LowestId,
}

/// What to learn.
#[derive(Debug, Clone)]
pub struct Options {
    /// The first symbols.
    pub alphabet: Alphabet,
    /// A symbol of its own at the end of every piece.
    pub end_of_word: Option<Vec<u8>>,
    /// The tie rule.
    pub ties: Ties,
    /// Stop after so many merges.
    pub max_merges: Option<u64>,
    /// Stop at so many distinct tokens: alphabet, marker, merged.
    pub max_tokens: Option<u64>,
    /// Stop when the best count is lower.
    pub min_count: u64,
    /// Merges that would spell more bytes are no candidates.
    pub max_token_bytes: Option<usize>,
    /// Merges that would spell one of these are passed over.
    pub forbidden: Vec<Vec<u8>>,
}

/// Why learning stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The number of merges or tokens asked for is reached.
    Target,
    /// No pair is left.
    NoPairs,
    /// The best count is below `min_count`.
    MinCount,
}

/// The result of learning.
#[derive(Debug, Clone)]
pub struct Learned {
    /// Spellings by id: the alphabet, the marker, then merged tokens in the order of their first merge.
    pub tokens: Vec<Box<[u8]>>,
    /// How many of them stand before any merge.
    pub n_alphabet: usize,
    /// (left id, right id) in rank order.
    pub merges: Vec<(u32, u32)>,
    /// The count of each merge's pair when it was chosen.
    pub merge_counts: Vec<u64>,
    /// Why it ended.
    pub reason: Reason,
    /// Forbidden spellings that a merge would have made, in the order met.
    pub passed_over: Vec<Vec<u8>>,
}

/// Learns merges from counted pieces. `pulse` is told (merges done, merges wanted).
///
/// # Errors
/// Pieces that are not UTF-8 in a character alphabet, a vocabulary below the alphabet, more pairs than 63 bits count,
/// more symbols than can be indexed, an interrupt.
pub fn learn(pieces: &PieceCounts, options: &Options, pulse: &mut Pulse<'_>) -> Result<Learned, Error> {
    let mut learner = Learner::new(pieces, options)?;
    let target = learner.target();
    while !learner.is_done() {
        pulse.tick(learner.merges.len() as u64, target)?;
        if let Some(reason) = learner.advance() {
            return Ok(learner.finish(reason));
        }
    }
    Ok(learner.finish(Reason::Target))
}

struct Learner<'a> {
    options: &'a Options,
    symbols: Symbols,
    n_alphabet: usize,
    sequences: Sequences,
    pairs: Pairs,
    queue: Queue,
    step: Step,
    merges: Vec<(u32, u32)>,
    merge_counts: Vec<u64>,
    passed_over: Vec<Vec<u8>>,
}

impl<'a> Learner<'a> {
    fn new(pieces: &PieceCounts, options: &'a Options) -> Result<Self, Error> {
        let mut symbols = Symbols::default();
        let speller = Speller::new(options.alphabet, options.end_of_word.as_deref(), pieces, &mut symbols)?;
        let n_alphabet = symbols.len();
        if options.max_tokens.is_some_and(|most| most < n_alphabet as u64) {
            return Err(Error::VocabularyTooSmall { alphabet: n_alphabet as u64 });
        }
        let mut learner = Self {
            options,
            symbols,
            n_alphabet,
            sequences: Sequences::new(pieces, &speller)?,
            pairs: Pairs::new(),
            queue: Queue::new(options.ties),
            step: Step::default(),
            merges: Vec::new(),
            merge_counts: Vec::new(),
            passed_over: Vec::new(),
        };
        if !learner.is_done() {
            learner.pairs.count_all(&learner.sequences);
            (0..learner.pairs.len() as u32).for_each(|pair| learner.admit(pair));
        }
        Ok(learner)
    }

    fn target(&self) -> u64 {
        let by_tokens = self.options.max_tokens.map(|most| most - self.n_alphabet as u64);
        self.options.max_merges.into_iter().chain(by_tokens).min().unwrap_or(u64::MAX)
    }

    fn is_done(&self) -> bool {
        self.options.max_merges.is_some_and(|most| self.merges.len() as u64 >= most)
            || self.options.max_tokens.is_some_and(|most| self.symbols.len() as u64 >= most)
    }

    /// Queues a pair that is new or has gained, unless its joint spelling is too long.
    fn admit(&mut self, pair: u32) {
        if let Some(most) = self.options.max_token_bytes {
            let entry = self.pairs.get(pair);
            if self.symbols.spelling(entry.left).len() + self.symbols.spelling(entry.right).len() > most {
                return;
            }
        }
        let mut context =
            TieContext { pairs: &mut self.pairs, symbols: &self.symbols, sequences: &self.sequences };
        self.queue.enqueue(pair, &mut context);
    }

    /// Merges the best pair; a reason to stop if there is none.
    fn advance(&mut self) -> Option<Reason> {
        let mut context =
            TieContext { pairs: &mut self.pairs, symbols: &self.symbols, sequences: &self.sequences };
        let Some(best) = self.queue.pop(&mut context) else { return Some(Reason::NoPairs) };
        let pair = self.pairs.get(best);
        let (left, right, count) = (pair.left, pair.right, pair.count.cast_unsigned());
        if count < self.options.min_count {
            return Some(Reason::MinCount);
        }
        let spelling = self.symbols.joint(left, right);
        if self.options.forbidden.iter().any(|text| **text == *spelling) {
            self.pass_over(spelling.into_vec());
            return None;
        }
        let joint = self.symbols.intern(spelling);
        self.merges.push((left, right));
        self.merge_counts.push(count);
        self.step.run(best, joint, self.symbols.len(), &mut self.sequences, &mut self.pairs);
        for pair in std::mem::take(&mut self.step.gained) {
            self.admit(pair);
        }
        None
    }

    /// The pair has left the queue; should it gain and come up again, it is passed over again.
    fn pass_over(&mut self, spelling: Vec<u8>) {
        if !self.passed_over.contains(&spelling) {
            self.passed_over.push(spelling);
        }
    }

    fn finish(self, reason: Reason) -> Learned {
        Learned {
            tokens: self.symbols.into_spellings(),
            n_alphabet: self.n_alphabet,
            merges: self.merges,
            merge_counts: self.merge_counts,
            reason,
            passed_over: self.passed_over,
        }
    }
}
