//! Built-in functions that are not for scripts, or not without a check.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use rustpython_vm::builtins::{PyByteArray, PyBytes, PyInt, PyList, PyStr, PyTuple, PyType};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

use crate::memory;

/// What the frozen part of the library may call, and scripts may not: it would run documents.
const NOT_FOR_SCRIPTS: [&str; 3] = ["eval", "exec", "compile"];

/// The largest width or precision of a format: no document holds a longer text.
const MOST_WIDTH: usize = 1 << 20;

/// A result up to this size is not worth a check.
const SMALL: usize = 1 << 20; // bytes

type Operator = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;

pub fn install(vm: &VirtualMachine) -> PyResult<()> {
    for name in NOT_FOR_SCRIPTS {
        let original = vm.builtins.get_attr(name, vm)?;
        let function = vm.new_function(name, move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            if called_by_script(vm) {
                return Err(vm.new_runtime_error(format!("{name}() is not available in a plugin")));
            }
            original.call(args, vm)
        });
        vm.builtins.set_attr(name, function, vm)?;
    }
    check_results(vm);
    // Reporting what a finalizer raises imports sys, and panics if the script nests too deeply for that; an interpreter that ends does not.
    vm.state.finalizing.store(true, Ordering::Release);
    Ok(())
}

/// Reports whether the code that calls a built-in function is that of a script, or made by one. Modules of the library have names such
/// as "json" or "<frozen zipimport>" for a file.
fn called_by_script(vm: &VirtualMachine) -> bool {
    vm.current_frame().is_some_and(|frame| {
        let path = frame.f_code().source_path().to_string_lossy().into_owned();
        path.ends_with(".py") || path.starts_with('<') && !path.starts_with("<frozen ")
    })
}

/// Has methods whose result can be much larger than their arguments ask for the memory first. They would not survive its lack, while
/// a MemoryError names the line.
fn check_results(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for class in [types.str_type, types.int_type, types.float_type, types.complex_type] {
        check(class, "__format__", |args, vm| widths(args.get(1), vm), vm);
    }
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        check(class, "join", joined, vm);
        check(class, "replace", replaced, vm);
        check(class, "expandtabs", |args, vm| width(args.get(1), vm), vm);
    }
    macro_rules! check_remainder {
        ($class:expr) => {{
            static ORIGINAL: OnceLock<Operator> = OnceLock::new();
            fn checked(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult {
                formatted(format, values, vm)?;
                ORIGINAL.get().map_or_else(|| Ok(vm.ctx.not_implemented()), |original| original(format, values, vm))
            }
            let slots = &$class.slots.as_number;
            if let Some(original) = slots.remainder.load() {
                let _ = ORIGINAL.set(original);
                slots.remainder.store(Some(checked));
                slots.right_remainder.store(Some(checked));
            }
        }};
    }
    check_remainder!(types.str_type);
    check_remainder!(types.bytes_type);
    check_remainder!(types.bytearray_type);
}

/// Puts a check of the arguments before a method.
fn check(
    class: &'static Py<PyType>,
    name: &'static str,
    accepts: fn(&[PyObjectRef], &VirtualMachine) -> PyResult<()>,
    vm: &VirtualMachine,
) {
    let attribute = vm.ctx.intern_str(name);
    let Some(original) = class.get_attr(attribute) else { return };
    let method = vm.new_method(name, class, move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        accepts(&args.args, vm)?;
        original.call(args, vm)
    });
    class.set_attr(attribute, method.into());
}

/// Refuses a result that the memory cannot hold.
fn room(size: usize, vm: &VirtualMachine) -> PyResult<()> {
    if size <= SMALL || memory::available(size) { Ok(()) } else { Err(vm.new_memory_error("out of memory")) }
}

fn refuse_width(too_wide: bool, vm: &VirtualMachine) -> PyResult<()> {
    if too_wide { Err(vm.new_memory_error(format!("a width of more than {MOST_WIDTH} characters"))) } else { Ok(()) }
}

