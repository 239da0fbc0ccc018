//! Room for results between a call of the core and the object that Python gets, used again from call to call: memory that is new
//! in every call would be cleared by the system each time.

use std::sync::Mutex;

/// Lists without a user. The lock is never waited for: after a fork in another thread it might never be free.
pub(super) struct Rooms<T>(Mutex<Vec<Vec<T>>>);

impl<T> Default for Rooms<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Lists that are kept.
const MOST: usize = 4;
/// Larger ones are given back to the system, in bytes.
const LARGEST: usize = 4 << 20;

impl<T> Rooms<T> {
    /// Runs `work` with a list, whose contents mean nothing.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut room = self.0.try_lock().ok().and_then(|mut rooms| rooms.pop()).unwrap_or_default();
        let result = work(&mut room);
        if room.capacity() * size_of::<T>() <= LARGEST
            && let Ok(mut rooms) = self.0.try_lock()
            && rooms.len() < MOST
        {
            rooms.push(room);
        }
        result
    }
}
