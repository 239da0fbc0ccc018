//! The rules of encoding and decoding, one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytepair_core::Error;
use bytepair_core::decode::{BadIds, decode};
use bytepair_core::encode::{BatchError, Encoder};
use bytepair_core::model::{Alphabet, EndOfWord, Kind, Model, Parts};
use bytepair_core::split::Splitter;

fn chars(tokens: &[&str], merges: &[(u32, u32)]) -> Parts {
    Parts {
        kind: Kind::Merges,
        alphabet: Alphabet::Chars,
        tokens: tokens.iter().map(|token| Some(token.as_bytes().to_vec())).collect(),
        merges: merges.to_vec(),
        specials: Vec::new(),
        unk_id: None,
        end_of_word: None,
        add_prefix_space: false,
    }
}

/// All bytes, then these tokens.
fn ranks(tokens: &[&str]) -> Parts {
    let bytes = (0..=255).map(|byte| Some(vec![byte]));
    let tokens = bytes.chain(tokens.iter().map(|token| Some(token.as_bytes().to_vec()))).collect();
    Parts { kind: Kind::Ranks, alphabet: Alphabet::Bytes, tokens, ..chars(&[], &[]) }
}

fn with_specials(parts: Parts, specials: &[(&str, u32)]) -> Parts {
    Parts { specials: specials.iter().map(|(text, id)| (text.as_bytes().to_vec(), *id)).collect(), ..parts }
}

fn model(pattern: &str, parts: Parts) -> Result<Model, Error> {
    Model::new(Arc::new(Splitter::named(pattern).unwrap()), parts)
}

fn encoder(pattern: &str, parts: Parts) -> Encoder {
    Encoder::new(model(pattern, parts).unwrap()).unwrap()
}

fn encode(encoder: &Encoder, text: &str) -> Vec<u32> {
    encoder.encode(text.as_bytes(), &[], None).unwrap()
}

/// The words of the textbooks: l o w e s t n z </w>, es est est</w> lo low.
fn textbook() -> Parts {
    let tokens = ["l", "o", "w", "e", "s", "t", "n", "z", "</w>", "es", "est", "est</w>", "lo", "low"];
    let merges = [(3, 4), (9, 5), (10, 8), (0, 1), (12, 2)];
    Parts { end_of_word: Some(EndOfWord::Symbol(b"</w>".to_vec())), ..chars(&tokens, &merges) }
}

#[test]
fn the_textbook_example() {
    let encoder = encoder("whitespace", textbook());
    assert_eq!(encode(&encoder, "lowest"), [13, 11]);
    assert_eq!(encode(&encoder, "low"), [13, 8]);
    assert_eq!(encode(&encoder, "zz"), [7, 7, 8]);
    assert_eq!(encode(&encoder, " lowest  low\n"), [13, 11, 13, 8]);
}

#[test]
fn a_marker_decodes_to_a_space_between_words() {
    let model = model("whitespace", with_specials(textbook(), &[("<s>", 20)])).unwrap();
    let text = |ids: &[u32]| String::from_utf8(decode(&model, ids, BadIds::Skip, None).unwrap()).unwrap();
    assert_eq!(text(&[13, 11, 13, 8]), "lowest low");
    assert_eq!(text(&[13, 8, 99]), "low");
    assert_eq!(text(&[8, 8]), " ");
    assert_eq!(text(&[13, 8, 20, 13]), "low <s>low");
}

#[test]
fn a_loop_takes_one_pair_at_a_time() {
    // "ab" first; then (b, ab) outranks what is left of the other "ab"s.
    let encoder = encoder("none", chars(&["a", "b", "ab", "aba"], &[(2, 0), (0, 1)]));
    assert_eq!(encode(&encoder, "abab"), [3, 1]);
}

#[test]
fn merges_that_no_piece_reaches_are_not_taken_whole() {
    // "ab" takes the a of every "abc" before (a, bc) can.
    let encoder = encoder("none", chars(&["a", "b", "c", "ab", "bc", "abc"], &[(0, 1), (1, 2), (0, 4)]));
    assert_eq!(encode(&encoder, "abc"), [3, 2]);
}

#[test]
fn a_piece_that_is_a_rank_is_that_token() {
    let encoder = encoder("none", ranks(&["abc"]));
    assert_eq!(encode(&encoder, "abc"), [256]);
    assert_eq!(encode(&encoder, "abcd"), [97, 98, 99, 100]);
}

