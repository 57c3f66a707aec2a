//! The module `_agenthost`: what the API, in Python, needs of the engine. Scripts can reach it, so it gives them nothing that they must
//! not have.

pub(crate) use engine::module_def;

#[rustpython_derive::pymodule(name = "_agenthost")]
mod engine {
    use rustpython_vm::builtins::{PyBytesRef, PyCode, PyDictRef, PyStrRef, PyTypeRef};
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};

    use crate::input::Input;
    use crate::{clock, codec, host, limit, node, random};

    /// Calls the inner layers. Returns the status and the reply, whose values are decoded when they are needed if the status is 0.
    #[pyfunction]
    fn next(change: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let document = optional(change, vm)?;
        match host::next(&document) {
            (0, reply) if !reply.is_empty() => Ok(vm.new_tuple((0, Input::new(reply, vm)?.into_ref(&vm.ctx))).into()),
            other => outcome(other, vm),
        }
    }

    /// Calls an operation. Returns the status and the reply.
    #[pyfunction]
    fn call(op: PyStrRef, payload: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let document = optional(payload, vm)?;
        outcome(host::operation(&op.to_string_lossy(), &document), vm)
    }

    fn optional(value: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Vec<u8>> {
        match value {
            OptionalArg::Present(v) if !vm.is_none(&v) => codec::encode(&v, vm),
            _ => Ok(Vec::new()),
        }
    }

    fn outcome((status, reply): (i32, Vec<u8>), vm: &VirtualMachine) -> PyResult {
        let reply = if reply.is_empty() { vm.ctx.none() } else { codec::decode(&reply, vm)? };
        Ok(vm.ctx.new_tuple(vec![vm.ctx.new_int(status).into(), reply]).into())
    }

    /// The messages of a view. Their classes, which are dicts, are found by role.
    #[pyfunction]
    fn messages(items: PyBytesRef, classes: PyDictRef, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        codec::messages(items.as_bytes(), &classes, vm)
    }

    /// The name and the input of the hook that runs, if the engine serves it without the API; None: there is none.
    #[pyfunction]
    fn opened(vm: &VirtualMachine) -> PyObjectRef {
        node::opened(vm)
    }

    #[pyfunction]
    fn log(level: i32, line: PyStrRef) {
        host::log(level, &line.to_string_lossy());
    }

    /// Random bytes of the seed.
    #[pyfunction]
    fn random_bytes(count: usize) -> Vec<u8> {
        random::bytes(count)
    }

    /// The virtual time, in nanoseconds since 1970.
    #[pyfunction]
    fn now() -> u64 {
        clock::now()
    }

    /// Has the calls of the functions of a script's module counted.
    #[pyfunction]
    fn watch(module: PyRef<PyCode>, vm: &VirtualMachine) {
        limit::watch(&module, vm);
    }

    /// Sets an attribute of a built-in class.
    #[pyfunction]
    fn patch(class: PyTypeRef, name: PyStrRef, value: PyObjectRef, vm: &VirtualMachine) {
        class.set_attr(vm.ctx.intern_str(name.to_string_lossy().as_ref()), value);
    }
}
