//! Regular expressions as split patterns: what is a piece, and what no expression may do.

use std::ops::{ControlFlow, Range};

use bytepair_core::Error;
use bytepair_core::split::Splitter;
use proptest::prelude::*;

fn try_pieces(regex: &str, text: &[u8]) -> Result<Vec<Range<usize>>, Error> {
    let mut pieces = Vec::new();
    let flow = Splitter::custom(regex)?.for_each_piece(text, |piece| -> ControlFlow<()> {
        pieces.push(piece);
        ControlFlow::Continue(())
    })?;
    assert_eq!(flow, ControlFlow::Continue(()));
    Ok(pieces)
}

fn pieces<'t>(regex: &str, text: &'t str) -> Vec<&'t str> {
    let ranges = try_pieces(regex, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    ranges.into_iter().map(|piece| &text[piece]).collect()
}

/// The pattern and the reason of the error.
fn refusal(regex: &str, text: &str) -> (String, String) {
    match try_pieces(regex, text.as_bytes()) {
        Err(Error::Pattern { pattern, reason }) => (pattern, reason),
        other => panic!("{regex:?}: {other:?}"),
    }
}

fn assert_refused(regex: &str, text: &str, expected: &str) {
    let (_, reason) = refusal(regex, text);
    assert!(reason.contains(expected), "{reason:?} does not say {expected:?}");
}

#[test]
fn matches_are_pieces_and_so_is_what_lies_between() {
    assert_eq!(pieces(r"\d+", "ab12c3"), ["ab", "12", "c", "3"]);
    assert_eq!(pieces(r"\d+", "12"), ["12"]);
    assert_eq!(pieces(r"\d+", "ab"), ["ab"]);
    assert_eq!(pieces(r"\d+", ""), [""; 0]);
    assert_eq!(pieces(r"(?<=b)c(?!d)", "bcbcd"), ["b", "c", "bcd"]);
}

/// As `Split(Regex(...), "isolated")` of tokenizers 0.23 has them.
#[test]
fn empty_matches_are_borders() {
    for regex in ["", "a*?", "x*", "|b"] {
        assert_eq!(pieces(regex, "ab é🙂"), ["a", "b", " ", "é", "🙂"], "{regex:?}");
    }
    assert_eq!(pieces("a*", "baab"), ["b", "aa", "b"]);
    assert_eq!(pieces(r"\b", "ab é🙂"), ["ab", " ", "é", "🙂"]);
    assert_eq!(pieces("(?=b)", "baab"), ["baa", "b"]);
    assert_eq!(pieces("(?<=b)", "baab"), ["b", "aab"]);
}

#[test]
fn a_match_moved_back_into_the_last_one_stays_in_order() {
    assert_eq!(pieces(r"(?<=\Kab.*)c", "abccc"), ["abc", "c", "c"]);
    assert_eq!(pieces(r"ab\Kc", "abc"), ["ab", "c"]);
}

#[test]
fn bad_bytes_are_characters_of_no_class() {
    assert_eq!(try_pieces(r"\p{L}+", b"a\xFFb\xE2\x80c"), Ok(vec![0..1, 1..2, 2..3, 3..5, 5..6]));
    assert_eq!(try_pieces(r"[^\s\p{L}\p{N}]", b"a\xE2\x80 \xF0"), Ok(vec![0..1, 1..2, 2..3, 3..4, 4..5]));
    assert_eq!(pieces(".", "\u{10FFFF}é"), ["\u{10FFFF}", "é"]);
}

#[test]
fn a_visit_can_stop() {
    let splitter = Splitter::custom(r"\d").expect("the pattern compiles");
    assert!(splitter.covers());
    for (text, end) in [("1ab", 1), ("ab1", 2), ("ab", 2)] {
        let flow = splitter.for_each_piece(text.as_bytes(), |piece| ControlFlow::Break(piece.end));
        assert_eq!(flow, Ok(ControlFlow::Break(end)));
    }
}

#[test]
fn an_expression_that_does_not_compile_says_why_and_where() {
    assert_refused(r"a(b", "", "position 3: Opening parenthesis without closing");
    assert_refused(r"[a", "", "position 2: Invalid character class");
    assert_refused(r"\p{Nope}", "", "Unicode property not found");
    assert_refused(r"(a)\2", "", "Invalid back reference to group 2");
    assert_eq!(refusal(r"a(b", "").0, "a(b");
}