#[test]
fn a_prefix_space_goes_before_each_segment() {
    let encoder = encoder("gpt2", Parts { add_prefix_space: true, ..with_specials(ranks(&[" a"]), &[("<s>", 300)]) });
    assert_eq!(encoder.encode(b"a<s>a a<s>", &[300], None).unwrap(), [256, 300, 256, 256, 300]);
    assert_eq!(encode(&encoder, " a"), [256]);
    assert_eq!(encode(&encoder, "\na"), [32, 10, 97]);
    assert_eq!(encode(&encoder, ""), []);
}

#[test]
fn pieces_are_what_is_encoded() {
    let encoder = encoder("gpt2", Parts { add_prefix_space: true, ..with_specials(ranks(&[]), &[("<s>", 300)]) });
    let mut pieces = Vec::new();
    encoder.for_each_piece(b"ab c<s>d", &[300], None, |piece| pieces.push(piece.to_vec())).unwrap();
    assert_eq!(pieces, [&b" ab"[..], b" c", b"<s>", b" d"]);
}

#[test]
fn only_allowed_specials_match_and_hide_none() {
    let encoder = encoder("none", with_specials(ranks(&[]), &[("<a>", 300), ("<a><b>", 301), ("a<b>", 302)]));
    let ids = |special: &[u32]| encoder.encode(b"<a><b>", special, None).unwrap();
    assert_eq!(ids(&[300, 301, 302]), [301]);
    assert_eq!(ids(&[302, 300]), [300, 60, 98, 62]);
    assert_eq!(ids(&[]), [60, 97, 62, 60, 98, 62]);
    assert_eq!(encoder.encode(b"<a<b>", &[302, 300, 302], None).unwrap(), [60, 302]);
    assert_eq!(encoder.find_special(b"..<a><b>", None), Ok(Some((301, 2))));
    assert_eq!(encoder.find_special(b"a", None), Ok(None));
}

#[test]
fn more_subsets_than_are_kept() {
    let names: Vec<String> = (0..40).map(|n| format!("<{n}>")).collect();
    let specials: Vec<(&str, u32)> = names.iter().map(String::as_str).zip(300..).collect();
    let encoder = encoder("none", with_specials(ranks(&[]), &specials));
    for id in (300..340).chain(300..340) {
        let text = format!("{}<x>", names[id as usize - 300]);
        assert_eq!(encoder.encode(text.as_bytes(), &[id], None).unwrap(), [id, 60, 120, 62]);
    }
}

#[test]
fn specials_that_are_none_cannot_be_allowed() {
    let encoder = encoder("none", with_specials(ranks(&[]), &[("<a>", 300)]));
    let reason = "id 97 is no special token; only specials can be matched".to_string();
    assert_eq!(encoder.encode(b"a", &[97], None), Err(Error::Model { reason }));
}

#[test]
fn an_unknown_character_is_unk_or_an_error() {
    let parts = with_specials(chars(&["a", "b", "ab"], &[(0, 1)]), &[("<unk>", 3)]);
    let with_unk = encoder("none", Parts { unk_id: Some(3), ..parts.clone() });
    assert_eq!(encode(&with_unk, "abéabzz"), [2, 3, 2, 3, 3]);
    assert_eq!(with_unk.encode(b"ab\xF0\x9F\x99b", &[], None).unwrap(), [2, 3, 3, 3, 1]);

    let without = encoder("whitespace", parts);
    let unknown = |character: &[u8], offset| Error::UnknownCharacter { character: character.to_vec(), offset };
    assert_eq!(without.encode("ab aéz".as_bytes(), &[], None), Err(unknown("é".as_bytes(), 4)));
    assert_eq!(without.encode(b"<unk> ab a\xFF", &[3], None), Err(unknown(b"\xFF", 10)));
    let texts = ["ab", "abz", "z"];
    let first = BatchError { text: 1, error: unknown(b"z", 2) };
    assert_eq!(without.encode_batch(&texts, &[], 2, None).unwrap_err(), first);
    assert_eq!(without.count_batch(&texts, &[], 2, None), Err(first));
}

#[test]
fn an_unknown_character_is_found_behind_a_prefix_space() {
    let encoder = encoder("none", Parts { add_prefix_space: true, ..chars(&["a", " "], &[]) });
    let error = encoder.encode(b"aaz", &[], None).unwrap_err();
    assert_eq!(error, Error::UnknownCharacter { character: b"z".to_vec(), offset: 2 });
}

#[test]
fn an_unk_that_is_a_token_merges_with_nothing() {
    let encoder = encoder("none", Parts { unk_id: Some(1), ..chars(&["a", "?", "a?"], &[(0, 1)]) });
    assert_eq!(encode(&encoder, "a?az"), [2, 0, 1]);
}

