//! Symbol sequences with counts -> merges, in the order of the rule.
//!
//! One kernel serves every alphabet, marker and tie rule. Pair counts are kept exactly from step to step: a merge visits the
//! places of its pair and changes the counts around them, so a run costs O(changes x log) and never rescans the corpus.

mod alphabet;
mod census;
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
use std::collections::HashSet;
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
    /// The joint spelling of fewest characters, then the smallest one; a spelling that exists already is no candidate.
    /// Source: the BPE trainer of sentencepiece.
    Shortest,
}

/// A pair by the spellings of its symbols.
pub type SpelledPair = (Vec<u8>, Vec<u8>);

/// How the end of a piece is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndOfWord {
    /// A symbol of its own.
    Symbol(Vec<u8>),
    /// Glued to the last symbol: every byte or character is a symbol with it and without it.
    Suffix(Vec<u8>),
}

/// What to learn.
#[derive(Debug, Clone)]
pub struct Options {
    /// The first symbols.
    pub alphabet: Alphabet,
    /// The mark at the end of every piece.
    pub end_of_word: Option<EndOfWord>,
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
    /// Symbols that come first whether or not the corpus holds them.
    pub first_symbols: Vec<Vec<u8>>,
    /// Merges, by spelling, that are made before any is chosen; the limits count them.
    pub given: Vec<SpelledPair>,
    /// Given merges from this rank on must be the true choices, else `Learned::broken` says which is the first that is not.
    pub check_from: Option<usize>,
}

/// A given merge that was not the choice of the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Its rank.
    pub rank: usize,
    /// How often it stood in the corpus at that point.
    pub count: u64,
    /// The true choice and its count; None if no pair was left.
    pub choice: Option<(SpelledPair, u64)>,
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
    /// The first given merge that was not the true choice.
    pub broken: Option<Broken>,
    /// Bytes of all pieces over the symbols that they consist of now, each piece as often as it occurs; None without any.
    pub bytes_per_symbol: Option<f64>,
}

/// Learns merges from counted pieces. `pulse` is told (merges done, merges wanted).
///
/// # Errors
/// Pieces that are not UTF-8 in a character alphabet, a vocabulary below the alphabet, more pairs than 63 bits count,
/// more symbols than can be indexed, an interrupt.
pub fn learn(pieces: &PieceCounts, options: &Options, pulse: &mut Pulse<'_>) -> Result<Learned, Error> {
    let mut learner = Learner::new(pieces, options, pulse)?;
    learner.run(pulse)?;
    Ok(learner.finish())
}

/// While pairs are first counted, one is kept if its share of all occurrences is this many times below what a merge takes on
/// average: of the pairs that natural text brings forth, nine in ten stay below.
const FLOOR_SHARE: u128 = 48;

/// How much lower the floor is each time it is lowered.
const LOWERING: i64 = 8;

/// Learning under way: what is done so far can be read whenever `run` was stopped, and another `run` goes on from there.
pub struct Learner<'a> {
    options: &'a Options,
    /// Why it ended, once it has.
    reason: Option<Reason>,
    target: u64,
    symbols: Symbols,
    n_alphabet: usize,
    sequences: Sequences,
    /// Those that occur `floor` times or more. A pair gains only in the step that makes the newer of its symbols, so one that
    /// was left out cannot be the best until all that were kept have fallen below the floor.
    pairs: Pairs,
    floor: i64,
    /// The pairs have to be counted anew.
    is_stale: bool,
    queue: Queue,
    step: Step,
    merges: Vec<(u32, u32)>,
    merge_counts: Vec<u64>,
    passed_over: Vec<Vec<u8>>,
    broken: Option<Broken>,
}

impl<'a> Learner<'a> {
    /// Lays the pieces out and counts their pairs.
    ///
    /// # Errors
    /// As `learn`.
    pub fn new(pieces: &PieceCounts, options: &'a Options, pulse: &mut Pulse<'_>) -> Result<Self, Error> {
        let mut symbols = Symbols::default();
        for spelling in &options.first_symbols {
            symbols.intern(spelling.as_slice().into());
        }
        let speller = Speller::new(options.alphabet, options.end_of_word.as_ref(), pieces, &mut symbols)?;
        let n_alphabet = symbols.len();
        if options.max_tokens.is_some_and(|most| most < n_alphabet as u64) {
            return Err(Error::VocabularyTooSmall { alphabet: n_alphabet as u64 });
        }
        let target = target(options, &symbols);
        let mut learner = Self {
            options,
            reason: None,
            target,
            symbols,
            n_alphabet,
            sequences: Sequences::new(pieces, &speller, &mut || pulse.tick(0, target))?,
            pairs: Pairs::new(),
            floor: i64::MAX,
            is_stale: false,
            queue: Queue::new(options.ties),
            step: Step::default(),
            merges: Vec::new(),
            merge_counts: Vec::new(),
            passed_over: Vec::new(),
            broken: None,
        };
        if !learner.is_done() {
            learner.count_pairs(pulse)?;
        }
        Ok(learner)
    }

