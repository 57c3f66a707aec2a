use crate::document::{CallChange, Encode};
use crate::reply::Reply;
use crate::{Context, MessageRef, Result, ToolCallRef, Value};
use core::ops::Deref;
use serde::de::DeserializeOwned;

/// One call of `wrap_tool_call`, or of a tool of the plugin.
pub struct ToolContext(pub(crate) Context);

impl Deref for ToolContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl ToolContext {
    /// The call, with the changes of all outer layers.
    pub fn call(&self) -> ToolCallRef<'_> {
        ToolCallRef(self.input().get("call"))
    }

    /// The name of the tool.
    pub fn tool(&self) -> &str {
        self.call().name()
    }

    /// An argument of the call.
    pub fn arg(&self, name: &str) -> Option<Value<'_>> {
        self.call().args()?.get(name)
    }

    /// The arguments as a type of the plugin.
    pub fn args<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(self.call().args().unwrap_or(Value::new(&[0x80])).to()?)
    }

    /// Names this execution of the tool, for the services that the tool calls. A repeated execution after a
    /// crash has the same key; a retry has a new one. Only tools have a key; a `wrap_tool_call` hook has none.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.input().get("idempotency_key").and_then(|v| v.as_str())
    }

    /// Reports whether the agent has a tool of that name.
    pub fn known(&self) -> bool {
        self.input().get("known").and_then(|v| v.as_bool()).unwrap_or_default()
    }

    /// Passes the unchanged call to the inner layers and the tool. Only for `wrap_tool_call`.
    ///
    /// The error [`Errno::ETOOBIG`](crate::Errno::ETOOBIG) means that there is a reply, but it is
    /// too large to see. A hook that then returns nothing passes it on.
    pub fn next(&self) -> Result<ToolReply<'_>> {
        self.call_next(&[]).map(ToolReply)
    }

    /// Passes a changed call to the inner layers and the tool. Each change starts from the call of the input.
    pub fn next_with(&self, change: &CallChange) -> Result<ToolReply<'_>> {
        self.call_next(&change.to_document()).map(ToolReply)
    }
}

/// The answer of a tool. It is read on demand: until the hook looks at it, the host keeps it.
#[derive(Clone, Debug)]
pub struct ToolReply<'c>(Reply<'c>);

impl ToolReply<'_> {
    /// The tool message that answers the call.
    pub fn message(&self) -> MessageRef<'_> {
        MessageRef::new(Value::new(self.0.bytes()).get("tool_message").unwrap_or(Value::new(&[0x80])))
    }

    /// The text of that message.
    pub fn text(&self) -> String {
        self.message().text().into_owned()
    }

    /// Reports whether the answer says that the tool failed.
    pub fn is_error(&self) -> bool {
        self.message().status() == "error"
    }
}
