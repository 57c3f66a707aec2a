//! The hooks that look at the state. The engine serves them itself, up to the script's function, because the API, in Python, would take most of
//! their time. The API serves the other hooks, and what is rare.

use std::cell::RefCell;

use rustpython_vm::builtins::{PyCode, PyDict, PyDictRef, PyInt, PyListRef, PyStr, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};

use crate::input::Input;
use crate::{codec, limit};

const NAMES: [&str; 4] = ["before_agent", "before_model", "after_model", "after_agent"];

/// What a hook returns that is not a field.
const NOT_FIELDS: [&[u8]; 3] = [b"messages", b"jump_to", b"patch"];

thread_local! {
    static OPEN: RefCell<Option<(&'static str, PyRef<Input>)>> = const { RefCell::new(None) };
}

/// The name and the input of the hook that runs; None: there is none.
pub fn opened(vm: &VirtualMachine) -> PyObjectRef {
    OPEN.with_borrow(|open| match open {
        Some((name, input)) => vm.new_tuple((*name, input.clone())).into(),
        None => vm.ctx.none(),
    })
}

/// Ends the call of a hook.
pub fn close() {
    OPEN.set(None);
}

/// What the hooks need of the API.
pub struct Nodes {
    hooks: PyDictRef, // by their names
    frames: PyListRef,
    api: PyDictRef, // of the module agenthost._engine
    state: PyTypeRef,
    runtime: PyTypeRef,
    found: RefCell<Vec<Node>>,
}

#[derive(Clone)]
struct Node {
    name: &'static str,
    run: PyObjectRef,
    takes_runtime: bool,
}

impl Nodes {
    pub fn new(engine: &PyObject, vm: &VirtualMachine) -> PyResult<Self> {
        let request = engine.get_attr("_request", vm)?;
        let nodes = Self {
            hooks: engine.get_attr("_hook", vm)?.get_attr("registered", vm)?.try_into_value(vm)?,
            frames: request.get_attr("frames", vm)?.try_into_value(vm)?,
            api: engine.get_attr("__dict__", vm)?.try_into_value(vm)?,
            state: request.get_attr("State", vm)?.try_into_value(vm)?,
            runtime: request.get_attr("Runtime", vm)?.try_into_value(vm)?,
            found: RefCell::default(),
        };
        for name in NAMES {
            let Some(node) = nodes.find(name, vm)? else { continue };
            let code = node.run.get_attr("__code__", vm).ok(); // another callable has none
            if let Some(code) = code.as_ref().and_then(|code| code.downcast_ref::<PyCode>()) {
                limit::trust(code, vm);
            }
        }
        Ok(nodes)
    }

    /// Serves a hook. Returns None if it is not one of these.
    pub fn serve(
        &self,
        name: &'static str,
        input: &PyRef<Input>,
        vm: &VirtualMachine,
    ) -> PyResult<Option<PyObjectRef>> {
        let Some(node) = self.find(name, vm)? else { return Ok(None) };
        if !self.frames.borrow_vec().is_empty() {
            self.frames.borrow_vec_mut().clear();
        }
        OPEN.set(Some((name, input.clone())));
        let state = self.state(input, vm)?;
        let value = if node.takes_runtime {
            node.run.call((state, self.runtime(input, vm)?), vm)
        } else {
            node.run.call((state,), vm)
        }?;
        let result = self.result(value, vm)?;
        if self.frames.borrow_vec().is_empty() { Ok(Some(result)) } else { self.api("ended", (result,), vm).map(Some) }
    }

    fn find(&self, name: &'static str, vm: &VirtualMachine) -> PyResult<Option<Node>> {
        if !NAMES.contains(&name) {
            return Ok(None);
        }
        if let Some(node) = self.found.borrow().iter().find(|n| n.name == name) {
            return Ok(Some(node.clone()));
        }
        let Some(hook) = self.hooks.get_item_opt(name, vm)? else { return Ok(None) };
        let parameters = hook.get_attr("parameters", vm)?;
        let parameters = parameters.downcast_ref::<PyInt>().and_then(|n| i64::try_from(n.as_bigint()).ok());
        let node = Node { name, run: hook.get_attr("run", vm)?, takes_runtime: parameters.is_some_and(|n| n > 1) };
        self.found.borrow_mut().push(node.clone());
        Ok(Some(node))
    }

    fn api(
        &self,
        name: &'static str,
        args: impl rustpython_vm::function::IntoFuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult {
        self.api.get_item(vm.ctx.intern_str(name), vm)?.call(args, vm)
    }

    /// The same as State(input).
    fn state(&self, input: &PyRef<Input>, vm: &VirtualMachine) -> PyResult {
        let fields = PyDict::default();
        if let Some(bytes) = input.bytes(b"state") {
            codec::decode_pairs(bytes, &fields, vm)?;
        }
        let state: PyObjectRef = fields.into_ref_with_type(vm, self.state.clone())?.into();
        if let Some(own) = state.dict() {
            own.set_item(vm.ctx.intern_str("_input"), input.clone().into(), vm)?;
        }
        Ok(state)
    }

    /// The same as Runtime(input, config).
    fn runtime(&self, input: &PyRef<Input>, vm: &VirtualMachine) -> PyResult {
        let own = vm.ctx.new_dict();
        own.set_item(vm.ctx.intern_str("_input"), input.clone().into(), vm)?;
        let config = vm.ctx.intern_str("config");
        own.set_item(config, self.api.get_item(config, vm)?, vm)?;
        Ok(vm.ctx.new_base_object(self.runtime.clone(), Some(own)))
    }

    /// The Result of what a hook returned: {"state": value} of a dict that holds only fields.
    fn result(&self, value: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        if vm.is_none(&value) {
            return Ok(value);
        }
        if value.class().is(vm.ctx.types.coroutine_type) {
            let value = self.api("run_to_end", (value,), vm)?;
            return self.result_of_any(value, vm);
        }
        match value.downcast_ref_if_exact::<PyDict>(vm) {
            Some(dict) if dict.__len__() > 0 && dict.keys_vec().iter().all(|key| is_field(key)) => {
                let out = vm.ctx.new_dict();
                out.set_item(vm.ctx.intern_str("state"), value, vm)?;
                Ok(out.into())
            }
            _ => self.result_of_any(value, vm),
        }
    }

    fn result_of_any(&self, value: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        if vm.is_none(&value) { Ok(value) } else { self.api("update", (value, vm.ctx.new_dict()), vm) }
    }
}

fn is_field(key: &PyObject) -> bool {
    key.downcast_ref::<PyStr>().is_some_and(|key| !NOT_FIELDS.contains(&key.as_bytes()))
}
