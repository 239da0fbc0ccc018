//! Text -> pieces: a scanner a pattern family, the character classes, and custom regular expressions.
//!
//! A piece is a half-open byte range of one document; no merge ever crosses its borders. The named patterns are
//! scanners over bytes written by hand, because they read every text that is learned from or encoded: one pass, no
//! backtracking, time linear in the text whatever it holds. Each gives exactly the pieces of the regular expression in
//! its doc comment.
//!
//! Text may be bytes that are not UTF-8: every bad byte is a character by itself, of the class [`Class::Other`].
//!
//! ```
//! use bytepair_core::split::Splitter;
//!
//! let cl100k = Splitter::named("cl100k").ok_or("no such pattern")?;
//! let mut pieces = Vec::new();
//! let _ = cl100k.for_each_piece::<()>(b"It's 12345", |piece| {
//!     pieces.push(piece);
//!     std::ops::ControlFlow::Continue(())
//! })?;
//! assert_eq!(pieces, [0..2, 2..4, 4..5, 5..8, 8..10]); // It | 's | _ | 123 | 45
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cl100k;
mod class_table;
mod classes;
mod clip;
mod custom;
mod deepseek3;
mod gpt2;
mod o200k;
mod rows;
mod runs;
mod visitor;
mod whitespace;
mod wide;

use std::ops::{ControlFlow, Range};

use crate::error::Error;

pub use classes::{Class, UNICODE_VERSION};
pub(crate) use visitor::{PieceVisitor, Pieces};
pub use wide::instructions;

use visitor::Each;

/// A split pattern, ready to run; cheap to clone and to share between threads.
#[derive(Debug, Clone)]
pub struct Splitter(Pattern);

#[derive(Debug, Clone)]
enum Pattern {
    Gpt2,
    Cl100k,
    O200k,
    Llama3,
    Qwen2,
    Deepseek3,
    Tekken,
    Clip,
    Whitespace,
    None,
    Custom(Box<custom::Custom>),
}

impl Splitter {
    /// The names of patterns.
    pub const NAMES: [&str; 10] =
        ["gpt2", "cl100k", "o200k", "llama3", "qwen2", "deepseek3", "tekken", "clip", "whitespace", "none"];

