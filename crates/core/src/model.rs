//! A model, frozen: how text becomes symbols, which pairs merge in which order, and what each id spells.
//!
//! There are two kinds and one form: a pair of ids has a rank, and a rank has a joint id. In a **merge list** the rank is
//! the place in the list; in **ranks** any two neighbours whose joint bytes are a token may merge, and the rank is its id.

mod pairs;
mod symbols;
mod vocabulary;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use crate::Error;
use crate::frame::{Frame, Speller};
pub use crate::learn::EndOfWord;
use crate::split::Splitter;
use crate::stop::Countdown;

pub(crate) use crate::hash::Seed;
pub use pairs::NO_RANK;
pub(crate) use vocabulary::{CHUNK, Token};

use pairs::Pairs;
use symbols::Symbols;
use vocabulary::{Ids, Vocabulary};

/// The symbol of a character that is no token; no merge holds it.
pub(crate) const UNKNOWN: u32 = u32::MAX;
/// Ids are below this; above are marks that merge with nothing.
pub(crate) const FIRST_RESERVED: u32 = u32::MAX - 1;

/// What the order of merges comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A list of merges, in rank order.
    Merges,
    /// The order of the ids; a piece that is a token is that token.
    Ranks,
}

/// What a piece is before any merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// Each byte is a symbol.
    Bytes,
    /// Each UTF-8 character is a symbol.
    Chars,
}

/// What a model is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Merge list or ranks.
    pub kind: Kind,
    /// Bytes or characters.
    pub alphabet: Alphabet,
    /// The spelling of each ordinary token by id; None where the id is a special or nothing.
    pub tokens: Vec<Option<Vec<u8>>>,
    /// (left id, right id) in rank order; empty for ranks.
    pub merges: Vec<(u32, u32)>,
    /// Text and id of the specials.
    pub specials: Vec<(Vec<u8>, u32)>,
    /// The id of a character that is no token.
    pub unk_id: Option<u32>,
    /// The mark at the end of every piece.
    pub end_of_word: Option<EndOfWord>,
    /// Whether U+0020 goes before each segment that does not begin with it.
    pub add_prefix_space: bool,
}

/// A model, checked and ready; it never changes.
#[derive(Debug, Clone)]
pub struct Model {
    splitter: Arc<Splitter>,
    kind: Kind,
    vocabulary: Vocabulary,
    symbols: Symbols,
    pairs: Pairs,
    specials: Vec<(Vec<u8>, u32)>,
    /// The first text of each special id.
    special_texts: HashMap<u32, Vec<u8>>,
    unk_id: Option<u32>,
    marker: Option<Vec<u8>>,
    end: End,
    add_prefix_space: bool,
    alphabet: Alphabet,
    frame: Option<Arc<Frame>>,
    speller: Option<Box<Speller>>,
    word_mark: Option<char>,
    /// The pairs that merge last, and what they become.
    leftmost: HashMap<(u32, u32), u32, Seed>,
    /// Tokens that become others at the very end.
    replaced: HashMap<u32, Vec<u32>, Seed>,
}

/// What the end of a piece adds to its symbols.
#[derive(Debug, Clone)]
enum End {
    Nothing,
    Symbol(u32),
    /// The last byte or character is spelled by another table.
    Suffixed(Alphabet, Symbols),
}

impl Model {
    /// Checks the parts and builds the lookup tables.
    ///
    /// # Errors
    /// [`Error::Model`], naming the id or the merge: an empty token, two ids with one spelling, a merge of what is no token
    /// or into what is no token, a missing byte or marker, a special whose id is taken, an `unk_id` that is nothing.
    pub fn new(splitter: Arc<Splitter>, parts: Parts) -> Result<Self, Error> {
        Self::framed(splitter, parts, None)
    }

