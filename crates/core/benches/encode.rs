//! Encoding on one thread: `cargo bench -p bytepair-core --bench encode -- RANKS FILE [PATTERN [ROUNDS]]`.
//!
//! RANKS is a `.tiktoken` file. FILE is encoded in documents of about a megabyte, each a new one to the encoder, and then once
//! more. Prints megabytes a second of processor time, the best of some rounds.

use bytepair_core::encode::Encoder;
use bytepair_core::model::{Alphabet, Kind, Model, Parts};
use bytepair_core::split::{Splitter, instructions};
use std::sync::Arc;
use std::time::Instant;

const DOCUMENT: usize = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [ranks, file, rest @ ..] = arguments.as_slice() else {
        println!("encode: no RANKS and FILE were given, so there is nothing to measure");
        return;
    };
    let pattern = rest.first().map_or("cl100k", String::as_str);
    let rounds = rest.get(1).map_or(3, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let text = std::fs::read_to_string(file).expect("FILE is UTF-8");
    let documents = documents(&text);
    println!("{file}: {:.1} MB, pattern {pattern}, {} instructions", text.len() as f64 / 1e6, instructions());
    let (mut unseen, mut seen, mut n_tokens) = (f64::MAX, f64::MAX, 0);
    for _ in 0..rounds {
        let encoder = encoder(&std::fs::read_to_string(ranks).expect("RANKS can be read"), pattern);
        for best in [&mut unseen, &mut seen] {
            let start = now();
            n_tokens =
                documents.iter().map(|text| encoder.encode(text.as_bytes(), &[], None).expect("bytes").len()).sum();
            *best = best.min(now() - start);
        }
    }
    let speed = |seconds: f64| text.len() as f64 / 1e6 / seconds;
    println!("encode {:8.0} MB/s unseen {:8.0} MB/s seen  {n_tokens} tokens", speed(unseen), speed(seen));
}

/// The text cut behind line feeds.
fn documents(text: &str) -> Vec<&str> {
    let mut documents = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.as_bytes().iter().skip(DOCUMENT).position(|&byte| byte == b'\n') {
        let (document, after) = rest.split_at(DOCUMENT + end + 1);
        documents.push(document);
        rest = after;
    }
    documents.push(rest);
    documents
}

fn encoder(ranks: &str, pattern: &str) -> Encoder {
    let tokens = ranks.lines().map(|line| Some(decoded(line.split(' ').next().unwrap_or_default()))).collect();
    let parts = Parts {
        kind: Kind::Ranks,
        alphabet: Alphabet::Bytes,
        tokens,
        merges: Vec::new(),
        specials: Vec::new(),
        unk_id: None,
        end_of_word: None,
        add_prefix_space: false,
    };
    let splitter = Arc::new(Splitter::named(pattern).expect("PATTERN is a name"));
    Encoder::new(Model::new(splitter, parts).expect("RANKS are a model")).expect("there are no specials")
}

/// Base64 as bytes.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|digit| DIGITS.iter().position(|&each| each == digit));
    let (mut bytes, mut bits, mut n_bits) = (Vec::new(), 0, 0);
    for digit in digits {
        (bits, n_bits) = (bits << 6 | digit, n_bits + 6);
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    bytes
}

/// Seconds that this thread had a processor, where the system tells; else seconds that went by.
fn now() -> f64 {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let begin = BEGIN.get_or_init(Instant::now);
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let cpu = said.and_then(|said| said.split(' ').next()?.parse::<f64>().ok());
    cpu.map_or_else(|| begin.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
