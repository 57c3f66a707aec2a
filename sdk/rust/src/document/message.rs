use super::codec::{document, names};
use super::Content;
use crate::wire::{Map, Raw};

names! {
    /// Who a message is from.
    Role {
        /// A role that this crate does not know.
        Unknown,
        /// The user.
        "human" => Human,
        /// The model.
        "ai" => Ai,
        /// The answer to a tool call.
        "tool" => Tool,
        /// A system message.
        "system" => System,
    }
}

document! {
    /// One entry of the history.
    Message {
        /// Of a tool message: data for the program, which the model never sees.
        maybe "artifact" => artifact: Raw,
        /// The content.
        maybe "content" => content: Content,
        /// Assigned by the host if the message has none.
        maybe "id" => id: String,
        /// Of an AI message: calls whose arguments could not be parsed.
        maybe "invalid_tool_calls" => invalid_tool_calls: Vec<InvalidToolCall>,
        /// Data from providers and programs; never sent to a model.
        maybe "meta" => meta: Map,
        /// Of the agent, or of the tool that answered.
        maybe "name" => name: String,
        /// Who it is from.
        "role" => role: Role,
        /// Of a tool message: `success`, which is the same as empty, or `error`.
        maybe "status" => status: String,
        /// Of a tool message: the call that it answers.
        maybe "tool_call_id" => tool_call_id: String,
        /// Of an AI message.
        maybe "tool_calls" => tool_calls: Vec<ToolCall>,
        /// Of an AI message: the tokens of its model call.
        maybe "usage" => usage: Option<Usage>,
    }
}

document! {
    /// A model's request to run a tool.
    ToolCall {
        /// The arguments.
        "args" => args: Map,
        /// Unique within its message.
        "id" => id: String,
        /// Of the tool.
        "name" => name: String,
    }
}

document! {
    /// A tool call whose arguments could not be parsed.
    InvalidToolCall {
        /// The text that the model wrote.
        "args" => args: String,
        /// Why it could not be parsed.
        maybe "error" => error: String,
        /// The call's id.
        "id" => id: String,
        /// Of the tool.
        "name" => name: String,
    }
}

document! {
    /// The tokens of one model call.
    Usage {
        /// Of the input tokens: written to the provider's cache.
        maybe "cache_creation_tokens" => cache_creation_tokens: u64,
        /// Of the input tokens: read from the provider's cache.
        maybe "cache_read_tokens" => cache_read_tokens: u64,
        /// Tokens of the request.
        "input_tokens" => input_tokens: u64,
        /// Tokens of the answer.
        "output_tokens" => output_tokens: u64,
        /// Of the output tokens: spent on reasoning.
        maybe "reasoning_tokens" => reasoning_tokens: u64,
        /// All tokens.
        "total_tokens" => total_tokens: u64,
    }
}

impl core::ops::Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            cache_creation_tokens: self.cache_creation_tokens.saturating_add(other.cache_creation_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
        }
    }
}

impl Message {
    fn of(role: Role, content: Content) -> Self {
        Message { role, content, ..Message::default() }
    }

    /// A message from the user.
    pub fn human(content: impl Into<Content>) -> Self {
        Message::of(Role::Human, content.into())
    }

    /// A message from the model.
    pub fn ai(content: impl Into<Content>) -> Self {
        Message::of(Role::Ai, content.into())
    }

    /// A system message.
    pub fn system(content: impl Into<Content>) -> Self {
        Message::of(Role::System, content.into())
    }

    /// The successful answer to a tool call.
    pub fn tool(call: &ToolCall, content: impl Into<Content>) -> Self {
        Message {
            name: call.name.clone(),
            tool_call_id: call.id.clone(),
            status: "success".into(),
            ..Message::of(Role::Tool, content.into())
        }
    }

    /// The answer to a tool call that failed, or was not made.
    pub fn tool_failure(call: &ToolCall, content: impl Into<Content>) -> Self {
        Message { status: "error".into(), ..Message::tool(call, content) }
    }

    /// Returns the message with this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = id.into();
        self
    }

    /// Returns the message with one more tool call.
    #[must_use]
    pub fn with_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }
}

impl ToolCall {
    /// A call of a tool.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: impl Into<Map>) -> Self {
        ToolCall { args: args.into(), id: id.into(), name: name.into() }
    }
}
