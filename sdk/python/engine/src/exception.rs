//! What an exception says. Its class is the script's own, so its text may raise, loop or be huge; only that text comes from its code.

use std::cell::RefCell;
use std::collections::HashSet;

use rustpython_vm::builtins::{PyBaseException, PyBaseExceptionRef, PyDict, PyInt, PyStr};
use rustpython_vm::{AsObject, Py, PyObject, VirtualMachine};

const MOST: usize = 2048; // bytes
const CALLERS: usize = 3;

thread_local! {
    static FILES: RefCell<HashSet<String>> = RefCell::default();
}

/// Takes the paths of the script's files, which are the keys of a dict.
pub fn set_files(files: &PyDict) {
    let paths = files
        .items_vec()
        .into_iter()
        .filter_map(|(path, _)| Some(path.downcast_ref::<PyStr>()?.to_string_lossy().into_owned()));
    FILES.replace(paths.collect());
}

fn is_file(path: &str) -> bool {
    FILES.with_borrow(|files| files.contains(path))
}

/// An exception in one line, after the places of the script that it came through, the innermost first.
pub fn describe(e: &PyBaseExceptionRef, vm: &VirtualMachine) -> String {
    let class = e.class().name().to_string();
    if let Some(text) = describe_syntax(e, &class, vm) {
        return cut(text);
    }
    let said = e.as_object().str(vm).map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let text = if said.is_empty() { class } else { format!("{class}: {said}") };
    let mut places = places(e);
    let Some(place) = places.pop() else { return cut(text) };
    let callers = places.into_iter().rev().take(CALLERS).collect::<Vec<_>>();
    let callers = if callers.is_empty() { String::new() } else { format!(" (called from {})", callers.join(", ")) };
    format!("{}{callers}", cut(format!("{place}: {text}")))
}

/// The error of the compiler, which has a file and a line of its own.
fn describe_syntax(e: &PyBaseExceptionRef, class: &str, vm: &VirtualMachine) -> Option<String> {
    let known = [vm.ctx.exceptions.syntax_error, vm.ctx.exceptions.indentation_error, vm.ctx.exceptions.tab_error];
    if !known.iter().any(|c| e.class().is(*c)) {
        return None;
    }
    let attribute = |name| e.as_object().get_attr(name, vm).ok();
    let file = text_of(&*attribute("filename")?)?;
    if !is_file(&file) {
        return None;
    }
    let line = attribute("lineno")?.downcast_ref::<PyInt>()?.as_bigint().to_string();
    Some(format!("{file}:{line}: {class}: {}", text_of(&*attribute("msg")?)?))
}

fn text_of(value: &PyObject) -> Option<String> {
    Some(value.downcast_ref::<PyStr>()?.to_string_lossy().into_owned())
}

/// The places of the script, the outermost first.
fn places(e: &Py<PyBaseException>) -> Vec<String> {
    let mut places = Vec::<String>::new();
    let mut next = e.__traceback__();
    while let Some(entry) = next {
        let file = entry.frame.f_code().source_path().to_string_lossy().into_owned();
        if is_file(&file) {
            let place = format!("{file}:{}", entry.lineno.get());
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        next = entry.next.lock().clone();
    }
    places
}

fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MOST));
    text
}
