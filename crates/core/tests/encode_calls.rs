//! Spans, budgets, cuts and dropout against `encode`, on texts of hard bits.

use std::sync::Arc;

use bytepair_core::Error;
use bytepair_core::encode::{Dropout, Encoder, Side, Unit};
use bytepair_core::model::{Alphabet, Kind, Model, Parts};
use bytepair_core::split::Splitter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const ENDS: [(&str, u32); 2] = [("<|end|>", 300), ("<|end|><|end|>", 301)];
const ALL: [u32; 2] = [300, 301];

/// All bytes and a few merges: lo low " low" 12 the two halves of é.
fn encoder(pattern: &str, add_prefix_space: bool) -> Encoder {
    let merges = vec![(108, 111), (256, 119), (32, 257), (49, 50), (0xC3, 0xA9)];
    let spelled = ["lo", "low", " low", "12", "é"].map(|token| Some(token.as_bytes().to_vec()));
    let parts = Parts {
        kind: Kind::Merges,
        alphabet: Alphabet::Bytes,
        tokens: (0..=255).map(|byte| Some(vec![byte])).chain(spelled).collect(),
        merges,
        specials: ENDS.map(|(text, id)| (text.as_bytes().to_vec(), id)).to_vec(),
        unk_id: None,
        end_of_word: None,
        add_prefix_space,
    };
    Encoder::new(Model::new(Arc::new(Splitter::named(pattern).unwrap()), parts).unwrap()).unwrap()
}

fn encoders() -> impl Strategy<Value = Encoder> {
    let pattern = select(vec!["gpt2", "cl100k", "whitespace", "none"]);
    (pattern, any::<bool>()).prop_map(|(pattern, spaced)| encoder(pattern, spaced))
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let bits: Vec<&[u8]> =
        vec![b"low", b" ", b"  ", b"\n", b"12", b"<|end|>", b"<|end", b"\xC3\xA9", b"\xE6\xBC\xA2", b"\xE6", b"\x80"];
    vec(select(bits), 0..24).prop_map(|bits| bits.concat())
}

fn specials() -> impl Strategy<Value = Vec<u32>> {
    select(vec![vec![], vec![300], ALL.to_vec()])
}

