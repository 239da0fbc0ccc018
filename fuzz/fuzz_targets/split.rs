//! Named patterns: the pieces of any bytes are those of the regular expression, and stay so when text is cut or lined up.
//!
//! The first byte chooses the pattern, the second whether the rest is bytes or chooses among hard characters. The wide
//! scanners are in use as the processor allows; `BYTEPAIR_INSTRUCTIONS=portable` fuzzes the others.
#![no_main]

#[path = "../../crates/core/tests/regexes/mod.rs"]
#[allow(dead_code)]
mod regexes;
mod texts;

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use bytepair_core::split::Splitter;
use libfuzzer_sys::fuzz_target;
use regexes::{CLIP, COVERING};

/// Name, scanner and slow way.
type Pair = (&'static str, Splitter, Splitter);

fn pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let dropping = [("clip", CLIP), ("whitespace", r"[^\s\x1C-\x1F]+")];
        let pair = |(name, regex)| (name, Splitter::named(name).unwrap(), Splitter::custom(regex).unwrap());
        COVERING.into_iter().chain(dropping).map(pair).collect()
    })
}

type Walk = fn(&Splitter, &[u8]) -> Vec<Range<usize>>;

fn pieces(splitter: &Splitter, text: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let _ = splitter.for_each_piece::<()>(text, |piece| {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    pieces
}

fn pieces_by_line(splitter: &Splitter, text: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let _ = splitter.for_each_piece_by_line::<()>(text, |piece| {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    pieces
}

fn moved(pieces: Vec<Range<usize>>, by: usize) -> impl Iterator<Item = Range<usize>> {
    pieces.into_iter().map(move |piece| piece.start + by..piece.end + by)
}

fn lines(splitter: &Splitter, text: &[u8]) -> Vec<Range<usize>> {
    let (mut start, mut expected) = (0, Vec::new());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        expected.extend(moved(pieces(splitter, line), start));
        start += line.len();
    }
    expected
}

/// Patterns that drop text: between pieces there is white space alone.
fn matches(slow: &Splitter, text: &[u8]) -> Option<Vec<Range<usize>>> {
    let text = std::str::from_utf8(text).ok()?;
    let mut pieces = Vec::new();
    slow.for_each_match(text, |piece| pieces.push(piece)).unwrap();
    Some(pieces)
}

fuzz_target!(|data: &[u8]| {
    let [which, mode, rest @ ..] = data else { return };
    let (name, fast, slow) = &pairs()[usize::from(*which) % pairs().len()];
    let text = texts::text(*mode, rest);
    let found = pieces(fast, &text);
    let expected = if fast.covers() { Some(pieces(slow, &text)) } else { matches(slow, &text) };
    if let Some(expected) = expected {
        assert_eq!(found, expected, "{name} on {:?}", String::from_utf8_lossy(&text));
    }
    assert_eq!(pieces_by_line(fast, &text), lines(fast, &text), "{name} by line");
    let end = usize::from(*which).min(text.len());
    if std::str::from_utf8(&text).is_ok()
        && let Some(cut) = fast.last_certain_cut(&text, end)
    {
        let (first, rest) = text.split_at(cut);
        for pieces in [pieces as Walk, pieces_by_line] {
            let parts: Vec<_> = pieces(fast, first).into_iter().chain(moved(pieces(fast, rest), cut)).collect();
            assert_eq!(parts, pieces(fast, &text), "{name} cut at {cut}");
        }
    }
});
