use crate::document::{Content, Encode, ModelResponse, Patch, RequestChange, ResponseChange, Usage};
use crate::reply::Reply;
use crate::{Context, Decode, MessageRef, Messages, Result, Role, Value, ViewRef};
use core::ops::Deref;

/// One call of `wrap_model_call`.
pub struct ModelContext(pub(crate) Context);

impl Deref for ModelContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl ModelContext {
    /// The request, with the changes of all outer layers.
    pub fn request(&self) -> RequestRef<'_> {
        RequestRef(self.input().get("request"))
    }

    /// The declared view of the request's messages, without the system prompt.
    pub fn view(&self) -> ViewRef<'_> {
        ViewRef::new(self.request().get("messages"))
    }

    /// The messages of that view.
    pub fn messages(&self) -> Messages<'_> {
        self.view().messages()
    }

    /// Passes the unchanged request to the inner layers and the model.
    ///
    /// The error [`Errno::ETOOBIG`](crate::Errno::ETOOBIG) means that there is a reply, but it is
    /// too large to see. A hook that then returns nothing passes it on.
    pub fn next(&self) -> Result<ModelReply<'_>> {
        self.call_next(&[]).map(ModelReply)
    }

    /// Passes a changed request to the inner layers and the model. Each change starts from the request of the input.
    pub fn next_with(&self, change: &RequestChange) -> Result<ModelReply<'_>> {
        self.call_next(&change.to_document()).map(ModelReply)
    }
}

/// The request of a model call.
#[derive(Clone, Copy, Debug)]
pub struct RequestRef<'a>(Option<Value<'a>>);

impl<'a> RequestRef<'a> {
    /// Any key of the request.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.0?.get(key)
    }

    /// The name of the model.
    pub fn model(&self) -> &'a str {
        self.get("model").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// The system prompt; empty without one.
    pub fn system(&self) -> Content {
        self.get("system").and_then(|v| Content::decode(v).ok()).unwrap_or_default()
    }

    /// Names of the tools that are offered.
    pub fn tools(&self) -> impl Iterator<Item = &'a str> {
        self.get("tools").into_iter().flat_map(|v| v.items()).filter_map(|v| v.as_str())
    }

    /// `auto`, `none`, `any` or the name of a tool; empty: the provider's default.
    pub fn tool_choice(&self) -> &'a str {
        self.get("tool_choice").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// A setting for the provider, by its own name.
    pub fn setting(&self, key: &str) -> Option<Value<'a>> {
        self.get("settings")?.get(key)
    }
}

/// The answer of a model. It is read on demand: until the hook looks at it, the host keeps it.
#[derive(Clone, Debug)]
pub struct ModelReply<'c>(Reply<'c>);

impl ModelReply<'_> {
    fn value(&self) -> Value<'_> {
        Value::new(self.0.bytes())
    }

    /// The messages, each with an id.
    pub fn messages(&self) -> Messages<'_> {
        Messages::new(self.value().get("messages"))
    }

    /// The answer: the last message of the model.
    pub fn answer(&self) -> Option<MessageRef<'_>> {
        self.messages().filter(|m| m.role() == Role::Ai).last()
    }

    /// The text of the answer.
    pub fn text(&self) -> String {
        self.answer().map(|m| m.text().into_owned()).unwrap_or_default()
    }

    /// The tokens of the reply's model calls together.
    pub fn usage(&self) -> Usage {
        self.messages().filter_map(|m| m.usage()).fold(Usage::default(), |sum, usage| sum + usage)
    }

    /// Which model answered; empty if unknown.
    pub fn model(&self) -> &str {
        self.value().get("model").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// Why the model stopped, in the provider's words.
    pub fn stop_reason(&self) -> &str {
        self.value().get("stop_reason").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// The structured answer, if one was asked for.
    pub fn structured(&self) -> Option<Value<'_>> {
        self.value().get("structured")
    }

    /// The whole response.
    pub fn to_response(&self) -> Result<ModelResponse> {
        Ok(ModelResponse::from_document(self.0.bytes())?)
    }

    /// A change of this response in which all messages stay and the answer is patched.
    pub fn patch_answer(&self, patch: impl FnOnce(Patch) -> Patch) -> ResponseChange {
        let mut patches: Vec<Patch> = self.messages().map(|m| Patch::of(m.id())).collect();
        let answer = self.answer().map(|m| m.id()).unwrap_or_default();
        if let Some(of_answer) = patches.iter_mut().rfind(|p| p.id() == answer) {
            *of_answer = patch(core::mem::take(of_answer));
        }
        ResponseChange { messages: patches, ..ResponseChange::new() }
    }
}