/// Checks the width that a number is.
fn width(value: Option<&PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
    let number = value.and_then(|v| v.downcast_ref::<PyInt>());
    refuse_width(
        number.is_some_and(|n| i64::try_from(n.as_bigint()).map_or(true, |n| n.unsigned_abs() > MOST_WIDTH as u64)),
        vm,
    )
}

/// Checks the widths of a format specification such as ">10.3".
fn widths(spec: Option<&PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
    let spec = spec.and_then(|s| s.downcast_ref::<PyStr>());
    refuse_width(spec.is_some_and(|s| s.as_bytes().split(|b| !b.is_ascii_digit()).any(is_wide)), vm)
}

fn is_wide(digits: &[u8]) -> bool {
    digits.iter().fold(0, |n: usize, d| n.saturating_mul(10).saturating_add((d - b'0').into())) > MOST_WIDTH
}

/// Checks the widths in the text on the left of %, and those that it takes from the values.
fn formatted(format: &PyObject, values: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let (wide, takes) = with_bytes(format, scan).unwrap_or_default();
    refuse_width(wide, vm)?;
    match values.downcast_ref::<PyTuple>() {
        Some(tuple) if takes => tuple.as_slice().iter().try_for_each(|v| width(Some(v), vm)),
        _ => Ok(()),
    }
}

/// Reports whether a conversion such as "%10.3f" has a huge width, and whether one takes its width from the values.
fn scan(format: &[u8]) -> (bool, bool) {
    let (mut wide, mut takes, mut rest) = (false, false, format);
    while let Some(at) = rest.iter().position(|b| *b == b'%') {
        rest = &rest[at + 1..];
        if rest.first() == Some(&b'(') {
            rest = &rest[rest.iter().position(|b| *b == b')').unwrap_or(rest.len() - 1)..];
        }
        let end = rest.iter().position(|b| !b")#0- +.*123456789".contains(b)).unwrap_or(rest.len());
        wide |= rest[..end].split(|b| !b.is_ascii_digit()).any(is_wide);
        takes |= rest[..end].contains(&b'*');
        rest = &rest[(end + 1).min(rest.len())..]; // after the letter, which may be another %
    }
    (wide, takes)
}

fn with_bytes<T>(value: &PyObject, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    if let Some(s) = value.downcast_ref::<PyStr>() {
        Some(read(s.as_bytes()))
    } else if let Some(b) = value.downcast_ref::<PyBytes>() {
        Some(read(b.as_bytes()))
    } else {
        value.downcast_ref::<PyByteArray>().map(|b| read(&b.borrow_buf()))
    }
}

fn size(value: &PyObject) -> usize {
    with_bytes(value, <[u8]>::len).unwrap_or(0)
}

/// Checks the arguments of join, as far as they are known before it begins.
fn joined(args: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<()> {
    let [separator, items] = args else { return Ok(()) };
    let sum = |items: &[PyObjectRef]| {
        items.iter().fold(size(separator).saturating_mul(items.len()), |n, item| n.saturating_add(size(item)))
    };
    if let Some(list) = items.downcast_ref::<PyList>() {
        room(sum(&list.borrow_vec()), vm)
    } else {
        items.downcast_ref::<PyTuple>().map_or(Ok(()), |tuple| room(sum(tuple.as_slice()), vm))
    }
}

/// Checks the arguments of replace.
fn replaced(args: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<()> {
    let [text, old, new, ..] = args else { return Ok(()) };
    let found = size(text) / size(old).max(1) + 1; // at most
    if found.saturating_mul(size(new)) <= SMALL {
        return Ok(());
    }
    let found = vm
        .call_method(text, "count", (old.clone(),))
        .ok()
        .and_then(|n| n.downcast_ref::<PyInt>().and_then(|n| usize::try_from(n.as_bigint()).ok()));
    room(found.unwrap_or(0).saturating_mul(size(new)).saturating_add(size(text)), vm)
}
