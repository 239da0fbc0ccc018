//! All pairs of the sequences, counted at once.

use super::pairs::{Pairs, hash};
use super::sequences::{BORDER, CELLS_A_TICK, Sequences};
use super::symbols::Symbols;
use crate::error::Error;
use crate::prefetch::prefetch;

/// The pairs that occur as often as `floor_of(occurrences of all pairs)` says, and what it said. `tick` is called now and then
/// and may end the work.
///
/// Places are counted first and filled in then, so that each list has its exact size.
///
/// No count passes 63 bits later if none does here: what stands between two symbols always stood between two of the alphabet,
/// and a pair has at most the places of that first pair.
///
/// # Errors
/// `Error::CountOverflow`, and what `tick` says.
pub(super) fn count(
    sequences: &Sequences,
    symbols: &Symbols,
    floor_of: impl FnOnce(u128) -> i64,
    tick: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<(Pairs, i64), Error> {
    let mut census = Census::new(symbols.len());
    census.for_each_neighbours(sequences, tick, |counted, cell| {
        counted.n_places += 1;
        let sum = counted.count.checked_add(sequences.count(cell));
        counted.count = sum.ok_or_else(|| overflow(symbols, counted.left, counted.right))?;
        Ok(())
    })?;
    let floor = floor_of(census.slots.iter().map(|counted| counted.count as u128).sum());
    let mut lists = Vec::new();
    for counted in census.slots.iter_mut().filter(|counted| counted.n_places > 0 && counted.count >= floor) {
        counted.list = lists.len() as u32;
        lists.push(Vec::with_capacity(counted.n_places as usize));
    }
    census.for_each_neighbours(sequences, tick, |counted, cell| {
        if counted.list != NO_LIST {
            lists[counted.list as usize].push(cell);
        }
        Ok(())
    })?;
    let mut pairs = Pairs::new();
    for counted in census.slots.iter().filter(|counted| counted.list != NO_LIST) {
        let cells = std::mem::take(&mut lists[counted.list as usize]);
        pairs.insert(counted.left, counted.right, counted.count, cells);
    }
    Ok((pairs, floor))
}

fn overflow(symbols: &Symbols, left: u32, right: u32) -> Error {
    let spelled = |id| String::from_utf8_lossy(symbols.spelling(id)).into_owned();
    Error::CountOverflow { what: format!("the count of the pair ({:?}, {:?})", spelled(left), spelled(right)) }
}

/// Up to so many symbols every pair has a slot of its own.
const MAX_DENSE: usize = 512;
/// How many neighbours ahead memory is asked for.
const AHEAD: u32 = 12;
const NO_LIST: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Counted {
    left: u32,
    right: u32,
    count: i64,
    /// 0 where the slot is empty.
    n_places: u32,
    list: u32,
}

const EMPTY: Counted = Counted { left: 0, right: 0, count: 0, n_places: 0, list: NO_LIST };

/// A slot a pair.
struct Census {
    slots: Vec<Counted>,
    n_used: usize,
    /// How many symbols there are, if the slots are rows of so many; else they are a hash table.
    width: Option<usize>,
}

impl Census {
    fn new(n_symbols: usize) -> Self {
        let width = (n_symbols <= MAX_DENSE).then_some(n_symbols);
        let n_slots = width.map_or(1 << 12, |width| width * width);
        Self { slots: vec![EMPTY; n_slots], n_used: 0, width }
    }

    fn home(&self, left: u32, right: u32) -> usize {
        match self.width {
            Some(width) => left as usize * width + right as usize,
            None => hash(left, right) & (self.slots.len() - 1),
        }
    }

    fn expect(&self, left: u32, right: u32) {
        prefetch(&self.slots, self.home(left, right));
    }

    fn find(&self, left: u32, right: u32) -> usize {
        let mut place = self.home(left, right);
        loop {
            let slot = &self.slots[place];
            if slot.n_places == 0 || (slot.left == left && slot.right == right) {
                return place;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    fn slot(&mut self, left: u32, right: u32) -> &mut Counted {
        let place = self.find(left, right);
        if self.slots[place].n_places > 0 {
            return &mut self.slots[place];
        }
        self.n_used += 1;
        let place = if self.width.is_none() && self.n_used * 2 > self.slots.len() {
            self.grow();
            self.find(left, right)
        } else {
            place
        };
        self.slots[place] = Counted { left, right, ..EMPTY };
        &mut self.slots[place]
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        for counted in std::mem::replace(&mut self.slots, vec![EMPTY; size]) {
            if counted.n_places > 0 {
                let place = self.find(counted.left, counted.right);
                self.slots[place] = counted;
            }
        }
    }

    /// Calls `visit` with the slot of each pair of neighbours and its first cell, and `tick` now and then.
    fn for_each_neighbours(
        &mut self,
        sequences: &Sequences,
        tick: &mut dyn FnMut() -> Result<(), Error>,
        mut visit: impl FnMut(&mut Counted, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let end = sequences.len() as u32 - 1;
        for start in (1..end).step_by(CELLS_A_TICK) {
            tick()?;
            for cell in start..end.min(start + CELLS_A_TICK as u32) {
                if cell + AHEAD < end {
                    self.expect(sequences.symbol(cell + AHEAD), sequences.symbol(cell + AHEAD + 1));
                }
                let (left, right) = (sequences.symbol(cell), sequences.symbol(cell + 1));
                if left != BORDER && right != BORDER {
                    visit(self.slot(left, right), cell)?;
                }
            }
        }
        Ok(())
    }
}
