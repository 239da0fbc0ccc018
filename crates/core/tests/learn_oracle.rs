//! The kernel against a trainer that recounts everything at every step.

use bytepair_core::learn::{Alphabet, ByteOrder, EndOfWord, Learned, Learner, Options, Ties, learn};
use bytepair_core::progress::Pulse;
use bytepair_core::tally::PieceTable;
use proptest::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

type Symbol = Vec<u8>;
type Merge = ((Symbol, Symbol), u64);

fn fast(pieces: &[(Vec<u8>, u64)], options: &Options) -> Vec<Merge> {
    let learned = learned(pieces, options);
    let spell = |id: u32| learned.tokens[id as usize].to_vec();
    let pairs = learned.merges.iter().map(|&(left, right)| (spell(left), spell(right)));
    pairs.zip(learned.merge_counts.iter().copied()).collect()
}

fn learned(pieces: &[(Vec<u8>, u64)], options: &Options) -> Learned {
    let mut counts = PieceTable::new();
    for (piece, count) in pieces {
        counts.add(piece, 0..piece.len(), *count).unwrap();
    }
    let counts = counts.finish();
    let mut go_on = |_, _| ControlFlow::Continue(());
    learn(&counts, options, &mut Pulse::new(&mut go_on)).unwrap()
}

struct Slow {
    symbols: Vec<Symbol>,
    pieces: Vec<(Vec<Symbol>, u64)>,
}

impl Slow {
    fn new(pieces: &[(Vec<u8>, u64)], options: &Options) -> Self {
        let mut distinct: Vec<(Vec<u8>, u64)> = Vec::new();
        for (piece, count) in pieces.iter().filter(|(_, count)| *count > 0) {
            match distinct.iter_mut().find(|(known, _)| known == piece) {
                Some((_, sum)) => *sum += count,
                None => distinct.push((piece.clone(), *count)),
            }
        }
        let mut spelled: Vec<(Vec<Symbol>, u64)> =
            distinct.iter().map(|(piece, count)| (spell(piece, options.alphabet), *count)).collect();
        let mut symbols = match options.alphabet {
            Alphabet::Bytes(order) => order.bytes().iter().map(|&byte| vec![byte]).collect(),
            Alphabet::Chars => {
                let mut all: Vec<Symbol> = spelled.iter().flat_map(|(symbols, _)| symbols.clone()).collect();
                all.sort();
                all.dedup();
                all
            }
        };
        match &options.end_of_word {
            None => {}
            Some(EndOfWord::Symbol(marker)) => {
                for (symbols, _) in &mut spelled {
                    symbols.push(marker.clone());
                }
                if !symbols.contains(marker) {
                    symbols.push(marker.clone());
                }
            }
            Some(EndOfWord::Suffix(marker)) => {
                let glued = |symbol: &Symbol| [&symbol[..], marker].concat();
                let more: Vec<Symbol> = symbols.iter().map(glued).collect();
                for symbol in more {
                    if !symbols.contains(&symbol) {
                        symbols.push(symbol);
                    }
                }
                for last in spelled.iter_mut().filter_map(|(symbols, _)| symbols.last_mut()) {
                    *last = glued(last);
                }
            }
        }
        Self { symbols, pieces: spelled }
    }

    fn pairs(&self) -> Vec<Merge> {
        let mut order: Vec<Merge> = Vec::new();
        let mut places: HashMap<(Symbol, Symbol), usize> = HashMap::new();
        for (symbols, count) in &self.pieces {
            for window in symbols.windows(2) {
                let pair = (window[0].clone(), window[1].clone());
                let place = *places.entry(pair.clone()).or_insert_with(|| {
                    order.push((pair, 0));
                    order.len() - 1
                });
                order[place].1 += count;
            }
        }
        order
    }

