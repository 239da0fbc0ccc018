//! A hint to the processor that a place in a table is wanted soon.

#![allow(unsafe_code)] // The intrinsic is unsafe by its signature alone: a prefetch reads nothing and cannot fault.

/// Asks for `table[index]` to be brought near; does nothing where there is no such place or no such instruction.
#[inline]
pub fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(place) = table.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a live reference, and a prefetch has no effect on memory or registers.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}
