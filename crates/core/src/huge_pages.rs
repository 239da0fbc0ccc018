//! An allocator that asks the system for huge pages where memory is large: tables that are looked into at random, as most here
//! are, then miss the processor's list of pages far less often.
//!
//! A program chooses it with `#[global_allocator] static ALLOCATOR: HugePages = HugePages;`. Smaller memory, and all of it on
//! other systems than Linux, comes from the system's allocator.

#![allow(unsafe_code)] // It is an allocator.

use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator.
#[derive(Debug, Clone, Copy, Default)]
pub struct HugePages;

/// Memory of as many bytes or more is mapped for itself.
#[cfg(target_os = "linux")]
const LARGE: usize = 2 * linux::PAGE;

#[cfg(target_os = "linux")]
// SAFETY: large memory is a mapping of its own, all other is the system allocator's; which of the two a piece is depends on
// its layout alone, which callers hand in with every call.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout) {
            return linux::map(layout.size());
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout) {
            // A new mapping is zero.
            return linux::map(layout.size());
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if is_large(layout.size(), layout) {
            // SAFETY: it was mapped with this size.
            unsafe { linux::unmap(memory, layout.size()) };
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout), is_large(new_size, layout)) {
            // SAFETY: the caller's promise.
            (false, false) => unsafe { System.realloc(memory, layout, new_size) },
            // SAFETY: it was mapped with this size.
            (true, true) => unsafe { linux::remap(memory, layout.size(), new_size) },
            _ => {
                // SAFETY: the caller promises that the size is fit for a layout. The two do not overlap, and both hold as many
                // bytes as are copied.
                unsafe {
                    let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                    if !new.is_null() {
                        new.copy_from_nonoverlapping(memory, layout.size().min(new_size));
                        self.dealloc(memory, layout);
                    }
                    new
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn is_large(size: usize, layout: Layout) -> bool {
    size >= LARGE && layout.align() <= linux::PAGE
}

#[cfg(not(target_os = "linux"))]
// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.realloc(memory, layout, new_size) }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    //! Mappings that begin at a huge page's border.

    use libc::{
        MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, MREMAP_FIXED, MREMAP_MAYMOVE, PROT_NONE,
        PROT_READ, PROT_WRITE, c_int, c_void, madvise, mmap, mremap, munmap,
    };
    use std::ptr::null_mut;

    /// Bytes of a huge page, on most processors.
    pub(super) const PAGE: usize = 2 << 20;
    /// Sizes are whole small pages, on any processor.
    const SMALL: usize = 1 << 16;

    fn rounded(size: usize) -> Option<usize> {
        size.checked_next_multiple_of(SMALL)
    }

    /// Addresses for so many bytes, from a huge page's border on; null if there are none.
    fn reserve(size: usize, protection: c_int, flags: c_int) -> *mut c_void {
        let Some(reserved) = size.checked_add(PAGE) else { return null_mut() };
        // SAFETY: a new mapping somewhere takes nothing that is there; what of it is not needed is given back.
        unsafe {
            let start = mmap(null_mut(), reserved, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
            if start == MAP_FAILED {
                return null_mut();
            }
            let before = start.align_offset(PAGE);
            let aligned = start.byte_add(before);
            if before > 0 {
                munmap(start, before);
            }
            if before < PAGE {
                munmap(aligned.byte_add(size), PAGE - before);
            }
            aligned
        }
    }

    /// Zeroed memory for so many bytes; null if there is none.
    pub(super) fn map(size: usize) -> *mut u8 {
        let Some(size) = rounded(size) else { return null_mut() };
        let memory = reserve(size, PROT_READ | PROT_WRITE, 0);
        if !memory.is_null() {
            // SAFETY: of this mapping alone. It is a wish: where the system has no huge pages, nothing changes.
            unsafe { madvise(memory, size, MADV_HUGEPAGE) };
        }
        memory.cast()
    }

    /// # Safety
    /// `memory` is from `map` or `remap` with this size.
    pub(super) unsafe fn unmap(memory: *mut u8, size: usize) {
        // SAFETY: the caller's promise; it fitted when it was mapped.
        unsafe { munmap(memory.cast(), size.next_multiple_of(SMALL)) };
    }

    /// The same contents in memory of another size, moved without a copy; null, and nothing is changed, if there is none.
    ///
    /// # Safety
    /// `memory` is from `map` or `remap` with the old size.
    pub(super) unsafe fn remap(memory: *mut u8, old_size: usize, new_size: usize) -> *mut u8 {
        let (old_size, Some(new_size)) = (old_size.next_multiple_of(SMALL), rounded(new_size)) else {
            return null_mut();
        };
        let memory: *mut c_void = memory.cast();
        // SAFETY: the caller's promise. The old mapping takes the place of one that was just reserved for it.
        unsafe {
            // In its place, if that is free.
            let mut moved = mremap(memory, old_size, new_size, 0);
            if moved == MAP_FAILED {
                let place = reserve(new_size, PROT_NONE, MAP_NORESERVE);
                if place.is_null() {
                    return null_mut();
                }
                moved = mremap(memory, old_size, new_size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
                if moved == MAP_FAILED {
                    munmap(place, new_size);
                    return null_mut();
                }
            }
            madvise(moved, new_size, MADV_HUGEPAGE);
            moved.cast()
        }
    }
}
