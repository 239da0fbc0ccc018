//! One merge: every occurrence of a pair is replaced, and only the counts around it change.

use std::cell::RefCell;

use super::pairs::{Pair, Pairs};
use super::sequences::{BORDER, Sequences};

/// How many visits ahead memory is asked for.
const AHEAD: usize = 12;
/// Occurrences whose buffer is kept from step to step; only the first steps of a large corpus have more.
const KEPT: usize = 1 << 16;

/// Sums for one neighbouring symbol while a step runs.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    count: i64,
    n_places: u32,
    /// Where this neighbour's places start in the step's buffer; moves on as they are filled in.
    cursor: u32,
}

/// Count changes on one side of the merged pair, one sum a distinct neighbour, so that the pair table is asked once for each.
#[derive(Debug, Default)]
struct Side {
    by_symbol: Vec<Tally>,
    touched: Vec<u32>,
    cells: Vec<u32>,
}

impl Side {
    fn add(&mut self, symbol: u32, count: i64) {
        let tally = &mut self.by_symbol[symbol as usize];
        if tally.n_places == 0 {
            self.touched.push(symbol);
        }
        tally.n_places += 1;
        tally.count += count;
    }

    /// Gives each touched neighbour that came to `floor` its part of the buffer; forgets the others.
    fn make_room(&mut self, floor: i64) {
        let mut start = 0;
        let by_symbol = &mut self.by_symbol;
        self.touched.retain(|&symbol| {
            let tally = &mut by_symbol[symbol as usize];
            let is_kept = tally.count >= floor;
            if is_kept {
                tally.cursor = start;
                start += tally.n_places;
            } else {
                *tally = Tally::default();
            }
            is_kept
        });
        self.cells.resize(start as usize, 0);
    }

    fn put(&mut self, symbol: u32, cell: u32) {
        let tally = &mut self.by_symbol[symbol as usize];
        if tally.n_places > 0 {
            self.cells[tally.cursor as usize] = cell;
            tally.cursor += 1;
        }
    }

    /// Calls `each(symbol, count, cells)` for every touched neighbour and forgets it; `expect(symbol)` a little earlier.
    fn drain(&mut self, expect: impl Fn(u32), mut each: impl FnMut(u32, i64, &[u32])) {
        for (place, &symbol) in self.touched.iter().enumerate() {
            if let Some(&later) = self.touched.get(place + AHEAD) {
                expect(later);
            }
            let tally = std::mem::take(&mut self.by_symbol[symbol as usize]);
            let end = tally.cursor as usize;
            let start = end.saturating_sub(tally.n_places as usize);
            each(symbol, tally.count, self.cells.get(start..end).unwrap_or(&[]));
        }
        self.touched.clear();
        self.cells.clear();
    }
}

/// One replaced occurrence and what stands around it. The sequences are visited once; the rest of the step reads this.
#[derive(Debug, Clone, Copy)]
struct Merged {
    first: u32,
    previous: u32,
    /// The symbols before and after, `joint` where the one before was merged in this step too.
    before: u32,
    after: u32,
    count: i64,
}

/// Buffers that live from step to step.
#[derive(Debug, Default)]
pub(super) struct Step {
    before: Side,
    after: Side,
    merged: Vec<Merged>,
    /// Pairs that are new or have gained occurrences.
    pub(super) gained: Vec<u32>,
}

impl Step {
    /// Merges every occurrence of `pair` into `joint`. `n_symbols` counts `joint`. Pairs that come to less than `floor` are
    /// not entered. Gives how many were replaced, fewer than the pair's count where occurrences overlapped.
    pub(super) fn run(
        &mut self,
        pair: u32,
        joint: u32,
        n_symbols: usize,
        floor: i64,
        sequences: &mut Sequences,
        pairs: &mut Pairs,
    ) -> u64 {
        self.before.by_symbol.resize(n_symbols, Tally::default());
        self.after.by_symbol.resize(n_symbols, Tally::default());
        self.merged.clear();
        self.merged.shrink_to(KEPT);
        self.gained.clear();
        let &Pair { left, right, .. } = pairs.get(pair);
        let places = pairs.get_mut(pair).take_places();
        let n_replaced = self.replace(&places, (left, right), joint, sequences);
        drop(places);
        self.subtract((left, right), pairs);
        // Nothing of the pair is left: its occurrences were merged or overlapped one that was.
        pairs.get_mut(pair).count = 0;
        self.collect(floor);
        self.add(joint, pairs);
        n_replaced.cast_unsigned()
    }

