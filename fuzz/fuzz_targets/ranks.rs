//! Large vocabularies of ranks, where the shortcuts of the engine are: each against the slow way.
//!
//! `BYTEPAIR_TEST_DATA` names a folder whose `vocabs/*.tiktoken` are read; without it a vocabulary is made of all bytes and
//! of what the parts of hard texts begin with.
#![no_main]

#[path = "../../crates/core/tests/slow_way/mod.rs"]
#[allow(dead_code)]
mod slow_way;
mod texts;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytepair_core::decode::{BadIds, decode};
use bytepair_core::encode::Encoder;
use bytepair_core::model::{Alphabet, Kind, Model, Parts};
use bytepair_core::split::Splitter;
use libfuzzer_sys::fuzz_target;
use slow_way::Oracle;

/// Above this the slow way, quadratic in a piece, is too slow.
const LONGEST: usize = 300;

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut n_bits) = (Vec::new(), 0_u32, 0);
    for digit in text.trim_end_matches('=').chars() {
        bits = bits << 6 | DIGITS.find(digit).expect("a file of base64") as u32;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
            bits &= (1 << n_bits) - 1;
        }
    }
    bytes
}

fn read(path: &PathBuf) -> Vec<Option<Vec<u8>>> {
    let text = std::fs::read_to_string(path).expect("a file of ranks");
    let mut tokens = Vec::new();
    for (token, rank) in text.lines().filter_map(|line| line.split_once(' ')) {
        let rank: usize = rank.parse().expect("a rank");
        tokens.resize(tokens.len().max(rank + 1), None);
        tokens[rank] = Some(base64(token));
    }
    tokens
}

fn made() -> Vec<Option<Vec<u8>>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let modes: Vec<u8> = (0..128).collect();
    let hard = texts::text(1, &modes);
    for n_bytes in 2..8 {
        for start in 0..hard.len() - n_bytes {
            let token = hard[start..start + n_bytes].to_vec();
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
    }
    tokens.into_iter().map(Some).collect()
}

fn vocabularies() -> Vec<Vec<Option<Vec<u8>>>> {
    let folder = std::env::var_os("BYTEPAIR_TEST_DATA").map(|data| PathBuf::from(data).join("vocabs"));
    let entries = folder.and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "tiktoken"));
    paths.sort();
    let read: Vec<_> = paths.iter().map(read).collect();
    if read.is_empty() { vec![made()] } else { read }
}

const PATTERNS: [&str; 4] = ["cl100k", "o200k", "none", "gpt2"];

fn pair(tokens: Vec<Option<Vec<u8>>>, pattern: &str) -> (Encoder, Oracle) {
    let splitter = Arc::new(Splitter::named(pattern).unwrap());
    let parts = Parts {
        kind: Kind::Ranks,
        alphabet: Alphabet::Bytes,
        specials: vec![(b"<|endoftext|>".to_vec(), tokens.len() as u32 + 7)],
        tokens,
        merges: Vec::new(),
        unk_id: None,
        end_of_word: None,
        add_prefix_space: false,
    };
    let slow = Oracle::new(&parts, &splitter);
    (Encoder::new(Model::new(splitter, parts).unwrap()).unwrap(), slow)
}

/// Each vocabulary with one of the patterns, all at once: no input shall take as long as reading a file.
fn pairs() -> &'static [(Encoder, Oracle)] {
    static PAIRS: OnceLock<Vec<(Encoder, Oracle)>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        vocabularies()
            .into_iter()
            .zip(PATTERNS.into_iter().cycle())
            .map(|(tokens, pattern)| pair(tokens, pattern))
            .collect()
    })
}

fuzz_target!(
    init: {
        pairs();
    },
    |data: &[u8]| {
        let [which, mode, rest @ ..] = data else { return };
        let (fast, slow) = &pairs()[usize::from(*which) % pairs().len()];
        let mut text = texts::text(*mode, rest);
        text.truncate(LONGEST);
        let special = fast.model().specials()[0].1;
        for special in [&[][..], &[special]] {
            let ids = fast.encode(&text, special, None).unwrap();
            assert_eq!(ids, slow.encode(&text, special), "{:?}", String::from_utf8_lossy(&text));
            assert_eq!(fast.count(&text, special, None).unwrap(), ids.len());
            assert_eq!(decode(fast.model(), &ids, BadIds::Raise, None).unwrap(), text);
        }
    }
);
