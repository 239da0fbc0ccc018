//! The encoder against the obvious slow way: look at all pairs, merge the leftmost of the lowest rank, look again.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytepair_core::decode::{BadIds, decode};
use bytepair_core::encode::Encoder;
use bytepair_core::encode::merge::{MergeRoom, SCAN_AT_MOST, merge_by_heap, merge_by_scan};
use bytepair_core::model::{Alphabet, EndOfWord, Kind, Model, Parts};
use bytepair_core::split::Splitter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

const MARKER: &str = "</w>";
const UNK: &str = "<unk>";
const SPECIALS: [&str; 5] = ["<a>", "<a><b>", "a<b>", "b", "</w>a"];

/// The slow way over spellings. A symbol is a spelling, None an unknown character.
struct Oracle {
    parts: Parts,
    ids: HashMap<Vec<u8>, u32>,
    ranks: HashMap<(u32, u32), usize>,
    splitter: Arc<Splitter>,
}

impl Oracle {
    fn new(parts: &Parts, splitter: &Arc<Splitter>) -> Self {
        let spelled = parts.tokens.iter().zip(0..).filter_map(|(token, id)| Some((token.clone()?, id)));
        let mut ranks = HashMap::new();
        for (rank, pair) in parts.merges.iter().enumerate() {
            ranks.entry(*pair).or_insert(rank);
        }
        Self { parts: parts.clone(), ids: spelled.collect(), ranks, splitter: Arc::clone(splitter) }
    }

    fn spelling(&self, id: u32) -> &[u8] {
        self.parts.tokens[id as usize].as_ref().unwrap()
    }

    fn rank(&self, left: u32, right: u32) -> Option<usize> {
        match self.parts.kind {
            Kind::Merges => self.ranks.get(&(left, right)).copied(),
            Kind::Ranks => self.ids.get(&[self.spelling(left), self.spelling(right)].concat()).map(|&id| id as usize),
        }
    }

    fn first_symbols(&self, piece: &[u8]) -> Vec<Option<u32>> {
        let mut units: Vec<Vec<u8>> = match self.parts.alphabet {
            Alphabet::Bytes => piece.iter().map(|&byte| vec![byte]).collect(),
            Alphabet::Chars => std::str::from_utf8(piece).unwrap().chars().map(|c| c.to_string().into()).collect(),
        };
        match &self.parts.end_of_word {
            None => {}
            Some(EndOfWord::Symbol(marker)) => units.push(marker.clone()),
            Some(EndOfWord::Suffix(marker)) => units.iter_mut().last().into_iter().for_each(|last| last.extend(marker)),
        }
        units.iter().map(|unit| self.ids.get(unit).copied()).collect()
    }

    fn marker(&self) -> Option<&[u8]> {
        self.parts.end_of_word.as_ref().map(|(EndOfWord::Symbol(marker) | EndOfWord::Suffix(marker))| &marker[..])
    }

    fn piece(&self, piece: &[u8]) -> Vec<u32> {
        let whole = [piece, self.marker().unwrap_or_default()].concat();
        if let (Kind::Ranks, Some(&id)) = (self.parts.kind, self.ids.get(&whole)) {
            return vec![id];
        }
        let mut symbols = self.first_symbols(piece);
        loop {
            let rank_at = |at: usize| Some((self.rank(symbols[at]?, symbols[at + 1]?)?, at));
            let Some((_, at)) = (0..symbols.len().saturating_sub(1)).filter_map(rank_at).min() else {
                return symbols.into_iter().map(|symbol| symbol.or(self.parts.unk_id).unwrap()).collect();
            };
            let joint = [symbols[at], symbols[at + 1]].map(|id| self.spelling(id.unwrap())).concat();
            symbols.splice(at..at + 2, [Some(self.ids[&joint])]);
        }
    }