#[test]
fn text_that_spells_the_marker_shares_its_symbol() {
    let tokens = ["<", "/", "w", ">", "</", "</w", "</w>"];
    let merges = [(0, 1), (4, 2), (5, 3)];
    let encoder =
        encoder("none", Parts { end_of_word: Some(EndOfWord::Symbol(b"</w>".to_vec())), ..chars(&tokens, &merges) });
    assert_eq!(encode(&encoder, "</w>"), [6, 6]);
}

#[test]
fn bad_ids_raise_or_are_replaced_or_skipped() {
    let model = model("none", with_specials(ranks(&["ab"]), &[("<s>", 300)])).unwrap();
    let ids = [256, 299, 300, u32::MAX, 97];
    assert_eq!(decode(&model, &ids, BadIds::Raise, None), Err(Error::BadId { position: 1, id: 299 }));
    assert_eq!(decode(&model, &ids, BadIds::Replace, None).unwrap(), "ab\u{FFFD}<s>\u{FFFD}a".as_bytes());
    assert_eq!(decode(&model, &ids, BadIds::Skip, None).unwrap(), b"ab<s>a");
    assert_eq!(decode(&model, &[], BadIds::Raise, None).unwrap(), b"");
}

#[test]
fn two_specials_may_share_an_id() {
    let encoder = encoder("none", with_specials(ranks(&[]), &[("<new>", 300), ("<old>", 300)]));
    assert_eq!(encoder.encode(b"<old><new>", &[300], None).unwrap(), [300, 300]);
    assert_eq!(decode(encoder.model(), &[300], BadIds::Raise, None).unwrap(), b"<new>");
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let refused = |parts: Parts, expected: &str| match model("none", parts) {
        Err(Error::Model { reason }) => assert_eq!(reason, expected),
        other => panic!("{other:?} instead of {expected}"),
    };
    refused(chars(&["a", "b", "a"], &[]), "ids 0 and 2 are both spelled \"a\"; a spelling has one id");
    refused(chars(&["a", ""], &[]), "token 1 is empty; a token must have at least one byte");
    refused(
        chars(&["a", "b"], &[(0, 7)]),
        "merge 0 joins ids 0 and 7, but 7 is no ordinary token; a merge joins two tokens below 2",
    );
    refused(
        chars(&["a", "b", "ab"], &[(0, 1), (1, 0)]),
        "merge 1 joins ids 1 and 0 into \"ba\", which is no token; add it to tokens",
    );
    let one_byte_less = Parts { tokens: ranks(&[]).tokens[..255].to_vec(), ..ranks(&[]) };
    refused(one_byte_less, "the byte 0xFF is no token; a model over bytes needs all 256 single bytes");
    refused(
        Parts { end_of_word: Some(EndOfWord::Symbol(b"_".to_vec())), ..chars(&["a"], &[]) },
        "the end-of-word marker \"_\" is no token; it needs an id of its own",
    );
    let suffixed: Vec<_> = (0..255).map(|byte| Some([&[byte], &b"_"[..]].concat())).collect();
    refused(
        Parts {
            tokens: [ranks(&[]).tokens, suffixed].concat(),
            end_of_word: Some(EndOfWord::Suffix(b"_".to_vec())),
            ..ranks(&[])
        },
        "the byte 0xFF with the end-of-word marker \"_\" is no token; a model over bytes needs all 256 single bytes with \
         the end-of-word marker \"_\"",
    );
    refused(
        Parts { unk_id: Some(5), ..chars(&["a"], &[]) },
        "unk_id is 5, which is no token; it must be the id of a token or special",
    );
    refused(
        with_specials(chars(&["a"], &[]), &[("<s>", 0)]),
        "special token \"<s>\" has id 0, which is the token \"a\" already",
    );
    refused(
        with_specials(chars(&["a"], &[]), &[("<s>", u32::MAX)]),
        "special token \"<s>\" has id 4294967295; ids must be below 4294967294",
    );
    refused(Parts { merges: vec![(97, 98)], ..ranks(&["ab"]) }, "a model of ranks has no merges; leave them empty");
}

#[test]
fn a_last_character_without_its_marked_symbol_is_unknown() {
    let suffixed = Parts { end_of_word: Some(EndOfWord::Suffix(b"_".to_vec())), ..chars(&["a", "é", "a_"], &[]) };
    let encoder = encoder("none", suffixed);
    assert_eq!(encode(&encoder, "éa"), [1, 2]);
    let unknown = |character: &str, offset| Error::UnknownCharacter { character: character.into(), offset };
    assert_eq!(encoder.encode("aé".as_bytes(), &[], None), Err(unknown("é", 1)));
    assert_eq!(encoder.encode("zé".as_bytes(), &[], None), Err(unknown("z", 0)));
    let bad = Error::UnknownCharacter { character: vec![0xA9], offset: 1 };
    assert_eq!(encoder.encode(b"a\xA9", &[], None), Err(bad));
}

