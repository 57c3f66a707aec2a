//! The documents of the ABI, as far as they matter here. What is not named is ignored.

use extism_pdk::Json;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub struct Input {
    pub call: Call,
}

#[derive(Deserialize)]
pub struct Call {
    pub name: String,
}

/// What a hook or a tool returns.
#[derive(Serialize)]
pub struct Answer {
    tool_message: ToolMessage,
}

/// What a tool answers.
#[derive(Serialize, Deserialize)]
pub struct ToolMessage {
    content: serde_json::Value, // a string, or an array of blocks
    #[serde(default)]
    pub status: Status,
}

#[derive(Serialize, Deserialize, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Success,
    Error,
}

impl ToolMessage {
    pub fn success(text: String) -> Self {
        Self { content: text.into(), status: Status::Success }
    }

    pub fn error(text: String) -> Self {
        Self { content: text.into(), status: Status::Error }
    }
}

impl From<ToolMessage> for Json<Answer> {
    fn from(tool_message: ToolMessage) -> Self {
        Json(Answer { tool_message })
    }
}
