//! What stops a script that runs too long: a callback of the interpreter's monitoring, which it calls for each iteration of a loop and each
//! call of a function of the script. Such a script ends in an error of the language, with a line, before the fuel is used up.

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::PyCode;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, Py, PyObject, PyRef, PyResult, VirtualMachine};

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
    static FUNCTIONS: RefCell<Vec<PyRef<PyCode>>> = const { RefCell::new(Vec::new()) }; // of the script
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
    vm.state.instrumentation_version.fetch_add(1, Ordering::Release);
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
    let mut codes = inner(module);
    while let Some(code) = codes.pop() {
        vm.state.monitoring.lock().local_events.insert((TOOL, code.get_id()), 1 << START);
        codes.extend(inner(&code));
        FUNCTIONS.with_borrow_mut(|all| all.push(code));
    }
}

fn inner(code: &Py<PyCode>) -> Vec<PyRef<PyCode>> {
    let constants = code.constants.iter().map(Borrow::<PyObject>::borrow);
    constants.filter_map(|c| c.downcast_ref::<PyCode>().map(|code| code.to_owned())).collect()
}

/// Stops counting the calls of a hook's function, which cost as much as some statements, if no function of the script has its name: then only
/// the engine calls it.
pub fn trust(hook: &Py<PyCode>, vm: &VirtualMachine) {
    let named = |code: &Py<PyCode>| {
        [&code.names, &code.varnames, &code.cellvars, &code.freevars]
            .iter()
            .any(|names| names.iter().any(|name| name.is(hook.obj_name)))
    };
    if FUNCTIONS.with_borrow(|all| all.iter().any(|code| named(code))) {
        return;
    }
    vm.state.monitoring.lock().local_events.remove(&(TOOL, hook.get_id()));
    vm.state.instrumentation_version.fetch_add(1, Ordering::Release);
}

/// Begins a call of a hook.
pub fn reset() {
    LEFT.set(MOST);
    memory::begin();
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
