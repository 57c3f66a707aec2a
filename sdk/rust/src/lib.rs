//! Write agenthost plugins in Rust.
//!
//! agenthost runs agents: model, tools, model, … until the model is done. A plugin is a WebAssembly module with
//! hooks around these steps. You write it as a type that implements [`Plugin`], with the attribute [`plugin`]:
//!
//! ```
//! use agenthost::{Description, Patch, Plugin, Result, ToolAnswer, ToolContext};
//!
//! /// Says the answers of tools loudly.
//! #[derive(Default)]
//! struct Shout;
//!
//! #[agenthost::plugin]
//! impl Plugin for Shout {
//!     fn describe() -> Description {
//!         Description::new("shout", "1.0.0")
//!     }
//!
//!     fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
//!         let answer = ctx.next()?;
//!         Ok(Patch::new().content(answer.text().to_uppercase()).into())
//!     }
//! }
//!
//! # use agenthost::{testing::{Reply, Test}, document::ToolCall, Message};
//! # let reply = Message::tool(&ToolCall::default(), "high at noon");
//! # let outcome = Test::<Shout>::new().call("tides", [("at", "Cuxhaven")]).reply(Reply::tool(reply)).wrap_tool_call();
//! # assert_eq!(outcome.text(), "HIGH AT NOON");
//! ```
//!
//! Build the plugin as a `cdylib` for `wasm32-unknown-unknown`; the README says how. The crate also builds on other
//! targets, where the module [`testing`] calls hooks natively with a fake host. All examples here are such tests.
//!
//! # Hooks
//!
//! A hook is a method of [`Plugin`]. It sees what its [`HookSpec`] in the [`Description`] declares,
//! and the host applies its result after it returns. An instance serves one call at a time, and any
//! instance may serve any call. Keep data that must survive a call in a [`Field`].
//!
//! **`before_agent`** runs once when a run starts, **`after_agent`** once when it ends:
//!
//! ```
//! # use agenthost::{testing::Test, Context, Description, Field, HookSpec, Message, Plugin, Result, Update, ViewSpec};
//! static STARTED: Field<u64> = Field::new("started").run();
//!
//! #[derive(Default)]
//! struct Timed;
//!
//! #[agenthost::plugin]
//! impl Plugin for Timed {
//!     fn describe() -> Description {
//!         Description::new("timed", "1.0.0").field(&STARTED).after_agent(HookSpec::new().reads(&STARTED))
//!     }
//!
//!     fn before_agent(&self, ctx: &Context) -> Result<Update> {
//!         let mut update = Update::new().message(Message::system("Answer within a minute."));
//!         STARTED.set(&mut update, ctx.now());
//!         Ok(update)
//!     }
//!
//!     fn after_agent(&self, ctx: &Context) -> Result<Update> {
//!         let started = STARTED.get_or_default(ctx)?;
//!         agenthost::log::info!(ctx, "done", ms = (ctx.now() - started) / 1_000_000);
//!         Ok(Update::new())
//!     }
//! }
//!
//! let start = Test::<Timed>::new().input(|i| i.now = 7).before_agent();
//! assert_eq!(start.messages[0].content.text(), "Answer within a minute.");
//! let end = Test::<Timed>::new().input(|i| i.now = 3_000_007).state("started", 7).after_agent();
//! assert_eq!(end.log[0].1, "done ms=3");
//! ```
//!
//! **`before_model`** runs before every model call, **`after_model`** after it. These four may send the run elsewhere:
//!
//! ```
//! # use agenthost::{testing::Test, Context, Description, HookSpec, Message, Plugin, Result, Target, Update, ViewSpec};
//! #[derive(Default)]
//! struct Guard;
//!
//! #[agenthost::plugin]
//! impl Plugin for Guard {
//!     fn describe() -> Description {
//!         let spec = HookSpec::new().view(ViewSpec::Last(1)).can_jump_to(Target::End);
//!         Description::new("guard", "1.0.0").before_model(spec.clone()).after_model(spec)
//!     }
//!
//!     /// Ends a run that says goodbye.
//!     fn before_model(&self, ctx: &Context) -> Result<Update> {
//!         match ctx.messages().last() {
//!             Some(m) if m.text() == "bye" => Ok(Update::new().message(Message::ai("Bye.")).jump(Target::End)),
//!             _ => Ok(Update::new()),
//!         }
//!     }
//!
//!     /// Asks before tools run.
//!     fn after_model(&self, ctx: &Context) -> Result<Update> {
//!         let Some(message) = ctx.messages().last() else { return Ok(Update::new()) };
//!         let tools: Vec<_> = message.tool_calls().map(|c| c.name()).collect();
//!         if !tools.is_empty() && ctx.interrupt("tools", tools)?.as_bool() != Some(true) {
//!             return Ok(Update::new().jump(Target::End));
//!         }
//!         Ok(Update::new())
//!     }
//! }
//!
//! let outcome = Test::<Guard>::new().messages([Message::human("bye")]).before_model();
//! assert_eq!(outcome.jump_to, "end");
//! # use agenthost::document::ToolCall;
//! let asks = Message::ai("").with_call(ToolCall::new("c1", "search", [("q", "tides")]));
//! let outcome = Test::<Guard>::new().messages([asks.clone()]).after_model();
//! assert_eq!(outcome.interrupts[0].key, "tools");
//! let outcome = Test::<Guard>::new().messages([asks]).answer("tools", false).after_model();
//! assert_eq!(outcome.jump_to, "end");
//! ```
//!
//! **`wrap_model_call`** runs around every model call. It may change the request, call `next` any number of times, change
//! the response, or answer without the model:
//!
//! ```
//! # use agenthost::testing::{Reply, Test};
//! # use agenthost::{Description, Error, Message, ModelAnswer, ModelContext, Plugin, RequestChange, Result};
//! #[derive(Default)]
//! struct Fallback;
//!
//! #[agenthost::plugin]
//! impl Plugin for Fallback {
//!     fn describe() -> Description {
//!         Description::new("fallback", "1.0.0")
//!     }
//!
//!     fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
//!         let reply = match ctx.next() {
//!             Err(e) if e.is_retryable() => ctx.next_with(&RequestChange::new().model("small"))?,
//!             reply => reply?,
//!         };
//!         let signed = format!("{} (by {})", reply.text(), ctx.request().model());
//!         Ok(reply.patch_answer(|p| p.content(signed)).into())
//!     }
//! }
//!
//! let outcome = Test::<Fallback>::new()
//!     .request(agenthost::document::ModelRequest { model: "large".into(), ..Default::default() })
//!     .reply(Reply::error(Error::new("overloaded", "try later").retryable()))
//!     .reply(Reply::model(Message::ai("42")))
//!     .wrap_model_call();
//! assert_eq!(outcome.requests()[1].model, "small");
//! assert_eq!(outcome.text(), "42 (by large)");
//! ```
//!
//! **`wrap_tool_call`** runs around every tool call in the same way. **`call_tool`** runs the tools
//! of the plugin; see [`Tools`].
//!
//! One import is enough for most plugins: `use agenthost::*`. A hook asks people with [`Context::interrupt`], and about a
//! tool call with an [`Approval`].
//!
//! # Configuration
//!
//! `type Config` names the type of the configuration. The host checks the operator's configuration
//! against its [`Schema`], and passes it to `new`:
//!
//! ```
//! # use agenthost::{testing::{configure, Test}, Context, Description, Error, Plugin, Result, Schema, Update};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, Schema)]
//! #[serde(deny_unknown_fields)]
//! struct Config {
//!     /// How many calls a run may make.
//!     #[schema(minimum = 1, default = 10)]
//!     limit: u64,
//! }
//!
//! struct Limit(Config);
//!
//! #[agenthost::plugin]
//! impl Plugin for Limit {
//!     type Config = Config;
//!
//!     fn describe() -> Description {
//!         Description::new("limit", "1.0.0")
//!     }
//!
//!     fn new(config: Config) -> Result<Self> {
//!         if config.limit > 100 {
//!             return Err(Error::new("config", "the limit is more than anybody needs"));
//!         }
//!         Ok(Limit(config))
//!     }
//!
//!     fn before_model(&self, ctx: &Context) -> Result<Update> {
//!         if ctx.n() > self.0.limit {
//!             return Err(Error::new("limit", format!("more than {} calls", self.0.limit)));
//!         }
//!         Ok(Update::new())
//!     }
//! }
//!
//! let outcome = Test::<Limit>::with([("limit", 3)]).input(|i| i.n = 4).before_model();
//! assert_eq!(outcome.error.unwrap().message, "more than 3 calls");
//! assert_eq!(configure::<Limit>(agenthost::Map::from([("limit", 101)])).unwrap_err().kind, "config");
//! ```
//!
//! # Errors
//!
//! A hook returns every [`Error`] with `?`: a new error, which other middleware may retry or answer;
//! an error of `next`, which passes on; an open question of [`Context::interrupt`]; or a closed
//! frame. In a closed frame, `next` and operations do nothing, and the hook's result is ignored. A
//! panic is a fault of the plugin; its message, with file and line, goes to the host's log.
//!
//! # Beyond the call
//!
//! An operation that reaches beyond the call needs a capability. The plugin lists it in its Description with
//! a reason, and the operator grants it. [`Context::fetch`] makes HTTP requests, [`Context::store`] keeps
//! values, which an [`Entry`] updates without losing any, [`Context::generate`] asks a model, and [`Context::call_tool`] runs a tool. [`Context::fetch_all`] and
//! [`Context::generate_all`] make several requests at once, and [`Context::sleep`] waits. [`Context::clock_now`] and
//! [`Context::random_bytes`] give the real time and real random numbers. Without a capability, the only
//! clock is [`Context::now`], and the only random number is [`Context::seed`], which is no secret.
//!
//! # What a plugin knows of its run
//!
//! The caller of a run may give it values such as the tenant or the user: its context. A plugin is shown the keys that its
//! Description lists and the operator grants. [`Context::run_info`] names the agent and counts the tokens that the run has used,
//! [`Context::model_info`] describes a model, [`Context::count_tokens`] counts as the host does, and [`ModelContext::tool_specs`]
//! returns the tools that a request offers. All of this is new in version 1.1 of the ABI: a host of version 1.0 shows no context,
//! and the error of the others is [`Errno::ENOENT`].
//!
//! ```
//! # use agenthost::document::{RunInfo, Usage};
//! # use agenthost::testing::{Reply, Test};
//! # use agenthost::{Description, Message, ModelAnswer, ModelContext, Plugin, Result};
//! /// Limits the tokens of a run, except for the tenant `internal`.
//! #[derive(Default)]
//! struct Limit;
//!
//! #[agenthost::plugin]
//! impl Plugin for Limit {
//!     fn describe() -> Description {
//!         Description::new("limit", "1.0.0").context("tenant")
//!     }
//!
//!     fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
//!         let is_internal = ctx.context("tenant").is_some_and(|t| t.as_str() == Some("internal"));
//!         if !is_internal && ctx.run_info()?.usage.total_tokens > 50_000 {
//!             return Ok(Message::ai("This run has used up its tokens.").into());
//!         }
//!         Ok(ModelAnswer::unchanged()) // the host calls the model
//!     }
//! }
//!
//! # let used = RunInfo { usage: Usage { total_tokens: 60_000, ..Usage::default() }, ..RunInfo::default() };
//! let outcome = Test::<Limit>::new().run_info(used.clone()).wrap_model_call();
//! assert_eq!(outcome.text(), "This run has used up its tokens.");
//! let outcome = Test::<Limit>::new().run_info(used).context("tenant", "internal").wrap_model_call();
//! assert!(outcome.response.is_none());
//! ```
//!
//! # Size and speed
//!
//! A hook that looks at nothing pays nothing: documents are read in place and only on demand, and buffers
//! are reused from call to call. The module uses 64 KiB of stack if you link it as the README says.

