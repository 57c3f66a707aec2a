//! The interpreter of an instance, and its calls into agenthost/_engine.py.

use std::cell::RefCell;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyDict, PyDictRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::{
    Interpreter, PyObject, PyObjectRef, PyPayload, PyResult, Settings, VirtualMachine, common::rc::PyRc,
};

use crate::input::Input;
use crate::node::{self, Nodes};
use crate::{clock, codec, exception, guard, host, limit, native, random, shortcut};

/// The native modules that scripts, or the frozen part of the standard library, can import.
const NATIVE: &[&str] = &[
    "_ast",
    "_bisect",
    "_collections",
    "_datetime",
    "_functools",
    "_heapq",
    "_json",
    "_md5",
    "_operator",
    "_random",
    "_sha1",
    "_sha2",
    "_sha3",
    "_sre",
    "_statistics",
    "_string",
    "_struct",
    "_typing",
    "_types",
    "_abc",
    "_agenthost",
    "_codecs",
    "_imp",
    "_io",
    "_suggestions",
    "_thread",
    "_warnings",
    "_weakref",
    "atexit",
    "binascii",
    "builtins",
    "cmath",
    "errno",
    "gc",
    "itertools",
    "marshal",
    "math",
    "sys",
    "_blake2",
    "unicodedata",
    "_opcode",
    "_hashlib",
    "_symtable",
    "_contextvars",
];

struct Engine {
    interpreter: Interpreter,
    script: Script,
}

/// What serves the hooks of a script that was evaluated.
struct Script {
    nodes: Nodes,
    modules: PyDictRef, // of sys
    serve: PyObjectRef,
    failed: PyObjectRef, // takes what serve raised
}

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Starts the interpreter and evaluates the script.
pub fn start() {
    std::panic::set_hook(Box::new(|info| host::log(3, &info.to_string())));
    let length = host::script_length();
    if length == 0 {
        host::fail("this is an engine without a script: the module has no section agenthost.script");
    }
    limit::reset();
    let script = host::input(length);
    let interpreter = interpreter();
    let script = interpreter.enter(|vm| {
        load(&script, vm).unwrap_or_else(|e| {
            limit::reset(); // what follows may run even if the script ran too long
            host::fail(&exception::describe(&e, vm))
        })
    });
    ENGINE.set(Some(Engine { interpreter, script }));
}

fn interpreter() -> Interpreter {
    let mut settings = Settings::default();
    settings.hash_seed = Some(0);
    settings.install_signal_handlers = false;
    settings.import_site = false;
    settings.ignore_environment = true;
    settings.write_bytecode = false;
    settings.code_debug_ranges = false;
    let builder = Interpreter::builder(settings);
    let mut modules = rustpython_stdlib::stdlib_module_defs(&builder.ctx);
    modules.push(native::module_def(&builder.ctx));
    builder
        .add_native_modules(&modules)
        .add_frozen_modules(rustpython_derive::py_freeze!(dir = "../lib", crate_name = "rustpython_compiler_core"))
        .add_frozen_modules(rustpython_derive::py_freeze!(dir = "../api", crate_name = "rustpython_compiler_core"))
        .init_hook(|vm| {
            let modules = &mut PyRc::get_mut(&mut vm.state).expect("nothing else refers to the state yet").module_defs;
            if let Some(time) = modules.remove("time") {
                modules.insert("_time", time); // the frozen time.py takes its calendar from there
            }
            modules.retain(|name, _| *name == "_time" || NATIVE.contains(name));
        })
        .build()
}

/// Evaluates the script.
fn load(script: &[u8], vm: &VirtualMachine) -> PyResult<Script> {
    let _ = Input::make_static_type();
    let engine = vm.import("agenthost._engine", 0)?.get_attr("_engine", vm)?;
    let script = codec::decode(script, vm)?;
    if let Some(files) = script.get_item("files", vm)?.downcast_ref::<PyDict>() {
        exception::set_files(files);
    }
    guard::install(vm)?;
    limit::install(vm)?;
    shortcut::install(&engine, vm)?;
    vm.call_method(&engine, "start", (script,))?;
    Ok(Script {
        nodes: Nodes::new(&engine, vm)?,
        modules: vm.sys_module.get_attr("modules", vm)?.try_into_value(vm)?,
        serve: engine.get_attr("serve", vm)?,
        failed: engine.get_attr("failed", vm)?,
    })
}

/// Serves one call of the host. Returns whether there is a result.
pub fn call(name: &'static str, length: usize) -> i32 {
    let input = host::input(length);
    limit::reset();
    ENGINE.with_borrow(|engine| {
        let engine = engine.as_ref().expect("_initialize was called");
        engine.interpreter.enter(|vm| {
            let result = serve(&engine.script, name, input, vm).unwrap_or_else(|e| fail(&engine.script, name, &e, vm));
            node::close();
            if result.is_empty() {
                return 0;
            }
            host::write(&result);
            1
        })
    })
}

/// Returns the encoded result; empty: there is none.
fn serve(script: &Script, name: &'static str, input: Vec<u8>, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
    let value = match name {
        "describe" | "configure" => {
            clock::set(0);
            random::seed(0);
            let input = if input.is_empty() { vm.ctx.none() } else { codec::decode(&input, vm)? };
            script.serve.call((name, input), vm)?
        }
        _ => {
            let input = Input::new(input, vm)?.into_ref(&vm.ctx);
            let seed = input.number(b"seed");
            clock::set(input.number(b"now"));
            random::seed(seed);
            let random = script.modules.get_item_opt(vm.ctx.intern_str("random"), vm)?;
            if let Some(random) = random.filter(|random| !vm.is_none(random)) {
                vm.call_method(&random, "seed", (seed,))?;
            }
            match script.nodes.serve(name, &input, vm)? {
                Some(value) => value,
                None => script.serve.call((name, input), vm)?,
            }
        }
    };
    result(&value, vm)
}

fn result(value: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
    if vm.is_none(value) { Ok(Vec::new()) } else { codec::encode(value, vm) }
}

/// Returns the encoded result of a call that raised.
fn fail(script: &Script, name: &str, e: &PyBaseExceptionRef, vm: &VirtualMachine) -> Vec<u8> {
    limit::reset(); // what follows may run even if the script ran too long
    let text = exception::describe(e, vm);
    if name == "describe" {
        host::fail(&text); // a Description cannot be an error
    }
    limit::reset();
    let failed = script.failed.call((e.clone(), vm.ctx.new_str(text)), vm).and_then(|value| result(&value, vm));
    failed.unwrap_or_else(|e| {
        limit::reset();
        failure(&exception::describe(&e, vm), vm)
    })
}

/// A result with an error that only has a text.
fn failure(text: &str, vm: &VirtualMachine) -> Vec<u8> {
    let (error, result) = (vm.ctx.new_dict(), vm.ctx.new_dict());
    let made = error
        .set_item("type", vm.ctx.new_str("error").into(), vm)
        .and_then(|()| error.set_item("message", vm.ctx.new_str(text).into(), vm))
        .and_then(|()| result.set_item("error", error.into(), vm))
        .and_then(|()| codec::encode(result.as_ref(), vm));
    made.unwrap_or_else(|_| host::fail(text))
}
