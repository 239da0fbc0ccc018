//! The caller's wish to stop, asked for at intervals of work.

use crate::Error;

/// Asked now and then by long calls, on whatever thread runs them: true means stop.
pub type Stop<'a> = Option<&'a (dyn Fn() -> bool + Sync)>;

/// Work between two questions, in bytes of text: a few milliseconds at worst.
const BUDGET: usize = 1 << 16;

/// Counts work down and asks when it is used up.
pub(crate) struct Countdown<'a> {
    stop: Stop<'a>,
    left: usize,
}

impl<'a> Countdown<'a> {
    pub(crate) fn new(stop: Stop<'a>) -> Self {
        Self { stop, left: BUDGET }
    }

    /// Takes work off, in bytes or what costs as much; [`Error::Interrupted`] if the caller wants to stop.
    #[inline]
    pub(crate) fn spend(&mut self, n_bytes: usize) -> Result<(), Error> {
        if n_bytes < self.left {
            self.left -= n_bytes;
            return Ok(());
        }
        self.ask()
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Error> {
        self.left = BUDGET;
        if self.stop.is_some_and(|stop| stop()) { Err(Error::Interrupted) } else { Ok(()) }
    }
}
