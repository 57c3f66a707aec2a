use crate::document::{HookResult, Message, Patch, ResponseChange};
use crate::{Result, Update};

/// The result of `wrap_model_call`. An empty one passes on the outcome of `next`; the host calls `next` if the hook did not.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswer {
    /// The change of the last reply or, without a reply, a new response.
    pub response: Option<ResponseChange>,
    /// What changes in the state.
    pub update: Update,
}

impl ModelAnswer {
    /// Passes on the outcome of `next` unchanged.
    pub fn unchanged() -> Self {
        ModelAnswer::default()
    }

    /// Returns the same with an update.
    #[must_use]
    pub fn with_update(mut self, update: Update) -> Self {
        self.update = update;
        self
    }

    /// The result of the hook; `None` if it says nothing, which needs no document.
    pub(crate) fn into_result(self) -> Result<Option<HookResult>> {
        if self.response.is_none() {
            return self.update.into_result();
        }
        Ok(Some(HookResult { response: self.response, ..self.update.into_document()? }))
    }
}

/// A response: a new one, or a change of the last reply.
impl From<ResponseChange> for ModelAnswer {
    fn from(response: ResponseChange) -> Self {
        ModelAnswer { response: Some(response), update: Update::new() }
    }
}

/// A new response of one message.
impl From<Message> for ModelAnswer {
    fn from(message: Message) -> Self {
        ResponseChange::from(message).into()
    }
}

impl From<Update> for ModelAnswer {
    fn from(update: Update) -> Self {
        ModelAnswer::unchanged().with_update(update)
    }
}

/// The result of `wrap_tool_call` or a tool. In `wrap_tool_call`, an empty one passes on the
/// outcome of `next`; the host calls `next` if the hook did not.
#[derive(Clone, Debug, Default)]
pub struct ToolAnswer {
    /// The answer, or the change of the last reply.
    pub message: Option<Patch>,
    /// What changes in the state.
    pub update: Update,
}

impl ToolAnswer {
    /// Passes on the outcome of `next` unchanged.
    pub fn unchanged() -> Self {
        ToolAnswer::default()
    }

    /// An answer that tells the model that the call failed.
    pub fn error(text: impl Into<String>) -> Self {
        Patch::new().content(text.into()).status("error").into()
    }

    /// Returns the same with an update.
    #[must_use]
    pub fn with_update(mut self, update: Update) -> Self {
        self.update = update;
        self
    }

    /// The result of the hook; `None` if it says nothing, which needs no document.
    pub(crate) fn into_result(self) -> Result<Option<HookResult>> {
        if self.message.is_none() {
            return self.update.into_result();
        }
        Ok(Some(HookResult { tool_message: self.message, ..self.update.into_document()? }))
    }
}

impl From<Patch> for ToolAnswer {
    fn from(patch: Patch) -> Self {
        ToolAnswer { message: Some(patch), update: Update::new() }
    }
}

/// An answer that is a text.
impl From<&str> for ToolAnswer {
    fn from(text: &str) -> Self {
        Patch::new().content(text).into()
    }
}

/// An answer that is a text.
impl From<String> for ToolAnswer {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<Update> for ToolAnswer {
    fn from(update: Update) -> Self {
        ToolAnswer::unchanged().with_update(update)
    }
}
