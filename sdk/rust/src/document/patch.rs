use super::{Content, Decode, Encode, Message};
use crate::wire::{DecodeError, Map, Raw, Value};

/// A change of a message. Its keys replace those of the message; all others stay, including unknown keys.
///
/// A key is replaced as a whole, and cleared by its empty value. `id`, `role` and `tool_call_id` must not differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch(Map);

impl Patch {
    /// A change of the message with this id.
    pub fn of(id: impl Into<String>) -> Self {
        Patch(Map::new().with("id", id.into()))
    }

    /// A change of the message that the context implies, such as the answer to the current tool call.
    pub fn new() -> Self {
        Patch::default()
    }

    /// Sets all keys of a message, including its id.
    pub fn of_message(message: &Message) -> Self {
        let document = message.to_document();
        Patch(Map::try_from(Value::new(&document)).unwrap_or_default())
    }

    /// Returns the patch with this key set.
    #[must_use]
    pub fn with(self, key: &str, value: impl Into<Raw>) -> Self {
        Patch(self.0.with(key, value))
    }

    /// Returns the patch with the content replaced.
    #[must_use]
    pub fn content(self, content: impl Into<Content>) -> Self {
        self.with("content", Raw::from_bytes_unchecked(content.into().to_document()))
    }

    /// Returns the patch with the status of a tool message replaced: `success` or `error`.
    #[must_use]
    pub fn status(self, status: &str) -> Self {
        self.with("status", status)
    }

    /// Returns the patch with the artifact of a tool message replaced.
    #[must_use]
    pub fn artifact(self, artifact: impl Into<Raw>) -> Self {
        self.with("artifact", artifact)
    }

    /// The id of the message to change; empty if the patch names none.
    pub fn id(&self) -> &str {
        self.0.get("id").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// The keys of the patch.
    pub fn keys(&self) -> &Map {
        &self.0
    }

    /// The message that the patch describes by itself. Keys that it does not set are empty.
    pub fn to_message(&self) -> Result<Message, DecodeError> {
        Message::from_document(Raw::from(&self.0).bytes())
    }

    /// The content that the patch sets.
    pub fn content_set(&self) -> Option<Content> {
        self.0.get("content").and_then(|v| Content::decode(v).ok())
    }
}

impl Encode for Patch {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.append(out);
    }
}

impl Decode for Patch {
    fn decode(value: Value<'_>) -> Result<Self, DecodeError> {
        Map::try_from(value).map(Patch)
    }
}
