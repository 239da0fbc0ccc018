//! The arguments of `Engine` as the parts of a model.

use bytepair_core::model::{Alphabet, Kind};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyMapping};

use super::ids::{shown, type_name};
use crate::errors::{ArgumentError, ArgumentTypeError};

pub(super) fn kind(name: &str) -> PyResult<Kind> {
    match name {
        "merges" => Ok(Kind::Merges),
        "ranks" => Ok(Kind::Ranks),
        _ => Err(ArgumentError::new_err(format!("kind is {name:?}; it must be \"merges\" or \"ranks\""))),
    }
}

pub(super) fn alphabet(name: &str) -> PyResult<Alphabet> {
    match name {
        "bytes" => Ok(Alphabet::Bytes),
        "chars" => Ok(Alphabet::Chars),
        _ => Err(ArgumentError::new_err(format!("alphabet is {name:?}; it must be \"bytes\" or \"chars\""))),
    }
}

/// The spelling of each token.
pub(super) fn tokens(tokens: &Bound<'_, PyAny>) -> PyResult<Vec<Option<Vec<u8>>>> {
    let spelling = |(id, token): (usize, PyResult<Bound<'_, PyAny>>)| {
        let token = token?;
        match token.cast::<PyBytes>() {
            Ok(bytes) => Ok(Some(bytes.as_bytes().to_vec())),
            Err(_) if token.is_none() => Ok(None),
            Err(_) => {
                let kind = type_name(&token);
                Err(ArgumentTypeError::new_err(format!("token {id} is a {kind}; a token must be bytes or None")))
            }
        }
    };
    tokens.try_iter()?.enumerate().map(spelling).collect()
}

/// The two ids of each merge.
pub(super) fn merges(merges: &Bound<'_, PyAny>) -> PyResult<Vec<(u32, u32)>> {
    let pair = |(rank, merge): (usize, PyResult<Bound<'_, PyAny>>)| {
        let merge = merge?;
        merge.extract().map_err(|_| {
            let value = shown(&merge);
            ArgumentError::new_err(format!("merge {rank} is {value}; a merge must be a tuple of two ids, ints from 0"))
        })
    };
    merges.try_iter()?.enumerate().map(pair).collect()
}

/// Text and id of each special.
pub(super) fn specials(specials: &Bound<'_, PyMapping>) -> PyResult<Vec<(Vec<u8>, u32)>> {
    let special = |item: Bound<'_, PyAny>| {
        let (text, id): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let text: PyBackedStr = text.extract()?;
        let value = id.extract().map_err(|_| {
            let value = shown(&id);
            ArgumentError::new_err(format!("special token {:?} has id {value}; an id is an int from 0", &*text))
        })?;
        Ok((text.as_bytes().to_vec(), value))
    };
    specials.items()?.iter().map(special).collect()
}
