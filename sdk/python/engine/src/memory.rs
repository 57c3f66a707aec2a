//! The allocator. It keeps small blocks that were freed, because the interpreter makes and frees an object at each step. When the memory is
//! used up it releases a reserve and has the script stopped by a MemoryError.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::Relaxed};

const RESERVE: usize = 2 << 20; // bytes: what the script can need until its next call or iteration, and the error itself
const LAYOUT: Layout = unsafe { Layout::from_size_align_unchecked(RESERVE, 16) };
const LARGE: usize = 1 << 20; // bytes
const STEP: usize = 16; // bytes: the sizes of small blocks are multiples of it
const SMALL: usize = 512; // bytes: the largest small block
const ALIGNED: usize = 8; // bytes: what the system aligns every block to
const MOST_KEPT: usize = 256 << 10; // bytes of small blocks that are free: the rest of the memory must stay in one piece

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static PENDING: AtomicBool = AtomicBool::new(false); // something for the next check of the script's memory
static LARGEST: AtomicUsize = AtomicUsize::new(0); // bytes of the largest block since that check, if it was large

static FREE: [AtomicPtr<u8>; SMALL / STEP] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SMALL / STEP]; // lists of small blocks
static KEPT: AtomicUsize = AtomicUsize::new(0); // bytes in them

pub struct Allocator;

/// Begins a call: what earlier calls made is not a hint of what the script does now.
pub fn begin() {
    LARGEST.store(0, Relaxed);
    reserve();
}

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

/// The list of a small block, and the size of the blocks in it.
fn small(layout: Layout) -> Option<(&'static AtomicPtr<u8>, usize)> {
    if layout.size() > SMALL || layout.align() > ALIGNED || layout.size() == 0 {
        return None;
    }
    let n = (layout.size() - 1) / STEP;
    Some((&FREE[n], (n + 1) * STEP))
}

/// Takes a block from a list.
fn take(free: &AtomicPtr<u8>, size: usize) -> *mut u8 {
    let at = free.load(Relaxed);
    if !at.is_null() {
        free.store(unsafe { at.cast::<*mut u8>().read() }, Relaxed); // a free block begins with the address of the next one
        KEPT.store(KEPT.load(Relaxed) - size, Relaxed);
    }
    at
}

/// Puts a block into a list, unless the lists are full.
fn keep(free: &AtomicPtr<u8>, size: usize, at: *mut u8) -> bool {
    let kept = KEPT.load(Relaxed) + size;
    if kept > MOST_KEPT {
        return false;
    }
    KEPT.store(kept, Relaxed);
    unsafe { at.cast::<*mut u8>().write(free.load(Relaxed)) };
    free.store(at, Relaxed);
    true
}

/// A block of the system, for which the reserve is given back if there is no other.
#[cold]
#[inline(never)]
unsafe fn from_system(layout: Layout) -> *mut u8 {
    let at = unsafe { System.alloc(layout) };
    made(if at.is_null() && release(layout.size()) { unsafe { System.alloc(layout) } } else { at }, layout.size())
}

unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((free, size)) = small(layout) else { return unsafe { from_system(layout) } };
        let at = take(free, size);
        if at.is_null() { unsafe { from_system(Layout::from_size_align_unchecked(size, ALIGNED)) } } else { at }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if small(layout).is_some() {
            let at = unsafe { self.alloc(layout) };
            if !at.is_null() {
                unsafe { at.write_bytes(0, layout.size()) };
            }
            return at;
        }
        let at = unsafe { System.alloc_zeroed(layout) };
        made(
            if at.is_null() && release(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { at },
            layout.size(),
        )
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (small(layout), small(new)) {
            (None, None) => {
                let at = unsafe { System.realloc(old, layout, size) };
                made(
                    if at.is_null() && release(size) { unsafe { System.realloc(old, layout, size) } } else { at },
                    size,
                )
            }
            (Some((from, _)), Some((to, _))) if std::ptr::eq(from, to) => old,
            _ => {
                let at = unsafe { self.alloc(new) };
                if !at.is_null() {
                    unsafe {
                        at.copy_from_nonoverlapping(old, layout.size().min(size));
                        self.dealloc(old, layout);
                    }
                }
                at
            }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match small(layout) {
            Some((free, size)) if keep(free, size, at) => {}
            Some((_, size)) => unsafe { System.dealloc(at, Layout::from_size_align_unchecked(size, ALIGNED)) },
            None => unsafe { System.dealloc(at, layout) },
        }
    }
}
