//! The operations that need a capability, for [`Description::capability`](crate::Description::capability).

/// [`Entry::get`](crate::Entry::get) and [`update`](crate::Entry::update), [`Store::get`](crate::Store::get).
pub const KV_GET: &str = "kv.get";
/// [`Entry::put`](crate::Entry::put) and [`update`](crate::Entry::update), [`Store::put`](crate::Store::put) and `put_if`.
pub const KV_PUT: &str = "kv.put";
/// [`Entry::delete`](crate::Entry::delete), [`Store::delete`](crate::Store::delete) and `delete_if`.
pub const KV_DELETE: &str = "kv.delete";
/// [`Store::list`](crate::Store::list).
pub const KV_LIST: &str = "kv.list";
/// [`Context::fetch`](crate::Context::fetch) and `fetch_all`.
pub const HTTP_FETCH: &str = "http.fetch";
/// [`Context::generate`](crate::Context::generate) and `generate_all`.
pub const MODEL_GENERATE: &str = "model.generate";
/// [`Context::call_tool`](crate::Context::call_tool).
pub const TOOL_CALL: &str = "tool.call";
/// [`Context::clock_now`](crate::Context::clock_now).
pub const CLOCK_NOW: &str = "clock.now";
/// [`Context::sleep`](crate::Context::sleep).
pub const CLOCK_SLEEP: &str = "clock.sleep";
/// [`Context::random_bytes`](crate::Context::random_bytes).
pub const RANDOM_BYTES: &str = "random.bytes";
