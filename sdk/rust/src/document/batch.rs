use super::codec::document;
use crate::wire::Raw;

document! {
    /// Operations to perform at once.
    Batch {
        /// 1 to 32.
        "calls" => calls: Vec<BatchCall>,
    }
}

document! {
    /// One operation of a batch.
    BatchCall {
        /// `http.fetch` or `model.generate`.
        "op" => op: String,
        /// The document of the operation.
        maybe "payload" => payload: Raw,
    }
}

document! {
    /// Answers a [`Batch`].
    BatchReplies {
        /// In the order of the calls.
        "replies" => replies: Vec<BatchReply>,
    }
}

document! {
    /// How one operation of a batch ended.
    BatchReply {
        /// The reply, or the error document.
        maybe "reply" => reply: Raw,
        /// The status, as of a call by itself.
        "status" => status: i64,
    }
}
