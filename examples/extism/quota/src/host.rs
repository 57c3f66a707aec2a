//! The functions of the host that Extism does not have. Each answers with a status, and maybe a reply.

use extism_pdk::{host_fn, Error, Json};
use serde::Deserialize;
use serde_json::{json, Value};

use crate::document::{Status, ToolMessage};

#[host_fn("extism:host/user")]
extern "ExtismHost" {
    fn next(change: Json<Value>) -> Json<Said>;
    fn host_call(op: &str, document: Json<Value>) -> Json<Said>;
}

#[derive(Deserialize)]
pub struct Said {
    pub status: i32,
    #[serde(default)]
    pub reply: Value,
}

// The statuses that are of interest here.
pub const OK: i32 = 0;
pub const NO_ENTRY: i32 = -2;
pub const CONFLICT: i32 = -8;

/// Calls the inner layers and the tool, with the call as it is, and tells whether the tool did what it should.
pub fn call_tool() -> Result<bool, Error> {
    #[derive(Deserialize)]
    struct Reply {
        tool_message: ToolMessage,
    }
    let Json(said) = unsafe { next(Json(json!({})))? };
    if said.status != OK {
        return Ok(false);
    }
    let reply: Reply = serde_json::from_value(said.reply)?;
    Ok(reply.tool_message.status == Status::Success)
}

/// Performs an operation.
pub fn perform(op: &str, document: Value) -> Result<Said, Error> {
    let Json(said) = unsafe { host_call(op, Json(document))? };
    Ok(said)
}
