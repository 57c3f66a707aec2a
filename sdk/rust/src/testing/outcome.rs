use super::store::Store;
use crate::document::{
    CallChange, Content, Decode, EventEmit, Failure, HookResult, Interrupt, Message, Patch, RequestChange,
    ResponseChange, Scope,
};
use crate::log::Level;
use crate::{Map, Raw};
use std::time::Duration;

/// What a hook returned and did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The document that the hook wrote; `None` if it wrote none.
    pub result: Option<HookResult>,
    /// The error of the hook. An error that passes on from `next` is not included.
    pub error: Option<Failure>,
    /// The questions of the hook.
    pub interrupts: Vec<Interrupt>,
    /// Messages that it appends.
    pub messages: Vec<Message>,
    /// Messages that it changes.
    pub patch: Vec<Patch>,
    /// Messages that it removes.
    pub remove: Vec<String>,
    /// The target to which it sends the run; empty: none.
    pub jump_to: String,
    /// The response of `wrap_model_call`.
    pub response: Option<ResponseChange>,
    /// The answer of `wrap_tool_call` or of a tool.
    pub tool_message: Option<Patch>,
    /// The payloads of `next`, in order. An empty payload means no change.
    pub nexts: Vec<Vec<u8>>,
    /// The operations that it called, with their documents.
    pub calls: Vec<(String, Vec<u8>)>,
    /// Events that it emitted.
    pub events: Vec<EventEmit>,
    /// Lines that it wrote to the log.
    pub log: Vec<(Level, String)>,
    /// How long it slept, by `clock.sleep`.
    pub slept: Duration,
    /// An interrupt is pending or the run is cancelled, so the hook's result is ignored.
    pub closed: bool,
    pub(super) state: Map,
    pub(super) store: Store,
}

impl Outcome {
    pub(super) fn of(result: Option<HookResult>) -> Self {
        let mut outcome = Outcome::default();
        if let Some(r) = result.clone() {
            outcome.error = r.error;
            outcome.interrupts = r.interrupts;
            outcome.messages = r.messages;
            outcome.patch = r.patch;
            outcome.remove = r.remove;
            outcome.jump_to = r.jump_to;
            outcome.response = r.response;
            outcome.tool_message = r.tool_message;
            outcome.state = r.state;
        }
        outcome.result = result;
        outcome
    }

    /// The value that the hook writes to a field.
    pub fn state(&self, field: &str) -> Option<Raw> {
        self.state.get(field).map(Into::into)
    }

    /// The value in the store under a key afterwards.
    pub fn stored(&self, scope: Scope, key: &str) -> Option<Raw> {
        self.store.value(scope.as_str(), key)
    }

    /// The text of the answer: of `tool_message`, or of the last message of `response`.
    pub fn text(&self) -> String {
        let last = self.response.as_ref().and_then(|r| r.messages.last());
        let patch = self.tool_message.as_ref().or(last);
        patch.and_then(Patch::content_set).as_ref().map(Content::text).unwrap_or_default()
    }

    /// The changes that `wrap_model_call` passed to `next`.
    pub fn requests(&self) -> Vec<RequestChange> {
        self.changes()
    }

    /// The changes that `wrap_tool_call` passed to `next`.
    pub fn call_changes(&self) -> Vec<CallChange> {
        self.changes()
    }

    fn changes<T: Decode + Default>(&self) -> Vec<T> {
        let decode = |payload: &Vec<u8>| match payload.as_slice() {
            [] => T::default(),
            document => T::from_document(document).expect("the SDK wrote it"),
        };
        self.nexts.iter().map(decode).collect()
    }
}
