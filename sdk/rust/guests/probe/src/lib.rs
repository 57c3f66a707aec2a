//! The probe as a plugin in Rust: the scripts of test vectors, performed in WebAssembly. It does what the guest in Go does,
//! document by document.
//!
//! What a plugin may do at most it must say before it sees its configuration, and a probe's fields and jumps are its
//! configuration. So whoever loads the module first writes that bound, a Description, over the place that bound.bin
//! takes in it: its length in four bytes, the lowest first, then the document.

mod action;
mod behavior;
mod call;
mod describe;
mod hook;
mod message;
mod model;
mod node;
mod script;
mod strict;
mod text;
mod tool;
mod update;

use agenthost::{
    Context, Decode, Description, Error, Hook, Map, ModelAnswer, ModelContext, Patch, Plugin, Result, ToolAnswer,
    ToolContext, Update,
};
use script::Script;
use std::cell::RefCell;
use std::collections::BTreeMap;

static BOUND: [u8; 65536] = *include_bytes!("../../../../../test/reference/guest/bound.bin");

/// The bytes where the bound stands. They may have been changed in the built module, which the compiler must not know.
fn bound() -> &'static [u8; 65536] {
    let at: *const [u8; 65536] = &BOUND;
    // The pointer is read as if it could be any; it is that of BOUND.
    unsafe { &*core::ptr::read_volatile(&at) }
}

struct Probe {
    script: Script,
    description: Description,
    executions: RefCell<BTreeMap<String, u64>>, // by tool, of this instance
}

#[agenthost::plugin]
impl Plugin for Probe {
    type Config = Map;

    fn describe() -> Description {
        let [a, b, c, d, rest @ ..] = bound();
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        // The placeholder is longer than the place: this module was not made ready.
        rest.get(..length).and_then(|document| Description::from_document(document).ok()).unwrap_or_default()
    }

    fn new(config: Map) -> Result<Self> {
        let (script, description) = describe::read(&config.into())?;
        Ok(Probe { script, description, executions: RefCell::default() })
    }

    fn narrow(&self, _: Description) -> Option<Description> {
        Some(self.description.clone())
    }

    fn before_agent(&self, ctx: &Context) -> Result<Update> {
        self.node(Hook::BeforeAgent, ctx)
    }

    fn before_model(&self, ctx: &Context) -> Result<Update> {
        self.node(Hook::BeforeModel, ctx)
    }

    fn after_model(&self, ctx: &Context) -> Result<Update> {
        self.node(Hook::AfterModel, ctx)
    }

    fn after_agent(&self, ctx: &Context) -> Result<Update> {
        self.node(Hook::AfterAgent, ctx)
    }

    fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
        model::perform(self.script.hook(Hook::WrapModelCall)?, ctx)
    }

    fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        tool::perform(self.script.hook(Hook::WrapToolCall)?, ctx)
    }

    fn call_tool(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        let call = ctx.call().to_call()?;
        let Some(tool) = self.script.dynamic.iter().find(|t| t.spec.name == call.name) else {
            return Err(text::mistake(format!("there is no tool {}", call.name)));
        };
        let execution = {
            let mut executions = self.executions.borrow_mut();
            let count = executions.entry(call.name.clone()).or_default();
            *count += 1;
            *count
        };
        let run = Map::new().with("args", &call.args).with("id", &call.id).with("name", &call.name);
        ctx.emit("tool_run", run)?;
        let (text, update) = tool.run(&behavior::Execution { ctx, call: &call, count: execution })?;
        Ok(ToolAnswer::from(Patch::new().content(text)).with_update(update))
    }
}

impl Probe {
    fn node(&self, hook: Hook, ctx: &Context) -> Result<Update, Error> {
        node::perform(self.script.hook(hook)?, ctx)
    }
}
