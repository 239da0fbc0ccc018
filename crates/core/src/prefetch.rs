//! A hint to the processor that a place in a table is wanted soon.

#![allow(unsafe_code)] // The intrinsic is unsafe by its signature alone: a prefetch reads nothing and cannot fault.

/// Asks for `table[index]` to be brought near; does nothing where there is no such place or no such instruction.
#[inline]
pub fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let place = table.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch has no effect on memory or registers, and one of an address that is not there is left undone.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}
