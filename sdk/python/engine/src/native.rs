//! The module `_agenthost`: what the API, in Python, needs of the engine. Scripts can reach it, so it gives them nothing that they must
//! not have.

pub(crate) use engine::module_def;

#[rustpython_derive::pymodule(name = "_agenthost")]
mod engine {
    use rustpython_vm::builtins::{PyBytes, PyCode, PyDict, PyDictRef, PyListRef, PyStrRef, PyType, PyTypeRef};
    use rustpython_vm::function::OptionalArg;
    use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};

    use crate::{clock, codec, host, limit, random};

    /// Calls the inner layers. Returns the status and the reply.
    #[pyfunction]
    fn next(change: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let document = optional(change, vm)?;
        outcome(host::next(&document), vm)
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

    /// Decodes the messages of a view. The classes of messages, which are dicts, are found by role.
    #[pyfunction]
    fn messages(items: PyListRef, classes: PyDictRef, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
        let items = items.borrow_vec().to_vec();
        items.iter().map(|item| message(item, &classes, vm)).collect()
    }

    fn message(item: &PyObject, classes: &Py<PyDict>, vm: &VirtualMachine) -> PyResult {
        let bytes = item.downcast_ref::<PyBytes>().ok_or_else(|| vm.new_type_error("a message of a view is bytes"))?;
        let value = codec::decode(bytes.as_bytes(), vm)?;
        let Some(keys) = value.downcast_ref::<PyDict>() else { return Ok(value) };
        let class = keys.get_item_opt("role", vm)?.map_or(Ok(None), |role| classes.get_item_opt(&*role, vm))?;
        match class.and_then(|class| class.downcast::<PyType>().ok()) {
            Some(class) => Ok(keys.copy().into_ref_with_type(vm, class)?.into()),
            None => Ok(value),
        }
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