    fn segment(&self, text: &[u8], ids: &mut Vec<u32>) {
        let prefix = self.parts.add_prefix_space && !text.is_empty() && text[0] != b' ';
        let text = [if prefix { b" " } else { &b""[..] }, text].concat();
        let _ = self.splitter.for_each_piece(&text, |range| -> ControlFlow<()> {
            ids.extend(self.piece(&text[range]));
            ControlFlow::Continue(())
        });
    }

    fn encode(&self, text: &[u8], special: &[u32]) -> Vec<u32> {
        let (mut ids, mut start, mut at) = (Vec::new(), 0, 0);
        let allowed = || self.parts.specials.iter().filter(|(_, id)| special.contains(id));
        while at < text.len() {
            let longest = allowed().filter(|(special, _)| text[at..].starts_with(special)).max_by_key(|(s, _)| s.len());
            let Some((special, id)) = longest else {
                at += 1;
                continue;
            };
            self.segment(&text[start..at], &mut ids);
            ids.push(*id);
            at += special.len();
            start = at;
        }
        self.segment(&text[start..], &mut ids);
        ids
    }

    fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (position, id) in ids.iter().enumerate() {
            let special = self.parts.specials.iter().find(|(_, special)| special == id);
            let token = special.map_or_else(|| self.spelling(*id), |(text, _)| text);
            match self.marker().and_then(|marker| token.strip_suffix(marker)) {
                Some(before) if special.is_none() => {
                    bytes.extend_from_slice(before);
                    bytes.extend_from_slice(if position + 1 < ids.len() { b" " } else { b"" });
                }
                _ => bytes.extend_from_slice(token),
            }
        }
        bytes
    }
}

/// A model made of choices: each merge joins two tokens that are there by then.
fn parts(
    kind: Kind,
    alphabet: Alphabet,
    characters: &str,
    marker: Option<EndOfWord>,
    choices: &[(Index, Index)],
) -> Parts {
    let mut tokens: Vec<Vec<u8>> = match alphabet {
        Alphabet::Bytes => (0..=255).map(|byte| vec![byte]).collect(),
        Alphabet::Chars => characters.chars().map(|c| c.to_string().into_bytes()).collect(),
    };
    let ends = match &marker {
        None => vec![],
        Some(EndOfWord::Symbol(marker)) => vec![marker.clone()],
        Some(EndOfWord::Suffix(marker)) => tokens.iter().map(|token| [&token[..], marker].concat()).collect(),
    };
    for token in ends {
        if !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    // Of bytes only those of the characters can occur in the texts.
    let mut joinable: Vec<u32> = (0..tokens.len() as u32)
        .filter(|&id| {
            let token = &tokens[id as usize];
            let token = token.strip_suffix(MARKER.as_bytes()).filter(|before| !before.is_empty()).unwrap_or(token);
            [characters, MARKER].iter().any(|all| contains(all.as_bytes(), token))
        })
        .collect();
    let mut merges = Vec::new();
    for (left, right) in choices {
        let (left, right) = (*left.get(&joinable), *right.get(&joinable));
        let joint = [tokens[left as usize].clone(), tokens[right as usize].clone()].concat();
        merges.push((left, right));
        if !tokens.contains(&joint) {
            joinable.push(tokens.len() as u32);
            tokens.push(joint);
        }
    }
    with_specials(kind, alphabet, marker, tokens, merges)
}

fn with_specials(
    kind: Kind,
    alphabet: Alphabet,
    marker: Option<EndOfWord>,
    tokens: Vec<Vec<u8>>,
    merges: Vec<(u32, u32)>,
) -> Parts {
    let specials = [UNK].into_iter().chain(SPECIALS).map(|text| text.as_bytes().to_vec()).zip(tokens.len() as u32..);
    Parts {
        kind,
        alphabet,
        specials: specials.collect(),
        unk_id: Some(tokens.len() as u32),
        tokens: tokens.into_iter().map(Some).collect(),
        merges: if kind == Kind::Ranks { Vec::new() } else { merges },
        end_of_word: marker,
        add_prefix_space: false,
    }
}

fn contains(all: &[u8], part: &[u8]) -> bool {
    all.windows(part.len()).any(|window| window == part)
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
