//! A plugin that follows the ABI by hand: it needs no SDK, and so nothing but a compiler.

#[link(wasm_import_module = "agenthost_v1")]
extern "C" {
    fn result_write(pointer: *const u8, length: u32) -> i32;
}

/// {abi: 1, hooks: {before_model: {}}, name: "hand", version: "1.0.0"}
static DESCRIPTION: &[u8] = b"\x84\xa3abi\x01\xa5hooks\x81\xacbefore_model\x80\xa4name\xa4hand\xa7version\xa51.0.0";

#[no_mangle]
pub extern "C" fn agenthost_abi_v1() {}

#[no_mangle]
pub extern "C" fn describe() -> i32 {
    unsafe { result_write(DESCRIPTION.as_ptr(), DESCRIPTION.len() as u32) };
    1
}

#[no_mangle]
pub extern "C" fn before_model(_length: u32) -> i32 {
    0
}