    /// As [`Model::new`], with what a loaded file does round the merges.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn framed(splitter: Arc<Splitter>, parts: Parts, frame: Option<Frame>) -> Result<Self, Error> {
        let seed = Seed::random();
        let options = frame.as_ref().map(|frame| &frame.options);
        let vocabulary = Vocabulary::new(&parts.tokens)?;
        let ids = Ids::new(&vocabulary, seed)?;
        let symbols = Symbols::new(parts.alphabet, &[], &vocabulary, &ids, seed)?;
        let end = match &parts.end_of_word {
            None => End::Nothing,
            Some(EndOfWord::Symbol(marker)) => End::Symbol(find_marker(marker, &ids)?),
            Some(EndOfWord::Suffix(marker)) => {
                End::Suffixed(parts.alphabet, Symbols::new(parts.alphabet, marker, &vocabulary, &ids, seed)?)
            }
        };
        let pairs = match parts.kind {
            Kind::Merges => {
                let prefix = options.and_then(|options| options.subword_prefix.as_deref()).unwrap_or_default();
                Pairs::of_merges(&parts.merges, prefix, &vocabulary, &ids, seed)?
            }
            Kind::Ranks if parts.merges.is_empty() => {
                let has_all_bytes = (0..=255).all(|byte| ids.get(&[byte]).is_some());
                let starts_as_bytes = parts.alphabet == Alphabet::Bytes && parts.end_of_word.is_none() && has_all_bytes;
                Pairs::of_ranks(&vocabulary, &ids, seed, starts_as_bytes)
            }
            Kind::Ranks => return Err(fault("a model of ranks has no merges; leave them empty".into())),
        };
        let leftmost = leftmost(options.map_or(&[], |options| &options.leftmost), &vocabulary, &ids, seed)?;
        let special_texts = texts_by_id(&parts.specials, frame.as_ref(), &vocabulary)?;
        let speller = options
            .filter(|options| options.spells)
            .map(|options| Box::new(Speller::new(vocabulary.iter(), options, parts.unk_id, seed)));
        if let Some(id) = parts.unk_id
            && vocabulary.spelling(id).is_none()
            && !special_texts.contains_key(&id)
        {
            return Err(fault(format!("unk_id is {id}, which is no token; it must be the id of a token or special")));
        }
        let mut model = Self {
            splitter,
            kind: parts.kind,
            symbols,
            pairs,
            specials: parts.specials,
            special_texts,
            unk_id: parts.unk_id,
            marker: parts.end_of_word.map(|(EndOfWord::Symbol(marker) | EndOfWord::Suffix(marker))| marker),
            end,
            add_prefix_space: parts.add_prefix_space,
            alphabet: parts.alphabet,
            frame: frame.map(Arc::new),
            speller,
            word_mark: None,
            leftmost,
            replaced: HashMap::with_hasher(seed),
            vocabulary,
        };
        model.word_mark = words::mark(&model);
        if let Some(frame) = model.frame.clone() {
            model.replaced.extend(frame.options.replaced.iter().cloned());
        }
        Ok(model)
    }

    /// The split pattern.
    #[must_use]
    pub fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// Merge list or ranks.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes or characters.
    #[must_use]
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// What a loaded file does round the merges.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_deref()
    }

    /// Whether a token stands for a byte of what is unknown.
    pub(crate) fn is_fallback(&self, token: &[u8]) -> bool {
        let falls_back = self.frame.as_ref().is_some_and(|frame| frame.options.byte_fallback);
        falls_back && token.len() == 6 && token.starts_with(b"<0x")
    }

    /// Whether a token is one before any merge.
    pub(crate) fn is_symbol(&self, token: &[u8]) -> bool {
        let marker = self.marker.as_deref().unwrap_or_default();
        let prefix = self.frame.as_ref().and_then(|frame| frame.options.subword_prefix.as_deref()).unwrap_or_default();
        let token = if token == marker { token } else { token.strip_suffix(marker).unwrap_or(token) };
        let token = token.strip_prefix(prefix).unwrap_or(token);
        token == marker || token.is_empty() || symbols::last_unit(self.alphabet, token) == 0
    }

    /// What comes after all merges: those of equal rank, and tokens that become others.
    #[inline]
    pub(crate) fn finish(&self, symbols: &mut Vec<u32>) {
        if self.frame.is_some() {
            self.merge_leftmost(symbols);
            if !self.replaced.is_empty() {
                // What a marker of its own follows ends a word, and stays.
                let ends = |at: usize| matches!(self.end, End::Symbol(mark) if symbols.get(at + 1) == Some(&mark));
                let parts = |(at, symbol): (usize, &u32)| match self.replaced.get(symbol) {
                    Some(parts) if !ends(at) => parts.clone(),
                    _ => vec![*symbol],
                };
                *symbols = symbols.iter().enumerate().flat_map(parts).collect();
            }
        }
    }

    fn merge_leftmost(&self, symbols: &mut Vec<u32>) {
        if self.leftmost.is_empty() {
            return;
        }
        let mut n_kept = 0;
        for at in 0..symbols.len() {
            symbols[n_kept] = symbols[at];
            n_kept += 1;
            while n_kept > 1
                && let Some(&joint) = self.leftmost.get(&(symbols[n_kept - 2], symbols[n_kept - 1]))
            {
                n_kept -= 1;
                symbols[n_kept - 1] = joint;
            }
        }
        symbols.truncate(n_kept);
    }

    /// The character before which every piece may be cut again.
    #[must_use]
    pub fn word_mark(&self) -> Option<char> {
        self.word_mark
    }

    /// The pairs that may merge and what each becomes, lowest rank first.
    #[must_use]
    pub fn pairs(&self) -> Vec<(u32, u32, u32)> {
        let pairs = self.pairs.by_rank().into_iter();
        pairs.map(|(left, right, rank)| (left, right, self.pairs.joint(rank))).collect()
    }

    /// Text and id of the specials, as given.
    #[must_use]
    pub fn specials(&self) -> &[(Vec<u8>, u32)] {
        &self.specials
    }

    /// The bytes of an ordinary token.
    #[inline]
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&[u8]> {
        self.vocabulary.spelling(id)
    }

    /// The bytes of an ordinary token of at most [`CHUNK`], with what comes behind, and how many they are.
    #[inline]
    pub(crate) fn short_token(&self, id: u32) -> Option<(&[u8; CHUNK], usize)> {
        self.vocabulary.short(id)
    }

    /// The text of a special.
    #[must_use]
    pub fn special(&self, id: u32) -> Option<&[u8]> {
        self.special_texts.get(&id).map(Vec::as_slice)
    }

    /// The texts of specials and added tokens, in any order.
    pub fn special_texts(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.special_texts.iter().map(|(id, text)| (*id, text.as_slice()))
    }

    /// The ordinary tokens by id.
    pub fn tokens(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.vocabulary.iter()
    }

    /// The largest id of a token or special; None where there is none.
    #[must_use]
    pub fn largest_id(&self) -> Option<u32> {
        let ordinary = self.vocabulary.iter().last().map(|(id, _)| id);
        ordinary.into_iter().chain(self.special_texts.keys().copied()).max()
    }

    /// The spelling of the end-of-word marker.
    #[must_use]
    pub fn marker(&self) -> Option<&[u8]> {
        self.marker.as_deref()
    }

    /// The id of a character that is no token.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.unk_id
    }

    /// Whether U+0020 goes before each segment that does not begin with it.
    #[must_use]
    pub fn add_prefix_space(&self) -> bool {
        self.add_prefix_space
    }

    /// The rank of a pair, or [`NO_RANK`].
    #[inline]
    #[must_use]
    pub fn rank(&self, left: u32, right: u32) -> u32 {
        self.pairs.rank(left, right)
    }

    /// The same, the sooner for symbols that were merged.
    #[inline]
    pub(crate) fn far_rank(&self, left: u32, right: u32) -> u32 {
        self.pairs.far_rank(left, right)
    }

    /// Ranks are below this.
    #[must_use]
    pub fn n_ranks(&self) -> usize {
        self.pairs.n_ranks().unwrap_or_else(|| self.vocabulary.n_ids())
    }

    /// Ids of ordinary tokens are below this.
    pub(crate) fn n_token_ids(&self) -> usize {
        self.vocabulary.n_ids()
    }

    /// The id of each byte, where pieces begin as bytes and nothing else, and end when all pairs of the list are merged.
    pub(crate) fn byte_ids(&self) -> Option<&[u32; 256]> {
        let only_merges = self.speller.is_none() && self.leftmost.is_empty() && self.replaced.is_empty();
        let has_prefix = self.frame.as_ref().is_some_and(|frame| frame.options.subword_prefix.is_some());
        let is_plain = matches!(self.end, End::Nothing) && only_merges && !has_prefix;
        if is_plain { self.symbols.byte_ids() } else { None }
    }

    /// (left id, right id, rank) of all pairs, the lowest rank first.
    pub(crate) fn pairs_by_rank(&self) -> Vec<(u32, u32, u32)> {
        self.pairs.by_rank()
    }

    /// What the pair of this rank becomes; `rank` must come from [`Model::rank`].
    #[inline]
    #[must_use]
    pub fn joint(&self, rank: u32) -> u32 {
        self.pairs.joint(rank)
    }

    /// Replaces `symbols` by the first symbols of a piece, with the marker.
    ///
    /// # Errors
    /// [`Error::UnknownCharacter`], its offset in the piece, where a character is no token and there is no `unk_id`;
    /// [`Error::Interrupted`].
    pub(crate) fn spell(
        &self,
        piece: &[u8],
        symbols: &mut Vec<u32>,
        countdown: &mut Countdown<'_>,
    ) -> Result<(), Error> {
        symbols.clear();
        if let Some(speller) = &self.speller {
            speller.spell(piece, symbols, countdown)?;
            if let End::Symbol(marker) = self.end {
                symbols.push(marker);
            }
            return Ok(());
        }
        let unknown = match &self.end {
            End::Nothing => self.symbols.spell(piece, symbols, countdown)?,
            End::Symbol(marker) => {
                let unknown = self.symbols.spell(piece, symbols, countdown)?;
                symbols.push(*marker);
                unknown
            }
            End::Suffixed(alphabet, ends) => {
                let (before, last) = piece.split_at(symbols::last_unit(*alphabet, piece));
                let unknown = self.symbols.spell(before, symbols, countdown)?;
                let at_the_end = ends.spell(last, symbols, countdown)?;
                unknown.or(at_the_end.map(|(character, offset)| (character, before.len() + offset)))
            }
        };
        match unknown {
            Some((character, offset)) if self.unk_id.is_none() => {
                Err(Error::UnknownCharacter { character: character.to_vec(), offset })
            }
            _ => Ok(()),
        }
    }
}

