//! The engine: a guest of the ABI that runs a script in Python. The host hands it the script as the input of `_initialize`.

mod clock;
mod codec;
mod exception;
mod guard;
mod host;
mod input;
mod interpreter;
mod limit;
mod memory;
mod native;
mod node;
mod random;
mod shortcut;

use interpreter::{call, start};

/// The digest of the sources that this engine was built from, by which a test finds out that it is stale.
#[used]
#[unsafe(link_section = "agenthost.sources")]
static SOURCES: [u8; 64] = sources();

const fn sources() -> [u8; 64] {
    let digest = match option_env!("ENGINE_SOURCES") {
        Some(digest) => digest.as_bytes(),
        None => &[b'-'; 64],
    };
    let mut copy = [0; 64];
    copy.copy_from_slice(digest);
    copy
}

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

unsafe extern "C" {
    /// Runs the constructors of what is linked.
    fn __wasm_call_ctors();
}

#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    unsafe { __wasm_call_ctors() };
    start();
}

#[unsafe(no_mangle)]
pub extern "C" fn agenthost_abi_v1() {}

#[unsafe(no_mangle)]
pub extern "C" fn describe() -> i32 {
    call("describe", 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn configure(length: usize) -> i32 {
    call("configure", length)
}

macro_rules! hooks {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(length: usize) -> i32 {
            call(stringify!($name), length)
        }
    )*};
}

hooks! { before_agent before_model wrap_model_call after_model wrap_tool_call after_agent call_tool }
