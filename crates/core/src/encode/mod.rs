//! Text -> ids: specials are found, the text between is split, and each piece becomes ids by the cheapest way that is
//! exact: it is a token, or it was seen before, or it is short and merged in registers, or it is searched for or merged.

mod backtrack;
mod batch;
mod budget;
mod cache;
mod characters;
mod cuts;
mod document;
pub mod dropout;
mod framed;
mod makings;
pub mod merge;
mod pool;
mod ragged;
mod short;
mod sink;
mod spans;
mod subset;
mod trie;

pub use batch::BatchError;
pub use budget::{Side, Unit};
pub use dropout::Dropout;
pub use ragged::Ragged;
pub use spans::Spans;

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::Error;
use crate::hash::Seed;
use crate::model::{Kind, Model, Token, UNKNOWN};
use crate::piece_key::Key;
use crate::piece_table::{Looked, NO_ENTRY, PieceTable};
use crate::specials::Segment;
use crate::split::Pieces;
use crate::stop::{Countdown, Stop};
use backtrack::Backtracker;
use cache::MAX_BYTES;
use document::{SEARCHED, Visitor, Walk, WalkRoom, moved};
use merge::MergeRoom;
use pool::{Pool, Scratch};
use sink::{Count, List, Sink};
use subset::{Subset, Subsets};

/// A model, ready to encode; shared by threads as it is.
///
/// In every call `special` lists the ids of the specials that may match (none: all text is ordinary); they match leftmost
/// first, then longest among them. `stop` is asked every few milliseconds of work.
#[derive(Debug)]
pub struct Encoder {
    model: Model,
    /// What finds the ids of pieces without merging, where the model allows.
    backtracker: Option<Backtracker>,
    /// The id of each byte, where short pieces are merged from these.
    byte_ids: Option<Box<[u32; 256]>>,
    /// Pieces that are one token.
    whole: PieceTable<Token>,
    subsets: Subsets,
    pool: Pool,
    /// The most bytes of text that one id stands for.
    longest: usize,
}

impl Encoder {
    /// Builds the tables that encoding needs beside the model; linear in the tokens.
    ///
    /// # Errors
    /// [`Error::Model`] for specials that cannot be searched for, such as an empty one.
    pub fn new(model: Model) -> Result<Self, Error> {
        Self::with_cache(model, MAX_BYTES)
    }

    /// As [`Encoder::new`], where each worker remembers what pieces became in at most so many bytes; below 32 KB it remembers
    /// nothing.
    ///
    /// # Errors
    /// As [`Encoder::new`].
    pub fn with_cache(model: Model, cache_bytes: usize) -> Result<Self, Error> {
        let subsets = Subsets::new(&model)?;
        let longest = budget::longest(&model);
        let backtracker = Backtracker::new(&model);
        let seed = Seed::random();
        let whole = whole_pieces(&model, backtracker.as_ref(), seed);
        let byte_ids = model.byte_ids().filter(|_| short::suits(&model)).map(|ids| Box::new(*ids));
        Ok(Self { model, backtracker, byte_ids, whole, subsets, pool: Pool::new(seed, cache_bytes), longest })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many pieces are remembered by workers that are at rest, and in how many bytes.
    #[must_use]
    pub fn cache_statistics(&self) -> (usize, usize) {
        self.pool.statistics()
    }

    /// The ids of a text.
    ///
    /// # Errors
    /// [`Error::UnknownCharacter`] with its byte offset in `text`, [`Error::Model`] for an id in `special` that is no
    /// special, [`Error::Pattern`] where a custom pattern gives up, [`Error::Interrupted`].
    pub fn encode(&self, text: &[u8], special: &[u32], stop: Stop<'_>) -> Result<Vec<u32>, Error> {
        let mut list = List::for_text(text.len());
        self.encode_to(text, special, &mut list, stop)?;
        Ok(list.into_ids())
    }

    /// Replaces `ids` by those of a text.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn encode_into(&self, text: &[u8], special: &[u32], ids: &mut Vec<u32>, stop: Stop<'_>) -> Result<(), Error> {
        let mut list = List::in_room_of(std::mem::take(ids));
        let result = self.encode_to(text, special, &mut list, stop);
        *ids = list.into_ids();
        result
    }

    /// How many ids a text has; they are not kept.
    ///
    /// # Errors
    /// As [`Encoder::encode`].
    pub fn count(&self, text: &[u8], special: &[u32], stop: Stop<'_>) -> Result<usize, Error> {
        let mut count = Count::default();
        self.encode_to(text, special, &mut count, stop)?;
        Ok(count.0)
    }

    /// The ids of each text, on up to `threads` threads; their number changes nothing but the time.
    ///
    /// # Errors
    /// As [`Encoder::encode`], with the index of the first text that fails.
    pub fn encode_batch<T: AsRef<[u8]> + Sync>(
        &self,
        texts: &[T],
        special: &[u32],
        threads: usize,
        stop: Stop<'_>,
    ) -> Result<Ragged, BatchError> {
        let subset = self.subsets.get(&self.model, special).map_err(|error| BatchError { text: 0, error })?;
        batch::encode_batch(self, texts, &subset, threads, stop)
    }