    /// Replaces the occurrences left to right and sums up what the neighbours lose. Gives how many were replaced.
    fn replace(&mut self, places: &[u32], (left, right): (u32, u32), joint: u32, sequences: &mut Sequences) -> i64 {
        let mut last_merged = 0;
        // No more than the count of the pair, which did not overflow.
        let mut n_replaced = 0;
        for (place, &first) in places.iter().enumerate() {
            if let Some(&later) = places.get(place + AHEAD) {
                sequences.expect(later);
            }
            if !sequences.holds(first, left, right) {
                continue;
            }
            let second = sequences.next(first);
            let end = sequences.next(second);
            let previous = sequences.previous(first);
            let (before, after) = (sequences.symbol(previous), sequences.symbol(end));
            let count = sequences.count(first);
            // Next to one merged just now, the pair between them has been subtracted already.
            if previous != last_merged && before != BORDER {
                self.before.add(before, count);
            }
            if after != BORDER {
                self.after.add(after, count);
            }
            sequences.merge(first, second, end, joint);
            self.merged.push(Merged { first, previous, before, after, count });
            last_merged = first;
            n_replaced += count;
        }
        n_replaced
    }

    fn subtract(&mut self, (left, right): (u32, u32), pairs: &mut Pairs) {
        let pairs = RefCell::new(pairs);
        let lose = |left, right, count| {
            let mut pairs = pairs.borrow_mut();
            if let Some(pair) = pairs.find(left, right) {
                pairs.get_mut(pair).count -= count;
            }
        };
        self.before.drain(|symbol| pairs.borrow().expect(symbol, left), |symbol, count, _| lose(symbol, left, count));
        self.after.drain(|symbol| pairs.borrow().expect(right, symbol), |symbol, count, _| lose(right, symbol, count));
    }

    /// Sums up what the neighbours of the new symbols gain, then where.
    fn collect(&mut self, floor: i64) {
        self.each_new_pair(|side, symbol, count, _| side.add(symbol, count));
        self.before.make_room(floor);
        self.after.make_room(floor);
        self.each_new_pair(|side, symbol, _, cell| side.put(symbol, cell));
    }

    fn each_new_pair(&mut self, mut visit: impl FnMut(&mut Side, u32, i64, u32)) {
        for (place, merged) in self.merged.iter().enumerate() {
            if merged.before != BORDER {
                visit(&mut self.before, merged.before, merged.count, merged.previous);
            }
            // If the next symbol is new too, the pair is the next one's (previous, joint).
            let next_is_new = self.merged.get(place + 1).is_some_and(|next| next.previous == merged.first);
            if merged.after != BORDER && !next_is_new {
                visit(&mut self.after, merged.after, merged.count, merged.first);
            }
        }
    }

    fn add(&mut self, joint: u32, pairs: &mut Pairs) {
        let gained = &mut self.gained;
        let pairs = RefCell::new(pairs);
        let mut gain = |left, right, count, cells: &[u32]| {
            let mut pairs = pairs.borrow_mut();
            let pair = pairs.enter(left, right);
            pairs.add(pair, count, cells);
            gained.push(pair);
        };
        self.before.drain(
            |symbol| pairs.borrow().expect(symbol, joint),
            |symbol, count, cells| gain(symbol, joint, count, cells),
        );
        self.after.drain(
            |symbol| pairs.borrow().expect(joint, symbol),
            |symbol, count, cells| gain(joint, symbol, count, cells),
        );
    }
}
