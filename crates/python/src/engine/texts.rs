//! Many texts out of Python: a list of `str` and `bytes`, or the buffers of an Arrow array or documents in a block of
//! text, which are used where they are.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::ids::type_name;
use crate::convert::Text;
use crate::documents::CutTexts;
use crate::errors::{ArgumentError, ArgumentTypeError};

/// The texts of an Arrow array of strings or bytes; a sequence that makes a `str` or `bytes` of one when asked for it.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct ArrowTexts {
    chunks: Vec<Chunk>,
    /// Whether each is a `str` for Python.
    is_text: bool,
}

/// Some neighbours: text `i` is the data from offset `first + i` to the next.
struct Chunk {
    offsets: Memory,
    data: Memory,
    first: usize,
    n_texts: usize,
    /// Bytes of an offset: 4 or 8.
    width: usize,
}

/// Bytes of a Python object.
enum Memory {
    Shared(PyUntypedBuffer),
    Copied(Vec<u8>),
}

#[pymethods]
impl ArrowTexts {
    /// `chunks`: the buffers of offsets and data, None where there is none, the first text and the number of texts.
    #[new]
    #[allow(clippy::type_complexity)] // As Arrow has it.
    fn new(
        chunks: Vec<(Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>, usize, usize)>,
        width: usize,
        is_text: bool,
    ) -> PyResult<Self> {
        let chunk = |(offsets, data, first, n_texts)| {
            let (offsets, data) = (Memory::of(offsets)?, Memory::of(data)?);
            Chunk { offsets, data, first, n_texts, width }.checked()
        };
        let chunks: PyResult<_> = chunks.into_iter().filter(|chunk| chunk.3 > 0).map(chunk).collect();
        Ok(Self { chunks: chunks?, is_text })
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.n_texts).sum()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut left = index;
        for chunk in &self.chunks {
            if left < chunk.n_texts {
                let text = chunk.text(left);
                return match std::str::from_utf8(text) {
                    Ok(text) if self.is_text => Ok(PyString::new(py, text).into_any()),
                    _ => Ok(PyBytes::new(py, text).into_any()),
                };
            }
            left -= chunk.n_texts;
        }
        Err(PyIndexError::new_err(format!("index {index} is past the last text")))
    }
}

impl Chunk {
    fn checked(self) -> PyResult<Self> {
        let n_data = self.data.bytes().len();
        let has_all = (self.first + self.n_texts + 1)
            .checked_mul(self.width)
            .is_some_and(|end| end <= self.offsets.bytes().len());
        let mut before = if has_all { self.offset(0) } else { Some(0) };
        let is_ordered = has_all
            && (0..=self.n_texts).all(|index| {
                let offset = self.offset(index);
                let is_next = offset.is_some() && before <= offset && offset <= Some(n_data);
                before = offset;
                is_next
            });
        if is_ordered {
            return Ok(self);
        }
        Err(ArgumentError::new_err("texts is an Arrow array whose offsets leave its data; array.validate() says where"))
    }

    /// None where it is negative.
    fn offset(&self, index: usize) -> Option<usize> {
        let start = (self.first + index) * self.width;
        let bytes = &self.offsets.bytes()[start..start + self.width];
        match *bytes {
            [a, b, c, d] => usize::try_from(i32::from_ne_bytes([a, b, c, d])).ok(),
            _ => usize::try_from(i64::from_ne_bytes(bytes.try_into().ok()?)).ok(),
        }
    }

    fn text(&self, index: usize) -> &[u8] {
        let place = self.offset(index).zip(self.offset(index + 1));
        place.and_then(|(start, end)| self.data.bytes().get(start..end)).unwrap_or_default()
    }
}

impl Memory {
    fn of(object: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::Copied(Vec::new())) };
        let buffer = PyUntypedBuffer::get(&object)?;
        if !buffer.is_c_contiguous() {
            return Err(ArgumentError::new_err(
                "a buffer of an Arrow array is one stretch of memory; this one has gaps",
            ));
        }
        let shared = Self::Shared(buffer);
        // What others may write to cannot be read while they do.
        Ok(match &shared {
            Self::Shared(buffer) if !buffer.readonly() => Self::Copied(shared.bytes().to_vec()),
            _ => shared,
        })
    }

    #[allow(unsafe_code)] // PyO3 has no safe view of bytes that may be read without the GIL.
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Shared(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: the buffer is contiguous and holds its memory while it lives, so that many bytes are there. It is
            // read-only, and Arrow promises that nobody writes to the memory of an array; what is writable was copied
            // under the GIL.
            Self::Shared(buffer) => unsafe {
                std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>().cast_const(), buffer.len_bytes())
            },
        }
    }
}

/// Texts of any sort, kept alive.
pub(crate) enum Texts<'py> {
    Objects(Vec<Text>),
    Arrow(PyRef<'py, ArrowTexts>),
    Cut(PyRef<'py, CutTexts>),
}

impl<'py> Texts<'py> {
    pub(crate) fn read(texts: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(arrow) = texts.cast::<ArrowTexts>() {
            return Ok(Self::Arrow(arrow.borrow()));
        }
        if let Ok(cut) = texts.cast::<CutTexts>() {
            return Ok(Self::Cut(cut.borrow()));
        }
        if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
            let kind = type_name(texts);
            return Err(ArgumentTypeError::new_err(format!("texts is a {kind}; it must be a list of texts: [text]")));
        }
        let py = texts.py();
        let text = |(index, text): (usize, PyResult<Bound<'_, PyAny>>)| {
            text?.extract::<Text>().map_err(|error| {
                if !error.is_instance_of::<ArgumentTypeError>(py) {
                    return error;
                }
                ArgumentTypeError::new_err(format!("text {index}: {}", error.value(py)))
            })
        };
        let texts: PyResult<_> = texts.try_iter()?.enumerate().map(text).collect();
        Ok(Self::Objects(texts?))
    }

    pub(crate) fn as_bytes(&self) -> Vec<&[u8]> {
        match self {
            Self::Objects(texts) => texts.iter().map(Text::as_bytes).collect(),
            Self::Cut(texts) => texts.iter().collect(),
            Self::Arrow(texts) => {
                texts.chunks.iter().flat_map(|chunk| (0..chunk.n_texts).map(|index| chunk.text(index))).collect()
            }
        }
    }
}
