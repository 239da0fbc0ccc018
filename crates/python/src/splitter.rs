//! The class `Splitter`.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytepair_core::split;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::convert::Text;
use crate::errors::{PatternError, to_py};

/// A split pattern, ready to run.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct Splitter {
    pub(crate) inner: Arc<split::Splitter>,
}

#[pymethods]
impl Splitter {
    #[new]
    #[pyo3(signature = (name, regex=None))]
    fn new(name: &str, regex: Option<&str>) -> PyResult<Self> {
        let inner = match (name, regex) {
            ("custom", Some(regex)) => split::Splitter::custom(regex).map_err(to_py)?,
            _ => split::Splitter::named(name)
                .ok_or_else(|| PatternError::new_err(format!("no split pattern is named {name:?}")))?,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    #[getter]
    fn covers(&self) -> bool {
        self.inner.covers()
    }

    fn split<'py>(&self, py: Python<'py>, text: Text) -> PyResult<Bound<'py, PyList>> {
        let text = text.as_bytes();
        let mut ranges = Vec::new();
        let walk = |range| {
            ranges.push(range);
            ControlFlow::<()>::Continue(())
        };
        let _ = py.detach(|| self.inner.for_each_piece(text, walk)).map_err(to_py)?;
        PyList::new(py, ranges.into_iter().map(|range| PyBytes::new(py, &text[range])))
    }
}

/// The vector instructions in use.
#[pyfunction]
pub(crate) fn instructions() -> &'static str {
    split::instructions()
}
