//! The next best pair, found lazily.
//!
//! Entries are made when a pair appears or gains occurrences and are not touched when it loses some: an entry whose count
//! is out of date is put right when it comes up. Small counts wait in buckets, unordered; only the bucket at hand is ordered
//! by the tie rule, in a small heap, so most pairs never take part in a comparison.

use super::Ties;
use super::pairs::{NOT_LINKED, Pairs};
use super::sequences::Sequences;
use super::symbols::Symbols;
use std::cmp::Ordering;

/// Counts below this wait in buckets.
const N_BUCKETS: usize = 1 << 16;
const END: u32 = NOT_LINKED - 1;
const ARITY: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Entry {
    count: i64,
    /// The smaller is the better among equal counts; equal keys are told apart by `TieContext::compare`.
    key: u64,
    pair: u32,
}

/// What the tie rules look at.
pub(super) struct TieContext<'a> {
    pub(super) pairs: &'a mut Pairs,
    pub(super) symbols: &'a Symbols,
    pub(super) sequences: &'a Sequences,
}

#[derive(Debug)]
pub(super) struct Queue {
    ties: Ties,
    heap: Vec<Entry>,
    /// First pair of each bucket, by count; pairs are chained by `Pair::link`.
    buckets: Vec<u32>,
    /// Every pair of this count or more has its entry in the heap.
    current: i64,
}

impl Queue {
    pub(super) fn new(ties: Ties) -> Self {
        Self { ties, heap: Vec::new(), buckets: vec![END; N_BUCKETS], current: N_BUCKETS as i64 }
    }

    /// Makes sure that an entry stands at the pair's count or above.
    pub(super) fn enqueue(&mut self, pair: u32, context: &mut TieContext<'_>) {
        let entry = context.pairs.get_mut(pair);
        if entry.count <= 0 {
            return;
        }
        if entry.count < self.current && entry.link == NOT_LINKED {
            let bucket = &mut self.buckets[entry.count as usize];
            entry.link = std::mem::replace(bucket, pair);
        } else {
            self.push(pair, context);
        }
    }

    /// The best pair under the rule; None when no pair is left.
    pub(super) fn pop(&mut self, context: &mut TieContext<'_>) -> Option<u32> {
        loop {
            let top = self.heap.first().map_or(0, |entry| entry.count);
            if top < self.current {
                self.open_bucket(top, context)?;
                continue;
            }
            let entry = self.pop_entry(context);
            if self.confirm(entry, context) {
                return Some(entry.pair);
            }
        }
    }

    /// Whether the entry still says the truth; if not, the pair is queued again where it belongs.
    fn confirm(&mut self, entry: Entry, context: &mut TieContext<'_>) -> bool {
        let count = context.pairs.get(entry.pair).count;
        if count < entry.count {
            self.enqueue(entry.pair, context);
        }
        if count != entry.count {
            return false;
        }
        if self.ties == Ties::FirstSeen && self.key(entry.pair, context) != entry.key {
            self.push(entry.pair, context);
            return false;
        }
        true
    }

    /// Moves on to the next count that has a pair: the heap's best, or the highest bucket.
    fn open_bucket(&mut self, top: i64, context: &mut TieContext<'_>) -> Option<()> {
        let lowest = top.max(1) as usize;
        let bucket = (lowest..self.current as usize).rev().find(|&count| self.buckets[count] != END);
        let count = bucket.map_or(top, |count| count as i64);
        if count <= 0 {
            return None;
        }
        self.current = count;
        if bucket.is_some() {
            self.drain_bucket(count, context);
        }
        Some(())
    }

    fn drain_bucket(&mut self, count: i64, context: &mut TieContext<'_>) {
        let mut next = std::mem::replace(&mut self.buckets[count as usize], END);
        while next != END {
            let pair = next;
            let entry = context.pairs.get_mut(pair);
            next = std::mem::replace(&mut entry.link, NOT_LINKED);
            // A pair that has gained since has an entry of its own at the higher count.
            if entry.count <= count {
                self.enqueue(pair, context);
            }
        }
    }

    fn key(&self, pair: u32, context: &mut TieContext<'_>) -> u64 {
        let entry = context.pairs.get_mut(pair);
        match self.ties {
            Ties::Lexicographic => context.symbols.prefix(entry.left),
            Ties::Largest => !context.symbols.prefix(entry.left),
            Ties::LowestId => u64::from(entry.left) << 32 | u64::from(entry.right),
            Ties::Shortest => n_chars(context.symbols, entry.left) + n_chars(context.symbols, entry.right),
            Ties::FirstSeen => entry.first_place(context.sequences).map_or(u64::MAX, u64::from),
        }
    }

    fn push(&mut self, pair: u32, context: &mut TieContext<'_>) {
        let count = context.pairs.get(pair).count;
        let entry = Entry { count, key: self.key(pair, context), pair };
        let mut place = self.heap.len();
        self.heap.push(entry);
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if !self.is_better(&entry, &self.heap[parent], context) {
                break;
            }
            self.heap[place] = self.heap[parent];
            place = parent;
        }
        self.heap[place] = entry;
    }

    fn pop_entry(&mut self, context: &TieContext<'_>) -> Entry {
        let last = self.heap.pop().expect("the caller has seen the top");
        let Some(&best) = self.heap.first() else { return last };
        let mut place = 0;
        while let Some(child) = self.best_child(place, context) {
            if !self.is_better(&self.heap[child], &last, context) {
                break;
            }
            self.heap[place] = self.heap[child];
            place = child;
        }
        self.heap[place] = last;
        best
    }

    fn best_child(&self, place: usize, context: &TieContext<'_>) -> Option<usize> {
        let first = place * ARITY + 1;
        let end = (first + ARITY).min(self.heap.len());
        (first..end).reduce(
            |best, child| {
                if self.is_better(&self.heap[child], &self.heap[best], context) { child } else { best }
            },
        )
    }

    fn is_better(&self, a: &Entry, b: &Entry, context: &TieContext<'_>) -> bool {
        let order = b.count.cmp(&a.count).then(a.key.cmp(&b.key));
        order.then_with(|| self.compare_spellings(a.pair, b.pair, context)) == Ordering::Less
    }

    /// Decides between pairs whose keys are equal.
    fn compare_spellings(&self, a: u32, b: u32, context: &TieContext<'_>) -> Ordering {
        let spelled = |pair: u32| {
            let pair = context.pairs.get(pair);
            (context.symbols.spelling(pair.left), context.symbols.spelling(pair.right))
        };
        match self.ties {
            Ties::Lexicographic => spelled(a).cmp(&spelled(b)),
            Ties::Largest => spelled(b).cmp(&spelled(a)),
            Ties::Shortest => {
                let joint = |(left, right): (&'_ [u8], &'_ [u8])| [left, right].concat();
                joint(spelled(a)).cmp(&joint(spelled(b))).then_with(|| spelled(a).cmp(&spelled(b)))
            }
            Ties::LowestId | Ties::FirstSeen => Ordering::Equal,
        }
    }
}

/// Characters of a symbol: its bytes but for those that go on with a character.
fn n_chars(symbols: &Symbols, id: u32) -> u64 {
    symbols.spelling(id).iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64
}
