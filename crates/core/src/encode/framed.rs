//! Documents of a model that has a frame: added tokens in two turns, normalizer, steps that cut.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem::Finder;

use super::document::{Visitor, Walk};
use crate::Error;
use crate::frame::{Cut, Finder as AddedFinder, Found, Frame, Pieces};
use crate::specials::Segment;
use crate::stop::Countdown;

/// What is found in a text as it is, and what in the normalized text between.
#[derive(Debug)]
pub(super) struct Framed {
    raw: Option<AddedFinder>,
    normalized: Option<AddedFinder>,
}

impl Framed {
    /// None where one turn finds the same, and nothing else is to be done to the text.
    pub(super) fn new(frame: &Frame, allowed: impl Fn(u32) -> bool) -> Result<Option<Self>, Error> {
        let (mut raw, mut normalized, mut countdown) = (Vec::new(), Vec::new(), Countdown::new(None));
        let mut is_plain = frame.keeps_text();
        for added in frame.added.iter().filter(|added| !added.special || allowed(added.id)) {
            is_plain &= !(added.single_word || added.lstrip || added.rstrip);
            if added.normalized {
                let text = if frame.normalizes_added() {
                    frame.normalized(&added.text, &mut countdown)?
                } else {
                    added.text.clone()
                };
                if text.is_empty() {
                    let reason = format!(
                        "the added token {:?} is normalized to nothing, and would be found everywhere; set its \
                         `normalized` to false",
                        added.text
                    );
                    return Err(Error::Model { reason });
                }
                normalized.push((text, added.clone()));
            } else {
                raw.push((added.text.clone(), added.clone()));
            }
        }
        // Tokens of two kinds that overlap are another thing in two turns than in one.
        if is_plain && (raw.is_empty() || normalized.is_empty() || never_overlap(&raw, &normalized)) {
            return Ok(None);
        }
        Ok(Some(Self { raw: AddedFinder::new(raw)?, normalized: AddedFinder::new(normalized)? }))
    }

    pub(super) fn run<V: Visitor>(&self, walk: &mut Walk<'_, '_, V>) -> Result<(), Error> {
        let Some(frame) = walk.model.frame() else { return Ok(()) };
        let text = String::from_utf8_lossy(walk.text);
        for part in parts_of(self.raw.as_ref(), &text) {
            match part {
                Found::Token(id, range) => special(walk, id, range.start, &text[range])?,
                Found::Text(range) if frame.keeps_text() => self.kept(walk, &text, range)?,
                Found::Text(range) => {
                    let begins = range.start == 0;
                    let n_first = if begins { frame.start(&text[range.clone()], walk.countdown)? } else { 0 };
                    let normalized = frame.normalized(&text[range], walk.countdown)?;
                    self.normalized(walk, frame, &normalized, n_first)?;
                }
            }
        }
        Ok(())
    }

    /// A part of the text that comes to the pattern as it is.
    fn kept<V: Visitor>(&self, walk: &mut Walk<'_, '_, V>, text: &str, range: Range<usize>) -> Result<(), Error> {
        let is_given = text.len() == walk.text.len();
        for part in parts_of(self.normalized.as_ref(), &text[range.clone()]) {
            match part {
                Found::Token(id, found) => {
                    special(walk, id, range.start + found.start, &text[range.clone()][found])?;
                }
                // Where bytes were no text the walk has them as they came only if the lengths are those.
                Found::Text(found) if is_given => {
                    walk.segment(Segment::Text(range.start + found.start..range.start + found.end))?;
                }
                Found::Text(found) => cut(walk, None, &text[range.clone()][found], 0)?,
            }
        }
        Ok(())
    }

    fn normalized<V: Visitor>(
        &self,
        walk: &mut Walk<'_, '_, V>,
        frame: &Frame,
        text: &str,
        n_first: usize,
    ) -> Result<(), Error> {
        for part in parts_of(self.normalized.as_ref(), text) {
            match part {
                Found::Token(id, range) => special(walk, id, range.start, &text[range])?,
                Found::Text(range) => {
                    let n_first = n_first.saturating_sub(range.start);
                    cut(walk, frame.cutting.as_deref(), &text[range], n_first)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether no token of one kind can share a character with one of the other: they have no characters in common at their
/// borders or within.
fn never_overlap(raw: &[(String, crate::frame::Added)], normalized: &[(String, crate::frame::Added)]) -> bool {
    let characters: HashSet<char> = normalized.iter().flat_map(|each| each.0.chars()).collect();
    !raw.iter().any(|each| each.0.chars().any(|character| characters.contains(&character)))
}

fn parts_of(finder: Option<&AddedFinder>, text: &str) -> Vec<Found> {
    match finder {
        Some(finder) => finder.parts(text),
        None if text.is_empty() => Vec::new(),
        None => vec![Found::Text(0..text.len())],
    }
}

fn special<V: Visitor>(walk: &mut Walk<'_, '_, V>, id: u32, start: usize, text: &str) -> Result<(), Error> {
    walk.visitor.at(start, 0);
    walk.visitor.special(id, text.as_bytes());
    walk.countdown.spend(text.len() + 4)
}

/// Cuts a text by steps, or by the pattern, and hands its pieces on; `n_first` bytes come of the document's first character.
fn cut<V: Visitor>(walk: &mut Walk<'_, '_, V>, steps: Option<&[Cut]>, text: &str, n_first: usize) -> Result<(), Error> {
    let Some(steps) = steps else { return walk.pieces(text.as_bytes()) };
    if steps.is_empty() {
        return hand_on(walk, text, std::iter::once(0..text.len()));
    }
    let mut pieces = Pieces::whole(text.to_owned(), n_first);
    for step in steps {
        walk.countdown.spend(pieces.text.len())?;
        pieces = pieces.after(step)?;
    }
    hand_on(walk, &pieces.text, pieces.ranges.into_iter())
}

/// Pieces handed on together.
const BATCH: usize = 128;

/// Hands pieces on; each is cut before every mark that follows another character, where no merge reaches across.
fn hand_on<V: Visitor>(
    walk: &mut Walk<'_, '_, V>,
    text: &str,
    pieces: impl Iterator<Item = Range<usize>>,
) -> Result<(), Error> {
    let mark = walk.model.word_mark().map(String::from);
    let finder = mark.as_ref().map(Finder::new);
    let mut waiting = Vec::with_capacity(BATCH);
    for piece in pieces {
        let (mut start, bytes) = (piece.start, &text.as_bytes()[piece.clone()]);
        if let (Some(finder), Some(mark)) = (&finder, &mark) {
            let mut after_mark = 0;
            for found in finder.find_iter(bytes) {
                if found > after_mark {
                    waiting.push(start..piece.start + found);
                    start = piece.start + found;
                    if waiting.len() == BATCH {
                        walk.hand_on(text.as_bytes(), waiting.iter().cloned())?;
                        waiting.clear();
                    }
                }
                after_mark = found + mark.len();
            }
        }
        waiting.push(start..piece.end);
        if waiting.len() >= BATCH {
            walk.hand_on(text.as_bytes(), waiting.iter().cloned())?;
            waiting.clear();
        }
    }
    walk.hand_on(text.as_bytes(), waiting.iter().cloned())
}