proptest! {
    #[test]
    fn spans_have_the_ids_and_follow_one_another(encoder in encoders(), text in texts(), special in specials()) {
        let spans = encoder.encode_spans(&text, &special, None).unwrap();
        prop_assert_eq!(&spans.ids, &encoder.encode(&text, &special, None).unwrap());
        let flat: Vec<usize> = spans.places.iter().flat_map(|&(start, end)| [start, end]).collect();
        prop_assert!(flat.is_sorted() && flat.last().is_none_or(|&last| last <= text.len()));
        if encoder.model().splitter().covers() {
            prop_assert!(spans.places.windows(2).all(|pair| pair[0].1 == pair[1].0));
            prop_assert_eq!(flat.last().copied().unwrap_or(0), text.len());
        }
    }

    #[test]
    fn a_budget_is_kept(encoder in encoders(), text in texts(), special in specials(), budget in 0..9usize) {
        let count = |text: &[u8]| encoder.count(text, &special, None).unwrap();
        prop_assert_eq!(encoder.fits(&text, &special, budget, None).unwrap(), count(&text) <= budget);
        let end = encoder.truncate(&text, &special, budget, Side::Right, None).unwrap();
        let start = encoder.truncate(&text, &special, budget, Side::Left, None).unwrap();
        prop_assert!(count(&text[..end]) <= budget && count(&text[start..]) <= budget);
        prop_assert_eq!(end == text.len(), count(&text) <= budget || text.is_empty());
    }

    #[test]
    fn chunks_are_the_text(encoder in encoders(), text in texts(), special in specials(), budget in 1..9usize,
        unit in select(vec![Unit::Char, Unit::Word, Unit::Line]), overlap in 0..9usize) {
        let overlap = overlap.min(budget - 1);
        let minimum = match encoder.chunks(&text, &special, budget, 0, unit, None) {
            Err(Error::BudgetTooSmall { minimum, .. }) => minimum,
            other => { other.unwrap(); budget }
        };
        let chunks = encoder.chunks(&text, &special, minimum, 0, unit, None).unwrap();
        prop_assert_eq!(chunks.iter().flat_map(|range| text[range.clone()].to_vec()).collect::<Vec<_>>(), &text[..]);
        let repeated = encoder.chunks(&text, &special, minimum, overlap, unit, None).unwrap();
        for range in chunks.iter().chain(&repeated) {
            prop_assert!(encoder.count(&text[range.clone()], &special, None).unwrap() <= minimum);
        }
        for pair in repeated.windows(2) {
            prop_assert!(pair[0].start < pair[1].start && pair[1].start <= pair[0].end && pair[0].end < pair[1].end);
        }
    }

    #[test]
    fn a_certain_cut_is_certain(encoder in encoders(), text in texts(), next in texts(), special in specials()) {
        let ids = |text: &[u8]| encoder.encode(text, &special, None).unwrap();
        // So long that a special cannot reach over the end.
        let begun = [&text[..], &vec![b'x'; if special.is_empty() { 0 } else { 4096 }]].concat();
        if let Some(cut) = encoder.last_certain_cut(&begun, &special).unwrap() {
            let whole = [&begun[..], &next[..]].concat();
            prop_assert!(0 < cut && cut <= begun.len());
            prop_assert_eq!([ids(&whole[..cut]), ids(&whole[cut..])].concat(), ids(&whole));
        }
    }

    #[test]
    fn dropout_keeps_the_bytes(encoder in encoders(), text in texts(), probability in 0.0..=1.0f64, seed: u64) {
        let dropout = Dropout { probability, seed };
        let exact = encoder.encode(&text, &[], None).unwrap();
        let ids = encoder.encode_with_dropout(&text, &[], dropout, None).unwrap();
        let bytes = |ids: &[u32]| ids.iter().flat_map(|&id| encoder.model().token(id).unwrap().to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(bytes(&ids), bytes(&exact));
        let never = Dropout { probability: 0.0, seed };
        prop_assert_eq!(encoder.encode_with_dropout(&text, &[], never, None).unwrap(), exact);
    }
}

#[test]
fn long_texts_have_the_same_ids_on_any_number_of_threads() {
    let bits = ["low low", " ", "\n", "é12 ", "<|end|>", "<|end|>low <|end", "\u{A0}", "x"];
    let mut state = 1u32;
    let mut text = String::new();
    while text.len() < (3 << 19) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(bits[(state >> 24) as usize % bits.len()]);
    }
    for pattern in ["gpt2", "cl100k", "whitespace", "none"] {
        for (spaced, special) in [(false, &[][..]), (true, &ALL[..]), (true, &[][..]), (false, &ALL[..1])] {
            let encoder = encoder(pattern, spaced);
            let texts = [text.as_bytes(), b"low", &text.as_bytes()[1..]];
            let expected = encoder.encode_batch(&texts, special, 1, None).unwrap().to_lists();
            let on_three = encoder.encode_batch(&texts, special, 3, None).unwrap();
            assert_eq!(on_three.to_lists(), expected, "{pattern} {spaced}");
            assert_eq!(on_three.into_runs().concat(), expected.concat(), "{pattern} {spaced}");
            let counts: Vec<usize> = expected.iter().map(Vec::len).collect();
            assert_eq!(encoder.count_batch(&texts, special, 3, None).unwrap(), counts, "{pattern} {spaced}");
        }
    }
}

#[test]
fn places_in_characters_and_utf16_units() {
    let encoder = encoder("none", false);
    let mut spans = encoder.encode_spans("é👍x".as_bytes(), &[], None).unwrap();
    let mut utf16 = spans.clone();
    assert_eq!(spans.places, [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]);
    spans.in_characters("é👍x".as_bytes());
    assert_eq!(spans.places, [(0, 1), (1, 2), (1, 2), (1, 2), (1, 2), (2, 3)]);
    utf16.in_utf16("é👍x".as_bytes());
    assert_eq!(utf16.places, [(0, 1), (1, 3), (1, 3), (1, 3), (1, 3), (3, 4)]);
}

#[test]
fn a_budget_that_cannot_be_met_says_the_minimum() {
    let encoder = encoder("none", false);
    let error = encoder.chunks("low漢👍".as_bytes(), &[], 2, 0, Unit::Char, None).unwrap_err();
    assert_eq!(error, Error::BudgetTooSmall { minimum: 4, offset: 3 });
    assert_eq!(error.to_string(), "the budget must be at least 4 tokens: the part at byte 3 needs more");
}

#[test]
fn small_cuts_can_be_stopped_too() {
    let encoder = encoder("cl100k", false);
    let text = b"low ".repeat(100);
    for (budget, unit) in [(5, Unit::Char), (1, Unit::Line)] {
        let error = encoder.chunks(&text, &[], budget, 0, unit, Some(&|| true)).unwrap_err();
        assert_eq!(error, Error::Interrupted);
    }
}
