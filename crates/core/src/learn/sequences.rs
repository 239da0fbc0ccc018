//! All distinct pieces in one flat array of symbols.
//!
//! A merged symbol keeps its first cell; the cells it swallowed are dead, and the first and last of a dead run hold the
//! distance over the whole symbol, so the neighbour on either side is one step away without links. A sentinel stands before
//! each piece and after the last.

use super::alphabet::Speller;
use crate::error::Error;
use crate::prefetch::prefetch;
use crate::tally::PieceCounts;

/// Marks a dead cell; the other bits are the number of cells of the symbol it belongs to.
const DEAD: u32 = 1 << 31;
/// Stands between pieces; no symbol has this id.
pub(super) const BORDER: u32 = DEAD - 1;
/// As a cell's count: the piece occurs more often than 32 bits hold, look it up.
const LARGE: u32 = u32::MAX;

/// Symbol and count side by side: whoever visits a place needs both, and the memory is fetched once.
#[derive(Debug, Clone, Copy)]
struct Cell {
    symbol: u32,
    /// How often the piece around the cell occurs, or `LARGE`.
    count: u32,
}

/// Cells that are visited between two ticks while a run begins: some milliseconds.
pub(super) const CELLS_A_TICK: usize = 1 << 20;

const BORDER_CELL: Cell = Cell { symbol: BORDER, count: 0 };

#[derive(Debug)]
pub(super) struct Sequences {
    cells: Vec<Cell>,
    /// (first cell, count) of the pieces whose count is `LARGE`, ascending.
    large: Vec<(u32, u64)>,
    pub(super) size: Size,
}

/// What the pieces come to, each as often as it occurs. Wide, since only the counts of pairs are held to 63 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) n_bytes: u128,
    /// Symbols that they consist of, as merged so far.
    pub(super) n_symbols: u128,
}

impl Size {
    pub(super) fn bytes_per_symbol(self) -> Option<f64> {
        (self.n_symbols > 0).then(|| self.n_bytes as f64 / self.n_symbols as f64)
    }
}

impl Sequences {
    /// Lays out every piece of two or more symbols. `tick` is called now and then and may end the work.
    pub(super) fn new(
        pieces: &PieceCounts,
        speller: &Speller,
        tick: &mut dyn FnMut() -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut sequences = Self { cells: vec![BORDER_CELL], large: Vec::new(), size: Size::default() };
        let mut symbols = Vec::new();
        let mut until_tick = CELLS_A_TICK;
        for (piece, count) in pieces.iter() {
            if sequences.cells.len() > until_tick {
                until_tick = sequences.cells.len() + CELLS_A_TICK;
                tick()?;
            }
            check_room(sequences.cells.len() + speller.max_symbols(piece.len()) + 1)?;
            symbols.clear();
            speller.spell(piece, &mut symbols);
            sequences.size.n_bytes += piece.len() as u128 * u128::from(count);
            sequences.size.n_symbols += symbols.len() as u128 * u128::from(count);
            if symbols.len() >= 2 {
                sequences.push_piece(&symbols, count);
            }
        }
        Ok(sequences)
    }

    fn push_piece(&mut self, symbols: &[u32], count: u64) {
        let short = u32::try_from(count).unwrap_or(LARGE);
        if short == LARGE {
            self.large.push((self.cells.len() as u32, count));
        }
        self.cells.extend(symbols.iter().map(|&symbol| Cell { symbol, count: short }));
        self.cells.push(BORDER_CELL);
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    pub(super) fn symbol(&self, cell: u32) -> u32 {
        self.cells[cell as usize].symbol
    }

    /// Says that `cell` will be visited soon.
    #[inline]
    pub(super) fn expect(&self, cell: u32) {
        prefetch(&self.cells, cell as usize);
    }

    /// The cell after the symbol that starts at `cell`.
    #[inline]
    pub(super) fn next(&self, cell: u32) -> u32 {
        let after = self.cells[cell as usize + 1].symbol;
        if after & DEAD == 0 { cell + 1 } else { cell + (after & !DEAD) }
    }

    /// The first cell of the symbol (or border) before the one that starts at `cell`.
    #[inline]
    pub(super) fn previous(&self, cell: u32) -> u32 {
        let before = self.cells[cell as usize - 1].symbol;
        if before & DEAD == 0 { cell - 1 } else { cell - (before & !DEAD) }
    }

    /// How often the piece around `cell` occurs.
    #[inline]
    pub(super) fn count(&self, cell: u32) -> i64 {
        let short = self.cells[cell as usize].count;
        if short == LARGE { self.large_count(cell) } else { i64::from(short) }
    }

    #[cold]
    fn large_count(&self, cell: u32) -> i64 {
        let place = self.large.partition_point(|&(first, _)| first <= cell);
        self.large[place - 1].1.cast_signed()
    }

    /// Whether (left, right) stands at `cell`.
    #[inline]
    pub(super) fn holds(&self, cell: u32, left: u32, right: u32) -> bool {
        self.symbol(cell) == left && self.symbol(self.next(cell)) == right
    }

    /// Replaces the symbols at `first` and `second` by `joint`; `end` is the cell after them.
    #[inline]
    pub(super) fn merge(&mut self, first: u32, second: u32, end: u32, joint: u32) {
        let dead = DEAD | (end - first);
        self.cells[first as usize].symbol = joint;
        self.cells[second as usize].symbol = dead;
        self.cells[first as usize + 1].symbol = dead;
        self.cells[end as usize - 1].symbol = dead;
    }

    /// Leaves out dead cells, and pieces of which one symbol is left: all places change, their order does not.
    pub(super) fn compact(&mut self) {
        let mut large = std::mem::take(&mut self.large).into_iter().peekable();
        let (mut start, mut end) = (1, 1);
        let mut first = 1;
        for cell in 1..self.cells.len() {
            let Cell { symbol, .. } = self.cells[cell];
            if symbol & DEAD != 0 {
                continue;
            }
            self.cells[end] = self.cells[cell];
            end += 1;
            if symbol == BORDER {
                let count = large.next_if(|&(piece, _)| piece as usize == first).map(|(_, count)| count);
                if end - start > 2 {
                    self.large.extend(count.map(|count| (start as u32, count)));
                    start = end;
                }
                (first, end) = (cell + 1, start);
            }
        }
        self.cells.truncate(end);
        self.cells.shrink_to_fit();
    }
}

fn check_room(n_cells: usize) -> Result<(), Error> {
    let limit = BORDER as usize;
    if n_cells > limit { Err(Error::TooManySymbols { symbols: n_cells as u64, limit: limit as u64 }) } else { Ok(()) }
}
