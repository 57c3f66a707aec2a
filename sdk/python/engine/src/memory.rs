//! The allocator. When the memory is used up it releases a reserve and has the script stopped by a MemoryError.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

const RESERVE: usize = 2 << 20; // bytes: what the script can need until its next call or iteration, and the error itself
const LAYOUT: Layout = unsafe { Layout::from_size_align_unchecked(RESERVE, 16) };

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

pub struct Allocator;

/// Reports whether the reserve is in use.
pub fn exhausted() -> bool {
    EXHAUSTED.load(Relaxed)
}

/// Takes the reserve again, if there is memory for it. Reports whether there is a reserve.
pub fn reserve() -> bool {
    if RESERVED.load(Relaxed).is_null() {
        let reserved = unsafe { System.alloc(LAYOUT) };
        RESERVED.store(reserved, Relaxed);
        EXHAUSTED.store(reserved.is_null(), Relaxed);
    }
    !exhausted()
}

/// Gives the reserve back. Reports whether there was one.
fn release() -> bool {
    let reserved = RESERVED.swap(std::ptr::null_mut(), Relaxed);
    EXHAUSTED.store(true, Relaxed);
    if !reserved.is_null() {
        unsafe { System.dealloc(reserved, LAYOUT) };
    }
    !reserved.is_null()
}

unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let at = unsafe { System.alloc(layout) };
        if at.is_null() && layout.size() <= RESERVE && release() { unsafe { System.alloc(layout) } } else { at }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let at = unsafe { System.alloc_zeroed(layout) };
        if at.is_null() && layout.size() <= RESERVE && release() { unsafe { System.alloc_zeroed(layout) } } else { at }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let at = unsafe { System.realloc(old, layout, size) };
        if at.is_null() && size <= RESERVE && release() { unsafe { System.realloc(old, layout, size) } } else { at }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}
