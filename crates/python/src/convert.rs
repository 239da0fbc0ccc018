//! Python text in, without a copy.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

use crate::errors::ArgumentTypeError;

/// The UTF-8 of a `str`, or the contents of `bytes`; keeps its owner alive and may cross threads.
pub(crate) enum Text {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Text {
    pub(crate) fn is_str(&self) -> bool {
        matches!(self, Self::Str(_))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            // A lone surrogate raises UnicodeEncodeError here; the Python side mends it or lets it through.
            return Ok(Self::Str(PyBackedStr::try_from(text.to_owned())?));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(PyBackedBytes::from(bytes.to_owned())));
        }
        let kind = object.get_type().name()?;
        Err(ArgumentTypeError::new_err(format!("expected text as str or bytes, got {kind}")))
    }
}
