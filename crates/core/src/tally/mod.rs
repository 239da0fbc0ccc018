//! Documents -> distinct pieces and counts.
//!
//! A document is cut at specials, each segment is split by the pattern, and every piece is counted. Files are read in
//! windows that end where a piece border is certain, so memory grows with distinct pieces and not with the corpus.

mod collector;
mod counter;
mod counts;
mod files;
mod rules;
mod runs;
mod table;

pub use counter::Counter;
pub use counts::PieceCounts;
pub use files::{BadUtf8, FileDocuments};
pub use rules::Rules;
pub use runs::{RunReader, Spill, Totals, merge_runs};
pub use table::PieceTable;
