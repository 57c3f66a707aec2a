//! The module `_agenthost`: what the API, in Python, needs of the engine.

pub(crate) use engine::module_def;

#[rustpython_derive::pymodule(name = "_agenthost")]
mod engine {
    use rustpython_vm::builtins::{PyBytesRef, PyStrRef, PyTypeRef};
    use rustpython_vm::function::{FuncArgs, OptionalArg};
    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

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

    /// Decodes a message of a view.
    #[pyfunction]
    fn decode(bytes: PyBytesRef, vm: &VirtualMachine) -> PyResult {
        codec::decode(bytes.as_bytes(), vm)
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

    #[pyfunction]
    fn set_clock(ns: u64) {
        clock::set(ns);
    }

    #[pyfunction]
    fn seed(seed: u64) {
        random::seed(seed);
    }

    /// The callback of sys.monitoring.
    #[pyfunction]
    fn count(_: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
        limit::count(vm)
    }

    /// Gives the call its iterations again.
    #[pyfunction]
    fn reset() {
        limit::reset();
    }

    /// Sets an attribute of a built-in class.
    #[pyfunction]
    fn patch(class: PyTypeRef, name: PyStrRef, value: PyObjectRef, vm: &VirtualMachine) {
        class.set_attr(vm.ctx.intern_str(name.to_string_lossy().as_ref()), value);
    }
}
