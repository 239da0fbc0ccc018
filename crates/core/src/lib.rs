//! The BPE engine: text -> pieces ([`split`]) -> tally ([`tally`]) -> merges ([`learn`]) -> model -> ids.

pub mod decode;
pub mod documents;
pub mod encode;
pub mod error;
pub mod frame;
pub(crate) mod hash;
pub mod learn;
pub mod model;
pub(crate) mod piece_key;
pub(crate) mod piece_table;
pub(crate) mod prefetch;
pub mod progress;
pub mod replay;
pub mod specials;
pub mod split;
pub mod stop;
pub mod tally;

pub use error::Error;
pub use hash::Seed;
