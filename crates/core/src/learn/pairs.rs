//! Every pair seen so far: its count, and where it stands.

use super::sequences::Sequences;
use crate::prefetch::prefetch;

/// Where a pair stands; most pairs stand in one or two places, which need no allocation.
#[derive(Debug)]
enum Places {
    Few([u32; 2]),
    Many(Box<[u32]>),
}

const NO_CELL: u32 = u32::MAX;

impl Places {
    fn of(cells: &[u32]) -> Self {
        match *cells {
            [] => Self::Few([NO_CELL; 2]),
            [first] => Self::Few([first, NO_CELL]),
            [first, second] => Self::Few([first, second]),
            _ => Self::Many(cells.into()),
        }
    }
}

/// In `Pair::head`: the places are not in ascending order.
const UNSORTED: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Pair {
    pub(super) left: u32,
    pub(super) right: u32,
    /// Exact at the end of each step.
    pub(super) count: i64,
    /// First cells, ascending unless `head` is `UNSORTED`. Every live occurrence is here; some entries may be dead.
    places: Places,
    /// Places before this one are dead.
    head: u32,
    /// Owned by the queue.
    pub(super) link: u32,
}

impl Pair {
    fn places(&self) -> &[u32] {
        match &self.places {
            Places::Few(cells) => &cells[..cells.iter().take_while(|&&cell| cell != NO_CELL).count()],
            Places::Many(cells) => cells,
        }
    }

    /// Adds places that are in ascending order.
    fn append(&mut self, cells: &[u32]) {
        let old = self.places();
        if old.is_empty() {
            self.places = Places::of(cells);
            return;
        }
        if old.last() > cells.first() {
            self.head = UNSORTED;
        }
        self.places = Places::of(&[self.places(), cells].concat());
    }

    fn sort(&mut self) {
        if self.head == UNSORTED {
            match &mut self.places {
                Places::Few(cells) => cells.sort_unstable(),
                Places::Many(cells) => cells.sort_unstable(),
            }
            self.head = 0;
        }
    }

    /// Takes all places out, ascending.
    pub(super) fn take_places(&mut self) -> Vec<u32> {
        self.sort();
        self.head = 0;
        match std::mem::replace(&mut self.places, Places::of(&[])) {
            Places::Few(cells) => cells.into_iter().take_while(|&cell| cell != NO_CELL).collect(),
            Places::Many(cells) => cells.into_vec(),
        }
    }

    /// The first cell where the pair still stands.
    pub(super) fn first_place(&mut self, sequences: &Sequences) -> Option<u32> {
        self.sort();
        let (left, right, head) = (self.left, self.right, self.head as usize);
        let places = self.places();
        let dead = places[head..].iter().take_while(|&&cell| !sequences.holds(cell, left, right)).count();
        self.head = (head + dead) as u32;
        self.places().get(head + dead).copied()
    }
}

/// All pairs, found by (left, right).
#[derive(Debug)]
pub(super) struct Pairs {
    pairs: Vec<Pair>,
    /// Open addressing; each slot is an index into `pairs` or `EMPTY`.
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
pub(super) const NOT_LINKED: u32 = u32::MAX;

pub(super) fn hash(left: u32, right: u32) -> usize {
    let key = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (key ^ (key >> 29)) as usize
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self { pairs: Vec::new(), slots: vec![EMPTY; 1 << 10] }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    #[inline]
    pub(super) fn get(&self, index: u32) -> &Pair {
        &self.pairs[index as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: u32) -> &mut Pair {
        &mut self.pairs[index as usize]
    }

    fn slot(&self, left: u32, right: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(left, right) & mask;
        loop {
            let index = self.slots[slot];
            if index == EMPTY || (self.pairs[index as usize].left == left && self.pairs[index as usize].right == right)
            {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Says that (left, right) will be asked for soon.
    #[inline]
    pub(super) fn expect(&self, left: u32, right: u32) {
        prefetch(&self.slots, hash(left, right) & (self.slots.len() - 1));
    }

    pub(super) fn find(&self, left: u32, right: u32) -> Option<u32> {
        let index = self.slots[self.slot(left, right)];
        (index != EMPTY).then_some(index)
    }

    /// The index of this pair, entered with count 0 if it is new.
    pub(super) fn enter(&mut self, left: u32, right: u32) -> u32 {
        let slot = self.slot(left, right);
        if self.slots[slot] != EMPTY {
            return self.slots[slot];
        }
        let index = self.pairs.len() as u32;
        let places = Places::of(&[]);
        self.pairs.push(Pair { left, right, count: 0, places, head: 0, link: NOT_LINKED });
        self.slots[slot] = index;
        if self.pairs.len() * 2 > self.slots.len() {
            self.grow();
        }
        index
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; self.slots.len() * 2];
        for index in 0..self.pairs.len() as u32 {
            let slot = self.slot(self.pairs[index as usize].left, self.pairs[index as usize].right);
            self.slots[slot] = index;
        }
    }

    /// Adds occurrences: `cells` ascending, `count` their weight.
    pub(super) fn add(&mut self, index: u32, count: i64, cells: &[u32]) {
        let pair = self.get_mut(index);
        pair.count += count;
        pair.append(cells);
    }

    /// Enters a pair that is not there yet, with all its places, ascending.
    pub(super) fn insert(&mut self, left: u32, right: u32, count: i64, cells: Vec<u32>) {
        let index = self.enter(left, right);
        let pair = self.get_mut(index);
        pair.count = count;
        pair.places = if cells.len() > 2 { Places::Many(cells.into_boxed_slice()) } else { Places::of(&cells) };
    }
}
