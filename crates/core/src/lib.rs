//! The BPE engine: text -> pieces ([`split`]) -> tally ([`tally`]) -> merges ([`learn`]) -> model -> ids.

pub mod error;
pub mod split;

pub use error::Error;
