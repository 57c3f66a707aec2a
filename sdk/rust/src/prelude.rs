//! What most plugins need, in one import: `use agenthost::prelude::*`.

pub use crate::{
    log, op, Accumulator, Approval, CallChange, Content, Context, Decision, DecisionType, Description, Entry, Errno,
    Error, FetchRequest, Field, GenerateRequest, HookSpec, Map, Message, ModelAnswer, ModelContext, Patch, Plugin, Raw,
    RequestChange, ResponseChange, Result, Role, Schema, Scope, Target, ToolAnswer, ToolContext, Tools, Update, Value,
    ViewSpec,
};
