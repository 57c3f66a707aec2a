use crate::document::{Encode, Message, ModelResponse, ToolReply};
use crate::host::Status;
use crate::{Errno, Error};

/// How a call of `next` or of an operation ends.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: Status,
    pub(super) document: Vec<u8>,
}

impl Reply {
    fn of(status: Status, document: Vec<u8>) -> Self {
        Reply { status, document }
    }

    /// It succeeds with this document, such as a [`ModelResponse`] or a [`ToolReply`].
    pub fn document(document: &impl Encode) -> Self {
        Reply::of(Status::OK, document.to_document())
    }

    /// It succeeds and has no document.
    pub fn nothing() -> Self {
        Reply::of(Status::OK, Vec::new())
    }

    /// The model answers with this message.
    pub fn model(message: Message) -> Self {
        let id = if message.id.is_empty() { "reply".to_owned() } else { message.id.clone() };
        Reply::document(&ModelResponse { messages: vec![message.with_id(id)], ..ModelResponse::default() })
    }

    /// The tool answers with this message.
    pub fn tool(message: Message) -> Self {
        Reply::document(&ToolReply { tool_message: message })
    }

    /// It fails with this error.
    pub fn error(error: Error) -> Self {
        Reply::of(Status::FAILED, error.failure().unwrap_or_default().to_document())
    }

    /// The host refuses it.
    pub fn refused(errno: Errno) -> Self {
        Reply::of(Status(errno.status()), Vec::new())
    }

    /// An interrupt is pending: the frame is closed.
    pub fn interrupted() -> Self {
        Reply::of(Status::INTERRUPTED, Vec::new())
    }

    /// The run is cancelled: the frame is closed.
    pub fn cancelled() -> Self {
        Reply::of(Status::CANCELLED, Vec::new())
    }

    /// It ends with any status of the ABI, even one that this crate does not know.
    pub fn status(status: i32) -> Self {
        Reply::of(Status(status), Vec::new())
    }
}
