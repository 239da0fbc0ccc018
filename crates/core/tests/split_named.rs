//! Each named scanner against the regular expression it stands for, and what no text may do to it.

mod regexes;

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use bytepair_core::split::{Class, Splitter};
use fancy_regex::Regex;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use regexes::{CL100K, CLIP, COVERING, DEEPSEEK3, DEEPSEEK3_STEPS, GPT2, HARD, LLAMA3, O200K, QWEN2, TEKKEN};

/// The few that contractions, numbers and white space turn on.
const DENSE: &str = "'st l\n\r\t1\u{663}é.\u{A0}\u{301}";
/// As many on which case, slashes, East Asian characters and characters of no class turn.
const DENSE_TOO: &str = "'sAB ʰ漢\n/1\u{30FB}\0\u{3040}\u{301}";

fn named(name: &str) -> Splitter {
    Splitter::named(name).expect("the name is known")
}

fn pieces(splitter: &Splitter, text: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let flow = splitter.for_each_piece(text, |piece| -> ControlFlow<()> {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, Ok(ControlFlow::Continue(())));
    pieces
}

fn pieces_by_line(splitter: &Splitter, text: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let flow = splitter.for_each_piece_by_line(text, |piece| -> ControlFlow<()> {
        pieces.push(piece);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, Ok(ControlFlow::Continue(())));
    pieces
}

fn matches(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    regex.find_iter(text).map(|found| found.expect("within the limits").range()).collect()
}

fn text_of(characters: &str, n_chars: Range<usize>) -> impl Strategy<Value = String> + use<> {
    let characters: Vec<char> = characters.chars().collect();
    prop::collection::vec(select(characters), n_chars).prop_map(String::from_iter)
}

/// UTF-8 cut up: whole characters, lone lead and continuation bytes, overlong forms, surrogates, bytes in no UTF-8.
fn broken_text() -> impl Strategy<Value = Vec<u8>> {
    const BAD: [&[u8]; 9] = [
        b"\x80\xBF",
        b"\xC0\xAF",
        b"\xC3",
        b"\xE2\x80",
        b"\xE0\x80\xA0",
        b"\xED\xA0\x80",
        b"\xF0\x9F\x99",
        b"\xF4\x90\x80\x80",
        b"\xFF",
    ];
    let whole = text_of(HARD, 0..4).prop_map(String::into_bytes);
    let bad = select(BAD.map(<[u8]>::to_vec).to_vec());
    let noise = prop::collection::vec(any::<u8>(), 0..4);
    prop::collection::vec(prop_oneof![whole, bad, noise], 0..40).prop_map(|parts| parts.concat())
}

/// Text in which many line feeds stand between characters that are not white space.
fn certain_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![text_of(HARD, 0..4), "[a1!'/]\n[a1!'/]"];
    prop::collection::vec(part, 0..20).prop_map(|parts| parts.concat())
}

/// What the steps in turn cut a text into: matches and what lies between them.
fn pieces_of_steps(steps: &[Regex], text: &str) -> Vec<Range<usize>> {
    let whole = 0..text.len();
    let mut pieces = vec![whole];
    for step in steps {
        let parts = |piece: Range<usize>| {
            let mut borders = vec![piece.start];
            borders.extend(
                matches(step, &text[piece.clone()])
                    .iter()
                    .flat_map(|found| [piece.start + found.start, piece.start + found.end]),
            );
            borders.push(piece.end);
            borders.windows(2).map(|ends| ends[0]..ends[1]).filter(|part| !part.is_empty()).collect::<Vec<_>>()
        };
        pieces = pieces.into_iter().flat_map(parts).collect();
    }
    pieces
}

/// Runs `check` on all short texts of the dense alphabets and on many longer ones, some of several blocks of 64 bytes.
fn for_many_texts(check: impl Fn(&str)) {
    for characters in [DENSE, DENSE_TOO] {
        let dense: Vec<char> = characters.chars().collect();
        for_all_texts(&dense, 4, &mut String::new(), &check);
    }
    for (characters, n_chars, cases) in [
        (HARD, 0..60, 20_000),
        (DENSE, 0..20, 20_000),
        (DENSE_TOO, 0..20, 20_000),
        (HARD, 60..200, 5_000),
        (DENSE, 60..200, 5_000),
        (DENSE_TOO, 60..200, 5_000),
    ] {
        let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
        let outcome = runner.run(&text_of(characters, n_chars), |text| {
            check(&text);
            Ok(())
        });
        assert_eq!(outcome, Ok(()));
    }
}

fn for_all_texts(characters: &[char], n_chars: usize, text: &mut String, check: &impl Fn(&str)) {
    check(text);
    if n_chars > 0 {
        for &character in characters {
            text.push(character);
            for_all_texts(characters, n_chars - 1, text, check);
            text.pop();
        }
    }
}

/// Runs `check` on every character, alone and among others; of those of no class on one in 64.
fn for_every_character(check: impl Fn(&str)) {
    let assigned = |character: &char| Class::of(*character) != Class::Other || u32::from(*character) % 64 == 0;
    let mut many = String::new();
    for character in ('\0'..=char::MAX).filter(assigned).chain([char::MAX]) {
        check(character.encode_utf8(&mut [0; 4]));
        for beside in ["a", "A", "1", " ", "'", "\n", "!", "漢", "\0", " s"] {
            many += beside;
            many.push(character);
        }
        many.extend([character, '\'', 's', ' ']);
        if many.len() > 1_000 || character == char::MAX {
            check(&many);
            many.clear();
        }
    }
}

/// On many texts the pieces are those that `expected` gives.
fn assert_scanner_gives(name: &str, expected: impl Fn(&str) -> Vec<Range<usize>>) {
    let splitter = named(name);
    let check = |text: &str| assert_eq!(pieces(&splitter, text.as_bytes()), expected(text), "{name} on {text:?}");
    for_many_texts(check);
    for_every_character(check);
}

fn assert_scanner_is(name: &str, regex: &str) {
    let regex = Regex::new(regex).expect("the pattern compiles");
    assert_scanner_gives(name, |text| matches(&regex, text));
}

#[test]
fn gpt2_is_its_regex() {
    assert_scanner_is("gpt2", GPT2);
}

#[test]
fn cl100k_is_its_regex() {
    assert_scanner_is("cl100k", CL100K);
}

#[test]
fn o200k_is_its_regex() {
    assert_scanner_is("o200k", O200K);
}

#[test]
fn llama3_is_its_regex() {
    assert_scanner_is("llama3", LLAMA3);
}

#[test]
fn qwen2_is_its_regex() {
    assert_scanner_is("qwen2", QWEN2);
}

#[test]
fn deepseek3_is_its_three_steps() {
    let steps = DEEPSEEK3_STEPS.map(|step| Regex::new(step).expect("the pattern compiles"));
    assert_scanner_gives("deepseek3", |text| if text.is_empty() { vec![] } else { pieces_of_steps(&steps, text) });
}

#[test]
fn deepseek3_is_one_regex() {
    assert_scanner_is("deepseek3", DEEPSEEK3);
}

#[test]
fn tekken_is_its_regex() {
    assert_scanner_is("tekken", TEKKEN);
}

#[test]
fn clip_is_its_regex() {
    assert_scanner_is("clip", CLIP);
    let regex = Regex::new(CLIP).expect("the pattern compiles");
    let parts =
        ["<|", "<|STARTofTEXT|>", "<|\u{17F}tartoftext|>", "<|endoftext|>", "<|end", "oftext|>", "!", " ", "'s", "1"];
    let mut runner = TestRunner::new(ProptestConfig::with_cases(5_000));
    let outcome = runner.run(&prop::collection::vec(select(parts.to_vec()), 0..12), |parts| {
        let text = parts.concat();
        prop_assert_eq!(pieces(&named("clip"), text.as_bytes()), matches(&regex, &text));
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn whitespace_is_its_regex() {
    assert_scanner_is("whitespace", r"[^\s\x1C-\x1F]+");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bytes_that_are_no_text_are_characters_of_no_class(text in broken_text()) {
        thread_local!(static CUSTOM: [Splitter; 7] = COVERING.map(|(_, regex)| Splitter::custom(regex).unwrap()));
        for (place, (name, _)) in COVERING.into_iter().enumerate() {
            let expected = CUSTOM.with(|custom| pieces(&custom[place], &text));
            prop_assert_eq!(pieces(&named(name), &text), expected, "{} on {:?}", name, &text);
        }
    }

    #[test]
    fn a_certain_cut_moves_no_border(text in certain_text(), end in 0_usize..80) {
        for name in Splitter::NAMES {
            let splitter = named(name);
            if let Some(cut) = splitter.last_certain_cut(text.as_bytes(), end) {
                prop_assert!(0 < cut && cut <= end);
                let (first, rest) = text.as_bytes().split_at(cut);
                for pieces in [pieces, pieces_by_line] {
                    let rest = pieces(&splitter, rest).into_iter().map(|piece| piece.start + cut..piece.end + cut);
                    let parts: Vec<_> = pieces(&splitter, first).into_iter().chain(rest).collect();
                    prop_assert_eq!(parts, pieces(&splitter, text.as_bytes()), "{} cut at {}", name, cut);
                }
            }
        }
    }

    #[test]
    fn every_line_is_a_document(text in broken_text()) {
        for name in Splitter::NAMES {
            let (splitter, mut start, mut expected) = (named(name), 0, Vec::new());
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                expected.extend(pieces(&splitter, line).into_iter().map(|piece| piece.start + start..piece.end + start));
                start += line.len();
            }
            prop_assert_eq!(pieces_by_line(&splitter, &text), expected, "{} on {:?}", name, &text);
        }
    }

    #[test]
    fn pieces_make_up_the_text(text in broken_text()) {
        for name in Splitter::NAMES {
            let splitter = named(name);
            let mut at = 0;
            for piece in pieces(&splitter, &text) {
                prop_assert!(piece.start < piece.end);
                prop_assert!(piece.start == at || piece.start > at && !splitter.covers());
                at = piece.end;
            }
            prop_assert!(at == text.len() || !splitter.covers());
        }
    }
}

#[test]
fn long_runs_are_linear() {
    const UNITS: [&str; 29] = [
        " ", "\n", "\n ", " \r", "\u{3000}", "a", "é", "漢", "1", "'", "!", "\u{301}", "\0", "\u{FF}", " a", "\u{1C}a",
        "'s", "A", "Aa", "漢A", "\u{301}A", "ʰ", "/\n", "<|", "\u{30FB}", "!\u{301}", "a \0", "'s's", "!\n/",
    ];
    for unit in UNITS {
        for bytes in [unit.as_bytes(), &unit.as_bytes()[unit.len() - 1..]] {
            let run = bytes.repeat(500_000 / bytes.len());
            for (head, tail) in [("", ""), ("", "x"), ("漢", "\nx")] {
                assert_quick(&[head.as_bytes(), &run, tail.as_bytes()].concat(), unit);
            }
        }
    }
}

/// A pass takes some milliseconds, even in a slow build; a quadratic one minutes at least.
fn assert_quick(text: &[u8], unit: &str) {
    for name in Splitter::NAMES {
        let start = Instant::now();
        pieces(&named(name), text);
        pieces_by_line(&named(name), text);
        assert!(start.elapsed() < Duration::from_secs(5), "{name} on many {unit:?}");
    }
}

#[test]
fn the_longest_pieces_are_right_on_a_small_stack() {
    let ends = |name, text: &str| -> Vec<(usize, usize)> {
        pieces(&named(name), text.as_bytes()).into_iter().map(|piece| (piece.start, piece.end)).collect()
    };
    let check = move || {
        let spaces = " ".repeat(1_000_000) + "x";
        for name in Splitter::NAMES {
            let expected = match name {
                "none" => vec![(0, 1_000_001)],
                "whitespace" | "clip" => vec![(1_000_000, 1_000_001)],
                _ => vec![(0, 999_999), (999_999, 1_000_001)],
            };
            assert_eq!(ends(name, &spaces), expected, "{name}");
        }
        for (letter, n_times) in [("^", 1_000_000), ("a", 10_000_000)] {
            let run = letter.repeat(n_times);
            for name in Splitter::NAMES {
                assert_eq!(ends(name, &run), [(0, n_times)], "{name} on many {letter:?}");
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(check).expect("a thread can be had");
    thread.join().expect("the pieces are right");
}
