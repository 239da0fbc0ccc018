//! The functions `is_utf8` and `paragraphs`: text of files on its way to documents.

use bytepair_core::documents::blank_line_ends;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// Whether bytes are UTF-8; Python would make a str to see it.
#[pyfunction]
pub(crate) fn is_utf8(py: Python<'_>, data: &Bound<'_, PyBytes>) -> bool {
    let data = data.as_bytes();
    py.detach(|| std::str::from_utf8(data).is_ok())
}

/// The text, cut behind the blank lines that begin behind `first` and end before `last`.
#[pyfunction]
pub(crate) fn paragraphs<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    first: usize,
    last: usize,
) -> PyResult<Bound<'py, PyList>> {
    let text = text.as_bytes();
    let mut ends = py.detach(|| blank_line_ends(text, first, last));
    ends.push(text.len());
    let starts = std::iter::once(0).chain(ends.iter().copied());
    PyList::new(py, starts.zip(&ends).map(|(start, &end)| PyBytes::new(py, &text[start..end])).collect::<Vec<_>>())
}
