//! Ids -> bytes.

use crate::Error;
use crate::frame;
use crate::model::{CHUNK, Model};
use crate::stop::{Countdown, Stop};

/// What becomes of ids that stand for no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadIds {
    /// The first one is an error.
    Raise,
    /// Each becomes U+FFFD.
    Replace,
    /// They are left out.
    Skip,
}

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// The bytes of `ids`. A marker at a token's end is one space before the next token, and nothing after the last.
///
/// # Errors
/// [`Error::BadId`] for the first id that stands for no token, if `bad_ids` says so; [`Error::Interrupted`].
pub fn decode(model: &Model, ids: &[u32], bad_ids: BadIds, stop: Stop<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    decode_into(model, ids, bad_ids, &mut bytes, stop)?;
    Ok(bytes)
}

/// Replaces `bytes` by those of `ids`.
///
/// # Errors
/// As [`decode`].
pub fn decode_into(
    model: &Model,
    ids: &[u32],
    bad_ids: BadIds,
    bytes: &mut Vec<u8>,
    stop: Stop<'_>,
) -> Result<(), Error> {
    if let Some(frame) = model.frame()
        && let Some(text) = frame::decode(model, frame, ids, bad_ids, stop)?
    {
        *bytes = text;
        return Ok(());
    }
    let mut countdown = Countdown::new(stop);
    let mut text = Text { bytes: std::mem::take(bytes), n_bytes: 0 };
    let mut word_ended = false;
    // What a frame adds is spelled by it, whatever the vocabulary says.
    let is_plain = model.marker().is_none() && model.frame().is_none();
    for (number, stretch) in ids.chunks(STRETCH).enumerate() {
        countdown.spend(stretch.len())?;
        text.reserve(stretch.len() * CHUNK);
        for (place, &id) in stretch.iter().enumerate() {
            // Nearly all tokens are ordinary and short, and take a copy of fixed size.
            if is_plain && let Some((chunk, n_bytes)) = model.short_token(id) {
                text.push_chunk(chunk, n_bytes);
                continue;
            }
            let (spelling, ends_word) = match (token_bytes(model, id), bad_ids) {
                (Some(token), _) => token,
                (None, BadIds::Raise) => {
                    return Err(Error::BadId { position: number * STRETCH + place, id: u64::from(id) });
                }
                (None, BadIds::Replace) => (REPLACEMENT, false),
                (None, BadIds::Skip) => continue,
            };
            if word_ended {
                text.push(b" ");
            }
            text.push(spelling);
            word_ended = ends_word;
            countdown.spend(spelling.len())?;
        }
    }
    *bytes = text.into_bytes();
    Ok(())
}

/// Ids between two looks whether to stop.
const STRETCH: usize = 1 << 10;

/// Bytes, and room behind them that is written before it counts.
struct Text {
    bytes: Vec<u8>,
    n_bytes: usize,
}

impl Text {
    /// Room for so many more bytes.
    fn reserve(&mut self, n_bytes: usize) {
        if self.bytes.len() < self.n_bytes + n_bytes {
            self.bytes.resize(self.n_bytes + n_bytes, 0);
        }
    }

    /// The first `n_bytes` of these; there is room for all.
    #[inline]
    fn push_chunk(&mut self, chunk: &[u8; CHUNK], n_bytes: usize) {
        self.bytes[self.n_bytes..][..CHUNK].copy_from_slice(chunk);
        self.n_bytes += n_bytes;
    }

    fn push(&mut self, bytes: &[u8]) {
        // A stretch of chunks may still come.
        self.reserve(bytes.len() + STRETCH * CHUNK);
        self.bytes[self.n_bytes..][..bytes.len()].copy_from_slice(bytes);
        self.n_bytes += bytes.len();
    }

    fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.n_bytes);
        self.bytes
    }
}

/// The bytes of a token without the marker that ends it, and whether one did.
#[inline]
pub(crate) fn token_bytes(model: &Model, id: u32) -> Option<(&[u8], bool)> {
    let added = if model.frame().is_some() { model.special(id) } else { None };
    let Some(token) = model.token(id).filter(|_| added.is_none()) else {
        return model.special(id).map(|text| (text, false));
    };
    match model.marker().and_then(|marker| token.strip_suffix(marker)) {
        Some(before) => Some((before, true)),
        None => Some((token, false)),
    }
}
