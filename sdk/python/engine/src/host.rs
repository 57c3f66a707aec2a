//! The imports of the ABI.

use std::process::abort;

mod import {
    #[link(wasm_import_module = "agenthost_v1")]
    unsafe extern "C" {
        pub fn input_read(buf: *mut u8, cap: usize) -> usize;
        pub fn result_write(ptr: *const u8, len: usize) -> i32;
        pub fn next(ptr: *const u8, len: usize) -> i64;
        pub fn host_call(op: *const u8, oplen: usize, ptr: *const u8, len: usize) -> i64;
        pub fn reply_read(buf: *mut u8, cap: usize) -> usize;
        #[link_name = "log"]
        pub fn host_log(level: i32, ptr: *const u8, len: usize);
    }
}

const ERROR: i32 = 3;

/// The length of the input of `_initialize`.
pub fn script_length() -> usize {
    unsafe { import::input_read(std::ptr::null_mut(), 0) }
}

pub fn input(length: usize) -> Vec<u8> {
    let mut buffer = vec![0; length];
    unsafe { import::input_read(buffer.as_mut_ptr(), length) };
    buffer
}

pub fn write(result: &[u8]) {
    unsafe { import::result_write(result.as_ptr(), result.len()) };
}

/// Calls the inner layers. Returns the status and the reply.
pub fn next(change: &[u8]) -> (i32, Vec<u8>) {
    reply(unsafe { import::next(change.as_ptr(), change.len()) })
}

/// Calls an operation. Returns the status and the reply.
pub fn operation(op: &str, document: &[u8]) -> (i32, Vec<u8>) {
    reply(unsafe { import::host_call(op.as_ptr(), op.len(), document.as_ptr(), document.len()) })
}

/// Takes a status in the upper and a length in the lower half.
fn reply(packed: i64) -> (i32, Vec<u8>) {
    let mut document = vec![0; packed as u32 as usize];
    if !document.is_empty() {
        unsafe { import::reply_read(document.as_mut_ptr(), document.len()) };
    }
    ((packed >> 32) as i32, document)
}

pub fn log(level: i32, line: &str) {
    unsafe { import::host_log(level, line.as_ptr(), line.len()) }
}

/// Writes a line of the level error and traps: the fault's text ends with that line.
pub fn fail(text: &str) -> ! {
    log(ERROR, text);
    abort()
}
