use crate::document::{HookResult, Message, Patch};
use crate::wire::{EncodeError, Map, Raw};
use crate::Result;

/// Where a node hook may send the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first `before_model` hook, or the model.
    Model,
    /// The unanswered tool calls of the last AI message.
    Tools,
    /// The first `after_agent` hook to run, or the end.
    End,
}

impl Target {
    /// The name in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Target::Model => "model",
            Target::Tools => "tools",
            Target::End => "end",
        }
    }
}

/// The changes that a hook or tool makes to the state. The host applies them as a whole after the hook
/// returns: messages in the order overwrite or remove, patch, messages; then fields; then the jump.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Where the run continues, if not at the next step. Only for node hooks.
    pub jump_to: Option<Target>,
    /// Appended, or replacing the message of the same id.
    pub messages: Vec<Message>,
    /// `messages` are the whole history from now on.
    pub overwrite: bool,
    /// Changes to messages.
    pub patch: Vec<Patch>,
    /// Ids of messages to remove.
    pub remove: Vec<String>,
    /// New values of fields; their reducers apply.
    pub state: Map,
    failure: Option<EncodeError>, // error of a field value without a msgpack form: the hook fails with it
}

impl Update {
    /// An update that changes nothing.
    pub fn new() -> Self {
        Update::default()
    }

    /// Sends the run elsewhere; the hook's spec must allow it.
    #[must_use]
    pub fn jump(mut self, target: Target) -> Self {
        self.jump_to = Some(target);
        self
    }

    /// Appends a message, or replaces the one of the same id.
    #[must_use]
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Replaces the whole history.
    #[must_use]
    pub fn overwrite(mut self, messages: impl Into<Vec<Message>>) -> Self {
        self.overwrite = true;
        self.messages = messages.into();
        self
    }

    /// Changes the message of the patch's id.
    #[must_use]
    pub fn patch(mut self, patch: Patch) -> Self {
        self.patch.push(patch);
        self
    }

    /// Removes the message of this id.
    #[must_use]
    pub fn remove(mut self, id: impl Into<String>) -> Self {
        self.remove.push(id.into());
        self
    }

    /// Writes a field; its reducer applies. A [`Field`](crate::Field) does the same with a type.
    #[must_use]
    pub fn set(mut self, field: &str, value: impl Into<Raw>) -> Self {
        self.state.set(field, value);
        self
    }

    pub(crate) fn fail(&mut self, failure: EncodeError) {
        self.failure.get_or_insert(failure);
    }

    fn is_empty(&self) -> bool {
        self.state.is_empty()
            && self.messages.is_empty()
            && self.jump_to.is_none()
            && !self.overwrite
            && self.patch.is_empty()
            && self.remove.is_empty()
            && self.failure.is_none()
    }

    /// The result of a node hook; `None` if it says nothing, which needs no document.
    pub(crate) fn into_result(self) -> Result<Option<HookResult>> {
        if self.is_empty() {
            return Ok(None);
        }
        self.into_document().map(Some)
    }

    /// The keys of a result that an update has.
    #[inline(always)] // copying the update would cost each hook 18 units of fuel
    pub(crate) fn into_document(self) -> Result<HookResult> {
        if let Some(failure) = self.failure {
            return Err(failure.into());
        }
        Ok(HookResult {
            jump_to: self.jump_to.map(|t| t.as_str().to_owned()).unwrap_or_default(),
            messages: self.messages,
            overwrite: self.overwrite,
            patch: self.patch,
            remove: self.remove,
            state: self.state,
            ..HookResult::default()
        })
    }
}
