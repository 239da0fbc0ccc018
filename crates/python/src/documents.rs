//! Text of files on its way to documents: is it UTF-8, and where it is cut.

use std::sync::Arc;

use bytepair_core::documents::{blank_line_ends, line_ends};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyList, PySlice};

use crate::engine::buffers::of_places;

/// Whether bytes are UTF-8; Python would make a str to see it.
#[pyfunction]
pub(crate) fn is_utf8(py: Python<'_>, data: &Bound<'_, PyBytes>) -> bool {
    let data = data.as_bytes();
    py.detach(|| std::str::from_utf8(data).is_ok())
}

/// Neighbouring documents in a block of text, used where they lie; a sequence that makes bytes of one when asked for it.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct CutTexts {
    block: Arc<Block>,
    first: usize,
    last: usize,
}

/// Text that is cut: document `i` begins where the one before it ends.
struct Block {
    text: PyBackedBytes,
    ends: Vec<usize>,
}

impl Block {
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl CutTexts {
    fn of(text: PyBackedBytes, ends: Vec<usize>) -> Self {
        let last = ends.len();
        Self { block: Arc::new(Block { text, ends }), first: 0, last }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let Block { text, ends } = &*self.block;
        let mut start = self.block.start(self.first);
        ends[self.first..self.last].iter().map(move |&end| {
            let document = &text[start..end];
            start = end;
            document
        })
    }

    fn bytes(&self) -> &[u8] {
        &self.block.text[self.block.start(self.first)..self.block.start(self.last)]
    }
}

#[pymethods]
impl CutTexts {
    fn __len__(&self) -> usize {
        self.last - self.first
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = key.cast::<PySlice>() {
            let part = slice.indices(self.__len__() as isize)?;
            if part.step != 1 {
                return Err(PyTypeError::new_err("documents of a block are taken in a row"));
            }
            let first = self.first + part.start as usize;
            let taken = Self { block: Arc::clone(&self.block), first, last: first + part.slicelength };
            return Ok(Bound::new(py, taken)?.into_any());
        }
        let index = key.extract::<usize>().ok().filter(|&index| index < self.__len__());
        let Some(index) = index else { return Err(PyIndexError::new_err("there is no such document in the block")) };
        let (start, end) = (self.block.start(self.first + index), self.block.ends[self.first + index]);
        Ok(PyBytes::new(py, &self.block.text[start..end]).into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.iter().map(|document| PyBytes::new(py, document)))?.try_iter()
    }

    /// Bytes of all of them.
    #[getter]
    fn n_bytes(&self) -> usize {
        self.bytes().len()
    }

    /// All of them in a row.
    fn joined<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.bytes())
    }

    /// The bytes of each, as int64.
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        of_places(py, self.__len__(), self.iter().map(<[u8]>::len))
    }
}

/// The text, cut behind each line end.
#[pyfunction]
pub(crate) fn lines(py: Python<'_>, text: PyBackedBytes) -> CutTexts {
    let ends = py.detach(|| line_ends(&text));
    CutTexts::of(text, ends)
}

/// The documents that end behind blank lines, which begin behind `first` and end before `last`; what is behind the last
/// of them is left out.
#[pyfunction]
pub(crate) fn paragraphs(py: Python<'_>, text: PyBackedBytes, first: usize, last: usize) -> CutTexts {
    let ends = py.detach(|| blank_line_ends(&text, first, last));
    CutTexts::of(text, ends)
}
