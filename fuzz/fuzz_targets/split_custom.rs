//! Regular expressions of strangers on texts of strangers: an error, or pieces that are the text in order; soon.
#![no_main]

mod texts;

use std::ops::ControlFlow;
use std::panic;
use std::sync::Once;

use bytepair_core::split::Splitter;
use libfuzzer_sys::fuzz_target;

/// Parts of expressions, whole and broken; a byte chooses one.
const PARTS: [&str; 64] = [
    "a",
    "b",
    " ",
    "é",
    "1",
    ".",
    "^",
    "$",
    "|",
    r"\s",
    r"\S",
    r"\p{L}",
    r"\p{N}",
    r"\p{Lu}",
    r"\w",
    r"\b",
    r"\K",
    r"\G",
    r"\z",
    r"\A",
    r"\R",
    r"\X",
    "(",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?<n>",
    "(?i:",
    "(?m)",
    "(?x)",
    "(?s:",
    ")",
    ")",
    ")",
    ")",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "++",
    "{1,3}",
    "{2}",
    "{0}",
    "{9}",
    r"\1",
    r"\g<1>",
    r"\k<n>",
    "[ab]",
    "[^a]",
    "[",
    "]",
    "&&",
    "--",
    "-",
    r"[^\s\p{L}\p{N}]",
    r"(?i:'s|'t)",
    "(?(1)",
    "(?~ab)",
    r"\",
    r"\r\n",
];

fn regex(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| PARTS[usize::from(byte) % PARTS.len()]).collect()
}

/// The engine's own faults are caught and become errors; without this the fuzzer would end at the first.
fn let_the_engine_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let end = panic::take_hook();
        panic::set_hook(Box::new(move |fault| {
            let in_engine = |place: &panic::Location<'_>| {
                ["fancy-regex", "regex-automata"].iter().any(|name| place.file().contains(name))
            };
            if !fault.location().is_some_and(in_engine) {
                end(fault);
            }
        }));
    });
}

fuzz_target!(|data: &[u8]| {
    let_the_engine_panic();
    let [mode, n_parts, rest @ ..] = data else { return };
    let (first, text) = rest.split_at(usize::from(*n_parts).min(rest.len()));
    let regex = if mode & 4 == 0 { regex(first) } else { String::from_utf8_lossy(first).into_owned() };
    let Ok(splitter) = Splitter::custom(&regex) else { return };
    let text = texts::text(*mode, text);
    let mut at = 0;
    let walked = splitter.for_each_piece::<()>(&text, |piece| {
        assert!(piece.start == at && piece.start < piece.end, "{regex:?}");
        at = piece.end;
        ControlFlow::Continue(())
    });
    assert!(walked.is_err() || at == text.len(), "{regex:?}");
});
