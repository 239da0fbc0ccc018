//! The class `RunReader` and the function `merge_runs`: sorted counts in files.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bytepair_core::Error;
use bytepair_core::tally;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::errors::to_py;
use crate::learning::with_pulse;

/// Reads a run, front to back.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct RunReader {
    inner: Mutex<tally::RunReader>,
}

/// Rows as a column of Arrow has them: (how many, the offsets as int64, the pieces in a row, the counts as int64).
type Rows<'py> = (usize, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>);

#[pymethods]
impl RunReader {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self { inner: Mutex::new(tally::RunReader::open(&path).map_err(to_py)?) })
    }

    fn read<'py>(&self, py: Python<'py>, max_rows: usize) -> PyResult<Rows<'py>> {
        let [offsets, data, counts] = py.detach(|| self.columns(max_rows)).map_err(to_py)?;
        let bytes = |data: &[u8]| PyByteArray::new(py, data);
        Ok((counts.len() / 8, bytes(&offsets), bytes(&data), bytes(&counts)))
    }
}

impl RunReader {
    fn columns(&self, max_rows: usize) -> Result<[Vec<u8>; 3], Error> {
        // After a panic the run is somewhere in the middle, as after an error: who reads on sees what comes next.
        let mut run = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut offsets, mut data, mut counts) = (0u64.to_le_bytes().to_vec(), Vec::new(), Vec::new());
        while counts.len() < 8 * max_rows && run.advance()? {
            data.extend_from_slice(&run.piece);
            offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
            counts.extend_from_slice(&run.count.to_le_bytes());
        }
        Ok([offsets, data, counts])
    }
}

/// Merges runs into one: (distinct pieces, occurrences or None past 64 bits, fingerprint).
#[pyfunction]
pub(crate) fn merge_runs(py: Python<'_>, paths: Vec<PathBuf>, into: PathBuf) -> PyResult<(u64, Option<u64>, String)> {
    let merge = || with_pulse(None, |pulse| tally::merge_runs(&paths, &into, || pulse.tick(0, 0)));
    let totals = py.detach(merge)?;
    Ok((totals.n_pieces, totals.n_occurrences, format!("{:032x}", totals.fingerprint)))
}
