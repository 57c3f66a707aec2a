//! A guest for benchmarks: little work on top of a whole SDK. It does the same as the guest bench in Go.

use agenthost::{
    Context, Description, Field, HookSpec, ModelAnswer, ModelContext, Plugin, Result, Schema, ToolAnswer, ToolContext,
    Update, ViewSpec,
};
use serde::Deserialize;

static CHARS: Field<u64> = Field::new("chars").add();

#[derive(Deserialize, Schema)]
struct Config {
    /// Leaves only this hook, if it is before_model or wrap_tool_call.
    only: Option<String>,
}

struct Bench {
    config: Config,
}

#[agenthost::plugin]
impl Plugin for Bench {
    type Config = Config;

    fn describe() -> Description {
        Description::new("bench", "1.0.0")
            .field(&CHARS)
            .before_model(HookSpec::new().view(ViewSpec::Last(1)))
            .after_model(HookSpec::new().view(ViewSpec::New))
    }

    fn new(config: Config) -> Result<Self> {
        Ok(Bench { config })
    }

    fn narrow(&self, mut description: Description) -> Option<Description> {
        use agenthost::document::HookSpecs;
        let hooks = description.hooks;
        description.hooks = match self.config.only.as_deref() {
            Some("before_model") => HookSpecs { before_model: hooks.before_model, ..Default::default() },
            Some("wrap_tool_call") => HookSpecs { wrap_tool_call: hooks.wrap_tool_call, ..Default::default() },
            _ => return None,
        };
        Some(description)
    }

    /// Changes nothing.
    fn before_agent(&self, _: &Context) -> Result<Update> {
        Ok(Update::new())
    }

    /// Counts the text of the last message.
    fn before_model(&self, ctx: &Context) -> Result<Update> {
        Ok(count(ctx))
    }

    /// Counts the text of new messages.
    fn after_model(&self, ctx: &Context) -> Result<Update> {
        Ok(count(ctx))
    }

    /// Only calls next.
    fn wrap_model_call(&self, ctx: &ModelContext) -> Result<ModelAnswer> {
        ctx.next()?;
        Ok(ModelAnswer::unchanged())
    }

    /// Only calls next.
    fn wrap_tool_call(&self, ctx: &ToolContext) -> Result<ToolAnswer> {
        ctx.next()?;
        Ok(ToolAnswer::unchanged())
    }
}

fn count(ctx: &Context) -> Update {
    let mut update = Update::new();
    CHARS.set(&mut update, ctx.messages().map(|m| m.text().len() as u64).sum());
    update
}
