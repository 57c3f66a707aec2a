use super::codec::document;
use super::{Message, Patch};
use crate::wire::{Map, Raw};

document! {
    /// What a hook or `call_tool` writes.
    HookResult {
        /// The hook fails with this error; other keys are ignored.
        maybe "error" => error: Option<Failure>,
        /// The run waits for answers, then this hook runs again; other keys are ignored.
        maybe "interrupts" => interrupts: Vec<Interrupt>,
        /// Node hooks: a declared target.
        maybe "jump_to" => jump_to: String,
        /// Appended to the history, or replacing the message of the same id.
        maybe "messages" => messages: Vec<Message>,
        /// `messages` are the whole history from now on.
        maybe "overwrite" => overwrite: bool,
        /// Changes to messages of the history.
        maybe "patch" => patch: Vec<Patch>,
        /// Ids of messages to remove from the history.
        maybe "remove" => remove: Vec<String>,
        /// `wrap_model_call`: the response, or a change to it.
        maybe "response" => response: Option<ResponseChange>,
        /// New values of fields; their reducers apply.
        maybe "state" => state: Map,
        /// `wrap_tool_call`, `call_tool`: the answer, or a change to it.
        maybe "tool_message" => tool_message: Option<Patch>,
    }
}

document! {
    /// A question to the outside world.
    Interrupt {
        /// Unique within the call of the hook; the answer has the same key.
        "key" => key: String,
        /// The question.
        "value" => value: Raw,
    }
}

document! {
    /// An ordinary error, the document Error. Other middleware may retry the call or answer instead.
    Failure {
        /// Data for programs.
        maybe "data" => data: Raw,
        /// The message for people.
        "message" => message: String,
        /// Trying again may help.
        maybe "retryable" => retryable: bool,
        /// A short name for programs: the key `type`.
        "type" => kind: String,
    }
}

document! {
    /// The response of `wrap_model_call`: a change of the last reply or, without a reply, a new response.
    ResponseChange {
        /// The messages of the response, in order. One with an id of the reply changes that message; one without an id is
        /// new. Messages of the reply that are not listed are dropped. If there are none at all, those of the reply stay.
        maybe "messages" => messages: Vec<Patch>,
        /// Which model answered.
        maybe "model" => model: String,
        /// Why the model stopped.
        maybe "stop_reason" => stop_reason: String,
        /// The structured answer.
        maybe "structured" => structured: Raw,
    }
}

impl ResponseChange {
    /// No change yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists one more message of the response.
    #[must_use]
    pub fn message(mut self, patch: Patch) -> Self {
        self.messages.push(patch);
        self
    }

    /// Sets the name of the model that answered.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = name.into();
        self
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn stop_reason(mut self, reason: impl Into<String>) -> Self {
        self.stop_reason = reason.into();
        self
    }

    /// Sets the structured answer.
    #[must_use]
    pub fn structured(mut self, value: impl Into<Raw>) -> Self {
        self.structured = value.into();
        self
    }
}

/// A new response of one message.
impl From<Message> for ResponseChange {
    fn from(message: Message) -> Self {
        ResponseChange::new().message(Patch::of_message(&message))
    }
}
