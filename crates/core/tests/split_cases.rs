//! Pieces written out, text by text, for people to read.

use std::ops::ControlFlow;

use bytepair_core::split::Splitter;

fn pieces<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let splitter = Splitter::named(name).expect("the name is known");
    let flow = splitter.for_each_piece(text.as_bytes(), |piece| -> ControlFlow<()> {
        pieces.push(&text[piece]);
        ControlFlow::Continue(())
    });
    assert_eq!(flow, Ok(ControlFlow::Continue(())));
    pieces
}

#[test]
fn gpt2() {
    assert_eq!(pieces("gpt2", "I'm here, at 12:05."), ["I", "'m", " here", ",", " at", " 12", ":", "05", "."]);
    assert_eq!(pieces("gpt2", "I'M 'sure"), ["I", "'", "M", " '", "sure"]);
    assert_eq!(pieces("gpt2", "a   b  "), ["a", "  ", " b", "  "]);
    assert_eq!(pieces("gpt2", "a\n\nb\t \n c"), ["a", "\n", "\n", "b", "\t \n", " c"]);
    assert_eq!(pieces("gpt2", "e\u{301}x"), ["e", "\u{301}", "x"]);
}

#[test]
fn cl100k() {
    assert_eq!(pieces("cl100k", "I'M here, at 1205."), ["I", "'M", " here", ",", " at", " ", "120", "5", "."]);
    assert_eq!(pieces("cl100k", "it'\u{17F}x"), ["it", "'\u{17F}", "x"]);
    assert_eq!(pieces("cl100k", "a   b  "), ["a", "  ", " b", "  "]);
    assert_eq!(pieces("cl100k", "a\n\n  b!\r\n\nc"), ["a", "\n\n", " ", " b", "!\r\n\n", "c"]);
    assert_eq!(pieces("cl100k", "a \n "), ["a", " \n "]);
    assert_eq!(pieces("cl100k", "(a)\ta"), ["(a", ")", "\ta"]);
}

#[test]
fn o200k() {
    assert_eq!(pieces("o200k", "I'm HERE, at 1205."), ["I'm", " HERE", ",", " at", " ", "120", "5", "."]);
    assert_eq!(pieces("o200k", " I'\u{17F} HTTPServer"), [" I'\u{17F}", " HTTPServer"]);
    assert_eq!(pieces("o200k", "camelCaseABCdef DON'T"), ["camel", "Case", "ABCdef", " DON'T"]);
    assert_eq!(pieces("o200k", "漢AB ʰA漢AB"), ["漢", "AB", " ʰA漢", "AB"]);
    assert_eq!(pieces("o200k", "!\u{301}AB\u{301}"), ["!\u{301}AB\u{301}"]);
    assert_eq!(pieces("o200k", "\u{301}AB!!\u{301}"), ["\u{301}", "AB", "!!\u{301}"]);
    assert_eq!(pieces("o200k", "a//\n/b/\n!"), ["a", "//\n/", "b", "/\n", "!"]);
    assert_eq!(pieces("o200k", "a \n \n  b \n "), ["a", " \n \n", " ", " b", " \n", " "]);
}

#[test]
fn tekken() {
    assert_eq!(pieces("tekken", "I'm HERE 12"), ["I", "'m", " HERE", " ", "1", "2"]);
    assert_eq!(pieces("tekken", "camelCase'S"), ["camel", "Case", "'S"]);
}

#[test]
fn llama3() {
    assert_eq!(pieces("llama3", "I'M here, at 1205."), ["I", "'M", " here", ",", " at", " ", "120", "5", "."]);
    assert_eq!(pieces("llama3", "a \n "), ["a", " \n", " "]);
    assert_eq!(pieces("llama3", "a \r \n\t b \u{A0}"), ["a", " \r \n", "\t", " b", " \u{A0}"]);
}

#[test]
fn qwen2() {
    assert_eq!(pieces("qwen2", "I'M 1205 \n "), ["I", "'M", " ", "1", "2", "0", "5", " \n", " "]);
}

#[test]
fn deepseek3() {
    assert_eq!(pieces("deepseek3", "It's 1205."), ["It", "'s", " ", "120", "5", "."]);
    assert_eq!(pieces("deepseek3", "!!end .é (éa"), ["!!", "end", " .", "é", " (", "éa"]);
    assert_eq!(pieces("deepseek3", "  1  漢字かな  a"), ["  ", "1", "  ", "漢字かな", " ", " a"]);
    assert_eq!(pieces("deepseek3", "a\u{3099}b漢\u{301}"), ["a", "\u{3099}", "b", "漢", "\u{301}"]);
    assert_eq!(pieces("deepseek3", "\0\0a\0\u{3040}\0!"), ["\0", "\0a", "\0", "\u{3040}", "\0", "!"]);
    assert_eq!(pieces("deepseek3", "カ・カ"), ["カ", "・", "カ"]);
}

#[test]
fn clip() {
    assert_eq!(pieces("clip", " I'm  1205\n!?"), ["I", "'m", "1", "2", "0", "5", "!?"]);
    assert_eq!(pieces("clip", "<|StartOfText|>a!<|endoftext|>"), ["<|StartOfText|>", "a", "!<|", "endoftext", "|>"]);
    assert_eq!(pieces("clip", "'\u{17F}<|\u{17F}tartoftext|>"), ["'\u{17F}", "<|\u{17F}tartoftext|>"]);
}

#[test]
fn whitespace() {
    let text = " low\u{A0}lower\u{1C}\tnew\u{200B}est \n";
    assert_eq!(pieces("whitespace", text), ["low", "lower", "new\u{200B}est"]);
    assert_eq!(pieces("whitespace", " \n"), [""; 0]);
}

#[test]
fn none() {
    assert_eq!(pieces("none", "a b\n"), ["a b\n"]);
}

#[test]
fn an_empty_text_has_no_piece() {
    for name in Splitter::NAMES {
        assert_eq!(pieces(name, ""), [""; 0]);
    }
}

#[test]
fn a_visit_can_stop() {
    for name in Splitter::NAMES {
        let end = if name == "none" { 5 } else { 1 };
        let mut n_visits = 0;
        let flow = Splitter::named(name).expect("the name is known").for_each_piece(b"a b c", |piece| {
            n_visits += 1;
            ControlFlow::Break(piece.end)
        });
        assert_eq!((n_visits, flow), (1, Ok(ControlFlow::Break(end))));
    }
}

#[test]
fn only_whitespace_and_clip_leave_text_out() {
    for name in Splitter::NAMES {
        let splitter = Splitter::named(name).expect("the name is known");
        assert_eq!(splitter.covers(), !matches!(name, "whitespace" | "clip"), "{name}");
    }
    assert!(Splitter::named("gpt-2").is_none());
}
