//! An agenthost plugin that was built with Extism's PDK for Rust. It lets tools be called so many times in a run and no
//! more, calls that fail not counted, and gives the model a tool that tells what is left.

mod count;
mod document;
mod host;

use std::collections::BTreeMap;

use extism_pdk::{config, plugin_fn, warn, Error, FnResult, Json};

use crate::document::{Answer, Input, ToolMessage};

/// The Description is what the plugin may do at the most. Since it is JSON, all documents are.
#[plugin_fn]
pub fn describe() -> FnResult<&'static str> {
    Ok(include_str!("../description.json"))
}

#[plugin_fn]
pub fn wrap_tool_call(Json(input): Json<Input>) -> FnResult<Option<Json<Answer>>> {
    let tool = &input.call.name;
    let Some(&most) = quotas()?.get(tool) else {
        return Ok(None); // it says nothing, and so the host calls next
    };
    if !count::take(tool, most)? {
        let text = format!("the quota is used up: {tool} may be called {most} times in a run");
        warn!("{text}");
        return if config::get("then")?.as_deref() == Some("fail") {
            Err(Error::msg(text).into()) // the hook's error, for the middleware around it, or the end of the run
        } else {
            Ok(Some(ToolMessage::error(text).into())) // for the model, which may try something else
        };
    }
    if !host::call_tool()? {
        count::give_back(tool)?;
    }
    Ok(None) // the outcome passes on as it is
}

/// The one tool, `quota_left`.
#[plugin_fn]
pub fn call_tool() -> FnResult<Json<Answer>> {
    let mut lines = Vec::new();
    for (tool, most) in quotas()? {
        let left = most.saturating_sub(count::made(&tool)?);
        lines.push(format!("{tool}: {left} of {most}"));
    }
    Ok(ToolMessage::success(lines.join("\n")).into())
}

/// How often each tool may be called. A value of the configuration that is not a string comes as JSON.
fn quotas() -> Result<BTreeMap<String, u64>, Error> {
    Ok(serde_json::from_str(&config::get("calls")?.unwrap_or_default())?)
}
