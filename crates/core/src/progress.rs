//! Word from long work to its caller, and the caller's wish to stop.

use crate::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The least time between two calls of the callback, if nothing else is said.
const INTERVAL: Duration = Duration::from_millis(100);

/// Calls back at most 10 times a second, however often it is ticked.
pub struct Pulse<'a> {
    callback: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    interval: Duration,
    last: Instant,
}

impl<'a> Pulse<'a> {
    /// `callback` is told (done, total) and may ask to stop.
    pub fn new(callback: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Self {
        Self::every(INTERVAL, callback)
    }

    /// The same with another least time between two calls.
    pub fn every(interval: Duration, callback: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Self {
        Self { callback, interval, last: Instant::now() }
    }

    /// Calls back if it is time.
    ///
    /// # Errors
    /// `Error::Interrupted` if the callback asked to stop.
    pub fn tick(&mut self, done: u64, total: u64) -> Result<(), Error> {
        if self.last.elapsed() < self.interval {
            return Ok(());
        }
        self.last = Instant::now();
        match (self.callback)(done, total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Interrupted),
        }
    }
}