#![deny(missing_docs)]
extern crate self as agenthost;

mod accumulator;
mod answer;
mod approval;
mod batch;
mod context;
mod describe;
mod dispatch;
pub mod document;
mod entry;
mod errno;
mod error;
mod field;
#[cfg(target_arch = "wasm32")]
mod guest;
mod host;
mod inform;
pub mod log;
mod messageref;
mod modelcontext;
pub mod op;
mod operation;
mod plugin;
mod reply;
pub mod schema;
pub mod sha256;
mod store;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod tool;
mod toolcontext;
mod update;
pub mod wire;

pub use accumulator::Accumulator;
pub use agenthost_derive::plugin;
pub use answer::{ModelAnswer, ToolAnswer};
pub use approval::{Approval, Decision, DecisionType};
pub use context::Context;
pub use document::{
    Block, CallChange, Content, Decode, Description, Encode, FetchRequest, FieldSpec, GenerateRequest, HookSpec,
    Message, ModelInfo, Patch, RequestChange, ResponseChange, Role, RunInfo, Scope, ToolSpec, ViewSpec,
};
pub use entry::Entry;
pub use errno::Errno;
pub use error::{Error, Result};
pub use field::{DeclareField, Field, FieldName};
pub use messageref::{MessageRef, Messages, ToolCallRef, ViewRef};
pub use modelcontext::{ModelContext, ModelReply, RequestRef};
pub use plugin::{Hook, Plugin};
pub use schema::Schema;
pub use store::Store;
pub use tool::Tools;
pub use toolcontext::{ToolContext, ToolReply};
pub use update::{Target, Update};
pub use wire::{from_value, to_raw, DecodeError, EncodeError, Map, Raw, Value};

/// Items that the attribute `plugin` needs.
#[doc(hidden)]
pub mod __private {
    #[cfg(target_arch = "wasm32")]
    pub use crate::guest::Instance;
    pub use crate::plugin::Export;
}