    fn choose(&self, options: &Options) -> Option<Merge> {
        let id = |symbol: &Symbol| self.symbols.iter().position(|known| known == symbol);
        let fits = |pair: &(Symbol, Symbol)| {
            let joint = [&pair.0[..], &pair.1[..]].concat();
            options.max_token_bytes.is_none_or(|most| joint.len() <= most)
                && !options.forbidden.contains(&joint)
                && (options.ties != Ties::Shortest || !self.symbols.contains(&joint))
        };
        let pairs: Vec<Merge> = self.pairs().into_iter().filter(|(pair, _)| fits(pair)).collect();
        let most = pairs.iter().map(|(_, count)| *count).max()?;
        let tied = pairs.into_iter().filter(|(_, count)| *count == most);
        let best = match options.ties {
            Ties::Lexicographic => tied.min_by(|a, b| a.0.cmp(&b.0)),
            Ties::Largest => tied.max_by(|a, b| a.0.cmp(&b.0)),
            Ties::LowestId => tied.min_by_key(|(pair, _)| (id(&pair.0), id(&pair.1))),
            Ties::FirstSeen => tied.into_iter().next(),
            Ties::Shortest => tied.min_by_key(|(pair, _)| {
                let joint = [&pair.0[..], &pair.1[..]].concat();
                let n_chars = joint.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
                (n_chars, joint, pair.clone())
            }),
        };
        best.filter(|(_, count)| *count >= options.min_count)
    }

    fn merge(&mut self, (left, right): &(Symbol, Symbol)) {
        let joint = [&left[..], &right[..]].concat();
        for (symbols, _) in &mut self.pieces {
            let mut merged = Vec::new();
            let mut rest = &symbols[..];
            while let Some(first) = rest.first() {
                let is_pair = first == left && rest.get(1) == Some(right);
                merged.push(if is_pair { joint.clone() } else { first.clone() });
                rest = &rest[if is_pair { 2 } else { 1 }..];
            }
            *symbols = merged;
        }
        if !self.symbols.contains(&joint) {
            self.symbols.push(joint);
        }
    }
}

fn spell(piece: &[u8], alphabet: Alphabet) -> Vec<Symbol> {
    match alphabet {
        Alphabet::Bytes(_) => piece.iter().map(|&byte| vec![byte]).collect(),
        Alphabet::Chars => std::str::from_utf8(piece).unwrap().chars().map(|c| c.to_string().into_bytes()).collect(),
    }
}

fn slow(pieces: &[(Vec<u8>, u64)], options: &Options) -> Vec<Merge> {
    let mut trainer = Slow::new(pieces, options);
    let mut merges = Vec::new();
    while options.max_merges.is_none_or(|most| (merges.len() as u64) < most)
        && options.max_tokens.is_none_or(|most| (trainer.symbols.len() as u64) < most)
    {
        let Some(best) = trainer.choose(options) else { break };
        trainer.merge(&best.0);
        merges.push(best);
    }
    merges
}

fn any_pieces() -> impl Strategy<Value = Vec<(Vec<u8>, u64)>> {
    let text = prop_oneof!["a{0,30}", "[ab]{0,20}", "[abc]{0,12}", "[é漢🙂]{0,10}", "[</w>]{0,14}", "[a-f]{0,6}"];
    let count = prop_oneof![1..4u64, Just(0), Just(1 << 16), Just(u64::from(u32::MAX)), Just(5_000_000_000)];
    prop::collection::vec((text.prop_map(String::into_bytes), count), 0..7)
}

fn plain_options() -> Options {
    Options {
        alphabet: Alphabet::Bytes(ByteOrder::Value),
        end_of_word: None,
        ties: Ties::Lexicographic,
        max_merges: None,
        max_tokens: None,
        min_count: 1,
        max_token_bytes: None,
        forbidden: vec![],
        first_symbols: vec![],
        given: vec![],
        check_from: None,
    }
}

