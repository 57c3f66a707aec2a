//! Native code for the methods of the API that hooks call most. What it does not answer, the methods in Python do.

use rustpython_vm::builtins::{PyDict, PyDictRef, PyStr, PyTypeRef};
use rustpython_vm::{PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use crate::codec;
use crate::input::Input;

pub fn install(engine: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let request = engine.get_attr("_request", vm)?;
    let message = vm.import("agenthost._message", 0)?.get_attr("_message", vm)?;
    let classes: PyDictRef = message.get_attr("_classes", vm)?.try_into_value(vm)?;
    let message: PyTypeRef = message.get_attr("Message", vm)?.try_into_value(vm)?;
    let state: PyTypeRef = request.get_attr("State", vm)?.try_into_value(vm)?;
    shorten(message, "__getattr__", item, vm);
    shorten(state.clone(), "__getattr__", item, vm);
    shorten(state, "__missing__", move |state, key, vm| messages(state, key, &classes, vm), vm);
    Ok(())
}

/// Puts native code before a method that takes a key.
fn shorten(
    class: PyTypeRef,
    name: &'static str,
    find: impl Fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult<Option<PyObjectRef>> + 'static,
    vm: &VirtualMachine,
) {
    let attribute = vm.ctx.intern_str(name);
    let Some(original) = class.get_attr(attribute) else { return };
    let class = PyRef::leak(class);
    let method =
        vm.new_method(name, class, move |this: PyObjectRef, key: PyObjectRef, vm: &VirtualMachine| -> PyResult {
            match find(&this, &key, vm)? {
                Some(value) => Ok(value),
                None => original.call((this, key), vm),
            }
        });
    class.set_attr(attribute, method.into());
}

/// The item of a dict.
fn item(this: &PyObject, key: &PyObject, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    this.downcast_ref::<PyDict>().map_or(Ok(None), |dict| dict.inner_getitem_opt(key, vm))
}

/// The messages of a state, which become an item of it.
fn messages(
    this: &PyObject,
    key: &PyObject,
    classes: &PyDictRef,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    if key.downcast_ref::<PyStr>().is_none_or(|key| key.as_bytes() != b"messages") {
        return Ok(None);
    }
    let (Some(state), Some(own)) = (this.downcast_ref::<PyDict>(), this.dict()) else { return Ok(None) };
    let input = own.get_item_opt(vm.ctx.intern_str("_input"), vm)?;
    let view = input.as_ref().and_then(|input| input.downcast_ref::<Input>()?.bytes(b"messages"));
    let Some(items) = view.and_then(codec::items) else { return Ok(None) };
    let messages: PyObjectRef = vm.ctx.new_list(codec::messages(items, classes, vm)?).into();
    state.inner_setitem(key, messages.clone(), vm)?;
    Ok(Some(messages))
}
