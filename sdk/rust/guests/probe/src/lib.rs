//! The probe as a plugin in Rust, which performs the scripts of test vectors in WebAssembly. It
//! does the same as the guest in Go, document by document.
//!
//! A plugin must declare the bound of what it may do before it sees its configuration, but a probe's fields
//! and jumps are in its configuration. The loader therefore writes the bound, a Description, into the module
//! first, over the bytes of bound.bin: the length in four bytes, lowest byte first, and then the document.

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

/// The bytes that hold the bound. They may change in the built module, so the compiler must not assume their content.
fn bound() -> &'static [u8; 65536] {
    let at: *const [u8; 65536] = &BOUND;
    // The volatile read hides from the compiler that the pointer is BOUND.
    unsafe { &*core::ptr::read_volatile(&at) }
}

struct Probe {
    script: Script,
    description: Description,
    executions: RefCell<BTreeMap<String, u64>>, // by tool, in this instance
}

#[agenthost::plugin]
impl Plugin for Probe {
    type Config = Map;

    fn describe() -> Description {
        let [a, b, c, d, rest @ ..] = bound();
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        // The placeholder's length exceeds the space: nobody wrote a bound into this module.
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
