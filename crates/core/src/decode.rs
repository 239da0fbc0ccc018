//! Ids -> bytes.

use crate::Error;
use crate::model::Model;
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
    let mut countdown = Countdown::new(stop);
    let mut bytes = Vec::with_capacity(ids.len() * 4);
    let mut word_ended = false;
    for (position, &id) in ids.iter().enumerate() {
        let (spelling, ends_word) = match (token_bytes(model, id), bad_ids) {
            (Some(token), _) => token,
            (None, BadIds::Raise) => return Err(Error::BadId { position, id: u64::from(id) }),
            (None, BadIds::Replace) => (REPLACEMENT, false),
            (None, BadIds::Skip) => continue,
        };
        if word_ended {
            bytes.push(b' ');
        }
        bytes.extend_from_slice(spelling);
        word_ended = ends_word;
        countdown.spend(spelling.len() + 1)?;
    }
    Ok(bytes)
}

/// The bytes of a token without the marker that ends it, and whether one did.
#[inline]
pub(crate) fn token_bytes(model: &Model, id: u32) -> Option<(&[u8], bool)> {
    let Some(token) = model.token(id) else {
        return model.special(id).map(|text| (text, false));
    };
    match model.marker().and_then(|marker| token.strip_suffix(marker)) {
        Some(before) => Some((before, true)),
        None => Some((token, false)),
    }
}