#[test]
fn an_empty_special_is_refused() {
    let model = model("none", with_specials(ranks(&[]), &[("<a>", 300), ("", 301)])).unwrap();
    let reason = "special token 1 is empty; it must have text".to_string();
    assert_eq!(Encoder::new(model).unwrap_err(), Error::Model { reason });
}

#[test]
fn long_runs_take_linear_time() {
    let encoder = encoder("none", ranks(&["aa", "aaaa", "aaaaaaaa"]));
    let time = |n: usize| {
        let start = Instant::now();
        assert_eq!(encode(&encoder, &"a".repeat(n)), vec![258; n / 8]);
        start.elapsed()
    };
    let (small, large) = (time(100_000), time(800_000));
    assert!(large < 30 * small + Duration::from_millis(200), "{small:?}, then {large:?} for 8 times as much");
}

#[test]
fn long_pieces_fit_a_small_stack() {
    let run = || {
        for pattern in Splitter::NAMES {
            let encoder = encoder(pattern, ranks(&["^^", "^^^^"]));
            assert_eq!(encode(&encoder, &"^".repeat(1_000_000)).len(), 250_000);
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn any_number_of_threads_gives_the_same_ids() {
    let encoder = encoder("gpt2", ranks(&["he", "ll", "hell", " w", "or", " wor"]));
    let texts: Vec<String> = (0..3000).map(|n| format!("hello world {n} ").repeat(n % 40)).collect();
    let expected: Vec<Vec<u32>> = texts.iter().map(|text| encode(&encoder, text)).collect();
    for threads in [0, 1, 2, 3, 8] {
        assert_eq!(encoder.encode_batch(&texts, &[], threads, None).unwrap().to_lists(), expected, "{threads} threads");
    }
}

#[test]
fn the_first_failing_text_is_named_on_any_number_of_threads() {
    let encoder = encoder("none", chars(&["a"], &[]));
    let texts: Vec<String> =
        (0..2000).map(|n| if n > 1200 && n % 7 == 0 { "aaz".into() } else { "a".repeat(500) }).collect();
    for threads in [1, 2, 8] {
        assert_eq!(encoder.encode_batch(&texts, &[], threads, None).unwrap_err().text, 1204);
    }
}

/// Says stop at the `n`th question.
fn stop_at(n: usize) -> impl Fn() -> bool + Sync {
    let asked = AtomicUsize::new(0);
    move || asked.fetch_add(1, Relaxed) + 1 >= n
}

#[test]
fn every_long_call_can_be_stopped() {
    let specials = [("<s>", 300)];
    for (pattern, text) in [("none", "ab".repeat(1 << 20)), ("gpt2", "ab c<s>".repeat(1 << 18))] {
        let encoder = encoder(pattern, with_specials(ranks(&["ab"]), &specials));
        let text = text.as_bytes();
        assert_eq!(encoder.encode(text, &[300], Some(&stop_at(3))), Err(Error::Interrupted));
        assert_eq!(encoder.count(text, &[300], Some(&stop_at(3))), Err(Error::Interrupted));
        for threads in [1, 2] {
            let stopped = encoder.encode_batch(&vec![text; 40], &[], threads, Some(&stop_at(1))).unwrap_err();
            assert_eq!(stopped.error, Error::Interrupted);
        }
        assert!(encoder.encode(text, &[300], None).is_ok());
    }
    let encoder = encoder("gpt2", with_specials(ranks(&[]), &specials));
    let text = "ab ".repeat(1 << 18);
    assert_eq!(encoder.for_each_piece(text.as_bytes(), &[], Some(&stop_at(2)), |_| ()), Err(Error::Interrupted));
    assert_eq!(
        encoder.for_each_piece(&vec![b'a'; 5 << 20], &[300], Some(&stop_at(1)), |_| ()),
        Err(Error::Interrupted)
    );
    assert_eq!(encoder.find_special(&vec![b'a'; 5 << 20], Some(&stop_at(1))), Err(Error::Interrupted));
    let ids = vec![97; 1 << 20];
    assert_eq!(decode(encoder.model(), &ids, BadIds::Raise, Some(&stop_at(2))), Err(Error::Interrupted));
}
