//! Everything that can go wrong in the core, one sentence a variant.

use std::fmt;

/// The one error of the core crate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A custom split pattern does not compile, or gave up on a text.
    Pattern {
        /// The pattern as the user wrote it.
        pattern: String,
        /// What the regular-expression engine says.
        reason: String,
    },
    /// A sum of counts does not fit in 64 bits (signed, so that a change can be negative).
    CountOverflow {
        /// What was being added up.
        what: String,
    },
    /// The vocabulary asked for cannot hold the alphabet.
    VocabularyTooSmall {
        /// Symbols that the alphabet needs.
        alphabet: u64,
    },
    /// The corpus holds more symbols than one run can index.
    TooManySymbols {
        /// Symbols in all distinct pieces.
        symbols: u64,
        /// The most that can be indexed.
        limit: u64,
    },
    /// A piece is not UTF-8 although the alphabet is characters.
    NotUtf8 {
        /// The piece.
        piece: Vec<u8>,
        /// Byte offset of the first bad byte in it.
        offset: usize,
    },
    /// A file cannot be read.
    Io {
        /// Its path.
        path: String,
        /// What the system says.
        kind: std::io::ErrorKind,
        /// The same in words.
        reason: String,
    },
    /// A file of spilled counts cannot be written or read.
    Spill {
        /// Its path.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// A file is not UTF-8 and the caller wants to know.
    FileNotUtf8 {
        /// Its path.
        path: String,
        /// Byte offset of the first bad byte, from 0.
        offset: u64,
        /// Its line, from 1.
        line: u64,
        /// The byte.
        byte: u8,
    },
    /// A character is not in the alphabet and there is no unknown token.
    UnknownCharacter {
        /// The character, as its UTF-8 bytes (a single bad byte where the text is not UTF-8).
        character: Vec<u8>,
        /// Byte offset in the text that was given.
        offset: usize,
    },
    /// A special stands in a text that may not hold one.
    SpecialFound {
        /// Which of the specials given.
        index: usize,
        /// Byte offset in the document.
        offset: usize,
    },
    /// An id stands for no token.
    BadId {
        /// Place in the ids, from 0.
        position: usize,
        /// The id.
        id: u64,
    },
    /// A text cannot be cut into parts of so few tokens.
    BudgetTooSmall {
        /// Tokens that the largest part needs.
        minimum: usize,
        /// Byte offset of the first part that needs more than there are.
        offset: usize,
    },
    /// The parts of a model do not fit together.
    Model {
        /// What is wrong and where.
        reason: String,
    },
    /// The caller asked to stop (a signal arrived, or a progress callback said so).
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { pattern, reason } => write!(f, "the split pattern {pattern:?} failed: {reason}"),
            Self::CountOverflow { what } => write!(f, "{what} passes 2^63 - 1"),
            Self::VocabularyTooSmall { alphabet } => write!(f, "the alphabet alone has {alphabet} symbols"),
            Self::TooManySymbols { symbols, limit } => {
                write!(f, "{symbols} symbols in distinct pieces; one run can index {limit}")
            }
            Self::NotUtf8 { piece, offset } => {
                write!(f, "the piece {:?} is not UTF-8 at byte {offset}", String::from_utf8_lossy(piece))
            }
            Self::Io { path, reason, .. } => write!(f, "cannot read {path}: {reason}"),
            Self::Spill { path, reason } => write!(f, "counts cannot be kept in {path}: {reason}"),
            Self::FileNotUtf8 { path, offset, line, byte } => {
                write!(f, "{path} is not UTF-8: byte {byte:#04x} at offset {offset}, line {line}")
            }
            Self::UnknownCharacter { character, offset } => {
                write!(
                    f,
                    "the character {:?} at byte {offset} is not in the alphabet",
                    String::from_utf8_lossy(character)
                )
            }
            Self::SpecialFound { index, offset } => write!(f, "special {index} stands in the text at byte {offset}"),
            Self::BadId { position, id } => write!(f, "id {id} at position {position} is no token"),
            Self::BudgetTooSmall { minimum, offset } => {
                write!(f, "the budget must be at least {minimum} tokens: the part at byte {offset} needs more")
            }
            Self::Model { reason } => write!(f, "{reason}"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for Error {}
