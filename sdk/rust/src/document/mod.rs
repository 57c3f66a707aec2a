//! The complete documents of the ABI. Hooks read most documents lazily. These types are for the
//! documents that a plugin writes or takes out of a reply, and for tests. SPEC.md describes their keys.

mod batch;
mod codec;
mod content;
mod description;
mod fetch;
mod inform;
mod input;
mod kv;
mod message;
mod operation;
mod patch;
mod request;
mod result;
mod view;

pub use batch::{Batch, BatchCall, BatchReplies, BatchReply};
pub use codec::{Decode, Encode};
pub use content::{Block, Content};
pub use description::{Capability, Description, FieldSpec, HookSpec, HookSpecs, ToolSpec};
pub use fetch::{FetchRequest, FetchResponse, Header};
pub use inform::{ModelInfo, ModelQuery, RunInfo, TokenCount, TokenQuery, ToolList};
pub use input::{HookInput, ModelRequest, ModelResponse, ToolReply, View};
pub use kv::{KVDelete, KVEntry, KVGet, KVItem, KVList, KVPage, KVPut, KVVersion, Scope};
pub use message::{InvalidToolCall, Message, Role, ToolCall, Usage};
pub use operation::{
    Budget, Clock, EventEmit, GenerateRequest, RandomBytes, RandomRequest, SleepRequest, StateQuery, StateReply,
    ToolRequest,
};
pub use patch::Patch;
pub use request::{CallChange, NameList, RequestChange};
pub use result::{Failure, HookResult, Interrupt, ResponseChange};
pub use view::ViewSpec;
