//! Lists of ids for Python, filled with ints that were made before: an int that exists costs a fifth of a new one.

use bytepair_core::encode::Ragged;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};

/// The ints 0, 1, 2 ... below the number of ids, made when the first long list is asked for.
pub(super) struct Ints {
    made: PyOnceLock<Vec<Py<PyInt>>>,
    n_ids: u32,
}

/// From so many ids on it is worth to make all ints.
const LONG: usize = 4096;
/// The most ints that are made: 32 MB at 32 bytes each.
const MOST: u32 = 1 << 20;

impl Ints {
    pub(super) fn new(n_ids: u32) -> Self {
        Self { made: PyOnceLock::new(), n_ids: n_ids.min(MOST) }
    }

    pub(super) fn list<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
        filled(py, ids, self.made(py, ids.len()))
    }

    pub(super) fn list_of_lists<'py>(&self, py: Python<'py>, ragged: &Ragged) -> PyResult<Bound<'py, PyList>> {
        let made = self.made(py, ragged.n_tokens());
        let mut lists = Vec::with_capacity(ragged.starts().len() - 1);
        ragged.for_each(|ids| {
            lists.push(filled(py, ids, made)?);
            PyResult::Ok(())
        })?;
        PyList::new(py, lists)
    }

    fn made(&self, py: Python<'_>, n_tokens: usize) -> &[Py<PyInt>] {
        if n_tokens < LONG {
            return self.made.get(py).map_or(&[], Vec::as_slice);
        }
        self.made.get_or_init(py, || (0..self.n_ids).map(|id| int(py, id).unbind()).collect())
    }
}

/// Ids whose ints are asked for before they are needed: each has its own place in memory, where its references are counted.
const AHEAD: usize = 16;

/// The list of some ids, from those `made` where they reach.
#[allow(unsafe_code)] // A list that nobody else has seen is filled place by place: that takes half the time of the safe way.
fn filled<'py>(py: Python<'py>, ids: &[u32], made: &[Py<PyInt>]) -> PyResult<Bound<'py, PyList>> {
    let made_at = |place: usize| ids.get(place).and_then(|&id| made.get(id as usize));
    // SAFETY: a new list has as many empty places as it was asked for, or is null, and then `from_owned_ptr_or_err` says why.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(ids.len() as isize))? };
    for (place, &id) in ids.iter().enumerate() {
        if let Some(soon) = made_at(place + AHEAD) {
            prefetch(soon.as_ptr());
        }
        let int = made_at(place).map_or_else(|| int(py, id).into_ptr(), |made| made.clone_ref(py).into_ptr());
        // SAFETY: the place is within the list and empty, and the list takes the reference. It cannot fail.
        unsafe { ffi::PyList_SetItem(list.as_ptr(), place as isize, int) };
    }
    // SAFETY: `PyList_New` makes nothing else.
    Ok(unsafe { list.cast_into_unchecked() })
}

/// Says that an object is needed soon.
#[allow(unsafe_code)] // The intrinsic is unsafe by its signature alone: a prefetch reads nothing and cannot fault.
#[inline]
fn prefetch(object: *mut ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect on memory or registers.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

fn int(py: Python<'_>, id: u32) -> Bound<'_, PyInt> {
    let Ok(int) = id.into_pyobject(py);
    int
}
