//! What a hook or tool can learn about its run. All of this is new in version 1.1 of the ABI: with an older host, the error is
//! [`Errno::ENOENT`](crate::Errno::ENOENT), and there is no context.

use crate::document::{ModelInfo, ModelQuery, RunInfo, TokenCount, ToolList, ToolSpec};
use crate::{Context, Decode, Encode, Map, ModelContext, Raw, Result, Value};

impl Context {
    /// A value that the caller of the run gave it, such as the tenant; `None` if the caller gave none. The Description lists the
    /// key, see [`Description::context`](crate::Description::context), and the operator grants it.
    pub fn context(&self, key: &str) -> Option<Value<'_>> {
        self.input().get("context")?.get(key)
    }

    /// Which agent and run the hook belongs to, and the tokens that the run has used so far.
    pub fn run_info(&self) -> Result<RunInfo> {
        Ok(RunInfo::from_document(&self.host_call("run.info", &[])?)?)
    }

    /// What the host knows about a configured model. An empty name means the request's model in `wrap_model_call`, and elsewhere
    /// the agent's. The error is [`Errno::ENOENT`](crate::Errno::ENOENT) if there is no model of that name.
    pub fn model_info(&self, name: impl Into<String>) -> Result<ModelInfo> {
        self.ask("model.info", &ModelQuery { model: name.into() })
    }

    /// Counts the tokens of messages as the host's own limits do, for the model that `model_info("")` describes. The messages may
    /// be those of a view or new ones.
    pub fn count_tokens<M: Encode>(&self, messages: impl IntoIterator<Item = M>) -> Result<u64> {
        let messages = messages.into_iter().map(|m| Raw::from_bytes_unchecked(m.to_document()));
        let count: TokenCount = self.ask("tokens.count", &Map::new().with("messages", Raw::array(messages)))?;
        Ok(count.tokens)
    }
}

impl ModelContext {
    /// The tools that the request offers, with their descriptions and parameters.
    pub fn tool_specs(&self) -> Result<Vec<ToolSpec>> {
        Ok(ToolList::from_document(&self.host_call("tools.read", &[])?)?.tools)
    }
}
