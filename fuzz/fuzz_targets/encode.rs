//! Encoding by every call is the slow way's, for any small model and text; what is lossless comes back.
#![no_main]

mod models;
#[path = "../../crates/core/tests/slow_way/mod.rs"]
#[allow(dead_code)]
mod slow_way;
mod texts;

use std::sync::Arc;

use bytepair_core::Error;
use bytepair_core::decode::{BadIds, decode};
use bytepair_core::encode::{Dropout, Encoder, Side, Unit};
use bytepair_core::model::{Alphabet, Model};
use libfuzzer_sys::fuzz_target;
use models::{Chosen, chosen};
use slow_way::Oracle;

/// Above this the slow way, quadratic in a piece, is too slow.
const LONGEST: usize = 600;

/// Of the model's characters, or of any where it has bytes.
fn text(chosen: &Chosen<'_>) -> Option<Vec<u8>> {
    let [mode, rest @ ..] = chosen.rest else { return None };
    let mut text = if mode & 4 == 0 {
        let known: Vec<char> = chosen.characters.chars().chain(['z', ' ']).collect();
        rest.iter().map(|&byte| known[usize::from(byte) % known.len()]).collect::<String>().into_bytes()
    } else {
        texts::text(*mode, rest)
    };
    text.truncate(LONGEST);
    let is_utf8 = std::str::from_utf8(&text).is_ok();
    (chosen.parts.alphabet == Alphabet::Bytes || is_utf8).then_some(text)
}

fn check_budgets(fast: &Encoder, text: &[u8], special: &[u32], n_tokens: usize, budget: usize) {
    assert_eq!(fast.fits(text, special, budget, None).unwrap(), n_tokens <= budget);
    let end = fast.truncate(text, special, budget, Side::Right, None).unwrap();
    assert!(fast.count(&text[..end], special, None).unwrap() <= budget);
    let start = fast.truncate(text, special, budget, Side::Left, None).unwrap();
    assert!(fast.count(&text[start..], special, None).unwrap() <= budget);
    for unit in [Unit::Char, Unit::Word, Unit::Line] {
        match fast.chunks(text, special, budget, budget / 2, unit, None) {
            Err(Error::BudgetTooSmall { .. }) => {}
            chunks => {
                for chunk in chunks.unwrap() {
                    assert!(fast.count(&text[chunk], special, None).unwrap() <= budget);
                }
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some(chosen) = chosen(data) else { return };
    let Some(text) = text(&chosen) else { return };
    let (parts, special) = (&chosen.parts, &chosen.special[..]);
    let fast = Encoder::new(Model::new(Arc::clone(&chosen.splitter), parts.clone()).unwrap()).unwrap();
    let slow = Oracle::new(parts, &chosen.splitter);
    let expected = slow.encode(&text, special);
    for _cold_then_warm in 0..2 {
        assert_eq!(fast.encode(&text, special, None).unwrap(), expected);
    }
    assert_eq!(fast.count(&text, special, None).unwrap(), expected.len());
    assert_eq!(fast.encode_spans(&text, special, None).unwrap().ids, expected);
    let batch = [&text[..], b"", &text];
    let lists = [expected.clone(), slow.encode(b"", special), expected.clone()];
    assert_eq!(fast.encode_batch(&batch, special, 2, None).unwrap().to_lists(), lists);
    let bytes = decode(fast.model(), &expected, BadIds::Raise, None).unwrap();
    assert_eq!(bytes, slow.decode(&expected));
    let lossless = parts.alphabet == Alphabet::Bytes
        && parts.end_of_word.is_none()
        && !parts.add_prefix_space
        && chosen.splitter.covers();
    assert!(!lossless || bytes == text);
    check_budgets(&fast, &text, special, expected.len(), usize::from(data[2] % 32) + 1);
    let plain = Dropout { probability: 0.0, seed: 1 };
    if parts.merges.len() == fast.model().n_ranks() {
        assert_eq!(fast.encode_with_dropout(&text, special, plain, None).unwrap(), expected);
    }
    let dropped = Dropout { probability: 0.5, seed: data.len() as u64 };
    let dropped = fast.encode_with_dropout(&text, special, dropped, None).unwrap();
    assert!(!lossless || decode(fast.model(), &dropped, BadIds::Raise, None).unwrap() == text);
});
