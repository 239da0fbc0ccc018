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
    for name in ["gpt2", "cl100k", "whitespace", "none"] {
        assert_eq!(pieces(name, ""), [""; 0]);
    }
}

#[test]
fn a_visit_can_stop() {
    for (name, end) in [("gpt2", 1), ("cl100k", 1), ("whitespace", 1), ("none", 5)] {
        let mut n_visits = 0;
        let flow = Splitter::named(name).expect("the name is known").for_each_piece(b"a b c", |piece| {
            n_visits += 1;
            ControlFlow::Break(piece.end)
        });
        assert_eq!((n_visits, flow), (1, Ok(ControlFlow::Break(end))));
    }
}

#[test]
fn only_whitespace_leaves_text_out() {
    let covers = |name| Splitter::named(name).map(|splitter| splitter.covers());
    assert_eq!(["gpt2", "cl100k", "none", "whitespace"].map(covers), [Some(true), Some(true), Some(true), Some(false)]);
    assert_eq!(covers("gpt-2"), None);
}
