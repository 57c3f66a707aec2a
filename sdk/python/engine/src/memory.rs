//! The allocator. When the memory is used up it releases a reserve and has the script stopped by a MemoryError.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};

const RESERVE: usize = 2 << 20; // bytes: what the script can need until its next call or iteration, and the error itself
const LAYOUT: Layout = unsafe { Layout::from_size_align_unchecked(RESERVE, 16) };
const LARGE: usize = 1 << 20; // bytes

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static PENDING: AtomicBool = AtomicBool::new(false); // something for the next check of the script's memory
static LARGEST: AtomicUsize = AtomicUsize::new(0); // bytes of the largest block since that check, if it was large

pub struct Allocator;

/// Reports whether suffices must be called.
pub fn pending() -> bool {
    PENDING.load(Relaxed)
}

/// Reports whether a script can go on: there is a reserve, and a script that has made a large block can make one twice as large. That
/// is what the next step of a script that doubles a string takes at once, and a block that the memory cannot hold is the end of the
/// instance.
pub fn suffices() -> bool {
    let largest = LARGEST.swap(0, Relaxed);
    reserve() && (largest == 0 || available(largest.saturating_mul(2)))
}

/// Takes the reserve again, if there is memory for it. Reports whether there is a reserve.
pub fn reserve() -> bool {
    if RESERVED.load(Relaxed).is_null() {
        RESERVED.store(unsafe { System.alloc(LAYOUT) }, Relaxed);
    }
    let reserved = !RESERVED.load(Relaxed).is_null();
    PENDING.store(!reserved, Relaxed);
    reserved
}

/// Reports whether the memory has a block of a size, beside the reserve.
pub fn available(size: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(size, 16) else { return false };
    let block = unsafe { System.alloc(layout) };
    if !block.is_null() {
        unsafe { System.dealloc(block, layout) };
    }
    !block.is_null()
}

/// Gives the reserve back, if that is enough for a block. Reports whether there was one.
fn release(size: usize) -> bool {
    if size > RESERVE {
        return false;
    }
    let reserved = RESERVED.swap(std::ptr::null_mut(), Relaxed);
    PENDING.store(true, Relaxed);
    if !reserved.is_null() {
        unsafe { System.dealloc(reserved, LAYOUT) };
    }
    !reserved.is_null()
}

/// Notes a block, if there is one.
fn made(at: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !at.is_null() {
        LARGEST.fetch_max(size, Relaxed);
        PENDING.store(true, Relaxed);
    }
    at
}

unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let at = unsafe { System.alloc(layout) };
        made(if at.is_null() && release(layout.size()) { unsafe { System.alloc(layout) } } else { at }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let at = unsafe { System.alloc_zeroed(layout) };
        made(
            if at.is_null() && release(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { at },
            layout.size(),
        )
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let at = unsafe { System.realloc(old, layout, size) };
        made(if at.is_null() && release(size) { unsafe { System.realloc(old, layout, size) } } else { at }, size)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}
