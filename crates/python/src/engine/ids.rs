//! Ids out of what Python calls a sequence of ints.

use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyList, PyMemoryView, PySlice, PyString};

use crate::errors::{ArgumentError, ArgumentTypeError};

/// Ids as the core takes them.
#[derive(Default)]
pub(super) struct Ids {
    /// `NO_ID` where the value is not in the range of ids.
    pub(super) values: Vec<u32>,
    /// Position and value of those.
    beyond: Vec<(usize, String)>,
}

/// Never the id of a token.
const NO_ID: u32 = u32::MAX;
/// Elements read between two looks for signals.
const STRETCH: usize = 1 << 16;

impl Ids {
    /// Reads an integer buffer of one dimension, or any iterable of ints; `name` is what messages call it.
    pub(super) fn read(name: &str, ids: &Bound<'_, PyAny>) -> PyResult<Self> {
        // Text and bytes are sequences, too, and given by mistake: the arguments of encode and decode are easily confused.
        if ids.is_instance_of::<PyString>() || ids.is_instance_of::<PyBytes>() || ids.is_instance_of::<PyByteArray>() {
            return Err(no_sequence(name, ids));
        }
        match PyUntypedBuffer::get(ids) {
            Ok(buffer) if buffer.dimensions() != 1 => {
                let n = buffer.dimensions();
                Err(ArgumentError::new_err(format!("{name} has {n} dimensions; it must have 1: decode row by row")))
            }
            Ok(buffer) => Self::of_buffer(ids, &buffer).unwrap_or_else(|| Self::of_iterable(name, ids)),
            Err(_) => Self::of_iterable(name, ids),
        }
    }

    /// The value at a position, as the user gave it.
    pub(super) fn shown(&self, position: usize) -> String {
        let found = self.beyond.binary_search_by_key(&position, |(position, _)| *position);
        found.map_or_else(|_| self.values[position].to_string(), |index| self.beyond[index].1.clone())
    }

    /// None if the elements are no integers of this machine.
    fn of_buffer(ids: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer) -> Option<PyResult<Self>> {
        // Checked here, as PyO3 0.30 takes `>` for the byte order of a little-endian machine.
        let ([kind] | [b'@' | b'=', kind]) = buffer.format().to_bytes() else { return None };
        if !b"bBhHiIlLqQnN".contains(kind) {
            return None;
        }
        Self::of_typed::<u32>(ids, buffer)
            .or_else(|| Self::of_typed::<i64>(ids, buffer))
            .or_else(|| Self::of_typed::<u64>(ids, buffer))
            .or_else(|| Self::of_typed::<i32>(ids, buffer))
            .or_else(|| Self::of_typed::<u16>(ids, buffer))
            .or_else(|| Self::of_typed::<i16>(ids, buffer))
            .or_else(|| Self::of_typed::<u8>(ids, buffer))
            .or_else(|| Self::of_typed::<i8>(ids, buffer))
    }

