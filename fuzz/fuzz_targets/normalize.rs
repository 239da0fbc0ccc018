//! Compiled maps of characters from strangers' files, and steps over any text: text comes out, or an error.
#![no_main]

mod texts;

use std::sync::Arc;

use bytepair_core::encode::Encoder;
use bytepair_core::frame::{Charsmap, Form, Frame, Normalizer};
use bytepair_core::model::{Alphabet, Kind, Model, Parts};
use bytepair_core::split::Splitter;
use libfuzzer_sys::fuzz_target;

fn steps(choice: u8, charsmap: Charsmap) -> Vec<Normalizer> {
    let all = [
        Normalizer::Unicode(Form::Nfkc),
        Normalizer::Lowercase,
        Normalizer::StripAccents,
        Normalizer::Strip { left: true, right: true },
        Normalizer::Prepend("▁".to_owned()),
        Normalizer::Unicode(Form::Nfd),
        Normalizer::LowercaseText,
    ];
    let chosen = all.into_iter().enumerate().filter(|(index, _)| choice >> index & 1 == 1).map(|(_, step)| step);
    std::iter::once(Normalizer::Precompiled(charsmap)).chain(chosen).collect()
}

fn parts() -> Parts {
    Parts {
        kind: Kind::Merges,
        alphabet: Alphabet::Bytes,
        tokens: (0..=255).map(|byte| Some(vec![byte])).chain([Some(b"ab".to_vec())]).collect(),
        merges: vec![(97, 98)],
        specials: Vec::new(),
        unk_id: None,
        end_of_word: None,
        add_prefix_space: false,
    }
}

fuzz_target!(|data: &[u8]| {
    let [choice, n_units, mode, rest @ ..] = data else { return };
    let n_bytes = 4 * usize::from(*n_units);
    let Some((units, rest)) = rest.split_at_checked(n_bytes) else { return };
    let (texts, text) = rest.split_at(rest.len() / 2);
    let map = [&(n_bytes as u32).to_le_bytes()[..], units, String::from_utf8_lossy(texts).as_bytes()].concat();
    let Ok(charsmap) = Charsmap::new(&map) else { return };
    let frame = Frame { normalizer: steps(*choice, charsmap), ..Frame::default() };
    let splitter = Arc::new(Splitter::named("gpt2").unwrap());
    let encoder = Encoder::new(Model::framed(splitter, parts(), Some(frame)).unwrap()).unwrap();
    let text = String::from_utf8_lossy(&texts::text(*mode, text)).into_owned();
    let normalized = encoder.normalized(&text).unwrap();
    assert!(normalized.len() <= 64 * (text.len() + 1) + data.len() * text.len(), "{} bytes", normalized.len());
    let ids = encoder.encode(text.as_bytes(), &[], None).unwrap();
    assert_eq!(encoder.count(text.as_bytes(), &[], None).unwrap(), ids.len());
});
