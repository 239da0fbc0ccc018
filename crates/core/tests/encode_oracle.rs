//! The encoder against the obvious slow way: look at all pairs, merge the leftmost of the lowest rank, look again.

mod slow_way;

use std::sync::Arc;

use bytepair_core::decode::{BadIds, decode};
use bytepair_core::encode::Encoder;
use bytepair_core::encode::merge::{MergeRoom, SCAN_AT_MOST, merge_by_heap, merge_by_scan};
use bytepair_core::model::{Alphabet, EndOfWord, Kind, Model, Parts};
use bytepair_core::split::Splitter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use slow_way::{MARKER, Oracle};

fn parts(
    kind: Kind,
    alphabet: Alphabet,
    characters: &str,
    marker: Option<EndOfWord>,
    choices: &[(Index, Index)],
) -> Parts {
    let choices = choices.iter().map(|(left, right)| |n| (left.index(n), right.index(n)));
    slow_way::parts(kind, alphabet, characters, marker, choices)
}

/// Small alphabets make every pair, tie and overlap common.
fn alphabets() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "ab", "ab ", "é漢🙂", "</w>a ", "<a>b "])
}

fn models() -> impl Strategy<Value = (Parts, &'static str)> {
    let kinds = select(vec![Kind::Merges, Kind::Ranks]);
    let units = select(vec![Alphabet::Bytes, Alphabet::Chars]);
    let choices = vec((any::<Index>(), any::<Index>()), 0..30);
    let marker = || MARKER.as_bytes().to_vec();
    let markers = select(vec![None, Some(EndOfWord::Symbol(marker())), Some(EndOfWord::Suffix(marker()))]);
    (kinds, units, alphabets(), markers, any::<bool>(), choices).prop_map(
        |(kind, alphabet, characters, marker, add_prefix_space, choices)| {
            let parts = parts(kind, alphabet, characters, marker, &choices);
            (Parts { add_prefix_space, ..parts }, characters)
        },
    )
}

/// Texts of the model's characters and, now and then, of others.
fn text_of(characters: &'static str, n: usize) -> impl Strategy<Value = String> {
    let known = select(characters.chars().collect::<Vec<_>>());
    vec(prop_oneof![20 => known, 1 => select(vec!['z', 'ß', ' '])], 0..n).prop_map(String::from_iter)
}

fn splitters() -> impl Strategy<Value = Arc<Splitter>> {
    select(Splitter::NAMES.to_vec()).prop_map(|name| Arc::new(Splitter::named(name).unwrap()))
}

/// Names of patterns that leave no text out.
fn covering() -> impl Strategy<Value = &'static str> {
    let names = Splitter::NAMES.into_iter().filter(|name| Splitter::named(name).unwrap().covers());
    select(names.collect::<Vec<_>>())
}

fn encoder(parts: &Parts, splitter: &Arc<Splitter>) -> Encoder {
    Encoder::new(Model::new(Arc::clone(splitter), parts.clone()).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn encodes_and_decodes_as_the_slow_way(
        ((parts, texts), splitter, chosen) in (
            models().prop_flat_map(|(parts, characters)| (Just(parts), vec(text_of(characters, 40), 1..5))),
            splitters(),
            subsequence((0..5u32).collect::<Vec<_>>(), 0..=5),
        )
    ) {
        let (fast, slow) = (encoder(&parts, &splitter), Oracle::new(&parts, &splitter));
        let special: Vec<u32> = chosen.iter().map(|index| parts.specials[*index as usize + 1].1).collect();
        let expected: Vec<Vec<u32>> = texts.iter().map(|text| slow.encode(text.as_bytes(), &special)).collect();
        for _cold_then_warm in 0..2 {
            for (text, expected) in texts.iter().zip(&expected) {
                prop_assert_eq!(&fast.encode(text.as_bytes(), &special, None).unwrap(), expected, "{:?}", text);
                prop_assert_eq!(fast.count(text.as_bytes(), &special, None).unwrap(), expected.len());
            }
        }
        for threads in [1, 2, 8] {
            prop_assert_eq!(&fast.encode_batch(&texts, &special, threads, None).unwrap().to_lists(), &expected);
            let counts: Vec<usize> = expected.iter().map(Vec::len).collect();
            prop_assert_eq!(fast.count_batch(&texts, &special, threads, None).unwrap(), counts);
        }
        for ids in &expected {
            prop_assert_eq!(decode(fast.model(), ids, BadIds::Raise, None).unwrap(), slow.decode(ids));
        }
    }

    #[test]
    fn scan_and_heap_agree((parts, text) in models().prop_flat_map(|(parts, c)| (Just(parts), text_of(c, 300)))) {
        let splitter = Arc::new(Splitter::named("none").unwrap());
        let (model, slow) = (Model::new(Arc::clone(&splitter), parts.clone()).unwrap(), Oracle::new(&parts, &splitter));
        let unknown = |id: Option<u32>| id.unwrap_or(u32::MAX);
        let mut first: Vec<u32> = slow.first_symbols(text.as_bytes()).into_iter().map(unknown).collect();
        first.truncate(SCAN_AT_MOST);
        let (mut by_scan, mut by_heap, mut room) = (first.clone(), first, MergeRoom::default());
        merge_by_scan(&model, &mut by_scan);
        merge_by_heap(&model, &mut by_heap, &mut room).unwrap();
        prop_assert_eq!(by_scan, by_heap);
    }

    #[test]
    fn bytes_come_back(
        (choices, bytes) in (vec((any::<Index>(), any::<Index>()), 0..30), vec(any::<u8>(), 0..80)),
        splitter in covering(),
        kind in select(vec![Kind::Merges, Kind::Ranks]),
    ) {
        let splitter = Arc::new(Splitter::named(splitter).unwrap());
        let fast = encoder(&parts(kind, Alphabet::Bytes, "ab\u{80}é", None, &choices), &splitter);
        let ids = fast.encode(&bytes, &[], None).unwrap();
        prop_assert_eq!(decode(fast.model(), &ids, BadIds::Raise, None).unwrap(), bytes);
    }
}