    fn of_typed<T>(ids: &Bound<'_, PyAny>, buffer: &PyUntypedBuffer) -> Option<PyResult<Self>>
    where
        T: Element + TryInto<u32> + ToString,
    {
        buffer.as_typed::<T>().ok()?;
        Some(PyMemoryView::from(ids).and_then(|view| Self::of_view::<T>(&view, buffer.item_count())))
    }

    /// Reads a view stretch by stretch: no second copy of all, and signals are heard.
    fn of_view<T>(view: &Bound<'_, PyMemoryView>, n_elements: usize) -> PyResult<Self>
    where
        T: Element + TryInto<u32> + ToString,
    {
        let py = view.py();
        let mut ids = Self { values: Vec::with_capacity(n_elements), beyond: Vec::new() };
        for start in (0..n_elements).step_by(STRETCH) {
            py.check_signals()?;
            let end = n_elements.min(start + STRETCH);
            let stretch = view.get_item(PySlice::new(py, start as isize, end as isize, 1))?;
            for element in PyBuffer::<T>::get(&stretch)?.to_vec(py)? {
                ids.push(element.try_into().map_err(|_| element.to_string()));
            }
        }
        Ok(ids)
    }

    fn of_iterable(name: &str, ids: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(list) = ids.cast::<PyList>() {
            return Self::of_list(name, list);
        }
        ids.try_iter().map_or_else(|_| Err(no_sequence(name, ids)), |items| Self::of_items(name, ids.py(), items))
    }

    /// Most lists hold nothing but small ints, which need no reference of their own.
    fn of_list(name: &str, list: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut read = Self { values: Vec::with_capacity(list.len()), beyond: Vec::new() };
        while read.values.len() < list.len() {
            let position = read.values.len();
            if position > 0 && position.is_multiple_of(STRETCH) {
                list.py().check_signals()?;
            }
            let end = list.len().min((position / STRETCH + 1) * STRETCH);
            small_ints(list, end, &mut read.values);
            if read.values.len() < end {
                let position = read.values.len();
                read.push(id_of(name, &list.get_item(position)?, position)?);
            }
        }
        Ok(read)
    }

    fn of_items<'py>(
        name: &str,
        py: Python<'py>,
        items: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    ) -> PyResult<Self> {
        let mut read = Self { values: Vec::with_capacity(items.size_hint().0), beyond: Vec::new() };
        for (position, item) in items.enumerate() {
            if position % STRETCH == STRETCH - 1 {
                py.check_signals()?;
            }
            read.push(id_of(name, &item?, position)?);
        }
        Ok(read)
    }

    fn push(&mut self, id: Result<u32, String>) {
        let id = id.unwrap_or_else(|beyond| {
            self.beyond.push((self.values.len(), beyond));
            NO_ID
        });
        self.values.push(id);
    }
}

/// Reads the items of a list from `values.len()` up to `end`, as long as they are ints in the range of ids.
#[allow(unsafe_code)] // An item is looked at without a reference of its own: that would take longer than to read it.
fn small_ints(list: &Bound<'_, PyList>, end: usize, values: &mut Vec<u32>) {
    // Where there is no GIL, no other thread changes the list meanwhile.
    with_critical_section(list, || {
        while values.len() < end {
            // SAFETY: the result is null if the index is out of range by now. The list keeps its item, since no call here runs
            // code of Python's: reading an int whose type is exactly `int` asks nobody.
            let value = unsafe {
                let item = ffi::PyList_GetItem(list.as_ptr(), values.len() as isize);
                if item.is_null() {
                    ffi::PyErr_Clear();
                    return;
                }
                if ffi::PyLong_CheckExact(item) == 0 {
                    return;
                }
                ffi::PyLong_AsLongLong(item)
            };
            match u32::try_from(value) {
                Ok(value) if value != NO_ID => values.push(value),
                _ => {
                    // SAFETY: this thread is attached. An error says that the int is larger still.
                    unsafe { ffi::PyErr_Clear() };
                    return;
                }
            }
        }
    });
}

/// The value of an int, or its digits where it is not in the range of ids.
fn id_of(name: &str, item: &Bound<'_, PyAny>, position: usize) -> PyResult<Result<u32, String>> {
    if !item.is_exact_instance_of::<PyInt>() && item.is_instance_of::<PyBool>() {
        return Err(no_id(name, item, position));
    }
    match item.extract::<u32>() {
        Ok(id) => Ok(Ok(id)),
        Err(error) if error.is_instance_of::<PyOverflowError>(item.py()) => Ok(Err(shown(item))),
        Err(error) if error.is_instance_of::<PyTypeError>(item.py()) => Err(no_id(name, item, position)),
        Err(error) => Err(error),
    }
}

fn no_id(name: &str, item: &Bound<'_, PyAny>, position: usize) -> PyErr {
    let (value, kind) = (shown(item), type_name(item));
    ArgumentTypeError::new_err(format!("{value} at position {position} is a {kind}, not an id; {name} must hold ints"))
}

fn no_sequence(name: &str, ids: &Bound<'_, PyAny>) -> PyErr {
    let kind = type_name(ids);
    ArgumentTypeError::new_err(format!("{name} is a {kind}; it must be a sequence of ints or an integer array"))
}

/// The `repr` of a value, cut where it is long.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    const MOST: usize = 60;
    // An int of thousands of digits has no decimal form in Python, and a `repr` may fail for reasons of its own.
    let Ok(repr) = value.repr() else { return format!("<{} without a repr>", type_name(value)) };
    let repr = repr.to_string_lossy();
    match repr.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &repr[..end]),
        None => repr.into_owned(),
    }
}

pub(super) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "value of unknown type".into(), |name| name.to_string())
}