    /// Makes merges until the end. `pulse` is told (merges done, merges wanted). Before a merge all pairs may be counted anew,
    /// and begun again by the next run if it is stopped then: a pulse that is to stop and go on waits for a merge.
    ///
    /// # Errors
    /// An interrupt.
    pub fn run(&mut self, pulse: &mut Pulse<'_>) -> Result<(), Error> {
        while self.reason.is_none() {
            pulse.tick(self.merges.len() as u64, self.target)?;
            if self.is_stale {
                self.count_pairs(pulse)?;
            }
            self.reason = self.advance(pulse)?;
        }
        Ok(())
    }

    /// Counts the pairs as they stand now, and queues them.
    fn count_pairs(&mut self, pulse: &mut Pulse<'_>) -> Result<(), Error> {
        self.is_stale = true;
        let (floor, n_merges, target) = (self.floor, self.merges.len() as u64, self.target);
        // Given merges are made however rare their pairs are.
        let lowest = if self.merges.len() < self.options.given.len() { 1 } else { floor };
        let n_wanted = u128::from((target - n_merges).max(1));
        let floor_of = |total: u128| i64::try_from(total / n_wanted / FLOOR_SHARE).unwrap_or(floor).clamp(1, lowest);
        let mut tick = || pulse.tick(n_merges, target);
        (self.pairs, self.floor) = census::count(&self.sequences, &self.symbols, floor_of, &mut tick)?;
        self.is_stale = false;
        self.queue = Queue::new(self.options.ties);
        (0..self.pairs.len() as u32).for_each(|pair| self.admit(pair));
        Ok(())
    }

    /// Keeps pairs that occur so often, from now on.
    fn lower_floor(&mut self, floor: i64, pulse: &mut Pulse<'_>) -> Result<(), Error> {
        self.floor = floor;
        self.is_stale = true;
        self.pairs = Pairs::new();
        self.sequences.compact();
        self.count_pairs(pulse)
    }

    /// How many merges were made so far.
    #[must_use]
    pub fn n_merges(&self) -> usize {
        self.merges.len()
    }

    /// How many merges there will be, as far as can be known.
    #[must_use]
    pub fn target(&self) -> u64 {
        self.target
    }

    /// As `Learned::bytes_per_symbol`, for the merges made so far.
    #[must_use]
    pub fn bytes_per_symbol(&self) -> Option<f64> {
        self.sequences.size.bytes_per_symbol()
    }

    /// The merges from this rank on: the spellings of their parts, and their counts.
    pub fn merges_from(&self, rank: usize) -> impl Iterator<Item = (&[u8], &[u8], u64)> {
        let merges = self.merges[rank..].iter().zip(&self.merge_counts[rank..]);
        merges.map(|(&(left, right), &count)| (self.symbols.spelling(left), self.symbols.spelling(right), count))
    }

    /// The forbidden spellings that were passed over so far.
    #[must_use]
    pub fn passed_over(&self) -> &[Vec<u8>] {
        &self.passed_over
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
        let mut context = TieContext { pairs: &mut self.pairs, symbols: &self.symbols, sequences: &self.sequences };
        self.queue.enqueue(pair, &mut context);
    }

    /// One merge more; a reason to stop if there is none.
    fn advance(&mut self, pulse: &mut Pulse<'_>) -> Result<Option<Reason>, Error> {
        if self.merges.len() < self.options.given.len() {
            return self.make_given(self.merges.len(), pulse);
        }
        if self.is_done() {
            return Ok(Some(Reason::Target));
        }
        self.make_best(pulse)
    }

    /// Makes a merge that was given; a reason to stop if it had to be the true choice and is not.
    fn make_given(&mut self, rank: usize, pulse: &mut Pulse<'_>) -> Result<Option<Reason>, Error> {
        let options = self.options;
        let (left, right) = &options.given[rank];
        if options.check_from.is_some_and(|first| rank >= first) {
            let known = self.symbols.find(left).zip(self.symbols.find(right));
            let given = known.and_then(|(left, right)| self.pairs.find(left, right));
            let choice = self.choose(pulse)?.filter(|&best| self.is_frequent(best));
            if choice.is_none() || choice != given {
                self.broken = Some(self.broken(rank, given, choice));
                return Ok(Some(Reason::Target));
            }
        }
        let left = self.symbols.intern(left.as_slice().into());
        let right = self.symbols.intern(right.as_slice().into());
        let pair = self.pairs.enter(left, right);
        self.merge(pair);
        if self.merges.len() == options.given.len() && !self.is_done() {
            // From here on only frequent pairs count.
            self.floor = i64::MAX;
            self.is_stale = true;
            self.sequences.compact();
        }
        Ok(None)
    }

