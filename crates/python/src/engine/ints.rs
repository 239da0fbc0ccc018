//! Lists of ids for Python, filled with ints that were made before: an int that exists costs a fifth of a new one.

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

    pub(super) fn list_of_lists<'py>(&self, py: Python<'py>, lists: &[Vec<u32>]) -> PyResult<Bound<'py, PyList>> {
        let made = self.made(py, lists.iter().map(Vec::len).sum());
        let lists: PyResult<Vec<_>> = lists.iter().map(|ids| filled(py, ids, made)).collect();
        PyList::new(py, lists?)
    }

    fn made(&self, py: Python<'_>, n_tokens: usize) -> &[Py<PyInt>] {
        if n_tokens < LONG {
            return self.made.get(py).map_or(&[], Vec::as_slice);
        }
        self.made.get_or_init(py, || (0..self.n_ids).map(|id| int(py, id).unbind()).collect())
    }
}

/// The list of some ids, from those `made` where they reach.
fn filled<'py>(py: Python<'py>, ids: &[u32], made: &[Py<PyInt>]) -> PyResult<Bound<'py, PyList>> {
    let of_id = |&id: &u32| made.get(id as usize).map_or_else(|| int(py, id), |made| made.bind(py).clone());
    PyList::new(py, ids.iter().map(of_id))
}

fn int(py: Python<'_>, id: u32) -> Bound<'_, PyInt> {
    let Ok(int) = id.into_pyobject(py);
    int
}
