//! What stops a script that runs too long: a callback of sys.monitoring, called for each iteration of a loop. A loop ends in an error of
//! the language, with a line, before the fuel is used up.

use std::cell::Cell;

use rustpython_vm::{PyResult, VirtualMachine};

use crate::memory;

/// How many iterations one call of a hook may make.
const MOST: u32 = 300_000;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(MOST) };
}

/// Begins a call of a hook.
pub fn reset() {
    LEFT.set(MOST);
    memory::reserve();
}

/// Counts one iteration.
pub fn count(vm: &VirtualMachine) -> PyResult<()> {
    if memory::exhausted() && !memory::reserve() {
        return Err(vm.new_memory_error("out of memory"));
    }
    match LEFT.get() {
        0 => Err(vm.new_exception_msg(vm.ctx.exceptions.timeout_error.to_owned(), "the hook runs too long".into())),
        n => {
            LEFT.set(n - 1);
            Ok(())
        }
    }
}