fn any_options() -> impl Strategy<Value = Options> {
    let alphabet = prop_oneof![
        Just(Alphabet::Bytes(ByteOrder::Value)),
        Just(Alphabet::Bytes(ByteOrder::Gpt2)),
        Just(Alphabet::Chars)
    ];
    let ties =
        prop::sample::select(vec![Ties::Lexicographic, Ties::FirstSeen, Ties::Largest, Ties::LowestId, Ties::Shortest]);
    let symbol = |text: &str| Some(EndOfWord::Symbol(text.as_bytes().to_vec()));
    let suffix = |text: &str| Some(EndOfWord::Suffix(text.as_bytes().to_vec()));
    let marker =
        prop::sample::select(vec![None, None, symbol("</w>"), symbol("a"), symbol("漢"), suffix("</w>"), suffix("a")]);
    let limits = (prop::option::of(0..12u64), prop::option::of(0..9u64), 0..4u64);
    let candidates = (prop::option::of(1..6usize), prop_oneof![Just(vec![]), Just(vec!["ab", "aa", "</w>"])]);
    (alphabet, ties, marker, limits, candidates).prop_map(|(alphabet, ties, marker, limits, candidates)| Options {
        alphabet,
        ties,
        end_of_word: marker,
        max_merges: limits.0,
        // Room for every alphabet of these tests; the limit then bites after a few merges.
        max_tokens: limits.1.map(|more| 512 + more),
        min_count: limits.2,
        max_token_bytes: candidates.0,
        forbidden: candidates.1.into_iter().map(|text| text.as_bytes().to_vec()).collect(),
        ..plain_options()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn the_kernel_chooses_what_recounting_chooses(pieces in any_pieces(), options in any_options()) {
        prop_assert_eq!(fast(&pieces, &options), slow(&pieces, &options));
    }

    #[test]
    fn going_on_from_given_merges_is_learning_in_one_go(
        pieces in any_pieces(), options in any_options(), cut in 0..12usize, check_from in prop::option::of(0..12usize),
    ) {
        let merges = fast(&pieces, &options);
        let given = merges.iter().take(cut).map(|(pair, _)| pair.clone()).collect();
        let resumed = Options { given, check_from, ..options };
        prop_assert_eq!(fast(&pieces, &resumed), merges);
        prop_assert_eq!(learned(&pieces, &resumed).broken, None);
    }

    #[test]
    fn a_given_merge_that_is_not_the_choice_is_found(
        pieces in any_pieces(), options in any_options(), swap in 0..6usize,
    ) {
        let merges = fast(&pieces, &options);
        let mut given: Vec<_> = merges.iter().map(|(pair, _)| pair.clone()).collect();
        if given.len() < 2 {
            return Ok(());
        }
        let swap = swap % (given.len() - 1);
        given.swap(swap, swap + 1);
        let broken = learned(&pieces, &Options { given, check_from: Some(0), ..options }).broken.unwrap();
        prop_assert_eq!(broken.rank, swap);
        prop_assert_eq!(broken.choice, Some(merges[swap].clone()));
    }

    #[test]
    fn given_merges_before_the_checked_ones_are_taken_as_they_are(
        pieces in any_pieces(), options in any_options(), swap in 0..6usize,
    ) {
        let mut given: Vec<_> = fast(&pieces, &options).into_iter().map(|(pair, _)| pair).collect();
        if given.len() < 2 {
            return Ok(());
        }
        let swap = swap % (given.len() - 1);
        given.swap(swap, swap + 1);
        given.truncate(swap + 2);
        let broken = learned(&pieces, &Options { given, check_from: Some(swap + 2), ..options }).broken;
        prop_assert_eq!(broken, None);
    }

    #[test]
    fn stopping_at_any_moment_and_going_on_changes_nothing(pieces in any_pieces(), options in any_options()) {
        let mut counts = PieceTable::new();
        for (piece, count) in &pieces {
            counts.add(piece, 0..piece.len(), *count).unwrap();
        }
        let counts = counts.finish();
        let mut last = 0;
        // Stops at the first look after a merge, wherever that is; and once in between.
        let mut stop = |done, _| {
            let moved = done > last;
            last = done;
            if moved { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut go_on = |_, _| ControlFlow::Continue(());
        let mut learner = Learner::new(&counts, &options, &mut Pulse::new(&mut go_on)).unwrap();
        let mut seen: Vec<Merge> = Vec::new();
        let mut stopped = true;
        while stopped {
            stopped = learner.run(&mut Pulse::every(Duration::ZERO, &mut stop)).is_err();
            let news = learner.merges_from(seen.len());
            seen.extend(news.map(|(left, right, count)| ((left.to_vec(), right.to_vec()), count)));
        }
        prop_assert_eq!(seen, fast(&pieces, &options));
    }
}

#[test]
fn counts_past_32_bits_are_exact() {
    let pieces = [("the", 5_000_000_000), ("cat", 3), ("hat", 2)].map(|(p, n)| (p.as_bytes().to_vec(), n));
    let options = Options { max_merges: Some(3), ..plain_options() };
    let merges = fast(&pieces, &options);
    assert_eq!(merges[0], ((b"h".to_vec(), b"e".to_vec()), 5_000_000_000));
    assert_eq!(merges[1].0, (b"t".to_vec(), b"he".to_vec()));
}
