use super::codec::document;
use super::{Content, Message, ToolCall};
use crate::wire::{Map, Raw};

document! {
    /// The input of every hook and of `call_tool`. A hook reads it with the methods of its [`Context`](crate::Context).
    HookInput {
        /// After a resume: all answers to this hook's interrupts so far, by key.
        maybe "answers" => answers: Map,
        /// `wrap_tool_call`, `call_tool`: the call, with the changes of outer layers.
        maybe "call" => call: Option<ToolCall>,
        /// The declared keys of the run's context that the caller gave.
        maybe "context" => context: Map,
        /// `call_tool`: names this execution of the tool.
        maybe "idempotency_key" => idempotency_key: String,
        /// `wrap_tool_call`: the agent has a tool of that name.
        maybe "known" => known: bool,
        /// Fields that `state` leaves out because of their size.
        maybe "large" => large: Vec<String>,
        /// Node hooks and `wrap_tool_call`: the declared view of the history.
        maybe "messages" => messages: Option<View>,
        /// Counts the calls of this hook since the agent was built, from 1.
        "n" => n: u64,
        /// Nanoseconds since 1970-01-01 UTC.
        "now" => now: u64,
        /// `wrap_model_call`: the request, with the changes of outer layers.
        maybe "request" => request: Option<ModelRequest>,
        /// Id of the run.
        "run" => run: String,
        /// A number that differs from call to call.
        "seed" => seed: u64,
        /// The fields that the hook declared in `reads`.
        maybe "state" => state: Map,
        /// The name of the step, as in events.
        "step" => step: String,
        /// Id of the thread; empty in a run without one.
        maybe "thread" => thread: String,
    }
}

document! {
    /// The part of a list of messages that a hook sees.
    View {
        /// Index of the first item in the list, from 0.
        "from" => from: u64,
        /// In the order of the list.
        "items" => items: Vec<Message>,
        /// View `new`: older messages that were replaced, in full.
        maybe "patch" => patch: Vec<Message>,
        /// View `new`: ids of older messages that were removed.
        maybe "remove" => remove: Vec<String>,
        /// View `new`: forget earlier messages; `items` holds all of them.
        maybe "reset" => reset: bool,
        /// Length of the list.
        "total" => total: u64,
    }
}

document! {
    /// The request of a model call, with the changes of all outer layers.
    ModelRequest {
        /// The declared view of the request's messages, without the system prompt.
        maybe "messages" => messages: Option<View>,
        /// The name of the model.
        "model" => model: String,
        /// Settings for the provider, by the provider's own names.
        maybe "settings" => settings: Map,
        /// The system prompt.
        maybe "system" => system: Content,
        /// `auto`, `none`, `any` or the name of a tool; empty: the provider's default.
        maybe "tool_choice" => tool_choice: String,
        /// Names of the offered tools.
        "tools" => tools: Vec<String>,
    }
}

document! {
    /// The answer of a model.
    ModelResponse {
        /// Messages, each with an id. The last one with the role `ai` is the answer.
        "messages" => messages: Vec<Message>,
        /// Which model answered.
        maybe "model" => model: String,
        /// Why the model stopped, in the provider's words.
        maybe "stop_reason" => stop_reason: String,
        /// The structured answer, if one was asked for.
        maybe "structured" => structured: Raw,
    }
}

document! {
    /// The answer of a tool.
    ToolReply {
        /// The answer, with role, name and call id.
        "tool_message" => tool_message: Message,
    }
}
