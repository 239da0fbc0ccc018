//! The kernels one by one, on one thread: `cargo bench -p bytepair-core -- FILE [PATTERN [ROUNDS [split|tally]]]`.
//!
//! Prints megabytes a second of splitting and of counting, and seconds of learning: processor time where the system tells it,
//! and the best of some rounds, since other work on a machine only ever adds time.

use bytepair_core::learn::{Alphabet, ByteOrder, Options, Ties, learn};
use bytepair_core::progress::Pulse;
use bytepair_core::split::{Splitter, instructions};
use bytepair_core::tally::{BadUtf8, Counter, FileDocuments, PieceCounts, Rules};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else {
        println!("kernels: no FILE was given, so there is nothing to measure");
        return;
    };
    let pattern = arguments.get(1).map_or("gpt2", String::as_str);
    let rounds = arguments.get(2).map_or(3, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let splitter = Splitter::named(pattern).expect("PATTERN is a name");
    let text = std::fs::read(path).expect("FILE can be read");
    let megabytes = text.len() as f64 / 1e6;
    println!("{path}: {megabytes:.1} MB, pattern {pattern}, {} instructions, best of {rounds}", instructions());

    let only = arguments.get(3).map_or("", String::as_str);
    if only.is_empty() || only == "split" {
        let (n_pieces, seconds) = best_of(rounds, || count_borders(&splitter, &text));
        println!("split  {:8.0} MB/s  {n_pieces} pieces", megabytes / seconds);
    }
    drop(text);
    if only == "split" {
        return;
    }
    let (counts, seconds) = best_of(rounds, || tally(&splitter, Path::new(path)));
    println!("tally  {:8.0} MB/s  {} distinct pieces", megabytes / seconds, counts.len());
    if only != "tally" {
        let (n_merges, seconds) = best_of(rounds, || learn_merges(&counts));
        println!("learn  {seconds:8.3} s     {n_merges} merges");
    }
}

fn best_of<T>(rounds: u32, mut work: impl FnMut() -> T) -> (T, f64) {
    let begin = Instant::now();
    let now = || cpu_seconds().unwrap_or_else(|| begin.elapsed().as_secs_f64());
    let mut once = || {
        let start = now();
        let result = work();
        (result, now() - start)
    };
    let first = once();
    (1..rounds).fold(first, |(result, best), _| (result, once().1.min(best)))
}

/// Seconds that this thread had a processor, where the system tells.
fn cpu_seconds() -> Option<f64> {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(said.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn count_borders(splitter: &Splitter, text: &[u8]) -> usize {
    let mut n_pieces = 0;
    let walked = splitter.for_each_piece_by_line::<()>(text, |_| {
        n_pieces += 1;
        ControlFlow::Continue(())
    });
    let _ = walked.expect("a named pattern does not give up");
    n_pieces
}

fn tally(splitter: &Splitter, path: &Path) -> PieceCounts {
    let rules = Rules::new(splitter.clone(), &[], false, false).expect("no border is empty");
    let mut counter = Counter::new(rules, 1);
    let file = FileDocuments { path, by_line: true, bad_utf8: BadUtf8::Raise };
    file.count(&mut counter, &mut quiet()).expect("FILE is UTF-8");
    counter.finish().expect("no count overflows")
}

fn learn_merges(counts: &PieceCounts) -> usize {
    let options = Options {
        alphabet: Alphabet::Bytes(ByteOrder::Gpt2),
        end_of_word: None,
        ties: Ties::LowestId,
        max_merges: None,
        max_tokens: Some(32_000),
        min_count: 1,
        max_token_bytes: None,
        forbidden: Vec::new(),
        first_symbols: Vec::new(),
        given: Vec::new(),
        check_from: None,
    };
    learn(counts, &options, &mut quiet()).expect("no pair overflows").merges.len()
}

fn quiet() -> Pulse<'static> {
    Pulse::new(Box::leak(Box::new(|_, _| ControlFlow::Continue(()))))
}