    fn broken(&self, rank: usize, given: Option<u32>, choice: Option<u32>) -> Broken {
        let count = |pair| self.pairs.get(pair).count.cast_unsigned();
        let spelling = |id| self.symbols.spelling(id).to_vec();
        let choice = choice.map(|choice| {
            let pair = self.pairs.get(choice);
            ((spelling(pair.left), spelling(pair.right)), count(choice))
        });
        Broken { rank, count: given.map_or(0, count), choice }
    }

    /// Merges the best pair; a reason to stop if there is none.
    fn make_best(&mut self, pulse: &mut Pulse<'_>) -> Result<Option<Reason>, Error> {
        let Some(best) = self.choose(pulse)? else { return Ok(Some(Reason::NoPairs)) };
        if !self.is_frequent(best) {
            return Ok(Some(Reason::MinCount));
        }
        let &pairs::Pair { left, right, .. } = self.pairs.get(best);
        if self.floor > 1 && self.symbols.find(&self.symbols.joint(left, right)).is_some() {
            // Another pair has made this symbol: pairs with it may gain now, and some of those were not kept. The pair comes
            // up again when all are.
            return self.lower_floor(1, pulse).map(|()| None);
        }
        self.merge(best);
        Ok(None)
    }

    fn is_frequent(&self, pair: u32) -> bool {
        self.pairs.get(pair).count.cast_unsigned() >= self.options.min_count
    }

    /// The best pair under the rule that may be merged; it leaves the queue.
    fn choose(&mut self, pulse: &mut Pulse<'_>) -> Result<Option<u32>, Error> {
        loop {
            let mut context = TieContext { pairs: &mut self.pairs, symbols: &self.symbols, sequences: &self.sequences };
            let best = self.queue.pop(&mut context);
            let count = best.map_or(0, |best| self.pairs.get(best).count);
            if count < self.floor && self.floor > 1 {
                self.lower_floor((self.floor / LOWERING).max(1), pulse)?;
                continue;
            }
            let Some(best) = best else { return Ok(None) };
            if !self.is_passed_over(best) {
                return Ok(Some(best));
            }
        }
    }

    /// Whether the pair may not be merged for what it spells. It comes up again when it gains, and is passed over again.
    fn is_passed_over(&mut self, pair: u32) -> bool {
        if self.options.forbidden.is_empty() && self.options.ties != Ties::Shortest {
            return false;
        }
        let pair = self.pairs.get(pair);
        let spelling = self.symbols.joint(pair.left, pair.right);
        if self.options.forbidden.iter().any(|text| **text == *spelling) {
            self.pass_over(spelling.into_vec());
            return true;
        }
        self.options.ties == Ties::Shortest && self.symbols.find(&spelling).is_some()
    }

    fn merge(&mut self, pair: u32) {
        let &pairs::Pair { left, right, count, .. } = self.pairs.get(pair);
        let joint = self.symbols.intern(self.symbols.joint(left, right));
        self.merges.push((left, right));
        self.merge_counts.push(count.cast_unsigned());
        let n_symbols = self.symbols.len();
        let n_replaced = self.step.run(pair, joint, n_symbols, self.floor, &mut self.sequences, &mut self.pairs);
        self.sequences.size.n_symbols -= u128::from(n_replaced);
        for pair in std::mem::take(&mut self.step.gained) {
            self.admit(pair);
        }
    }

    fn pass_over(&mut self, spelling: Vec<u8>) {
        if !self.passed_over.contains(&spelling) {
            self.passed_over.push(spelling);
        }
    }

    /// What was learned.
    #[must_use]
    pub fn finish(self) -> Learned {
        Learned {
            tokens: self.symbols.into_spellings(),
            n_alphabet: self.n_alphabet,
            merges: self.merges,
            merge_counts: self.merge_counts,
            reason: self.reason.unwrap_or(Reason::Target),
            passed_over: self.passed_over,
            broken: self.broken,
            bytes_per_symbol: self.sequences.size.bytes_per_symbol(),
        }
    }
}

/// How many merges there will be if none spells a symbol that exists.
fn target(options: &Options, symbols: &Symbols) -> u64 {
    let joints: HashSet<Vec<u8>> = options.given.iter().map(|(left, right)| [&left[..], right].concat()).collect();
    let n_given_tokens = joints.iter().filter(|joint| symbols.find(joint).is_none()).count();
    let n_tokens = (symbols.len() + n_given_tokens) as u64;
    let by_tokens = options.max_tokens.map(|most| options.given.len() as u64 + most.saturating_sub(n_tokens));
    options.max_merges.into_iter().chain(by_tokens).min().unwrap_or(u64::MAX)
}