    /// The pattern of that name, one of [`Splitter::NAMES`], or `None` if there is no such name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(Self(match name {
            "gpt2" => Pattern::Gpt2,
            "cl100k" => Pattern::Cl100k,
            "o200k" => Pattern::O200k,
            "llama3" => Pattern::Llama3,
            "qwen2" => Pattern::Qwen2,
            "deepseek3" => Pattern::Deepseek3,
            "tekken" => Pattern::Tekken,
            "clip" => Pattern::Clip,
            "whitespace" => Pattern::Whitespace,
            "none" => Pattern::None,
            _ => return None,
        }))
    }

    /// A regular expression as a pattern: its matches are pieces, and so is each text between two of them; an empty
    /// match is a border.
    ///
    /// # Errors
    /// [`Error::Pattern`] if the expression does not compile, or is too large or too deeply nested.
    pub fn custom(regex: &str) -> Result<Self, Error> {
        Ok(Self(Pattern::Custom(Box::new(custom::Custom::new(regex)?))))
    }

    /// Whether every byte of every text lies in a piece; `whitespace` and `clip` drop the white space between theirs.
    #[must_use]
    pub fn covers(&self) -> bool {
        !matches!(self.0, Pattern::Whitespace | Pattern::Clip)
    }

    /// Calls `visit` with the byte range of each piece of one document, in order, until it breaks; no piece is empty.
    ///
    /// # Errors
    /// [`Error::Pattern`] if a custom regular expression gives up on the text. The pieces visited before stand.
    pub fn for_each_piece<B>(
        &self,
        text: &[u8],
        visit: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        self.walk(text, &mut Each(visit))
    }

    /// As [`Splitter::for_each_piece`], for those who take many pieces at a time.
    ///
    /// # Errors
    /// As [`Splitter::for_each_piece`].
    #[inline]
    pub(crate) fn walk<B>(&self, text: &[u8], visitor: &mut impl PieceVisitor<B>) -> Result<ControlFlow<B>, Error> {
        let visit = |range| visitor.piece(range);
        Ok(match &self.0 {
            Pattern::Gpt2 if is_short(text) => scan(text, gpt2::piece_end, visit),
            Pattern::Cl100k if is_short(text) => scan(text, cl100k::piece_end::<cl100k::Cl100k>, visit),
            Pattern::Llama3 if is_short(text) => scan(text, cl100k::piece_end::<cl100k::Llama3>, visit),
            Pattern::Qwen2 if is_short(text) => scan(text, cl100k::piece_end::<cl100k::Qwen2>, visit),
            Pattern::O200k if is_short(text) => scan(text, o200k::piece_end::<o200k::O200k>, visit),
            Pattern::Tekken if is_short(text) => scan(text, o200k::piece_end::<o200k::Tekken>, visit),
            Pattern::Deepseek3 if is_short(text) => scan(text, deepseek3::piece_end, visit),
            Pattern::Clip => clip::for_each_match(text, visit),
            Pattern::Whitespace => whitespace::for_each_word(text, visit),
            Pattern::None => scan(text, |text, _| text.len(), visit),
            Pattern::Custom(custom) => return custom.for_each_piece(text, visit),
            _ => self.walk_wide::<false, B>(text, visitor),
        })
    }

    /// Calls `visit` with the matches of a custom pattern, and with nothing that lies between them; of another, with its
    /// pieces.
    ///
    /// # Errors
    /// As [`Splitter::for_each_piece`].
    pub fn for_each_match(&self, text: &str, mut visit: impl FnMut(Range<usize>)) -> Result<(), Error> {
        if let Pattern::Custom(custom) = &self.0 {
            return custom.for_each_match(text, visit);
        }
        let _ = self.for_each_piece::<()>(text.as_bytes(), |piece| {
            visit(piece);
            ControlFlow::Continue(())
        })?;
        Ok(())
    }

    /// The last place at or before `end`, and above 0, where a text of valid UTF-8 can be cut so that its parts have
    /// the pieces of the whole. `None` where there is none, or the pattern is not known well enough to say.
    ///
    /// It lies between an ASCII letter or digit and white space. No named pattern has a match that goes on from the one to
    /// the other, none looks back beyond the start of a match, and none looks ahead from behind a letter or digit for
    /// more than letters, marks and contractions. Where white space is dropped, every U+0020 is such a place.
    #[must_use]
    pub fn last_certain_cut(&self, text: &[u8], end: usize) -> Option<usize> {
        let mut places = (1..end.min(text.len())).rev();
        match &self.0 {
            Pattern::Whitespace | Pattern::Clip => places.find(|&place| text[place] == b' '),
            Pattern::None | Pattern::Custom(_) => None,
            _ => places.find(|&place| {
                text[place - 1].is_ascii_alphanumeric() && matches!(text[place], b' ' | b'\t' | b'\n' | b'\r')
            }),
        }
    }

    /// As [`Splitter::for_each_piece`], where every line of the text, with its line feed, is a document.
    ///
    /// # Errors
    /// As [`Splitter::for_each_piece`].
    pub fn for_each_piece_by_line<B>(
        &self,
        text: &[u8],
        visit: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        self.walk_by_line(text, &mut Each(visit))
    }

    /// As [`Splitter::for_each_piece_by_line`], for those who take many pieces at a time.
    ///
    /// # Errors
    /// As [`Splitter::for_each_piece`].
    #[inline]
    pub(crate) fn walk_by_line<B>(
        &self,
        text: &[u8],
        visitor: &mut impl PieceVisitor<B>,
    ) -> Result<ControlFlow<B>, Error> {
        match &self.0 {
            Pattern::Whitespace | Pattern::Clip => self.walk(text, visitor),
            Pattern::None | Pattern::Custom(_) => {
                let mut start = 0;
                for line in text.split_inclusive(|&byte| byte == b'\n') {
                    let flow =
                        self.for_each_piece(line, |piece| visitor.piece(start + piece.start..start + piece.end))?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                    start += line.len();
                }
                Ok(ControlFlow::Continue(()))
            }
            _ => Ok(self.walk_wide::<true, B>(text, visitor)),
        }
    }

    /// The patterns that have a walk by the bit.
    #[inline]
    fn walk_wide<const BY_LINE: bool, B>(&self, text: &[u8], visitor: &mut impl PieceVisitor<B>) -> ControlFlow<B> {
        match &self.0 {
            Pattern::Gpt2 => wide::walk::<wide::Gpt2, BY_LINE, B>(text, visitor),
            Pattern::Cl100k => wide::walk::<wide::Cl100k<cl100k::Cl100k>, BY_LINE, B>(text, visitor),
            Pattern::Llama3 => wide::walk::<wide::Cl100k<cl100k::Llama3>, BY_LINE, B>(text, visitor),
            Pattern::Qwen2 => wide::walk::<wide::Cl100k<cl100k::Qwen2>, BY_LINE, B>(text, visitor),
            Pattern::O200k => wide::walk::<wide::Mixed<wide::O200k<o200k::O200k>>, BY_LINE, B>(text, visitor),
            Pattern::Tekken => wide::walk::<wide::Mixed<wide::O200k<o200k::Tekken>>, BY_LINE, B>(text, visitor),
            Pattern::Deepseek3 => wide::walk::<wide::Mixed<wide::Deepseek3>, BY_LINE, B>(text, visitor),
            Pattern::Clip | Pattern::Whitespace | Pattern::None | Pattern::Custom(_) => {
                unreachable!("a pattern that is walked piece by piece")
            }
        }
    }
}

/// Whether vectors of 32 bytes may be used.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    instructions() != "portable"
}

/// Whether a text is too short to be worth a block of 64 bytes and a look at the next.
fn is_short(text: &[u8]) -> bool {
    text.len() < 64
}

/// Cuts a text into the pieces that `piece_end(text, start)` ends; it is called with `start < text.len()`.
#[inline]
fn scan<B>(
    text: &[u8],
    piece_end: impl Fn(&[u8], usize) -> usize,
    mut visit: impl FnMut(Range<usize>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut start = 0;
    while start < text.len() {
        let end = piece_end(text, start);
        visit(start..end)?;
        start = end;
    }
    ControlFlow::Continue(())
}
