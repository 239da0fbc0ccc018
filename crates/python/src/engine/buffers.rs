//! Numbers for Python as the bytes of an array: `NumPy` takes a `bytearray` as it is, and may write to it.

use bytepair_core::encode::Ragged;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Ids of `width` bytes each: 1, 2 or 4. The caller knows that all ids fit.
pub(super) fn of_ids<'py>(py: Python<'py>, ids: &[u32], width: usize) -> PyResult<Bound<'py, PyByteArray>> {
    of_lists(py, ids.len(), [ids], width)
}

/// The ids of several lists, `n_tokens` together, one after the other; each list is dropped when it is copied.
pub(super) fn of_lists<T: AsRef<[u32]>>(
    py: Python<'_>,
    n_tokens: usize,
    lists: impl IntoIterator<Item = T>,
    width: usize,
) -> PyResult<Bound<'_, PyByteArray>> {
    PyByteArray::new_with(py, n_tokens * width, |mut bytes| {
        for ids in lists {
            let ids = ids.as_ref();
            bytes = put(bytes, ids, width);
        }
        Ok(())
    })
}

/// The ids of several texts, one after the other, with an id before and behind those of each.
pub(super) fn of_framed<'py>(
    py: Python<'py>,
    ragged: &Ragged,
    before: Option<u32>,
    behind: Option<u32>,
    width: usize,
) -> PyResult<Bound<'py, PyByteArray>> {
    let n_added = usize::from(before.is_some()) + usize::from(behind.is_some());
    let n_texts = ragged.starts().len().saturating_sub(1);
    PyByteArray::new_with(py, (ragged.n_tokens() + n_added * n_texts) * width, |mut bytes| {
        ragged.for_each(|ids| {
            bytes = put(std::mem::take(&mut bytes), before.as_slice(), width);
            bytes = put(std::mem::take(&mut bytes), ids, width);
            bytes = put(std::mem::take(&mut bytes), behind.as_slice(), width);
            Ok(())
        })
    })
}

/// Writes ids, and gives the room behind them.
fn put<'a>(bytes: &'a mut [u8], ids: &[u32], width: usize) -> &'a mut [u8] {
    let (these, rest) = bytes.split_at_mut(ids.len() * width);
    match width {
        1 => fill::<1>(these, ids.iter().map(|&id| [id as u8])),
        2 => fill::<2>(these, ids.iter().map(|&id| (id as u16).to_ne_bytes())),
        _ => fill::<4>(these, ids.iter().map(|&id| id.to_ne_bytes())),
    }
    rest
}

/// `n_places` numbers of 8 bytes each.
pub(crate) fn of_places(
    py: Python<'_>,
    n_places: usize,
    places: impl Iterator<Item = usize>,
) -> PyResult<Bound<'_, PyByteArray>> {
    PyByteArray::new_with(py, n_places * 8, |bytes| {
        fill::<8>(bytes, places.map(|place| (place as i64).to_ne_bytes()));
        Ok(())
    })
}

fn fill<const WIDTH: usize>(bytes: &mut [u8], numbers: impl Iterator<Item = [u8; WIDTH]>) {
    for (place, number) in bytes.as_chunks_mut::<WIDTH>().0.iter_mut().zip(numbers) {
        *place = number;
    }
}