    /// How many ids each text has, on up to `threads` threads; they are not kept.
    ///
    /// # Errors
    /// As [`Encoder::encode_batch`].
    pub fn count_batch<T: AsRef<[u8]> + Sync>(
        &self,
        texts: &[T],
        special: &[u32],
        threads: usize,
        stop: Stop<'_>,
    ) -> Result<Vec<usize>, BatchError> {
        let subset = self.subsets.get(&self.model, special).map_err(|error| BatchError { text: 0, error })?;
        batch::count_batch(self, texts, &subset, threads, stop)
    }

    /// Calls `visit` with each piece as it is encoded: with the prefix space, without a marker; a matched special is a
    /// piece of its own.
    ///
    /// # Errors
    /// As [`Encoder::encode`], but for unknown characters.
    pub fn for_each_piece(
        &self,
        text: &[u8],
        special: &[u32],
        stop: Stop<'_>,
        visit: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let subset = self.subsets.get(&self.model, special)?;
        let (room, countdown) = (&mut WalkRoom::default(), &mut Countdown::new(stop));
        Walk { model: &self.model, text, subset: &subset, room, countdown, visitor: &mut EachPiece(visit) }.run()
    }

    /// Id and byte offset of the leftmost, then longest of all specials in a text.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn find_special(&self, text: &[u8], stop: Stop<'_>) -> Result<Option<(u32, usize)>, Error> {
        let all = &self.subsets.all;
        let found = |_: &mut Countdown<'_>, segment| match segment {
            Segment::Special(index, range) if index < all.n_special => {
                ControlFlow::Break(Ok((all.ids[index], range.start)))
            }
            Segment::Special(..) | Segment::Text(_) => ControlFlow::Continue(()),
        };
        let go_on = |countdown: &mut Countdown<'_>| match countdown.spend(SEARCHED) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(Err(error)),
        };
        all.finder.walk(text, &mut Countdown::new(stop), found, go_on).break_value().transpose()
    }

    /// A text after the steps of the model's normalizer.
    ///
    /// # Errors
    /// [`Error::Pattern`] where a regular expression gives up.
    pub fn normalized(&self, text: &str) -> Result<String, Error> {
        match self.model.frame() {
            Some(frame) => frame.normalized(text, &mut Countdown::new(None)),
            None => Ok(text.to_owned()),
        }
    }

    /// The ids of ordinary tokens that merging their own symbols does not arrive at; without those that are added or
    /// stand for a byte.
    #[must_use]
    pub fn unmerged(&self) -> Vec<u32> {
        let (mut symbols, mut room, mut countdown) = (Vec::new(), MergeRoom::default(), Countdown::new(None));
        let model = &self.model;
        let prefix = model.frame().and_then(|frame| frame.options.subword_prefix.as_deref());
        // Where symbols are spelled by their place, what a merge makes is taken as reached.
        let made: Option<HashSet<u32>> = (model.marker().is_some() || prefix.is_some())
            .then(|| model.pairs().into_iter().map(|(_, _, joint)| joint).collect());
        let mut is_reached = |id: u32, token: &[u8]| match &made {
            Some(made) => made.contains(&id) || model.is_symbol(token),
            None => merged(model, token, &mut symbols, &mut room, &mut countdown).is_ok() && symbols == [id],
        };
        let tokens = model.tokens().filter(|(id, token)| model.special(*id).is_none() && !model.is_fallback(token));
        tokens.filter(|(id, token)| !is_reached(*id, token)).map(|(id, _)| id).collect()
    }

    fn encode_to(&self, text: &[u8], special: &[u32], sink: &mut impl Sink, stop: Stop<'_>) -> Result<(), Error> {
        let subset = self.subsets.get(&self.model, special)?;
        let mut scratch = self.pool.take();
        let result = self.run(text, &subset, &mut scratch, sink, &mut Countdown::new(stop));
        self.pool.give(scratch);
        result
    }

    fn run(
        &self,
        text: &[u8],
        subset: &Subset,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        countdown: &mut Countdown<'_>,
    ) -> Result<(), Error> {
        let mut room = std::mem::take(&mut scratch.walk);
        let visitor = &mut Encoding { encoder: self, scratch, sink };
        let result = Walk { model: &self.model, text, subset, room: &mut room, countdown, visitor }.run();
        scratch.walk = room;
        result
    }
}

/// Turns pieces into ids.
struct Encoding<'a, S> {
    encoder: &'a Encoder,
    scratch: &'a mut Scratch,
    sink: &'a mut S,
}

