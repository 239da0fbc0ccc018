//! Work without the GIL that still hears Ctrl-C.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytepair_core::stop::Stop;
use pyo3::prelude::*;

/// The least time between two looks: each has to wait for the GIL.
const INTERVAL: Duration = Duration::from_millis(50);

/// The time of the last look, and what a signal handler raised.
struct Signals(Mutex<(Instant, Option<PyErr>)>);

impl Signals {
    /// Looks for signals if it is time; true once a handler has raised.
    fn arrived(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1.is_none() && state.0.elapsed() >= INTERVAL {
            state.1 = Python::attach(|py| py.check_signals()).err();
            state.0 = Instant::now();
        }
        state.1.is_some()
    }
}

/// Texts of fewer bytes are done sooner than another thread could take the GIL.
const SHORT: usize = 1 << 11;

/// [`detached`], but for work on so few bytes that nobody wants to stop it.
pub(super) fn with_signals<T: Send, E: Send>(
    py: Python<'_>,
    n_bytes: usize,
    work: impl FnOnce(Stop<'_>) -> Result<T, E> + Send,
    map: impl FnOnce(E) -> PyErr,
) -> PyResult<T> {
    if n_bytes < SHORT { work(None).map_err(map) } else { detached(py, work, map) }
}

/// Runs `work` without the GIL. Where a signal ended it, its exception is the error; other errors become exceptions by `map`.
pub(super) fn detached<T: Send, E: Send>(
    py: Python<'_>,
    work: impl FnOnce(Stop<'_>) -> Result<T, E> + Send,
    map: impl FnOnce(E) -> PyErr,
) -> PyResult<T> {
    let signals = Signals(Mutex::new((Instant::now(), None)));
    let result = py.detach(|| work(Some(&|| signals.arrived())));
    let (_, raised) = signals.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.map_err(|error| raised.unwrap_or_else(|| map(error)))
}
