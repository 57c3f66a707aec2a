use crate::document::{Content, Message, ToolCall, Usage};
use crate::wire::Items;
use crate::{Decode, Encode, Result, Role, Value};
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// A view of a list of messages.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef<'a>(Option<Value<'a>>);

impl<'a> ViewRef<'a> {
    pub(crate) fn new(view: Option<Value<'a>>) -> Self {
        ViewRef(view)
    }

    fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0?.get(key)
    }

    /// The messages in the view, in the order of the list.
    pub fn messages(&self) -> Messages<'a> {
        Messages::new(self.get("items"))
    }

    /// The index of the view's first message in the list, from 0.
    pub fn from(&self) -> u64 {
        self.get("from").and_then(|v| v.as_u64()).unwrap_or_default()
    }

    /// The length of the list.
    pub fn total(&self) -> u64 {
        self.get("total").and_then(|v| v.as_u64()).unwrap_or_default()
    }

    /// View `new`: earlier messages no longer count; the view holds all of them.
    pub fn is_reset(&self) -> bool {
        self.get("reset").and_then(|v| v.as_bool()).unwrap_or_default()
    }

    /// View `new`: older messages that were replaced, in full.
    pub fn replaced(&self) -> Messages<'a> {
        Messages::new(self.get("patch"))
    }

    /// View `new`: ids of older messages that were removed.
    pub fn removed(&self) -> impl Iterator<Item = &'a str> {
        self.get("remove").into_iter().flat_map(|v| v.items()).filter_map(|v| v.as_str())
    }
}

/// Messages inside a document.
#[derive(Clone)]
pub struct Messages<'a>(Option<Items<'a>>);

impl<'a> Messages<'a> {
    pub(crate) fn new(list: Option<Value<'a>>) -> Self {
        Messages(list.map(|v| v.items()))
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = MessageRef<'a>;

    fn next(&mut self) -> Option<MessageRef<'a>> {
        self.0.as_mut()?.next().map(MessageRef)
    }
}

/// A message inside a document. Only the requested parts are read; absent parts are empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageRef<'a>(Value<'a>);

impl<'a> MessageRef<'a> {
    pub(crate) fn new(message: Value<'a>) -> Self {
        MessageRef(message)
    }

    /// Any key of the message.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0.get(key)
    }

    fn string(&self, key: &str) -> &'a str {
        self.get(key).and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// The id that the host assigned.
    pub fn id(&self) -> &'a str {
        self.string("id")
    }

    /// Who it is from.
    pub fn role(&self) -> Role {
        Role::of(self.string("role"))
    }

    /// Of the agent, or of the tool that answered.
    pub fn name(&self) -> &'a str {
        self.string("name")
    }

    /// The texts of all text blocks joined, without the content of other blocks. It is copied only
    /// if there are blocks.
    pub fn text(&self) -> Cow<'a, str> {
        match self.get("content") {
            None => Cow::Borrowed(""),
            Some(v) => v.as_str().map_or_else(|| Cow::Owned(self.content().text()), Cow::Borrowed),
        }
    }

    /// The content.
    pub fn content(&self) -> Content {
        self.get("content").and_then(|v| Content::decode(v).ok()).unwrap_or_default()
    }

    /// Of a tool message: `success`, which is the same as empty, or `error`.
    pub fn status(&self) -> &'a str {
        self.string("status")
    }

    /// Of a tool message: the call that it answers.
    pub fn tool_call_id(&self) -> &'a str {
        self.string("tool_call_id")
    }

    /// Of an AI message: the calls that the model asks for.
    pub fn tool_calls(&self) -> impl Iterator<Item = ToolCallRef<'a>> {
        self.get("tool_calls").into_iter().flat_map(|v| v.items()).map(|v| ToolCallRef(Some(v)))
    }

    /// Of a tool message: data for the program.
    pub fn artifact(&self) -> Option<Value<'a>> {
        self.get("artifact")
    }

    /// The data that providers and programs attached under this key.
    pub fn meta(&self, key: &str) -> Option<Value<'a>> {
        self.get("meta")?.get(key)
    }

    /// Of an AI message: the tokens of its model call.
    pub fn usage(&self) -> Option<Usage> {
        Usage::decode(self.get("usage")?).ok()
    }

    /// A copy of the whole message.
    pub fn to_message(&self) -> Result<Message> {
        Ok(Message::decode(self.0)?)
    }
}

impl Encode for MessageRef<'_> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.to_raw().append(out);
    }
}

/// A tool call inside a document.
#[derive(Clone, Copy, Debug)]
pub struct ToolCallRef<'a>(pub(crate) Option<Value<'a>>);

impl<'a> ToolCallRef<'a> {
    fn string(&self, key: &str) -> &'a str {
        self.0.and_then(|v| v.get(key)?.as_str()).unwrap_or_default()
    }

    /// The id of the call.
    pub fn id(&self) -> &'a str {
        self.string("id")
    }

    /// The name of the tool.
    pub fn name(&self) -> &'a str {
        self.string("name")
    }

    /// The arguments, a map.
    pub fn args(&self) -> Option<Value<'a>> {
        self.0?.get("args")
    }

    /// The arguments as a type of the plugin.
    pub fn args_as<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(self.args().unwrap_or(Value::new(&[0x80])).to()?)
    }

    /// A copy of the whole call.
    pub fn to_call(&self) -> Result<ToolCall> {
        Ok(ToolCall::decode(self.0.unwrap_or(Value::new(&[0x80])))?)
    }
}