impl<S: Sink> Visitor for Encoding<'_, S> {
    fn special(&mut self, id: u32, _: &[u8]) {
        self.sink.many(&[id]);
    }

    fn pieces(&mut self, segment: &[u8], pieces: impl Pieces, countdown: &mut Countdown<'_>) -> Result<(), Error> {
        let mut room = std::mem::take(&mut self.scratch.looked);
        let looked = self.scratch.cache.look(segment, pieces.clone(), &mut room);
        let whole = &self.encoder.whole;
        if whole.is_far() {
            looked.iter().filter(|looked| looked.entry == NO_ENTRY).for_each(|looked| whole.expect(looked.hash));
        }
        let (mut found, mut at, mut rest) = (Ok(()), 0, pieces);
        loop {
            let n_few = self.sink.few(&self.scratch.cache, &looked[at..]);
            let Some((&Looked { key, hash, .. }, range)) = looked.get(at + n_few).zip(rest.nth(n_few)) else { break };
            found = self.other_piece(key, hash, &segment[range.clone()], countdown);
            if found.is_err() {
                found = found.map_err(|error| moved(error, range.start, 0));
                break;
            }
            at += n_few + 1;
        }
        self.scratch.looked = room;
        found?;
        if self.sink.is_full() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl<S: Sink> Encoding<'_, S> {
    /// A piece that is not short, has many ids, was not seen before or is not remembered.
    fn other_piece(&mut self, key: Key, hash: u64, piece: &[u8], countdown: &mut Countdown<'_>) -> Result<(), Error> {
        let Scratch { symbols, room, search, cache, .. } = &mut *self.scratch;
        cache.make_room();
        let vacancy = match cache.get(key, hash, piece) {
            Ok(ids) => {
                self.sink.many(ids);
                return Ok(());
            }
            Err(vacancy) => vacancy,
        };
        let Encoder { model, backtracker, byte_ids, whole, .. } = self.encoder;
        if let Some(token) = whole.get(key, hash, piece) {
            symbols.clear();
            symbols.push(token.id);
        } else if let Some(byte_ids) = byte_ids.as_ref().filter(|_| piece.len() <= short::MOST) {
            short::merge(model, byte_ids, piece, symbols);
        } else if !match backtracker {
            Some(backtracker) => backtracker.search(model, piece, symbols, search, countdown)?,
            None => false,
        } {
            merged(model, piece, symbols, room, countdown)?;
        }
        self.sink.many(symbols);
        cache.insert(vacancy, key, hash, piece, symbols);
        Ok(())
    }
}

/// Replaces `symbols` by the ids of a piece, by merging.
fn merged(
    model: &Model,
    piece: &[u8],
    symbols: &mut Vec<u32>,
    room: &mut MergeRoom,
    countdown: &mut Countdown<'_>,
) -> Result<(), Error> {
    model.spell(piece, symbols, countdown)?;
    merge::merge(model, symbols, room, countdown)?;
    model.finish(symbols);
    // Without an `unk_id` the spelling has failed already.
    if let Some(unk_id) = model.unk_id() {
        symbols.iter_mut().filter(|symbol| **symbol == UNKNOWN).for_each(|symbol| *symbol = unk_id);
    }
    Ok(())
}

/// Hands pieces on.
struct EachPiece<F>(F);

impl<F: FnMut(&[u8])> Visitor for EachPiece<F> {
    fn special(&mut self, _: u32, text: &[u8]) {
        (self.0)(text);
    }

    fn pieces(&mut self, segment: &[u8], pieces: impl Pieces, _: &mut Countdown<'_>) -> Result<(), Error> {
        for range in pieces {
            (self.0)(&segment[range]);
        }
        Ok(())
    }
}

/// Tokens of a merge list up to this size are tried.
const LONGEST_TRIED: usize = 128;

/// The pieces that are one token: with ranks every token, with a merge list those that merging arrives at, as far as they are
/// tried. Those that the search finds need not be.
fn whole_pieces(model: &Model, backtracker: Option<&Backtracker>, seed: Seed) -> PieceTable<Token> {
    let mut whole = PieceTable::with_capacity(model.n_token_ids(), seed);
    let (mut symbols, mut room) = (Vec::new(), MergeRoom::default());
    // A piece that is a token is that token, marker and all.
    let ignores_merges = model.frame().is_some_and(|frame| frame.options.ignore_merges);
    let mut countdown = Countdown::new(None);
    let mut enter = |piece: &[u8], id| {
        let (key, hash) = Key::and_hash(piece, &(0..piece.len()), seed);
        if let Err(vacancy) = whole.find(key, hash, piece) {
            whole.insert(vacancy, key, hash, piece, |key| Token { key, id });
        }
    };
    for (id, token) in model.tokens() {
        if ignores_merges || backtracker.is_some_and(|backtracker| backtracker.finds(id)) {
            enter(token, id);
            continue;
        }
        let Some(piece) = token.strip_suffix(model.marker().unwrap_or_default()).filter(|piece| !piece.is_empty())
        else {
            continue;
        };
        // To merge a token of a megabyte takes its time, and text seldom repeats such a piece.
        if model.kind() == Kind::Merges && piece.len() > LONGEST_TRIED {
            continue;
        }
        // A character that is no token cannot be merged into one.
        let is_reached = model.kind() == Kind::Ranks
            || (merged(model, piece, &mut symbols, &mut room, &mut countdown).is_ok() && symbols == [id]);
        if is_reached {
            enter(piece, id);
        }
    }
    whole
}