#[test]
fn an_expression_too_large_or_too_deep_is_refused() {
    assert_refused(&"a".repeat(16_385), "", "it has 16385 bytes; it may have 16384: simplify it");
    assert_refused(&"(?<=a)".repeat(33), "", "it has 33 look-behinds; it may have 32: simplify it");
    assert_refused(&"(".repeat(100_000), "", "it has 100000 bytes");
    assert_refused(&"(".repeat(16_384), "", "Pattern too deeply nested");
    assert_refused(&("[a".repeat(5_000) + &"]".repeat(5_000)), "", "error parsing pattern");
    assert_refused("(?:(?:a{1000}){1000}){1000}", "", "compiles to more than 10485760 bytes: use smaller repetitions");
    let doubling: Vec<_> = (1..40).map(|i| format!(r"(?<a{i}>\g<a{}>\g<a{}>)", i - 1, i - 1)).collect();
    assert_refused(
        &("(?<a0>x)".to_owned() + &doubling.concat()),
        "",
        "more than 100000 instructions: call groups less often",
    );
    // A second repetition in braces is text to the engine, as in tiktoken.
    assert_eq!(pieces("a{3}{3}", "aaa{3}a"), ["aaa{3}", "a"]);
}

#[test]
fn a_long_pattern_is_told_in_part() {
    assert_eq!(refusal(&"é(".repeat(5_000), "").0, "é(".repeat(100) + "…");
}

#[test]
fn catastrophic_backtracking_ends_in_an_error() {
    for regex in [r"(a|a)*\1b", r"(?:a|a)*(?=b)c", r"(?:(?!b)a+)+c", r"(?=((a+)+)b)x|(?:a(?!c))+"] {
        assert_refused(
            regex,
            &"a".repeat(2_000_000),
            "from byte 0 of a text on; rewrite it so that it steps back less",
        );
    }
    assert_refused(r"x|(?:a|a)*(?=b)c", &("x".to_owned() + &"a".repeat(100)), "from byte 1 of a text on");
}

#[test]
fn matches_that_come_again_and_again_are_an_error() {
    let text = "  \nab1é1bé  éé 1b1a1  ";
    let reason = "of a text again and again: write it without `\\K`";
    assert_refused(r"(?<=b++|(?x)a? \K.)", text, reason);
}

#[test]
fn a_fault_of_the_engine_is_an_error() {
    assert_refused("(?(1))", "a", "the regular-expression engine has a fault that it meets: write it another way");
}

#[test]
fn clones_work_side_by_side() {
    let splitter = Splitter::custom(r"\w+(?!\w)").expect("the pattern compiles");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let splitter = splitter.clone();
            scope.spawn(move || {
                let flow = splitter.for_each_piece(b"ab c", ControlFlow::Break);
                assert_eq!(flow, Ok(ControlFlow::Break(0..2)));
            });
        }
    });
}

/// Parts of expressions, whole and broken.
const FRAGMENTS: [&str; 48] = [
    "a", "b", " ", "é", ".", "^", "$", "|", r"\s", r"\S", r"\p{L}", r"\p{N}", r"\w", r"\b", r"\K", r"\G", r"\z", r"\R",
    r"\X", "(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?<n>", "(?i:", "(?m)", "(?x)", ")", ")", ")", "*", "+",
    "?", "*?", "++", "{1,3}", "{2}", "{0}", r"\1", r"\g<1>", r"\k<n>", "[ab]", "[^a]", "(?~ab)", r"\",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn any_expression_gives_an_error_or_the_text_in_order(
        parts in prop::collection::vec(prop::sample::select(FRAGMENTS.to_vec()), 1..14),
        text in prop_oneof![
            "[ab \\né1]{0,30}".prop_map(String::into_bytes),
            prop::collection::vec(prop::sample::select(b"ab \n\xC3\xA9\xFF".to_vec()), 0..20),
        ],
    ) {
        if let Ok(pieces) = try_pieces(&parts.concat(), &text) {
            let mut at = 0;
            for piece in pieces {
                prop_assert!(piece.start == at && piece.start < piece.end);
                at = piece.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
