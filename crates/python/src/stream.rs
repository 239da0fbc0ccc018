//! Bytes that a function of Python hands out, as a stream.

use std::io::{self, Read};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Bytes asked for at a time: a call into Python costs more than a copy.
const BLOCK: usize = 1 << 20;

/// What `read(n_bytes)` gives, until it gives nothing.
pub(crate) struct Stream {
    read: Py<PyAny>,
    block: Option<PyBackedBytes>,
    at: usize,
    raised: Option<PyErr>,
}

impl Stream {
    pub(crate) fn new(read: Py<PyAny>) -> Self {
        Self { read, block: None, at: 0, raised: None }
    }

    /// What the function raised, if it did.
    pub(crate) fn raised(self) -> Option<PyErr> {
        self.raised
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.block.as_ref().is_none_or(|block| self.at == block.len()) {
            let read = Python::attach(|py| -> PyResult<PyBackedBytes> {
                Ok(self.read.call1(py, (BLOCK,))?.extract::<PyBackedBytes>(py)?)
            });
            let read = read.map_err(|error| {
                self.raised = Some(error);
                io::Error::other("the function that reads raised an exception")
            })?;
            (self.block, self.at) = (Some(read), 0);
        }
        let block = self.block.as_deref().unwrap_or_default();
        let n_bytes = into.len().min(block.len() - self.at);
        into[..n_bytes].copy_from_slice(&block[self.at..self.at + n_bytes]);
        self.at += n_bytes;
        Ok(n_bytes)
    }
}