fn leftmost(
    pairs: &[(u32, u32)],
    vocabulary: &Vocabulary,
    ids: &Ids,
    seed: Seed,
) -> Result<HashMap<(u32, u32), u32, Seed>, Error> {
    let mut made = HashMap::with_hasher(seed);
    for &(left, right) in pairs {
        let joint =
            vocabulary.spelling(left).zip(vocabulary.spelling(right)).map(|(left, right)| [left, right].concat());
        let Some(joint) = joint.and_then(|joint| ids.get(&joint)) else {
            return Err(fault(format!("the ids {left} and {right} merge last, and what they spell is no token")));
        };
        made.insert((left, right), joint);
    }
    Ok(made)
}

fn find_marker(marker: &[u8], ids: &Ids) -> Result<u32, Error> {
    ids.get(marker).ok_or_else(|| {
        let marker = String::from_utf8_lossy(marker);
        fault(format!("the end-of-word marker {marker:?} is no token; it needs an id of its own"))
    })
}

/// Several specials may share an id; the first is what the id decodes to.
fn texts_by_id(
    specials: &[(Vec<u8>, u32)],
    frame: Option<&Frame>,
    vocabulary: &Vocabulary,
) -> Result<HashMap<u32, Vec<u8>>, Error> {
    let mut texts = HashMap::with_capacity(specials.len());
    for (text, id) in specials {
        let name = String::from_utf8_lossy(text);
        if *id >= FIRST_RESERVED {
            return Err(fault(format!("special token {name:?} has id {id}; ids must be below {FIRST_RESERVED}")));
        }
        // What a frame adds it may spell in its own way.
        if let Some(token) = vocabulary.spelling(*id).filter(|token| frame.is_none() && token != text) {
            let token = String::from_utf8_lossy(token);
            return Err(fault(format!("special token {name:?} has id {id}, which is the token {token:?} already")));
        }
        texts.entry(*id).or_insert_with(|| text.clone());
    }
    for added in frame.iter().flat_map(|frame| &frame.added) {
        texts.insert(added.id, frame.map_or(Ok(Vec::new()), |frame| frame.decoded(added))?);
    }
    Ok(texts)
}

fn fault(reason: String) -> Error {
    Error::Model { reason }
}
