//! What stops a script that runs too long: a callback of the interpreter's monitoring, which it calls for each iteration of a loop and each
//! call of a function of the script. Such a script ends in an error of the language, with a line, before the fuel is used up.

use std::borrow::Borrow;
use std::cell::Cell;

use rustpython_vm::builtins::PyCode;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObject, PyResult, VirtualMachine};

use crate::memory;

/// How many iterations and calls one call of a hook may make.
const MOST: u32 = 300_000;

/// Events of the interpreter. Beginnings of functions count only in the code of the script, since its calls pass through it, and so the calls
/// of the API cost nothing.
const START: usize = 0;
const JUMP: usize = 7;

/// Which of the interpreter's tools the engine is.
const TOOL: usize = 5;

/// What a script could use to stop the counting, or to have its own code called where nothing is counted.
const WATCHERS: [&str; 8] = [
    "monitoring",
    "settrace",
    "gettrace",
    "setprofile",
    "getprofile",
    "_settraceallthreads",
    "_setprofileallthreads",
    "addaudithook",
];

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(MOST) };
}

/// Begins to count, for good: takes what could end it from the module sys, before the script runs.
pub fn install(vm: &VirtualMachine) -> PyResult<()> {
    let counter = vm.new_function("count", |_: FuncArgs, vm: &VirtualMachine| count(vm));
    {
        let mut state = vm.state.monitoring.lock();
        state.tool_names[TOOL] = Some("agenthost".into());
        state.global_events[TOOL] = 1 << JUMP;
        state.callbacks.extend([((TOOL, JUMP), counter.clone().into()), ((TOOL, START), counter.into())]);
        vm.state.monitoring_events.store(1 << START | 1 << JUMP);
    }
    vm.state.instrumentation_version.fetch_add(1, std::sync::atomic::Ordering::Release);
    for name in WATCHERS {
        vm.sys_module.dict().pop_item(name, vm)?;
    }
    vm.sys_module
        .get_attr("modules", vm)?
        .del_item("sys.monitoring", vm)
        .or_else(|e| if e.fast_isinstance(vm.ctx.exceptions.key_error) { Ok(()) } else { Err(e) })
}

/// Has the calls of a module's functions counted, before it runs.
pub fn watch(module: &Py<PyCode>, vm: &VirtualMachine) {
    let mut codes = vec![module.to_owned()];
    while let Some(code) = codes.pop() {
        vm.state.monitoring.lock().local_events.insert((TOOL, code.get_id()), 1 << START);
        codes.extend(
            code.constants
                .iter()
                .filter_map(|c| Borrow::<PyObject>::borrow(c).downcast_ref::<PyCode>().map(|code| code.to_owned())),
        );
    }
}

/// Begins a call of a hook.
pub fn reset() {
    LEFT.set(MOST);
    memory::reserve();
}

/// Counts one iteration or call.
fn count(vm: &VirtualMachine) -> PyResult<()> {
    if memory::pending() && !memory::suffices() {
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
