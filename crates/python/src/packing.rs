//! The tables of a model as bytes, for pickles and fingerprints: small, and the same on every machine.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};

use crate::errors::ModelError;

/// No spelling is this long, so the number can stand for "no token here".
const NO_TOKEN: u32 = u32::MAX;

/// The spellings one after the other, the bytes of each, the ids of the merges, and how many tokens were left out: with
/// `leave_out`, those at the end that the merges spell.
#[pyfunction]
pub(crate) fn pack<'py>(
    tokens: &Bound<'py, PyTuple>,
    merges: &Bound<'py, PyTuple>,
    leave_out: bool,
) -> PyResult<Packed<'py>> {
    let spellings: Vec<Option<Bound<'_, PyBytes>>> = tokens.iter().map(|token| token.cast_into().ok()).collect();
    let spellings: Vec<Option<&[u8]>> =
        spellings.iter().map(|token| token.as_ref().map(|token| token.as_bytes())).collect();
    let mut ids = Vec::with_capacity(2 * merges.len());
    for merge in merges.iter() {
        let merge = merge.cast::<PyTuple>()?;
        ids.push(merge.get_item(0)?.extract()?);
        ids.push(merge.get_item(1)?.extract()?);
    }
    let n_made = if leave_out { n_made(&spellings, &ids) } else { 0 };
    let kept = &spellings[..spellings.len() - n_made];
    let sizes = kept.iter().map(|token| token.map_or(NO_TOKEN, |token| token.len() as u32));
    let spelled: Vec<&[u8]> = kept.iter().copied().flatten().collect();
    let py = tokens.py();
    Ok((PyBytes::new(py, &spelled.concat()), numbers_of(py, sizes), numbers_of(py, ids.into_iter()), n_made))
}

type Packed<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize);

/// How many tokens at the end are what the merges spell, one by one, each of tokens before it: all of them or 0.
fn n_made(spellings: &[Option<&[u8]>], ids: &[u32]) -> usize {
    let (merges, _) = ids.as_chunks::<2>();
    let Some(first) = spellings.len().checked_sub(merges.len()) else { return 0 };
    let is_made = |(number, &[left, right]): (usize, &[u32; 2])| {
        let before = &spellings[..first + number];
        let spell = |id: u32| before.get(id as usize).copied().flatten();
        let (Some(left), Some(right), Some(joint)) = (spell(left), spell(right), spellings[first + number]) else {
            return false;
        };
        joint.strip_prefix(left) == Some(right)
    };
    if merges.iter().enumerate().all(is_made) { merges.len() } else { 0 }
}

fn numbers_of(py: Python<'_>, numbers: impl Iterator<Item = u32>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &numbers.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

/// The tokens and merges that `pack` was given.
#[pyfunction]
pub(crate) fn unpack<'py>(
    py: Python<'py>,
    spelled: &[u8],
    sizes: &[u8],
    pairs: &[u8],
    n_made: usize,
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
    let mut spellings: Vec<Option<Bound<'py, PyBytes>>> = Vec::with_capacity(sizes.len() / 4 + n_made);
    let mut rest = spelled;
    for n_bytes in numbers(sizes) {
        if n_bytes == NO_TOKEN {
            spellings.push(None);
            continue;
        }
        let (token, behind) = rest.split_at_checked(n_bytes as usize).ok_or_else(broken)?;
        spellings.push(Some(PyBytes::new(py, token)));
        rest = behind;
    }
    let ids: Vec<u32> = numbers(pairs).collect();
    let (merges, _) = ids.as_chunks::<2>();
    let mut joint = Vec::new();
    for &[left, right] in merges.iter().take(n_made) {
        let spell = |id: u32| spellings.get(id as usize).and_then(Option::as_ref).map(|token| token.as_bytes());
        joint.clear();
        joint.extend_from_slice(spell(left).ok_or_else(broken)?);
        joint.extend_from_slice(spell(right).ok_or_else(broken)?);
        spellings.push(Some(PyBytes::new(py, &joint)));
    }
    // Each id stands in some merges, and an int is made once for all of them.
    let mut ints: Vec<Option<Bound<'py, PyInt>>> = vec![None; spellings.len()];
    let mut int = |id: u32| -> PyResult<Bound<'py, PyInt>> {
        let made = ints.get_mut(id as usize).ok_or_else(broken)?;
        Ok(made
            .get_or_insert_with(|| {
                let Ok(made) = id.into_pyobject(py);
                made
            })
            .clone())
    };
    let merges: PyResult<Vec<Bound<'py, PyTuple>>> =
        merges.iter().map(|&[left, right]| PyTuple::new(py, [int(left)?, int(right)?])).collect();
    Ok((PyTuple::new(py, spellings)?, PyTuple::new(py, merges?)?))
}

fn numbers(data: &[u8]) -> impl Iterator<Item = u32> {
    data.as_chunks().0.iter().map(|&number| u32::from_le_bytes(number))
}

fn broken() -> PyErr {
    ModelError::new_err("the pickle of a model contradicts itself; make it again from the tokenizer's file")
}
