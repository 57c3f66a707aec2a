//! The virtual clock: the time in the input of the hook.

use std::cell::Cell;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// Nanoseconds since 1970.
pub fn now() -> u64 {
    NOW.get()
}

pub fn set(ns: u64) {
    NOW.set(ns);
}
