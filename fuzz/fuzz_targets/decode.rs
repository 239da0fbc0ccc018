//! Decoding any ids: the slow way's bytes, or an error that names the first bad id; never more.
#![no_main]

mod models;
#[path = "../../crates/core/tests/slow_way/mod.rs"]
#[allow(dead_code)]
mod slow_way;

use std::sync::Arc;

use bytepair_core::Error;
use bytepair_core::decode::{BadIds, decode};
use bytepair_core::model::Model;
use libfuzzer_sys::fuzz_target;
use models::chosen;
use slow_way::Oracle;

/// Small ids, and now and then one of any size.
fn ids(bytes: &[u8]) -> Vec<u32> {
    let id = |pair: &[u8; 2]| match pair[1] {
        high @ 0..=3 => u32::from(high) << 8 | u32::from(pair[0]),
        4 => u32::MAX - u32::from(pair[0]),
        _ => u32::from(pair[0]),
    };
    bytes.as_chunks().0.iter().map(id).collect()
}

fuzz_target!(|data: &[u8]| {
    let Some(chosen) = chosen(data) else { return };
    let model = Model::new(Arc::clone(&chosen.splitter), chosen.parts.clone()).unwrap();
    let slow = Oracle::new(&chosen.parts, &chosen.splitter);
    let ids = ids(chosen.rest);
    let is_token = |id: u32| model.token(id).is_some() || model.special(id).is_some();
    let good: Vec<u32> = ids.iter().copied().filter(|&id| is_token(id)).collect();
    let skipped = decode(&model, &ids, BadIds::Skip, None).unwrap();
    assert_eq!(decode(&model, &good, BadIds::Raise, None).unwrap(), slow.decode(&good));
    let replaced = decode(&model, &ids, BadIds::Replace, None).unwrap();
    let n_bad = ids.len() - good.len();
    if chosen.parts.end_of_word.is_none() {
        assert_eq!(skipped, slow.decode(&good));
        assert_eq!(replaced.len(), skipped.len() + n_bad * "\u{FFFD}".len());
    }
    match decode(&model, &ids, BadIds::Raise, None) {
        Ok(bytes) => assert!(n_bad == 0 && bytes == replaced),
        Err(Error::BadId { position, id }) => {
            assert_eq!(Some(position), ids.iter().position(|&id| !is_token(id)));
            assert_eq!(id, u64::from(ids[position]));
        }
        other => panic!("{other:?}"),
    }
});
