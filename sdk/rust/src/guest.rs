//! The module: the imports of the ABI, and the code of its exports. The attribute `plugin` writes the exports themselves.

use crate::document::Encode;
use crate::host::{Host, Status};
use crate::log::Level;
use crate::{dispatch, Context, ModelContext, Plugin, ToolContext};
use core::cell::UnsafeCell;

mod import {
    #[link(wasm_import_module = "agenthost_v1")]
    extern "C" {
        pub fn input_read(buf: *mut u8, cap: usize) -> usize;
        pub fn result_write(ptr: *const u8, len: usize) -> i32;
        pub fn next(ptr: *const u8, len: usize) -> i64;
        pub fn host_call(op: *const u8, oplen: usize, ptr: *const u8, len: usize) -> i64;
        pub fn reply_read(buf: *mut u8, cap: usize) -> usize;
        #[link_name = "log"]
        pub fn host_log(level: i32, ptr: *const u8, len: usize);
    }
}

/// A cell of an instance.
struct Cell<T>(UnsafeCell<T>);

// An instance has one thread and serves one call at a time; while a frame waits in an import the host calls no other.
unsafe impl<T> Sync for Cell<T> {}

/// Buffers that are kept from call to call.
struct Buffers {
    length: usize, // length of the input of this call
    read: bool,    // whether the input is in the buffer
    input: Vec<u8>,
    result: Vec<u8>,
}

static BUFFERS: Cell<Buffers> =
    Cell(UnsafeCell::new(Buffers { length: 0, read: false, input: Vec::new(), result: Vec::new() }));

/// The host, called through the imports.
struct Imports;

impl Host for Imports {
    fn input(&self) -> &[u8] {
        // The buffer is written only at the first look, before there is a reference to it, and then again in the next call.
        unsafe {
            let buffers = BUFFERS.0.get();
            let length = (*buffers).length;
            if !(*buffers).read {
                let input = &mut (*buffers).input;
                if input.len() < length {
                    *input = vec![0; length + length / 2];
                }
                import::input_read(input.as_mut_ptr(), length);
                (*buffers).read = true;
            }
            let input: &[u8] = &(*buffers).input;
            &input[..length]
        }
    }

    fn next(&self, change: &[u8]) -> (Status, usize) {
        unpack(unsafe { import::next(change.as_ptr(), change.len()) })
    }

    fn host_call(&self, op: &str, document: &[u8]) -> (Status, usize) {
        unpack(unsafe { import::host_call(op.as_ptr(), op.len(), document.as_ptr(), document.len()) })
    }

    fn read_reply(&self, length: usize) -> Vec<u8> {
        let mut document = Vec::with_capacity(length);
        if length > 0 {
            // The host writes the whole reply, or nothing and returns its length.
            unsafe {
                let got = import::reply_read(document.as_mut_ptr(), length);
                document.set_len(if got == length { length } else { 0 });
            }
        }
        document
    }

    fn log(&self, level: Level, line: &str) {
        log(level, line);
    }
}

fn log(level: Level, line: &str) {
    unsafe { import::host_log(level as i32, line.as_ptr(), line.len()) }
}

fn unpack(packed: i64) -> (Status, usize) {
    (Status((packed >> 32) as i32), packed as u32 as usize)
}

/// Begins a call with an input of this length.
fn begin(length: usize) -> Context {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|info| log(Level::Error, &info.to_string()))));
    unsafe {
        let buffers = BUFFERS.0.get();
        (*buffers).length = length;
        (*buffers).read = false;
    }
    Context::new(Box::new(Imports))
}

fn write(document: &[u8]) -> i32 {
    unsafe { import::result_write(document.as_ptr(), document.len()) };
    1
}

/// The plugin of a module's instance; none before it is configured.
pub struct Instance<P>(Cell<Option<P>>);

impl<P: Plugin> Default for Instance<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Plugin> Instance<P> {
    /// An instance that is not configured yet.
    pub const fn new() -> Self {
        Instance(Cell(UnsafeCell::new(None)))
    }

    fn plugin(&self) -> &P {
        let plugin = unsafe { (*self.0 .0.get()).as_ref() };
        plugin.expect("a hook was called before configure")
    }

    /// The export `describe`.
    pub fn describe(&self) -> i32 {
        begin(0);
        write(&crate::plugin::description::<P>().to_document())
    }

    /// The export `configure`.
    pub fn configure(&self, length: usize) -> i32 {
        let ctx = begin(length);
        let (plugin, document) = dispatch::configure(ctx.input());
        unsafe { *self.0 .0.get() = plugin };
        document.map_or(0, |d| write(&d))
    }

    /// A node hook.
    pub fn node(&self, length: usize, hook: fn(&P, &Context) -> crate::Result<crate::Update>) -> i32 {
        let ctx = begin(length);
        let said = hook(self.plugin(), &ctx);
        finish(&ctx, said.and_then(crate::Update::into_result))
    }

    /// The export `wrap_model_call`.
    pub fn wrap_model_call(&self, length: usize) -> i32 {
        let ctx = ModelContext(begin(length));
        let said = self.plugin().wrap_model_call(&ctx);
        finish(&ctx, said.and_then(crate::ModelAnswer::into_result))
    }

    /// The exports `wrap_tool_call` and `call_tool`.
    pub fn tool(&self, length: usize, hook: fn(&P, &ToolContext) -> crate::Result<crate::ToolAnswer>) -> i32 {
        let ctx = ToolContext(begin(length));
        let said = hook(self.plugin(), &ctx);
        finish(&ctx, said.and_then(crate::ToolAnswer::into_result))
    }
}

fn finish(ctx: &Context, result: crate::Result<Option<crate::document::HookResult>>) -> i32 {
    let out = unsafe { &mut (*BUFFERS.0.get()).result };
    out.clear();
    if dispatch::finish(ctx, result, out) {
        write(out)
    } else {
        0
    }
}
