//! Each named scanner against the regular expression it stands for, and what no text may do to it.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use bytepair_core::split::Splitter;
use fancy_regex::Regex;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

/// The patterns as tiktoken 0.14 spells them.
const GPT2: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);
const NAMES: [&str; 4] = ["gpt2", "cl100k", "whitespace", "none"];

/// Characters at which the patterns take different ways; those that matter most stand more than once.
const HARD: &str = "'''''sdmtlvreSDMTLVRE\u{17F}\u{212A}    \n\n\n\r\r\t\u{B}\u{C}\u{A0}\u{2028}\u{2029}\u{85}\u{1680}\
    \u{3000}\u{1C}\u{1F}0123\u{663}\u{B2}\u{BD}\u{2167}axéß\u{1C5}ʰªאع漢字ㄱ\u{301}\u{93E}\u{20E3}🙂👍🏽\u{200D}\
    .,!?-_/<|>#$€+^`\0\u{1}\u{7F}\u{AD}\u{FEFF}\u{E000}\u{378}\u{10FFFF}\u{1C89}\u{88F}";
/// The few that contractions, numbers and white space turn on.
const DENSE: &str = "'st l\n\r\t1\u{663}é.\u{A0}\u{301}";

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

/// Runs `check` on all short texts of the dense alphabet and on many longer ones, some of several blocks of 64 bytes.
fn for_many_texts(check: impl Fn(&str)) {
    let dense: Vec<char> = DENSE.chars().collect();
    for_all_texts(&dense, 4, &mut String::new(), &check);
    for (characters, n_chars, cases) in
        [(HARD, 0..60, 20_000), (DENSE, 0..20, 20_000), (HARD, 60..200, 5_000), (DENSE, 60..200, 5_000)]
    {
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

fn assert_scanner_is(name: &str, regex: &str) {
    let (splitter, regex) = (named(name), Regex::new(regex).expect("the pattern compiles"));
    let check = |text: &str| {
        assert_eq!(pieces(&splitter, text.as_bytes()), matches(&regex, text), "{name} on {text:?}");
    };
    for_many_texts(check);
    let mut many = String::new();
    for character in '\0'..=char::MAX {
        many.extend([' ', character, 'a', character, '1', ' ', character]);
        if many.len() > 1_000 || character == char::MAX {
            check(&many);
            many.clear();
        }
    }
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
fn whitespace_is_its_regex() {
    assert_scanner_is("whitespace", r"[^\s\x1C-\x1F]+");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bytes_that_are_no_text_are_characters_of_no_class(text in broken_text()) {
        for (name, regex) in [("gpt2", GPT2), ("cl100k", CL100K)] {
            thread_local!(static CUSTOM: [Splitter; 2] = [GPT2, CL100K].map(|regex| Splitter::custom(regex).unwrap()));
            let expected = CUSTOM.with(|custom| pieces(&custom[usize::from(regex == CL100K)], &text));
            prop_assert_eq!(pieces(&named(name), &text), expected, "{} on {:?}", name, &text);
        }
    }

    #[test]
    fn a_certain_cut_moves_no_border(text in certain_text(), end in 0_usize..80) {
        for name in NAMES {
            let splitter = named(name);
            if let Some(cut) = splitter.last_certain_cut(text.as_bytes(), end) {
                prop_assert!(0 < cut && cut <= end);
                let (first, rest) = text.as_bytes().split_at(cut);
                let rest = pieces(&splitter, rest).into_iter().map(|piece| piece.start + cut..piece.end + cut);
                let parts: Vec<_> = pieces(&splitter, first).into_iter().chain(rest).collect();
                prop_assert_eq!(parts, pieces(&splitter, text.as_bytes()), "{} cut at {}", name, cut);
            }
        }
    }

    #[test]
    fn pieces_make_up_the_text(text in broken_text()) {
        for name in NAMES {
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
    const UNITS: [&str; 17] = [
        " ", "\n", "\n ", " \r", "\u{3000}", "a", "é", "漢", "1", "'", "!", "\u{301}", "\0", "\u{FF}", " a", "\u{1C}a",
        "'s",
    ];
    for unit in UNITS {
        for bytes in [unit.as_bytes(), &unit.as_bytes()[unit.len() - 1..]] {
            let run = bytes.repeat(1_000_000 / bytes.len());
            for tail in ["", "x", "\nx"] {
                assert_quick(&[&run, tail.as_bytes()].concat(), unit);
            }
        }
    }
}

/// A pass takes some milliseconds, even in a slow build; a quadratic one hours.
fn assert_quick(text: &[u8], unit: &str) {
    for name in NAMES {
        let start = Instant::now();
        pieces(&named(name), text);
        assert!(start.elapsed() < Duration::from_secs(5), "{name} on many {unit:?}");
    }
}
